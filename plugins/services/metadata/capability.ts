// The capability for other plugins: title suggestions for people, and identities proven by ids.
import { defined, type Metadata, PlayheadError, type WorkDetails, type WorkIds } from '@playhead/sdk'
import { normaliseId } from '@playhead/sdk/items'
import { chooseArt } from './art/art.ts'
import { dateOf } from './episodes.ts'
import { localeOf } from './settings.ts'
import type { Parts } from './parts.ts'
import { identify, namespaceOf } from './resolve.ts'
import { summaryOf } from './search.ts'

const KINDS = [
  ['movie', 'movie'],
  ['tv', 'show'],
] as const
const MAX_RESULTS = 20
const MAX_WORKS = 100

export function createMetadata({ library, settings, artFiles }: Parts): Metadata {
  const own = () => settings.get().metadata.locale
  const isReady = () => settings.get().metaA.api_key !== ''

  function find({ type, ids }: WorkIds, locale: string) {
    // Without a key, cached records are not used either, so that results do not depend on the cache.
    if (!isReady()) {
      throw new PlayheadError('PLH_NOT_READY', 'The TMDB API key is missing. Enter it in the settings.', {
        wire: 'metadata_key_missing',
        status: 400,
      })
    }
    const known = Object.fromEntries(
      (['tmdb', 'imdb', 'tvdb'] as const).flatMap((scheme) => {
        const id = normaliseId(scheme, ids[scheme])
        return id === undefined ? [] : [[scheme, id]]
      }),
    )
    return identify(library, { namespace: type === 'movie' ? 'movie' : 'tv', ids: known, locale })
  }

  async function cached<Value>(
    works: Parameters<Metadata['cachedLengths']>[0],
    read: (namespace: 'movie' | 'tv', ids: readonly string[], locale: string) => Promise<ReadonlyMap<string, Value>>,
  ): Promise<Record<string, Value>> {
    const found: Record<string, Value> = {}
    for (const type of ['movie', 'show'] as const) {
      const ids = works
        .slice(0, MAX_WORKS)
        .flatMap((work) => (work.type === type ? (normaliseId('tmdb', work.tmdb) ?? []) : []))
      for (const [id, value] of await read(type === 'movie' ? 'movie' : 'tv', ids, localeOf(own())))
        found[`${type}/${id}`] = value
    }
    return found
  }

  return {
    ready: isReady,
    async search(query, { type, year, limit = 10 } = {}) {
      const kind = type === undefined ? 'multi' : (namespaceOf(type) ?? 'movie')
      const found = await library.search(kind, { title: query, locale: localeOf(own()), ...defined({ year }) })
      return found.slice(0, Math.min(limit, MAX_RESULTS)).map(summaryOf)
    },
    cachedLengths: (works) => cached(works, library.cachedRuntimes),
    cachedGenres: (works) => cached(works, library.cachedGenres),
    async *cachedReleases() {
      for (const [namespace, type] of KINDS)
        for await (const page of library.cachedReleases(namespace))
          yield Object.fromEntries(
            [...page].flatMap(([id, given]) => {
              const date = dateOf(given)
              return date === null ? [] : [[`${type} ${id}`, date]]
            }),
          )
    },
    async *cachedIds() {
      for (const [namespace, type] of KINDS)
        for await (const page of library.cachedIds(namespace))
          yield Object.fromEntries([...page].map(([id, ids]) => [`${type} ${id}`, ids]))
    },
    identify: async (work) => (await find(work, localeOf(own())))?.ids,
    async details(work, { locale } = {}) {
      const record = await find(work, localeOf(locale, localeOf(own())))
      if (record === undefined) return undefined
      const { ids, title, year, overview, tagline, genres, runtime_minutes: runtimeMinutes, score, detail } = record
      const lastAired = (detail['last_episode_to_air'] ?? null) as WorkDetails['lastAired']
      const released = dateOf(detail[work.type === 'movie' ? 'release_date' : 'first_air_date'])
      return {
        type: work.type,
        ids,
        title,
        year,
        overview,
        tagline,
        genres,
        runtimeMinutes,
        score,
        lastAired,
        released,
      }
    },
    async picture({ type, ids, art, width }) {
      if (!isReady()) return null
      const id = normaliseId('tmdb', ids.tmdb) ?? (await find({ type, ids }, localeOf(own())))?.ids.tmdb
      if (id === undefined) return null
      const namespace = type === 'movie' ? 'movie' : 'tv'
      const chosen = await chooseArt(library, { namespace, id, kind: art, width, locale: localeOf(own()) })
      return chosen === undefined ? null : artFiles.get(chosen.folder, chosen.name, chosen.source)
    },
    async episodes(ids, { season, locale } = {}) {
      const language = localeOf(locale, localeOf(own()))
      const show = (await find({ type: 'show', ids }, language))?.ids.tmdb
      return show === undefined ? undefined : library.episodes(show, season, language)
    },
  }
}
