// Values of foreign files: cells are text, and unreadable values are absent.
import { type Ids, type IdScheme, normaliseId } from '../items/id-schemes.ts'
import { RATING_SCALES, ratingFrom, type RatingScale } from '../items/rating.ts'
import { isRecord } from '../items/result.ts'
import { formatTime, parseTime } from '../items/time.ts'
import type { ImportFile } from './contract.ts'

const IMDB_DIGITS = 7

/** The CSV files whose header has all of these columns, in lower case; null if there is none. */
export function csvWith(files: readonly ImportFile[], columns: readonly string[]): readonly ImportFile[] | null {
  const found = files.filter((file) => file.kind === 'csv' && columns.every((column) => file.columns.includes(column)))
  return found.length === 0 ? null : found
}

/** The files with these names, in this order; null if there is none. */
export function filesNamed(
  files: readonly ImportFile[],
  names: readonly (string | RegExp)[],
): readonly ImportFile[] | null {
  const found = names.flatMap((name) =>
    files
      .filter((file) => (typeof name === 'string' ? file.name === name : name.test(file.name)))
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
  )
  return found.length === 0 ? null : found
}

/** The trimmed text; undefined if it is empty. */
export function textCell(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

export function wholeCell(value: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const text = textCell(value)
  const number = text !== undefined && /^\d{1,15}(?:\.0+)?$/.test(text) ? Number(text) : Number.NaN
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined
}

export function yearCell(value: unknown): number | undefined {
  return wholeCell(value, 1, 9999)
}

/** Valid ids of the given values. Spreadsheets drop the zeros of an IMDb id, which has at least seven digits. */
export function idCells(values: { readonly [scheme in IdScheme]?: unknown }): Ids {
  return Object.fromEntries(
    Object.entries(values).flatMap(([scheme, value]) => {
      const id = normaliseId(scheme as IdScheme, value)
      if (id === undefined) return []
      return [[scheme, scheme === 'imdb' ? `tt${id.slice(2).padStart(IMDB_DIGITS, '0')}` : id]]
    }),
  )
}

/**
 * A time as items have it: ISO with a zone, or epoch seconds; `2026-07-01 20:15:00` with `assumeUtc`, for files that are
 * documented to be in UTC. A time without a zone, and `20260701201500`, become the date alone. Other spellings of dates
 * are read if only one day is possible.
 */
export function timeCell(
  value: unknown,
  { assumeUtc = false }: { readonly assumeUtc?: boolean } = {},
): string | undefined {
  const text = textCell(value)
  if (text === undefined) return undefined
  // Precedes epoch seconds, because no moment since 1973 has so few digits.
  const compact = /^(\d{4})(\d{2})(\d{2})(?:\d{6})?$/.exec(text)
  if (compact !== null) return validDate(compact[1]!, compact[2]!, compact[3]!)
  const plain = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(text)
  const known = plain === null ? text : assumeUtc ? `${plain[1]}T${withSeconds(plain[2]!)}Z` : plain[1]
  const time = parseTime(known)
  return time === undefined ? dateOf(text) : formatTime(time)
}

function withSeconds(time: string): string {
  return time.length === 5 ? `${time}:00` : time
}

/** The time of day as spreadsheets add it, without a zone: `20:15`, `8:15:00 PM`. */
const TIME_OF_DAY = /[ ,T]{1,3}\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?$/i

/** `2026/07/01`, and `31.12.2026` or `12/31/26` where the day is above 12. */
function dateOf(given: string): string | undefined {
  const text = given.replace(TIME_OF_DAY, '')
  const iso = /^(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})$/.exec(text)
  if (iso !== null) return validDate(iso[1]!, iso[2]!, iso[3]!)
  const local = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text)
  if (local === null) return undefined
  const [a, b, year] = [Number(local[1]), Number(local[2]), local[3]!]
  if (a > 12) return validDate(year, local[2]!, local[1]!)
  return b > 12 || a === b ? validDate(year, local[1]!, local[2]!) : undefined
}

function validDate(year: string, month: string, day: string): string | undefined {
  const time = parseTime(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
  return time === undefined ? undefined : formatTime(time)
}

/** A rating from 1 to 10, converted from a decimal number in the scale. */
export function ratingCell(value: unknown, scale: RatingScale = RATING_SCALES.tenPoints): number | undefined {
  const text = textCell(value)?.replace(',', '.')
  // `Number` would also accept `0x7`.
  return text !== undefined && /^\d{1,3}(?:\.\d+)?$/.test(text) ? ratingFrom(text, scale) : undefined
}

/** A field of a record that is an object; empty for anything else. */
export function recordAt(value: unknown, name?: string): Readonly<Record<string, unknown>> {
  const found = name === undefined ? value : isRecord(value) ? value[name] : undefined
  return isRecord(found) ? found : {}
}

/** A field that is an array; empty for anything else. */
export function listAt(value: unknown, name: string): readonly unknown[] {
  const found = isRecord(value) ? value[name] : undefined
  return Array.isArray(found) ? (found as readonly unknown[]) : []
}
