// Changes to one account that wait for it to be free, applied in the order of their requests.
import type { Tables } from '@playhead/sdk'
import { NO_PAIR, type PlanHeader, releaseHeld, toHeader } from './plans.ts'

/**
 * Makes the plan wait, also across a restart. False if the plan was applied or already waits.
 *
 * @param approved held removals are applied too
 */
export async function queuePlan(db: Tables, id: string, approved: boolean): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const last = await transaction
      .selectFrom('sync__plan')
      .select((eb) => eb.fn.max('queued').as('queued'))
      .executeTakeFirst()
    const result = await transaction
      .updateTable('sync__plan')
      .set({ state: 'waiting', queued: Number(last?.['queued'] ?? 0) + 1 })
      .where(({ and }) => and({ id, pair_id: NO_PAIR, state: 'planned' }))
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) === 0) return false
    if (approved) await releaseHeld(transaction, id)
    return true
  })
}

/** Waiting plans in order, for one account or for all. */
export async function waitingPlans(db: Tables, uid?: string): Promise<PlanHeader[]> {
  const rows = await db
    .selectFrom('sync__plan')
    .select(['header', 'state'])
    .where('state', '=', 'waiting')
    .orderBy('queued')
    .execute()
  return rows.map(toHeader).filter(({ sides }) => uid === undefined || sides.b.uid === uid)
}

/** Only one of several concurrent callers may apply the plan. */
export async function claimPlan(db: Tables, id: string, from: 'planned' | 'waiting'): Promise<boolean> {
  const result = await db
    .updateTable('sync__plan')
    .set({ state: 'applying' })
    .where(({ and }) => and({ id, state: from }))
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}
