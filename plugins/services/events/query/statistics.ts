// Statistics over a time range: runs, deliveries, failures and their reasons. Dry runs are not counted.
import { isTimeZone, PlayheadError, type Static, Type } from '@playhead/sdk'
import { BUCKET_SECONDS, bucketAt, type BucketSize, bucketStarts } from './buckets.ts'
import type { CountedFacet } from '../store/facets.ts'
import { readTime, Time } from './filters.ts'
import {
  countIn,
  type Deliveries,
  deliveriesOf,
  durationOf,
  eventsIn,
  mean,
  round,
  runsIn,
  type RunTimes,
  type Window,
  withDelta,
} from './measures.ts'
import { checksOf } from './health.ts'
import { all, idsIn, fragment } from './sql.ts'
import { outcomesOf, reasonsOf, routesOf, typesOf } from './breakdowns.ts'
import type { Reading } from './view.ts'

const DAY = 86_400
const RANGES: Readonly<Record<string, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
  '365d': 365 * DAY,
}

export const StatisticsQuery = Type.Object({
  range: Type.Unsafe<string>({ type: 'string', enum: [...Object.keys(RANGES), 'all'], default: '30d' }),
  since: Time,
  until: Time,
  bucket: Type.Optional(Type.Unsafe<BucketSize>({ type: 'string', enum: ['hour', 'day', 'week'] })),
  tz: Type.String({ default: 'UTC', maxLength: 64, description: 'Time zone of days and weeks.' }),
})
type Query = Static<typeof StatisticsQuery>

export async function statisticsOf(reading: Reading, query: Query, nowMs: number): Promise<object> {
  const { window, size } = await windowOf(reading, query, nowMs)
  const length = window.until - window.since
  const before = { since: window.since - length, until: window.since }
  const facets = (await reading.facets.counted()).filter(({ dry_run: dry }) => !dry)
  const deliveries = deliveriesOf(facets)
  const [runs, runsBefore] = [await runsIn(reading, window), await runsIn(reading, before)]
  const [now, last] = [
    await kpisOf(reading, window, runs, facets, deliveries),
    await kpisOf(reading, before, runsBefore, facets, deliveries),
  ]
  const starts = bucketStarts(window.since, window.until, size, query.tz)
  return {
    ok: true,
    range: { since: window.since, until: window.until, bucket: BUCKET_SECONDS[size] },
    kpis: Object.fromEntries(Object.keys(now).map((name) => [name, withDelta(now[name] ?? null, last[name] ?? null)])),
    trend: await trendOf(reading, window, starts, runs, facets, deliveries),
    duration_series: durationsOf(starts, runs),
    duration_percentiles: percentilesOf(runs),
    outcomes: await outcomesOf(reading, window, runs, facets),
    types: await typesOf(reading, window, runs, facets),
    routes: await routesOf(reading, window, facets),
    failure_reasons: await reasonsOf(reading, window, before, facets),
    checks: await checksOf(reading, window, starts, facets),
  }
}

async function windowOf(
  { reader }: Reading,
  query: Query,
  nowMs: number,
): Promise<{ readonly window: Window; readonly size: BucketSize }> {
  if (!isTimeZone(query.tz)) throw invalid('tz', 'Input should be the name of a time zone')
  const now = Math.floor(nowMs / 1_000)
  const until = readTime(query.until) ?? now
  let since = readTime(query.since)
  if (since !== null && since > until) throw invalid('since', 'Input should not be after until')
  if (since === null && query.range === 'all') {
    const [row] = await all(
      reader,
      fragment('SELECT min(at) AS at FROM (SELECT min(ts) AS at FROM event UNION ALL SELECT min(started_at) FROM run)'),
    )
    since = Math.min(Number(row?.['at'] ?? until), until)
  }
  since ??= Math.max(0, until - (RANGES[query.range] ?? 30 * DAY))
  const span = until - since
  const size = query.bucket ?? (span <= 2 * DAY ? 'hour' : span <= 120 * DAY ? 'day' : 'week')
  return { window: { since, until }, size }
}

function invalid(field: string, message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, {
    status: 422,
    details: { detail: [{ loc: ['query', field], msg: message, type: 'value_error' }] },
  })
}

async function kpisOf(
  reading: Reading,
  window: Window,
  runs: readonly RunTimes[],
  facets: readonly CountedFacet[],
  { delivered, failed, completed }: Deliveries,
): Promise<Record<string, number | null>> {
  const is = (state: RunTimes['state']) => runs.filter((run) => run.state === state).length
  const durations = runs.flatMap(durationOf)
  const [good, bad] = [await countIn(reading, delivered, window), await countIn(reading, failed, window)]
  const tried = runs.length + good + bad
  return {
    sync_runs: runs.length,
    scrobbles: await countIn(reading, completed, window),
    avg_duration: durations.length === 0 ? null : round(mean(durations), 2),
    failures: is('failed') + is('warning') + bad,
    blocked: await blockedIn(reading, window, facets),
    success_rate: tried === 0 ? 0 : round(((is('completed') + good) / tried) * 100, 1),
  }
}

