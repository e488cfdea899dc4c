// A signed-in user: which installation and which person answers, and the lists of the person.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, type AccountHealth, createMemo, type Memo } from '@playhead/sdk/provider'
import { openApi } from './api.ts'
import type { Profile } from './settings.ts'
import { PLEX_USER, PublicSettings, User } from './wire.ts'

const KNOWN_MS = 10 * 60_000
const KEY_LENGTH = 24

/** The user that answered, checked against the one of the sign-in. */
export interface Me {
  readonly id: number
  readonly name: string
  /** As `ReadEnd.account`. */
  readonly account: string
  /** Seerr keeps a watchlist for the user. That of a user of Plex is Plex's, and Overseerr keeps none. */
  readonly hasList: boolean
}

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  readonly server: Memo<PublicSettings>
  /**
   * Asks who answers. Throws `PLH_AUTH_FAILED` (409 `user_changed`) if it is another user than at the sign-in: a proxy may drop
   * the header that names the user, and a number may go to another person when Seerr is set up again.
   */
  me(signal?: AbortSignal): Promise<Me>
}

export function openSession(account: AccountContext<Profile>): Session {
  const api = openApi(account, 'user')
  const server = createMemo({
    load: (signal) => api.json({ path: 'settings/public', signal }, PublicSettings),
    ttlMs: KNOWN_MS,
    now: Date.now,
  })
  return {
    account,
    api,
    server,
    async me(signal) {
      const user = await api.json({ path: 'auth/me', ...(signal === undefined ? {} : { signal }) }, User)
      const { user_id: id, user_created: created, server: address } = account.profile
      if (user.id !== id || (created !== '' && createdOf(user) !== created))
        throw new PlayheadError(
          'PLH_AUTH_FAILED',
          'Seerr answered as another user than the one that was chosen. Nothing is read or written. Sign in again.',
          { wire: 'user_changed', status: 409, details: { reason: 'user_changed' } },
        )
      const settings = await server.get(signal)
      return {
        id,
        name: nameOf(user),
        account: accountOf(settings, address, id),
        hasList: user.userType !== PLEX_USER && settings.mediaServerType !== undefined,
      }
    },
  }
}

export function nameOf({ displayName, username, id }: User): string {
  return textOf(displayName) ?? textOf(username) ?? `${id}`
}

export function createdOf({ createdAt }: User): string {
  return (textOf(createdAt) ?? '').slice(0, 64)
}

/** The installation and the user. The public key survives a new address. */
export function accountOf({ vapidPublic }: PublicSettings, address: string, id: number): string {
  const key = textOf(vapidPublic)?.slice(0, KEY_LENGTH) ?? new URL(address).host
  return `${key}/${id}`
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  session.server.drop()
  const { id, name, account } = await session.me(signal)
  return { status: 'ok', account, user: { id: String(id), name } }
}
