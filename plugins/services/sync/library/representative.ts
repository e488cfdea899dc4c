// The rows that stand for an account in a group. A manual add has precedence over the account's own row.
import { pairPlays, type Time } from '@playhead/sdk'
import { contradict, timeOf } from './match.ts'
import type { SideRows } from './rows.ts'

interface Representative {
  /** -1: none. */
  readonly index: number
  /** All rows agree on the value. */
  readonly clear: boolean
  /** Further rows, which must not contradict it. */
  readonly more: readonly number[]
  /** A manual add stands for the account: alone, or with a row of the account that says the same. */
  readonly byHand?: 'only' | 'too'
}

export function representativeOf(rows: SideRows, indexes: readonly number[]): Representative {
  const given = rows.total === rows.size ? [] : indexes.filter((index) => rows.isByHand(index))
  const own = given.length === 0 ? indexes : indexes.filter((index) => !rows.isByHand(index))
  const adds = given.filter((index) => rows.skip(index) === undefined)
  // An add without a value that this feature can use stands for nothing that the account has.
  if (adds.length === 0) return best(rows, own.length === 0 ? given : own)
  const add = best(rows, adds)
  const items = [...adds, ...own].map((index) => rows.item(index))
  if (contradict(items)) return { index: add.index, clear: false, more: [...add.more, ...own], byHand: 'only' }
  const used = own.filter((index) => rows.skip(index) === undefined)
  const known = best(rows, used.length === 0 ? own : used)
  if (known.index >= 0) rows.joinByHand(add.index, known.index)
  const isSame = used.length > 0 && rows.value(known.index) === rows.value(add.index)
  return { index: add.index, clear: add.clear, more: [], byHand: isSame ? 'too' : 'only' }
}

/** The row that stands for all of them, and whether the others agree with it. */
function best(rows: SideRows, indexes: readonly number[]): Representative {
  if (indexes.length === 0) return { index: -1, clear: true, more: [] }
  if (indexes.length === 1) return { index: indexes[0]!, clear: true, more: [] }
  const more = (chosen: number) => indexes.filter((index) => index !== chosen)
  const used = indexes.filter((index) => rows.skip(index) === undefined)
  if (used.length === 0) return { index: indexes[0]!, clear: true, more: more(indexes[0]!) }
  const rank = Math.max(...used.map((index) => rows.rank(index) ?? -Infinity))
  const top = used.filter((index) => (rows.rank(index) ?? -Infinity) === rank)
  const clear = top.every((index) => rows.value(index) === rows.value(top[0]!))
  // Independent of the order of the rows.
  const chosen = top.reduce((least, index) => (rows.json(index) < rows.json(least) ? index : least))
  return { index: chosen, clear, more: more(chosen) }
}

interface Plays {
  /** The rows of the account, and the manual adds of plays that it does not have. */
  readonly indexes: readonly number[]
  /** Rows of the account that were also added by hand. */
  readonly given: ReadonlySet<number>
}

const NONE: ReadonlySet<number> = new Set()

export function playsOf(rows: SideRows, indexes: readonly number[], toleranceMs: number): Plays {
  if (rows.total === rows.size || !indexes.some((index) => rows.isByHand(index))) return { indexes, given: NONE }
  const timed = (all: readonly number[]) =>
    all.flatMap((index): (Time & { readonly index: number })[] => {
      const time = rows.skip(index) === undefined ? timeOf(rows.item(index)) : undefined
      return time === undefined ? [] : [{ ...time, index }]
    })
  const own = indexes.filter((index) => !rows.isByHand(index))
  const adds = timed(indexes.filter((index) => rows.isByHand(index)))
  const { pairs, onlyB } = pairPlays(timed(own), adds, toleranceMs)
  return { indexes: [...own, ...onlyB.map(({ index }) => index)], given: new Set(pairs.map(([play]) => play.index)) }
}
