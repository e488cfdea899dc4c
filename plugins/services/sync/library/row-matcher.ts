// Finds the row of an account that is the same item, or the same play, as a row that the account once had.
import { defined } from '@playhead/sdk'
import { compareItems, type Item, itemKey, parseTime, tokensOf } from '@playhead/sdk/items'
import { createRowNames, DAY_MS } from './row-names.ts'
import type { SideRows } from './rows.ts'

interface RowMatcher {
  /**
   * Takes the best free row. `present`: there is no free row, but a taken row is the same item, or a play of it at the same
   * time. Null: the account does not have the item.
   */
  take(item: Item, value: string): number | 'present' | null
  isTaken(index: number): boolean
  /** The row is the same item as a requested one. */
  isMet(index: number): boolean
}

/** @param isIncluded selects the rows that count. @param toleranceMs tolerance for the times of plays */
export function createRowMatcher(
  rows: SideRows,
  isIncluded: (index: number) => boolean,
  { plays, toleranceMs }: { readonly plays: boolean; readonly toleranceMs: number },
): RowMatcher {
  const candidatesFor = createRowNames(rows, { namesOf, plays, isIncluded })
  const taken = new Uint8Array(rows.size)
  const met = new Uint8Array(rows.size)

  return {
    take(item, value) {
      const names = namesOf(item)
      const text = JSON.stringify(item)
      let best: { readonly index: number; readonly rank: number } | undefined
      let isPresent = false
      for (const index of candidatesFor(item)) {
        const row = rows.item(index)
        // Hashes may collide, and ids may contradict each other.
        if (!isSame(item, names, row)) continue
        const apartMs = plays ? apart(item, row) : 0
        if (apartMs > toleranceMs) continue
        isPresent = true
        met[index] = 1
        if (taken[index] === 1) continue
        const rank = apartMs + (rows.json(index) === text ? 0 : rows.value(index) === value ? 0.25 : 0.5)
        if (best === undefined || rank < best.rank) best = { index, rank }
      }
      if (best === undefined) return isPresent ? 'present' : null
      taken[best.index] = 1
      return best.index
    },
    isTaken: (index) => taken[index] === 1,
    isMet: (index) => met[index] === 1,
  }
}

/** Tokens, including those of the own server, and the title. */
function namesOf(item: Item): readonly string[] {
  return [...tokensOf(item, { within: 'account' }), titleNameOf(item)]
}

function titleNameOf({ type, title, year, season, episode, series_title, series_year }: Item): string {
  return `~${itemKey({ ...defined({ type, title, year, season, episode, series_title, series_year }), ids: {} })}`
}

/** Matches an item without ids by its title, because a service may have learned or lost ids since. */
function isSame(item: Item, names: readonly string[], row: Item): boolean {
  const rowNames = namesOf(row)
  if (names.length > 1 && rowNames.length > 1) return compareItems(item, row, { within: 'account' }) === 'same'
  return names.at(-1) === rowNames.at(-1)
}

function apart(a: Item, b: Item): number {
  const [one, other] = [parseTime(a.watched_at), parseTime(b.watched_at)]
  if (one === undefined || other === undefined) return one === other ? 0 : Infinity
  const isDate = one.precision === 'date' || other.precision === 'date'
  const ms = Math.abs(one.atMs - other.atMs)
  return isDate && Math.floor(one.atMs / DAY_MS) === Math.floor(other.atMs / DAY_MS) ? 0 : ms
}
