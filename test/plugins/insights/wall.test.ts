// The wall, the settings overview, and the tracker's snapshots.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { activityOf, film, openWorld } from './world.ts'

const titles = (body: { readonly items: readonly { readonly title: string }[] }) => body.items.map(({ title }) => title)
const lists = () => ({
  'TRACKA@default': {
    watchlist: [
      film(1, { added_at: '2026-07-01T00:00:00Z' }),
      film(2, { added_at: '2026-07-03T00:00:00Z' }),
      film(550),
    ],
  },
  'MEDIAA@default': {
    watchlist: [
      film(1, { ids: { tmdb: '1', mediaa: 'x' } }),
      film(3, { added_at: '2026-07-02T00:00:00Z' }),
      { type: 'show' as const, title: 'Series 550', year: 2001, ids: { tmdb: '550' } },
    ],
  },
})

t.test('everything is shown, the newest first, with its accounts', async (t) => {
  await using world = await openWorld({ held: lists() })
  const { body } = await world.get('/api/state/wall')
  t.equal(body.total, 5)
  t.strictSame(titles(body).slice(0, 3), ['Film 2', 'Film 3', 'Film 1'])
  t.match(body.items[2], {
    key: 'movie:tmdb:1',
    type: 'movie',
    status: 'both',
    sources: ['mediaa', 'tracka'],
    sources_by_provider: { mediaa: ['default'] },
    added_src: 'tracka',
    tmdb: 1,
  })
  t.equal(body.items[0].status, 'tracka_only')
  t.equal(body.last_sync_epoch, Date.parse('2026-07-01T00:00:00Z') / 1_000)
  t.equal(body.missing_tmdb_key, true)
  t.same(
    titles(body)
      .filter((title) => title.endsWith('550'))
      .toSorted(),
    ['Film 550', 'Series 550'],
    'a film and a show of one number are two',
  )
})

t.test('only shared titles, only titles of a signed-in account, only the first few', async (t) => {
  await using world = await openWorld({ held: lists(), signedOut: ['MEDIAA@default'] })
  t.strictSame(titles((await world.get('/api/state/wall?both_only=true')).body), ['Film 1'])
  const active = (await world.get('/api/state/wall?active_only=true')).body
  t.strictSame(titles(active).toSorted(), ['Film 1', 'Film 2', 'Film 550'])
  t.strictSame(active.items.find(({ title }: { title: string }) => title === 'Film 1').sources, ['mediaa', 'tracka'])
  t.match((await world.get('/api/state/wall?limit=2')).body, { total: 5, items: { length: 2 } })
})

t.test('removed titles are not shown, and cached data of the wall is removed with them', async (t) => {
  await using world = await openWorld({ held: lists() })
  t.equal((await world.get('/api/state/wall?limit=1')).body.total, 5)
  const { rows } = world.count
  await world.get('/api/state/wall?limit=1')
  t.equal(world.count.rows, rows, 'the second time nothing is read')
  world.read('TRACKA@default', { watchlist: [film(1), film(550)] })
  t.notOk(titles((await world.get('/api/state/wall')).body).includes('Film 2'))
})

t.test('a wall of many thousand rows is sent completely', async (t) => {
  const many = Array.from({ length: 3_000 }, (_, index) => film(index + 1))
  await using world = await openWorld({ held: { 'TRACKA@default': { watchlist: many } } })
  const { body } = await world.get('/api/state/wall')
  t.equal(body.total, 3_000)
  t.equal(new Set(body.items.map(({ key }: { key: string }) => key)).size, 3_000)
  t.equal((await world.get('/api/state/wall?limit=100')).body.items.length, 100)
})

for (const query of ['limit=101', 'limit=-1', 'both_only=maybe', 'active_only=maybe']) {
  t.test(`an invalid query is refused: ${query}`, async (t) => {
    await using world = await openWorld()
    t.match(await world.get(`/api/state/wall?${query}`), {
      status: 422,
      body: { detail: [{ loc: ['query', query.split('=')[0]] }] },
    })
  })
}

