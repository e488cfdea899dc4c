// Computes the next slot of a job. Pure. A slightly overdue slot is late and runs; an older one was missed, and the
// job's options decide. A slot never runs twice, even if the clock is set back.
import type { JobOptions, JobSlot, JobTime, JobTimes, JobTiming } from '@playhead/sdk'
import { durationMs, intervalMs, nextRun } from './timing.ts'

/** Older slots count as missed. */
const LATE_MS = 10 * 60_000
// A stored slot further in the future must come from a wrong clock.
const TRUSTED_FUTURE_MS = 24 * 3_600_000

/** A timing, and for one that the owner set the time of the clock when it was planned first. */
export type PlannedTiming = JobTiming & { readonly setAtMs?: number }

/** Several times, each with its next slot and the last one that ran. */
export interface PlannedTimes extends JobTimes {
  readonly known: Readonly<Record<string, KnownTime>>
}

interface KnownTime {
  readonly slotMs: number | null
  readonly lastMs: number | null
}

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

// Its slots depend on when it ran.
function isCounted(timing: JobTiming): timing is Extract<JobTiming, { readonly every: unknown }> {
  return 'every' in timing && timing.from === undefined
}

function freshSlot({ timing }: PlannedJob, history: JobHistory | undefined, nowMs: number): number | null {
  if ('cron' in timing) return nextRun(timing, timing.from ?? nowMs)
  if (!isCounted(timing)) return nextRun(timing, nowMs)
  const lastMs = history?.lastStartedAtMs ?? null
  if (lastMs !== null) return nextRun(timing, lastMs)
  return nowMs + (timing.startAfter === undefined ? intervalMs(timing) : durationMs(timing.startAfter))
}

function following(timing: JobTiming, slotMs: number, nowMs: number): number | null {
  if (!isCounted(timing)) return nextRun(timing, nowMs)
  const interval = intervalMs(timing)
  return slotMs + (Math.floor((nowMs - slotMs) / interval) + 1) * interval
}

// After the clock was set back, an earlier plan may be far in the future.
function latestPlausible(timing: JobTiming, nowMs: number, lastDueAtMs: number | null): number {
  if ('at' in timing) return Infinity
  if (isCounted(timing))
    return nowMs + Math.max(intervalMs(timing), timing.startAfter === undefined ? 0 : durationMs(timing.startAfter))
  return nextRun(timing, Math.max(nowMs, trusted(lastDueAtMs, nowMs))) ?? Infinity
}

function trusted(lastDueAtMs: number | null, nowMs: number): number {
  return lastDueAtMs !== null && lastDueAtMs - nowMs < TRUSTED_FUTURE_MS ? lastDueAtMs : -Infinity
}

/** Plans the times. Unchanged ones keep the slots that are known of them. */
export function planTimes({ times }: JobTimes, before: PlannedTimes | null, nowMs: number): PlannedTimes {
  return withKnown(times, (name, time) => {
    const { slotMs = null, lastMs = null } = before?.known[name] ?? {}
    const isSame = JSON.stringify(before?.times[name]) === JSON.stringify(time)
    // A slot at exactly the current time counts, except the instant from which an interval counts.
    const isAnchor = 'every' in time && time.from !== 'midnight'
    const afterMs = isAnchor ? nowMs : Math.max(nowMs - 1, trusted(lastMs, nowMs))
    const planned = isSame ? slotMs : freshSlot({ timing: time, options: {} }, undefined, afterMs)
    const latest = planned === null ? null : Math.min(planned, latestPlausible(time, nowMs, lastMs))
    return { slotMs: settleTime(name, time, latest, nowMs), lastMs }
  })
}

/** The slots that are due, and the plan after they ran. */
export function takeTimes(
  { times, known }: PlannedTimes,
  nowMs: number,
): { readonly due: readonly JobSlot[]; readonly rest: PlannedTimes } {
  const settled = withKnown(times, (name, time) => {
    const { slotMs = null, lastMs = null } = known[name] ?? {}
    return { slotMs: settleTime(name, time, slotMs, nowMs), lastMs }
  })
  const due = slotsOf(settled).filter(({ dueAtMs }) => dueAtMs <= nowMs)
  const taken = due.map(({ name, slotMs }) => {
    const afterMs = Math.max(slotMs, nowMs)
    return [name, { slotMs: nextRun(times[name] as JobTime, afterMs), lastMs: slotMs }] as const
  })
  return { due, rest: { times, known: { ...settled.known, ...Object.fromEntries(taken) } } }
}

/** The planned slots, earliest first. */
export function slotsOf({ times, known }: PlannedTimes): JobSlot[] {
  return Object.entries(times)
    .flatMap(([name, time]) => {
      const slotMs = known[name]?.slotMs ?? null
      return slotMs === null ? [] : [{ name, slotMs, dueAtMs: slotMs + jitterMs(name, time, slotMs) }]
    })
    .sort((a, b) => a.dueAtMs - b.dueAtMs)
}

function withKnown(times: JobTimes['times'], know: (name: string, time: JobTime) => KnownTime): PlannedTimes {
  return { times, known: Object.fromEntries(Object.entries(times).map(([name, time]) => [name, know(name, time)])) }
}

/** The slot, or the first later one that is not missed. */
function settleTime(name: string, time: JobTime, slotMs: number | null, nowMs: number): number | null {
  if ((time.missed ?? defaultPolicy(time)) === 'once') return slotMs
  const longestMs = nowMs - LATE_MS - (time.jitter?.maxMs ?? 0)
  let slot = slotMs
  while (slot !== null && slot + jitterMs(name, time, slot) < nowMs - LATE_MS)
    slot = nextRun(time, Math.max(slot, longestMs - 1))
  return slot
}

// Derived from the slot, so that it is stable.
function jitterMs(name: string, { jitter }: JobTime, slotMs: number): number {
  if (jitter === undefined || jitter.maxMs <= 0) return 0
  let hash = 0x811c9dc5
  for (const char of `${jitter.seed} ${name} ${slotMs}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  // The low bits of this hash are uneven.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return ((hash ^ (hash >>> 13)) >>> 0) % (jitter.maxMs + 1)
}
