// What the base remembers of an item, as far as matching has to know it: the bits of a number, and a fingerprint for
// each side.
import { fingerprint } from '@playhead/sdk'
import type { BaseRow, BaseState, PendingState, SeenState } from '../store/base.ts'
import type { SideRows } from './rows.ts'
import { other } from '../feature-run.ts'

export const SEEN = { a: 1, b: 2 } as const
export const DORMANT = { a: 4, b: 8 } as const
/** Seen on both sides, and nothing else is remembered of it. */
export const SYNCED = 16
/** Seen on one side, and the other confirmed that it was added there; nothing else is remembered of it. */
export const ADD_CONFIRMED = 32

export function flagsOf({ state }: Pick<BaseRow, 'state'>): number {
  return (
    (state.a === undefined ? 0 : SEEN.a) |
    (state.b === undefined ? 0 : SEEN.b) |
    (state.a?.d === undefined ? 0 : DORMANT.a) |
    (state.b?.d === undefined ? 0 : DORMANT.b) |
    (isSyncedState(state) ? SYNCED : 0) |
    (isAddConfirmed(state) ? ADD_CONFIRMED : 0)
  )
}

/** Both sides were seen when they were last read, and nothing is open. */
export function isSyncedState(state: BaseState): boolean {
  return (
    state.a !== undefined &&
    state.b !== undefined &&
    state.a.at === undefined &&
    state.b.at === undefined &&
    Object.keys(state).length === 2
  )
}

function isAddConfirmed(state: BaseState): boolean {
  const [seen, pending] = state.a === undefined ? [state.b, state.pa] : [state.a, state.pb]
  return (
    Object.keys(state).length === 2 &&
    seen !== undefined &&
    seen.at === undefined &&
    seen.d === undefined &&
    pending?.o === 'add' &&
    pending.u === undefined
  )
}

/** Of the row that was seen last on a side, else of the value that was written there. */
export function expectedFingerprint(seen: SeenState | undefined, pending: PendingState | undefined): number {
  return seen === undefined && pending !== undefined ? fingerprint(pending.v) : (seen?.h ?? Number.NaN)
}

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
export function isUnchanged(matched: Matched, group: number): boolean {
  const { flags, fingerprints, gBase, gA, gB, a, b } = matched
  const at = gBase[group]!
  return (
    at >= 0 &&
    (flags[at]! & SYNCED) !== 0 &&
    agree(matched, group) &&
    fingerprints.a[at]! === a.fingerprint(gA[group]!) &&
    fingerprints.b[at]! === b.fingerprint(gB[group]!)
  )
}

/**
 * One side is to the letter as it was seen last, the other has what was added there, of the same value, and none of its
 * ids is new: nothing is to be decided, and nothing is to be learnt but that it was seen.
 */
export function showsConfirmedAdd(matched: Matched, group: number): boolean {
  const { flags, fingerprints, gBase, gA, gB, a, b } = matched
  const at = gBase[group]!
  if (at < 0 || (flags[at]! & ADD_CONFIRMED) === 0 || !agree(matched, group)) return false
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
