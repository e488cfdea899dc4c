// The removal guard: many removals at once, removals that follow from a read that looks emptied, and removals that take other data with
// them wait until a person approves them.
import type { Side } from '@playhead/sdk'
import type { PlanOp } from './planning.ts'
import { other, SIDES } from './types.ts'
import type { ViewInput } from './view.ts'

export interface Held {
  readonly count: number
  readonly reason: string
  readonly threshold: number
}

// A pair that rested for so long may have missed a lot.
const LONG_MS = 30 * 86_400_000

/** Marks what is held and says why, by the side that would lose the rows. */
export function holdRemovals({ run, groups, trust }: ViewInput, ops: readonly PlanOp[]): Readonly<Record<Side, Held | null>> {
  const held: Record<Side, Held | null> = { a: null, b: null }
  for (const side of SIDES) {
    const removals = ops.filter((op) => op.side === side && op.op === 'remove' && op.state === 'ready')
    const seen = Math.max(groups.base.seen[side], 0)
    const { removal_min: least, removal_ratio: ratio } = run.order.settings
    const threshold = Math.max(least, Math.floor(seen * ratio))
    const reason = removals.length === 0 || run.approved ? null : reasonFor(side, removals.length > threshold)
    if (reason === null) continue
    for (const op of removals) {
      op.state = 'held'
      op.reason = reason
      op.open = true
    }
    held[side] = { count: removals.length, reason, threshold }
  }
  return held

  function reasonFor(side: Side, tooMany: boolean): string | null {
    const { support } = run.sides[side]
    if (trust.suspect[other(side)] !== null) return trust.suspect[other(side)]
    if (tooMany && !run.order.settings.allow_mass_delete) return 'mass_delete'
    const affected = (support.removalSideEffects ?? []).filter((feature) => run.pair.features[feature]?.enabled !== true)
    if (affected.length > 0) return 'removal_side_effects'
    const rested = run.state !== null && run.nowMs - run.state.lastRunAtMs > LONG_MS
    return rested ? 'long_pause' : null
  }
}
