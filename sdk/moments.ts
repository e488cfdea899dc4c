// Stored moments of the wall clock. The clock may have been wrong when they were stored, or set back since: a moment
// further ahead than its maximum is over.

/**
 * Milliseconds until a stored moment; 0 if it is over, or further ahead than its maximum.
 * @param longestMs the longest wait for which such a moment is stored
 * @example if (msUntil(pausedUntilMs, now(), MAX_PAUSE_MS) > 0) return
 */
export function msUntil(untilMs: number, nowMs: number, longestMs: number): number {
  const left = untilMs - nowMs
  return left > 0 && left <= longestMs ? left : 0
}

/**
 * True if a stored moment is less than `withinMs` ago. A moment that far in the future was stored by a wrong clock.
 * @example const isFresh = isRecent(kept.atMs, now(), TTL_MS)
 */
export function isRecent(atMs: number, nowMs: number, withinMs: number): boolean {
  return Math.abs(nowMs - atMs) < withinMs
}

// Looking up a zone is slow, and settings are read often.
const zones = new Set<string>()
const MAX_ZONES = 1_000

/** True if the service knows a time zone by this name (IANA, for example `Europe/Paris`). */
export function isTimeZone(name: string): boolean {
  if (zones.has(name)) return true
  try {
    if (new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === '') return false
  } catch {
    return false
  }
  if (zones.size < MAX_ZONES) zones.add(name)
  return true
}
