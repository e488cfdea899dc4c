// Applies one item of a write to the rows, per feature. Works in memory, so that a batch is decided at once.
import { defined, type ItemOutcome, type WriteRequest } from '@playhead/sdk'
import {
  compareProgress,
  contradicts,
  isRating,
  type Item,
  mergeIds,
  parseTime,
  playToleranceMs,
  progressOf,
  sameTime,
  tokensOf,
} from '@playhead/sdk/items'
import type { Tracked } from './settings.ts'
import { storedItem } from './stored-item.ts'
import type { Row } from './tables.ts'
import type { Found, WorkingSet } from './working-set.ts'

interface ApplyContext {
  readonly feature: Tracked
  readonly op: WriteRequest['op']
  readonly plays: boolean
  readonly rows: WorkingSet
  readonly newKey: () => string
}

export function applyItem(context: ApplyContext, item: Item): ItemOutcome {
  const { feature, op } = context
  const found = context.rows.find(item)
  if (found.ambiguous) return AMBIGUOUS
  if (op === 'remove') return remove(context, item, found)
  if (tokensOf(item).length === 0) return { outcome: 'unsupported', reason: 'missing_ids' }
  const reason = missingValue(feature, item)
  if (reason !== undefined) return { outcome: 'rejected', reason }
  if (op === 'add') return feature === 'history' ? addPlay(context, item, found) : put(context, item, found.rows)
  const named = namedRows(context, item, found)
  if (named === 'ambiguous') return AMBIGUOUS
  return feature === 'history' ? updatePlay(context, item, named) : put(context, item, named)
}

const AMBIGUOUS: ItemOutcome = { outcome: 'rejected', reason: 'ambiguous_ids' }

/** The row id of the account takes precedence, unless it belongs to another work. */
function namedRows({ feature, rows, op, plays }: ApplyContext, item: Item, found: Found): readonly Row[] | 'ambiguous' {
  const { event_id: eventId, item_id: itemId } = item.native ?? {}
  if (feature === 'history' && eventId !== undefined && (plays || op === 'update')) {
    const play = rows.byKey(eventId)
    return play === undefined ? [] : contradicts(play.item, item) ? 'ambiguous' : [play]
  }
  if (itemId === undefined) return found.rows
  const named = feature === 'history' ? rows.ofGroup(itemId) : [rows.byKey(itemId)].filter((row) => row !== undefined)
  return named.some((row) => contradicts(row.item, item)) ? 'ambiguous' : [...new Set([...named, ...found.rows])]
}

function remove(context: ApplyContext, item: Item, found: Found): ItemOutcome {
  const { feature, plays, rows } = context
  const isUnnamedPlay = feature === 'history' && plays && item.native?.event_id === undefined
  const named = namedRows(context, item, found)
  if (named === 'ambiguous') return AMBIGUOUS
  if (named.length === 0) return { outcome: 'already' }
  const going = isUnnamedPlay ? named.filter((row) => isSamePlay(row, item)) : named
  // A play that cannot be identified stays unchanged.
  if (going.length === 0) return { outcome: 'not_found', reason: 'exact_play_unknown' }
  for (const row of going) rows.remove(row)
  return { outcome: 'applied' }
}

function addPlay(context: ApplyContext, item: Item, found: Found): ItemOutcome {
  const { plays, rows, newKey } = context
  const time = parseTime(item.watched_at)!
  const [same] = found.at(time)
  if (same !== undefined) {
    complete(context, same, item)
    return settled(context, same, 'already')
  }
  const { latest } = plays ? { latest: found.first } : found
  if (!plays && latest !== undefined && atMsOf(latest) >= time.atMs) return settled(context, latest, 'already')
  const key = newKey()
  const row: Row = { key, group: latest?.group ?? key, item: storedItem('history', item) }
  rows.add(row)
  return settled(context, row, 'applied')
}

function updatePlay(context: ApplyContext, item: Item, found: readonly Row[]): ItemOutcome {
  const same = found.find((row) => isSamePlay(row, item))
  if (same !== undefined) {
    complete(context, same, item)
    return settled(context, same, 'already')
  }
  const [latest] = [...found].sort((a, b) => atMsOf(b) - atMsOf(a))
  if (latest === undefined) return { outcome: 'not_found', reason: 'not_found' }
  // For a work, its latest play is changed; for a play, that play.
  const corrected = { ...latest, item: { ...joined(latest.item, item), ...watchedOf(item) } }
  context.rows.replace(corrected)
  return settled(context, corrected, 'applied')
}

