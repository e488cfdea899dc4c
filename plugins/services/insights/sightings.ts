// What one row of an account says for the numbers: whether it counts, under which name, and when.
import { type Item, kindOf, partOf, parseTime, titleTokenOf } from '@playhead/sdk'
import type { Counted, Row } from './sources.ts'

/** When a row was seen, as far as the newest of them are looked for. */
export interface Sighting {
  readonly atMs: number
  /** Only the day is known. */
  readonly isDate: boolean
  readonly rating?: number
}

/** One row with a time. */
export interface Mark extends Sighting {
  /** Number of the account. */
  readonly account: number
  /** Its number among all rows with a time. */
  readonly place: number
}

export interface KeyedMark extends Mark {
  readonly key: string
}

const TIMES = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
} as const satisfies Record<Counted, keyof Item>

/** Without the time of a play or the value of a rating a row only says that something is there. */
export function counts(feature: Counted, item: Item, sighting: Sighting | undefined): boolean {
  if (feature === 'history') return sighting !== undefined
  if (feature === 'ratings') return item.rating !== undefined || item.rated_at !== undefined
  return true
}

export function sightingOf(feature: Counted, item: Item): Sighting | undefined {
  const time = feature === 'watchlist' ? undefined : parseTime(item[TIMES[feature]])
  if (time === undefined || (feature === 'ratings' && item.rating === undefined)) return undefined
  const rating = feature === 'ratings' ? { rating: item.rating as number } : {}
  return { atMs: time.atMs, isDate: time.precision === 'date', ...rating }
}

/**
 * Rows of one name are one item for certain. What has no shared id goes by exact title and year, else by its own key.
 */
export function nameOf(account: number, { key, item }: Row, tokens: readonly string[]): string {
  if (tokens.length === 0) return titleTokenOf(item) ?? `${account} ${key.replace(/@.*$/s, '')}`
  const kind = kindOf(item)
  const isPart = kind === 'season' || kind === 'episode'
  return tokens.join(' ') + (isPart && partOf(item) === undefined ? JSON.stringify(item.show_ids ?? null) : '')
}

export const KINDS = ['movies', 'shows', 'anime', 'episodes'] as const
export type Kind = (typeof KINDS)[number]
export type Kinds = Record<Kind, number>
export const noKinds = (): Kinds => ({ movies: 0, shows: 0, anime: 0, episodes: 0 })

/** Seasons count as shows. */
export function kindName(item: Item): Kind {
  const isAnime =
    item.type === 'anime' ||
    [item.ids, item.show_ids].some((ids) => ids?.anilist !== undefined || ids?.mal !== undefined)
  if (isAnime) return 'anime'
  return item.type === 'movie' ? 'movies' : item.type === 'episode' ? 'episodes' : 'shows'
}
