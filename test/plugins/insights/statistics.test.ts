// Statistics: each run is counted once, despite interruptions; reading writes nothing.
import t from 'tap'
import { endpointOf, httpOf } from '../../../plugins/services/insights/http.ts'
import { film, openWorld, operation, part } from './world.ts'

const DAY_MS = 86_400_000

t.test('a run is counted once: its totals, its writes, and the resulting counts', async (t) => {
  const atMs = Date.now() - 1_000
  await using world = await openWorld({ held: { 'TRACKA@default': { watchlist: [film(1), film(2)], history: [] } } })
  const applied = [
    operation('r1', 'watchlist', 'add', film(1), atMs - 2_000),
    operation('r1', 'history', 'add', part(5, 1, 2, { title: 'The Kingsroad' }), atMs - 1_000),
  ]
  const run = {
    id: 'r1',
    atMs,
    lanes: { watchlist: { added: 1, spotlight_add: [{ key: 'movie:tmdb:1' }] }, history: { added: 1 } },
    applied,
  }
  await world.run(run)
  world.host.events.emit('run.finished', { run_id: 'r1' })
  await world.host.events.settled()
  // Simulate a crash between counting a run and recording that.
  await world.host.store.delete('runs-taken')
  world.host.events.emit('run.finished', { run_id: 'r1' })
  await world.host.events.settled()

  t.strictSame(
    world.host.logs.filter(({ level }) => level === 'error'),
    [],
  )
  const { body: raw } = await world.get('/api/stats/raw')
  const seconds = Math.floor(atMs / 1_000)
  t.match(raw, {
    counters: { added: 2, removed: 0 },
    last_run: { added: 2, removed: 0, updated: 0, ts: seconds },
    ingested_runs: ['r1'],
    samples: [{ ts: seconds, count: 2 }],
    current_by_feature: { watchlist: 2, history: 0 },
    http: { events: [], counters: {}, last: {} },
    current: { 'movie:tmdb:1': { src: 'tracka', title: 'Film 1', type: 'movie', providers: ['tracka'] } },
  })
  t.equal(raw.feature_totals.length, 2)
  t.equal(raw.events.length, 2)
  t.match(raw.events[0], {
    action: 'add',
    feature: 'history',
    key: 'show:tmdb:5#s01e02',
    source: 'tracka',
    origin: 'mediaa',
    type: 'episode',
    run_id: 'r1',
    display_title: 'Series 5 - S01E02',
    display_subtitle: 'The Kingsroad',
    series_title: 'Series 5',
  })
  t.match((await world.get('/api/stats')).body, { added: 1, removed: 0, new: 1, del: 0, now: 2, week: 2 })
})

t.test('dry runs are not counted', async (t) => {
  await using world = await openWorld({ held: { 'TRACKA@default': { watchlist: [film(1)] } } })
  await world.run({ id: 'dry', atMs: Date.now(), dry: true, lanes: { watchlist: { added: 40 } } })
  t.match((await world.get('/api/stats/raw')).body, { counters: { added: 0 }, samples: [], ingested_runs: [] })
  t.match((await world.get('/api/insights')).body, { history: [], features: { watchlist: { added: 0 } } })
})

t.test('runs that ended without a listener are ingested with the next run, the oldest first', async (t) => {
  const world = await openWorld({ held: { 'TRACKA@default': { watchlist: [film(1)] } } })
  await using _closing = world
  let isBroken = true
  const broken = {
    ...operation('r1', 'watchlist', 'add', film(1), Date.now()),
    get key(): string {
      if (isBroken) throw new Error('the disk is full')
      return 'movie:tmdb:1'
    },
  }
  await world.run({ id: 'r1', atMs: Date.now() - 2_000, lanes: { watchlist: { added: 1 } }, applied: [broken] })
  t.match((await world.get('/api/stats/raw')).body, { counters: { added: 0 } }, 'half of a run is none of it')
  t.match(world.host.logs.filter(({ level }) => level === 'error').length, 1)
  isBroken = false
  await world.run({ id: 'r2', atMs: Date.now(), lanes: { watchlist: { removed: 1 } } })
  const { body } = await world.get('/api/stats/raw')
  t.strictSame(body.ingested_runs, ['r2', 'r1'])
  t.match(
    body,
    { counters: { added: 1, removed: 1 }, events: { length: 1 }, samples: { length: 1 } },
    'how much there was after the older run is not known any more',
  )
})

t.test('a week and a month ago mean the last earlier samples, otherwise the first', async (t) => {
  await using world = await openWorld({ held: { 'TRACKA@default': { watchlist: [film(1)] } } })
  const nowMs = Date.now()
  await world.run({ id: 'r1', atMs: nowMs - 20 * DAY_MS, lanes: { watchlist: {} } })
  world.read('TRACKA@default', { watchlist: [film(1), film(2)] })
  await world.run({ id: 'r2', atMs: nowMs - 8 * DAY_MS, lanes: { watchlist: {} } })
  world.read('TRACKA@default', { watchlist: [film(1), film(2), film(3)] })
  await world.run({ id: 'r3', atMs: nowMs, lanes: { watchlist: {} } })
  t.match((await world.get('/api/stats')).body, { now: 3, week: 2, month: 1 })
  const { body } = await world.get('/api/insights?limit_samples=2')
  t.strictSame(
    body.series.map(({ count }: { count: number }) => count),
    [2, 3],
  )
  t.strictSame((await world.get('/api/insights?limit_samples=0')).body.series, [])
})

