// Converts items to rows and back. Only the fields of the feature are stored, and no ids of other accounts.
import { PlayheadError } from '@playhead/sdk'
import { kindOf, minimise, parseTime, type Item } from '@playhead/sdk/items'
import type { Tracked } from './settings.ts'
import type { Row, StoredRow } from './tables.ts'

const IDENTITY = [
  'type',
  'title',
  'year',
  'ids',
  'show_ids',
  'season',
  'episode',
  'series_title',
  'series_year',
  'film',
] as const
const VALUES: Readonly<Record<Tracked, readonly (keyof Item)[]>> = {
  watchlist: ['added_at'],
  history: ['watched', 'watched_at'],
  ratings: ['rating', 'rated_at'],
  progress: ['progress_ms', 'duration_ms', 'progress_percent', 'progress_at', 'progress_at_source'],
  playlists: ['added_at'],
}

/** The stored fields of an item for a feature. */
export function storedItem(feature: Tracked, item: Item): Item {
  const source = minimise(item)
  const kept = [...IDENTITY, ...VALUES[feature]].flatMap((name) =>
    source[name] === undefined ? [] : [[name, source[name]]],
  )
  return Object.fromEntries(kept) as Item
}

/** Row columns derived from the item. */
export function columnsOf(
  feature: Tracked,
  { key, group, item, place = 0 }: Row,
): Pick<StoredRow, 'row_key' | 'row_group' | 'kind' | 'at_ms' | 'item'> {
  const atMs = feature === 'history' ? (parseTime(item.watched_at)?.atMs ?? 0) : place
  return { row_key: key, row_group: group, kind: kindOf(item), at_ms: atMs, item: JSON.stringify(item) }
}

/** Throws `PLH_UPSTREAM_INVALID` (`state_unreadable`) for an invalid row: leaving it out would look like a removal. */
export function rowOf({
  row_key: key,
  row_group: group,
  item: text,
  at_ms: place,
}: Pick<StoredRow, 'row_key' | 'row_group' | 'item'> & Partial<Pick<StoredRow, 'at_ms'>>): Row {
  try {
    const item = JSON.parse(text) as Item
    kindOf(item)
    if (typeof item.type !== 'string' || typeof item.ids !== 'object' || item.ids === null)
      throw new TypeError('it is no item')
    return { key, group, item, ...(place === undefined ? {} : { place: Number(place) }) }
  } catch (error) {
    throw unreadable(error)
  }
}

/** The row as the sync engine sees it, with the ids of this account. */
export function shownItem(feature: Tracked, { key, group, item }: Row): Item {
  return {
    ...item,
    native:
      feature === 'history'
        ? { event_id: key, item_id: group }
        : feature === 'playlists'
          ? { list_item_id: key }
          : { item_id: key },
  }
}

export function unreadable(cause: unknown): PlayheadError {
  return new PlayheadError(
    'PLH_UPSTREAM_INVALID',
    "The tracker's tables cannot be read. Restore the database from a backup.",
    { cause, wire: 'state_unreadable', status: 500 },
  )
}
