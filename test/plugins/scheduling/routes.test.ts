// The routes of the plugin in the host.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { type OverviewBlock, capability } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/scheduling/index.ts'
import { createStateStore } from '../../../plugins/services/scheduling/run/state.ts'
import { createScene, HOUR } from './support.ts'

const manifest = new URL('../../../plugins/services/scheduling/plugin.json', import.meta.url)
const SECRET = 'https://hooks.example.org/s3cret/path'

async function open(config: object = {}, capabilities: Readonly<Record<string, object>> = {}) {
  const scene = createScene({}, { startMs: Date.now() })
  const host = await createTestHost({
    plugin,
    manifest,
    config: config as never,
    capabilities: { sync: scene.sync, ...capabilities },
  })
  const ask = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await host.inject({
      method,
      url: `/api/scheduling${path}`,
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: answer.statusCode, body: answer.json() as Record<string, any> }
  }
  return {
    host,
    scene,
    get: (path: string) => ask('GET', path),
    post: (path: string, payload?: object) => ask('POST', path, payload),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

t.test('settings are replaced as a whole, normalized, and shown without the addresses of webhooks', async (t) => {
  await using at = await open({ enabled: true, jitter_seconds: 5, webhooks: { enabled: true, url: SECRET } })
  t.match((await at.get('')).body, {
    enabled: true,
    jitter_seconds: 5,
    webhooks: { url: '••••••••', timeout_seconds: 10 },
  })
  const saved = await at.post('', {
    enabled: true,
    mode: 'custom',
    custom_interval_minutes: 3,
    daily_time: '25:00',
    timezone: 'Mars/Olympus',
    every_n_hours: 0,
    webhooks: {
      url: '••••••••',
      start_url: 'ftp://x',
      timeout_seconds: 500,
      payload_format: 'notifiarr',
      notifiarr_channel_id: 'a12',
    },
    advanced: { jobs: [{ pair_id: 'p1', at: '7:05', days: [7, 1, 9, 1] }, { id: 'x' }, { id: 'x', pair_id: null }] },
  })
  t.equal(saved.status, 200)
  t.match(saved.body, {
    ok: true,
    next_run_at: Number,
    enabled: true,
    mode: 'custom_interval',
    custom_interval_minutes: 15,
    daily_time: '03:30',
    timezone: '',
    jitter_seconds: 0,
    webhooks: {
      enabled: false,
      url: '••••••••',
      start_url: '',
      timeout_seconds: 60,
      payload_format: 'notifiarr',
      notifiarr_channel_id: '12',
    },
    advanced: {
      enabled: false,
      jobs: [
        { id: 'job_1', pair_id: 'p1', at: '07:05', days: [1, 7], after: null, active: true },
        { id: 'x', pair_id: null, at: null },
        { id: 'job_2' },
      ],
    },
  })
  t.same(saved.body['config'], (await at.get('')).body)
  t.equal((at.host.ctx.config as any).webhooks.url, SECRET, 'a masked address keeps the stored one')
  t.notMatch(JSON.stringify([saved.body, (await at.get('/status')).body, (await at.get('/next')).body]), /s3cret/)

  await at.post('', { enabled: true })
  t.match((at.host.ctx.config as any).webhooks, { url: '' }, 'what is not sent is gone')
})

t.test('values of the wrong kind are refused and change nothing', async (t) => {
  await using at = await open({ enabled: true })
  const before = (await at.get('')).body
  for (const body of [
    { enabled: 'maybe' },
    { every_n_hours: 'x' },
    { advanced: [] },
    { advanced: { jobs: {} } },
    { webhooks: { url: 5 } },
    { mode: {} },
  ]) {
    const answer = await at.post('', body)
    t.ok(answer.status === 422 || answer.status === 400, JSON.stringify(body))
  }
  t.same((await at.get('')).body, before)
})

t.test('P82 all routes return the same next run, and it is not in the past', async () => {
  const time = fc
    .record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) })
    .map(({ hour, minute }) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
  const timezone = fc.constantFrom('', 'UTC', 'Asia/Tokyo', 'America/Los_Angeles', 'Pacific/Auckland')
  const standard = fc.record({
    enabled: fc.boolean(),
    mode: fc.constantFrom('hourly', 'every_n_hours', 'daily_time', 'custom_interval', 'disabled'),
    every_n_hours: fc.integer({ min: 1, max: 30 }),
    daily_time: time,
    custom_interval_minutes: fc.integer({ min: 15, max: 500 }),
    timezone,
    jitter_seconds: fc.integer({ min: 0, max: 100 }),
  })
  const advanced = fc.record({
    timezone,
    advanced: fc.record({
      enabled: fc.constant(true),
      jobs: fc.array(
        fc.record({
          pair_id: fc.constant('p1'),
          at: time,
          days: fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
        }),
        { maxLength: 3 },
      ),
      workflows: fc.array(
        fc.record({
          mode: fc.constantFrom('every_n_hours', 'daily_time'),
          every_n_hours: fc.integer({ min: 2, max: 12 }),
          daily_time: time,
          steps: fc.constant([{ pair_id: 'p2' }]),
        }),
        { maxLength: 2 },
      ),
    }),
  })
  await using at = await open()
  await fc.assert(
    fc.asyncProperty(fc.oneof(standard, advanced), async (config) => {
      const saved = await at.post('', config)
      const told = [saved, await at.get('/next'), await at.get('/status'), await at.post('/replan_now')].map(
        ({ body }) => body['next_run_at'] as number,
      )
      const isPlanned = told[0] !== 0
      // Between two requests the clock may pass that very second.
      if (Math.max(...told) - Math.min(...told) > 0 && Math.min(...told) > Date.now() / 1_000)
        throw new Error(told.join(', '))
      if (isPlanned && Math.min(...told) < Math.floor(Date.now() / 1_000) - 1)
        throw new Error(`${told.join(', ')} is over`)
      const { body } = await at.get('/status')
      if (
        isPlanned !==
        (body['effective_mode'] !== 'disabled' && (body['effective_mode'] !== 'advanced' || hasEntries(config)))
      )
        throw new Error(JSON.stringify([config, body]))
    }),
    { numRuns: runsOf(30) },
  )
})

