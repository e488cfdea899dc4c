// Parses webhook documents of any shape: flat or nested, names in any case, numbers and booleans also as text. The names of fields
// determine the units, never the size of a number.
import { isRecord } from '@playhead/sdk/items'
import { TICKS_PER_MS } from '../wire.ts'

export type Payload = Readonly<Record<string, unknown>>

/** Longer texts are not names. */
const MAX_TEXT = 500
const MAX_ID = 256

/** The first value at one of the paths that the reader accepts. A path is dotted: `Item.Type`. */
export function firstOf<Value>(
  payload: Payload,
  paths: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const path of paths) {
    const value = read(at(payload, path))
    if (value !== undefined) return value
  }
  return undefined
}

export function at(payload: Payload, path: string): unknown {
  let value: unknown = payload
  for (const name of path.split('.')) value = isRecord(value) ? field(value, name) : undefined
  return value
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string' || value.length > MAX_TEXT) return undefined
  return value.trim() || undefined
}

export function idOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined || text.length > MAX_ID ? undefined : text
}

export function numberOf(value: unknown): number | undefined {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)
        ? Number(value)
        : NaN
  return Number.isFinite(number) && number >= 0 ? number : undefined
}

export function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return Number.isSafeInteger(number) ? number : undefined
}

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const text = value.trim().toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Milliseconds from the first of these fields; names end in `Ticks` or `Ms`. */
export function millisecondsOf(payload: Payload, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const number = numberOf(at(payload, path))
    if (number === undefined) continue
    const ms = Math.round(path.endsWith('Ticks') ? number / TICKS_PER_MS : number)
    if (Number.isSafeInteger(ms)) return ms
  }
  return undefined
}

/** Exact names first, then names in another case. */
function field(record: Payload, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name]
  const wanted = name.toLowerCase()
  const found = Object.keys(record).find((key) => key.toLowerCase() === wanted)
  return found === undefined ? undefined : record[found]
}
