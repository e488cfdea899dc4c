// Merges the write-ahead log of the relational database into its file on a thread. By default the commit that fills the
// log does it, which after a large change blocks the event loop for a second.
import type { DatabaseSync } from 'node:sqlite'
import type { Logger } from '@playhead/sdk'
import { type DatabaseThread, startThread } from '../own-database/worker.ts'

// SQLite's own default.
const LOG_PAGES = 1_000
/** A longer log is truncated, which briefly blocks writers: without a pause between writes it would only grow. */
const MOST_PAGES = 4_000
const LOOK_MS = 200
const REST_MS = 10_000
/** Retry delay after a failed checkpoint, for example on a full disk. */
const AGAIN_MS = 1_000
/** Time for readers to end; meanwhile writers wait. */
const WAIT_MS = 20

interface LogMerge {
  /** Call it after each commit. */
  wrote(): void
  close(): Promise<void>
}

export function createLogMerge(database: DatabaseSync, file: string, log: Logger): LogMerge {
  let thread: Promise<DatabaseThread> | null = null
  let merging: Promise<void> | null = null
  let looking: NodeJS.Timeout | null = null
  let resting: NodeJS.Timeout | null = null
  let isClosed = false
  let isFailing = false
  database.exec('PRAGMA wal_autocheckpoint = 0')

  function lookIn(ms: number): void {
    if (isClosed) return
    looking ??= setTimeout(() => {
      looking = null
      look()
    }, ms).unref()
  }

  function look(): void {
    if (merging !== null) return
    // A checkpoint is impossible within a transaction.
    if (database.isTransaction) return lookIn(LOOK_MS)
    const { log: pages, checkpointed: merged } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {}
    if (Number(pages) - Number(merged) < LOG_PAGES) return
    clearTimeout(resting ?? undefined)
    merging = merge()
      .then(() => {
        isFailing = false
      })
      .catch(async (error: unknown) => {
        if (!isFailing)
          log.warn({ err: error, file }, 'the log of the database could not be merged into its file; it is tried again')
        isFailing = true
        await rest()
        lookIn(AGAIN_MS)
      })
      .finally(() => {
        merging = null
        resting = setTimeout(() => void rest(), REST_MS).unref()
      })
  }

  async function merge(): Promise<void> {
    thread ??= startThread({ file, readOnly: false, module: null })
    const { run } = await thread
    await run(`PRAGMA busy_timeout = ${WAIT_MS}`, [])
    const { rows } = await run('PRAGMA wal_checkpoint(PASSIVE)', [])
    if (Number(rows[0]?.['log']) > MOST_PAGES) await run('PRAGMA wal_checkpoint(TRUNCATE)', [])
  }

  async function rest(): Promise<void> {
    const ended = await thread?.catch(() => undefined)
    thread = null
    await ended?.close()
  }

  return {
    wrote: () => lookIn(LOOK_MS),
    async close() {
      isClosed = true
      clearTimeout(looking ?? undefined)
      await merging
      clearTimeout(resting ?? undefined)
      await rest()
    },
  }
}
