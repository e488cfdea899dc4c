// The films and shows of the TMDB stand-in: those of the shared catalogue that have a TMDB id.
import { type CatalogueEpisode, type CatalogueShow, movieCatalogue, showCatalogue } from '../base/index.ts'

export type Namespace = 'movie' | 'tv'

export interface Episode {
  readonly id: number
  readonly season: number
  readonly number: number
  readonly title: string
  /** null: the date is unknown. */
  readonly airedAtMs: number | null
  readonly imdb: string | null
  readonly tvdb: number | null
}

export interface Work {
  readonly namespace: Namespace
  readonly id: number
  readonly title: string
  readonly year: number
  readonly releasedAtMs: number
  readonly runtimeMinutes: number
  readonly imdb: string | null
  readonly tvdb: number | null
  readonly votes: number
  readonly average: number
  /** Empty for films. */
  readonly episodes: readonly Episode[]
  /** False: there are no images yet. */
  readonly hasImages: boolean
}

export interface Works {
  readonly movies: readonly Work[]
  readonly shows: readonly Work[]
  get(namespace: Namespace, id: number): Work | undefined
  all(): readonly Work[]
}

const MINUTE_MS = 60_000

/** The first works of the seed. Films and shows are numbered separately, so both can have the same number. */
export function seededWorks(
  seed: number,
  movieCount: number,
  showCount: number,
  more: readonly CatalogueShow[] = [],
): Works {
  const movies = movieCatalogue(seed, movieCount).flatMap(({ ids, ...movie }, index) =>
    ids.tmdb === undefined
      ? []
      : [workOf('movie', movie, { ...ids, tmdb: ids.tmdb }, index, movie.runtimeMs / MINUTE_MS, [])],
  )
  const shows = [...showCatalogue(seed, showCount), ...more].flatMap(({ ids, episodes, ...show }, index) => {
    if (ids.tmdb === undefined) return []
    const own = episodes.map((episode, number) => episodeOf(episode, ids.tmdb as number, number))
    return [workOf('tv', show, { ...ids, tmdb: ids.tmdb }, index, (episodes[0]?.runtimeMs ?? 0) / MINUTE_MS, own)]
  })
  const byKey = new Map([...movies, ...shows].map((work) => [`${work.namespace}/${work.id}`, work]))
  return { movies, shows, get: (namespace, id) => byKey.get(`${namespace}/${id}`), all: () => [...byKey.values()] }
}

interface Named {
  readonly title: string
  readonly year: number
  readonly premieredAtMs: number
}
interface Numbered {
  readonly tmdb: number
  readonly imdb?: string
  readonly tvdb?: number
}

function workOf(
  namespace: Namespace,
  { title, year, premieredAtMs }: Named,
  ids: Numbered,
  index: number,
  runtimeMinutes: number,
  episodes: readonly Episode[],
): Work {
  return {
    namespace,
    id: ids.tmdb,
    title,
    year,
    releasedAtMs: premieredAtMs,
    runtimeMinutes,
    imdb: ids.imdb ?? null,
    tvdb: ids.tvdb ?? null,
    votes: 100 + index,
    average: 5 + (index % 40) / 10,
    // Every thirteenth has no image.
    episodes,
    hasImages: index % 13 !== 12,
  }
}

function episodeOf({ season, number, title, airedAtMs, ids }: CatalogueEpisode, show: number, index: number): Episode {
  // TMDB has an id for every known episode, even if other services do not have its number.
  return {
    id: ids.tmdb ?? show * 1_000 + index,
    season,
    number,
    title,
    airedAtMs,
    imdb: ids.imdb ?? null,
    tvdb: ids.tvdb ?? null,
  }
}
