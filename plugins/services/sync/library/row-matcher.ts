// Finds the row of an account that is the same item, or the same play, as a row that the account once had. Stores numbers
// instead of texts, because an account may have hundreds of thousands of rows.
import { defined } from '@playhead/sdk'
import { compareItems, fingerprint, type Item, itemKey, parseTime, tokensOf } from '@playhead/sdk/items'
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

/** Rows are packed with their tokens into one number: 32 bits of a hash, 21 bits of the row. */
const ROWS = 2 ** 21

/** @param isIncluded selects the rows that count. @param toleranceMs tolerance for the times of plays */
export function createRowMatcher(
  rows: SideRows,
  isIncluded: (index: number) => boolean,
  { plays, toleranceMs }: { readonly plays: boolean; readonly toleranceMs: number },
): RowMatcher {
  const packed: number[] = []
  for (let index = 0; index < rows.size; index += 1)
    if (isIncluded(index)) {
      const item = rows.item(index)
      // Only plays of about the same time are compared: a title may have thousands.
      const day = plays ? dayOf(item) : undefined
      for (const name of namesOf(item)) packed.push(hashOf(named(name, day)) * ROWS + index)
    }
  const sorted = Float64Array.from(packed).sort()
  packed.length = 0
  const taken = new Uint8Array(rows.size)
  const met = new Uint8Array(rows.size)

  function rowsNamed(name: string): number[] {
    const first = hashOf(name) * ROWS
    const found: number[] = []
    for (let at = lowerBound(sorted, first); at < sorted.length && sorted[at]! < first + ROWS; at += 1)
      found.push(sorted[at]! - first)
    return found
  }

  return {
    take(item, value) {
      const names = namesOf(item)
      const text = JSON.stringify(item)
      let best: { readonly index: number; readonly rank: number } | undefined
      let isPresent = false
      const day = plays ? dayOf(item) : undefined
      const days = typeof day === 'number' ? [day, day - 1, day + 1] : [day]
      for (const index of new Set(names.flatMap((name) => days.flatMap((each) => rowsNamed(named(name, each)))))) {
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
const DAY_MS = 86_400_000

/** `none` for a play without a time. */
function dayOf({ watched_at: text }: Item): number | 'none' {
  const time = parseTime(text)
  return time === undefined ? 'none' : Math.floor(time.atMs / DAY_MS)
}

function named(name: string, day: number | 'none' | undefined): string {
  return day === undefined ? name : `${name}@${day}`
}

function hashOf(name: string): number {
  return fingerprint(name) % 0x1_0000_0000
}

function lowerBound(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
