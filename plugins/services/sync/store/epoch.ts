// After a restore the stored state is older than later actions of people, so it proves nothing: all pairs start as new.
import type { Tables } from '@playhead/sdk'
import { forgetStates } from './purge.ts'

/**
 * Resets the seen state of all pairs if the data were replaced since the last call. The next run of each pair adds and links,
 * and removes nothing. Tombstones stay, so that removed items are not added again.
 *
 * @param epoch as `HostFacts.dataEpoch`
 * @returns whether any state was reset
 */
export async function beginEpoch(db: Tables, epoch: string): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const known = await transaction.selectFrom('sync__epoch').select('epoch').executeTakeFirst()
    // Data in a database of an earlier version were never replaced.
    if ((known?.['epoch'] ?? '') === epoch) return false
    await transaction.deleteFrom('sync__epoch').execute()
    await transaction.insertInto('sync__epoch').values({ epoch }).execute()
    // Without a state the rows of the base are not evidence; the next run of the pair deletes them.
    return (await forgetStates(transaction)) > 0
  })
}
