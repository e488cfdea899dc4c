// What is remembered of a group after a run: what was seen, what was written and not seen yet, what is left for the
// next run.
import type { Side } from '@playhead/sdk'
import type { BaseState, PendingState, SeenState } from '../store/base.ts'
import type { Planned, PlanOp } from '../plan/planning.ts'
import { other, SIDES } from '../feature-run.ts'
import { type GroupView, isVisible } from '../plan/view.ts'

export interface NextInput {
  readonly planned: Planned
  readonly index: number
  readonly view: GroupView
  readonly ops: readonly PlanOp[]
  /** The end of this run's reads will count as the time at which rows were seen. */
  readonly advances: Readonly<Record<Side, boolean>>
}

/**
 * null: nothing is remembered. Anything undecided leaves the memory as it was, so that the next run decides the same
 * again.
 */
export function nextState(input: NextInput): BaseState | null {
  const { view, ops, planned } = input
  const old = view.base?.state
  const real = ops.filter(({ reason }) => reason !== 'own_write')
  const may = real.some((op) => mayBeWritten(op, planned))
  const ignored = view.lost.find(({ pending }) => pending.o === 'remove')
  if (ignored !== undefined && !view.ambiguous) return removalIgnored(input, ignored.side)
  if (view.ambiguous || real.some((op) => !isSettled(op) && !mayBeWritten(op, planned))) return unchanged(input)
  if (real.length > 0 || may) return written(input, real)
  return observed(input, old)
}

export function isSettled(op: PlanOp): boolean {
  return op.state === 'applied' || op.state === 'already'
}

/** A play whose write may have happened waits like one that was confirmed: written twice it would be two. */
function mayBeWritten(op: PlanOp, { run }: Planned): boolean {
  return op.state === 'unknown' && run.plays && op.op === 'add'
}

function unchanged(input: NextInput): BaseState | null {
  const { view, ops } = input
  const old = view.base?.state
  // An item that waits is known to have been here: when it is allowed again, it is not new.
  if (old === undefined) {
    return ops.some(({ reason, state }) => (state === 'filtered' ? reason === 'tombstone' : state !== 'deferred'))
      ? { k: 1 }
      : null
  }
  const { k: _k, ...rest } = old
  const isTombstoned = ops.some(({ reason, side }) => reason === 'tombstone' && old[other(side)] === undefined)
  return compose({
    ...rest,
    a: stillSeen(input, 'a'),
    b: stillSeen(input, 'b'),
    pa: stillPending(input, 'a'),
    pb: stillPending(input, 'b'),
    ...(isTombstoned || (old.k === 1 && Object.keys(rest).length === 0) ? { k: 1 as const } : {}),
  })
}

/**
 * The service confirmed a removal and shows the item all the same, long after: perhaps the person put it back before it
 * was looked for. It is not removed again; it stays where it is, and is shown, until something changes.
 */
function removalIgnored(input: NextInput, side: Side): BaseState | null {
  return compose({ [side]: seenNow(input, side), s: divergedState(input, 'write_not_visible') })
}

function written(input: NextInput, ops: readonly PlanOp[]): BaseState | null {
  const { view } = input
  const next: { a?: SeenState; b?: SeenState; pa?: PendingState; pb?: PendingState } = {}
  for (const side of SIDES) {
    const op = ops.find((each) => each.side === side)
    const row = view.group[side]
    const slot = side === 'a' ? 'pa' : 'pb'
    const present = row === null ? stillSeen(input, side) : seenNow(input, side)
    if (op === undefined) {
      next[side] = present
      next[slot] = row === null ? stillPending(input, side) : undefined
    } else if (op.seen === null) next[side] = undefined
    else if (op.seen !== undefined && op.op !== 'remove')
      next[side] = {
        v: op.seen,
        ...(op.evidenceMs === undefined ? {} : { e: op.evidenceMs }),
        ...(op.seenAs === undefined ? {} : { h: op.seenAs }),
      }
    else {
      // What the side is about to get again was not lost there: should the write never show, it is added once more.
      next[side] = op.op === 'add' && row === null ? undefined : present
      const at = { o: op.op, v: op.value, t: input.planned.run.engine.now() }
      // It was looked for right after it was sent.
      next[slot] = op.state === 'unknown' ? { ...at, m: 1, u: 1 } : { ...at, m: 0 }
    }
  }
  // Removed here and proven gone there.
  if (ops.some((op) => op.op === 'remove' && op.seen === null) && view.group[other(ops[0]!.side)] === null) return null
  return compose(next)
}

function observed(input: NextInput, old: BaseState | undefined): BaseState | null {
  const { view, planned, index } = input
  const { group } = view
  const decision = planned.stateOf(index)
  if (old === undefined && (decision === 'none' || decision === 'ambiguous')) return null
  const gone = SIDES.every((side) => isGone(input, side))
  const pending = { a: stillPending(input, 'a'), b: stillPending(input, 'b') }
  if (gone && pending.a === undefined && pending.b === undefined) return null
  const reason = planned.divergedBecause(index)
  // What is undecided, or left apart, must look the same to the next run; but a write that shows now is seen.
  const frozen = planned.isUndecided(index) || reason !== undefined
  const nextSeen = (side: Side) => {
    if (group[side] !== null) {
      if (pending[side] !== undefined) return old?.[side] ?? (frozen ? undefined : seenNow(input, side))
      return frozen && !hadOwnWrite(input, side) ? keepSeen(input, side) : seenNow(input, side)
    }
    return stillSeen(input, side)
  }
  const waits = pending.a !== undefined || pending.b !== undefined
  const settled =
    reason === undefined
      ? old?.s !== undefined && (waits || stillSettled(view))
        ? old.s
        : undefined
      : divergedState(input, reason)
  const next = compose({ a: nextSeen('a'), b: nextSeen('b'), pa: pending.a, pb: pending.b, s: settled })
  // A mere sighting stays one.
  return next ?? (old?.k === 1 && !gone ? { k: 1 } : null)
}