function hasEntries(config: object): boolean {
  const { advanced } = config as { advanced?: { jobs: unknown[]; workflows: unknown[] } }
  return advanced === undefined || advanced.jobs.length + advanced.workflows.length > 0
}

t.test('the next run comes with its kind, its job and its successors', async (t) => {
  const jobs = Array.from({ length: 14 }, (_, n) => ({
    id: `j${n}`,
    pair_id: 'p1',
    at: `${String(n).padStart(2, '0')}:30`,
  }))
  await using at = await open({ advanced: { enabled: true, jobs }, timezone: 'Europe/Paris' })
  const { body } = await at.get('/next')
  t.match(body, {
    ok: true,
    kind: 'job',
    job_id: /^j\d+$/,
    pair_id: 'p1',
    next_run_iso: /^\d{4}-\d\d-\d\d \d\d:30:00 \S+$/,
  })
  t.equal(body['upcoming'].length, 10)
  t.equal(body['upcoming'][0].run_at, body['next_run_at'])
  t.same(
    body['upcoming'].map(({ run_at }: any) => run_at),
    body['upcoming'].map(({ run_at }: any) => run_at).sort((a: number, b: number) => a - b),
  )
})

t.test('the status lists enabled jobs, last runs, and problems', async (t) => {
  await using at = await open()
  t.match((await at.get('/status')).body, {
    ok: true,
    running: false,
    paused: false,
    last_tick: Number,
    last_run_at: 0,
    next_run_at: 0,
    next_run_iso: '',
    last_run_ok: null,
    last_error: '',
    last_job_id: '',
    last_pair_id: '',
    last_capture_job_id: '',
    last_capture_provider: '',
    last_capture_feature: '',
    last_backup_job_id: '',
    last_backup_scope: '',
    last_rule_id: '',
    last_event_source: '',
    last_event_name: '',
    effective_mode: 'disabled',
    effective: { enabled: false, mode: 'disabled' },
    config: { enabled: false },
    scheduling_warnings: [],
    warning: false,
  })
  await at.post('', { enabled: true, mode: 'custom_interval', custom_interval_minutes: 15 })
  t.match((await at.get('/status')).body, {
    running: true,
    effective_mode: 'custom_interval',
    warning: true,
    scheduling_warnings: [/once an hour/],
  })
  await at.post('', {
    advanced: {
      enabled: true,
      jobs: [
        { id: 'a', pair_id: 'gone', at: '01:00' },
        { id: 'b', pair_id: 'p4', at: '01:00', after: 'nobody' },
      ],
      workflows: [{ id: 'w', steps: [{ id: 's', pair_id: 'gone' }] }],
      event_rules: [{ id: 'r', action: { pair_id: 'p1' } }],
      capture_jobs: [{ provider: 'MEDIAA', at: '01:00' }],
      backup_jobs: [{ at: '01:00' }],
    },
  })
  const { body } = await at.get('/status')
  t.match(body, { effective_mode: 'advanced', running: true, warning: true })
  t.match(body['scheduling_warnings'], [
    /job "a".*does not exist/,
    /job "b".*disabled/,
    /job "b" waits for the job "nobody"/,
    /step "s".*does not exist/,
    /names no route/,
    /makes captures/,
    /makes backups/,
  ])
})

