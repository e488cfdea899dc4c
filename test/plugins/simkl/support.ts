// Shared by the tests of the SIMKL plugin: the plugin in a host, signed in at a stand-in.
import type { Item, ProviderKit } from '@playhead/sdk'
import {
  createTestAccounts,
  createTestHost,
  type TestAccounts,
  type TestClock,
  type TestHost,
} from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/simkl/provider.ts'
import type { Session } from '../../../plugins/providers/simkl/session.ts'
import type { Profile } from '../../../plugins/providers/simkl/settings.ts'
import { type Simkl, type SimklOptions, startSimkl, type Work } from '../../upstreams/simkl.ts'
import { sinceLast, type Talk, talkTo, withKit, shippedManifest } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export interface Bench extends Talk, AsyncDisposable {
  readonly simkl: Simkl
  readonly host: TestHost
  readonly accounts: TestAccounts
  readonly kit: ProviderKit<Profile, Session>
  post(path: string, payload?: object): ReturnType<Talk['call']>
  /** Advances time, so that later events have a later time and data is requested again. */
  later(): void
  /** Method and path of the requests since the last call. */
  asked(): string[]
}

export interface BenchOptions extends SimklOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  /** The plugin ships with the stand-in's application. */
  readonly ships?: boolean
  readonly clock?: TestClock
}

export const FREE_OF_LIMITS = { get_per_sec: 0, post_per_sec: 0 }
/** Change times are in seconds, so only older changes are certain. */
const BEHIND_MS = 60_000

export async function startBench({
  settings = {},
  signedIn = true,
  ships,
  clock,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const simkl = await startSimkl({ limits: false, nowMs: () => Date.now() - BEHIND_MS, ...options })
  const accounts = createTestAccounts()
  const { plugin, kit } = withKit(definition)
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('simkl', ships === true ? simkl.clientId : undefined),
    capabilities: { accounts },
    ...(clock === undefined ? {} : { clock }),
    config: {
      api_url: simkl.url,
      client_id: simkl.clientId,
      client_secret: simkl.clientSecret,
      rate_limit: FREE_OF_LIMITS,
      ...(signedIn ? simkl.credentials() : {}),
      ...settings,
    },
  })
  const talk = talkTo(host, 'TRACKB')
  const since = sinceLast(simkl)

  return {
    simkl,
    host,
    accounts,
    ...talk,
    get kit() {
      return kit()
    },
    post: (path, payload) => talk.call('POST', path, payload),
    later() {
      simkl.advance(2_000)
      kit().session('default').activities.drop()
    },
    asked: () => since().map(({ method, path }) => `${method} ${path}`),
    async [Symbol.asyncDispose]() {
      await host.close()
      await simkl.close()
    },
  }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  const { mal: _mal, anidb: _anidb, ...ids } = work.ids
  const isFilm = work.part === 'movies' || work.animeType === 'movie'
  return { type: isFilm ? 'movie' : 'show', ids: ids as Item['ids'], ...more }
}

/** An episode identified by its show and its numbers. */
export function episodeOf(work: Work, season: number, episode: number, more: Partial<Item> = {}): Item {
  return { type: 'episode', ids: {}, show_ids: itemOf(work).ids, season, episode, ...more }
}
