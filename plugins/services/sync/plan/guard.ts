// The removal guard: many removals at once, removals that follow from a read that looks emptied, and removals that take
// other data with them wait until a person approves them.
import type { Side } from '@playhead/sdk'
import type { PlanOp } from './planning.ts'
import { other, SIDES } from '../feature-run.ts'
import { hasTitle, UNREADABLE } from './unreadable.ts'
import type { GroupView, ViewInput } from './view.ts'

export interface Held {
  readonly count: number
  readonly reason: string
  readonly threshold: number
}

export type HeldBySide = Readonly<Record<Side, Held | null>>

// A pair that rested for so long may have missed a lot.
const STALE_MS = 30 * 86_400_000

/** What the other side is to have lost may be there still, as a row that cannot be told. */
export function isHidden(
  { reads }: ViewInput,
  { side, cause }: Pick<PlanOp, 'side' | 'cause'>,
  { item }: Pick<GroupView, 'item'>,
): boolean {
  const { unreadable } = reads[other(side)]
  // What the source is not known to have had may be any of its rows.
  return unreadable.length > 0 && (cause === 'mirror' || hasTitle(unreadable, item))
}

/**
 * Marks what is held and says why, by the side that would lose the rows.
 * @param removing all removals
 * @param hidden those of which `isHidden` says so
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
    const { removal_min: least, removal_ratio: ratio } = run.order.settings
    const threshold = Math.max(least, Math.floor(seen * ratio))
    const reason = removals.length === 0 || run.approved ? null : reasonFor(side, removals.length > threshold)
    const waiting = run.approved ? [] : reason === null ? removals.filter((op) => hidden.has(op)) : removals
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
