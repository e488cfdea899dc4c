// The linked account of external sign-in, as stored in the configuration.
import { randomBytes } from 'node:crypto'
import { PlayheadError, type ProvenPerson } from '@playhead/sdk'
import type { ConfigDocument } from '../config/contract.ts'
import { isObject } from '../config/document/document.ts'
import { linkedIdKey, linkKey } from '../config/sections.ts'
import { sectionOf } from './per-document.ts'
import { accountSection } from './stored-account.ts'

interface StoredLink extends ProvenPerson {
  readonly enabled: boolean
  readonly clientId: string
  readonly linkedAtMs: number
}

const MAX_TEXT_LENGTH = 300
const NO_LINK: ProvenPerson & { readonly linkedAtMs: number } = {
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
    // Without an id the other fields are meaningless.
    ...(accountId === ''
      ? NO_LINK
      : {
          accountId,
          username: text(stored['linked_username']),
          email: text(stored['linked_email']),
          thumb: text(stored['linked_thumb']),
          linkedAtMs: Number(stored['linked_at'] ?? 0) * 1000,
        }),
  }
}

/** @param person null removes the link; the switch and the client id stay */
export function writeLink(draft: ConfigDocument, method: string, person: ProvenPerson | null, nowMs: number): void {
  const { accountId, username, email, thumb } = person ?? NO_LINK
  Object.assign(linkSection(draft, method), {
    ...(person === null ? {} : { enabled: true }),
    [linkedIdKey(method)]: accountId,
    linked_username: username,
    linked_email: email,
    linked_thumb: thumb,
    linked_at: person === null ? 0 : Math.floor(nowMs / 1000),
  })
}

/** Creates the client id if there is none. */
export function ensureClientId(draft: ConfigDocument, method: string): void {
  const section = linkSection(draft, method)
  if (text(section['client_id']) === '') section['client_id'] = `svc-${randomBytes(10).toString('hex')}`
}

/**
 * Validates and truncates a third party's data about a person. An invalid id throws: an empty one would equal the
 * unlinked state.
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
