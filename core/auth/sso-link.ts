// The account of a third party that may sign in as the administrator, as the configuration holds it.
import { randomBytes } from 'node:crypto'
import { PlayheadError, type ProvenPerson } from '@playhead/sdk'
import type { ConfigDocument } from '../config/contract.ts'
import { isObject } from '../config/document.ts'
import { linkedIdKey, linkKey } from '../config/sections.ts'
import { sectionOf } from './per-document.ts'
import { accountSection } from './stored-account.ts'

export interface StoredLink extends ProvenPerson {
  readonly enabled: boolean
  readonly clientId: string
  readonly linkedAtMs: number
}

const MAX_TEXT_LENGTH = 300
const NOBODY: ProvenPerson & { readonly linkedAtMs: number } = {
  accountId: '',
  username: '',
  email: '',
  thumb: '',
  linkedAtMs: 0,
}

export function readLink(document: Readonly<ConfigDocument>, method: string): StoredLink {
  const stored = sectionOf(sectionOf(document, 'app_auth'), linkKey(method))
  const accountId = text(stored[linkedIdKey(method)])
  return {
    enabled: stored['enabled'] === true,
    clientId: text(stored['client_id']),
    // Without an id the rest describes nobody.
    ...(accountId === ''
      ? NOBODY
      : {
          accountId,
          username: text(stored['linked_username']),
          email: text(stored['linked_email']),
          thumb: text(stored['linked_thumb']),
          linkedAtMs: Number(stored['linked_at'] ?? 0) * 1000,
        }),
  }
}

/** @param person null takes the link away; the switch and the client's id stay */
export function writeLink(draft: ConfigDocument, method: string, person: ProvenPerson | null, nowMs: number): void {
  const { accountId, username, email, thumb } = person ?? NOBODY
  Object.assign(linkSection(draft, method), {
    ...(person === null ? {} : { enabled: true }),
    [linkedIdKey(method)]: accountId,
    linked_username: username,
    linked_email: email,
    linked_thumb: thumb,
    linked_at: person === null ? 0 : Math.floor(nowMs / 1000),
  })
}

/** The client's id, given a value when it has none. */
export function ensureClientId(draft: ConfigDocument, method: string): void {
  const section = linkSection(draft, method)
  if (text(section['client_id']) === '') section['client_id'] = `svc-${randomBytes(10).toString('hex')}`
}

/**
 * What a third party says about a person, fit to be stored and shown. An id that is none stops everything: it could
 * equal "nobody".
 */
export function checkedPerson({ accountId, username, email, thumb }: ProvenPerson): ProvenPerson {
  if (typeof accountId !== 'string' || !/^[\w-]{1,64}$/.test(accountId)) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The account that signed in has no usable id.')
  }
  return {
    accountId,
    username: shown(username),
    email: shown(email),
    thumb: /^https?:\/\//.test(thumb) ? shown(thumb) : '',
  }
}

function linkSection(draft: ConfigDocument, method: string): ConfigDocument {
  const account = accountSection(draft)
  const name = linkKey(method)
  const section = isObject(account[name]) ? account[name] : {}
  account[name] = section
  return section
}

function shown(value: unknown): string {
  return text(value).replace(/\p{C}/gu, '').slice(0, MAX_TEXT_LENGTH)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
