// Time zones: the day and hour of an instant, in SQL and in code.
import { PlayheadError } from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'

export interface Zone {
  readonly name: string
  /** SQL for the milliseconds to add to an instant in epoch milliseconds. */
  offsetOf(column: RawBuilder<unknown>): RawBuilder<number>
  offsetAt(atMs: number): number
  /** First instant of a date, epoch milliseconds. */
  startOf(date: string): number
  today(nowMs: number): string
}

/** Earliest accepted time of a play. */
const FIRST_MS = Date.UTC(1870)
const LAST_MS = Date.UTC(2100, 0, 1)
const MAX_ZONES = 20
export const DAY_MS = 86_400_000

const zones = new Map<string, Zone>()

/** @throws `PLH_INVALID` (`unknown_time_zone`) */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const made = createZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, made)
  return made
}

function createZone(name: string): Zone {
  let first: Temporal.ZonedDateTime
  try {
    first = Temporal.Instant.fromEpochMilliseconds(FIRST_MS).toZonedDateTimeISO(name)
  } catch {
    throw new PlayheadError('PLH_INVALID', `"${name}" is no time zone; give a name such as Europe/Berlin.`, {
      wire: 'unknown_time_zone',
    })
  }
  const from = [Number.NEGATIVE_INFINITY]
  const offsets = [offsetOf(first)]
  for (let at = first.getTimeZoneTransition('next'); at !== null; at = at.getTimeZoneTransition('next')) {
    if (at.epochMilliseconds > LAST_MS) break
    from.push(at.epochMilliseconds)
    offsets.push(offsetOf(at))
  }
  return {
    name,
    offsetOf: (column) => choose(column, from, offsets, 0, from.length),
    offsetAt: (atMs) => offsets[from.findLastIndex((start) => start <= atMs)]!,
    startOf: (date) => Temporal.PlainDate.from(date).toZonedDateTime(name).epochMilliseconds,
    today: (nowMs) => Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(name).toPlainDate().toString(),
  }
}

function offsetOf(at: Temporal.ZonedDateTime): number {
  return Math.round(at.offsetNanoseconds / 1_000_000)
}

/** A binary search, so that a play costs eight comparisons instead of two hundred. */
function choose(
  column: RawBuilder<unknown>,
  from: readonly number[],
  offsets: readonly number[],
  low: number,
  high: number,
): RawBuilder<number> {
  if (high - low === 1) return sql<number>`${sql.lit(offsets[low]!)}`
  const middle = (low + high) >> 1
  return sql<number>`case when ${column} < ${sql.lit(from[middle]!)} then ${choose(column, from, offsets, low, middle)}
    else ${choose(column, from, offsets, middle, high)} end`
}

/** Whole days added to an instant so that it is positive: SQLite rounds towards zero, and times before 1970 are negative. */
export const SHIFT_DAYS = 100_000

/** `2026-07-01` of days since 1970. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

export function dayOfDate(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS)
}
