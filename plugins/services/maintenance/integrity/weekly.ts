// Checks all databases completely at the interval of the settings. The time of the last check survives restarts; no check starts
// right after one.
import type { JobHandle, KeyValueStore } from '@playhead/sdk'
import type { Settings } from '../settings.ts'
import type { Integrity } from './integrity.ts'

const DAY_MS = 86_400_000
const GRACE_MS = 30 * 60_000
const RETRY_MS = 3_600_000
const KEPT = 'integrity_checked_at_ms'

export interface Weekly {
  /** Epoch milliseconds; null if there was no check yet or none is planned. */
  times(): Promise<{ readonly lastAtMs: number | null; readonly nextAtMs: number | null }>
  /** Sets the job to its next time. */
  plan(): Promise<void>
  /** A complete check of all databases has ended. */
  checked(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

interface WeeklyOptions {
  readonly job: () => Pick<JobHandle, 'set'>
  readonly settings: () => Readonly<Settings>
  readonly store: Pick<KeyValueStore, 'get' | 'set'>
  readonly integrity: Pick<Integrity, 'check'>
  readonly startedAtMs: number
  readonly now: () => number
}

export function createWeekly({ job, settings, store, integrity, startedAtMs, now }: WeeklyOptions): Weekly {
  async function times() {
    const lastAtMs = (await store.get<number>(KEPT)) ?? null
    const days = settings().integrity_check_days
    if (days === 0) return { lastAtMs, nextAtMs: null }
    // If the clock was set back, the delay is limited to one interval.
    const last = lastAtMs === null || lastAtMs > now() ? null : lastAtMs
    const earliest = startedAtMs > now() ? 0 : startedAtMs + GRACE_MS
    return { lastAtMs, nextAtMs: Math.max((last ?? 0) + days * DAY_MS, earliest) }
  }

  async function plan(): Promise<void> {
    const { nextAtMs } = await times()
    job().set(nextAtMs === null ? null : { at: nextAtMs })
  }

  async function checked(): Promise<void> {
    await store.set(KEPT, now())
    await plan()
  }

  return {
    times,
    plan,
    checked,
    async run(signal) {
      const { nextAtMs } = await times()
      if (nextAtMs === null || nextAtMs > now()) return await plan()
      try {
        await integrity.check({ quick: false }, signal)
      } catch (error) {
        if (!signal.aborted) job().set({ at: now() + RETRY_MS })
        throw error
      }
      await checked()
    },
  }
}
