// Parses the time of a play. A date alone becomes noon UTC, which is the same day from UTC-12:00 to UTC+11:59; the plain date is
// stored too.
import { PlayheadError } from '@playhead/sdk'

export interface When {
  readonly atMs: number
  /** The date from the request, `2026-07-01`; null for now. */
  readonly date: string | null
  /** Only the date is known. */
  readonly isDay: boolean
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})$/
/** A time without an offset identifies no instant; such a body is malformed. */
export const NO_LOCAL_TIME = '^(?!\\s*\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}(:?\\d{2}(:?\\d{2}([.,]\\d+)?)?)?\\s*$)'

/** Earliest accepted date, before the first film. */
const FIRST_YEAR = 1874
/** Clocks of clients may be ahead by this much. */
const AHEAD_MS = 60_000
const NOON_MS = 12 * 3_600_000
const MAX_OFFSET_MINUTES = 14 * 60
const MIN_OFFSET_MINUTES = -12 * 60

/** Throws `PLH_INVALID`: `invalid_custom_date`, `date_out_of_range`. */
export function readWatchedOn(text: string | null | undefined, nowMs: number): When {
  const when = parse((text ?? '').trim(), nowMs)
  if (when === undefined)
    throw new PlayheadError('PLH_INVALID', 'watched_on must be a date, or a date and time with a time zone.', {
      wire: 'invalid_custom_date',
    })
  if (when.atMs > nowMs + AHEAD_MS || Number(when.date?.slice(0, 4)) < FIRST_YEAR)
    throw new PlayheadError('PLH_INVALID', `watched_on must be between the year ${FIRST_YEAR} and now.`, {
      wire: 'date_out_of_range',
    })
  return when
}

export function nowOf(nowMs: number): When {
  return { atMs: Math.floor(nowMs / 1_000) * 1_000, date: null, isDay: false }
}

/** Noon of the date; undefined if that is in the future. */
export function pastNoonOf(date: string, nowMs: number): When | undefined {
  const startMs = dayStart(date)
  const atMs = (startMs ?? Number.NaN) + NOON_MS
  return atMs <= nowMs ? { atMs, date, isDay: true } : undefined
}

function parse(text: string, nowMs: number): When | undefined {
  const startMs = dayStart(text)
  if (startMs !== undefined) {
    const noonMs = startMs + NOON_MS
    // For today use the current time, even where the day started before UTC's: a play is never in the future.
    const isToday = nowMs >= startMs - MAX_OFFSET_MINUTES * 60_000 && nowMs < noonMs
    const atMs = isToday ? nowOf(nowMs).atMs : noonMs
    return { atMs, date: text, isDay: true }
  }
  const match = INSTANT.exec(text)
  const date = match?.[1]
  const dateMs = date === undefined ? undefined : dayStart(date)
  if (match === null || date === undefined || dateMs === undefined) return undefined
  const [hour, minute, second] = [match[2], match[3], match[4] ?? 0].map(Number) as [number, number, number]
  const offset = offsetMinutes(match[6] as string)
  if (hour > 23 || minute > 59 || second > 59 || offset === undefined) return undefined
  const millisecond = Number((match[5] ?? '').padEnd(3, '0').slice(0, 3))
  const localMs = dateMs + ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond
  return { atMs: localMs - offset * 60_000, date, isDay: false }
}

/** First millisecond of the date in UTC; undefined for a date that does not exist. */
function dayStart(text: string): number | undefined {
  const match = DAY.exec(text)
  if (match === null) return undefined
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  const atMs = new Date(0).setUTCFullYear(year, month - 1, day)
  const at = new Date(atMs)
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? atMs : undefined
}

function offsetMinutes(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  const offset = (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
  return minutes > 59 || offset > MAX_OFFSET_MINUTES || offset < MIN_OFFSET_MINUTES ? undefined : offset
}
