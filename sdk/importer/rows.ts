// Rows of a file's facts about a work. Unknown facts are absent.
import { defined } from '../defined.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import { wholeCell } from './cells.ts'
import type { ImportedRow } from './contract.ts'

export interface WorkCells {
  readonly type: Item['type']
  /** For a season or episode those of its show, like the title and the year. */
  readonly ids: Ids
  readonly title?: string | undefined
  readonly year?: number | undefined
  readonly season?: number | undefined
  readonly episode?: number | undefined
}

/** A work, or a part of a show; undefined if a part lacks its numbers. */
export function workItem({ type, ids, title, year, season, episode }: WorkCells): Item | undefined {
  if (type !== 'season' && type !== 'episode') return defined({ type, ids, title, year })
  if (season === undefined || (type === 'episode' && episode === undefined)) return undefined
  const numbers = type === 'episode' ? { season, episode } : { season }
  return defined({ type, ids: {}, show_ids: ids, ...numbers, series_title: title, series_year: year })
}

export interface PartCells extends Omit<Item, 'type' | 'season' | 'episode'> {
  readonly type: 'season' | 'episode'
  /** Unparsed, as in the file. */
  readonly season: unknown
  readonly episode?: unknown
}

/**
 * A season, or an episode with ids of its own: the ids identify it if its number is 0 or missing, as for specials and
 * episodes without a place in a catalogue. Undefined without both.
 */
export function partItem({
  season: givenSeason,
  episode: givenEpisode,
  ...work
}: Partial<PartCells> & Pick<PartCells, 'type' | 'ids'>): Item | undefined {
  const season = wholeCell(givenSeason)
  const episode = work.type === 'episode' ? wholeCell(givenEpisode, 1) : undefined
  if (season !== undefined && (work.type === 'season' || episode !== undefined))
    return defined({ ...work, season, episode })
  return work.type === 'episode' && Object.keys(work.ids).length > 0 ? defined(work) : undefined
}

export function playRow(item: Item, watchedAt: string | undefined): ImportedRow {
  return { feature: 'history', item: defined({ ...item, watched: true, watched_at: watchedAt }) }
}

export function ratingRow(item: Item, rating: number, ratedAt?: string): ImportedRow {
  return { feature: 'ratings', item: defined({ ...item, rating, rated_at: ratedAt }) }
}

export function watchlistRow(item: Item, addedAt?: string): ImportedRow {
  return { feature: 'watchlist', item: defined({ ...item, added_at: addedAt }) }
}
