// The removal guard: holds removals for approval if there are many, if a read is implausible, or if they would delete other
// data too.
import type { Side } from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import type { Held, HeldBySide, PlanOp } from './planned.ts'
import { other, SIDES } from '../feature-run.ts'
import { isApproved } from './approval.ts'
import { hasTitle, UNREADABLE } from '../library/unreadable.ts'
import type { GroupView, ViewInput } from './view.ts'

// After a longer pause, many removals may be legitimate.
const STALE_MS = 30 * 86_400_000

/** More removals than this are held for an account with that many rows. */
export function removalLimit({ removal_min: least, removal_ratio: ratio }: SyncSettings, rows: number): number {
  return Math.max(least, Math.floor(rows * ratio))
}

/** The item that the other side seems to have lost may be one of its unreadable rows. */
export function isHidden(
  { reads }: ViewInput,
  { side, cause }: Pick<PlanOp, 'side' | 'cause'>,
  { item }: Pick<GroupView, 'item'>,
): boolean {
  const { unreadable } = reads[other(side)]
  // A mirror removes items that the source never had, so any unreadable row may be the item.
  return unreadable.length > 0 && (cause === 'mirror' || hasTitle(unreadable, item))
}

/**
 * Marks held removals and returns the reasons by the side that would lose the rows.
 * @param removing all removals
 * @param hidden removals for which isHidden() is true
 */
export function holdRemovals(
  { run, groups, checks }: ViewInput,
  removing: readonly PlanOp[],
  hidden: ReadonlySet<PlanOp>,
): HeldBySide {
  const held: Record<Side, Held | null> = { a: null, b: null }
  for (const side of SIDES) {
    const removals = removing.filter((op) => op.side === side && op.state === 'ready')
    const seen = Math.max(groups.base.seen[side], 0)
    const threshold = removalLimit(run.order.settings, seen)
    const reason = removals.length === 0 ? null : reasonFor(side, removals.length > threshold)
    const waiting = removals.filter((op) => !isApproved(run, op) && (reason !== null || hidden.has(op)))
    if (waiting.length === 0) continue
    for (const op of waiting) {
      op.state = 'held'
      op.reason = reason ?? UNREADABLE
      op.unresolved = true
    }
    held[side] = { count: waiting.length, reason: reason ?? UNREADABLE, threshold }
  }
  return held

  function reasonFor(side: Side, tooMany: boolean): string | null {
    const { support } = run.sides[side]
    if (checks.implausible[other(side)] !== null) return checks.implausible[other(side)]
    if (tooMany && !run.order.settings.allow_mass_delete) return 'mass_delete'
    const affected = (support.removalSideEffects ?? []).filter(
      (feature) => run.pair.features[feature]?.enabled !== true,
    )
    if (affected.length > 0) return 'removal_side_effects'
    const isStale = run.state !== null && run.nowMs - run.state.lastRunAtMs > STALE_MS
    return isStale ? 'long_pause' : null
  }
}
