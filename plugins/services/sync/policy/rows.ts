// Rows of the manual policy: validates input from people and files.
import type { Feature } from '@playhead/sdk'
import { collectIds, isRecord, normaliseId, parseItem, schemeOf, tokensOf, rowKey } from '@playhead/sdk/items'
import { isUsable } from '../library/rows.ts'
import { jsonText } from '../store/canonical.ts'
import type { AddRow } from '../store/manual-policy.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Problem {
  readonly path: string
  readonly reason: string
}

/** `text` is canonical JSON of all fields. */
export type PolicyAdd = Pick<AddRow, 'key' | 'text'>

interface RowOptions {
  readonly feature: Feature
  /** The name of the row in a file. It gives ids to an item that has none. */
  readonly key?: string
  /** An item with only a title is rejected. */
  readonly needsIds?: boolean
}

const MAX_TEXT = 16 * 1024
/** A value under one of these names must parse as the field. */
const CHECKED = [
  ...(['year', 'season', 'episode', 'series_year', 'watched_at', 'last_watched_at', 'rating', 'rated_at'] as const),
  ...(['added_at', 'progress_at', 'progress_ms', 'duration_ms', 'progress_percent'] as const),
]

/** The stored form of the row, or its errors. */
export function readRow(row: unknown, { feature, key, needsIds = false }: RowOptions): PolicyAdd | readonly Problem[] {
  if (!isRecord(row)) return [{ path: '', reason: 'not_an_object' }]
  const { key: own, ...given } = row
  const fields = withIds(given, key ?? (typeof own === 'string' ? own : ''))
  const parsed = parseItem(fields)
  if (!parsed.ok) return [{ path: '.type', reason: 'invalid_type' }]
  const item = parsed.value
  const problems: Problem[] = []
  for (const { scheme } of collectIds(fields).rejected) problems.push({ path: `.ids.${scheme}`, reason: 'invalid_id' })
  for (const name of CHECKED) {
    const field = name === 'last_watched_at' ? 'watched_at' : name
    if (isGiven(fields[name]) && item[field] === undefined)
      problems.push({ path: `.${name}`, reason: `invalid_${field}` })
  }
  if (feature === 'ratings' && item.rating === undefined && !isGiven(fields['rating']))
    problems.push({ path: '.rating', reason: 'rating_required' })
  if (!isUsable(item)) problems.push({ path: '', reason: 'no_identity' })
  else if (needsIds && tokensOf(item, { within: 'provider' }).length === 0)
    problems.push({ path: '.ids', reason: 'missing_ids' })
  if (problems.length > 0) return problems
  const text = jsonText(fields)
  if (text.length > MAX_TEXT) return [{ path: '', reason: 'too_large' }]
  return { key: rowKey(item, feature === 'history'), text }
}

/** Fills the gaps of an add; its own values and ids win. The key does not change. */
export function mergeAdds(add: PolicyAdd, more: PolicyAdd): PolicyAdd {
  if (add.text === more.text) return add
  const own = JSON.parse(add.text) as Fields
  const merged: Record<string, unknown> = { ...(JSON.parse(more.text) as Fields) }
  for (const [name, value] of Object.entries(own)) {
    const other = merged[name]
    if ((name === 'ids' || name === 'show_ids') && isRecord(value) && isRecord(other))
      merged[name] = { ...other, ...givenOf(value) }
    else if (isGiven(value) || other === undefined) merged[name] = value
  }
  return { key: add.key, text: jsonText(merged) }
}

function givenOf(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)))
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

const KEYED = /^(?:(?:movie|show|season|episode):)?([a-z]+):([^#@]+)(?:#(?:season:(\d+)|s(\d+)e(\d+)))?(?:@.*)?$/i

/** A file may give the id only in the key of the item. */
function withIds(fields: Fields, key: string): Fields {
  const { ids, showIds } = collectIds(fields)
  const hasShow = isRecord(fields['show_ids']) && Object.keys(fields['show_ids']).length > 0
  if (Object.keys(ids).length > 0 || Object.keys(showIds).length > 0 || hasShow) return fields
  const [, name, text, whole, season, episode] = KEYED.exec(key) ?? []
  const scheme = name === undefined ? undefined : schemeOf(name)
  const id = scheme === undefined ? undefined : normaliseId(scheme, text)
  if (scheme === undefined || id === undefined) return fields
  if (whole === undefined && season === undefined) return { ...fields, ids: { [scheme]: id } }
  const numbers =
    season === undefined ? { season: Number(whole) } : { season: Number(season), episode: Number(episode) }
  return { ...fields, ...numbers, show_ids: { [scheme]: id } }
}
