// What a complete read leaves for the next one: whose account it was, and when the service says that it last changed.
import type { Stamps } from './activities.ts'

const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface Checkpoint {
  readonly account: string
  readonly stamps: Stamps
  /** When all of it was read last. */
  readonly fullAtMs: number
  /** History: how many plays there were, and the ids of the newest. */
  readonly plays?: { readonly total: number; readonly newest: readonly string[] }
}

export function encode(checkpoint: Checkpoint): string {
  return JSON.stringify({ v: 1, ...checkpoint })
}

/**
 * The checkpoint in a text, if it is of this account and can be trusted. Once a day everything is read anyway: whatever the stamps of the
 * service did not tell is put right by it.
 */
export function decode(text: string | undefined, account: string, nowMs: number): Checkpoint | undefined {
  const found = text === undefined ? undefined : parse(text)
  const ageMs = nowMs - (found?.fullAtMs ?? Infinity)
  return found?.account === account && ageMs >= 0 && ageMs < FULL_AT_LEAST_EVERY_MS ? found : undefined
}

function parse(text: string): Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCheckpoint(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The stamps of a feature; undefined when the service leaves one of them out, for then nothing can be told by them. */
export function stampsFor(stamps: Stamps, names: readonly string[]): Stamps | undefined {
  if (names.some((name) => stamps[name] === undefined)) return undefined
  return Object.fromEntries(names.map((name) => [name, stamps[name] as string]))
}

export function isSame(a: Stamps, b: Stamps): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false
  const { v, account, stamps, fullAtMs, plays } = value as Readonly<Record<string, unknown>>
  return v === 1 && typeof account === 'string' && typeof stamps === 'object' && stamps !== null && typeof fullAtMs === 'number'
    && (plays === undefined || isPlays(plays))
}

function isPlays(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { total, newest } = value as Readonly<Record<string, unknown>>
  return typeof total === 'number' && Array.isArray(newest)
}
