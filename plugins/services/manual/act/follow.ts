// Records plans when they end, however late, because plans wait for accounts and outlive processes.
import { type ActionReport, isPlayheadError, type JobHandle, type Logger } from '@playhead/sdk'
import type { Store, StoredPlan } from '../store/store.ts'

interface FollowOptions {
  readonly store: Pick<Store, 'unrecorded' | 'isRecorded' | 'setRecorded' | 'prune'>
  readonly isReady: () => boolean
  readonly record: (plan: StoredPlan, report: ActionReport) => Promise<void>
  /** Continues a plan. */
  readonly resume: (planId: string) => Promise<ActionReport | undefined>
  readonly wake: Pick<JobHandle, 'set'>
  readonly now: () => number
  readonly log: Logger
}

const SOON_MS = 5_000
const LATER_MS = 10 * 60_000
const RECENT_MS = 15 * 60_000

export function createFollow({ store, isReady, record, resume, wake, now, log }: FollowOptions) {
  const recording = new Set<string>()

  /** Called when a plan ended or waits. Never throws, because the response does not depend on it. */
  async function ended(plan: StoredPlan, report: ActionReport): Promise<void> {
    if (report.isWaiting) return wake.set({ at: now() + SOON_MS })
    if (recording.has(plan.planId)) return
    recording.add(plan.planId)
    try {
      // Several requests may wait for one plan.
      if (await store.isRecorded(plan.planId)) return
      await record(plan, report)
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
      let oldestMs: number | undefined
      for (const { atMs, ...plan } of await store.unrecorded()) {
        if (signal.aborted) return
        if (isReady()) {
          try {
            // This call records the plan.
            if ((await resume(plan.planId))?.isWaiting !== true) continue
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
