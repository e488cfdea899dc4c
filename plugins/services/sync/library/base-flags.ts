// The base in the form that matching needs: flags as bits of a number, and the expected fingerprint of each side.
import { fingerprint } from '@playhead/sdk/items'
import type { BaseRow, BaseState, PendingState, SeenState } from '../store/base.ts'
import type { SideRows } from './rows.ts'
import { other } from '../feature-run.ts'

export const SEEN = { a: 1, b: 2 } as const
export const DORMANT = { a: 4, b: 8 } as const
/** Seen on both sides, without further state. */
const SYNCED = 16
/** Seen on one side and confirmed as added on the other, without further state. */
const ADD_CONFIRMED = 32
/** The seen row comes from a manual add. */
export const BY_HAND = { a: 64, b: 128 } as const
/** The other side was written because of the manual add. */
export const CARRIED = { a: 256, b: 512 } as const

export function flagsOf({ state }: Pick<BaseRow, 'state'>): number {
  return (
    (state.a === undefined ? 0 : SEEN.a) |
    (state.b === undefined ? 0 : SEEN.b) |
    (state.a?.d === undefined ? 0 : DORMANT.a) |
    (state.b?.d === undefined ? 0 : DORMANT.b) |
    (state.a?.m === undefined ? 0 : BY_HAND.a) |
    (state.b?.m === undefined ? 0 : BY_HAND.b) |
    (state.a?.m === 2 ? CARRIED.a : 0) |
    (state.b?.m === 2 ? CARRIED.b : 0) |
    (isSyncedState(state) ? SYNCED : 0) |
    (isAddConfirmed(state) ? ADD_CONFIRMED : 0)
  )
}

/** Both sides were seen in their last read, and nothing is pending or unresolved. */
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

/** The fingerprint of the last seen row, or else of the written value. */
export function expectedFingerprint(seen: SeenState | undefined, pending: PendingState | undefined): number {
  return seen === undefined && pending !== undefined ? fingerprint(pending.v) : (seen?.h ?? Number.NaN)
}

export type Numbers = readonly number[]

/** Groups as columns of numbers. */
export interface Matched {
  /** Flags of the base rows. */
  readonly flags: Numbers
  /** Fingerprints of each side, from expectedFingerprint(). */
  readonly fingerprints: { readonly a: Numbers; readonly b: Numbers }
  /** Per group: index into the base, row of a, row of b; -1 for none. */
  readonly gBase: Numbers
  readonly gA: Numbers
  readonly gB: Numbers
  readonly ambiguous: ReadonlySet<number>
  readonly unsure: Readonly<Record<'a' | 'b', ReadonlySet<number>>>
  readonly bases: ReadonlyMap<number, readonly number[]>
  readonly more: ReadonlyMap<number, readonly { readonly side: 'a' | 'b'; readonly index: number }[]>
  readonly byHand: ByHand
  readonly a: SideRows
  readonly b: SideRows
}

/** Manual adds by group and side. `only`: the account has no such row. `too`: the account has an equal row. */
type ByHand = Readonly<Record<'a' | 'b', ReadonlyMap<number, 'only' | 'too'>>>

/** Both sides are unchanged since they were last seen, and agree. */
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
 * One side is unchanged, and the other shows the row that was added there, with its value and without new ids. Only the
 * seen mark has to be stored.
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
  // A new id has to be stored with the item; ids from a mapping are not stored.
  if (rows[from].isRenamed(index[from]) || rows[to].isRenamed(index[to])) return false
  const known = rows[from].tokens(index[from])
  return rows[to].tokens(index[to]).every((token) => known.includes(token))
}

/** One row on each side with the same value, and neither is ambiguous or unclear. */
function agree(matched: Matched, group: number): boolean {
  const { gA, gB, ambiguous, unsure, bases, more, a, b } = matched
  const [aIndex, bIndex] = [gA[group]!, gB[group]!]
  return (
    restsOnAddAsBefore(matched, group, 'a') &&
    restsOnAddAsBefore(matched, group, 'b') &&
    aIndex >= 0 &&
    bIndex >= 0 &&
    a.value(aIndex) === b.value(bIndex) &&
    a.skip(aIndex) === undefined &&
    b.skip(bIndex) === undefined &&
    !ambiguous.has(group) &&
    !bases.has(group) &&
    !more.has(group) &&
    !unsure.a.has(group) &&
    !unsure.b.has(group)
  )
}

function restsOnAddAsBefore({ flags, gBase, byHand }: Matched, group: number, side: 'a' | 'b'): boolean {
  const before = (flags[gBase[group]!]! & BY_HAND[side]) !== 0
  // A row that this run is about to add was not seen before.
  const known = (flags[gBase[group]!]! & SEEN[side]) !== 0
  const now = byHand[side].get(group) === 'only'
  return before === now || (!known && !now)
}
