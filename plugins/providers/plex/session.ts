// An open session of a profile: user, cloud and media server, resolved lazily and cached.
import { defined, isPlayheadError, isRecent, PlayheadError, untilAborted, type UpstreamAccount } from '@playhead/sdk'
import { createKeyedCache, type KeyedCache } from '@playhead/sdk/provider'
import { bind, type Binding, bindTo } from './sign-in/binding.ts'
import { type Cloud, createCloud } from './cloud.ts'
import { readDetails } from './read/pages.ts'
import { createFindUser, type FindUser } from './playback/known-user.ts'
import { createLibraryIndex, type LibraryIndex } from './library/catalogue.ts'
import { findPerson, type Person } from './sign-in/person.ts'
import { openConnection, type PlexAccount } from './upstream.ts'
import { type Metadata, Sections } from './wire.ts'

export interface Section {
  readonly key: string
  readonly title: string
  readonly type: string
}

export interface Server {
  readonly http: UpstreamAccount
  readonly binding: Binding
  /** The play log shows all users to the owner. */
  readonly isOwner: boolean
  /** `<machine>/<user>` */
  readonly account: string
  sections(signal?: AbortSignal): Promise<readonly Section[]>
  readonly index: LibraryIndex
  /** Single items by key, with all ids; cached. */
  readonly details: KeyedCache<Metadata>
  readonly socketHealth: SocketHealth
  /** Last plays from the log by item, valid until the number of views changes. */
  readonly lastPlays: Map<string, { readonly views: number; readonly at: number | undefined }>
}

export interface Session {
  readonly account: PlexAccount
  /** The cloud as the account that signed in. */
  readonly cloud: Cloud
  person(signal?: AbortSignal): Promise<Person>
  server(signal?: AbortSignal): Promise<Server>
  /** Used to attribute playback to users. */
  readonly user: FindUser
  /** A server at another address, with the account's token for it. */
  serverAt(url: string, options: { readonly verifyTls?: boolean | undefined }, signal?: AbortSignal): Promise<Server>
  /** Account id: the media server, if known, and the user. */
  identity(signal?: AbortSignal): Promise<string>
}

/** How long a failed switch to a home user is not repeated. */
const REFUSED_FOR_MS = 300_000

export function openSession(account: PlexAccount): Session {
  const cloud = createCloud(account, { token: () => account.current().account_token || undefined })
  let refused: { readonly error: unknown; readonly atMs: number } | undefined
  const person = once(async (signal) => {
    // A wrong PIN stays wrong until the settings change, and Plex limits attempts.
    if (refused !== undefined && isRecent(refused.atMs, Date.now(), REFUSED_FOR_MS)) throw refused.error
    try {
      return await findPerson(account, cloud, signal)
    } catch (error) {
      if (isPlayheadError(error, 'PLH_FORBIDDEN')) refused = { error, atMs: Date.now() }
      throw error
    }
  })
  const server = once(async (signal) => {
    const who = await person(signal)
    return openServer(who, await bind(account, who, signal))
  })

  function openServer(
    who: Person,
    binding: Binding,
    { name = 'server', verifyTls = account.profile.verify_ssl } = {},
  ): Server {
    let { token } = binding
    // A rejected token is renewed once. If the token stays the same, the rejection has a different cause.
    const refresh = async (signal: AbortSignal) => {
      await who.renew?.(signal)
      const found = (await who.cloud.servers(signal)).find(
        ({ clientIdentifier }) => clientIdentifier === binding.machineId,
      )?.accessToken
      if (!found || found === token) {
        throw new PlayheadError('PLH_AUTH_FAILED', `${account.name}: the media server refuses the account's token.`)
      }
      token = found
      if (who.isSelf && name === 'server') await account.save({ pms_token: found })
    }
    const http = openConnection(account, {
      name,
      baseUrl: binding.url,
      token: () => token,
      refresh,
      verifyTls,
      concurrency: 8,
      // A media server rejects a token with an HTML page.
      ownPages: [401, 403, 503],
    })
    const identity = `${binding.machineId}/${who.id}`
    const sections = async (signal?: AbortSignal) => {
      const { MediaContainer } = await http.json({ path: '/library/sections', signal }, Sections)
      return (MediaContainer.Directory ?? []).map(({ key, title, type = 'lib' }) => ({ key: String(key), title, type }))
    }
    return {
      http,
      binding,
      account: identity,
      sections,
      isOwner: binding.owned && who.isSelf,
      socketHealth: { short: 0 },
      lastPlays: new Map(),
      details: createKeyedCache({ load: (keys, signal) => readDetails(http, keys, signal) }),
      index: createLibraryIndex({ db: account.ctx.db, account: identity, http }),
    }
  }

  return {
    account,
    cloud,
    person,
    server,
    user: createFindUser(account, person),
    async serverAt(url, { verifyTls }, signal) {
      const who = await person(signal)
      return openServer(who, await bindTo(account, who, url, signal, verifyTls), {
        name: 'trial',
        ...defined({ verifyTls }),
      })
    },
    async identity(signal) {
      const who = await person(signal)
      if (account.current().machine_id !== '') return `${account.current().machine_id}/${who.id}`
      try {
        return (await server(signal)).account
      } catch (error) {
        // An account without a server still has a watchlist.
        if (isPlayheadError(error, 'PLH_NOT_READY') && error.details?.['servers'] === 0) return `cloud/${who.id}`
        throw error
      }
    },
  }
}

/** Shares one run between callers; failures are not cached. */
function once<T>(work: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let running: Promise<T> | undefined
  return async (signal) => {
    const mine = (running ??= work())
    try {
      // The shared work continues when one caller leaves.
      return await (signal === undefined ? mine : untilAborted(mine, signal))
    } catch (error) {
      if (running === mine && signal?.aborted !== true) running = undefined
      throw error
    }
  }
}

/** Kept between watches: the number of consecutive sockets that were lost at once. */
export interface SocketHealth {
  short: number
}
