// Plans whose application was interrupted by the end of the process or by an error.
import { defined, type Feature, type Tables } from '@playhead/sdk'
import { MADE, type PlanHeader, type PlanItemState, toHeader } from './plans.ts'

/** Plans that are being applied, or were when the process ended, in the order of creation. */
export async function unfinishedPlans(db: Tables, feature?: Feature): Promise<PlanHeader[]> {
  const rows = await db
    .selectFrom('sync__plan')
    .select(['header', 'state'])
    .where(({ and }) => and(defined({ state: 'applying', feature })))
    .orderBy('created_at')
    .orderBy(MADE)
    .execute()
  return rows.map(toHeader)
}

/** After a crash: operations of a waiting plan that were not sent become pending again. */
export async function requeueInterrupted(db: Tables): Promise<void> {
  await db
    .updateTable('sync__plan')
    .set({ state: 'waiting' })
    .where('state', '=', 'applying')
    .where('queued', 'is not', null)
    .where('id', 'in', db.selectFrom('sync__plan_item').select('plan_id').where('state', '=', 'ready'))
    .execute()
}

/** After a crash: sent operations get an unknown outcome; unsent ones stay planned. */
export async function settleSent(db: Tables, atMs: number): Promise<number> {
  const result = await db
    .updateTable('sync__plan_item')
    .set({ state: 'unknown', reason: 'interrupted', done_at: atMs })
    .where('state', '=', 'sent')
    .executeTakeFirst()
  await db.updateTable('sync__plan').set({ state: 'done' }).where('state', '=', 'applying').execute()
  return Number(result?.numUpdatedRows ?? 0)
}

/** As settleSent(), for one plan after an error. The remaining operations are not tried. */
export async function settlePlan(db: Tables, id: string, atMs: number, reason = 'not_attempted'): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const inState = (state: PlanItemState) =>
      transaction.updateTable('sync__plan_item').where(({ and }) => and({ plan_id: id, state }))
    await inState('sent').set({ state: 'unknown', reason: 'interrupted', done_at: atMs }).execute()
    await inState('ready').set({ state: 'deferred', reason }).execute()
    await transaction.updateTable('sync__plan').set({ state: 'done' }).where('id', '=', id).execute()
  })
}
