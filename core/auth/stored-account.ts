// The account as stored in the configuration (`app_auth`), and its three states.
import type { ConfigDocument } from '../config/contract.ts'
import { isObject } from '../config/document/document.ts'
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
  /** Name and password are stored, even if authentication is disabled. */
  readonly configured: boolean
  readonly resetRequired: boolean
  /** Changes with name, password and state; sessions are bound to it. */
  readonly credentialsId: string
  readonly rememberEnabled: boolean
  readonly rememberDays: number
  /** Hash of the one-time token of an offline reset. */
  readonly setupTokenHash: string
  readonly appliedReset: string
  /** The linked account of external sign-in. */
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

/** The account's section in a draft, created if missing. */
export function accountSection(draft: ConfigDocument): ConfigDocument {
  const section = isObject(draft['app_auth']) ? draft['app_auth'] : {}
  draft['app_auth'] = section
  return section
}

// `enabled: false` is the default and proves nothing. Disabling requires a password: a stored one, or the time of
// disabling. Otherwise an open instance would belong to the first caller.
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

/** Normalizes a name for comparison: keyboards of phones add a space or a capital. There is only one account. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}
