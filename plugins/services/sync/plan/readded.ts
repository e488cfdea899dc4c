// What comes back. The engine's own removals, of this pair or another, are remembered as tombstones of the account. An
// item that was put back after one is no older than it: its absence over there removes nothing here, and no tombstone
// keeps it from being added again.
import type { Operation, Side } from '@playhead/sdk'
import { type Tombstone, tombstoneTokens } from '../store/tombstones.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { type GroupView, seenAt } from './view.ts'

export interface ReaddInput {
  readonly run: FeatureRun
  /** Of the accounts, by the tokens of items that only one side has. */
  readonly tombstones: Readonly<Record<Side, ReadonlyMap<string, Tombstone>>>
}

/** A play is buried as itself, not as its item. */
export function playMark({ group }: Pick<GroupView, 'group'>): string {
  const at = group.key.indexOf('@')
  return at === -1 ? '' : group.key.slice(at)
}

/** Tombstones that an add has to outlive. */
export function tombstonesAgainst(
  op: Pick<Operation, 'op' | 'side'>,
  view: GroupView,
  input: ReaddInput,
): readonly Tombstone[] {
  return op.op === 'add' ? tombstonesOf(op.side, view, input) : []
}

/** The item was removed from the side, and a person wants it again since. */
export function isReadded(op: Operation, view: GroupView, input: ReaddInput): boolean {
  const tombstones = tombstonesAgainst(op, view, input)
  return tombstones.length > 0 && tombstones.every((tombstone) => overridesTombstone(op, view, tombstone, input))
}

/** The other side has the item by something that happened after the removal. */
export function overridesTombstone(
  { side, evidenceMs }: Pick<Operation, 'side' | 'evidenceMs'>,
  view: GroupView,
  tombstone: Tombstone,
  input: ReaddInput,
): boolean {
  const from = other(side)
  if ((evidenceMs ?? view.group[from]?.evidenceMs ?? -Infinity) > tombstone.removedAtMs) return true
  const known = view.base?.state
  const seen = known?.[from]
  // It was missing from a read that was made for the removal or after it, and is there again.
  if (seen !== undefined)
    return (
      (seen.at !== undefined && seen.d === undefined && seen.at < tombstone.proofAtMs) ||
      wasRemovedByEngine(from, view, input)
    )
  // Nothing is remembered of the row although the source was read after the removal: it turned up since then.
  return known?.k !== 1 && (input.run.state?.readAtMs[from] ?? -Infinity) >= tombstone.proofAtMs
}

/** The group as its feature is to see it: what was there before an own removal and a return counts as never seen. */
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

/** The engine removed the row from the account after this pair saw it last: what is there now was put there since. */
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
