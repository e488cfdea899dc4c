// Computes the next slot of a job. Pure. A slightly overdue slot is late and runs; an older one was missed, and the
// job's options decide. A slot never runs twice, even if the clock is set back.
import type { JobOptions, JobTiming } from '@playhead/sdk'
import { durationMs, intervalMs, nextRun } from './timing.ts'

/** Older slots count as missed. */
const LATE_MS = 10 * 60_000
// A stored slot further in the future must come from a wrong clock.
const TRUSTED_FUTURE_MS = 24 * 3_600_000

/** A timing, and for one that the owner set the time of the clock when it was planned first. */
export type PlannedTiming = JobTiming & { readonly setAtMs?: number }

export interface PlannedJob {
  readonly timing: PlannedTiming
  readonly options: JobOptions
}

export interface JobHistory {
  /** The timing of the stored plan, as JSON. */
  readonly timing: string
  readonly nextAtMs: number | null
  readonly lastDueAtMs: number | null
  readonly lastStartedAtMs: number | null
}

/** The first slot after registration; in the past if it should run at once. */
export function planJob(job: PlannedJob, history: JobHistory | undefined, nowMs: number): number | null {
  const { timing } = job
  const unchanged = history !== undefined && history.timing === JSON.stringify(timing)
  if ('at' in timing) {
    const isOver = history?.lastDueAtMs === timing.at || (unchanged && history.nextAtMs === null)
    return isOver ? null : settle(job, timing.at, nowMs)
  }
  const planned = unchanged ? history.nextAtMs : null
  return settle(job, planned ?? freshSlot(job, history, nowMs), nowMs, history?.lastDueAtMs ?? null)
}

/** The planned slot, or a later one if it was missed and is skipped. */
export function settle(
  job: PlannedJob,
  slotMs: number | null,
  nowMs: number,
  lastDueAtMs: number | null = null,
): number | null {
  if (slotMs === null) return null
  const slot = Math.min(slotMs, latestPlausible(job.timing, nowMs, lastDueAtMs))
  if (slot > nowMs - LATE_MS || (job.options.missed ?? defaultPolicy(job.timing)) === 'once') return slot
  return following(job.timing, slot, nowMs)
}

/**
 * When a planned slot may start. A time that was set before the clock was set back may be one of the wrong clock: the
 * job runs now, and its owner sets the right time.
 */
export function startsAt(timing: PlannedTiming | null, slotMs: number | null, nowMs: number): number {
  if (slotMs === null) return Infinity
  return timing?.setAtMs !== undefined && nowMs < timing.setAtMs - LATE_MS ? Math.min(slotMs, nowMs) : slotMs
}

/** The slot after a run that started at `startedAtMs` for `dueAtMs`. */
export function slotAfterStart({ timing }: PlannedJob, startedAtMs: number): number | null {
  return 'at' in timing ? null : nextRun(timing, startedAtMs)
}

/** The slot after a run has ended; missed interval slots are skipped. */
export function slotAfterEnd(job: PlannedJob, slotMs: number | null, nowMs: number): number | null {
  if (slotMs === null || slotMs > nowMs) return slotMs
  return 'every' in job.timing ? following(job.timing, slotMs, nowMs) : settle(job, slotMs, nowMs)
}

function defaultPolicy(timing: JobTiming): 'once' | 'skip' {
  return 'every' in timing ? 'skip' : 'once'
}

function freshSlot({ timing }: PlannedJob, history: JobHistory | undefined, nowMs: number): number | null {
  if (!('every' in timing)) return nextRun(timing, nowMs)
  const lastMs = history?.lastStartedAtMs ?? null
  if (lastMs !== null) return nextRun(timing, lastMs)
  return nowMs + (timing.startAfter === undefined ? intervalMs(timing) : durationMs(timing.startAfter))
}

function following(timing: JobTiming, slotMs: number, nowMs: number): number | null {
  if (!('every' in timing)) return nextRun(timing, nowMs)
  const interval = intervalMs(timing)
  return slotMs + (Math.floor((nowMs - slotMs) / interval) + 1) * interval
}

// After the clock was set back, an earlier plan may be far in the future.
function latestPlausible(timing: JobTiming, nowMs: number, lastDueAtMs: number | null): number {
  if ('at' in timing) return Infinity
  if ('every' in timing)
    return nowMs + Math.max(intervalMs(timing), timing.startAfter === undefined ? 0 : durationMs(timing.startAfter))
  const fired = lastDueAtMs !== null && lastDueAtMs - nowMs < TRUSTED_FUTURE_MS ? lastDueAtMs : -Infinity
  return nextRun(timing, Math.max(nowMs, fired)) ?? Infinity
}
