// The base state of a group after a run: seen rows, writes that are not visible yet, and diverged values.
import { defined, type Side } from '@playhead/sdk'
import { rowIn } from '../library/groups.ts'
import { type BaseState, type PendingState, type SeenState, slotOf } from '../store/base.ts'
import { CARRIED } from '../library/base-flags.ts'
import type { Planned, PlanOp } from '../plan/planned.ts'
import { bySide, type FeatureRun, other, SIDES } from '../feature-run.ts'
import { RECORDED } from '../plan/filters.ts'
import { ASKED, FINISHED } from '../plan/watched.ts'
import { type GroupView, isVisible, presenceOf, seenAt, stillSettled } from '../plan/view.ts'

interface NextInput {
  readonly planned: Planned
  readonly index: number
  readonly view: GroupView
  readonly ops: readonly PlanOp[]
  /** The end of this run's reads becomes the last-seen time of rows. */
  readonly advances: Readonly<Record<Side, boolean>>
}

/** Null if no state is stored. An undecided group keeps its state, so that the next run decides the same. */
export function nextState(input: NextInput): BaseState | null {
  const { view, ops } = input
  const ignored = view.lost.find(({ pending }) => pending.o === 'remove')
  if (ignored !== undefined && !view.ambiguous) return removalIgnored(input, ignored.side)
  if (!view.ambiguous && ops.some(({ reason }) => reason === RECORDED)) return repeated(input)
  const isOpen = (op: PlanOp) => !isSettled(op) && !mayBeWritten(op) && op.awaits === undefined
  if (view.ambiguous || ops.some(isOpen)) return unchanged(input)
  return ops.length > 0 ? written(input) : observed(input)
}

export function isSettled(op: Pick<PlanOp, 'state'>): boolean {
  return op.state === 'applied' || op.state === 'already'
}

/** What may have been written counts as pending: a row that shows later comes from this write, and a second play must not be added. */
function mayBeWritten({ state, op }: PlanOp): boolean {
  return state === 'unknown' && op !== 'remove'
}

function unchanged(input: NextInput): BaseState | null {
  const old = input.view.base?.state
  if (old === undefined) return null
  return compose(
    bySide((side) => stillSeen(input, side)),
    bySide((side) => pendingUndecided(input, side)),
    old.s,
  )
}

/** The sides stay different until one of them changes, even after the recorded play is forgotten. */
function repeated(input: NextInput): BaseState | null {
  return compose(
    bySide((side) => seenNow(input, side) ?? keepSeen(input, side)),
    bySide((side) => stillPending(input, side)),
    divergedState(input, RECORDED),
  )
}

/**
 * The service confirmed a removal but still shows the item after the grace period. A person may have added it again, so it is
 * not removed a second time. Both sides stay unchanged until one changes.
 */
function removalIgnored(input: NextInput, side: Side): BaseState | null {
  return compose({ [side]: seenNow(input, side) }, {}, divergedState(input, 'write_not_visible'))
}

/** The state after the operations are written. */
function written(input: NextInput): BaseState | null {
  const { view, ops } = input
  const seen: Seen = {}
  const pending: Waiting = {}
  for (const side of SIDES) {
    const op = ops.find((each) => each.side === side)
    const row = view.group[side]
    const present = row === null ? stillSeen(input, side) : carried(seenNow(input, side), ops, side)
    if (op === undefined) {
      // An update that may not have happened is still to carry.
      seen[side] = ops.some(({ op, state }) => op === 'update' && state === 'unknown') ? keepSeen(input, side) : present
      pending[side] = row === null ? stillPending(input, side) : undefined
    } else if (op.seen === undefined) {
      // The row is about to be added, so it is not lost. If the write never shows, the item is added again.
      seen[side] = op.op === 'add' && row === null ? undefined : present
      const at = { o: op.op, v: op.value, t: op.awaits ?? input.planned.run.engine.now() }
      pending[side] = op.state === 'unknown' ? { ...at, u: 1 } : at
    } else if (op.seen !== null) seen[side] = { v: op.seen, ...defined({ e: op.seenMs, h: op.seenAs }) }
  }
  // Removed on one side and proven absent on the other.
  if (ops.some((op) => op.op === 'remove' && op.seen === null) && view.group[other(ops[0]!.side)] === null) return null
  return compose(seen, pending)
}

/** A manual add that caused the write to the other side. */
function carried(seen: SeenState | undefined, ops: readonly PlanOp[], side: Side): SeenState | undefined {
  const isWritten = ops.some(
    (op) => op.side === other(side) && op.op !== 'remove' && (op.state === 'applied' || op.state === 'unknown'),
  )
  return seen?.m !== undefined && isWritten ? { ...seen, m: 2 } : seen
}

