// Plans of changes to one account in the form that runs take: remaining operations, and the run that has the plan.
import type { Tables } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import { NO_PAIR, type PlanHeader, type PlanItemState, tallyPlan } from './plans.ts'

/** Operations that are certainly not applied yet. Held removals wait for an approval. */
const OPEN: readonly PlanItemState[] = ['ready', 'deferred', ...writeOutcomes('failed')]

interface LeftOfPlan {
  readonly open: number
  readonly held: number
}

export function isOpen(state: PlanItemState): boolean {
  return OPEN.includes(state)
}

export async function leftOf(db: Tables, id: string): Promise<LeftOfPlan> {
  const left = { open: 0, held: 0 }
  for (const { state, count } of await tallyPlan(db, id))
    if (state === 'held' || isOpen(state)) left[state === 'held' ? 'held' : 'open'] += count
  return left
}

/**
 * The run takes the remaining operations of the plan. False if another run or change took the plan since.
 *
 * @param approved held removals are applied too
 */
export async function claimForRun(
  db: Tables,
  header: PlanHeader,
  { runId, approved }: { readonly runId: string; readonly approved: boolean },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const claimed = await transaction
      .updateTable('sync__plan')
      .set({ state: 'applying', run_id: runId, header: JSON.stringify({ ...header, run_id: runId }) })
      .where(({ and }) => and({ id: header.id, pair_id: NO_PAIR, state: header.state }))
      .executeTakeFirst()
    if (Number(claimed.numUpdatedRows) === 0) return false
    // Plugins judge deferred operations again.
    await transaction
      .updateTable('sync__plan_item')
      .set({ note: null })
      .where(({ and }) => and({ plan_id: header.id, state: 'deferred' }))
      .execute()
    await transaction
      .updateTable('sync__plan_item')
      .set({ state: 'ready', reason: null })
      .where('plan_id', '=', header.id)
      .where('state', 'in', approved ? [...OPEN, 'held'] : OPEN)
      .execute()
    return true
  })
}
