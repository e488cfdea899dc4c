// What a complete read leaves for the next one: whose plays they were, and how far back the next one has to look.
const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface Checkpoint {
  readonly account: string
  /** Start of the newest row, in epoch seconds. */
  readonly newest: number
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
  const { v, account, newest, fullAtMs } = value as Readonly<Record<string, unknown>>
  return v === 1 && typeof account === 'string' && typeof newest === 'number' && typeof fullAtMs === 'number'
}
