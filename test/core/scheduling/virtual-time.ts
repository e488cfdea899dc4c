// Virtual time for scheduler tests; the wall clock can be set independently.
import type { Test } from 'tap'
import type { Kysely } from 'kysely'
import type { Logger } from '@playhead/sdk'
import { createScheduler, type ScheduledJob } from '../../../core/scheduling/scheduler.ts'
import { CORE_MIGRATIONS } from '../../../core/core-tables.ts'
import type { Timers } from '../../../core/clock.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { migrate } from '../../../core/storage/migrations.ts'

export const START_MS = Date.UTC(2026, 0, 5, 12, 0, 0)
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export interface VirtualTime {
  readonly clock: { now(): number }
  readonly delays: readonly number[]
  /** Timers of one process; `kill` stops them like the end of the process. */
  process(): { readonly timers: Timers; kill(): void }
  advance(ms: number): Promise<void>
  setClock(changeMs: number): void
}

export function createVirtualTime(startMs = START_MS): VirtualTime {
  let passedMs = 0
  let offsetMs = startMs
  let pending: { readonly atMs: number; readonly work: () => void }[] = []
  const delays: number[] = []
  return {
    clock: { now: () => passedMs + offsetMs },
    delays,
    process() {
      let isAlive = true
      return {
        kill: () => {
          isAlive = false
        },
        timers: {
          set(work, delayMs) {
            delays.push(delayMs)
            const timer = {
              atMs: passedMs + delayMs,
              work: () => {
                if (isAlive) work()
              },
            }
            pending.push(timer)
            return timer
          },
          clear(handle) {
            pending = pending.filter((timer) => timer !== handle)
          },
        },
      }
    },
    async advance(ms) {
      const untilMs = passedMs + ms
      await settle()
      for (;;) {
        const next = pending.toSorted((a, b) => a.atMs - b.atMs)[0]
        if (next === undefined || next.atMs > untilMs) break
        pending = pending.filter((timer) => timer !== next)
        passedMs = Math.max(passedMs, next.atMs)
        next.work()
        await settle()
      }
      passedMs = untilMs
    },
    setClock(changeMs) {
      offsetMs += changeMs
    },
  }
}

/** Lets pending database work finish. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export async function openJobsDatabase(t: Test, file: string): Promise<Kysely<any>> {
  const { db, close } = await openDatabase(file, { log: createLog([]) })
  t.teardown(close)
  await migrate(db, 'core', CORE_MIGRATIONS)
  return db
}

export function createLog(lines: unknown[]): Logger {
  const write =
    (level: string) =>
    (fields: object | string, text?: string): void =>
      void lines.push([level, text, fields])
  const [trace, debug, info, warn, error] = [
    write('trace'),
    write('debug'),
    write('info'),
    write('warn'),
    write('error'),
  ]
  const log: Logger = { trace, debug, info, warn, error, channel: () => log }
  return log
}

/** A scheduler on its own database, or on a given file as one of several hosts. */
export async function setUp(t: Test, shared: { readonly file?: string; readonly time?: VirtualTime } = {}) {
  const time = shared.time ?? createVirtualTime()
  const file = shared.file ?? `${t.testdir()}/jobs.sqlite`
  const db = await openJobsDatabase(t, file)
  const lines: unknown[] = []
  const process = time.process()
  let hosts = 0
  const newScheduler = () =>
    createScheduler({ db, clock: time.clock, log: createLog(lines), hostId: `host-${++hosts}`, timers: process.timers })
  const scheduler = newScheduler()
  t.teardown(() => scheduler.stop())
  return { time, file, db, lines, process, scheduler, newScheduler }
}

/** A job that records the slots it ran for. */
export function recorder(
  job: Partial<ScheduledJob> & Pick<ScheduledJob, 'timing'>,
): ScheduledJob & { readonly ran: number[]; readonly due: string[] } {
  const ran: number[] = []
  const due: string[] = []
  return {
    owner: 'demo',
    name: 'job',
    options: {},
    ...job,
    ran,
    due,
    async run(signal, info) {
      ran.push(info.dueAtMs)
      due.push(info.due.map(({ name, slotMs }) => `${name} +${(slotMs - START_MS) / HOUR}h`).join(', '))
      await job.run?.(signal, info)
    },
  }
}

/** Work that ends on request, or when its signal aborts. */
export function createGate(): { readonly work: (signal: AbortSignal) => Promise<void>; open(): void } {
  let open: () => void = () => {}
  return {
    work: (signal) =>
      new Promise((resolve, reject) => {
        open = resolve
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    open: () => open(),
  }
}
