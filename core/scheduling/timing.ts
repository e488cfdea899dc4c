// Computes the next run of a timing. At daylight saving changes, a skipped time runs at the jump, and a repeated time
// runs once, the first time. Patterns with wildcards or steps follow real time.
import { Cron, CronPattern } from 'croner'
import { LRUCache } from 'lru-cache'
import { PlayheadError, isTimeZone, parseDuration, type JobTimes, type JobTiming } from '@playhead/sdk'

/**
 * The first run after an instant, epoch milliseconds; `null` if there is none. For intervals without fixed slots the
 * instant is the previous run.
 */
export function nextRun(timing: JobTiming, afterMs: number): number | null {
  if ('at' in timing) return timing.at > afterMs ? timing.at : null
  const zone = timing.timeZone ?? hostTimeZone()
  if ('cron' in timing) return nextCronRun(timing.cron, zone, afterMs)
  const { from = afterMs } = timing
  const ms = intervalMs(timing)
  if (from === 'midnight') return nextOfDay(ms, zone, afterMs)
  return from + (Math.floor((afterMs - from) / ms) + 1) * ms
}

// A day of 25 hours has no additional slots.
function nextOfDay(ms: number, zone: string, afterMs: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).startOfDay()
  const startMs = today.epochMilliseconds
  const endMs = today.add({ days: 1 }).startOfDay().epochMilliseconds
  const slotMs = startMs + (Math.floor((afterMs - startMs) / ms) + 1) * ms
  return slotMs < Math.min(endMs, startMs + DAY_MS) ? slotMs : endMs
}

/** Throws `PLH_INVALID` with a readable message for an invalid timing, or one that never occurs. */
export function checkTiming(timing: JobTiming | JobTimes): void {
  if ('times' in timing) {
    for (const time of Object.values(timing.times)) checkTiming(time)
    return
  }
  if ('at' in timing) {
    checkMoment(timing.at)
    return
  }
  if ('every' in timing) {
    intervalMs(timing)
    if (timing.startAfter !== undefined) durationMs(timing.startAfter)
    if (timing.from !== 'midnight') checkMoment(timing.from ?? 0)
    if (timing.timeZone !== undefined) checkZone(timing.timeZone)
    return
  }
  checkMoment(timing.from ?? 0)
  ruleFor(timing.cron, timing.timeZone ?? hostTimeZone())
}

const MIN_INTERVAL_MS = 1_000
const DAY_MS = 24 * 3_600_000

export function intervalMs({ every }: { readonly every: string | number }): number {
  const ms = durationMs(every)
  if (ms < MIN_INTERVAL_MS) throw invalid(`An interval of ${ms} ms is too short; the shortest is ${MIN_INTERVAL_MS} ms`)
  return ms
}

export function durationMs(duration: string | number): number {
  try {
    return Math.round(parseDuration(duration))
  } catch (error) {
    throw invalid((error as Error).message, error)
  }
}

interface CronRule {
  readonly inZone: Cron
  /** The same rule in zone-less wall-clock time, if it has a fixed time of day. */
  readonly onWall: Cron | null
}

// Cached: parsing is expensive, and few distinct expressions exist.
const rules = new LRUCache<string, CronRule>({ max: 2_000 })

function nextCronRun(expression: string, timeZone: string, afterMs: number): number | null {
  const rule = ruleFor(expression, timeZone)
  const next = rule.inZone.nextRun(new Date(afterMs))?.getTime() ?? null
  return skippedAtMidnight(rule, timeZone, afterMs, next) ?? next
}

function ruleFor(expression: string, timeZone: string): CronRule {
  const key = `${timeZone} ${expression}`
  let rule = rules.get(key)
  if (rule === undefined) {
    rule = readRule(expression, timeZone)
    rules.set(key, rule)
  }
  return rule
}

// Optional seconds; a year field would end a job silently.
const MODE = { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' } as const

function readRule(expression: string, timeZone: string): CronRule {
  // With a colon the library parses a date.
  if (expression.includes(':')) throw invalid(`"${expression}" is not a cron expression; write for example 30 3 * * *`)
  checkZone(timeZone)
  const rule = parseRule(expression, timeZone)
  if (rule.inZone.nextRun(new Date(0)) === null) throw invalid(`The cron expression "${expression}" never comes`)
  return rule
}

function parseRule(expression: string, timeZone: string): CronRule {
  try {
    const { isFixedTime } = new CronPattern(expression, timeZone, MODE)
    return {
      inZone: new Cron(expression, { ...MODE, timezone: timeZone }),
      onWall: isFixedTime ? new Cron(expression, { ...MODE, timezone: 'UTC' }) : null,
    }
  } catch (error) {
    throw invalid(
      `"${expression}" is not a cron expression: ${(error as Error).message.replace(/^CronPattern: /, '')}`,
      error,
    )
  }
}

function checkMoment(atMs: number): void {
  if (!Number.isSafeInteger(atMs)) throw invalid(`${String(atMs)} is not a time in whole epoch milliseconds`)
}

function checkZone(timeZone: string): void {
  if (!isTimeZone(timeZone))
    throw invalid(`"${timeZone}" is not a time zone; write an IANA name, for example Europe/Paris`)
}

// If the clocks jump across midnight (Greenland, 23:00 to 00:00), the library drops a fixed time inside the gap,
// because it resolves to another day.
function skippedAtMidnight(
  { onWall }: CronRule,
  timeZone: string,
  afterMs: number,
  next: number | null,
): number | null {
  if (onWall === null) return null
  const after = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(timeZone)
  const jump = after.getTimeZoneTransition('next')
  if (jump === null || (next !== null && jump.epochMilliseconds >= next)) return null
  const skipped = jump.offsetNanoseconds - jump.subtract({ nanoseconds: 1 }).offsetNanoseconds
  const from = wallMs(jump) - skipped / 1e6
  // A jump of a whole day (date line change) has no skipped time.
  if (skipped <= 0 || skipped >= 12 * 3.6e12) return null
  const missed = onWall.nextRun(new Date(from - 1))?.getTime()
  return missed !== undefined && missed < wallMs(jump) ? jump.epochMilliseconds : null
}

function wallMs(time: Temporal.ZonedDateTime): number {
  return time.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds
}

function hostTimeZone(): string {
  return Temporal.Now.timeZoneId()
}

function invalid(text: string, cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', text, { cause })
}
