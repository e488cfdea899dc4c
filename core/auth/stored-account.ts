// The account as the configuration holds it (`app_auth`), and the three states that follow from it.
import type { ConfigDocument } from '../config/contract.ts'
import { isObject } from '../config/document.ts'
import { linkedIdKey, linkKey } from '../config/sections.ts'
import { SIGN_IN_METHOD } from '../wire-names.ts'
import { sectionOf } from './per-document.ts'
import { readPasswordRecord, type PasswordRecord } from './password.ts'
import { rememberDays } from './sessions.ts'

export type AuthState = 'setup_required' | 'enabled' | 'disabled'

export interface Account {
  readonly state: AuthState
  readonly username: string
  readonly password: PasswordRecord | undefined
  /** Name and password are stored, whether they are asked for or not. */
  readonly configured: boolean
  readonly resetRequired: boolean
  /** Changes whenever name, password or state do; sessions are bound to it. */
  readonly credentialsId: string
  readonly rememberEnabled: boolean
  readonly rememberDays: number
  /** Of the one-time token that an offline reset printed. */
  readonly setupTokenHash: string
  readonly appliedReset: string
  /** The account of a third party that may sign in as this one. */
  readonly link: { readonly enabled: boolean; readonly linked: boolean }
}

export function readAccount(section: unknown): Account {
  const stored = isObject(section) ? section : {}
  const username = text(stored['username']).trim()
  const password = readPasswordRecord(stored['password'])
  const configured = username !== '' && password !== undefined
  const resetRequired = stored['reset_required'] === true
  const link = sectionOf(stored, linkKey(SIGN_IN_METHOD))
  const isLinked = text(link[linkedIdKey(SIGN_IN_METHOD)]) !== ''
  return {
    state: stateOf({
      enabled: stored['enabled'] === true,
      configured,
      resetRequired,
      disabledAt: stored['disabled_at'],
    }),
    username,
    password,
    configured,
    resetRequired,
    credentialsId: text(stored['credentials_id']),
    rememberEnabled: stored['remember_session_enabled'] === true,
    rememberDays: rememberDays(stored['remember_session_days']),
    setupTokenHash: text(sectionOf(stored, 'setup')['hash']),
    appliedReset: text(stored['applied_reset']),
    link: { enabled: link['enabled'] === true && isLinked, linked: isLinked },
  }
}

/** The account's section in a draft, created when it is not there. */
export function accountSection(draft: ConfigDocument): ConfigDocument {
  const section = isObject(draft['app_auth']) ? draft['app_auth'] : {}
  draft['app_auth'] = section
  return section
}

// `enabled: false` is the default and alone proves nothing. Only somebody who could have used a password may have
// switched it off: one is stored, or the moment of switching off is. Anything else would hand an open instance to the
// first caller.
function stateOf(stored: {
  enabled: boolean
  configured: boolean
  resetRequired: boolean
  disabledAt: unknown
}): AuthState {
  if (stored.resetRequired) return 'setup_required'
  if (stored.enabled) return stored.configured ? 'enabled' : 'setup_required'
  return stored.configured || Number(stored.disabledAt) > 0 ? 'disabled' : 'setup_required'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
