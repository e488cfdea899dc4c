// A signed-in user: the media server, and the user in Jellystat's list with the number of its rows.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, type AccountHealth, createMemo, type Memo } from '@playhead/sdk/provider'
import { openJellystat, openMediaServer } from './api.ts'
import type { Profile } from './settings.ts'
import { countOf, ServerInfo, ServerItems, textOf, type UserRow, Users } from './wire.ts'

const KNOWN_MS = 10 * 60_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  readonly media: UpstreamAccount
  /** The media server's id. */
  readonly serverId: Memo<string>
}

/** The user as Jellystat has it now. */
export interface Me {
  readonly id: string
  readonly name: string
  /** As `ReadEnd.account`. */
  readonly account: string
  /** Rows of its log. */
  readonly rows: number
}

export function openSession(account: AccountContext<Profile>): Session {
  const media = openMediaServer(account)
  return {
    account,
    api: openJellystat(account),
    media,
    serverId: createMemo({
      load: async (signal) => (await media.json({ path: 'System/Info/Public', signal }, ServerInfo)).Id,
      ttlMs: KNOWN_MS,
      now: Date.now,
    }),
  }
}

/**
 * All users. Throws `PLH_UPSTREAM_INVALID` for an empty list, which Jellystat also answers when its database fails: the server that it
 * watches has at least one.
 */
export async function usersOf(api: UpstreamAccount, signal?: AbortSignal): Promise<readonly UserRow[]> {
  const users = await api.json({ path: 'stats/getAllUserActivity', ...(signal === undefined ? {} : { signal }) }, Users)
  if (users.length > 0) return users
  throw new PlayheadError(
    'PLH_UPSTREAM_INVALID',
    'Jellystat answers without users: it is not set up, or its database fails.',
  )
}

/** Throws `PLH_AUTH_FAILED` (409 `user_gone`) if Jellystat does not have the user any more. */
export async function me(session: Session, signal: AbortSignal): Promise<Me> {
  const { user_id: id, user } = session.account.profile
  const found = (await usersOf(session.api, signal)).find(({ UserId }) => UserId === id)
  if (found === undefined)
    throw new PlayheadError('PLH_AUTH_FAILED', `Jellystat has no user ${user} any more. Nothing is read.`, {
      wire: 'user_gone',
      status: 409,
      details: { reason: 'user_gone' },
    })
  return {
    id,
    name: nameOf(found),
    account: accountOf(await session.serverId.get(signal), id),
    rows: countOf(found.TotalPlays) ?? 0,
  }
}

export const nameOf = ({ UserName, UserId }: UserRow): string => textOf(UserName) ?? UserId

export const accountOf = (serverId: string, userId: string): string => `${serverId}/${userId}`

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  session.serverId.drop()
  const { id, name, account } = await me(session, signal)
  // The key of the media server is asked for, too.
  await session.media.json({ path: 'Items', query: { Limit: 0 }, signal }, ServerItems)
  return { status: 'ok', account, user: { id, name } }
}
