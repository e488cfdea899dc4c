// Durations as text: 500ms, 30s, 15m, 6h, 2d; a number is milliseconds.
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of a duration. Throws a TypeError for an invalid text. */
export function parseDuration(duration: string | number): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return duration
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) : null
  if (match === null)
    throw new TypeError(`"${String(duration)}" is not a duration; write for example 500ms, 30s, 15m, 6h or 2d`)
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}