t.test('the overview counts profiles and pairs, and lets plugins add their own block', async (t) => {
  const scheduling = { overview: async () => ({ enabled: true, nextRun: 7, next_run_at: 7 }) }
  await using world = await openWorld({
    held: { 'TRACKA@default': {}, 'TRACKA@TRACKA-P01': {}, 'MEDIAA@default': {} },
    signedOut: ['MEDIAA@default'],
    pairs: [
      ['TRACKA', 'MEDIAA', true],
      ['TRACKA', 'SVC', false],
    ],
    capabilities: {
      'overview:scheduling': scheduling,
      metadata: { ready: () => true },
      activity: activityOf(
        Array.from({ length: 5 }, () => ({
          event: 'history_add',
          source: 'tracka',
          target: 'svc',
          media_type: 'movie' as const,
        })),
      ),
    },
  })
  const { body } = await world.get('/api/settings/overview')
  t.match(body, {
    ok: true,
    auth: { configured: 1, profiles: [{ provider: 'tracka', count: 2 }] },
    pairs: { count: 2, total: 2, enabled: 1, active: 1, disabled: 1 },
    metadata: { detected: true, configured: true },
    scheduling: { enabled: true, nextRun: 7, next_run_at: 7, eventTriggers: 0 },
    scrobbler: { enabled: false, sources: { webhook: false, watcher: false }, watcher: { alive: false } },
    recent_activity: { items: { length: 3 } },
  })
})

t.test('a snapshot is selected by its name, in an existing profile', async (t) => {
  const select = async (_instance: string, _feature: string, name: string) => {
    if (name !== 'latest' && name !== '2026-07-01')
      throw new PlayheadError('PLH_NOT_FOUND', 'There is none.', { wire: 'snapshot_not_found' })
  }
  await using world = await openWorld({ tracker: { watchlist: [] }, capabilities: { 'tracker:store': { select } } })
  t.match(await world.post('/api/svc/select-snapshot?feature=watchlist&snapshot=2026-07-01'), {
    status: 200,
    body: { ok: true, feature: 'watchlist', snapshot: '2026-07-01', provider_instance: 'default' },
  })
  t.match(await world.post('/api/svc/select-snapshot?feature=history&snapshot=latest&provider_instance='), {
    status: 200,
  })
  t.match(await world.post('/api/svc/select-snapshot?feature=watchlist&snapshot=../../etc/passwd'), {
    status: 404,
    body: { ok: false, error: 'snapshot_not_found' },
  })
  t.match(await world.post('/api/svc/select-snapshot?feature=watchlist&snapshot=latest&provider_instance=SVC-P07'), {
    status: 404,
    body: { error: 'not_found' },
  })
  for (const query of [
    'feature=playlists&snapshot=latest',
    'feature=watchlist',
    'snapshot=latest',
    'feature=watchlist&snapshot=',
  ]) {
    t.equal((await world.post(`/api/svc/select-snapshot?${query}`)).status, 422, query)
  }
})

t.test('without a tracker there is no snapshot to select', async (t) => {
  await using world = await openWorld()
  t.equal((await world.post('/api/svc/select-snapshot?feature=watchlist&snapshot=latest')).status, 404)
})

t.test('the content of a snapshot is shown', async (t) => {
  const snapshots = [
    { name: 'b', atMs: Date.parse('2026-03-05T10:00:00Z') },
    { name: 'a', atMs: Date.parse('2026-02-05T10:00:00Z') },
  ]
  await using world = await openWorld({ tracker: { watchlist: [film(1)] }, snapshots })
  world.chosen.set('history', 'a')
  world.chosen.set('ratings', 'gone')
  const { svc_snapshots: shown } = (await world.get('/api/insights')).body
  t.strictSame(shown.watchlist, {
    selected: 'latest',
    actual: 'b',
    human: '05-Mar-26',
    ts: '2026-03-05T10:00:00.000Z',
    has_snapshots: true,
    provider_instance: 'default',
  })
  t.match(shown, {
    history: { actual: 'a' },
    ratings: { actual: null, ts: null },
    _profiles: [{ id: 'default', label: 'default' }],
    _by_profile: { default: { watchlist: { actual: 'b' } } },
  })
})
