// The metrics match their sources, and the failure of one source does not hide the others.
import t from 'tap'
import {
  PlayheadError,
  type Accounts,
  type EventArchive,
  type RunSummary,
  type SyncService,
  SYNC,
  EVENT_ARCHIVE,
} from '@playhead/sdk'
import { createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/metrics/index.ts'
import { parseExposition } from './parse.ts'

const manifest = new URL('../../../plugins/services/metrics/plugin.json', import.meta.url)
const ENDED_AT_MS = Date.now() - 60_000

const pair = (id: string) => ({
  id,
  name: 'The Matrix',
  enabled: id === 'p1',
  running: false,
  source: 'MEDIAB',
  source_instance: 'default',
  target: 'TRACKA',
  target_instance: 'default',
})
const report = (id: string, status: string, planned = 0, held = 0) => ({
  pair_id: id,
  mode: 'two_way',
  status,
  features: [{ feature: 'history', status, planned, held, plan_id: null }],
})

function run(id: string, result: RunSummary['result'], pairs: readonly object[], endedAtMs = ENDED_AT_MS): RunSummary {
  return {
    run_id: id,
    running: false,
    result,
    exit_code: 0,
    dry_run: false,
    finished_at: `${new Date(endedAtMs).toISOString().slice(0, 19)}Z`,
    pairs: pairs as NonNullable<RunSummary['pairs']>,
  }
}

function createSync(runs: readonly RunSummary[], ids = ['p1', 'p2']) {
  return {
    pairs: async () => ids.map(pair),
    reports: async (limit: number) => runs.slice(0, limit),
    openCounts: async () => [
      { pair_id: 'p1', feature: 'history', count: 7 },
      { pair_id: 'p2', feature: 'ratings', count: 2 },
      { pair_id: 'gone', feature: 'history', count: 9 },
    ],
  } satisfies Pick<SyncService, 'pairs' | 'openCounts'> & Pick<SyncService, 'reports'>
}

async function scrape(host: Awaited<ReturnType<typeof createTestHost>>) {
  const answer = await host.inject('/metrics')
  t.equal(answer.statusCode, 200)
  t.match(answer.headers['content-type'], /^text\/plain; version=0\.0\.4/)
  return { text: answer.body, ...parseExposition(answer.body) }
}

t.test('runs are counted once each by their result, and pairs have the time of their last success', async (t) => {
  const earlierMs = ENDED_AT_MS - 3_600_000
  const runs = [
    run('r3', 'partial', [report('p1', 'ok', 12, 3), report('p2', 'failed', 4)]),
    run('dry', 'ok', [report('p2', 'ok', 99)]),
    run('r2', 'ok', [report('p1', 'nothing_to_do'), report('p2', 'ok', 1)], earlierMs),
    run('r1', 'ok', [report('gone', 'ok', 5)], earlierMs),
  ].map((one) => (one.run_id === 'dry' ? { ...one, dry_run: true } : one))
  await using host = await createTestHost({ plugin, manifest, capabilities: { sync: createSync(runs) } })
  await host.runDelayed()
  host.events.emit('run.finished', {})
  await host.events.settled()
  await host.reload()

  const { values, types, text } = await scrape(host)

  const at = (series: string) => values.get(series)
  t.equal(types.get('playhead_runs_total'), 'counter')
  t.equal(at('playhead_runs_total{result="ok"}'), 2)
  t.equal(at('playhead_runs_total{result="partial"}'), 1)
  t.equal(at('playhead_runs_total{result="failed"}'), 0)
  t.equal(at('playhead_last_run_timestamp_seconds'), Math.floor(ENDED_AT_MS / 1_000))
  t.equal(at('playhead_pair_last_success_timestamp_seconds{pair="p1"}'), Math.floor(ENDED_AT_MS / 1_000))
  t.equal(
    at('playhead_pair_last_success_timestamp_seconds{pair="p2"}'),
    Math.floor(earlierMs / 1_000),
    'a failed pair keeps its last success',
  )
  t.ok((at('playhead_pair_seconds_since_success{pair="p2"}') ?? 0) >= 3_600)
  t.equal(at('playhead_pair_planned_operations{pair="p1",feature="history"}'), 12)
  t.equal(at('playhead_pair_held_items{pair="p1",feature="history"}'), 3)
  t.equal(at('playhead_pair_open_items{pair="p1",feature="history"}'), 7)
  t.equal(at('playhead_pair_open_items{pair="p2",feature="ratings"}'), 2)
  t.equal(at('playhead_pair_open_items{pair="p2",feature="history"}'), 0)
  t.equal(at('playhead_pair_enabled{pair="p2"}'), 0)
  t.notMatch(text, /gone|Matrix/, 'nothing of pairs that are no more, and no names')
})

t.test('accounts, the archive, plugins and the process match their own reports', async (t) => {
  const accounts = {
    list: async () => [
      {
        provider: 'TRACKA',
        instance: 'default',
        uid: 'a',
        id: 'default',
        label: 'Ann',
        configured: true,
        fingerprint: 'f',
        credentialEndsAtMs: Date.now() + 36 * 3_600_000,
        credentialRenews: true,
      },
      {
        provider: 'TRACKA',
        instance: 'TRACKA-P01',
        uid: 'b',
        id: 'TRACKA-P01',
        label: '',
        configured: true,
        fingerprint: 'f',
        credentialEndsAtMs: Date.now() - 12 * 3_600_000,
      },
      {
        provider: 'MEDIAB',
        instance: 'default',
        uid: 'c',
        id: 'default',
        label: '',
        configured: true,
        fingerprint: 'f',
      },
      { provider: 'SVC', instance: 'default', uid: 'd', id: 'default', label: '', configured: false, fingerprint: 'f' },
    ],
  } satisfies Pick<Accounts, 'list'>
  const events = {
    facts: async () => ({ events: 1_234, open_problems: 5, size_bytes: 8_192, dropped: 6 }),
  } satisfies Pick<EventArchive, 'facts'>
  await using server = await startServer(() => ({
    json: {},
    headers: { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '321' },
  }))
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: { accounts, events },
    allow: ['127.0.0.1'],
  })
  const account = (name: string) => host.ctx.upstream.account({ account: name, baseUrl: server.url })
  for (let count = 0; count < 3; count += 1) await (await account('TRACKA@default').request({ path: '/' })).text()
  await (await account('TRACKA@default~1a2b3c4d').request({ path: '/' })).text()

  const { values, text } = await scrape(host)

  const at = (series: string) => values.get(series)
  t.equal(at('playhead_accounts'), 3)
  t.equal(
    Math.round((at('playhead_credential_days_left{provider="TRACKA",instance="default",renews="true"}') ?? 0) * 100),
    150,
  )
  t.equal(
    Math.round(
      (at('playhead_credential_days_left{provider="TRACKA",instance="TRACKA-P01",renews="false"}') ?? 0) * 100,
    ),
    -50,
  )
  t.notOk([...values.keys()].some((series) => series.startsWith('playhead_credential') && series.includes('MEDIAB')))
  t.equal(at('playhead_archive_events'), 1_234)
  t.equal(at('playhead_archive_open_problems'), 5)
  t.equal(at('playhead_archive_size_bytes'), 8_192)
  t.equal(at('playhead_archive_dropped_total'), 6)
  t.equal(at('playhead_upstream_requests_total{account="TRACKA@default"}'), 3)
  t.equal(
    at('playhead_upstream_quota_remaining{account="TRACKA@default"}'),
    host.upstream('TRACKA@default')?.quota.remaining,
  )
  t.equal(at('playhead_upstream_quota_remaining{account="TRACKA@default"}'), 321)
  t.notMatch(text, '~', 'no trials at other addresses')
  t.equal(at('playhead_plugin_up{plugin="metrics"}'), 1)
  t.equal(at('playhead_plugin_faults_total{plugin="metrics"}'), 0)
  t.equal(at('process_resident_memory_bytes'), host.ctx.host.process().rssBytes)
  t.equal(at('playhead_event_loop_delay_seconds{quantity="p99"}'), 0.002)
})