t.test('after a run its features and watchlists are counted, but nothing unchanged', async (t) => {
  const rated = (tmdb: number) => film(tmdb, { rating: 7, rated_at: '2026-07-01T20:00:00Z' })
  const watched = [film(1, { watched_at: '2026-07-01T20:00:00Z' })]
  await using world = await openWorld({
    held: { 'TRACKA@default': { watchlist: [film(1)], ratings: [rated(1), rated(2)], history: watched } },
  })
  await world.run({ id: 'r1', atMs: Date.now() - 1_000, lanes: { ratings: {} } })
  t.equal(world.count.rows, 4, 'the index has every row')
  await world.run({ id: 'r2', atMs: Date.now(), lanes: { ratings: {} } })
  t.equal(world.count.rows, 4)
  const { body } = await world.get('/api/insights')
  t.match(body.series_by_feature, {
    ratings: [{ count: 2 }, { count: 2 }],
    history: { length: 0 },
    watchlist: { length: 0 },
  })
  t.match(body.history, [{ provider_counts_post: { TRACKA: 1 } }, { provider_counts_post: { TRACKA: 1 } }])
  t.equal(body.features.history.now, 1)
})

t.test('a limited number of writes is kept, the newest, and lifetime counters continue', async (t) => {
  await using world = await openWorld()
  const atMs = Date.now()
  const applied = Array.from({ length: 6_000 }, (_, index) =>
    operation('r1', 'watchlist', 'add', film(index + 1), atMs - 10_000_000 + index * 1_000),
  )
  await world.run({ id: 'r1', atMs, lanes: { watchlist: { added: 6_000 } }, applied })
  await world.run({
    id: 'r2',
    atMs: atMs + 1,
    lanes: { watchlist: { added: 1 } },
    applied: [operation('r2', 'watchlist', 'add', film(9_999), atMs)],
  })
  const { body } = await world.get('/api/stats/raw')
  t.equal(body.events.length, 5_000)
  t.equal(body.events[0].key, 'movie:tmdb:9999')
  t.equal(body.counters.added, 6_001)
  t.equal((await world.get('/api/insights')).body.events.length, 500)
})

t.test('reading writes nothing', async (t) => {
  await using world = await openWorld({
    held: { 'TRACKA@default': { watchlist: [film(1)], history: [film(1, { watched_at: '2026-07-01T00:00:00Z' })] } },
    tracker: { ratings: [] },
  })
  const rows = async () => {
    const counts = await Promise.all(
      ['insights__sample', 'insights__run', 'insights__total', 'insights__counter', 'insights__event'].map((table) =>
        world.host.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirst(),
      ),
    )
    return counts.map((row) => Number(row?.['count']))
  }
  const before = await rows()
  const stored = await Array.fromAsync(world.host.store.entries())
  for (const path of [
    '/api/stats',
    '/api/stats/raw',
    '/api/insights?history=60&limit_samples=4000&runtime=1',
    '/api/dashboard/widgets',
    '/api/settings/overview',
    '/api/state/wall',
  ]) {
    t.equal((await world.get(path)).status, 200, path)
  }
  t.strictSame(await rows(), before)
  t.strictSame(await Array.fromAsync(world.host.store.entries()), stored)
})

t.test('the last runs are shown with their changes, and the resulting counts', async (t) => {
  const atMs = Date.parse('2026-07-01T00:00:00Z')
  await using world = await openWorld({
    held: { 'TRACKA@default': { watchlist: [film(1), film(2)] }, 'MEDIAA@MEDIAA-P01': { history: [] } },
    pairs: [['TRACKA', 'SVC', true]],
  })
  await world.run({ id: 'r1', atMs, lanes: { watchlist: { added: 2, spotlight_add: [{ key: 'movie:tmdb:1' }] } } })
  await world.run({ id: 'r2', atMs: atMs + DAY_MS, lanes: { ratings: { updated: 1 } } })
  const { body } = await world.get('/api/insights?history=1')
  t.equal(body.history.length, 1)
  t.match(body.history[0], {
    run_id: 'r2',
    result: 'ok',
    exit_code: 0,
    updated_total: 1,
    added_last: 0,
    provider_counts_post: { TRACKA: 2 },
    tracka_post: 2,
    features: { ratings: { updated: 1 } },
    features_enabled: { ratings: true },
    timeline: { done: true },
  })
  t.match(body.features.watchlist, {
    now: 2,
    added: 2,
    spotlight_add: [{ key: 'movie:tmdb:1' }],
    providers: { TRACKA: 2 },
    providers_active: { TRACKA: true, MEDIAA: false },
  })
  t.match(body, {
    now: 2,
    added: 2,
    removed: 0,
    instances_by_provider: { TRACKA: ['default'], MEDIAA: ['MEDIAA-P01'] },
    providers: { TRACKA: 2 },
  })
})

