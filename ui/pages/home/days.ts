// Runs summed up per day of the local time zone.
import type { Answer } from '../../api/client.ts'

interface Day {
  readonly at: number
  readonly added: number
  readonly updated: number
  readonly removed: number
  /** Runs by their state. */
  readonly runs: Readonly<Record<(typeof STATES)[number], number>>
}

/** States of runs that the chart shows: paused and working ones have no result. */
export const STATES = ['in_sync', 'need_you', 'cannot_reach', 'failed'] as const
const NONE = { in_sync: 0, need_you: 0, cannot_reach: 0, failed: 0 }

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
    days.set(at, { at, added: 0, updated: 0, removed: 0, runs: NONE })
  }
  for (const { running, started_at: startedAt, sync_status: status, added, updated, removed } of runs) {
    const at = startOfDay(Date.parse(startedAt ?? ''))
    const day = days.get(at)
    if (running || day === undefined) continue
    days.set(at, {
      at,
      added: day.added + added,
      updated: day.updated + updated,
      removed: day.removed + removed,
      runs: status === null ? day.runs : counted(day.runs, status.state),
    })
  }
  return [...days.values()]
}

function counted(runs: Day['runs'], state: string): Day['runs'] {
  return Object.hasOwn(runs, state) ? { ...runs, [state]: runs[state as keyof typeof runs] + 1 } : runs
}

function startOfDay(atMs: number): number {
  return new Date(atMs).setHours(0, 0, 0, 0)
}

// Counts calendar dates, because a day can have 23 or 25 hours.
function dayBefore(today: number, back: number): number {
  const date = new Date(today)
  return date.setDate(date.getDate() - back)
}
