// What comes back. The engine's own removals, of this pair or another, are remembered as tombstones of the account. An
// item that was put back after one is no older than it: its absence over there removes nothing here, and no tombstone
// keeps it from being added again.
import type { Operation, Side } from '@playhead/sdk'
import { type Tombstone, tombstoneTokens } from '../store/tombstones.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import { type GroupView, seenAt } from './view.ts'

export interface Stones {
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
export function stonesOver(op: Pick<Operation, 'op' | 'side'>, view: GroupView, input: Stones): readonly Tombstone[] {
  return op.op === 'add' ? stonesOf(op.side, view, input) : []
}

/** The item was removed from the side, and a person wants it again since. */
export function hasReturned(op: Operation, view: GroupView, input: Stones): boolean {
  const stones = stonesOver(op, view, input)
  return stones.length > 0 && stones.every((stone) => outlives(op, view, stone, input))
}

/** The other side has the item by something that happened after the removal. */
export function outlives(
  { side, evidenceMs }: Pick<Operation, 'side' | 'evidenceMs'>,
  view: GroupView,
  stone: Tombstone,
  input: Stones,
): boolean {
  const from = other(side)
  if ((evidenceMs ?? view.group[from]?.evidenceMs ?? -Infinity) > stone.removedAtMs) return true
  const known = view.base?.state
  const seen = known?.[from]
  // It was missing from a read that was made for the removal or after it, and is there again.
  if (seen !== undefined)
    return (
      (seen.at !== undefined && seen.d === undefined && seen.at < stone.proofAtMs) || wasRemovedHere(from, view, input)
    )
  // Nothing is remembered of the row although the source was read after the removal: it turned up since then.
  return known?.k !== 1 && (input.run.state?.readAtMs[from] ?? -Infinity) >= stone.proofAtMs
}

/** The group as its feature is to see it: what was there before an own removal and a return counts as never seen. */
export function withoutReturns(view: GroupView, input: Stones): GroupView {
  const { group } = view
  const side = SIDES.find((each) => group[each] !== null && group[other(each)] === null)
  if (side === undefined || group.base === null || group.base[side] === null) return view
  const lost = other(side)
  const stones = stonesOf(lost, view, input)
  const forget = wasRemovedHere(side, view, input)
    ? side
    : stones.length > 0 && stones.every((stone) => outlives({ side: lost }, view, stone, input))
      ? lost
      : undefined
  return forget === undefined ? view : { ...view, group: { ...group, base: { ...group.base, [forget]: null } } }
}

/** The engine removed the row from the account after this pair saw it last: what is there now was put there since. */
function wasRemovedHere(side: Side, view: GroupView, input: Stones): boolean {
  const seen = view.base?.state[side]
  if (seen === undefined) return false
  const lastMs = seenAt(input.run, side, seen)
  return stonesOf(side, view, input).some(({ removedAtMs }) => removedAtMs >= lastMs)
}

function stonesOf(side: Side, view: GroupView, { run, tombstones }: Stones): readonly Tombstone[] {
  if (tombstones[side].size === 0) return []
  return tombstoneTokens(view.item, run.plays ? playMark(view) : '').flatMap(
    (token) => tombstones[side].get(token) ?? [],
  )
}
