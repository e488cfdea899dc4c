// Shared by the tests of the MDBList plugin: the plugin in a host, signed in at a stand-in.
import type { Item } from '@playhead/sdk'
import { definition } from '../../../plugins/providers/mdblist/index.ts'
import { mdblistSettings, mdblistTokens } from '../../stands/mdblist.ts'
import { MINUTE_BEHIND } from '../../stands/stand.ts'
import { type MdblistOptions, startMdblist } from '../../upstreams/mdblist.ts'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'
import { type HostOptions, openBench, shippedManifest, UNUSED, withKit } from '../provider-bench.ts'

export { mdblistTokens as tokensOf } from '../../stands/mdblist.ts'
export { codeOf } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export interface BenchOptions extends MdblistOptions, HostOptions {
  /** Default: with a key. */
  readonly by?: 'key' | 'tokens' | 'nothing'
  /** The plugin ships with the stand-in's application. */
  readonly ships?: boolean
}

export async function startBench({
  settings = {},
  by = 'key',
  ships = false,
  capabilities = UNUSED,
  clock,
  ...options
}: BenchOptions = {}) {
  // Its last change is a while ago, as in practice.
  const mdblist = await startMdblist({ nowMs: MINUTE_BEHIND, ...options })
  const { plugin, kit } = withKit(definition)
  const manifest = shippedManifest('mdblist', ships ? mdblist.clientId : undefined)
  const config = {
    ...mdblistSettings(mdblist),
    max_retries: 0,
    ...(by === 'key' ? { api_key: mdblist.user.apiKey } : by === 'tokens' ? mdblistTokens(mdblist) : {}),
  }
  return {
    ...(await openBench(mdblist, 'LISTA', { plugin, manifest }, config, { settings, capabilities, clock })),
    mdblist,
    get kit() {
      return kit()
    },
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
