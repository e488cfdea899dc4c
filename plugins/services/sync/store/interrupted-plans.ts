// Plans whose application ended early, with the process or with an error.
import type { Tables } from '@playhead/sdk'
import { NO_PAIR, type PlanHeader, type PlanItemState } from './plans.ts'

/** Plans of changes that were being applied when the process ended. */
export async function unfinishedChanges(db: Tables): Promise<PlanHeader[]> {
  const rows = await db
    .selectFrom('sync__plan')
    .select('header')
    .where('pair_id', '=', NO_PAIR)
    .where('state', '=', 'applying')
    .execute()
  return rows.map(({ header }) => JSON.parse(header) as PlanHeader)
}

/** After a crash: what was not sent of a plan that had waited is still to be applied. */
export async function requeueInterrupted(db: Tables): Promise<void> {
  await db
    .updateTable('sync__plan')
    .set({ state: 'waiting' })
    .where('state', '=', 'applying')
    .where('queued', 'is not', null)
    .where('id', 'in', db.selectFrom('sync__plan_item').select('plan_id').where('state', '=', 'ready'))
    .execute()
}

/** After a crash: operations that were sent have an unknown outcome. Those never sent stay as they were planned. */
export async function settleSent(db: Tables, atMs: number): Promise<number> {
  const result = await db
    .updateTable('sync__plan_item')
    .set({ state: 'unknown', reason: 'interrupted', done_at: atMs })
    .where('state', '=', 'sent')
    .executeTakeFirst()
  await db.updateTable('sync__plan').set({ state: 'done' }).where('state', '=', 'applying').execute()
  return Number(result?.numUpdatedRows ?? 0)
}

/** As settleSent(), for one plan, after an error. The rest is not tried. */
export async function settlePlan(db: Tables, id: string, atMs: number, reason = 'not_attempted'): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const inState = (state: PlanItemState) =>
      transaction.updateTable('sync__plan_item').where('plan_id', '=', id).where('state', '=', state)
    await inState('sent').set({ state: 'unknown', reason: 'interrupted', done_at: atMs }).execute()
    await inState('ready').set({ state: 'deferred', reason }).execute()
    await transaction.updateTable('sync__plan').set({ state: 'done' }).where('id', '=', id).execute()
  })
}