for (const query of ['limit_samples=-1', 'limit_samples=4001', 'history=61', 'history=x', 'runtime=2']) {
  t.test(`a query beyond the limits is refused: ${query}`, async (t) => {
    await using world = await openWorld()
    t.match(await world.get(`/api/insights?${query}`), {
      status: 422,
      body: { detail: [{ loc: ['query', query.split('=')[0]] }] },
    })
  })
}

t.test('a run that starts while the previous one is counted ends that; both are ingested after it', async (t) => {
  const rows = Array.from({ length: 1_000 }, (_, index) => film(index + 1))
  let begins = true
  const world = await openWorld({
    held: { 'TRACKA@default': { watchlist: rows } },
    onPage() {
      if (begins) world.host.events.emit('run.started', { run_id: 'r2' })
      begins = false
    },
  })
  await using _closing = world
  await world.run({
    id: 'r1',
    atMs: Date.now() - 2_000,
    lanes: { watchlist: { added: 1 } },
    applied: [operation('r1', 'watchlist', 'add', film(1), Date.now())],
  })
  t.match((await world.get('/api/stats/raw')).body, { counters: { added: 0 }, samples: [] })
  await world.run({ id: 'r2', atMs: Date.now(), lanes: { watchlist: { added: 2 } } })
  t.match((await world.get('/api/stats/raw')).body, {
    counters: { added: 3 },
    ingested_runs: ['r2', 'r1'],
    samples: [{ count: 1_000 }],
  })
  t.strictSame(
    world.host.logs.filter(({ level }) => level === 'error'),
    [],
    'it is no fault',
  )
})

t.test('a reader of the numbers gets them, even if a run starts meanwhile', async (t) => {
  const rows = Array.from({ length: 1_000 }, (_, index) => film(index + 1))
  let looked: Promise<{ readonly status: number; readonly body: any }> | undefined
  let pages = 0
  const world = await openWorld({
    held: { 'TRACKA@default': { watchlist: rows } },
    onPage() {
      pages += 1
      if (pages === 1) looked = world.get('/api/stats')
      if (pages === 3) world.host.events.emit('run.started', { run_id: 'r2' })
    },
  })
  await using _closing = world
  await world.run({ id: 'r1', atMs: Date.now() - 2_000, lanes: { watchlist: { added: 1 } } })
  const answer = await looked
  t.match(answer, { status: 200, body: { now: 1_000 } })
})

t.test('requests are shown by kind, without names of items or people', (t) => {
  for (const [path, endpoint] of [
    ['/sync/history', '/sync/history'],
    ['/Users/0123456789abcdef0123456789abcdef/Items', '/Users/:id/Items'],
    ['/3/movie/550', '/:id/movie/:id'],
    ['/users/ada/lists/to-watch', '/users/:id/lists/:id'],
    ['/users/me/lists', '/users/me/lists'],
    ['/library/metadata/42/children', '/library/metadata/:id/children'],
    ['/v3/find/tt0113277', '/v3/find/:id'],
    ['/a%20b/', '/:id/'],
    ['', ''],
  ] as const)
    t.equal(endpointOf(path), endpoint, path)
  t.end()
})

t.test('requests are summed by provider, without those to tested addresses', (t) => {
  const call = {
    atMs: 5_500,
    account: 'TRACKA@default',
    method: 'GET',
    path: '/users/s3cret-word/likes',
    status: 200,
    ok: true,
    ms: 20,
    bytesIn: 100,
    bytesOut: 0,
    remaining: 3,
    resetAtMs: 9_000,
  }
  const stats = {
    requests: 1,
    retries: 0,
    refreshes: 0,
    inFlight: 0,
    pausedUntilMs: 0,
    quota: { remaining: 3 },
    calls: { count: 2, failed: 1, bytesIn: 100, bytesOut: 8, ms: 50 },
    lastCall: call,
  }
  const facts = httpOf({
    upstreamCalls: () => [call, { ...call, account: '~TRACKA@default' }],
    redact: (text) => text,
    upstream: () => [
      { ...stats, account: 'TRACKA@default' },
      { ...stats, account: 'TRACKA@TRACKA-P01', lastCall: { ...call, atMs: 7_000, ok: false, status: 500 } },
      { ...stats, account: '~TRACKA@default' },
    ],
  })
  t.strictSame(facts.counters, {
    TRACKA: {
      calls: 4,
      ok: 2,
      err: 2,
      bytes_in: 200,
      bytes_out: 16,
      ms_sum: 100,
      last_status: 500,
      last_ok: false,
      last_at: 7,
      last_rate_remaining: 3,
    },
  })
  t.strictSame(facts.events, [
    {
      ts: 5,
      provider: 'TRACKA',
      endpoint: '/users/:id/likes',
      method: 'GET',
      status: 200,
      ok: true,
      ms: 20,
      bytes_in: 100,
      bytes_out: 0,
      rate_remaining: 3,
      rate_reset: 9,
    },
  ])
  t.strictSame(facts.last, { 'TRACKA GET /users/:id/likes': facts.events[0] })
  t.end()
})
