// Finds rows of a read: the row of an operation, and a row of its own for each row of a target. Hashes of names are packed with the
// rows into numbers, because an account may have hundreds of thousands of rows.
import { defined } from '@playhead/sdk'
import {
  anyContradict,
  compareItems,
  fingerprint,
  type Item,
  itemKey,
  parseTime,
  REPORTED_PLAY_MS,
  sameTime,
  tokensOf,
} from '@playhead/sdk/items'
import type { FeatureRun } from '../feature-run.ts'
import type { SideRows } from './rows.ts'

type Compared = Pick<FeatureRun, 'plays' | 'comparing'>

export type Lookup = ReturnType<typeof createLookup>

/** For verifying writes, and for checking a row right before it is removed. */
export function createLookup({ plays, comparing: { toleranceMs } }: Compared, rows: SideRows) {
  const namesOf = (item: Item) => tokensOf(item, { within: 'provider' })
  const byEvent = new Map<string, number>()
  const candidatesFor = createRowNames(rows, {
    namesOf,
    plays,
    onRow({ native }, index) {
      if (plays && native?.event_id !== undefined) byEvent.set(native.event_id, index)
    },
  })

  return {
    /** The row; null if there is none; undefined if the match is ambiguous. */
    find(item: Item): number | null | undefined {
      const event = item.native?.event_id
      if (plays && event !== undefined && byEvent.has(event)) return byEvent.get(event)
      const wanted = plays ? parseTime(item.watched_at) : undefined
      if (plays && wanted === undefined) return undefined
      const names = new Set(namesOf(item))
      const met = [...candidatesFor(item)]
        .map((index) => ({ index, row: rows.item(index) }))
        .filter(({ row }) => namesOf(row).some((name) => names.has(name)))
      if (met.some(({ row }) => anyContradict([item, row]))) return undefined
      if (!plays) {
        const values = new Set(met.map(({ index }) => rows.value(index)))
        return values.size > 1 ? undefined : (met[0]?.index ?? null)
      }
      const near = met.find(({ row }) => {
        const time = parseTime(row.watched_at)
        return time !== undefined && sameTime(time, wanted!, toleranceMs)
      })
      return near?.index ?? null
    },
  }
}

/** For rows that the account once had. @param isIncluded selects the rows that count */
export function createRowMatcher(
  { plays, comparing }: Compared,
  rows: SideRows,
  isIncluded: (index: number) => boolean,
) {
  const toleranceMs = Math.max(REPORTED_PLAY_MS, comparing.toleranceMs)
  const candidatesFor = createRowNames(rows, { namesOf: allNamesOf, plays, isIncluded })
  const taken = new Uint8Array(rows.size)
  const met = new Uint8Array(rows.size)

  return {
    /**
     * Takes the best free row. `present`: there is no free row, but a taken row is the same item, or a play of it at the same
     * time. Null: the account does not have the item.
     */
    take(item: Item, value: string): number | 'present' | null {
      const names = allNamesOf(item)
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
    isTaken: (index: number) => taken[index] === 1,
    /** The row is the same item as a requested one. */
    isMet: (index: number) => met[index] === 1,
  }
}

/** Tokens, including those of the own server, and the title. */
function allNamesOf(item: Item): readonly string[] {
  return [...tokensOf(item, { within: 'account' }), titleNameOf(item)]
}

function titleNameOf({ type, title, year, season, episode, series_title, series_year }: Item): string {
  return `~${itemKey({ ...defined({ type, title, year, season, episode, series_title, series_year }), ids: {} })}`
}

/** Matches an item without ids by its title, because a service may have learned or lost ids since. */
function isSame(item: Item, names: readonly string[], row: Item): boolean {
  const rowNames = allNamesOf(row)
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

interface NamedRows {
  namesOf(item: Item): readonly string[]
  /** Only plays of about the same time are found: a title may have thousands. */
  readonly plays: boolean
  isIncluded?(index: number): boolean
  /** Called once for each row that is included. */
  onRow?(item: Item, index: number): void
}

const DAY_MS = 86_400_000
/** 32 bits of a hash, 21 bits of the row. */
const ROWS = 2 ** 21

/** The result finds rows with a name of the item. Hashes may collide, so compare them. */
function createRowNames(
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