t.test('a source that is missing, fails or never answers omits its own metrics and nothing else', async (t) => {
  const capabilities = {
    sync: { ...createSync([]), pairs: () => Promise.reject(new PlayheadError('PLH_NOT_READY', 'not yet')) },
    events: { facts: () => new Promise(() => {}) },
  }
  await using host = await createTestHost({ plugin, manifest, capabilities })

  const { values } = await scrape(host)
  await host.provide(EVENT_ARCHIVE, undefined)
  await scrape(host)

  for (const source of ['sync', 'accounts', 'events'])
    t.equal(values.get(`playhead_metrics_source_up{source="${source}"}`), 0, source)
  t.equal(values.get('playhead_metrics_source_up{source="host"}'), 1)
  t.notOk([...values.keys()].some((series) => /^playhead_(pair|run|archive|account|credential)/.test(series)))
  t.ok(values.has('process_resident_memory_bytes'))
  t.same(host.failures, [])
  const told = host.logs
    .filter(({ level }) => level === 'warn')
    .map((line) => (line.fields as { source?: string }).source)
    .sort()
  t.same(told, ['events', 'sync'], 'each trouble once, and nothing about what is not installed')

  await host.provide(SYNC, createSync([]))
  t.equal((await scrape(host)).values.get('playhead_metrics_source_up{source="sync"}'), 1, 'and is back when it is')
})

t.test('the number of series is bounded, for any source', async (t) => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `p${index}`)
  await using host = await createTestHost({ plugin, manifest, capabilities: { sync: createSync([], ids) } })

  const { values } = await scrape(host)

  t.equal([...values.keys()].filter((series) => series.startsWith('playhead_pair_enabled')).length, 500)
})

t.test('a caller without a session needs the token, and an empty one is invalid', async (t) => {
  const token = 'k3-8hP_Qv7wLz2mXr9tYb4n'
  await using host = await createTestHost({ plugin, manifest })
  const as = async (authorization?: string) =>
    (
      await host.inject(
        { url: '/metrics', headers: authorization === undefined ? {} : { authorization } },
        { session: null },
      )
    ).statusCode

  t.same([await as(), await as('Bearer '), await as(`Bearer ${token}`)], [401, 401, 401])
  await t.rejects(host.changeConfig({ token: 'short' }), { code: 'PLH_CONFIG_INVALID' })
  await host.changeConfig({ token })

  t.same(
    [
      await as(),
      await as(`Bearer ${token}x`),
      await as(`Bearer ${token.slice(1)}`),
      await as(`Basic ${token}`),
      await as(token),
    ],
    [401, 401, 401, 401, 401],
  )
  t.equal(await as(`Bearer ${token}`), 200)
  t.notMatch(JSON.stringify(host.logs), token)
  await host.changeConfig({ token: '' })
  t.equal(await as(`Bearer ${token}`), 401)
})
