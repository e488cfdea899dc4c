// The runs of this host: takes leases, starts work, notes how it ended, and ends everything when the service stops.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { LEASE_MS, startRun, type ActiveRun, type JobRunDependencies } from './job-run.ts'
import { keyText, type JobKey, type JobOutcome } from './job-store.ts'

export interface RunRequest {
  readonly key: JobKey
  readonly holder: string
  readonly timeoutMs: number
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Runs after the end was stored and before the lease is given up. */
  readonly onEnded: (outcome: JobOutcome, nowMs: number) => Promise<void>
  /** The run is over in every respect. */
  readonly onOver: () => void
}

export interface ActiveRuns {
  has(key: JobKey): boolean
  /** The right to run a job: its holder, or null while somebody else has it. */
  lease(key: JobKey): Promise<string | null>
  giveUp(key: JobKey, holder: string): Promise<void>
  begin(request: RunRequest): void
  /** Waits for all runs, aborts those that need longer, and gives the number of those that still go on. */
  drain(withinMs: number): Promise<number>
}

// The last part of the time is for work to end in after its signal.
const ABORT_RESERVE_MS = 5_000

export function createActiveRuns(deps: JobRunDependencies & { readonly hostId: string }): ActiveRuns {
  const { store, clock, timers, log, hostId } = deps
  const runs = new Map<string, ActiveRun>()
  // Whoever triggers a run, its timers are the host's.
  const asHost = AsyncLocalStorage.snapshot()

  async function noteEnd({ key, holder, onEnded, onOver }: RunRequest, outcome: JobOutcome): Promise<JobOutcome> {
    const nowMs = clock.now()
    try {
      await store.finish(key, outcome, nowMs)
      await onEnded(outcome, nowMs)
      await store.release(key, holder)
    } catch (error) {
      log.error(
        { owner: key.owner, job: key.name, err: error },
        'the end of a job could not be stored; its lease will expire',
      )
    }
    runs.delete(keyText(key))
    onOver()
    return outcome
  }

  async function endWithin(limitMs: number): Promise<void> {
    if (runs.size === 0) return
    let timer: unknown
    const limit = new Promise<void>((resolve) => {
      timer = timers.set(resolve, limitMs)
    })
    await Promise.race([Promise.all([...runs.values()].map((run) => run.ended)), limit])
    timers.clear(timer)
  }

  return {
    has: (key) => runs.has(keyText(key)),

    async lease(key) {
      const nowMs = clock.now()
      const holder = `${hostId} ${randomUUID()}`
      return (await store.acquire(key, holder, nowMs, nowMs + LEASE_MS)) ? holder : null
    },

    giveUp: (key, holder) => store.release(key, holder),

    begin(request) {
      const run = asHost(startRun, request, deps)
      runs.set(keyText(request.key), {
        abort: run.abort,
        ended: run.ended.then((outcome) => noteEnd(request, outcome)),
      })
    },

    async drain(withinMs) {
      const reserveMs = Math.min(ABORT_RESERVE_MS, withinMs / 2)
      await endWithin(withinMs - reserveMs)
      for (const run of runs.values()) run.abort('the service is stopping')
      await endWithin(reserveMs)
      return runs.size
    },
  }
}
