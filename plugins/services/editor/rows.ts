// Rows as clients submit them: an object of rows by key, or an array of rows with `key`.
import { yieldToLoop } from '@playhead/sdk'
import {
  formatKey,
  formatPlayKey,
  isRecord,
  isRating,
  type Item,
  keyOf,
  markOf,
  mergeIds,
  parseItem,
  parseTime,
  parseType,
  playOf,
} from '@playhead/sdk/items'
import { invalid, type Kind } from './sources.ts'

export interface SubmittedRow {
  /** The key of the loaded or submitted row; empty for an array row without a key. */
  readonly loadedKey: string
  /** The key from the item itself; for a play with its time. */
  readonly key: string
  readonly item: Item
  /** All fields but `key` and those that begin with `_`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** `_playlist_item_id` */
  readonly entryId: string | null
  /** `_position` */
  readonly position: number | null
}

export interface RowError {
  readonly key: string
  readonly reason: string
}

interface ReadRows {
  readonly rows: readonly SubmittedRow[]
  /** The rows were an array, so their order is significant. */
  readonly inOrder: boolean
}

const MAX_ERRORS = 20
const BATCH = 100
const TIMES = ['watched_at', 'rated_at', 'added_at', 'progress_at'] as const
const NUMBERS: readonly (readonly [field: string, least: number, most: number, whole: boolean])[] = [
  ['season', 0, 100_000, true],
  ['episode', 1, 100_000, true],
  ['progress_percent', 0, 100, false],
  ['progress_ms', 0, Number.MAX_SAFE_INTEGER, false],
  ['duration_ms', 1, Number.MAX_SAFE_INTEGER, false],
]

/**
 * @throws `PLH_INVALID`: `invalid_items` if it is neither an object nor an array; `invalid_rows` with `details.errors`,
 *   up to 20 of `{ key, reason }`
 */
export async function readRows(items: unknown, kind: Kind | 'playlist'): Promise<ReadRows> {
  const inOrder = Array.isArray(items)
  if (!inOrder && !isRecord(items))
    throw invalid('invalid_items', 'Send "items" as an object of items by key, or as an array of items with "key".')
  const given: readonly (readonly [string, unknown])[] = inOrder
    ? (items as readonly unknown[]).map((row) => [textOf(isRecord(row) ? row['key'] : ''), row])
    : Object.entries(items)
  const rows: SubmittedRow[] = []
  const errors: RowError[] = []
  let count = 0
  for (const [place, [key, row]] of given.entries()) {
    const read = readRow(key, row, kind)
    if ('reason' in read) {
      count += 1
      if (errors.length < MAX_ERRORS) errors.push({ key: key === '' ? `#${place + 1}` : key.slice(0, 200), ...read })
    } else rows.push(read)
    if (place % BATCH === BATCH - 1) await yieldToLoop()
  }
  if (count > 0)
    throw invalid('invalid_rows', `${count} of ${given.length} rows cannot be saved; nothing was changed.`, {
      errors,
      error_count: count,
    })
  return { rows, inOrder }
}

function readRow(loadedKey: string, row: unknown, kind: Kind | 'playlist'): SubmittedRow | { readonly reason: string } {
  if (!isRecord(row)) return { reason: 'not_an_object' }
  const fields = Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'key' && !name.startsWith('_')))
  const reason = flawIn(fields)
  if (reason !== undefined) return { reason }
  const parsed = parseItem(fields)
  if (!parsed.ok) return { reason: parsed.reason }
  const item = parsed.value
  const identity = keyOf(item)
  if (!identity.ok) return { reason: 'missing_ids' }
  const play = kind === 'history' ? playOf(item) : undefined
  const key =
    play?.ok === true ? formatPlayKey({ item: identity.value, mark: markOf(play.value) }) : formatKey(identity.value)
  const id = row['_playlist_item_id']
  const position = row['_position']
  return {
    loadedKey,
    key,
    item,
    fields,
    entryId: typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : null,
    position: typeof position === 'number' ? position : null,
  }
}

/** Values that the service would drop silently are errors, because the person entered them. */
function flawIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  if (!parseType(fields['type']).ok) return 'missing_or_invalid_type'
  const { rating, ids, show_ids: showIds, title } = fields
  if (isGiven(rating) && !isRating(rating as number)) return 'invalid_rating'
  for (const name of TIMES) {
    const value = fields[name]
    if (isGiven(value) && (typeof value !== 'string' || parseTime(value) === undefined)) return `invalid_${name}`
  }
  for (const [name, least, most, whole] of NUMBERS) {
    const value = fields[name]
    const isRight = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))
    if (isGiven(value) && !isRight) return `invalid_${name}`
  }
  if (isGiven(ids) && !isRecord(ids)) return 'invalid_ids'
  if (isGiven(showIds) && !isRecord(showIds)) return 'invalid_show_ids'
  return isGiven(title) && typeof title !== 'string' ? 'invalid_title' : undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Merges the rows of one item: the values of the first one win, the others fill its gaps. */
export function uniteRows(rows: readonly SubmittedRow[]): readonly SubmittedRow[] {
  const united = new Map<string, SubmittedRow>()
  for (const row of rows) {
    const first = united.get(row.key)
    united.set(row.key, first === undefined ? row : unite(first, row))
  }
  return [...united.values()]
}

function unite(first: SubmittedRow, other: SubmittedRow): SubmittedRow {
  const ids = mergeIds(first.item.ids, other.item.ids).ids
  const given = Object.entries(first.fields).filter(([, value]) => isGiven(value))
  return {
    ...first,
    item: { ...other.item, ...first.item, ids },
    fields: { ...other.fields, ...Object.fromEntries(given), ids },
  }
}

/** Whether the row contains all values of the item. */
export function isSaidBy(item: Item, row: Item): boolean {
  const { native: _native, library_id: _library, transient: _transient, ...own } = item
  return Object.entries(own).every(([name, value]) => isWithin(name, value, row[name as keyof Item]))
}

function isWithin(name: string, value: unknown, other: unknown): boolean {
  if (value === null) return other === null || other === undefined
  if (isRecord(value)) return Object.entries(value).every(([scheme, id]) => isRecord(other) && other[scheme] === id)
  if (!name.endsWith('_at')) return value === other
  const [a, b] = [parseTime(value), parseTime(other)]
  return a?.atMs === b?.atMs && a?.precision === b?.precision
}

/** A list of texts in a body; undefined if it is absent. Throws `PLH_INVALID` (`invalid_<name>`). */
export function readTexts(value: unknown, name: string): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw invalid(`invalid_${name}`, `Send "${name}" as an array of strings.`)
  return value as readonly string[]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
