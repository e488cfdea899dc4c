// Counts the operations that an undo leaves applied, by reason.
import type { PlanOp } from '../plan/planned.ts'

type ByReason = Readonly<Record<string, number>>

export interface UndoCounts {
  readonly undone: number
  /** Operations that were tried and failed. */
  readonly failed: ByReason
}

/** The account is as before the operation, for any cause. */
const AS_BEFORE = new Set(['already_gone', 'already_there'])
/** Why an operation stays applied, however often the undo is repeated. */
const FINAL = new Set([
  'changed_since_run',
  'exact_play_unknown',
  'missing_ids',
  'old_value_unknown',
  'outcome_unknown',
  'pair_not_found',
])

export const isLeft = ({ reason }: { readonly reason: string }): boolean => !AS_BEFORE.has(reason)
export const canRepeat = ({ reason }: { readonly reason: string }): boolean => isLeft({ reason }) && !FINAL.has(reason)

export function addUp(counts: Record<string, number>, more: ByReason): void {
  for (const [reason, count] of Object.entries(more)) counts[reason] = (counts[reason] ?? 0) + count
}

export function sumOf(counts: ByReason): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

export function isDone({ state }: Pick<PlanOp, 'state'>): boolean {
  return state === 'applied' || state === 'already'
}

export function failuresOf(ops: readonly Pick<PlanOp, 'state' | 'reason'>[]): ByReason {
  const counts: Record<string, number> = {}
  for (const op of ops) if (!isDone(op)) addUp(counts, { [op.reason ?? op.state]: 1 })
  return counts
}
