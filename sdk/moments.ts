// Moments of the wall clock that were noted earlier. The clock may have been wrong then, or be set back since: a moment
// that is further away than it can ever have been meant is over.

/**
 * Milliseconds until a noted moment; 0 if it is over, or further ahead than it can have been meant.
 * @param longestMs the longest wait for which such a moment is noted
 * @example if (msUntil(pausedUntilMs, now(), MAX_PAUSE_MS) > 0) return
 */
export function msUntil(untilMs: number, nowMs: number, longestMs: number): number {
  const left = untilMs - nowMs
  return left > 0 && left <= longestMs ? left : 0
}

/**
 * True if a noted moment is less than `withinMs` ago. One that lies as far in the future was noted by a wrong clock.
 * @example const isFresh = isRecent(kept.atMs, now(), TTL_MS)
 */
export function isRecent(atMs: number, nowMs: number, withinMs: number): boolean {
  return Math.abs(nowMs - atMs) < withinMs
}
