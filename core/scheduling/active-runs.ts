// The current runs of this host: leases, outcomes, and the drain at the end.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { LEASE_MS, startRun, type ActiveRun, type JobRunDependencies } from './job-run.ts'
import { keyText, type JobKey, type JobOutcome } from './job-store.ts'

interface RunRequest {
  readonly key: JobKey
  readonly holder: string
  readonly timeoutMs: number
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Called after the outcome was stored and before the lease is released. */
  readonly onEnded: (outcome: JobOutcome, nowMs: number) => Promise<void>
  /** Called after the lease was released. */
  readonly onOver: () => void
}

interface ActiveRuns {
  has(key: JobKey): boolean
  /** Acquires the lease of a job; null while another holder has it. */
  lease(key: JobKey): Promise<string | null>
  giveUp(key: JobKey, holder: string): Promise<void>
  begin(request: RunRequest): void
  /** Waits for all runs, aborts the slow ones, and returns the number that are still running. */
  drain(withinMs: number): Promise<number>
}

// The end of the drain is reserved for aborted work to finish.
const ABORT_RESERVE_MS = 5_000

export function createActiveRuns(deps: JobRunDependencies & { readonly hostId: string }): ActiveRuns {
  const { store, clock, timers, log, hostId } = deps
  const runs = new Map<string, ActiveRun>()
  // Timers belong to the host, not to the context that triggers a run.
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
