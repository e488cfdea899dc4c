// Wall-clock rules as instants. At clock changes, a skipped time means the moment of the jump, and a repeated time
// means the first one.
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

// Looking up a zone is slow, and settings are read often.
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

/**
 * The first instant after `afterMs` with local time `at` (`HH:MM`) on one of the days (1 is Monday; none means all).
 */
export function nextDaily(at: string, days: readonly number[], zone: string, afterMs: number): number | null {
  const first = dateOf(afterMs, zone).subtract({ days: 1 })
  // Two weeks, for a zone that skips a whole day in a week with one allowed day.
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

/** The first full local hour after an instant. */
export function nextFullHour(zone: string, afterMs: number): number {
  const offsetMs = offsetOf(afterMs, zone)
  const hourMs = ceilHour(afterMs + 1 + offsetMs) - offsetMs
  const laterMs = offsetOf(hourMs, zone)
  // The offset changed by a fraction of an hour.
  if ((hourMs + laterMs) % HOUR_MS === 0) return hourMs
  return ceilHour(hourMs + laterMs) - laterMs
}

/** The first instant after `afterMs` that lies whole intervals after local midnight. */
export function nextSpread(intervalMs: number, zone: string, afterMs: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).startOfDay()
  const tomorrow = today.add({ days: 1 }).startOfDay()
  const startMs = today.epochMilliseconds
  const slotMs = startMs + (Math.floor((afterMs - startMs) / intervalMs) + 1) * intervalMs
  // A day of 25 hours has no additional slots.
  return slotMs < Math.min(tomorrow.epochMilliseconds, startMs + DAY_MS) ? slotMs : tomorrow.epochMilliseconds
}

function onDate(date: Temporal.PlainDate, at: string, days: readonly number[], zone: string): number | null {
  if (days.length > 0 && !days.includes(date.dayOfWeek)) return null
  const wall = date.toPlainDateTime(Temporal.PlainTime.from(at))
  const found = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (found.toPlainDateTime().equals(wall)) return found.epochMilliseconds
  const jump = wall.toZonedDateTime(zone, { disambiguation: 'earlier' }).getTimeZoneTransition('next')
  // A day that the zone skipped has no times.
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
