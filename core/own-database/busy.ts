// Waiting for a database that another connection writes to, without blocking the thread as SQLite's own timeout does.
import { setTimeout as sleep } from 'node:timers/promises'

const TRY_MS = 20
/** Longer than any migration of another plugin should take. */
const GIVE_UP_MS = 600_000
const SQLITE_BUSY = 5

/** Tries again while another connection holds the lock. For statements that have done nothing when they fail. */
export async function whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
  const beganAt = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - beganAt > GIVE_UP_MS) throw error
      await sleep(TRY_MS)
    }
  }
}

function isBusy(error: unknown): boolean {
  const errcode = (error as { errcode?: unknown } | null | undefined)?.errcode
  // The low byte is the primary result code.
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY
}
