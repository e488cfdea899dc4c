// Items that are added again after a removal. The engine's removals leave tombstones. A row that a person put back after a
// removal is new: its absence on the other side causes no removal, and the tombstone does not prevent its add.
import type { Operation, Side } from '@playhead/sdk'
import { rowKey } from '@playhead/sdk/items'
import type { SideRead } from '../library/read-side.ts'
import { slotOf } from '../store/base.ts'
import {
  accountKey,
  concerns,
  dayOf,
  type Loss,
  namedPlay,
  type NewTombstone,
  playMarkOf,
  type Tombstone,
  type TombstoneName,
  namesOfTombstones,
  tombstoneTokens,
} from '../store/tombstones.ts'
import type { PlanOp } from './planned.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { type GroupView, seenAt } from './view.ts'

/** How far the clock of a service may be off. */
const CLOCK_MS = 60_000

/** Facts that the accounts of a run have about rows that only one of them has. */
export interface Removed {
  /** Tombstones of the account, by the tokens of items. */
  readonly tombstones: ReadonlyMap<string, readonly Tombstone[]>
  /** When the account last lacked a row that it now has, by the row's key. Absent if no read lacked the row. */
  readonly lackedAtMs: ReadonlyMap<string, number>
  /** Keys of rows that a person removed and entered again since the last read. */
  readonly reentered: ReadonlySet<string>
}

interface ReaddInput {
  readonly run: FeatureRun
  readonly removed: Readonly<Record<Side, Removed>>
}

/** A play's tombstone includes its time, because other plays of the item stay. */
export function playMark(run: Pick<FeatureRun, 'plays'>, { group }: Pick<GroupView, 'group'>): string {
  return run.plays ? playMarkOf(group.key) : ''
}

/** The play of a view, with the time that an account shows. */
export function playName(run: Pick<FeatureRun, 'plays'>, view: GroupView) {
  const { a, b } = view.group
  return namedPlay(playMark(run, view), (a ?? b)?.item ?? view.item)
}

type Accounts = Readonly<Record<Side, Pick<SideRead, 'account'>>>

/** Tombstones that a removal creates. */
export function tombstonesAfter(
  run: FeatureRun,
  reads: Readonly<Record<Side, Pick<SideRead, 'account' | 'atMs'>>>,
  { side, loss }: Pick<PlanOp, 'side' | 'loss'>,
  view: GroupView,
): readonly NewTombstone[] {
  const { uid } = run.sides[side]
  return tombstoneNames(run, reads, side, view).map((name) => ({
    ...name,
    uid,
    removed_at: run.engine.now(),
    proof_at: loss?.provenAtMs ?? Math.min(reads.a.atMs, reads.b.atMs),
    lost_after: loss?.lostAfterMs ?? null,
    evidence_at: view.group[side]?.evidenceMs ?? null,
    shown_day: dayOf(view.group[side]?.item) ?? null,
    pair_id: run.pair.id,
    run_id: run.order.runId,
  }))
}

/** Names of the tombstones of the item on the side. */
export function tombstoneNames(
  run: FeatureRun,
  reads: Accounts,
  side: Side,
  view: GroupView,
): readonly TombstoneName[] {
  const account = accountKey(run.sides[side], reads[side].account)
  const play = playMark(run, view)
  return namesOfTombstones(view.item, { account, feature: run.feature, play })
}

/** Whether tombstones prevent an add. `overridden`: the item was removed, and was wanted there again afterwards. */
export function tombstonesAgainst(
  op: Pick<Operation, 'op' | 'side' | 'evidenceMs'>,
  view: GroupView,
  input: ReaddInput,
): 'none' | 'bar' | 'overridden' {
  const tombstones = op.op === 'add' ? tombstonesOf(op.side, view, input) : []
  if (tombstones.length === 0) return 'none'
  return tombstones.every((tombstone) => overridesTombstone(op, view, tombstone, input)) ? 'overridden' : 'bar'
}

/** The other side's row is newer than the removal. */
function overridesTombstone(
  { side, evidenceMs }: Pick<Operation, 'side' | 'evidenceMs'>,
  view: GroupView,
  tombstone: Tombstone,
  input: ReaddInput,
): boolean {
  const from = other(side)
  const atMs = evidenceMs ?? view.group[from]?.evidenceMs
  if (isLater(atMs, { ...tombstone, removedAtMs: tombstone.lostAfterMs ?? tombstone.removedAtMs })) return true
  // Without a time the order is unknown; keep the change.
  if ((atMs === undefined || tombstone.isUndo) && hasOtherValue(from, view)) return true
  // The account also lacked the row at or after the time of the loss, so the order of both is unknown; keep the change.
  return (lackedMs(from, view, input) ?? -Infinity) >= (tombstone.lostAfterMs ?? tombstone.proofAtMs)
}

/** The account has the row again: it lacked it after the removal, or the row is newer than the removal. */
export function isEnded(tombstone: Tombstone, atMs: number | undefined, lackedAtMs: number | undefined): boolean {
  return isLater(atMs, tombstone) || (lackedAtMs ?? -Infinity) >= tombstone.removedAtMs
}

/** The row is newer than the removal, and than the removed row, whose time may have been in the future. */
function isLater(
  atMs: number | undefined,
  { removedAtMs, evidenceMs = -Infinity }: Pick<Tombstone, 'removedAtMs' | 'evidenceMs'>,
): boolean {
  return (atMs ?? -Infinity) > Math.max(removedAtMs, evidenceMs)
}

