// The days of a request: a year, or an interval of days, in its time zone.
import { PlayheadError } from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'
import { dayOfDate, DAY_MS, type Zone } from './zone.ts'

export interface RangeQuery {
  readonly year?: number
  readonly from?: string
  readonly to?: string
}

interface Range {
  /** Both inclusive; null for an open start or end. */
  readonly from: string | null
  readonly to: string | null
  /** A condition on rows of `p` with `at` and `day`. */
  readonly where: RawBuilder<unknown>
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** @throws `PLH_INVALID` (`invalid_range`) */
export function rangeOf({ year, from, to }: RangeQuery, zone: Zone, table = 'p'): Range {
  const [first, last] = year === undefined ? [dateOf(from), dateOf(to)] : [`${pad(year)}-01-01`, `${pad(year)}-12-31`]
  if (year !== undefined && (from !== undefined || to !== undefined))
    throw refused('Give a year, or from and to, not both.')
  if (first !== null && last !== null && first > last) throw refused('from is after to.')
  const [at, day] = [sql.ref(`${table}.at`), sql.ref(`${table}.day`)]
  const parts: RawBuilder<unknown>[] = [sql`1`]
  if (first !== null)
    parts.push(sql`${at} >= case ${day} when 1 then ${dayOfDate(first) * DAY_MS} else ${zone.startOf(first)} end`)
  if (last !== null) {
    const next = new Date((dayOfDate(last) + 1) * DAY_MS).toISOString().slice(0, 10)
    parts.push(sql`${at} < case ${day} when 1 then ${dayOfDate(next) * DAY_MS} else ${zone.startOf(next)} end`)
  }
  return { from: first, to: last, where: sql.join(parts, sql` and `) }
}

function dateOf(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const at = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text)
    throw refused(`"${text}" is no date; give one such as 2026-07-01.`)
  return text
}

function pad(year: number): string {
  return String(year).padStart(4, '0')
}

function refused(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'invalid_range' })
}