function observed(input: NextInput): BaseState | null {
  const { view, planned, index } = input
  const { group } = view
  const old = view.base?.state
  const decision = planned.stateOf(index)
  if (old === undefined && (decision === 'none' || decision === 'ambiguous')) return null
  const gone = SIDES.every((side) => isGone(input, side))
  // Do not wait for a row that a person added after the engine's removal.
  const isAdded = (side: Side) => group[side] !== null && planned.isWriteOver(index, side)
  const pending = bySide((side) => (isAdded(side) ? undefined : stillPending(input, side)))
  const waits = pending.a !== undefined || pending.b !== undefined
  if (gone && !waits) return null
  const reason = planned.divergedBecause(index)
  // An undecided or diverged group must look the same to the next run, except for own writes that show now.
  const frozen = planned.isUndecided(index) || reason !== undefined
  const nextSeen = (side: Side) => {
    // Once the row is back, the other side's former row does not cause its removal.
    if (view.returned === side && !isGone(input, other(side))) return keepSeen(input, side)
    if (view.returned === other(side) && isGone(input, side)) return undefined
    if (group[side] === null) return stillSeen(input, side)
    if (pending[side] !== undefined) return old?.[side] ?? (frozen ? undefined : seenNow(input, side))
    if (!frozen) return seenNow(input, side)
    return hadOwnWrite(input, side) ? seenAfterWrite(input, side) : keepSeen(input, side)
  }
  const seen: Seen = { a: nextSeen('a'), b: nextSeen('b') }
  for (const { side, pending: lost } of view.lost)
    if (lost.o === 'update') seen[other(side)] = stillToCarry(view, side, lost.v) ?? seen[other(side)]
  const known = waits || stillSettled(view) ? old?.s : undefined
  return compose(seen, pending, reason === undefined ? known : divergedState(input, reason))
}

/**
 * The service confirmed an update but still shows the old row. The row that caused the update counts as changed since then, so
 * that the update is repeated, like an add that never showed. A row with a new time was entered again by a person.
 */
function stillToCarry({ group, base }: GroupView, side: Side, written: string): SeenState | undefined {
  const [ignoring, source] = [group[side], group[other(side)]]
  if (ignoring === null || source?.value !== written) return undefined
  return ignoring.evidenceMs === base?.state[side]?.e ? { v: ignoring.value } : undefined
}

/** An own write of the side was pending, or the feature reports that it is finished. */
function hadOwnWrite({ view, planned, index }: NextInput, side: Side): boolean {
  return pendingIn(view, side) !== undefined || planned.isWriteOver(index, side)
}

function divergedState({ view: { group, base } }: NextInput, reason: string): BaseState['s'] {
  const value = (side: Side) =>
    presenceOf(group, side) === 'unknown'
      ? (base?.state.s?.[side] ?? base?.state[side]?.v ?? null)
      : (group[side]?.value ?? null)
  return { a: value('a'), b: value('b'), r: reason }
}

/** Proven absent by a plausible read. */
export function isGone(
  { view, planned: { checks } }: { readonly view: GroupView; readonly planned: Pick<Planned, 'checks'> },
  side: Side,
): boolean {
  return presenceOf(view.group, side) === 'absent' && checks[side].implausible === null
}

function seenNow({ view, index, planned }: NextInput, side: Side): SeenState | undefined {
  return view.group[side] === null ? undefined : rowSeen(planned, index, side, view)
}

/** A time after the write may be a person's. While nothing is decided, the next run has to see it as a new one. */
function seenAfterWrite(input: NextInput, side: Side): SeenState | undefined {
  const now = seenNow(input, side)
  const isLater = (now?.e ?? -Infinity) > (pendingIn(input.view, side)?.t ?? Infinity)
  if (now === undefined || !isLater || !input.planned.isUndecided(input.index)) return now
  const { e: _, p: __, ...undated } = now
  return undated
}

function pendingIn({ base }: GroupView, side: Side): PendingState | undefined {
  return base?.state[slotOf(side)]
}

/** The state of a group with a row on each side and no pending writes. */
export function seenOnBoth(planned: Pick<Planned, 'groups' | 'reads' | 'run'>, index: number): BaseState {
  return { a: rowSeen(planned, index, 'a'), b: rowSeen(planned, index, 'b') }
}

