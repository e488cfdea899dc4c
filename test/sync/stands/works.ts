// The works of the shared catalogue, with names such as `movie/3`, `show/1`, `episode/1/2/4` (show, season, number).
import { type CatalogueIds, movieCatalogue, showCatalogue } from '../../upstreams/base/index.ts'
import type { Names } from './contract.ts'

export type WorkName = string

export const MOVIES = 28
export const SHOWS = 12
export const SIZE = { movies: MOVIES, shows: SHOWS } as const
const FIRST_TMDB = 900_000

const shows = showCatalogue(1, SHOWS)
let movies = movieCatalogue(1, MOVIES)

function movieAt(index: number) {
  // The first works of a longer catalogue equal those of a shorter one.
  if (index >= movies.length) movies = movieCatalogue(1, index * 2)
  return movies[index]!
}

export interface WorkParts {
  readonly kind: 'movie' | 'show' | 'episode'
  /** Index of the movie or show in the catalogue. */
  readonly index: number
  readonly season: number
  readonly number: number
  readonly title: string
  readonly year: number
  /** Ids of the movie or show. */
  readonly ids: CatalogueIds
  readonly runtimeMs: number
}

export function partsOf(name: WorkName): WorkParts {
  const [kind = '', index = '', season = '0', number = '0'] = name.split('/')
  if (kind === 'movie') {
    const { title, year, ids, runtimeMs } = movieAt(Number(index))
    return { kind, index: Number(index), season: 0, number: 0, title, year, ids, runtimeMs }
  }
  const { title, year, ids, episodes } = shows[Number(index)]!
  return {
    kind: kind as 'show' | 'episode',
    index: Number(index),
    season: Number(season),
    number: Number(number),
    title,
    year,
    ids,
    runtimeMs: episodes[0]!.runtimeMs,
  }
}

/** By TMDB number; both kinds are numbered from the same start. */
export const movieName = (tmdb: unknown): WorkName => `movie/${Number(tmdb) - FIRST_TMDB}`
export const showName = (tmdb: unknown): WorkName => `show/${Number(tmdb) - FIRST_TMDB}`
export const episodeName = (showTmdb: unknown, season: unknown, number: unknown): WorkName =>
  `episode/${Number(showTmdb) - FIRST_TMDB}/${Number(season)}/${Number(number)}`

/** The ids of these schemes that the catalogue has for the movie or show. */
export function catalogueNames(name: WorkName, schemes: readonly (keyof CatalogueIds)[]): Names {
  const { ids } = partsOf(name)
  return Object.fromEntries(
    schemes.flatMap((scheme) => (ids[scheme] === undefined ? [] : [[scheme, String(ids[scheme])]])),
  )
}
