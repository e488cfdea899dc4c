// An operation of a stored plan, as it is applied.
import type { PlanOp } from '../plan/planned.ts'
import type { PlanItem } from '../store/plans.ts'

export function toOp({ n, op, side, key, value, cause, state, reason, note }: PlanItem): PlanOp {
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
    note,
    evidenceMs: undefined,
    unresolved: false,
    seen: undefined,
    reported: true,
  }
}
