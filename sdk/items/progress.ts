// Playback positions: milliseconds, a percentage, or both; and which of two is newer.
import { defined } from '../defined.ts'
import type { Item } from './item.ts'
import { parseTime } from './time.ts'

export interface Progress {
  readonly positionMs?: number
  readonly durationMs?: number
  /** 0 to 100, three decimals. */
  readonly percent?: number
  /** When the provider says the position was reached. Absent if the time does not come from the provider. */
  readonly atMs?: number
}

const NAMES = {
  position: ['progress_ms', 'progressMs', 'viewOffset', 'progress'],
  duration: ['duration_ms', 'durationMs', 'duration'],
  percent: ['progress_percent', 'percent', 'position_percent', 'resume_percent'],
} as const

/** The progress of an item. The percentage is computed if the provider gave only times. */
export function progressOf(item: Item): Progress {
  const { progress_ms: positionMs, duration_ms: durationMs } = item
  const percent =
    item.progress_percent ??
    (positionMs === undefined || durationMs === undefined ? undefined : toPercent((positionMs / durationMs) * 100))
  // A time that the provider did not observe loses against every real one.
  const time = item.progress_at_source === undefined ? parseTime(item.progress_at) : undefined
  return {
    ...defined({ positionMs, durationMs, percent }),
    ...(time === undefined || time.precision === 'date' ? {} : { atMs: time.atMs }),
  }
}

/** Positive if `a` is newer than `b`, negative if older, 0 if unknown. A real time wins over a missing one. */
export function compareProgress(a: Progress, b: Progress): number {
  if (a.atMs === undefined || b.atMs === undefined) return Number(a.atMs !== undefined) - Number(b.atMs !== undefined)
  return Math.sign(a.atMs - b.atMs)
}

/** The position in milliseconds for a work of this length; computed from the percentage if needed. */
export function positionMsOf(
  { positionMs, percent, durationMs }: Progress,
  targetDurationMs = durationMs,
): number | undefined {
  if (positionMs !== undefined)
    return targetDurationMs === undefined ? positionMs : Math.min(positionMs, targetDurationMs)
  if (percent === undefined || targetDurationMs === undefined) return undefined
  return Math.round((targetDurationMs * percent) / 100)
}

/** The position fields of an item, from a provider's row. A position never exceeds the length. */
export function readPosition(
  row: Readonly<Record<string, unknown>>,
): Pick<Item, 'progress_ms' | 'duration_ms' | 'progress_percent'> {
  const duration = first(row, NAMES.duration, (value) => value > 0)
  const position = first(row, NAMES.position, (value) => value >= 0)
  const percent = first(row, NAMES.percent, (value) => value >= 0 && value <= 100)
  const durationMs = duration === undefined ? undefined : Math.round(duration)
  return {
    ...(position === undefined ? {} : { progress_ms: Math.min(Math.round(position), durationMs || Infinity) }),
    ...(durationMs === undefined || durationMs < 1 ? {} : { duration_ms: durationMs }),
    ...(percent === undefined ? {} : { progress_percent: toPercent(percent) }),
  }
}

function first(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
  fits: (value: number) => boolean,
): number | undefined {
  for (const name of names) {
    const value = row[name]
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(Math.round(number)) && fits(number)) return number
  }
  return undefined
}

function toPercent(value: number): number {
  return Math.min(100, Math.round(value * 1_000) / 1_000)
}
