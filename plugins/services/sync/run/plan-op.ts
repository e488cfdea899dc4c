// An operation of a stored plan, as it is applied.
import { defined, type Tables } from '@playhead/sdk'
import type { PlanOp } from '../plan/planned.ts'
import { type NewPlanItem, planPages } from '../store/plans.ts'

/** All operations of a plan in order. */
export async function opsOf(db: Tables, planId: string): Promise<readonly PlanOp[]> {
  return (await Array.fromAsync(planPages(db, planId), (page) => page.map(toOp))).flat()
}

type OfStored = Pick<NewPlanItem, 'n' | 'op' | 'side' | 'key' | 'value' | 'cause' | 'state' | 'reason' | 'note'>

export function toOp({ n, op, side, key, value, cause, state, reason, note }: OfStored): PlanOp {
  return {
    group: n,
    n,
    op,
    side,
    key,
    value,
    cause,
    state,
    reason,
    ...defined({ note }),
    evidenceMs: undefined,
    unresolved: false,
    seen: undefined,
    reported: true,
  }
}
