// What a complete read leaves for the next one: whose account it was, and where the log of changes stood.
const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface Checkpoint {
  readonly account: string
  readonly cursor: number
  /** When all of it was read last. */
  readonly fullAtMs: number
}

export function encode(checkpoint: Checkpoint): string {
  return JSON.stringify({ v: 1, ...checkpoint })
}

/** The checkpoint in a text, if it is of this account and young enough: once a day everything is read anyway. */
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

function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== 'object' || value === null) return false
  const { v, account, cursor, fullAtMs } = value as Readonly<Record<string, unknown>>
  return v === 1 && typeof account === 'string' && Number.isSafeInteger(cursor) && typeof fullAtMs === 'number'
}
