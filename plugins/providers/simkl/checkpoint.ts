// What a complete read leaves for the next one: whose account it was, and when the service says that it last changed.
import type { Stamps } from './activities.ts'

const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface Checkpoint {
  readonly account: string
  readonly stamps: Stamps
  /** When all of it was read last. */
  readonly fullAtMs: number
}

export function encode({ account, stamps, fullAtMs }: Checkpoint): string {
  return JSON.stringify({ v: 1, account, stamps, fullAtMs })
}

/** The checkpoint in a text, if it is of this account and can be trusted. */
export function decode(text: string | undefined, account: string, nowMs: number): Checkpoint | undefined {
  const found = text === undefined ? undefined : parse(text)
  return found?.account === account && isRecent(found.fullAtMs, nowMs) ? found : undefined
}

/** Once a day everything is read anyway: whatever the service did not tell is put right by it. */
export function isRecent(fullAtMs: number, nowMs: number): boolean {
  const ageMs = nowMs - fullAtMs
  return ageMs >= 0 && ageMs < FULL_AT_LEAST_EVERY_MS
}

function parse(text: string): Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCheckpoint(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false
  const { v, account, stamps, fullAtMs } = value as Readonly<Record<string, unknown>>
  return v === 1 && typeof account === 'string' && typeof stamps === 'object' && stamps !== null && typeof fullAtMs === 'number'
}