/** The row that the side shows. */
export function rowSeen(
  { groups, reads, run }: Pick<Planned, 'groups' | 'reads' | 'run'>,
  index: number,
  side: Side,
  view?: GroupView,
): SeenState {
  const { rows } = reads[side]
  const at = rowIn(groups, side, index)
  const evidenceMs = rows.evidence(at)
  return {
    v: rows.value(at),
    ...defined({ e: evidenceMs, p: view === undefined ? undefined : timeBefore(run, view, side, evidenceMs) }),
    h: rows.fingerprint(at),
    ...(groups.byHand(index, side) === 'only' ? { m: wasCarried(groups, index, side) ? 2 : 1 } : {}),
  }
}

/** As `SeenState.p`. While a write waits, the time before is that of the row which the write replaced. */
function timeBefore(run: FeatureRun, { base }: GroupView, side: Side, evidenceMs: number | undefined): SeenState['p'] {
  const { [side]: seen, [slotOf(side)]: pending } = base?.state ?? {}
  if (seen?.e === evidenceMs) return seen?.p
  return seen?.e === undefined || pending !== undefined ? undefined : { e: seen.e, t: seenAt(run, side, seen) }
}

function wasCarried({ base, baseOf }: Planned['groups'], index: number, side: Side): boolean {
  const at = baseOf(index)
  return at >= 0 && (base.flags[at]! & CARRIED[side]) !== 0
}

/**
 * As keepSeen(), but undefined if the engine itself removed the row and it is gone, or if a person put it back on the other
 * side: no later read shows that again.
 */
function stillSeen(input: NextInput, side: Side): SeenState | undefined {
  if (input.planned.isPutBack(input.index, other(side)) && input.view.group[side] === null) return undefined
  return pendingIn(input.view, side)?.o === 'remove' && isGone(input, side) ? undefined : keepSeen(input, side)
}

/** The last seen state; the time is added when the row is first missing. */
function keepSeen({ view, advances, planned: { run, reads, checks } }: NextInput, side: Side): SeenState | undefined {
  const old = view.base?.state[side]
  if (old === undefined) return undefined
  const { v, e, p, h, m, t, at, r, c = 0, n = 0, f = reads[side].atMs } = old
  const value = { v, ...defined({ e, p, h, m, t }) }
  if (view.group[side] !== null) return at === undefined ? value : { ...value, at, ...defined({ r }) }
  const when = at ?? (advances[side] ? seenAt(run, side, old) : undefined)
  const isOfEndedRun = at === undefined && when !== undefined && when !== t
  const inRun = isOfEndedRun ? run.state?.lastRunStartedAtMs : r
  const d = view.dormant[side] ?? (view.finished[side] === true ? FINISHED : undefined)
  if (d !== undefined) return { ...value, ...defined({ at: when, r: inRun }), d }
  // After the first read that missed the row, only whole, plausible reads count.
  const counts = advances[side] && (reads[side].whole || at === undefined) && checks[side].implausible === null
  const unfinished = view.finished[side] === false ? Math.min(c + 1, ASKED) : c
  const missed = counts ? { n: n + 1, f } : n === 0 ? {} : { n, f }
  return { ...value, ...defined({ at: when, r: inRun }), ...(unfinished === 0 ? {} : { c: unfinished }), ...missed }
}

/** The pending write. Undefined if it shows or is given up. */
function stillPending(input: NextInput, side: Side): PendingState | undefined {
  const { view } = input
  const pending = pendingIn(view, side)
  const given = side === 'a' ? view.group.base?.pendingA : view.group.base?.pendingB
  // viewOf() withheld the write from the feature, so it is given up.
  if (pending === undefined || given == null) return undefined
  const presence = presenceOf(view.group, side)
  if (presence === 'unknown') return pending
  // An implausible read proves no absence.
  if (pending.o === 'remove' && presence === 'absent' && !isGone(input, side)) return pending
  return isVisible(pending, view.group[side], view.base?.state[side]) ? undefined : pending
}

/** A visible write stays pending until its consequences are applied, so that the next run decides from the same state. */
function pendingUndecided(input: NextInput, side: Side): PendingState | undefined {
  const { group, base } = input.view
  const pending = pendingIn(input.view, side)
  const isShown = pending !== undefined && pending.o !== 'remove' && group[side] !== null
  return isShown && isVisible(pending, group[side], base?.state[side]) ? pending : stillPending(input, side)
}

type Seen = { [side in Side]?: SeenState | undefined }
type Waiting = { [side in Side]?: PendingState | undefined }

/** Keys in a fixed order, so that equal states have equal texts. */
function compose(seen: Seen, pending: Waiting, settled?: BaseState['s']): BaseState | null {
  const state: BaseState = defined({ a: seen.a, b: seen.b, pa: pending.a, pb: pending.b, s: settled })
  return Object.keys(state).length === 0 ? null : state
}
