// What the base remembers of an item, as far as matching has to know it: the bits of a number, and a fingerprint for
// each side.
import { fingerprint } from '@playhead/sdk'
import type { BaseRow, BaseState, PendingState, SeenState } from '../store/base.ts'

export const SEEN = { a: 1, b: 2 } as const
export const DORMANT = { a: 4, b: 8 } as const
/** Seen on both sides, and nothing else is remembered of it. */
export const AT_REST = 16
/** Seen on one side, and the other confirmed that it was added there; nothing else is remembered of it. */
export const AWAITED = 32

export function flagsOf({ state }: Pick<BaseRow, 'state'>): number {
  return (
    (state.a === undefined ? 0 : SEEN.a) |
    (state.b === undefined ? 0 : SEEN.b) |
    (state.a?.d === undefined ? 0 : DORMANT.a) |
    (state.b?.d === undefined ? 0 : DORMANT.b) |
    (isAtRestWith(state) ? AT_REST : 0) |
    (isAwaited(state) ? AWAITED : 0)
  )
}

/** Both sides were seen when they were last read, and nothing is open. */
export function isAtRestWith(state: BaseState): boolean {
  return (
    state.a !== undefined &&
    state.b !== undefined &&
    state.a.at === undefined &&
    state.b.at === undefined &&
    Object.keys(state).length === 2
  )
}

function isAwaited(state: BaseState): boolean {
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
export function printOf(seen: SeenState | undefined, pending: PendingState | undefined): number {
  return seen === undefined && pending !== undefined ? fingerprint(pending.v) : (seen?.h ?? Number.NaN)
}