t.test('captures of a service whose terms forbid them are off until a person turns them on', async (t) => {
  const providers = async () => [
    { id: 'ANIMEA', terms: { captures: 'Its terms do not allow it.' } },
    { id: 'TRACKA', terms: { pairs: 'Only media servers.' } },
    { id: 'MEDIAA' },
  ]
  await using at = await open({}, { accounts: { providers, list: async () => [] } })
  const jobs = ['animea', 'TRACKA', 'MEDIAA'].map((provider) => ({ provider, at: '01:00' }))
  const active = async (capture_jobs: readonly object[]) => {
    const { body } = await at.post('', { advanced: { enabled: true, capture_jobs } })
    return body['advanced'].capture_jobs.map((job: { active: boolean }) => job.active)
  }
  t.same(await active(jobs), [false, true, true])
  t.same(await active(jobs.map((job) => ({ ...job, active: true }))), [true, true, true])
})

t.test('stop lasts until the settings are saved or planned again, and survives a restart', async (t) => {
  await using at = await open({ enabled: true, mode: 'hourly' })
  t.match((await at.post('/stop')).body, { ok: true, stopped: true, running: false, paused: true, next_run_at: 0 })
  await at.host.reload()
  t.match((await at.get('/status')).body, { running: false, paused: true })
  t.match((await at.get('/next')).body, { next_run_at: 0, upcoming: [] })
  const planned = (await at.post('/replan_now')).body
  t.match(planned, { ok: true, running: true, paused: false })
  t.ok(planned['next_run_at'] > Date.now() / 1_000)
  await at.post('/stop')
  t.ok((await at.post('', { enabled: true, mode: 'hourly' })).body['next_run_at'] > Date.now() / 1_000)
  t.match((await at.get('/status')).body, { paused: false })
})

t.test('trigger_now starts a run, a job or work, and reports why not', async (t) => {
  const made: unknown[] = []
  await using at = await open(
    { advanced: { enabled: true, jobs: [{ id: 'a', pair_id: 'p2', at: '01:00', active: false }] } },
    { captures: { runScheduled: async (job: unknown) => void made.push(job) } },
  )
  const started = () => at.scene.started.at(-1)?.request
  at.scene.next = () => ({ lastsMs: 0 })
  t.match(await at.post('/trigger_now'), { status: 200, body: { ok: true, triggered: true, run_id: '0' } })
  t.equal(started()?.pair_id, undefined)
  t.match(await at.post('/trigger_now', { job_id: 'a' }), { status: 200, body: { triggered: true } })
  t.match(started(), { pair_id: 'p2', job_id: 'a' })
  t.match(await at.post('/trigger_now', { pairId: 'p1', dry_run: true }), { status: 200 })
  t.match(started(), { pair_id: 'p1', dry_run: true })
  t.match(await at.post('/trigger_now', { job_id: 'gone' }), {
    status: 404,
    body: { ok: false, error: 'job_not_found' },
  })
  t.match(await at.post('/trigger_now', { pair_id: 'p1', pairId: 'p2' }), {
    status: 400,
    body: { error: 'ambiguous_pair' },
  })
  t.equal(at.scene.started.length, 3)
  t.match(await at.post('/trigger_now', { capture: { provider: 'mediaA', feature: 'history' } }), {
    status: 200,
    body: { triggered: true },
  })
  t.match(made, [{ provider: 'MEDIAA', feature: 'history', instance: 'default' }])
  t.match(await at.post('/trigger_now', { backup: {} }), {
    status: 409,
    body: { ok: false, triggered: false, error: 'backups_unavailable' },
  })
  await at.scene.runByHand(HOUR)
  t.match(await at.post('/trigger_now'), {
    status: 409,
    body: { ok: false, triggered: false, error: 'already_running', effective_mode: 'advanced' },
  })
})