/** An own write of the side was waiting, and is over. */
function hadOwnWrite({ view, planned, index }: NextInput, side: Side): boolean {
  const pending = side === 'a' ? view.base?.state.pa : view.base?.state.pb
  return pending !== undefined || planned.isWriteOver(index, side)
}

function divergedState({ view: { group, base } }: NextInput, reason: string): BaseState['s'] {
  const value = (side: Side) => {
    const presence = side === 'a' ? group.presenceA : group.presenceB
    return presence === 'unknown'
      ? (base?.state.s?.[side] ?? base?.state[side]?.v ?? null)
      : (group[side]?.value ?? null)
  }
  return { a: value('a'), b: value('b'), r: reason }
}

/** Both sides are as they were left; of what is unknown nobody says otherwise. */
export function stillSettled({ group, base }: GroupView): boolean {
  const settled = base?.state.s
  if (settled === undefined) return false
  const same = (side: Side) =>
    (side === 'a' ? group.presenceA : group.presenceB) === 'unknown' || settled[side] === (group[side]?.value ?? null)
  return same('a') && same('b')
}

/** Proven absent by a read that nobody doubts. */
function isGone({ view, planned: { checks } }: NextInput, side: Side): boolean {
  return (side === 'a' ? view.group.presenceA : view.group.presenceB) === 'absent' && checks.implausible[side] === null
}

function seenNow({ view, index, planned }: NextInput, side: Side): SeenState | undefined {
  return view.group[side] === null ? undefined : rowSeen(planned, index, side)
}

/** Of a group with a row on each side that nothing is waiting for. */
export function seenOnBoth(planned: Pick<Planned, 'groups' | 'reads'>, index: number): BaseState {
  return { a: rowSeen(planned, index, 'a'), b: rowSeen(planned, index, 'b') }
}

function rowSeen({ groups, reads }: Pick<Planned, 'groups' | 'reads'>, index: number, side: Side): SeenState {
  const { rows } = reads[side]
  const at = side === 'a' ? groups.aOf(index) : groups.bOf(index)
  const evidenceMs = rows.evidence(at)
  return { v: rows.value(at), ...(evidenceMs === undefined ? {} : { e: evidenceMs }), h: rows.fingerprint(at) }
}

/** As `keep`, but for what the engine removed itself and is gone now: no person removed that. */
function stillSeen(input: NextInput, side: Side): SeenState | undefined {
  const own = side === 'a' ? input.view.base?.state.pa : input.view.base?.state.pb
  return own?.o === 'remove' && isGone(input, side) ? undefined : keepSeen(input, side)
}

/** As it was seen before, with the time of that as soon as it is not seen any more. */
function keepSeen({ view, advances, planned: { run, reads, checks } }: NextInput, side: Side): SeenState | undefined {
  const old = view.base?.state[side]
  if (old === undefined) return undefined
  const { v, e, h, at, n = 0, f = reads[side].atMs } = old
  const value = { v, ...(e === undefined ? {} : { e }), ...(h === undefined ? {} : { h }) }
  if (view.group[side] !== null) return at === undefined ? value : { ...value, at }
  const when = at ?? (advances[side] ? (run.state?.readAtMs[side] ?? 0) : undefined)
  if (view.dormant[side]) return { ...value, ...(when === undefined ? {} : { at: when }), d: 1 }
  // After the read that told of it, only whole ones are further witnesses; one that is doubted is none.
  const counts = advances[side] && (reads[side].whole || at === undefined) && checks.implausible[side] === null
  const missed = counts ? { n: n + 1, f } : n === 0 ? {} : { n, f }
  return { ...value, ...(when === undefined ? {} : { at: when }), ...missed }
}

/** A confirmed write that is not visible yet, one read older; undefined when it shows or is given up. */
function stillPending(input: NextInput, side: Side): PendingState | undefined {
  const { view, advances } = input
  const pending = side === 'a' ? view.base?.state.pa : view.base?.state.pb
  const given = side === 'a' ? view.group.base?.pendingA : view.group.base?.pendingB
  // What the feature was not told of was given up.
  if (pending === undefined || (view.base?.state.k !== 1 && given == null)) return undefined
  const presence = side === 'a' ? view.group.presenceA : view.group.presenceB
  if (presence === 'unknown') return pending
  // Nothing is gone by a read that is doubted.
  if (pending.o === 'remove' && presence === 'absent' && !isGone(input, side)) return pending
  if (isVisible(pending, view.group[side], view.base?.state[side])) return undefined
  return advances[side] ? { ...pending, m: pending.m + 1 } : pending
}

/** In one order, so that equal memories are equal texts. */
function compose({
  a,
  b,
  pa,
  pb,
  s,
  k,
}: { readonly [name in keyof BaseState]?: BaseState[name] | undefined }): BaseState | null {
  const state: BaseState = {
    ...(a === undefined ? {} : { a }),
    ...(b === undefined ? {} : { b }),
    ...(pa === undefined ? {} : { pa }),
    ...(pb === undefined ? {} : { pb }),
    ...(s === undefined ? {} : { s }),
    ...(k === undefined ? {} : { k }),
  }
  return Object.keys(state).length === 0 ? null : state
}
