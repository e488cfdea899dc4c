// The statistics over time equal a plain count.
import t from 'tap'
import type { EventRecord } from '@playhead/sdk'
import { bucketAt, bucketStarts } from '../../../plugins/services/events/query/buckets.ts'
import { failed, finished, HEAT, openArchive, ROUTE, started, wrote } from './support.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const NOW = Math.floor(Date.now() / 1_000)
const at = (secondsAgo: number) => (NOW - secondsAgo) * 1_000

function run(
  id: string,
  secondsAgo: number,
  lasted: number,
  { errors = 0, problem = false }: { readonly errors?: number; readonly problem?: boolean } = {},
): EventRecord[] {
  return [
    started(id, at(secondsAgo)),
    { ...ROUTE, type: 'plan_created', run_id: id, operation: 'plan', atMs: at(secondsAgo) },
    ...(problem ? [failed(id, HEAT, { atMs: at(secondsAgo - 1) })] : [wrote(id, HEAT, { atMs: at(secondsAgo - 1) })]),
    finished(id, at(secondsAgo - lasted), { errors }),
  ]
}

function delivery(type: string, session: string, secondsAgo: number, sourceKind: string): EventRecord {
  return {
    ...ROUTE,
    type,
    domain: 'scrobble',
    feature: 'scrobble',
    operation: 'watch',
    source_kind: sourceKind,
    session_key: session,
    item: HEAT,
    atMs: at(secondsAgo),
    ...(type.endsWith('failed') ? { severity: 'error', reason_code: 'auth_failed' } : {}),
  }
}

t.test(
  'runs and deliveries are counted, compared with the previous period, and grouped by route and reason',
  async (t) => {
    await using archive = await openArchive()
    await archive.record(
      ...run('a', 5 * HOUR, 10),
      ...run('b', 4 * HOUR, 30, { errors: 2 }),
      ...run('c', 3 * HOUR, 50, { problem: true }),
      started('d', at(HOUR)),
      ...run('before', 30 * HOUR, 100),
      delivery('scrobble_completed', '1', 2 * HOUR, 'webhook'),
      delivery('scrobble_completed', '2', 2 * HOUR, 'watcher'),
      delivery('scrobble_failed', '3', 2 * HOUR, 'watcher'),
      delivery('rating_applied', '4', 40 * HOUR, 'watcher'),
      { ...failed('c', HEAT, { atMs: at(3 * HOUR) }), type: 'blackbox_promoted', severity: 'warn' },
    )
    const body = await archive.get(`statistics?range=24h&until=${NOW}`)
    t.match(body.range, { bucket: HOUR, until: NOW })
    t.match(body.kpis, {
      sync_runs: { value: 4, prev: 1, delta: 300 },
      scrobbles: { value: 2, prev: 0, delta: 100 },
      avg_duration: { value: 30, prev: 100, delta: -70 },
      failures: { value: 3, prev: 0 },
      blocked: { value: 1 },
      success_rate: { value: 42.9, prev: 100, delta: -57.1 },
    })
    t.match(body.outcomes, [
      { key: 'completed', value: 3 },
      { key: 'warning', value: 1 },
      { key: 'failed', value: 2 },
      { key: 'active', value: 1 },
    ])
    t.match(body.types, [
      { key: 'sync', value: 4 },
      { key: 'watcher', value: 2 },
      { key: 'webhook', value: 1 },
    ])
    t.match(body.routes, [
      { source: 'MEDIAB', destination: 'TRACKA', volume: 6, runs: 3, scrobbles: 3, success_rate: 66.7 },
    ])
    t.match(body.failure_reasons, [
      { reason: 'auth_failed', label: 'Sign-in failed', count: 1, share: 50 },
      { reason: 'refused_by_service', count: 1, prev: 0, delta: 100 },
    ])
    t.same(body.duration_percentiles, { p50: 30, p90: 30, p99: 30 })
    t.equal(body.trend.length, 25, 'every hour has its place, also one in which nothing happened')
    const sum = (name: string) => body.trend.reduce((total: number, row: any) => total + row[name], 0)
    t.same([sum('sync'), sum('webhook'), sum('watcher'), sum('failed')], [3, 1, 1, 2])
    t.ok(body.trend.some(({ rate }: any) => rate === null))
    t.same(
      body.duration_series.filter(({ n }: any) => n > 0).map(({ avg }: any) => avg),
      [10, 30, 50],
    )
    t.match(await archive.get(`statistics?since=${NOW - 6 * HOUR}&until=${NOW - 2 * HOUR - 60}`), {
      kpis: { sync_runs: { value: 3 }, scrobbles: { value: 0 } },
    })
    t.match(await archive.get('statistics?range=all&bucket=week'), {
      range: { bucket: 7 * DAY },
      kpis: { sync_runs: { value: 5 } },
    })
  },
)

