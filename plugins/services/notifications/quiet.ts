// Quiet hours in local time: a time that a clock change repeats is quiet both times, and a skipped start or end moves to the clock
// change.
import type { Rule } from './settings.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
/** Upper bound for the number of clock changes in a search. */
const MAX_STEPS = 50

type Quiet = Pick<Rule, 'quiet' | 'time_zone'>

/** The first instant at or after this one outside the quiet hours. */
export function quietUntil({ quiet, time_zone: zone }: Quiet, atMs: number): number {
  if (!quiet.enabled) return atMs
  const timeZone = zone === '' ? Temporal.Now.timeZoneId() : zone
  const from = minutesOf(quiet.from)
  const to = minutesOf(quiet.to)
  let nowMs = atMs
  for (let step = 0; step < MAX_STEPS; step++) {
    const here = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone)
    if (!isQuiet(here, from, to, quiet.days)) return nowMs
    const passedMs = ((here.hour * 60 + here.minute) * 60 + here.second) * 1_000 + here.millisecond
    const leftMs = (to * MINUTE_MS - passedMs + DAY_MINUTES * MINUTE_MS) % (DAY_MINUTES * MINUTE_MS)
    const endMs = nowMs + (leftMs === 0 ? MINUTE_MS : leftMs)
    const jumpMs = here.getTimeZoneTransition('next')?.epochMilliseconds
    nowMs = jumpMs !== undefined && jumpMs < endMs ? jumpMs : endMs
  }
  return nowMs
}

/** Whether the local time is within the quiet hours. */
function isQuiet(here: Temporal.ZonedDateTime, from: number, to: number, days: readonly number[]): boolean {
  const minute = here.hour * 60 + here.minute
  const isAfterMidnight = from > to && minute < to
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isWithin) return false
  const day = isAfterMidnight ? here.toPlainDate().subtract({ days: 1 }).dayOfWeek : here.dayOfWeek
  return days.length === 0 || days.includes(day)
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
