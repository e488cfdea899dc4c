// Items that are added again after a removal. The engine's removals leave tombstones. A row that appears after a tombstone is
// new: its absence on the other side causes no removal, and the tombstone does not prevent its add.
import type { Operation, Side } from '@playhead/sdk'
import type { SideRead } from '../library/read-side.ts'
import { type NewTombstone, type Tombstone, tombstoneTokens } from '../store/tombstones.ts'
import type { PlanOp } from './planned.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { type GroupView, seenAt } from './view.ts'

/** How far the clock of a service may be off. */
const CLOCK_MS = 60_000

interface ReaddInput {
  readonly run: FeatureRun
  /** Tombstones of both accounts, by the tokens of items that exist on one side only. */
  readonly tombstones: Readonly<Record<Side, ReadonlyMap<string, Tombstone>>>
}

/** A play's tombstone carries its time, not only the item. */
export function playMark({ group }: Pick<GroupView, 'group'>): string {
  const at = group.key.indexOf('@')
  return at === -1 ? '' : group.key.slice(at)
}

/** Tombstones that a removal creates. */
export function tombstonesAfter(
  run: FeatureRun,
  reads: Readonly<Record<Side, Pick<SideRead, 'atMs'>>>,
  { side }: Pick<PlanOp, 'side'>,
  view: GroupView,
): readonly NewTombstone[] {
  return tombstoneTokens(view.item, run.plays ? playMark(view) : '').map((token) => ({
    uid: run.sides[side].uid,
    feature: run.feature,
    token,
    removed_at: run.engine.now(),
    proof_at: Math.min(reads.a.atMs, reads.b.atMs),
    evidence_at: view.group[side]?.evidenceMs ?? null,
    pair_id: run.pair.id,
    run_id: run.order.runId,
  }))
}

/** Tombstones that an add of a wanted item ends, even if the add fails. */
export function tombstonesLiftedBy(
  run: FeatureRun,
  { side, readded }: Pick<PlanOp, 'side' | 'readded'>,
  view: GroupView,
) {
  if (readded !== true) return []
  const { uid } = run.sides[side]
  return tombstoneTokens(view.item, run.plays ? playMark(view) : '').map((token) => ({
    uid,
    feature: run.feature,
    token,
  }))
}

/** Tombstones that an add has to override. */
export function tombstonesAgainst(
  op: Pick<Operation, 'op' | 'side'>,
  view: GroupView,
  input: ReaddInput,
): readonly Tombstone[] {
  return op.op === 'add' ? tombstonesOf(op.side, view, input) : []
}

/** The item was removed from the side and is wanted there again. */
export function isReadded(op: Operation, view: GroupView, input: ReaddInput): boolean {
  const tombstones = tombstonesAgainst(op, view, input)
  return tombstones.length > 0 && tombstones.every((tombstone) => overridesTombstone(op, view, tombstone, input))
}

/** The other side's row is newer than the removal. */
export function overridesTombstone(
  { side, evidenceMs }: Pick<Operation, 'side' | 'evidenceMs'>,
  view: GroupView,
  tombstone: Tombstone,
  input: ReaddInput,
): boolean {
  const from = other(side)
  const atMs = evidenceMs ?? view.group[from]?.evidenceMs
  if ((atMs ?? -Infinity) > Math.max(tombstone.removedAtMs, tombstone.evidenceMs ?? -Infinity)) return true
  // Without a time the order is unknown; keep the change.
  if ((atMs === undefined || tombstone.isUndo) && hasOtherValue(from, view) === 'yes') return true
  const known = view.base?.state
  const seen = known?.[from]
  // A read at least as new as the proof of the removal missed the row, and now the row is present again.
  if (seen !== undefined)
    return (
      (seen.at !== undefined && seen.d === undefined && seen.at < tombstone.proofAtMs) ||
      wasRemovedByEngine(from, view, input)
    )
  // The source was read after the removal and the row is unknown, so the row is new.
  return known?.k !== 1 && (input.run.state?.readAtMs[from] ?? -Infinity) >= tombstone.proofAtMs
}

/**
 * Whether a person changed the value since this pair last saw or wrote it. `perhaps`: the service may have rounded the written
 * value and dated it by its own clock.
 */
export function hasOtherValue(side: Side, { group, base }: GroupView): 'yes' | 'perhaps' | 'no' {
  const row = group[side]
  const { [side]: seen, [side === 'a' ? 'pa' : 'pb']: pending } = base?.state ?? {}
  if (row === null || row.value === seen?.v) return 'no'
  if (pending === undefined || pending.o === 'remove') return seen === undefined ? 'no' : 'yes'
  if (row.value === pending.v) return 'no'
  return (row.evidenceMs ?? -Infinity) > pending.t + CLOCK_MS ? 'yes' : 'perhaps'
}

/** The group as the feature sees it: a row that was added again after a removal counts as never seen. */
export function forgetReadded(view: GroupView, input: ReaddInput): GroupView {
  const { group } = view
  const side = SIDES.find((each) => group[each] !== null && group[other(each)] === null)
  if (side === undefined || group.base === null || group.base[side] === null) return view
  const lost = other(side)
  const tombstones = tombstonesOf(lost, view, input)
  const forget = wasRemovedByEngine(side, view, input)
    ? side
    : tombstones.length > 0 &&
        tombstones.every((tombstone) => overridesTombstone({ side: lost }, view, tombstone, input))
      ? lost
      : undefined
  return forget === undefined ? view : { ...view, group: { ...group, base: { ...group.base, [forget]: null } } }
}

/** The engine removed the row after this pair last saw it, so a current row is new. */
function wasRemovedByEngine(side: Side, view: GroupView, input: ReaddInput): boolean {
  const seen = view.base?.state[side]
  if (seen === undefined) return false
  const lastMs = seenAt(input.run, side, seen)
  return tombstonesOf(side, view, input).some(({ removedAtMs }) => removedAtMs >= lastMs)
}

function tombstonesOf(side: Side, view: GroupView, { run, tombstones }: ReaddInput): readonly Tombstone[] {
  if (tombstones[side].size === 0) return []
  return tombstoneTokens(view.item, run.plays ? playMark(view) : '').flatMap(
    (token) => tombstones[side].get(token) ?? [],
  )
}
