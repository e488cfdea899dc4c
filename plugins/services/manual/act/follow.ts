// Records plans when they end, however late, because plans wait for accounts and outlive processes.
import {
  type ChangeOutcome,
  isPlayheadError,
  type JobHandle,
  type LibraryService,
  type Logger,
  type Remote,
} from '@playhead/sdk'
import type { Store, StoredPlan } from '../store/store.ts'

interface FollowOptions {
  readonly store: Pick<Store, 'unrecorded' | 'setRecorded' | 'prune'>
  readonly library: () => Pick<Remote<LibraryService>, 'outcomes'> | undefined
  readonly record: (plan: StoredPlan, outcomes: readonly ChangeOutcome[]) => Promise<void>
  /** Continues a plan; null while the account is not free. */
  readonly resume: (planId: string) => Promise<readonly ChangeOutcome[] | null>
  readonly isRunning: (planId: string) => boolean
  readonly wake: Pick<JobHandle, 'set'>
  readonly now: () => number
  readonly log: Logger
}

const SOON_MS = 5_000
const LATER_MS = 10 * 60_000
const RECENT_MS = 15 * 60_000

export function createFollow({ store, library, record, resume, isRunning, wake, now, log }: FollowOptions) {
  const recording = new Set<string>()

  /** Called when a plan ended or waits. Never throws, because the response does not depend on it. */
  async function ended(plan: StoredPlan, outcomes: readonly ChangeOutcome[] | null): Promise<void> {
    if (outcomes === null) return wake.set({ at: now() + SOON_MS })
    if (recording.has(plan.planId)) return
    recording.add(plan.planId)
    try {
      await record(plan, outcomes)
      await store.setRecorded(plan.planId)
    } catch (error) {
      log.warn({ err: error, plan: plan.planId }, 'a change could not be recorded yet')
      wake.set({ at: now() + SOON_MS })
    } finally {
      recording.delete(plan.planId)
    }
  }

  return {
    ended,
    /** The body of the scheduled job. */
    async follow(signal: AbortSignal): Promise<void> {
      const plans = library()
      let oldestMs: number | undefined
      for (const { atMs, ...plan } of await store.unrecorded()) {
        if (signal.aborted) return
        if (plans !== undefined && !isRunning(plan.planId)) {
          try {
            // This call records the plan.
            if ((await resume(plan.planId)) !== null) continue
          } catch (error) {
            if (isPlayheadError(error, 'PLH_NOT_FOUND')) {
              await store.setRecorded(plan.planId)
              continue
            }
            log.info({ err: error, plan: plan.planId }, 'a change waits')
          }
        }
        oldestMs ??= atMs
      }
      await store.prune()
      if (oldestMs !== undefined) wake.set({ at: now() + (now() - oldestMs < RECENT_MS ? SOON_MS : LATER_MS) })
    },
  }
}
