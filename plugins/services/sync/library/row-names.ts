// Finds the rows that may be an item by their names. Hashes of names are packed with the rows into numbers, because an account
// may have hundreds of thousands of rows.
import { fingerprint, type Item, parseTime } from '@playhead/sdk/items'
import type { SideRows } from './rows.ts'

interface NamedRows {
  namesOf(item: Item): readonly string[]
  /** Only plays of about the same time are found: a title may have thousands. */
  readonly plays: boolean
  isIncluded?(index: number): boolean
  /** Called once for each row that is included. */
  onRow?(item: Item, index: number): void
}

export const DAY_MS = 86_400_000
/** 32 bits of a hash, 21 bits of the row. */
const ROWS = 2 ** 21

/** The result finds rows with a name of the item. Hashes may collide, so compare them. */
export function createRowNames(
  rows: SideRows,
  { namesOf, plays, isIncluded = () => true, onRow }: NamedRows,
): (item: Item) => ReadonlySet<number> {
  const packed: number[] = []
  for (let index = 0; index < rows.size; index += 1)
    if (isIncluded(index)) {
      const item = rows.item(index)
      onRow?.(item, index)
      const day = plays ? dayOf(item) : undefined
      for (const name of namesOf(item)) packed.push(firstOf(name, day) + index)
    }
  const sorted = Float64Array.from(packed).sort()
  packed.length = 0

  return (item) => {
    const day = plays ? dayOf(item) : undefined
    const days = typeof day === 'number' ? [day, day - 1, day + 1] : [day]
    const found = new Set<number>()
    for (const name of namesOf(item))
      for (const first of days.map((each) => firstOf(name, each)))
        for (let at = lowerBound(sorted, first); at < sorted.length && sorted[at]! < first + ROWS; at += 1)
          found.add(sorted[at]! - first)
    return found
  }
}

/** The lowest number of a name. */
function firstOf(name: string, day: number | 'none' | undefined): number {
  return (fingerprint(day === undefined ? name : `${name}@${day}`) % 0x1_0000_0000) * ROWS
}

/** `none` for a play without a time. */
function dayOf({ watched_at: text }: Item): number | 'none' {
  const time = parseTime(text)
  return time === undefined ? 'none' : Math.floor(time.atMs / DAY_MS)
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
