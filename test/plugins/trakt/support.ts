// Shared by the tests of the Trakt plugin: the plugin in a host, signed in at a stand-in.
import type { Item } from '@playhead/sdk'
import { definition } from '../../../plugins/providers/trakt/index.ts'
import { traktSettings, traktTokens } from '../../stands/trakt.ts'
import { startTrakt, type Trakt, type TraktOptions } from '../../upstreams/trakt.ts'
import { openBench, type SignInOptions, shippedManifest, withKit } from '../provider-bench.ts'

export { traktTokens as tokensOf } from '../../stands/trakt.ts'
export { codeOf } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({
  settings = {},
  signedIn = true,
  ships = false,
  capabilities = {},
  clock,
  ...options
}: TraktOptions & SignInOptions = {}) {
  const trakt = await startTrakt({ rateLimits: false, ...options })
  const { plugin, kit } = withKit(definition)
  const manifest = shippedManifest('trakt', ships ? trakt.clientId : undefined)
  const config = { ...traktSettings(trakt), ...(signedIn ? traktTokens(trakt) : {}) }
  const bench = await openBench(trakt, 'TRACKA', { plugin, manifest }, config, { settings, capabilities, clock })
  return {
    ...bench,
    trakt,
    get kit() {
      return kit()
    },
    /** Requests since the last call. */
    asked() {
      const requests = bench.since()
      const reads = requests.filter(({ method }) => method === 'GET').length
      return { reads, writes: requests.length - reads }
    },
  }
}

/** A movie of the stand-in as another provider would name it. */
export function movieItem(trakt: Trakt, index: number, more: Partial<Item> = {}): Item {
  const { imdb, tmdb } = trakt.catalogue.movies[index]?.ids ?? {}
  return {
    type: 'movie',
    ids: { ...(imdb == null ? {} : { imdb }), ...(tmdb == null ? {} : { tmdb: String(tmdb) }) },
    ...more,
  }
}

/** An episode identified by its show and its numbers. */
export function episodeItem(
  trakt: Trakt,
  show: number,
  season: number,
  episode: number,
  more: Partial<Item> = {},
): Item {
  return {
    type: 'episode',
    ids: {},
    show_ids: { tmdb: String(trakt.catalogue.shows[show]?.ids.tmdb) },
    season,
    episode,
    ...more,
  }
}
