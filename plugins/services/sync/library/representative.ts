// The rows that represent an account in a group. A manual add takes precedence over the account's own row.
import { anyContradict, pairPlays, type Time } from '@playhead/sdk/items'
import { timeOf } from './match.ts'
import type { SideRows } from './rows.ts'

interface Representative {
  /** -1 if there is none. */
  readonly index: number
  /** All rows agree on the value. */
  readonly clear: boolean
  /** Further rows. They must not contradict the first one. */
  readonly more: readonly number[]
  /** A manual add represents the account: alone, or together with an equal row of the account. */
  readonly byHand?: 'only' | 'too'
}

export function representativeOf(rows: SideRows, indexes: readonly number[]): Representative {
  const given = rows.total === rows.size ? [] : indexes.filter((index) => rows.isByHand(index))
  const own = given.length === 0 ? indexes : indexes.filter((index) => !rows.isByHand(index))
  const adds = given.filter((index) => rows.skip(index) === undefined)
  // An add whose value this feature cannot use represents no row of the account.
  if (adds.length === 0) return best(rows, own.length === 0 ? given : own)
  const add = best(rows, adds)
  const items = [...adds, ...own].map((index) => rows.item(index))
  if (anyContradict(items)) return { index: add.index, clear: false, more: [...add.more, ...own], byHand: 'only' }
  const used = own.filter((index) => rows.skip(index) === undefined)
  const known = best(rows, used.length === 0 ? own : used)
  if (known.index >= 0) rows.joinByHand(add.index, known.index)
  const isSame = used.length > 0 && rows.value(known.index) === rows.value(add.index)
  return { index: add.index, clear: add.clear, more: [], byHand: isSame ? 'too' : 'only' }
}

/** The row that represents the group, and whether all rows agree with it. */
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
  /** The rows of the account, and manual adds of plays that the account lacks. */
  readonly indexes: readonly number[]
  /** Rows of the account for which a manual add exists too. */
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
