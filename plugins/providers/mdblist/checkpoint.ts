// What a complete read leaves for the next one: whose account it was, and when the service says that it last changed.
import { parseTime } from '@playhead/sdk'
import type { Stamps } from './activities.ts'

/** The service tells changes by the second: what happens in the same one cannot be told apart. */
const TOO_FRESH_MS = 2_000

export interface Checkpoint {
  readonly account: string
  readonly stamps: Stamps
  /** When all of it was read last. */
  readonly fullAtMs: number
}

export function encode(checkpoint: Checkpoint): string {
  return JSON.stringify({ v: 1, ...checkpoint })
}

/** The checkpoint in a text, if it is of this account and young enough to be trusted. */
export function decode(text: string | undefined, account: string, nowMs: number, trustedMs: number): Checkpoint | undefined {
  const found = text === undefined ? undefined : parse(text)
  const ageMs = nowMs - (found?.fullAtMs ?? Infinity)
  return found?.account === account && ageMs >= 0 && ageMs < trustedMs ? found : undefined
}

/**
 * The stamps of a feature; undefined when the service leaves one of them out, for then nothing can be told by them.
 * @param names those that are needed; the time of the journal, which knows of removals, counts where there is one
 */
export function stampsFor(stamps: Stamps, names: readonly string[]): Stamps | undefined {
  if (names.some((name) => stamps[name] === undefined)) return undefined
  return Object.fromEntries([...names, 'journal_at'].flatMap((name) => (stamps[name] === undefined ? [] : [[name, stamps[name]]])))
}

export function isSame(a: Stamps, b: Stamps): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

/** Whether something changed so lately that the next change could have the same time. */
export function isFresh(stamps: Stamps, nowMs: number): boolean {
  return Object.values(stamps).some((text) => Math.abs(nowMs - (parseTime(text)?.atMs ?? nowMs)) < TOO_FRESH_MS)
}

function parse(text: string): Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCheckpoint(value) ? value : undefined
  } catch {
    // A text of somebody else's is no checkpoint.
    return undefined
  }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false
  const { v, account, stamps, fullAtMs } = value as Readonly<Record<string, unknown>>
  return v === 1 && typeof account === 'string' && typeof stamps === 'object' && stamps !== null && typeof fullAtMs === 'number'
}