function put(context: ApplyContext, item: Item, found: readonly Row[]): ItemOutcome {
  const { feature, op, rows, newKey } = context
  const [first, ...others] = found
  if (first === undefined) {
    if (op === 'update') return { outcome: 'not_found', reason: 'not_found' }
    const key = newKey()
    const row: Row = { key, group: key, item: storedItem(feature, item) }
    rows.add(row)
    return settled(context, row, 'applied')
  }
  const wanted = storedItem(feature, item)
  if (op === 'add' && !wins(feature, wanted, first.item)) {
    complete(context, first, item)
    return settled(context, first, 'already')
  }
  if (others.length === 0 && isSameValue(feature, wanted, first.item)) {
    complete(context, first, item)
    return settled(context, first, 'already')
  }
  const row = { ...first, item: { ...withoutPosition(joined(first.item, item)), ...valuesOf(feature, wanted) } }
  rows.replace(row)
  // The rows were separate because neither had the other's id.
  for (const other of others) rows.remove(other)
  return settled(context, row, 'applied')
}

/** Why an item cannot be a row of the feature. */
export function missingValue(feature: Tracked, item: Item): string | undefined {
  if (feature === 'history') return parseTime(item.watched_at) === undefined ? 'missing_watched_at' : undefined
  if (feature === 'ratings') return isRating(item.rating) ? undefined : 'missing_rating'
  if (feature === 'progress') {
    const { positionMs, percent } = progressOf(item)
    return positionMs === undefined && percent === undefined ? 'missing_progress' : undefined
  }
  return undefined
}

/** Adding an existing row changes nothing on a watchlist; a later position wins. */
function wins(feature: Tracked, wanted: Item, stored: Item): boolean {
  if (feature === 'watchlist') return false
  if (feature !== 'progress') return true
  const [a, b] = [progressOf(wanted), progressOf(stored)]
  const order = compareProgress(a, b)
  return order > 0 || (order === 0 && (a.percent ?? a.positionMs ?? 0) > (b.percent ?? b.positionMs ?? 0))
}

function isSameValue(feature: Tracked, wanted: Item, stored: Item): boolean {
  const values = Object.entries(valuesOf(feature, wanted)).filter(([name]) => name !== 'added_at')
  return values.every(([name, value]) => stored[name as keyof Item] === value)
}

function valuesOf(feature: Tracked, item: Item): Partial<Item> {
  const { type: _type, ids: _ids, ...rest } = storedItem(feature, { ...item, ids: {} })
  for (const name of ['title', 'year', 'show_ids', 'season', 'episode', 'series_title', 'series_year', 'film'] as const)
    delete rest[name]
  return rest
}

// Adds missing ids, because later writes may only have those.
export function complete({ rows }: Pick<ApplyContext, 'rows'>, row: Row, item: Item): void {
  const more = joined(row.item, item)
  if (JSON.stringify(more) !== JSON.stringify(row.item)) rows.replace({ ...row, item: more })
}

function joined(stored: Item, item: Item): Item {
  const showIds = item.show_ids === undefined ? stored.show_ids : mergeIds(stored.show_ids ?? {}, item.show_ids).ids
  return {
    ...stored,
    ids: mergeIds(stored.ids, item.ids).ids,
    ...defined({ show_ids: showIds }),
    ...(stored.title === undefined && item.title !== undefined ? { title: item.title } : {}),
    ...(stored.year === undefined && item.year !== undefined ? { year: item.year } : {}),
  }
}

/** A new position may consist of a percentage alone, which the old time would contradict. */
function withoutPosition({ progress_ms: _ms, progress_percent: _percent, ...item }: Item): Item {
  return item
}

function watchedOf({ watched_at: watchedAt }: Item): Partial<Item> {
  return watchedAt === undefined ? {} : { watched_at: watchedAt }
}

function isSamePlay(row: Row, item: Item): boolean {
  const [a, b] = [parseTime(row.item.watched_at), parseTime(item.watched_at)]
  return a !== undefined && b !== undefined && sameTime(a, b, playToleranceMs())
}

function atMsOf(row: Row): number {
  return parseTime(row.item.watched_at)?.atMs ?? 0
}

function settled({ feature }: ApplyContext, { key, group }: Row, outcome: 'applied' | 'already'): ItemOutcome {
  return { outcome, native: feature === 'history' ? { event_id: key, item_id: group } : { item_id: key } }
}
