// The rows that a write may change, in memory: loaded by the items of the write, changed one by one, and written at
// once.
import { contradicts, tokensOf, type Item } from '@playhead/sdk'
import type { Row } from './tables.ts'

export interface WorkingSet {
  /** Rows that match the item by a token or row id; `ambiguous` when strong ids contradict. */
  find(item: Item): { readonly rows: readonly Row[]; readonly ambiguous: boolean }
  byKey(key: string): Row | undefined
  ofGroup(group: string): readonly Row[]
  add(row: Row): void
  /** Closes a row and inserts its next version under the same key. */
  replace(row: Row): void
  remove(row: Row): void
  /** The pending changes. */
  changes(): { readonly closed: readonly string[]; readonly added: readonly Row[] }
}

export function createWorkingSet(stored: readonly Row[]): WorkingSet {
  const originals = new Map(stored.map((row) => [row.key, row]))
  const rows = new Map<string, Row>()
  const byToken = new Map<string, Set<string>>()
  const put = (row: Row) => {
    rows.set(row.key, row)
    for (const token of tokensOf(row.item)) {
      const keys = byToken.get(token)
      if (keys === undefined) byToken.set(token, new Set([row.key]))
      else keys.add(row.key)
    }
  }
  const take = (row: Row) => {
    rows.delete(row.key)
    for (const token of tokensOf(row.item)) byToken.get(token)?.delete(row.key)
  }
  for (const row of stored) put(row)

  return {
    find(item) {
      const keys = new Set(tokensOf(item).flatMap((token) => [...(byToken.get(token) ?? [])]))
      const found = [...keys].map((key) => rows.get(key) as Row)
      return { rows: found, ambiguous: found.some((row) => contradicts(row.item, item)) }
    },
    byKey: (key) => rows.get(key),
    ofGroup: (group) => [...rows.values()].filter((row) => row.group === group),
    add: put,
    replace(row) {
      const before = rows.get(row.key)
      if (before !== undefined) take(before)
      put(row)
    },
    remove: take,
    changes() {
      const closed = [...originals.values()].filter((row) => rows.get(row.key) !== row).map(({ key }) => key)
      const added = [...rows.values()].filter((row) => originals.get(row.key) !== row)
      return { closed, added }
    },
  }
}
