// Trakt beside a service of anime entries, and the data that maps one to the other: films, a show of one entry, and a show whose
// seasons are entries.
import { startAnimeData } from '../upstreams/anime-data.ts'
import { expectOk, saveSettings, untilTrue } from '../demo/sign-in.ts'
import type { Service } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const FIRST_MAL = 50_001
const PLAYED_MS = Date.parse('2025-11-03T20:30:00Z')

export type AnimeWorld = Awaited<ReturnType<typeof startAnimeWorld>>

export async function startAnimeWorld() {
  const trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  const { movies, shows, find } = trakt.catalogue
  const named = shows.filter(({ ids }) => ids.tvdb != null)
  const airedOf = ({ seasons: all }: (typeof named)[number]) => all.filter(({ number }) => number > 0)
  const [whole, parted] = [1, 2].map((count) => named.find((show) => airedOf(show).length === count)!)
  const films = movies.filter(({ ids }) => ids.tmdb != null).slice(0, 4)
  const seasons = [whole!, parted!].flatMap((show) =>
    airedOf(show).map(({ number, episodes }) => ({ show, number, episodes })),
  )
  const malOf = (index: number) => FIRST_MAL + index
  const mappings = Object.fromEntries([
    ...films.map(({ ids }, index) => [`mal:${malOf(index)}`, { [`tmdb_movie:${ids.tmdb}`]: {} }]),
    ...seasons.map(({ show, number, episodes }, index) => [
      `tvdb_show:${show.ids.tvdb}:s${number}`,
      { [`mal:${malOf(films.length + index)}`]: { [`1-${episodes.length}`]: `1-${episodes.length}` } },
    ]),
  ])
  const data = await startAnimeData(
    { stats: { meta: { generated_on: '2026-07-01T03:00:00Z' } }, mappings },
    'v3',
    false,
  )

  return {
    trakt,
    films: films.map(({ ids }, index) => ({ entry: find('movie', ids)!, mal: malOf(index) })),
    /** The show of one entry, then the seasons of the other. */
    seasons: seasons.map(({ show, episodes }, index) => ({
      show: find('show', show.ids)!,
      episodes,
      mal: malOf(films.length + index),
      entries: episodes.map(({ ids }) => find('episode', ids)!),
    })),
    playedMs: PLAYED_MS,
    plays: () =>
      trakt.user.plays().map(({ key, watchedAtMs }) => [key, new Date(watchedAtMs).toISOString().slice(0, 10)]),
    planned: () => trakt.user.account.watchlist.map(({ entry }) => entry.key).sort(),
    /** Switches the mapping on for pairs with this service. */
    async map(service: Service, provider: string): Promise<void> {
      const { mappingsUrl: mappings_url, identitiesUrl: identities_url } = data
      await saveSettings(service, 'anime_mapping', { mappings_url, identities_url })
      await expectOk(service, '/api/anime-mapping/settings', { enabled: true, use_for_pairs: [provider] })
      const status = async () => (await service.json('/api/anime-mapping/status')).body
      await untilTrue('the data of the anime mapping', async () => (await status()).index_ready === true)
    },
    async pair(service: Service, provider: string): Promise<void> {
      const on = { enabled: true, add: true, remove: true }
      await expectOk(service, '/api/pairs', {
        ...{ source: provider, target: 'TRACKA', mode: 'two_way', enabled: true },
        features: {
          watchlist: on,
          history: { ...on, use_anime_mapping: true },
          ratings: { ...on, types: 'all', mode: 'all' },
        },
      })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([trakt.close(), data.close()])
    },
  }
}
