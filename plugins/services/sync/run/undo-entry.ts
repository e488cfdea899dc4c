// The request of an undo, the part of a plan that it undoes, and counts of what it leaves applied, by reason.
import type { Feature, Item } from '@playhead/sdk'
import type { RunOrder } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import type { EngineParts } from '../feature-run.ts'
import type { PlanOp } from '../plan/planned.ts'
import { type PlanHeader, type PlanItem, planPages } from '../store/plans.ts'
import { isSettled } from './next-state.ts'

interface UndoEntry {
  readonly pair_id: string
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  /** The operations of the run. */
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly item: Item
}

/** An operation that is not undone. */
export type Skipped = UndoEntry & { readonly reason: string }

export interface UndoOrder extends Pick<RunOrder, 'runId' | 'settings' | 'startedAtMs' | 'hold'> {
  /** Currently configured pairs; operations of other pairs are not undone. */
  readonly pairs: readonly Pair[]
}

export async function* doneItems({ db }: EngineParts, plan: PlanHeader): AsyncGenerator<PlanItem> {
  for await (const page of planPages(db, plan.id)) {
    for (const item of page) if (!item.undone && (item.state === 'applied' || item.state === 'unknown')) yield item
  }
}

export function undoEntryOf(plan: PlanHeader, { side, op, key, item }: PlanItem): UndoEntry {
  const { provider, instance } = plan.sides[side]
  return { pair_id: plan.pair_id, feature: plan.feature, provider, instance, op, key, item }
}

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

export function failuresOf(ops: readonly Pick<PlanOp, 'state' | 'reason'>[]): ByReason {
  const counts: Record<string, number> = {}
  for (const op of ops) if (!isSettled(op)) addUp(counts, { [op.reason ?? op.state]: 1 })
  return counts
}
