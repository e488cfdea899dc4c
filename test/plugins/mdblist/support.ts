// Shared by the tests of the MDBList plugin: the plugin in a host, signed in at a stand-in.
import type { Item, ProviderKit } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/mdblist/provider.ts'
import type { Session } from '../../../plugins/providers/mdblist/session.ts'
import type { Profile } from '../../../plugins/providers/mdblist/settings.ts'
import { type Mdblist, type MdblistOptions, startMdblist } from '../../upstreams/mdblist.ts'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'
import { sinceLast, type Talk, talkTo, UNUSED, withKit, shippedManifest } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export interface Bench extends Talk, AsyncDisposable {
  readonly mdblist: Mdblist
  readonly host: TestHost
  readonly kit: ProviderKit<Profile, Session>
  /** Number of requests since the last call. */
  asked(): number
}

export interface BenchOptions extends MdblistOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: with a key. */
  readonly by?: 'key' | 'tokens' | 'nothing'
  /** The plugin ships with the stand-in's application. */
  readonly ships?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
}

export async function startBench({
  settings = {},
  by = 'key',
  ships,
  capabilities = UNUSED,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  // Its last change is a while ago, as in practice.
  const mdblist = await startMdblist({ nowMs: () => Date.now() - 60_000, ...options })
  const { plugin, kit } = withKit(definition)
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('mdblist', ships === true ? mdblist.clientId : undefined),
    capabilities,
    config: {
      api_url: mdblist.url,
      client_id: mdblist.clientId,
      max_retries: 0,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
      ...(by === 'key' ? { api_key: mdblist.user.apiKey } : by === 'tokens' ? tokensOf(mdblist) : {}),
      ...settings,
    },
  })
  const since = sinceLast(mdblist)

  return {
    mdblist,
    host,
    ...talkTo(host, 'LISTA'),
    get kit() {
      return kit()
    },
    asked: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await mdblist.close()
    },
  }
}

export function tokensOf(mdblist: Mdblist, username?: string): Partial<Profile> {
  const { access_token, refresh_token, expires_in } = mdblist.signIn(username)
  return {
    auth_method: 'device_code',
    access_token,
    refresh_token,
    expires_at: Math.floor(Date.now() / 1_000) + expires_in,
  }
}

/** An entry of the stand-in as an item of another provider. */
export function itemOf(entry: Entry, more: Partial<Item> = {}): Item {
  const wired = (ids: {
    readonly imdb?: string | null
    readonly tmdb?: number | null
    readonly tvdb?: number | null
  }) => ({ ...(ids.imdb == null ? {} : { imdb: ids.imdb }), ...(ids.tmdb == null ? {} : { tmdb: String(ids.tmdb) }) })
  switch (entry.type) {
    case 'movie':
      return { type: 'movie', ids: wired(entry.movie.ids), ...more }
    case 'show':
      return { type: 'show', ids: wired(entry.show.ids), ...more }
    case 'season':
      return { type: 'season', ids: {}, show_ids: wired(entry.show.ids), season: entry.season.number, ...more }
    case 'episode': {
      const { season, number } = entry.episode
      return { type: 'episode', ids: {}, show_ids: wired(entry.show.ids), season, episode: number, ...more }
    }
  }
}

export const NOBODY: Item = { type: 'movie', ids: { imdb: 'tt1', tmdb: '1' } }
