// TMDB through the cache: works by id, ids by external id, works by title.
import type { Ids, WorkEpisode } from '@playhead/sdk'
import type { Api, Namespace } from './api.ts'
import type { Cache } from './cache.ts'
import { readEpisodes } from './episodes.ts'
import { type MetaRecord, pathOf, recordOf } from './record.ts'
import { languageOf } from './settings.ts'
import { nearYear, sameTitle, yearOf } from './titles.ts'
import { Details, Episode, type Found, FindAnswer, SearchAnswer } from './wire.ts'

export interface Library {
  record(namespace: Namespace, id: string, locale: string): Promise<MetaRecord | undefined>
  /** Runtimes in minutes of cached works, by id. */
  cachedRuntimes(namespace: Namespace, ids: readonly string[], locale: string): Promise<ReadonlyMap<string, number>>
  /** Genres of cached works, by id. */
  cachedGenres(
    namespace: Namespace,
    ids: readonly string[],
    locale: string,
  ): Promise<ReadonlyMap<string, readonly string[]>>
  /** Release dates of cached works, by id, in pages. */
  cachedReleases(namespace: Namespace): AsyncIterable<ReadonlyMap<string, unknown>>
  /** All ids of cached works, by id, in pages. */
  cachedIds(namespace: Namespace): AsyncIterable<ReadonlyMap<string, Ids>>
  /** Ids of all works with the external id. */
  find(
    scheme: 'imdb' | 'tvdb',
    id: string,
  ): Promise<{ readonly movie: readonly string[]; readonly tv: readonly string[] }>
  /** Not cached. */
  search(
    kind: Namespace | 'multi',
    query: SearchQuery,
    signal?: AbortSignal,
  ): Promise<readonly (Found & { readonly namespace: Namespace })[]>
  /** Whether a title search finds the work with this id and title. */
  isNamed(namespace: Namespace, id: string, query: SearchQuery): Promise<boolean>
  /** Path of the still image of an episode. */
  still(show: string, season: number, episode: number): Promise<string | undefined>
  /** Not cached. Undefined if the show or the season is unknown. */
  episodes(show: string, season: number | undefined, locale: string): Promise<readonly WorkEpisode[] | undefined>
}

interface SearchQuery {
  readonly title: string
  readonly year?: number
  readonly locale: string
}

const EXTRAS = {
  movie: 'external_ids,images,videos,release_dates,credits',
  tv: 'external_ids,images,videos,content_ratings,credits',
} as const

export function createLibrary(api: Api, cache: Cache): Library {
  async function search(kind: Namespace | 'multi', { title, year, locale }: SearchQuery, signal?: AbortSignal) {
    const byYear =
      year === undefined || kind === 'multi' ? {} : kind === 'movie' ? { year } : { first_air_date_year: year }
    const query = { query: title, language: locale, include_adult: false, ...byYear }
    const { results = [] } = (await api.get(`/search/${kind}`, query, SearchAnswer, signal)) ?? {}
    return results.flatMap((row) => {
      const namespace = kind === 'multi' ? row.media_type : kind
      return namespace === 'movie' || namespace === 'tv' ? [{ ...row, namespace } as const] : []
    })
  }

  // Loads are shared, so they end with the timeout of the connection and not with one caller.
  return {
    search,

    record: (namespace, id, locale) =>
      cache.through(`${namespace}/${id}/${locale}`, async () => {
        const language = languageOf(locale)
        const query = {
          language: locale,
          append_to_response: EXTRAS[namespace],
          include_image_language: [...new Set([language, 'en', 'null'])].join(','),
        }
        const row = await api.get(`/${namespace}/${id}`, query, Details)
        return row === undefined ? undefined : recordOf(namespace, row, locale)
      }),

    async cachedRuntimes(namespace, ids, locale) {
      const names = new Map(ids.map((id) => [`${namespace}/${id}/${locale}`, id]))
      const kept = await cache.peek([...names.keys()], 'runtime_minutes')
      return new Map(
        [...kept].flatMap(([name, minutes]) =>
          typeof minutes === 'number' ? [[names.get(name) as string, minutes]] : [],
        ),
      )
    },

    async cachedGenres(namespace, ids, locale) {
      const names = new Map(ids.map((id) => [`${namespace}/${id}/${locale}`, id]))
      const kept = await cache.peek([...names.keys()], 'genres')
      return new Map(
        [...kept].flatMap(([name, genres]) =>
          typeof genres === 'string' ? [[names.get(name) as string, JSON.parse(genres) as readonly string[]]] : [],
        ),
      )
    },

    async *cachedReleases(namespace) {
      const field = namespace === 'movie' ? 'detail.release_date' : 'detail.first_air_date'
      for await (const page of cache.peekAll(`${namespace}/`, field))
        yield new Map([...page].map(([name, date]) => [name.split('/')[1]!, date]))
    },

    async *cachedIds(namespace) {
      for await (const page of cache.peekAll(`${namespace}/`, 'ids'))
        yield new Map(
          [...page].flatMap(([name, ids]) =>
            typeof ids === 'string' ? [[name.split('/')[1]!, JSON.parse(ids) as Ids] as const] : [],
          ),
        )
    },

    async find(scheme, id) {
      const found = await cache.through(`find/${scheme}/${id}`, async () => {
        const answer = await api.get(`/find/${encodeURIComponent(id)}`, { external_source: `${scheme}_id` }, FindAnswer)
        const numbers = (rows: readonly Found[] | null | undefined) => (rows ?? []).map((row) => String(row.id))
        const [movie, tv] = [numbers(answer?.movie_results), numbers(answer?.tv_results)]
        return movie.length + tv.length === 0 ? undefined : { movie, tv }
      })
      return found ?? { movie: [], tv: [] }
    },

    async isNamed(namespace, id, { title, year, locale }) {
      const found = await cache.through(`named/${namespace}/${id}/${locale}/${year ?? ''}/${title}`, async () => ({
        // Without the year, because years of the service may differ by one.
        is: (await search(namespace, { title, locale })).some(
          (hit) =>
            String(hit.id) === id &&
            sameTitle(hit.title ?? hit.name ?? '', title, year) &&
            nearYear(yearOf(hit.release_date ?? hit.first_air_date), year),
        ),
      }))
      return found?.is === true
    },

    async still(show, season, episode) {
      const found = await cache.through(`still/${show}/${season}/${episode}`, async () => {
        const path = pathOf((await api.get(`/tv/${show}/season/${season}/episode/${episode}`, {}, Episode))?.still_path)
        return path === undefined ? undefined : { path }
      })
      return found?.path
    },

    episodes: (show, season, locale) => readEpisodes(api, show, season, locale),
  }
}
