// Positions as values, and their comparison between milliseconds and percent.
import { defined } from '@playhead/sdk'
import { type Item, positionMsOf, type Progress, progressOf } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'

/** Value of a row without a resume position. */
export const NO_POSITION = '0'
/** Percentages that differ by less are equal. */
const EQUAL_PERCENT = 0.1

/** Milliseconds as `123000`, else percent as `45.2%`; undefined without either. */
export function toValue({ positionMs, percent }: Progress): string | undefined {
  if (positionMs === 0 || (positionMs === undefined && percent === 0)) return NO_POSITION
  return positionMs !== undefined ? String(positionMs) : percent === undefined ? undefined : `${percent}%`
}

/** Parses a value; the duration comes from a row of the work. */
export function fromValue(value: string, durationMs: number | undefined): Progress {
  const length = durationMs === undefined ? {} : { durationMs }
  if (value.endsWith('%')) return { percent: Number(value.slice(0, -1)), ...length }
  const item: Item = { type: 'movie', ids: {}, progress_ms: Number(value) }
  return progressOf(durationMs === undefined ? item : { ...item, duration_ms: durationMs })
}

/** How far `a` is ahead of `b`; undefined when they cannot be compared. */
interface Lead {
  readonly ms?: number
  readonly percent?: number
}

export function leadOf(a: Progress, b: Progress): Lead | undefined {
  const durationMs = a.durationMs ?? b.durationMs
  const aMs = positionMsOf(a, a.durationMs ?? durationMs)
  const bMs = positionMsOf(b, b.durationMs ?? durationMs)
  const percent = a.percent === undefined || b.percent === undefined ? {} : { percent: a.percent - b.percent }
  if (aMs !== undefined && bMs !== undefined) return { ms: aMs - bMs, ...percent }
  return percent.percent === undefined ? undefined : percent
}

/** Percentages only count when one side has no milliseconds. */
export function isEqual(a: Progress, b: Progress, equalMs: number): boolean {
  const lead = leadOf(a, b)
  if (lead === undefined) return false
  if (lead.ms !== undefined && Math.abs(lead.ms) < equalMs) return true
  const isExact = a.positionMs !== undefined && b.positionMs !== undefined
  return !isExact && lead.percent !== undefined && Math.abs(lead.percent) < EQUAL_PERCENT
}

export function isAhead(lead: Lead): boolean {
  return (lead.ms ?? lead.percent ?? 0) > 0
}

interface PlacedItem {
  readonly item: Item
  readonly progress: Progress
  readonly value: string | undefined
}

/** The item to write, with its position limited to the duration known to the target. */
export function itemAt(item: Item, targetDurationMs: number | undefined): PlacedItem {
  const source = progressOf(item)
  const durationMs = targetDurationMs ?? source.durationMs
  const positionMs = positionMsOf(source, durationMs)
  const placed: Item = {
    ...itemToWrite(item, []),
    ...defined({ progress_ms: positionMs, duration_ms: durationMs }),
    // A percentage of another duration would contradict the milliseconds.
    ...(positionMs !== undefined || source.percent === undefined ? {} : { progress_percent: source.percent }),
    ...(source.atMs === undefined || item.progress_at === undefined ? {} : { progress_at: item.progress_at }),
  }
  const progress = progressOf(placed)
  const share = progress.percent === undefined ? {} : { progress_percent: progress.percent }
  return { item: { ...placed, ...share }, progress, value: toValue(progress) }
}
