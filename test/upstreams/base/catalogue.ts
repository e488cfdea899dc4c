// The films and shows that all stand-ins share: one seed gives the same titles and ids on every server.
// The first n of a longer catalogue are the shorter catalogue, so servers of different size overlap.
import { createSeededRandom, type SeededRandom } from './random.ts'

export interface CatalogueIds {
  /** Movies and shows are numbered separately, so both can have the same number. */
  readonly tmdb?: number
  readonly imdb?: string
  readonly tvdb?: number
}

export interface CatalogueMovie {
  readonly type: 'movie'
  readonly title: string
  readonly year: number
  readonly runtimeMs: number
  readonly premieredAtMs: number
  readonly ids: CatalogueIds
}

export interface CatalogueEpisode {
  readonly season: number
  readonly number: number
  readonly title: string
  readonly airedAtMs: number
  readonly runtimeMs: number
  readonly ids: CatalogueIds
}

export interface CatalogueShow {
  readonly type: 'show'
  readonly title: string
  readonly year: number
  readonly premieredAtMs: number
  readonly ids: CatalogueIds
  readonly episodes: readonly CatalogueEpisode[]
}

const FIRST = [
  'Silent',
  'Northern',
  'Broken',
  'Golden',
  'Hollow',
  'Distant',
  'Crimson',
  'Paper',
  'Second',
  'Winter',
  'Electric',
  'Lost',
]
const SECOND = [
  'Signal',
  'Harbour',
  'Garden',
  'Mirror',
  'Orchard',
  'Empire',
  'Station',
  'River',
  'Witness',
  'Parade',
  'Island',
  'Letter',
]
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
// Movies and shows count their tmdb ids from the same number, so the two namespaces overlap everywhere.
const FIRST_TMDB = 900_000

/**
 * Deterministic films. Every 29th has no tmdb id, every 41st has no id, and every 53rd is a remake of the previous one, a
 * year later.
 */
export function movieCatalogue(seed: number, count: number): CatalogueMovie[] {
  const movies: CatalogueMovie[] = []
  for (let index = 0; index < count; index += 1) {
    const random = createSeededRandom(seed * 7_919 + index * 2 + 1)
    const before = index % 53 === 52 ? movies[index - 1] : undefined
    const year = before === undefined ? random.integer(1960, 2025) : before.year + 1
    const runtimeMs = random.integer(70, 190) * MINUTE_MS
    const premieredAtMs = Date.UTC(year, 0, 1) + random.integer(0, 364) * DAY_MS
    movies.push({
      type: 'movie',
      title: before?.title ?? title(random, index),
      year,
      runtimeMs,
      premieredAtMs,
      ids: ids(index, 9_900_000),
    })
  }
  return movies
}

/** Deterministic shows with their episodes. The same ids are missing as for films. */
export function showCatalogue(seed: number, count: number): CatalogueShow[] {
  return Array.from({ length: count }, (_, index) => {
    const random = createSeededRandom(seed * 7_919 + index * 2 + 2)
    const year = random.integer(1990, 2024)
    const premieredAtMs = Date.UTC(year, 0, 1) + random.integer(0, 364) * DAY_MS
    const show = { type: 'show' as const, title: title(random, index), year, premieredAtMs, ids: ids(index, 8_800_000) }
    return { ...show, episodes: episodes(random, index, premieredAtMs) }
  })
}

function episodes(random: SeededRandom, showIndex: number, premieredAtMs: number): CatalogueEpisode[] {
  const seasons = random.integer(1, 3)
  const perSeason = random.integer(4, 8)
  const runtimeMs = random.pick([22, 30, 42, 55]) * MINUTE_MS
  return Array.from({ length: seasons * perSeason }, (_, index) => {
    const season = 1 + Math.floor(index / perSeason)
    const number = 1 + (index % perSeason)
    const airedAtMs = premieredAtMs + (season - 1) * 365 * DAY_MS + (number - 1) * 7 * DAY_MS
    const serial = showIndex * 100 + index
    const known = { tmdb: 3_000_000 + serial, imdb: `tt${7_000_000 + serial}`, tvdb: 5_000_000 + serial }
    // Many servers know only the number of an episode.
    return { season, number, title: `Chapter ${index + 1}`, airedAtMs, runtimeMs, ids: serial % 17 === 16 ? {} : known }
  })
}

function ids(index: number, firstImdb: number): CatalogueIds {
  if (index % 41 === 40) return {}
  const others = { imdb: `tt${firstImdb + index}`, tvdb: firstImdb - 500_000 + index }
  return index % 29 === 28 ? others : { tmdb: FIRST_TMDB + index, ...others }
}

function title(random: SeededRandom, index: number): string {
  const words = `${random.pick(FIRST)} ${random.pick(SECOND)}`
  // A number keeps titles distinct when the words run out, as for sequels.
  return index < 40 ? `The ${words} of ${random.pick(FIRST)} ${random.pick(SECOND)}` : `${words} ${index}`
}
