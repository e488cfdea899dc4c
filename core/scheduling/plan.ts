// Computes the slots of a job. Pure. A slightly overdue slot is late and runs; an older one was missed, and the time's
// options decide. A slot never runs twice, even if the clock is set back.
import type { JobOptions, JobSlot, JobTime, JobTimes, JobTiming } from '@playhead/sdk'
import { checkTiming, durationMs, intervalMs, nextRun } from './timing.ts'

/** Older slots count as missed. */
const LATE_MS = 10 * 60_000
// A stored slot further in the future must come from a wrong clock.
const TRUSTED_FUTURE_MS = 24 * 3_600_000

/** The times of a job with their slots. A single timing is a time without a name. */
export interface Plan {
  /** The timing as the owner set it. */
  readonly timing: JobTiming | JobTimes
  /** For an `at` that the owner set: the time of the clock then. */
  readonly setAtMs?: number | undefined
  readonly known: Readonly<Record<string, KnownTime>>
  /** For several times: the slots of a run that has not ended. They are due again if the process ends first. */
  readonly open?: readonly JobSlot[] | undefined
}

interface KnownTime {
  readonly slotMs: number | null
  /** The last slot that ran. */
  readonly lastMs: number | null
}

type Time = JobTiming & Pick<JobTime, 'missed' | 'jitter'>

export interface JobHistory {
  /** The timing of the stored plan, as JSON; several times with their slots. */
  readonly timing: string
  readonly nextAtMs: number | null
  readonly lastDueAtMs: number | null
  readonly lastStartedAtMs: number | null
}

/** The stored plan. Null without one; a newer version of the service may have stored an unknown timing. */
export function storedPlan(history: JobHistory | undefined): Plan | null {
  try {
    const stored = JSON.parse(history?.timing ?? 'null') as (JobTiming & { readonly setAtMs?: number }) | Plan | null
    if (stored === null || history === undefined) return null
    const { known, open, setAtMs, ...timing } = { known: undefined, open: undefined, setAtMs: undefined, ...stored }
    checkTiming(timing as Plan['timing'])
    const single = { '': { slotMs: history.nextAtMs, lastMs: history.lastDueAtMs } }
    return { timing: timing as Plan['timing'], setAtMs, known: known ?? single, open }
  } catch {
    return null
  }
}

/** The plan in its stored form, see `JobHistory`. */
export function planText(plan: Plan | null): string {
  if (plan === null) return 'null'
  const { timing, setAtMs, known, open } = plan
  return JSON.stringify('times' in timing ? { ...timing, known, open } : { ...timing, setAtMs })
}

/** Plans a timing. Times that are planned unchanged keep their slots. */
export function planOf(
  { timing, setAtMs }: Omit<Plan, 'known'>,
  options: JobOptions,
  history: JobHistory | undefined,
  nowMs: number,
): Plan {
  const before = storedPlan(history)
  const isMany = 'times' in timing
  const former: Readonly<Record<string, Time>> = before === null ? {} : timesOf(before.timing)
  const times = timesOf(timing)
  const open = before?.open?.filter(({ name, dueAtMs }) => {
    const time = times[name]
    return time !== undefined && (dueAtMs > nowMs - LATE_MS || isCaughtUp(time, options))
  })
  return withKnown({ timing, setAtMs, open }, (name, time) => {
    const known = before?.known[name]
    const lastMs = (isMany ? known?.lastMs : history?.lastDueAtMs) ?? null
    const isSame = before?.setAtMs === setAtMs && JSON.stringify(former[name]) === JSON.stringify(time)
    const startedMs = isMany ? lastMs : (history?.lastStartedAtMs ?? null)
    const fresh = () => freshSlot(time, isSame, lastMs, startedMs, nowMs)
    const slotMs = (isSame ? known?.slotMs : null) ?? fresh()
    const latest = slotMs === null ? null : Math.min(slotMs, latestPlausible(time, nowMs, lastMs))
    return { slotMs: settle(name, time, options, latest, nowMs), lastMs }
  })
}

/** The slots that are due, and the plan after they ran. */
export function takeDue(
  plan: Plan,
  options: JobOptions,
  nowMs: number,
): { readonly due: readonly JobSlot[]; readonly rest: Plan } {
  const settled = withKnown(plan, (name, time, { slotMs, lastMs }) => ({
    slotMs: settle(name, time, options, slotMs, nowMs),
    lastMs,
  }))
  const { open = [], timing } = plan
  const due = [...open, ...slotsOf(settled, nowMs).filter(({ dueAtMs }) => dueAtMs <= nowMs)]
  const rest = withKnown(settled, (name, time, known) => {
    const taken = due.find((slot) => slot.name === name && slot.slotMs === known.slotMs)
    if (taken === undefined) return known
    return { slotMs: nextRun(time, Math.max(taken.slotMs, nowMs)), lastMs: taken.slotMs }
  })
  return { due, rest: 'times' in timing ? { ...rest, open: due } : rest }
}

