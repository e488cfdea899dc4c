// After a restore the stored state is older than what people did since, so it proves nothing: all pairs begin as new ones.
import type { Tables } from '@playhead/sdk'
import { NO_PAIR } from './plans.ts'

/**
 * Pairs forget what they saw if the data were replaced since the last call. Their next run adds and links, and removes
 * nothing. Tombstones stay: what was removed before is not added again by itself.
 *
 * @param epoch as `HostFacts.dataEpoch`
 * @returns whether anything was forgotten
 */
export async function beginEpoch(db: Tables, epoch: string): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const known = await transaction.selectFrom('sync__epoch').select('epoch').executeTakeFirst()
    // A database of an earlier version belongs to data that were never replaced.
    if ((known?.['epoch'] ?? '') === epoch) return false
    await transaction.deleteFrom('sync__epoch').execute()
    await transaction.insertInto('sync__epoch').values({ epoch }).execute()
    // Without a state the rows of the base are no evidence; the next run of the pair deletes them.
    await transaction
      .updateTable('sync__plan')
      .where('state', '=', 'applying')
      .where('pair_id', '!=', NO_PAIR)
      .set({ state: 'done' })
      .execute()
    const { numDeletedRows } = await transaction.deleteFrom('sync__state').executeTakeFirst()
    return numDeletedRows > 0n
  })
}
