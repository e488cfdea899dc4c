// Parses a provider's row: field aliases, foreign formats of times and numbers, ids from any field. Unreadable values
// are dropped; only an unknown type rejects the row.
import { defined } from '../defined.ts'
import { collectIds, readIds } from './collect-ids.ts'
import type { Item } from './item.ts'
import { parseType } from './kind.ts'
import { minimise } from './minimise.ts'
import { readPosition } from './progress.ts'
import { isRating } from './rating.ts'
import { accept, type Result } from './result.ts'
import { formatTime, parseTime } from './time.ts'

type Row = Readonly<Record<string, unknown>>
type Reader = (value: unknown) => unknown

const text: Reader = (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)
const name: Reader = (value) => (typeof value === 'number' ? String(value) : text(value))
const flag: Reader = (value) => (typeof value === 'boolean' ? value : undefined)
const time: Reader = (value) => {
  const found = parseTime(value)
  return found === undefined ? undefined : formatTime(found)
}
const integer =
  (least: number, most = Number.MAX_SAFE_INTEGER): Reader =>
  (value) => {
    const number = toNumber(value)
    return number !== undefined && Number.isInteger(number) && number >= least && number <= most ? number : undefined
  }

/** Field, its aliases in order of preference, and its reader. */
const FIELDS: readonly (readonly [field: keyof Item, names: readonly string[], read: Reader])[] = [
  ['title', ['title'], text],
  ['year', ['year'], integer(1, 9999)],
  ['season', ['season', 'season_number'], integer(0)],
  ['episode', ['episode', 'episode_number'], integer(1)],
  ['series_title', ['series_title'], text],
  ['series_year', ['series_year'], integer(1, 9999)],
  ['film', ['film'], flag],
  ['watched', ['watched'], flag],
  ['watched_at', ['watched_at', 'last_watched_at'], time],
  ['rating', ['rating'], (value) => (isRating(toNumber(value)) ? toNumber(value) : undefined)],
  ['rated_at', ['rated_at', 'ratedAt', 'user_rated_at'], time],
  ['progress_at', ['progress_at', 'last_played', 'lastViewedAt'], time],
  ['progress_at_source', ['progress_at_source'], text],
  ['library_id', ['library_id'], name],
  ['added_at', ['added_at', 'added', 'addedAt', 'date_added', 'created_at', 'createdAt'], time],
  ['native', ['native'], readNative],
  ['transient', ['transient'], (value) => (value === true ? true : undefined)],
]

/**
 * The item of a row.
 *
 * @example parseItem({ type: 'movies', title: 'Heat', tmdb_id: 949 })
 * // { ok: true, value: { type: 'movie', title: 'Heat', ids: { tmdb: '949' } } }
 */
export function parseItem(row: Row): Result<Item> {
  const type = parseType(row['type'])
  if (!type.ok) return type
  const isPart = type.value === 'season' || type.value === 'episode'
  const { ids, showIds, season, episode } = collectIds(row)
  const given = Object.fromEntries(FIELDS.map(([field, names, read]) => [field, first(row, names, read)]))
  return accept(
    minimise({
      type: type.value,
      ids,
      ...(isPart ? showIdsOf(readIds(row['show_ids']), showIds) : {}),
      ...(isPart && season !== undefined ? { season } : {}),
      ...(isPart && episode !== undefined && episode > 0 ? { episode } : {}),
      ...defined(given),
      ...readPosition(row),
    }),
  )
}

function showIdsOf(given: NonNullable<Item['show_ids']>, found: NonNullable<Item['show_ids']>): Pick<Item, 'show_ids'> {
  const all = { ...found, ...given }
  return Object.keys(all).length === 0 ? {} : { show_ids: all }
}

function first(row: Row, names: readonly string[], read: Reader): unknown {
  for (const each of names) {
    const value = read(row[each])
    if (value !== undefined) return value
  }
  return undefined
}

function readNative(value: unknown): Item['native'] {
  if (typeof value !== 'object' || value === null) return undefined
  const known = Object.fromEntries(
    ['event_id', 'item_id', 'list_item_id'].flatMap((field) => {
      const id = name((value as Row)[field]) as string | undefined
      return id === undefined || id.length > 256 ? [] : [[field, id]]
    }),
  )
  return Object.keys(known).length === 0 ? undefined : known
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}
