// Decides whose playback counts. Fails closed: an account that cannot be identified is rejected.
import type { PlaybackAccount } from '@playhead/sdk'
import { foldCase } from '@playhead/sdk/items'
import type { Filters } from '../contract.ts'

/** Allows all users. */
const EVERYBODY = '*'

/**
 * Why a user's playback is rejected; undefined if it counts. Without a configured filter only the profile's own user counts, and
 * never by name.
 */
export function accountReason(
  account: PlaybackAccount,
  { username_whitelist: allowed, user_id: userId }: Pick<Filters, 'username_whitelist' | 'user_id'>,
): 'account_missing' | 'account_not_allowed' | 'other_server' | undefined {
  const isAllowed =
    allowed.length > 0
      ? allowed.some((entry) => entry.trim() === EVERYBODY || matchesAccount(entry, account))
      : userId !== '' || account.relation === 'own'
  const isUser = userId === '' || sameId(userId, account.id)
  if (isAllowed && isUser) return undefined
  if (account.elsewhere === true) return 'other_server'
  return isNobody(account) ? 'account_missing' : 'account_not_allowed'
}

/** Whether an entry of an account filter names this account: `id:<id>`, `uuid:<uuid>`, or a name. */
export function matchesAccount(entry: string, account: PlaybackAccount): boolean {
  const [, kind, value = ''] = /^\s*(id|uuid):(.*)$/isu.exec(entry) ?? []
  if (kind !== undefined) return sameId(value, kind.toLowerCase() === 'id' ? account.id : account.uuid)
  const key = nameKey(entry)
  return key !== '' && key === nameKey(account.name ?? '')
}

/** A name without case, whitespace and punctuation, in any script. */
export function nameKey(name: string): string {
  return foldCase(name.normalize('NFKC').replace(/[\s\p{P}]+/gu, ''))
}

function sameId(wanted: string, id: string | undefined): boolean {
  const key = idKey(wanted)
  return key !== '' && key === idKey(id ?? '')
}

// A server may write the same GUID with and without hyphens.
function idKey(id: string): string {
  const key = id.trim().toLowerCase()
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key) ? key.replaceAll('-', '') : key
}

function isNobody({ id, name, uuid }: PlaybackAccount): boolean {
  return [id, name, uuid].every((value) => (value ?? '').trim() === '')
}
