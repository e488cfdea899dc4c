// Finds the rows of a movie or episode under any of its ids, and the id for a new row.
import type { ItemOutcome } from '@playhead/sdk'
import { type Item, partOf } from '@playhead/sdk/items'
import { contentIdsOf, contentTypeOf } from '../items.ts'
import { progressKey, type Table } from '../tables.ts'
import type { Rows } from './write.ts'
import type { Row } from '../wire.ts'

interface Found {
  readonly key: string
  readonly row: Row
}

/** Builds a row key from an id and the numbers of an episode. */
type Naming = (contentId: string, season?: unknown, episode?: unknown) => string

/** Copies by older apps come last. */
export function rowsOfItem(table: Table, item: Item, naming: Naming, rows: Rows): Found[] {
  const ids = contentIdsOf(item)
  const type = contentTypeOf(item)
  const { season, episode } = numbersOf(item)
  const isOf = (row: Row) =>
    row.content_type === type && (row.season ?? undefined) === season && (row.episode ?? undefined) === episode
  const native = item.native?.item_id
  const keys = [...(native === undefined ? [] : [native]), ...ids.map((id) => naming(id, season, episode)), ...ids]
  const found = [...new Set(keys)].flatMap((key): Found[] => {
    const row = rows.get(key)
    // A film and a show may share a number, so kind and episode must match.
    return row !== undefined && isOf(row) ? [{ key, row }] : []
  })
  // A copy is removed with its episode, whichever row was read.
  const copies = found
    .flatMap(({ row }) => [String(row.content_id), progressKey(String(row.content_id), season, episode)])
    .flatMap((key): Found[] => {
      const row = table.feature === 'progress' ? rows.get(key) : undefined
      return row !== undefined && isOf(row) ? [{ key, row }] : []
    })
  const all = [...new Map([...found, ...copies].map((one) => [one.key, one])).values()]
  return all.toSorted((a, b) => Number(table.isMirror(a.row)) - Number(table.isMirror(b.row)))
}

/**
 * Id for a new row: the one already used for the show, else the best one. Refused when every id belongs to a row of
 * another work. `shows` are the ids in use for episodes.
 */
export function idForNew(
  item: Item,
  naming: Naming,
  rows: Rows,
  shows: ReadonlySet<unknown>,
): { readonly id: string } | { readonly refused: ItemOutcome } {
  const ids = contentIdsOf(item)
  const { season, episode } = numbersOf(item)
  const isNamed = ids.length > 0 && (item.type !== 'episode' || episode !== undefined)
  if (!isNamed) return { refused: { outcome: 'unsupported', reason: 'missing_ids' } }
  const free = ids.filter((id) => !rows.has(naming(id, season, episode)))
  const id = (item.type === 'episode' ? free.find((one) => shows.has(one)) : undefined) ?? free[0]
  return id === undefined ? { refused: { outcome: 'rejected', reason: 'id_in_use' } } : { id }
}

/** Ids in use for episodes; computed once per batch. */
export function createShowIds(): (rows: Rows) => ReadonlySet<unknown> {
  let known: { readonly rows: Rows; readonly ids: ReadonlySet<unknown> } | undefined
  return (rows) => {
    if (known?.rows !== rows) {
      const series = [...rows.values()].filter(({ content_type: type }) => type === 'series')
      known = { rows, ids: new Set(series.map(({ content_id: id }) => id)) }
    }
    return known.ids
  }
}

function numbersOf(item: Item): { readonly season?: number; readonly episode?: number } {
  return item.type === 'episode' ? (partOf(item) ?? {}) : {}
}
