// Rows of the editor, the unsaved changes, and their request bodies.
import type { Answer } from '../../api/client.ts'

export type Kind = 'watchlist' | 'history' | 'ratings' | 'progress'
export const KINDS: readonly Kind[] = ['watchlist', 'history', 'ratings', 'progress']
export type Item = Readonly<Record<string, unknown>>

/** The edited data: rows of an account, or a list. */
export type Place =
  | { readonly type: 'account'; readonly provider: string; readonly instance: string; readonly kind: Kind }
  | { readonly type: 'list'; readonly id: string }

export interface Row {
  readonly key: string
  readonly item: Item
  /** The id of the entry in a list. */
  readonly entryId?: string | null
  /** Added by hand earlier; counts as present at the account. */
  readonly isOwn?: boolean
}

export type Change =
  | { readonly op: 'add'; readonly row: Row }
  | { readonly op: 'edit'; readonly row: Row; readonly before: Row }
  | { readonly op: 'remove' | 'block'; readonly row: Row }

/** Keyed by the row. */
export type Changes = ReadonlyMap<string, Change>

export type Dataset = Answer<'GET /api/editor'>
export type ListData = Answer<'GET /api/editor/playlists/{endpoint_id}'>

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)

export function titleOf(item: Item): string {
  const series = textOf(item['series_title'])
  const title = textOf(item['title'])
  const year = numberOf(item['year'])
  if (series !== '') return title === '' ? series : `${series} · ${title}`
  return year === null || title === '' ? title : `${title} (${year})`
}

export function partOf(item: Item): { readonly season: number | null; readonly episode: number | null } {
  return { season: numberOf(item['season']), episode: numberOf(item['episode']) }
}

/** The field with the time of a row, by kind. */
export const TIMES: Readonly<Record<Kind, string>> = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
}

export function timeOf(item: Item): string | null {
  for (const name of ['watched_at', 'rated_at', 'progress_at', 'added_at']) {
    const value = textOf(item[name])
    if (value !== '') return value
  }
  return null
}

export function idsOf(item: Item): readonly (readonly [string, string])[] {
  const of = (value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([scheme, id]): [string, string][] => (id == null ? [] : [[scheme, String(id)]]))
      : []
  const own = of(item['ids'])
  return own.length > 0 ? own : of(item['show_ids'])
}

/** Rows in the order that the service returned. */
export function rowsOf({ items, manual_adds: own = {} }: Pick<Dataset, 'items' | 'manual_adds'>): readonly Row[] {
  return Object.entries(items).map(([key, item]) => ({ key, item, ...(key in own ? { isOwn: true } : {}) }))
}

export function listRowsOf({ items, original_keys: keys, original_ids: ids }: ListData): readonly Row[] {
  return keys.map((key, index) => ({ key, item: items[key] ?? {}, entryId: ids[index] ?? null }))
}

/** The fields to send: all except those that only name the row. */
export function fieldsOf({ item, entryId }: Row): Item {
  const { key: _key, ...fields } = item
  return { ...fields, _playlist_item_id: entryId ?? undefined }
}

/** Builds the request from the changes; unchanged rows are omitted. */
export function bodyOf(changes: Changes) {
  const items: Record<string, Item> = {}
  const originals: string[] = []
  for (const change of changes.values()) {
    if (change.op === 'add') items[change.row.key] = fieldsOf(change.row)
    if (change.op === 'edit') {
      items[change.before.key] = fieldsOf(change.row)
      originals.push(change.before.key)
    }
    if (change.op === 'remove') originals.push(change.row.key)
  }
  return { items, original_keys: originals }
}

export function blocksOf(changes: Changes): readonly string[] {
  return [...changes.values()].flatMap(({ op, row }) => (op === 'block' ? [row.key] : []))
}

/** The title of a loaded row, otherwise the key. */
export function nameOfKey(key: string, { items }: Pick<Dataset, 'items'>): string {
  const item = items[key]
  return item === undefined ? key : titleOf(item) || key
}