/** Quarantined items that the last run of each pair skipped. */
async function blockedIn({ reader }: Reading, window: Window, facets: readonly CountedFacet[]): Promise<number> {
  const blocking = facets.filter(({ event_type: type }) => type === 'blackbox_promoted' || type === 'blackbox_blocked')
  const latest = new Map<string, { readonly at: number; readonly runNo: number }>()
  for (const { id, pair_key: pair } of facets.filter(
    ({ event_type: type, pair_key: key }) => key !== null && (type === 'plan_created' || type.startsWith('blackbox_')),
  )) {
    const [row] = await all(
      reader,
      fragment(
        'SELECT ts, run_no FROM event WHERE facet_id = ? AND ts >= ? AND ts < ? AND run_no IS NOT NULL ORDER BY ts DESC, id DESC LIMIT 1',
        id,
        window.since,
        window.until,
      ),
    )
    const known = latest.get(pair as string)
    if (row !== undefined && (known === undefined || Number(row['ts']) >= known.at))
      latest.set(pair as string, { at: Number(row['ts']), runNo: Number(row['run_no']) })
  }
  let sum = 0
  for (const [pair, { runNo }] of latest) {
    const ids = idsIn(
      'e.facet_id',
      blocking.filter(({ pair_key: key }) => key === pair).map(({ id }) => id),
    )
    const [row] = await all(
      reader,
      fragment(
        `SELECT count(DISTINCT t.item_key || coalesce('@' || e.play, '')) AS n FROM event e INDEXED BY event_facet JOIN item_text t ON t.id = e.text_id
        WHERE ${ids.text} AND e.ts >= ? AND e.ts < ? AND e.run_no = ?`,
        ...ids.values,
        window.since,
        window.until,
        runNo,
      ),
    )
    sum += Number(row?.['n'] ?? 0)
  }
  return sum
}

async function trendOf(
  reading: Reading,
  window: Window,
  starts: readonly number[],
  runs: readonly RunTimes[],
  facets: readonly CountedFacet[],
  { delivered, failed }: Deliveries,
) {
  const rows = starts.map((t) => ({ t, sync: 0, webhook: 0, watcher: 0, failed: 0, ok: 0 }))
  const kinds = new Map(facets.map(({ id, source_kind: kind }) => [id, kind]))
  for (const { finishedAt, state } of runs) {
    if (finishedAt === null || finishedAt >= window.until) continue
    const row = rows[bucketAt(starts, finishedAt)]
    if (row === undefined) continue
    row.sync += 1
    if (state === 'failed') row.failed += 1
    else if (state === 'completed') row.ok += 1
  }
  for (const [ids, isGood] of [
    [delivered, true],
    [failed, false],
  ] as const) {
    if (ids.length === 0) continue
    // Every time zone offset is a multiple of 15 minutes.
    for (const { facet_id: facet, at, n } of await all(
      reading.reader,
      eventsIn('facet_id, ts / 900 * 900 AS at, count(*) AS n', ids, window, 'GROUP BY facet_id, ts / 900'),
    )) {
      const row = rows[bucketAt(starts, Math.max(Number(at), window.since))]
      if (row === undefined) continue
      const kind = kinds.get(Number(facet))
      if (isGood && (kind === 'webhook' || kind === 'watcher')) row[kind] += Number(n)
      row[isGood ? 'ok' : 'failed'] += Number(n)
    }
  }
  return rows.map(({ ok, ...row }) => ({
    ...row,
    rate: ok + row.failed === 0 ? null : round((ok / (ok + row.failed)) * 100, 1),
  }))
}

function durationsOf(starts: readonly number[], runs: readonly RunTimes[]) {
  const sums = starts.map((t) => ({ t, sum: 0, n: 0 }))
  for (const run of runs) {
    const [duration] = durationOf(run)
    const row = sums[bucketAt(starts, run.startedAt)]
    if (duration === undefined || row === undefined) continue
    row.sum += duration
    row.n += 1
  }
  return sums.map(({ t, sum, n }) => ({ t, avg: n === 0 ? null : round(sum / n, 2), n }))
}

function percentilesOf(runs: readonly RunTimes[]) {
  const sorted = runs.flatMap(durationOf).sort((a, b) => a - b)
  const at = (p: number) => (sorted.length === 0 ? null : (sorted[Math.floor(p * (sorted.length - 1))] ?? null))
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
