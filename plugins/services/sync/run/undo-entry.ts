// The request of an undo, and the part of a plan that it undoes.
import type { Feature, Item } from '@playhead/sdk'
import type { RunOrder } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import type { EngineParts } from '../feature-run.ts'
import { type PlanHeader, type PlanItem, planPages } from '../store/plans.ts'

export interface UndoEntry {
  readonly pair_id: string
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  /** The operations of the run. */
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly item: Item
}

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
