// Groups that need not be put before their feature, because whatever the rules there is nothing to do.
import { fingerprint } from '@playhead/sdk'
import { AT_REST, AWAITED, SEEN } from './base-flags.ts'
import type { SideRows } from './rows.ts'
import { other } from './types.ts'

export type Numbers = readonly number[]

/** Groups as columns of numbers, as they were matched. */
export interface Matched {
  /** Of the rows of the base. */
  readonly flags: Numbers
  /** What is expected of each side, as `printOf` gives it. */
  readonly fingerprints: { readonly a: Numbers; readonly b: Numbers }
  /** Of each group: index into the base, row of a, row of b; -1 for none. */
  readonly gBase: Numbers
  readonly gA: Numbers
  readonly gB: Numbers
  readonly ambiguous: ReadonlySet<number>
  readonly unsure: ReadonlySet<number>
  readonly bases: ReadonlyMap<number, readonly number[]>
  readonly more: ReadonlyMap<number, readonly { readonly side: 'a' | 'b'; readonly index: number }[]>
  readonly a: SideRows
  readonly b: SideRows
}

/** Both sides are to the letter as they were seen last, and agree. */
export function isAtRest(matched: Matched, group: number): boolean {
  const { flags, fingerprints, gBase, gA, gB, a, b } = matched
  const at = gBase[group]!
  return (
    at >= 0 &&
    (flags[at]! & AT_REST) !== 0 &&
    agree(matched, group) &&
    fingerprints.a[at]! === a.fingerprint(gA[group]!) &&
    fingerprints.b[at]! === b.fingerprint(gB[group]!)
  )
}

/**
 * One side is to the letter as it was seen last, the other has what was added there, of the same value, and none of its
 * ids is new: nothing is to be decided, and nothing is to be learnt but that it was seen.
 */
export function hasArrived(matched: Matched, group: number): boolean {
  const { flags, fingerprints, gBase, gA, gB, a, b } = matched
  const at = gBase[group]!
  if (at < 0 || (flags[at]! & AWAITED) === 0 || !agree(matched, group)) return false
  const [rows, index] = [
    { a, b },
    { a: gA[group]!, b: gB[group]! },
  ]
  const from = (flags[at]! & SEEN.a) !== 0 ? 'a' : 'b'
  const to = other(from)
  if (
    fingerprints[from][at]! !== rows[from].fingerprint(index[from]) ||
    fingerprints[to][at]! !== fingerprint(rows[to].value(index[to]))
  )
    return false
  // An id that was not known yet has to be remembered with the item.
  const known = rows[from].tokens(index[from])
  return rows[to].tokens(index[to]).every((token) => known.includes(token))
}

/** One row on each side, of the same value, and no doubt about either. */
function agree({ gA, gB, ambiguous, unsure, bases, more, a, b }: Matched, group: number): boolean {
  const [aIndex, bIndex] = [gA[group]!, gB[group]!]
  return (
    aIndex >= 0 &&
    bIndex >= 0 &&
    a.value(aIndex) === b.value(bIndex) &&
    a.skip(aIndex) === undefined &&
    b.skip(bIndex) === undefined &&
    !ambiguous.has(group) &&
    !bases.has(group) &&
    !more.has(group) &&
    !unsure.has(group * 2) &&
    !unsure.has(group * 2 + 1)
  )
}
