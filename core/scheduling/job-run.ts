// One run of a job under its lease: renews the lease, limits the duration, reports the outcome.
import { PlayheadError, type Logger } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { JobKey, JobOutcome, JobStore } from './job-store.ts'
import { MAX_DELAY_MS, type Timers } from '../clock.ts'

/** After a crash, a job can run again after this time. */
export const LEASE_MS = 60_000
const RENEW_MS = LEASE_MS / 3

interface JobRunOptions {
  readonly key: JobKey
  readonly holder: string
  readonly timeoutMs: number
  readonly work: (signal: AbortSignal) => Promise<void>
}

export interface ActiveRun {
  /** Resolves when the work has ended; never rejects. */
  readonly ended: Promise<JobOutcome>
  abort(why: string): void
}

export interface JobRunDependencies {
  readonly store: JobStore
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
}

/** Starts the work. Work that ignores its signal cannot be stopped and counts as running until it ends. */
export function startRun(
  { key, holder, timeoutMs, work }: JobRunOptions,
  { store, clock, timers, log }: JobRunDependencies,
): ActiveRun {
  const controller = new AbortController()
  const subject = { owner: key.owner, job: key.name }
  let leaseEndsAtMs = clock.now() + LEASE_MS
  let over = false

  const timeout = timers.set(() => abort(`it took longer than ${timeoutMs} ms`), Math.min(timeoutMs, MAX_DELAY_MS))
  let renewal = timers.set(renew, RENEW_MS)

  function abort(why: string): void {
    if (over || controller.signal.aborted) return
    log.warn({ ...subject, why }, 'a job is being stopped')
    controller.abort(new PlayheadError('PLH_ABORTED', `Job ${key.name} of ${key.owner} was stopped: ${why}`))
  }

  function renew(): void {
    const expiresAtMs = clock.now() + LEASE_MS
    store
      .renew(key, holder, expiresAtMs)
      .then(
        (ours) => {
          if (ours) leaseEndsAtMs = expiresAtMs
          else abort('another host took it over')
        },
        (error: unknown) => {
          log.warn({ ...subject, err: error }, 'the lease of a job could not be renewed')
          if (clock.now() > leaseEndsAtMs) abort('its lease could not be renewed in time')
        },
      )
      .finally(() => {
        if (!over) renewal = timers.set(renew, RENEW_MS)
      })
  }

  async function run(): Promise<JobOutcome> {
    try {
      await work(controller.signal)
      return controller.signal.aborted ? 'aborted' : 'done'
    } catch (error) {
      if (controller.signal.aborted) return 'aborted'
      log.error({ ...subject, err: error }, 'a job failed')
      return 'failed'
    } finally {
      over = true
      timers.clear(timeout)
      timers.clear(renewal)
    }
  }

  return { ended: run(), abort }
}
