// A Kysely connection through a worker thread, started on demand and restarted after a crash.
import { Kysely } from 'kysely'
import type { Tables } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'
import { createThreadDialect } from './dialect.ts'
import type { ThreadSettings } from './protocol.ts'
import { startThread, type DatabaseThread } from './worker.ts'

/** A thread takes some 10 MB: it ends when nothing used it for so long. */
const IDLE_MS = 20_000

export interface Connection {
  readonly db: Tables
  /** Starts the thread now. Throws SQLite's error. */
  open(): Promise<void>
  /** Runs `work` exclusively: waits for the current statement or transaction, and blocks new ones. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Closes the file, runs `work`, and lets the next statement reopen it. */
  whileClosed<Result>(work: () => Promise<Result>): Promise<Result>
  /** Closes permanently after current work; anything beyond `limitMs` is aborted and rolled back. */
  close(limitMs: number): Promise<void>
}

export function createConnection({
  file,
  readOnly,
  module = null,
  pragmas = [],
  idleMs = IDLE_MS,
  beginStatement,
}: Pick<ThreadSettings, 'file' | 'readOnly'> &
  Partial<ThreadSettings> & {
    /** Infinity: the thread stays. */
    readonly idleMs?: number
    /** See `createThreadDialect`. */
    readonly beginStatement?: () => (() => void) | undefined
  }): Connection {
  let thread: DatabaseThread | null = null
  let starting: Promise<DatabaseThread> | null = null
  let gate: Promise<unknown> | null = null
  let isClosed = false
  let usedAtMs = 0
  let idleTimer: NodeJS.Timeout | undefined
  /** It was ended by this process, and nothing else writes to the file: it need not be checked again. */
  let wasIdle = false

  async function current(): Promise<DatabaseThread> {
    usedAtMs = performance.now()
    while (gate !== null) await gate
    if (isClosed) throw new PlayheadError('PLH_PLUGIN_DISPOSED', 'The database is closed; open it again.')
    if (thread !== null && !thread.hasEnded) return thread
    starting ??= start()
    return await starting
  }

  async function start(): Promise<DatabaseThread> {
    try {
      thread = await startThread({ file, readOnly, module, pragmas, isChecked: wasIdle })
      wasIdle = false
      if (isClosed) thread.abandon()
      else endWhenIdle()
      return thread
    } finally {
      starting = null
    }
  }

  /** Runs in sequence, so that no transaction is open. */
  function endWhenIdle(): void {
    clearTimeout(idleTimer)
    if (idleMs === Number.POSITIVE_INFINITY) return
    const before = usedAtMs
    // One timer for any number of statements: it is set again for what is left since the last one.
    const leftMs = Math.max(1, before + idleMs - performance.now())
    idleTimer = setTimeout(() => {
      if (thread === null || thread.hasEnded) return
      if (usedAtMs !== before) return endWhenIdle()
      void alone(async () => {
        if (usedAtMs !== before) return endWhenIdle()
        await stop()
        wasIdle = true
      }).catch(() => {})
    }, leftMs).unref()
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer)
    // The caller that started it gets the failure.
    await starting?.catch(() => undefined)
    await thread?.close()
    thread = null
  }

  const db: Tables = new Kysely({
    dialect: createThreadDialect(current, readOnly ? 'begin' : 'begin immediate', beginStatement),
  })
  const alone: Connection['alone'] = (work) => db.connection().execute(work)

  return {
    db,
    open: async () => void (await current()),
    alone,
    async whileClosed(work) {
      while (gate !== null) await gate
      const closed = Promise.withResolvers<void>()
      gate = closed.promise
      try {
        await stop()
        return await work()
      } finally {
        gate = null
        closed.resolve()
      }
    },
    async close(limitMs) {
      const limit = Promise.withResolvers<void>()
      const timer = setTimeout(limit.resolve, limitMs)
      const closing = alone(async () => {
        isClosed = true
        await stop()
      })
      try {
        await Promise.race([closing, limit.promise])
      } finally {
        isClosed = true
        thread?.abandon()
        clearTimeout(timer)
      }
    },
  }
}
