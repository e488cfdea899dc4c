// Inputs of the statistics: the time window, the runs and deliveries in it, and arithmetic.
import type { CountedFacet } from '../store/facets.ts'
import { all, idsIn, type Fragment, fragment } from './sql.ts'
import type { Reading } from './view.ts'

export interface Window {
  readonly since: number
  readonly until: number
}

export interface Deliveries {
  readonly delivered: readonly number[]
  readonly failed: readonly number[]
  readonly completed: readonly number[]
}

export interface RunTimes {
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly state: 'completed' | 'warning' | 'failed' | 'active'
}

export async function runsIn({ reader }: Reading, { since, until }: Window): Promise<readonly RunTimes[]> {
  const rows = await all(
    reader,
    fragment(
      `SELECT started_at, finished_at, CASE WHEN coalesce(errors, 0) > 0 OR status IN ('failed', 'crashed') THEN 'failed' WHEN problems > 0 THEN 'warning'
      WHEN finished_at IS NULL THEN 'active' ELSE 'completed' END AS state
      FROM run WHERE started_at >= ? AND started_at < ? AND dry_run = 0 ORDER BY started_at`,
      since,
      until,
    ),
  )
  return rows.map((row) => ({
    startedAt: Number(row['started_at']),
    finishedAt: row['finished_at'] === null ? null : Number(row['finished_at']),
    state: row['state'] as RunTimes['state'],
  }))
}

export function deliveriesOf(facets: readonly CountedFacet[]): Deliveries {
  const of = (...types: readonly string[]) =>
    facets.filter(({ domain, event_type: type }) => domain === 'scrobble' && types.includes(type)).map(({ id }) => id)
  return {
    delivered: of('scrobble_completed', 'rating_applied'),
    failed: of('scrobble_failed', 'rating_failed'),
    completed: of('scrobble_completed'),
  }
}

export function eventsIn(columns: string, ids: readonly number[], { since, until }: Window, rest = ''): Fragment {
  const test = idsIn('facet_id', ids)
  return fragment(
    `SELECT ${columns} FROM event INDEXED BY event_facet WHERE ${test.text} AND ts >= ? AND ts < ? ${rest}`,
    ...test.values,
    since,
    until,
  )
}

export async function countIn({ reader }: Reading, ids: readonly number[], window: Window): Promise<number> {
  if (ids.length === 0) return 0
  const [row] = await all(reader, eventsIn('count(*) AS n', ids, window))
  return Number(row?.['n'] ?? 0)
}

export function durationOf({ startedAt, finishedAt }: RunTimes): number[] {
  return finishedAt === null ? [] : [Math.max(0, finishedAt - startedAt)]
}

export function withDelta(value: number | null, prev: number | null) {
  return { value, prev, delta: deltaOf(value, prev) }
}

export function deltaOf(value: number | null, prev: number | null): number | null {
  if (value === null) return null
  if (prev === null || prev === 0) return value === 0 ? null : 100
  return round(((value - prev) / prev) * 100, 1)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
