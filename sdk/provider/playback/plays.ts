// Finds the plays of an item among rows of a history, and reports when the result is uncertain.
import { PlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import { kindOf } from '../../items/kind.ts'
import { KEPT_TIME_MS } from '../../items/play-times.ts'
import { parseTime } from '../../items/time.ts'
import { compareItems, sharesScheme } from '../../items/tokens.ts'
import type { PlaysRequest } from './playback.ts'

export interface SortedPlays {
  readonly found: readonly Item[]
  /** Rows of that time that may be the item under other ids. */
  readonly undecided: readonly Item[]
}

const DAY_MS = 86_400_000

/**
 * False for a row of another time. An unreadable time may be any time, a date covers its whole day, and the first second
 * counts as a whole.
 */
export function mayBeWithin(watchedAt: unknown, { fromMs, toMs }: Pick<PlaysRequest, 'fromMs' | 'toMs'>): boolean {
  const time = parseTime(watchedAt)
  if (time === undefined) return true
  const firstMs = time.precision === 'date' ? fromMs - DAY_MS : Math.floor(fromMs / KEPT_TIME_MS) * KEPT_TIME_MS
  return time.atMs >= firstMs && time.atMs <= toMs
}

export function sortPlays(rows: readonly Item[], request: PlaysRequest): SortedPlays {
  const found: Item[] = []
  const undecided: Item[] = []
  for (const row of rows) {
    const time = parseTime(row.watched_at)
    if (time === undefined || !mayBeWithin(row.watched_at, request)) continue
    const compared = compareItems(row, request.item)
    if (compared === 'same' && time.precision !== 'date') found.push(row)
    else if (compared !== 'different' || isUnlike(row, request.item)) undecided.push(row)
  }
  return { found, undecided }
}

/**
 * The plays of the item. Throws `PLH_UPSTREAM_INVALID` (`plays_uncertain`) if none is found and a row may be one: a
 * wrong "none" records a play twice.
 */
export function certainPlays(rows: readonly Item[], request: PlaysRequest): readonly Item[] {
  const { found, undecided } = sortPlays(rows, request)
  if (found.length === 0 && undecided.length > 0) throw uncertainPlays()
  return found
}

export function uncertainPlays(): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', 'An item was watched at that time, but it is uncertain which one.', {
    wire: 'plays_uncertain',
    details: { reason: 'plays_uncertain' },
  })
}

/** True for equal kinds without a common id scheme, which could distinguish the items. */
function isUnlike(row: Item, item: Item): boolean {
  return kindOf(row) === kindOf(item) && !sharesScheme(row, item)
}
