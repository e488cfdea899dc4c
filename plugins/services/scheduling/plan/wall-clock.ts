// Wall-clock rules as instants. Where clocks are changed, a time that the day does not have is the moment at which the
// clocks jump, and a time that it has twice is the first of the two.
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

// The system takes its time to look up a zone, and the settings are read each time something may be due.
const zones = new Set<string>()
const MAX_ZONES = 1_000

export function isTimeZone(zone: string): boolean {
  if (zones.has(zone)) return true
  try {
    if (new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone === '') return false
  } catch {
    return false
  }
  if (zones.size < MAX_ZONES) zones.add(zone)
  return true
}

/** The first instant after `afterMs` at which it is `at` (`HH:MM`) on one of the days (1 is Monday; none means all). */
export function nextDaily(at: string, days: readonly number[], zone: string, afterMs: number): number | null {
  const first = dateOf(afterMs, zone).subtract({ days: 1 })
  // Two weeks: a day that the zone skipped as a whole, in a week with one allowed day.
  for (let n = 0; n <= 16; n++) {
    const slotMs = onDate(first.add({ days: n }), at, days, zone)
    if (slotMs !== null && slotMs > afterMs) return slotMs
  }
  return null
}

/** The instant of `at` on the local date of another instant; null when that day is not allowed. */
export function slotOnDateOf(atMs: number, at: string, days: readonly number[], zone: string): number | null {
  return onDate(dateOf(atMs, zone), at, days, zone)
}

/** The first full hour after an instant, as the clocks of the zone show it. */
export function nextFullHour(zone: string, afterMs: number): number {
  const offsetMs = offsetOf(afterMs, zone)
  const hourMs = ceilHour(afterMs + 1 + offsetMs) - offsetMs
  const laterMs = offsetOf(hourMs, zone)
  // In the hour in between the clocks were changed by part of an hour.
  if ((hourMs + laterMs) % HOUR_MS === 0) return hourMs
  return ceilHour(hourMs + laterMs) - laterMs
}

/**
 * The first of the instants that lie whole intervals after local midnight, and after `afterMs`. Each midnight begins
 * anew.
 */
export function nextSpread(intervalMs: number, zone: string, afterMs: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).startOfDay()
  const tomorrow = today.add({ days: 1 }).startOfDay()
  const startMs = today.epochMilliseconds
  const slotMs = startMs + (Math.floor((afterMs - startMs) / intervalMs) + 1) * intervalMs
  // The day on which clocks go back has no more slots than any other.
  return slotMs < Math.min(tomorrow.epochMilliseconds, startMs + DAY_MS) ? slotMs : tomorrow.epochMilliseconds
}

function onDate(date: Temporal.PlainDate, at: string, days: readonly number[], zone: string): number | null {
  if (days.length > 0 && !days.includes(date.dayOfWeek)) return null
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(at))
  const found = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (found.toPlainDateTime().equals(wall)) return found.epochMilliseconds
  const jump = wall.toZonedDateTime(zone, { disambiguation: 'earlier' }).getTimeZoneTransition('next')
  // A day that the zone left out altogether has no times.
  if (jump === null || found.epochMilliseconds - jump.epochMilliseconds >= DAY_MS / 2) return null
  return jump.epochMilliseconds
}

function dateOf(atMs: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate()
}

function offsetOf(atMs: number, zone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6
}

function ceilHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS
}
