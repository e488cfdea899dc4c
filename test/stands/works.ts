// The works of the shared catalogue under names that say which one is meant: `movie/3`, `show/1`, `season/1/2`,
// `episode/1/2/4` (show, season, number).
import type { Item, ItemKind } from '@playhead/sdk'
import { type CatalogueIds, type CatalogueShow, movieCatalogue, showCatalogue } from '../upstreams/base/index.ts'

export type WorkName = string

/** The ids by which a service names a work, by scheme. */
export type Names = Readonly<Record<string, string>>

type Scheme = keyof CatalogueIds
/** The ids that a service has of each kind. Of an episode: its own, beside those of its show. */
export type Schemes = { readonly [kind in 'movie' | 'show' | 'episode']?: readonly Scheme[] }

export const MOVIES = 28
export const SHOWS = 12
export const SIZE = { movies: MOVIES, shows: SHOWS } as const
const FIRST_TMDB = 900_000
const FIRST_IMDB = { movie: 9_900_000, show: 8_800_000 } as const

/** Two specials and a season of twelve, with ids that no other show has. Servers have it behind those of the catalogue. */
export const SPECIALS: CatalogueShow = showWithSpecials()
export const SPECIALS_NAME: WorkName = `show/${SPECIALS.ids.tmdb! - FIRST_TMDB}`

let movies = movieCatalogue(1, MOVIES)
let shows = showCatalogue(1, SHOWS)

// The first works of a longer catalogue are those of the shorter.
function movieAt(index: number) {
  if (index >= movies.length) movies = movieCatalogue(1, index * 2)
  return movies[index]!
}

function showAt(index: number): CatalogueShow {
  if (`show/${index}` === SPECIALS_NAME) return SPECIALS
  if (index >= shows.length) shows = showCatalogue(1, index * 2)
  return shows[index]!
}

export interface WorkParts {
  readonly kind: Exclude<ItemKind, 'anime'>
  /** Of the movie or show in the catalogue. */
  readonly index: number
  readonly season: number
  readonly number: number
  readonly title: string
  readonly year: number
  /** Of the movie or show. */
  readonly ids: CatalogueIds
  readonly runtimeMs: number
}

export function partsOf(name: WorkName): WorkParts {
  const [kind = '', index = '', season = '0', number = '0'] = name.split('/')
  const place = { index: Number(index), season: Number(season), number: Number(number) }
  if (kind === 'movie') {
    const { title, year, ids, runtimeMs } = movieAt(place.index)
    return { kind, ...place, title, year, ids, runtimeMs }
  }
  const { title, year, ids, episodes } = showAt(place.index)
  return { kind: kind as WorkParts['kind'], ...place, title, year, ids, runtimeMs: episodes[0]!.runtimeMs }
}

/** Names of the show's episodes, in order. */
export function episodesOf(show: WorkName): readonly WorkName[] {
  const { index } = partsOf(show)
  return showAt(index).episodes.map(({ season, number }) => `episode/${index}/${season}/${number}`)
}

type Numbered = object | undefined

/** By the number at TMDB, which both kinds count from the same one, or by that at IMDb. */
export const movieName = (ids: Numbered): WorkName => `movie/${indexOf('movie', ids)}`
export const showName = (ids: Numbered): WorkName => `show/${indexOf('show', ids)}`
export const seasonName = (showIds: Numbered, season: unknown): WorkName =>
  `season/${indexOf('show', showIds)}/${Number(season)}`
export const episodeName = (showIds: Numbered, season: unknown, number: unknown): WorkName =>
  `episode/${indexOf('show', showIds)}/${Number(season)}/${Number(number)}`

function indexOf(kind: 'movie' | 'show', ids: Numbered): number {
  const { tmdb, imdb } = (ids ?? {}) as { readonly tmdb?: unknown; readonly imdb?: unknown }
  const isThere = tmdb !== undefined && tmdb !== null && tmdb !== ''
  return isThere ? Number(tmdb) - FIRST_TMDB : Number(String(imdb).slice(2)) - FIRST_IMDB[kind]
}

/** The work as an item, with the ids of these schemes. */
export function itemOf(name: WorkName, { movie = [], show = [], episode = [] }: Schemes): Item {
  const { kind, index, season, number, title, year, ids } = partsOf(name)
  if (kind === 'movie' || kind === 'show')
    return { type: kind, title, year, ids: pick(ids, kind === 'movie' ? movie : show) }
  const part = { series_title: title, series_year: year, show_ids: pick(ids, show), season }
  if (kind === 'season') return { type: kind, ids: {}, ...part }
  const own = showAt(index).episodes.find((one) => one.season === season && one.number === number)
  return { type: kind, ...part, episode: number, ids: pick(own?.ids ?? {}, episode), title: own?.title ?? null }
}

function pick(ids: CatalogueIds, schemes: readonly Scheme[]): Item['ids'] {
  return Object.fromEntries(
    schemes.flatMap((scheme) => (ids[scheme] === undefined ? [] : [[scheme, String(ids[scheme])]])),
  )
}

function showWithSpecials(): CatalogueShow {
  const premieredAtMs = Date.UTC(2001, 0, 1)
  const episodes = [
    { season: 0, count: 2 },
    { season: 1, count: 12 },
  ].flatMap(({ season, count }) => Array.from({ length: count }, (_, index) => ({ season, number: index + 1 })))
  return {
    type: 'show',
    title: 'The Long Watch',
    year: 2001,
    premieredAtMs,
    ids: { tmdb: 990_001, imdb: 'tt8990001', tvdb: 8_390_001 },
    episodes: episodes.map(({ season, number }, index) => ({
      season,
      number,
      title: `${season === 0 ? 'Extra' : 'Watch'} ${number}`,
      airedAtMs: premieredAtMs + index * 7 * 86_400_000,
      runtimeMs: 2_700_000,
      ids: { tmdb: 3_990_000 + index, imdb: `tt${7_990_000 + index}`, tvdb: 5_990_000 + index },
    })),
  }
}
