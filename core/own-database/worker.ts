// A database thread as seen from the main thread.
import { PlayheadError, createTurns } from '@playhead/sdk/host'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { SqlValue } from '@playhead/sdk'
import { ROOT, threadModule } from '../installation.ts'
import type { ThreadAnswer, ThreadFailure, ThreadRequest, ThreadSettings } from './protocol.ts'

// Immediately available answers are processed in a batch; pauses let timers and sockets run.
const PAUSE_AFTER_MS = 10
// Rows arrive in chunks, and SQLite has its own memory.
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 4 }

interface StatementResult {
  readonly rows: readonly Record<string, SqlValue>[]
  readonly changes?: bigint
  readonly insertId?: bigint
}

export interface DatabaseThread {
  readonly hasEnded: boolean
  /** Throws an error with SQLite's codes, or `PLH_ABORTED` if the thread crashes. */
  run(sql: string, values: readonly unknown[]): Promise<StatementResult>
  /** Runs the statement once per row of values; returns the number of changed rows. */
  many(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<bigint>
  /** Calls a function of the thread's module. */
  call(name: string, argument: unknown): Promise<unknown>
  /** Runs statements without values and rows, in order. */
  all(statements: readonly string[]): Promise<void>
  rollback(): Promise<void>
  /** Closes the file after current work. */
  close(): Promise<void>
  /** Ends the thread after its current statement; all waiting callers fail at once. */
  abandon(): void
}

/** Resolves when the file is open. Throws SQLite's error after ending the thread. */
export async function startThread({
  file,
  readOnly,
  module,
  pragmas = [],
  isChecked = false,
}: Pick<ThreadSettings, 'file' | 'readOnly' | 'module'> & Partial<ThreadSettings>): Promise<DatabaseThread> {
  const compiled = getCompileCacheDir()
  const worker = new Worker(join(ROOT, 'core/own-database/thread-start.js'), {
    name: readOnly ? 'database reader' : 'database writer',
    // Without the subfolder of the Node version, which Node adds again.
    workerData: {
      thread: threadModule('own-database/thread.ts'),
      file,
      readOnly,
      module,
      pragmas,
      isChecked,
      compileCache: compiled === undefined ? null : dirname(compiled),
    } satisfies ThreadSettings,
    resourceLimits: LIMITS,
    execArgv: [],
  })
  const exited = Promise.withResolvers<void>()
  let waiting: PromiseWithResolvers<ThreadAnswer> | null = null
  let end: PlayheadError | null = null
  let pausedAtMs = 0

  const finish = (reason: PlayheadError) => {
    end ??= reason
    waiting?.reject(end)
    waiting = null
  }
  worker.on('message', (answer: ThreadAnswer) => {
    waiting?.resolve(answer)
    waiting = null
  })
  worker.on('messageerror', (error) => {
    finish(gone(error))
    void worker.terminate()
  })
  worker.on('error', (error) => finish(gone(error)))
  worker.on('exit', () => {
    finish(gone())
    exited.resolve()
  })

  async function exchange(request: ThreadRequest | null): Promise<Exclude<ThreadAnswer, { kind: 'failed' }>> {
    if (end !== null) throw end
    const reply = Promise.withResolvers<ThreadAnswer>()
    // Unserializable values fail here, before anything waits.
    if (request !== null) worker.postMessage(request)
    waiting = reply
    // Only a thread in use keeps the process alive.
    worker.ref()
    try {
      const answer = await reply.promise
      if (performance.now() - pausedAtMs > PAUSE_AFTER_MS) {
        await setImmediate()
        pausedAtMs = performance.now()
      }
      if (answer.kind === 'failed') throw asError(answer.failure)
      return answer
    } finally {
      worker.unref()
    }
  }

  /** Even if its caller gave up, a statement must finish before the next one. */
  const inTurn = createTurns()

  const thread: DatabaseThread = {
    get hasEnded() {
      return end !== null
    },

    run: (sql, values) =>
      inTurn(async () => {
        let answer = await exchange({ kind: 'run', sql, values })
        if (answer.kind === 'done') return { rows: [], changes: answer.changes, insertId: answer.insertId }
        if (answer.kind !== 'rows') throw new Error('a thread answered something else than was asked')
        const rows: Record<string, SqlValue>[] = []
        for (;;) {
          addRows(rows, answer)
          if (!answer.more) return { rows }
          const next = await exchange({ kind: 'more' })
          if (next.kind !== 'rows') throw new Error('a thread answered something else than was asked')
          answer = next
        }
      }),

    many: (sql, rows) =>
      inTurn(async () => {
        const answer = await exchange({ kind: 'many', sql, rows })
        return answer.kind === 'done' ? answer.changes : 0n
      }),

    call: (name, argument) =>
      inTurn(async () => {
        const answer = await exchange({ kind: 'call', name, argument })
        return answer.kind === 'value' ? answer.value : undefined
      }),

    all: (statements) =>
      inTurn(async () => {
        await exchange({ kind: 'all', statements })
      }),

    rollback: () =>
      inTurn(async () => {
        // The end of the thread also ends a transaction.
        if (end === null) await exchange({ kind: 'rollback' })
      }),

    close: () =>
      inTurn(async () => {
        if (end !== null) return await exited.promise
        end = gone()
        worker.ref()
        worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
        await exited.promise
      }),

    abandon() {
      finish(gone())
      void worker.terminate()
    },
  }

  try {
    await exchange(null)
    return thread
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

function addRows(rows: Record<string, SqlValue>[], answer: Extract<ThreadAnswer, { kind: 'rows' }>): void {
  const { columns } = answer
  for (const values of answer.rows) {
    const row: Record<string, SqlValue> = {}
    for (let index = 0; index < columns.length; index += 1) row[columns[index] as string] = values[index] as SqlValue
    rows.push(row)
  }
}

function asError({ message, ...codes }: ThreadFailure): Error {
  return Object.assign(new Error(message), codes)
}

function gone(cause?: unknown): PlayheadError {
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  return new PlayheadError(
    'PLH_ABORTED',
    `The thread of the database ended${why}; uncommitted changes are rolled back. Try again.`,
    cause === undefined ? {} : { cause },
  )
}
