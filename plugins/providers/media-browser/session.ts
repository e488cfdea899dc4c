// An open session of a profile: client, identity, shows, and library index.
import {
  type AccountContext,
  type AccountOptions,
  type createTurns,
  defined,
  type KeyedCache,
  type KeyValueStore,
  type Limiter,
  type Logger,
  type UpstreamAccount,
  type UpstreamSocket,
} from '@playhead/sdk'
import type { Device, Dialect } from './dialect.ts'
import type { Series } from './items.ts'
import { type MediaBrowserProfile, tokenOf } from './settings.ts'
import type { Row } from './wire.ts'
import type { Library } from './library-contract.ts'

export interface Identity {
  /** `<server>/<user>`; a changed value means another account. */
  readonly account: string
  readonly userId: string
  readonly userName: string
  readonly serverId: string
  /** The token can read the sessions and the user data of all users. */
  readonly seesOthers: boolean
}

export interface Session {
  readonly dialect: Dialect
  readonly profile: Readonly<MediaBrowserProfile>
  /** Acts as a user through another profile's sign-in, whose token names another user. */
  readonly actsAsUser: boolean
  readonly upstream: UpstreamAccount
  readonly store: KeyValueStore
  readonly log: Logger
  /** The user of the token, cached; `fresh` reads it again. */
  identity(fresh?: boolean, signal?: AbortSignal): Promise<Identity>
  /** Shows by server id. Read again when older than a minute, or when one of `needed` is missing. */
  series(needed: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, Series>>
  /** Single items by server id, with external ids; cached. */
  readonly facts: KeyedCache<Row>
  /** Single items by server id, with the paths of their files; cached. */
  readonly files: KeyedCache<Row>
  /** Ids of the libraries that contain an item; cached. */
  readonly librariesOf: KeyedCache<readonly string[]>
  /** Opens the server's WebSocket. */
  socket(signal: AbortSignal): Promise<UpstreamSocket>
  /** The libraries that the user cannot see (any more). */
  missingLibraries(libraries: readonly string[]): Promise<readonly string[]>
  /** The index of these libraries, or of all visible ones. */
  library(libraries?: readonly string[]): Library
  /** The index of the films and shows of all visible libraries, without episodes. */
  readonly titles: Library
  /** Of batches of writes that overlap. */
  readonly turns: {
    /** For their requests. */
    readonly writes: Limiter
    /** For their stored requests to write files of several episodes. */
    readonly shared: ReturnType<typeof createTurns>
  }
}

/**
 * Concurrent requests. The products have no batch writes for user data, so this determines the speed of a first run.
 */
export const CONCURRENCY = 8
/** The connection with the credentials of the profile. */
export function connection(
  account: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
): Omit<AccountOptions, 'account'> {
  const { profile } = account
  const { headers, place } = dialect.access(deviceOf(account, profile.device_id || account.name))
  return {
    ...reach(profile, profile.server),
    ...defined({ headers }),
    limits: { concurrency: CONCURRENCY },
    credential: { secrets: () => ({ token: tokenOf(account.current()) }), place },
  }
}

/** Address and timeouts, without credentials. */
export function reach(
  profile: Readonly<MediaBrowserProfile>,
  server: string,
): Pick<AccountOptions, 'baseUrl' | 'timeoutMs' | 'tries' | 'verifyTls'> {
  return {
    baseUrl: server,
    timeoutMs: profile.timeout * 1_000,
    tries: profile.max_retries + 1,
    verifyTls: profile.verify_ssl,
  }
}

export function deviceOf({ ctx }: AccountContext<MediaBrowserProfile>, id: string): Device {
  return { id, version: ctx.host.version }
}

/** The user is named in requests, because the token does not name it. */
export function isById({ profile, actsAsUser }: Pick<Session, 'profile' | 'actsAsUser'>): boolean {
  return profile.access_token === '' || actsAsUser
}

/** Ids are the same with and without dashes. */
export function plain(id: string): string {
  return id.replaceAll('-', '').toLowerCase()
}
