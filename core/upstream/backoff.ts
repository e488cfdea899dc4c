// Exponential backoff with full jitter.
const FIRST_MS = 500
const LONGEST_MS = 60_000

/** @param tries made so far, at least 1 */
export function backoffMs(tries: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1)))
}
