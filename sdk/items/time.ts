// Times of providers: ISO 8601, epoch seconds or milliseconds, or a date. A date stays a date. A time without a zone is
// invalid, and so are the days that programs write for a missing time, and years before film existed.
export type TimePrecision = 'millisecond' | 'second' | 'date'

export interface Time {
  /** For a date: its first millisecond, UTC. */
  readonly atMs: number
  readonly precision: TimePrecision
}

const DAY_MS = 86_400_000
const FIRST_YEAR = 1870
const EARLIEST_MS = Date.UTC(FIRST_YEAR)
const LATEST_MS = Date.UTC(9999, 11, 31)
/** The zeros of Unix and of spreadsheets, in days since 1970. Those of .NET and MySQL are before the first year. */
const PLACEHOLDERS: readonly number[] = [0, Date.UTC(1900) / DAY_MS]
// Epoch seconds have fewer digits than milliseconds until the year 5138, and also for past years.
const FIRST_AS_MS = 1e11
/** A smaller number is something else: a year, a count, the day of a spreadsheet. */
const LEAST_SECONDS = 1e6
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}:?\d{2}))?$/i

/**
 * Parses a provider's time; undefined if invalid.
 *
 * @example
 * parseTime('2026-07-01T20:15:00.000Z') // { atMs: 1782936900000, precision: 'second' }
 * parseTime('2026-07-01') // { atMs: 1782864000000, precision: 'date' }
 */
export function parseTime(value: unknown): Time | undefined {
  if (typeof value === 'number') return ofEpoch(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return ofUsual(text) ?? (/^-?\d+(?:\.\d+)?$/.test(text) ? ofEpoch(Number(text)) : ofIso(text))
}

/**
 * Fast path for the most common forms, `2026-07-01T20:15:00Z` and `2026-07-01T20:15:00.0000000Z`, without a regular
 * expression; undefined for anything else.
 */
function ofUsual(text: string): Time | undefined {
  const last = text.length - 1
  if (
    last < 19 ||
    text[4] !== '-' ||
    text[7] !== '-' ||
    text[10] !== 'T' ||
    text[13] !== ':' ||
    text[16] !== ':' ||
    text[last] !== 'Z'
  ) {
    return undefined
  }
  const millisecond = last === 19 ? 0 : fractionAt(text, 19, last)
  const [year, month, day] = [numberAt(text, 0) * 100 + numberAt(text, 2), numberAt(text, 5), numberAt(text, 8)]
  const [hour, minute, second] = [numberAt(text, 11), numberAt(text, 14), numberAt(text, 17)]
  // Rare forms take the slow path; NaN fails every range check.
  const isPlain =
    year >= 1971 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    hour >= 0 &&
    hour <= 23 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 59 &&
    millisecond >= 0
  return isPlain ? ofMs(Date.UTC(year, month - 1, day, hour, minute, second, millisecond)) : undefined
}

/** A two-digit number; NaN otherwise. */
function numberAt(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Milliseconds of `.123` or `.1234567`, truncated; NaN unless it has three to nine digits. */
function fractionAt(text: string, from: number, to: number): number {
  if (text[from] !== '.' || to - from < 4 || to - from > 10) return Number.NaN
  for (let at = from + 1; at < to; at += 1)
    if (!(text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57)) return Number.NaN
  return numberAt(text, from + 1) * 10 + text.charCodeAt(from + 3) - 48
}

/** The ISO form that keeps the precision: `2026-07-01`, `2026-07-01T20:15:00Z`, `2026-07-01T20:15:00.123Z`. */
export function formatTime({ atMs, precision }: Time): string {
  const text = new Date(atMs).toISOString()
  if (precision === 'date') return text.slice(0, 10)
  return precision === 'second' ? `${text.slice(0, 19)}Z` : text
}

/** The ISO form of an instant, epoch milliseconds; without milliseconds if they are zero. */
export function formatInstant(atMs: number): string {
  return formatTime({ atMs, precision: atMs % 1_000 === 0 ? 'second' : 'millisecond' })
}

/** The distance in milliseconds; a date spans its whole day, so a time within it has distance 0. Two dates are days apart. */
export function distanceMs(a: Time, b: Time): number {
  if (a.precision === 'date' && b.precision === 'date') return Math.abs(a.atMs - b.atMs)
  return Math.max(0, a.atMs - endMs(b), b.atMs - endMs(a))
}

/** True when the times differ by no more than the tolerance. */
export function sameTime(a: Time, b: Time, toleranceMs: number): boolean {
  return distanceMs(a, b) <= toleranceMs
}

function endMs({ atMs, precision }: Time): number {
  return precision === 'date' ? atMs + DAY_MS - 1 : atMs
}

function ofEpoch(value: number): Time | undefined {
  const size = Math.abs(value)
  return size >= LEAST_SECONDS ? ofMs(Math.trunc(size < FIRST_AS_MS ? value * 1_000 : value)) : undefined
}

function ofMs(atMs: number): Time | undefined {
  if (!(atMs >= EARLIEST_MS && atMs <= LATEST_MS) || isPlaceholder(atMs)) return undefined
  return { atMs, precision: atMs % 1_000 === 0 ? 'second' : 'millisecond' }
}

function isPlaceholder(atMs: number): boolean {
  return PLACEHOLDERS.includes(Math.floor(atMs / DAY_MS))
}

function ofIso(text: string): Time | undefined {
  const match = ISO.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  if (year < FIRST_YEAR || hour > 23 || minute > 59 || second > 59) return undefined
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second)
  // Date would silently turn 30 February into 2 March.
  if (new Date(localMs).getUTCDate() !== day || new Date(localMs).getUTCMonth() !== month - 1) return undefined
  const zone = match[8]
  // Also compare as the day of its zone: midnight there may be the day before in UTC.
  if (isPlaceholder(localMs)) return undefined
  if (zone === undefined) return { atMs: localMs, precision: 'date' }
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (offset !== null && (Number(offset[2]) > 14 || Number(offset[3]) > 59)) return undefined
  const offsetMs = offset === null ? 0 : Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000
  return ofMs(localMs + Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)) - offsetMs)
}