/**
 * A person changed the value since this pair last saw or wrote it. A value that differs from the written one may be the service's
 * rounding unless it is dated later, beyond the service's clock.
 */
function hasOtherValue(side: Side, { group, base }: GroupView): boolean {
  const row = group[side]
  const { [side]: seen, [slotOf(side)]: pending } = base?.state ?? {}
  if (row === null || row.value === seen?.v) return false
  if (pending === undefined || pending.o === 'remove') return seen !== undefined
  return row.value !== pending.v && (row.evidenceMs ?? -Infinity) > pending.t + CLOCK_MS
}

/** The group as the feature sees it: a row that was added again after a removal counts as never seen. */
export function forgetReadded(view: GroupView, input: ReaddInput): GroupView {
  const { group } = view
  const side = SIDES.find((each) => group[each] !== null && group[other(each)] === null)
  if (side === undefined || group.base === null || group.base[side] === null) return view
  const lost = other(side)
  const isOverridden = () => tombstonesAgainst({ op: 'add', side: lost }, view, input) === 'overridden'
  const without = (forget: Side) => ({ ...group, base: { ...group.base!, [forget]: null } })
  if (isPutBack(side, view, input)) return { ...view, putBack: side, group: without(side) }
  return isOverridden() ? { ...view, group: without(lost) } : view
}

/** The row was removed from this side, and a person added it there again. */
function isPutBack(side: Side, view: GroupView, input: ReaddInput): boolean {
  const row = view.group[side]
  const atMs = row?.evidenceMs
  if (row !== null && input.removed[side].reentered.has(rowKey(row.item, input.run.plays))) return true
  const lackedAtMs = lackedMs(side, view, input)
  return tombstonesOf(side, view, input).some((tombstone) => isEnded(tombstone, atMs, lackedAtMs))
}

/** The original loss that a removal repeats, possibly by way of another pair. */
export function lossOf(
  op: Pick<Operation, 'op' | 'side'>,
  view: GroupView,
  input: ReaddInput,
  reads: Readonly<Record<Side, Pick<SideRead, 'atMs'>>>,
): Loss | undefined {
  if (op.op !== 'remove') return undefined
  const lost = other(op.side)
  const readAtMs = Math.min(reads.a.atMs, reads.b.atMs)
  const tombstones = tombstonesOf(lost, view, input)
  if (tombstones.length > 0)
    return {
      lostAfterMs: Math.min(...tombstones.map(({ lostAfterMs, removedAtMs }) => lostAfterMs ?? removedAtMs)),
      provenAtMs: Math.min(readAtMs, Math.max(...tombstones.map(({ proofAtMs }) => proofAtMs))),
    }
  return { lostAfterMs: lastSeenMs(lost, view, input) ?? readAtMs, provenAtMs: readAtMs }
}

/** The start of the run that last saw the row: the reads of a run are not made at once. */
function lastSeenMs(side: Side, { base }: GroupView, { run }: ReaddInput): number | undefined {
  const seen = base?.state[side]
  if (seen === undefined) return undefined
  if (seen.at !== undefined) return seen.r ?? seen.at
  const atMs = seenAt(run, side, seen)
  // An interrupted run stored no start.
  return atMs === seen.t ? atMs : Math.min(atMs, run.state?.lastRunStartedAtMs ?? Infinity)
}

/** As `NewPlanItem.lacked_at`. */
export function causeLackedAt(
  { op, side }: Pick<Operation, 'op' | 'side'>,
  view: GroupView,
  input: ReaddInput,
): number | null {
  const from = other(side)
  if (op === 'add') return lackedMs(from, view, input) ?? null
  const { [from]: row, base } = view.group
  if (op === 'remove' || row === null || base === null) return null
  if (view.written?.[from] !== undefined) return view.written[from].lackedAtMs
  const [seen, pending] = [base[from], from === 'a' ? base.pendingA : base.pendingB]
  if (pending !== null) return pending.value === row.value ? null : pending.atMs
  const isSame = row.value === seen?.value && !((row.evidenceMs ?? 0) > (seen.evidenceMs ?? Infinity))
  return isSame ? null : (seen?.seenAtMs ?? null)
}

/** When the account last lacked a row that it now has; undefined if no read lacked the row. */
export function lackedMs(side: Side, { group }: GroupView, { run, removed }: ReaddInput): number | undefined {
  const row = group[side]
  const { lackedAtMs, reentered } = removed[side]
  if (row === null || lackedAtMs.size + reentered.size === 0) return undefined
  const key = rowKey(row.item, run.plays)
  // The exact time is unknown: the row may have been entered just now.
  return reentered.has(key) ? run.nowMs : lackedAtMs.get(key)
}

/** Tombstones of the item on the side: Playhead removed it there after a loss elsewhere. */
export function tombstonesOf(side: Side, view: GroupView, { run, removed }: ReaddInput): readonly Tombstone[] {
  const { tombstones } = removed[side]
  if (tombstones.size === 0) return []
  const play = playName(run, view)
  return tombstoneTokens(view.item).flatMap((token) =>
    (tombstones.get(token) ?? []).filter((tombstone) => concerns(tombstone, play)),
  )
}
