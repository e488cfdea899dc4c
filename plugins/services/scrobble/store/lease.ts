// Only one version of the plugin works with the queue at a time: a replaced version finishes its current send before the
// next version starts.
import type { Tables } from '@playhead/sdk'
import { pause } from '@playhead/sdk'

interface Lease {
  /** False if another version still holds the lease after the wait. */
  acquire(signal: AbortSignal): Promise<boolean>
  release(): Promise<void>
}

const WAIT_MS = 10_000
const STEP_MS = 50

/**
 * @param process identifies this run of the service. A lease of an earlier run is void, because only one process uses the data
 * directory.
 */
export function createLease(tables: () => Promise<Tables>, process: string, generation: number): Lease {
  const own = { process, generation }

  async function tryAcquire(): Promise<boolean> {
    return await (await tables()).transaction().execute(async (transaction) => {
      const row = await transaction.selectFrom('lease').select(['process', 'generation']).executeTakeFirst()
      const isHeld = row !== undefined && row['process'] === process && Number(row['generation']) !== generation
      if (isHeld) return false
      await transaction.deleteFrom('lease').execute()
      await transaction.insertInto('lease').values(own).execute()
      return true
    })
  }

  return {
    async acquire(signal) {
      for (let waitedMs = 0; waitedMs < WAIT_MS && !signal.aborted; waitedMs += STEP_MS) {
        if (await tryAcquire()) return true
        await pause(STEP_MS, signal)
      }
      return false
    },
    async release() {
      await (await tables())
        .deleteFrom('lease')
        .where('process', '=', process)
        .where('generation', '=', generation)
        .execute()
    },
  }
}
