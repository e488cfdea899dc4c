// Which of two sides has the newer evidence.
import type { Side } from './contract.ts'

/** How far two times may lie apart and still be one moment. */
export interface NewestOptions {
  readonly toleranceMs?: number
}

/** The side whose evidence is newer; undefined when a time is missing or both are of the same moment. */
export function newerSide(
  aMs: number | undefined,
  bMs: number | undefined,
  { toleranceMs = 0 }: NewestOptions = {},
): Side | undefined {
  if (aMs === undefined || bMs === undefined || Math.abs(aMs - bMs) <= toleranceMs) return undefined
  return aMs > bMs ? 'a' : 'b'
}

/**
 * The side that wins when both were changed. A missing time never beats a known one that lies after the start of the
 * last run; where nothing is certain nobody wins.
 */
export function newerChange(
  aMs: number | undefined,
  bMs: number | undefined,
  lastRunStartedAtMs: number | null,
): Side | undefined {
  if (aMs !== undefined && bMs !== undefined) return newerSide(aMs, bMs)
  const known = aMs ?? bMs
  if (known === undefined || lastRunStartedAtMs === null || known <= lastRunStartedAtMs) return undefined
  return aMs === undefined ? 'b' : 'a'
}

export function otherSide(side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}
