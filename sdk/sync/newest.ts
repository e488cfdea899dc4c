// Compares the evidence times of two rows.
import type { Side } from './contract.ts'

/** How far two times may differ and still be equal. */
interface NewestOptions {
  readonly toleranceMs?: number
}

/** The side with the newer evidence; undefined if a time is missing or the times are equal. */
export function newerSide(
  aMs: number | undefined,
  bMs: number | undefined,
  { toleranceMs = 0 }: NewestOptions = {},
): Side | undefined {
  if (aMs === undefined || bMs === undefined || Math.abs(aMs - bMs) <= toleranceMs) return undefined
  return aMs > bMs ? 'a' : 'b'
}

/**
 * The winning side after both changed. A missing time never beats a known one after the start of the last run;
 * undefined if uncertain.
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
