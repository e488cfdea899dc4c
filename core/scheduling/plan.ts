// Which slot of a job is next. Pure: the same stored state, timing and moment always give the same plan. A slot that
// lies a little in the past is merely late and runs; one that lies further back was missed, and the job says whether to
// catch up on it. A slot never fires twice, also when the clock is set back.
import type { JobOptions, JobTiming } from '@playhead/sdk'
import { durationMs, intervalMs, nextRun } from './timing.ts'

/** Older slots count as missed. */
export const LATE_MS = 10 * 60_000
// A slot this far in the future cannot have fired: the clock was wrong then.
const TRUSTED_FUTURE_MS = 24 * 3_600_000

export interface PlannedJob {
  readonly timing: JobTiming
  readonly options: JobOptions
}

export interface JobHistory {
  /** The timing that the stored plan was made for, as JSON. */
  readonly timing: string
  readonly nextAtMs: number | null
  readonly lastDueAtMs: number | null
  readonly lastStartedAtMs: number | null
}

/** The slot to wait for when the scheduler takes a job in; in the past when it is to run at once. */
export function planJob(job: PlannedJob, history: JobHistory | undefined, nowMs: number): number | null {
  const { timing } = job
  if ('at' in timing) return history?.lastDueAtMs === timing.at ? null : settle(job, timing.at, nowMs)
  const unchanged = history !== undefined && history.timing === JSON.stringify(timing)
  const planned = unchanged ? history.nextAtMs : null
  return settle(job, planned ?? freshSlot(job, history, nowMs), nowMs, history?.lastDueAtMs ?? null)
}

/** A planned slot as it stands now: itself, or a later one when it was missed and is not to be caught up on. */
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

/** The slot after a run that began at `startedAtMs` for `dueAtMs`. */
export function slotAfterStart({ timing }: PlannedJob, startedAtMs: number): number | null {
  return 'at' in timing ? null : nextRun(timing, startedAtMs)
}

/** The slot to wait for when a run has ended; slots of an interval that passed meanwhile are left out. */
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

// After the clock was set back, a plan made before may lie years ahead.
function latestPlausible(timing: JobTiming, nowMs: number, lastDueAtMs: number | null): number {
  if ('at' in timing) return Infinity
  if ('every' in timing)
    return nowMs + Math.max(intervalMs(timing), timing.startAfter === undefined ? 0 : durationMs(timing.startAfter))
  const fired = lastDueAtMs !== null && lastDueAtMs - nowMs < TRUSTED_FUTURE_MS ? lastDueAtMs : -Infinity
  return nextRun(timing, Math.max(nowMs, fired)) ?? Infinity
}