t.test(
  'a bus event starts the matching rules; the outcome is an event, and an event without a rule gives none',
  async (t) => {
    await using at = await open({
      advanced: {
        enabled: true,
        event_rules: [{ id: 'r', event: 'start', filters: { route_id: 'one' }, action: { pair_id: 'p1' } }],
      },
    })
    at.host.events.emit('playback.start', { source: 'watcher', route_id: 'one' })
    at.host.events.emit('playback.elsewhere', { source: 'watcher', route_id: 'one' })
    // Reports of the same play, of another route, and of a play that no rule matches.
    for (const route_id of ['one', 'two'])
      for (const name of ['playback.start', 'playback.pause', 'playback.stop'])
        at.host.events.emit(name, { source: 'watcher', route_id })
    await at.host.events.settled()
    t.match(at.host.events.recent({ name: 'scheduling.rules_applied' }), [
      { data: { event: 'start', matched: 1, triggered: 1 } },
    ])
    t.match(at.scene.started[0]?.request, { pair_id: 'p1', source: 'scheduler_event' })
    t.same(at.host.failures, [])
  },
)

t.test('the stored state is changed by one writer at a time', async (t) => {
  await using at = await open()
  const store = createStateStore(at.host.db, () => 'x')
  const counts = await Promise.all(
    Array.from({ length: 20 }, () =>
      store.update((state) => {
        const seen = state.lastTickMs
        return [{ ...state, lastTickMs: seen + 1 }, seen]
      }),
    ),
  )
  t.equal(new Set(counts).size, 20, 'nobody saw the same state twice')
})

t.test('the overview of all settings shows the next run, and counts enabled jobs', async (t) => {
  const overviewOf = (at: Awaited<ReturnType<typeof open>>) =>
    at.host.capability<OverviewBlock>(capability('overview:scheduling')).overview()
  await using off = await open()
  t.strictSame(await overviewOf(off), {
    enabled: false,
    advanced: false,
    running: false,
    nextRun: null,
    next_run_at: 0,
    eventTriggers: 0,
    captureSchedules: 0,
  })
  const rule = { id: 'e1', action: { kind: 'sync_pair', pair_id: 'p1' } }
  await using at = await open()
  await at.post('', {
    enabled: true,
    advanced: {
      enabled: true,
      jobs: [{ pair_id: 'p1', at: '07:05' }],
      event_rules: [rule, { ...rule, id: 'e2', active: false }],
      capture_jobs: [{ id: 'c1', provider: 'TRACKA', at: '03:00' }],
    },
  })
  const { next_run_at } = (await at.get('/next')).body
  t.match(await overviewOf(at), {
    enabled: true,
    advanced: true,
    running: true,
    nextRun: next_run_at,
    next_run_at,
    eventTriggers: 1,
    captureSchedules: 1,
  })
  t.ok(next_run_at > 0)
})

t.test('blocked work is shown with its reason until the block ends', async (t) => {
  await using at = await open({ enabled: true, mode: 'hourly' })
  const shown = async () => {
    const answers = [await at.get('/status'), await at.get('/next'), await at.post('/replan_now')]
    t.same([...new Set(answers.map(({ status }) => status))], [200])
    return answers.map(({ body }) => body['on_hold'])
  }
  t.same((await shown()).slice(0, 2), [null, null])
  const elsewhere = at.host.work.block({ code: 'other', message: 'Not about it.', kinds: ['change'] })
  t.same((await shown()).slice(0, 2), [null, null])
  const message = 'Only 12 MB are free on the disk of the data directory.'
  const release = at.host.work.block({ code: 'disk_low', message, kinds: ['sync', 'capture', 'restore'] })
  const since = Math.floor(at.host.work.blocks().find(({ code }) => code === 'disk_low')!.sinceMs / 1_000)
  for (const hold of await shown())
    t.same(hold, { reason: 'disk_low', detail: message, since, kinds: ['sync', 'capture'] })
  await release()
  t.same(await shown(), [null, null, null])
  await elsewhere()
  await at.host.work.block({ code: 'upgrade', message: 'Everything waits.' })
  t.match(await shown(), [{ reason: 'upgrade', kinds: ['sync', 'capture', 'backup'] }, {}, {}])
})
