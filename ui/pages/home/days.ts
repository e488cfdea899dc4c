// Runs summed up per day of the local time zone.
import type { Answer } from '../../api/client.ts'

interface Day {
  readonly at: number
  readonly added: number
  readonly updated: number
  readonly removed: number
  /** Runs by displayed result. */
  readonly synced: number
  readonly partly: number
  readonly failed: number
}

const MAX_DAYS = 30
const MIN_DAYS = 7

/** Starts at the oldest stored run: earlier days would look idle. */
export function activityOf({ runs, total }: Answer<'GET /api/runs'>, nowMs: number): readonly Day[] {
  const today = startOfDay(nowMs)
  const oldestMs = runs.length < total ? Date.parse(runs.at(-1)?.started_at ?? '') : Number.NaN
  const covered = Number.isNaN(oldestMs) ? MAX_DAYS : Math.round((today - startOfDay(oldestMs)) / 86_400_000) + 1
  const length = Math.min(MAX_DAYS, Math.max(MIN_DAYS, covered))
  const days = new Map<number, Day>()
  for (let back = length - 1; back >= 0; back -= 1) {
    const at = dayBefore(today, back)
    days.set(at, { at, added: 0, updated: 0, removed: 0, synced: 0, partly: 0, failed: 0 })
  }
  for (const { running, started_at: startedAt, outcome, added, updated, removed } of runs) {
    const at = startOfDay(Date.parse(startedAt ?? ''))
    const day = days.get(at)
    if (running || day === undefined) continue
    days.set(at, {
      at,
      added: day.added + added,
      updated: day.updated + updated,
      removed: day.removed + removed,
      synced: day.synced + (outcome === 'synced' ? 1 : 0),
      partly: day.partly + (outcome === 'partly' ? 1 : 0),
      failed: day.failed + (outcome === 'failed' || outcome === 'skipped' ? 1 : 0),
    })
  }
  return [...days.values()]
}

function startOfDay(atMs: number): number {
  return new Date(atMs).setHours(0, 0, 0, 0)
}

// Counts calendar dates, because a day can have 23 or 25 hours.
function dayBefore(today: number, back: number): number {
  const date = new Date(today)
  return date.setDate(date.getDate() - back)
}