t.test('an empty archive has numbers, too', async (t) => {
  await using archive = await openArchive()
  for (const range of ['24h', '7d', '30d', '90d', '365d', 'all']) {
    t.match(
      await archive.call(`statistics?range=${range}`),
      {
        status: 200,
        body: {
          ok: true,
          kpis: {
            sync_runs: { value: 0, prev: 0, delta: null },
            success_rate: { value: 0 },
            avg_duration: { value: null },
          },
          routes: [],
        },
      },
      range,
    )
  }
})

t.test("days and weeks start in the person's time zone, weeks on Monday", (t) => {
  const seconds = (text: string) => Date.parse(text) / 1_000
  t.same(
    bucketStarts(seconds('2026-06-03T12:00:00Z'), seconds('2026-06-15T12:00:00Z'), 'week', 'UTC'),
    ['2026-06-01T00:00:00Z', '2026-06-08T00:00:00Z', '2026-06-15T00:00:00Z'].map(seconds),
  )
  t.same(
    bucketStarts(seconds('2026-03-28T12:00:00Z'), seconds('2026-03-30T12:00:00Z'), 'day', 'Europe/Berlin'),
    ['2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'].map(seconds),
    'over the change of the clocks',
  )
  t.same(
    bucketStarts(seconds('2026-06-01T00:10:00Z'), seconds('2026-06-01T02:00:00Z'), 'hour', 'Asia/Kolkata'),
    ['2026-05-31T23:30:00Z', '2026-06-01T00:30:00Z', '2026-06-01T01:30:00Z'].map(seconds),
  )
  t.same(
    [5, 10, 19, 20, 99].map((moment) => bucketAt([10, 20, 30], moment)),
    [0, 0, 0, 1, 2],
  )
  t.end()
})

t.test('the checks of each account are counted by the day they were made', async (t) => {
  await using archive = await openArchive()
  const check = (provider: string, instance: string, secondsAgo: number, isGood: boolean): EventRecord => ({
    domain: 'sync',
    type: 'provider_health',
    source: { provider, instance },
    severity: isGood ? 'info' : 'warn',
    reason_code: isGood ? 'ok' : 'down',
    atMs: at(secondsAgo),
    detail: {},
  })
  await archive.record(
    check('MEDIAB', 'default', 12 * HOUR, true),
    check('MEDIAB', 'default', 13 * HOUR, false),
    check('MEDIAB', 'default', 60 * HOUR, false),
    check('MEDIAB', 'MEDIAB-P01', 12 * HOUR, true),
    check('TRACKA', 'default', 40 * DAY, false),
  )
  const { trend, checks } = await archive.get(`statistics?range=7d&bucket=day&until=${NOW}`)
  t.strictSame(
    checks.map((one: { provider: string; instance: string }) => [one.provider, one.instance]),
    [
      ['MEDIAB', 'default'],
      ['MEDIAB', 'MEDIAB-P01'],
    ],
  )
  const starts = trend.map((one: { t: number }) => one.t)
  const counted = (...secondsAgo: readonly number[]) => {
    const days = starts.map(() => 0)
    for (const seconds of secondsAgo) days[starts.findLastIndex((start: number) => start <= NOW - seconds)] += 1
    return days
  }
  t.strictSame(checks[0].checks, counted(12 * HOUR, 13 * HOUR, 60 * HOUR))
  t.strictSame(checks[0].failed, counted(13 * HOUR, 60 * HOUR))
  t.strictSame(checks[1].failed, counted())
})

t.test('an item that the target lacks is no failure: neither a reason, nor of its route', async (t) => {
  await using archive = await openArchive()
  await archive.record(
    started('a', at(HOUR)),
    { ...ROUTE, type: 'plan_created', run_id: 'a', operation: 'plan', atMs: at(HOUR) },
    failed('a', HEAT, { atMs: at(HOUR - 1), reason_code: 'not_in_library' }),
    finished('a', at(HOUR - 10)),
  )
  const body = await archive.get(`statistics?range=24h&until=${NOW}`)
  t.match(body, { failure_reasons: [], routes: [{ runs: 1, success_rate: 100 }], kpis: { failures: { value: 0 } } })
})