/** The plan after a run has ended. Slots of intervals that passed meanwhile are skipped. */
export function afterRun(plan: Plan, nowMs: number): Plan {
  return withKnown({ ...plan, open: undefined }, (_name, time, { slotMs, lastMs }) => {
    const isOver = slotMs !== null && slotMs <= nowMs && isCounted(time)
    return { slotMs: isOver ? following(time, slotMs, nowMs) : slotMs, lastMs }
  })
}

/** The planned slots, earliest first. */
export function slotsOf(plan: Plan, nowMs: number): JobSlot[] {
  return Object.entries(timesOf(plan.timing))
    .flatMap(([name, time]) => {
      const slotMs = plan.known[name]?.slotMs ?? null
      if (slotMs === null) return []
      return [
        { name, slotMs, dueAtMs: isOfWrongClock(plan, nowMs) ? Math.min(slotMs, nowMs) : dueOf(name, time, slotMs) },
      ]
    })
    .sort((a, b) => a.dueAtMs - b.dueAtMs)
}

/** When the first slot is due. */
export function firstDueOf(plan: Plan | null, nowMs = Infinity): number | null {
  return plan === null ? null : ((plan.open?.[0] ?? slotsOf(plan, nowMs)[0])?.dueAtMs ?? null)
}

/**
 * A time that was set before the clock was set back may come from the wrong clock: the job runs now, and its owner sets
 * the right time.
 */
export function isOfWrongClock({ setAtMs }: Plan, nowMs: number): boolean {
  return setAtMs !== undefined && nowMs < setAtMs - LATE_MS
}

function timesOf(timing: Plan['timing']): Readonly<Record<string, Time>> {
  return 'times' in timing ? timing.times : { '': timing }
}

function withKnown(
  plan: Omit<Plan, 'known'> & Partial<Plan>,
  know: (name: string, time: Time, known: KnownTime) => KnownTime,
): Plan {
  const known = Object.entries(timesOf(plan.timing)).map(
    ([name, time]) => [name, know(name, time, plan.known?.[name] ?? { slotMs: null, lastMs: null })] as const,
  )
  return { ...plan, known: Object.fromEntries(known) }
}

// Its slots depend on when it ran.
function isCounted(timing: JobTiming): timing is Extract<JobTiming, { readonly every: unknown }> {
  return 'every' in timing && timing.from === undefined
}

function freshSlot(
  time: Time,
  isSame: boolean,
  lastMs: number | null,
  startedMs: number | null,
  nowMs: number,
): number | null {
  if ('at' in time) return isSame || lastMs === time.at ? null : time.at
  if ('cron' in time && time.from !== undefined) return nextRun(time, time.from)
  if (!isCounted(time)) return nextRun(time, Math.max(nowMs, trusted(lastMs, nowMs)))
  if (startedMs !== null) return nextRun(time, startedMs)
  return nowMs + (time.startAfter === undefined ? intervalMs(time) : durationMs(time.startAfter))
}

/** The slot, or the first later one that is not missed. */
function settle(name: string, time: Time, options: JobOptions, slotMs: number | null, nowMs: number): number | null {
  if (isCaughtUp(time, options)) return slotMs
  const longestMs = time.jitter?.maxMs ?? 0
  let slot = slotMs
  while (slot !== null && dueOf(name, time, slot) <= nowMs - LATE_MS)
    slot = following(time, slot, Math.max(slot, nowMs - longestMs))
  return slot
}

function isCaughtUp(time: Time, { missed }: JobOptions): boolean {
  return (time.missed ?? missed ?? ('every' in time ? 'skip' : 'once')) === 'once'
}

function following(time: Time, slotMs: number, afterMs: number): number | null {
  if (!isCounted(time)) return nextRun(time, afterMs)
  const interval = intervalMs(time)
  return slotMs + (Math.floor((afterMs - slotMs) / interval) + 1) * interval
}

// After the clock was set back, an earlier plan may be far in the future.
function latestPlausible(timing: JobTiming, nowMs: number, lastMs: number | null): number {
  if ('at' in timing) return Infinity
  if (isCounted(timing))
    return nowMs + Math.max(intervalMs(timing), timing.startAfter === undefined ? 0 : durationMs(timing.startAfter))
  return nextRun(timing, Math.max(nowMs, trusted(lastMs, nowMs))) ?? Infinity
}

function trusted(lastMs: number | null, nowMs: number): number {
  return lastMs !== null && lastMs - nowMs < TRUSTED_FUTURE_MS ? lastMs : -Infinity
}

// The delay derives from the slot, so that it is stable.
function dueOf(name: string, { jitter }: Time, slotMs: number): number {
  if (jitter === undefined || jitter.maxMs <= 0) return slotMs
  let hash = 0x811c9dc5
  for (const char of `${jitter.seed} ${name} ${slotMs}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  // The low bits of this hash are uneven.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return slotMs + (((hash ^ (hash >>> 13)) >>> 0) % (jitter.maxMs + 1))
}
