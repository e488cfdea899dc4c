// Positions as values, and how two of them compare when one service counts milliseconds and the other per cent.
import { type Item, itemToWrite, positionMsOf, type Progress, progressOf } from '@playhead/sdk'

/** The value of a row that says: nothing to resume. */
export const NO_POSITION = '0'
/** Shares that differ by less are equal. */
const EQUAL_PERCENT = 0.1

/** The value of a position: milliseconds as `123000`, else a share as `45.2%`; undefined where there is neither. */
export function toValue({ positionMs, percent }: Progress): string | undefined {
  if (positionMs === 0 || (positionMs === undefined && percent === 0)) return NO_POSITION
  return positionMs !== undefined ? String(positionMs) : percent === undefined ? undefined : `${percent}%`
}

/** Reads a value back; the length of the work comes from a row of it. */
export function fromValue(value: string, durationMs: number | undefined): Progress {
  const length = durationMs === undefined ? {} : { durationMs }
  if (value.endsWith('%')) return { percent: Number(value.slice(0, -1)), ...length }
  const item: Item = { type: 'movie', ids: {}, progress_ms: Number(value) }
  return progressOf(durationMs === undefined ? item : { ...item, duration_ms: durationMs })
}

/** How far `a` is ahead of `b`; undefined when nobody can tell. */
export interface Lead {
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

/** Whether the positions are the same for all purposes. Shares count only where one side knows nothing better. */
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

export interface PlacedItem {
  readonly item: Item
  readonly progress: Progress
  readonly value: string | undefined
}

/** The item that brings a side to the position of `item`, within the length that the side knows the work to have. */
export function itemAt(item: Item, targetDurationMs: number | undefined): PlacedItem {
  const source = progressOf(item)
  const durationMs = targetDurationMs ?? source.durationMs
  const positionMs = positionMsOf(source, durationMs)
  const placed: Item = {
    ...itemToWrite(item, []),
    ...(positionMs === undefined ? {} : { progress_ms: positionMs }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    // The share of a work of another length would contradict the milliseconds.
    ...(positionMs !== undefined || source.percent === undefined ? {} : { progress_percent: source.percent }),
    ...(source.atMs === undefined || item.progress_at === undefined ? {} : { progress_at: item.progress_at }),
  }
  const progress = progressOf(placed)
  const share = progress.percent === undefined ? {} : { progress_percent: progress.percent }
  return { item: { ...placed, ...share }, progress, value: toValue(progress) }
}
