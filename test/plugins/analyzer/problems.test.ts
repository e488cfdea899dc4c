// Problems of items: paging, filters, hiding, pairs, and a library that changes.
import t from 'tap'
import { ATTENTION, type OpenItem } from '@playhead/sdk'
import { episode, film, openWorld, pair } from './world.ts'

const PROBLEMS = '/api/analyzer/problems'
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
const open = (more: Partial<OpenItem>): OpenItem => ({
  pair_id: 'pair_mediaa_tracka',
  feature: 'watchlist',
  provider: 'TRACKA',
  instance: 'default',
  op: 'add',
  key: 'movie:tmdb:2',
  item: film(2),
  reason_code: 'not_found',
  attempts: 4,
  failures: 1,
  quarantined: false,
  first_at_ms: Date.now() - 9 * 86_400_000,
  last_at_ms: Date.now(),
  run_id: 'r',
  ...more,
})

t.test('items of libraries that a pair leaves out are counted by library, and are no problem', async (t) => {
  const own = pair('MEDIAA', 'TRACKA', { features: ['watchlist'], mode: 'one_way' })
  await using world = await openWorld({
    rows: {
      'MEDIAA@default watchlist': [
        film(1, { library_id: 'films' }),
        film(2, { library_id: 'kids' }),
        film(3, { library_id: 'kids' }),
        film(4),
      ],
      'TRACKA@default watchlist': [film(9)],
    },
    pairs: [{ ...own, options: { watchlist: { ...own.options!.watchlist!, libraries: { MEDIAA: ['films'] } } } }],
  })
  const { body } = await world.get(PROBLEMS)
  t.same(
    body.problems.filter(({ type }: any) => type === 'missing_peer').map(({ key }: any) => key),
    ['movie:tmdb:1', 'movie:tmdb:4'],
    'a library that is not known passes',
  )
  const { body: one } = await world.get(`${PROBLEMS}?type=missing_peer&provider=MEDIAA&key=movie%3Atmdb%3A4`)
  t.match(one, { total: 1, problems: [{ type: 'missing_peer', key: 'movie:tmdb:4' }] }, 'of one row')
  t.match(body.pair_exclusions, [
    {
      ...{ source: 'MEDIAA', target: 'TRACKA', feature: 'watchlist' },
      ...{ scanned_total: 4, accepted_total: 2, excluded_total: 2 },
      excluded_libraries: { kids: 2 },
      allowed_libraries: ['films'],
    },
  ])
})

t.test('an item that the other account lacks is a problem of the account that has it', async (t) => {
  await using world = await openWorld({
    rows: { 'MEDIAA@default watchlist': [film(1), film(2)], 'TRACKA@default watchlist': [film(1), film(3)] },
    pairs: [pair('MEDIAA', 'TRACKA', { features: ['watchlist'] })],
    open: [open({})],
    stored: {
      artifacts: [
        {
          kind: 'unresolved',
          provider: 'TRACKA',
          instance: 'default',
          feature: 'watchlist',
          pair_id: 'pair_mediaa_tracka',
          entries: 1,
          oldestMs: 1,
          newestMs: 2,
          hot: 1,
        },
        {
          kind: 'pair_state',
          provider: null,
          instance: null,
          feature: 'watchlist',
          pair_id: 'gone',
          entries: 5,
          oldestMs: null,
          newestMs: null,
        },
      ],
      pairs: [
        {
          pair_id: 'pair_mediaa_tracka',
          feature: 'watchlist',
          problem: 'unreadable',
          lastRunAtMs: 1_783_000_000_123,
          runs: 1,
          readAtMs: { source: 1, target: 1 },
        },
      ],
    },
  })
  const { status, body } = await world.get(`${PROBLEMS}?include_hints=true`)
  t.equal(status, 200, JSON.stringify(body))
  t.same(body.failed_rules, [])
  t.match(
    body.problems.map(({ type, provider, key, targets, severity }: any) => [type, provider, key, targets, severity]),
    [
      ['missing_peer', 'MEDIAA', 'movie:tmdb:2', ['TRACKA'], 'warn'],
      ['missing_peer', 'TRACKA', 'movie:tmdb:3', ['MEDIAA'], 'info'],
    ],
  )
  t.match(body.problems[0].hints, [{ kind: 'unresolved_pending', provider: 'TRACKA', reason: 'not_found' }])
  t.match(body.problems[1].hints, [{ kind: 'tracker_to_media_server_gap' }])
  t.match(body.summary, {
    total: 2,
    by_severity: { error: 0, warn: 1, info: 1 },
    by_category: { peer: 2 },
    by_type: { missing_peer: 2 },
  })
  t.match(body.pair_stats, [
    { source: 'MEDIAA', target: 'TRACKA', feature: 'watchlist', total: 2, synced: 1, unsynced: 1 },
    { source: 'TRACKA', target: 'MEDIAA', feature: 'watchlist', total: 2, synced: 1, unsynced: 1 },
  ])
  t.match(body.attention.counts, { current_mismatch: 2, pending_retry: 1, blocked: 0, total: 2 })
  t.match(body.attention.rows, [
    { provider: 'MEDIAA', key: 'movie:tmdb:3', current_mismatch: true, unresolved: false },
    { provider: 'TRACKA', key: 'movie:tmdb:2', current_mismatch: true, unresolved: true, reason: 'not_found' },
  ])
  t.equal(body.timings_ms.cache_hit, false)
  t.equal((await world.get(PROBLEMS)).body.timings_ms.cache_hit, true)

  const system = (await world.get('/api/analyzer/system')).body
  t.match(
    system.problems.map(({ type, severity }: any) => `${severity} ${type}`),
    ['error cw_state_pair_state_invalid', 'warn cw_state_unresolved_backlog', 'info cw_state_pair_state_orphaned'],
  )
  const all = (await world.get(`${PROBLEMS}?include_system=true&limit=4`)).body
  t.match([all.total, all.problems.length, all.problems[3].type, all.summary.total], [5, 4, 'missing_peer', 5])
  t.match((await world.get(`${PROBLEMS}?include_system=true&limit=4&offset=4`)).body.problems, [
    { key: 'movie:tmdb:3' },
  ])

  t.match((await world.get('/api/analyzer/detail?provider=MEDIAA&feature=watchlist&key=movie:tmdb:2')).body, {
    targets: ['TRACKA'],
    hints: [{ kind: 'unresolved_pending' }],
  })
  t.match(await world.get('/api/analyzer/detail?provider=MEDIAA&feature=watchlist&key=movie:tmdb:77'), {
    status: 404,
    body: { error: 'item_not_found' },
  })
  t.equal((await world.get('/api/analyzer/detail?provider=MEDIAA&feature=watchlist')).status, 422)

  const stored = (await world.get('/api/analyzer/cw-state')).body
  t.match(stored.artifacts[0], { kind: 'unresolved', provider: 'TRACKA', entries: 1 })
  t.match([stored.totals.unresolved, stored.providers.TRACKA.watchlist.unresolved], [1, 1])
  t.notMatch(JSON.stringify(stored), /Film|tmdb/, 'only counts')
  const activity = await world.get('/api/analyzer/pair-activity')
  t.match(activity.text, /"last_run_ns":1783000000123000000,"last_run_ms":1783000000123/)

  const [rows] = await world.host.callHook(ATTENTION, {})
  t.match(
    rows,
    [{ kind: 'analyzer_problems', severity: 'warning', title: /^1 problem in/, action: { path: '/analyzer' } }],
    'one row with a count; notes do not count',
  )
})

t.test('every problem is on exactly one page, in a stable order, for any filters', async (t) => {
  await using world = await openWorld({
    rows: {
      'A@default watchlist': range(0, 700).map((id) => film(id)),
      'B@default watchlist': range(350, 900).map((id) =>
        film(id, id % 2 === 0 ? { ids: { imdb: `tt${1_000_000 + id}` } } : {}),
      ),
      'B@default ratings': range(0, 40).map((id) => film(id, { rating: 5 })),
      'A@default ratings': range(0, 40).map((id) => film(id, { rating: 9 })),
    },
    pairs: [pair('A', 'B')],
  })
  const { body: whole } = await world.get(`${PROBLEMS}?limit=1000`)
  const text = ({ type, provider, feature, key }: any) => `${type} ${provider} ${feature} ${key}`
  const paged: string[] = []
  for (let offset = 0; ; offset += 97) {
    const { body } = await world.get(`${PROBLEMS}?limit=97&offset=${offset}`)
    paged.push(...body.problems.map(text))
    t.equal(body.has_more, offset + 97 < body.total)
    if (!body.has_more) break
  }
  t.equal(paged.length, whole.total)
  t.equal(new Set(paged).size, paged.length)
  t.same(paged.slice(0, 1_000), whole.problems.map(text))
  const ranks = whole.problems.map(({ severity }: any) => ['error', 'warn', 'info'].indexOf(severity))
  t.same(ranks, ranks.toSorted())
  for (const [query, keep] of [
    ['type=rating_conflict', ({ type }: any) => type === 'rating_conflict'],
    ['severity=info', ({ severity }: any) => severity === 'info'],
    ['provider=B&feature=watchlist', ({ provider, feature }: any) => provider === 'B' && feature === 'watchlist'],
    ['category=ids', ({ category }: any) => category === 'ids'],
  ] as const)
    t.same(
      (await world.get(`${PROBLEMS}?limit=1000&${query}`)).body.problems.map(text),
      whole.problems.filter(keep).map(text),
      query,
    )
  for (const query of ['limit=1001', 'offset=-1', 'severity=bad', 'limit=x', 'include_hints=maybe'])
    t.equal((await world.get(`${PROBLEMS}?${query}`)).status, 422, query)
  const audit = (await world.get('/api/analyzer/ratings-audit')).body
  t.match(audit.summary, { rated: 80, conflicts: 40, invalid: 0, missing: 0 })
  t.match(audit.conflicts[0], { spread: 4, values: { A: { rating: 9 }, B: { rating: 5 } } })
  t.equal(audit.pending_metadata, 80)
})

t.test('an item with ids of two films is found where the metadata knows them', async (t) => {
  const metadata = {
    ready: () => true,
    async *cachedReleases() {},
    async *cachedIds() {
      yield { 'movie 603': { tmdb: '603', imdb: 'tt0133093' }, 'show 1399': { tmdb: '1399', tvdb: '121361' } }
    },
  }
  const items = [
    film(603, { ids: { tmdb: '603', imdb: 'tt0234215' } }),
    film(604, { ids: { tmdb: '604', imdb: 'tt0133093' } }),
    film(1399, { ids: { tmdb: '1399', imdb: 'tt0944947' } }),
  ]
  const episodes = [
    episode(1399, 1, 1, { show_ids: { tmdb: '1399', tvdb: '999' }, watched_at: '2024-05-05T10:00:00Z' }),
    episode(1399, 1, 2, { show_ids: { tmdb: '1399', tvdb: '121361' }, watched_at: '2024-05-05T10:00:00Z' }),
  ]
  await using world = await openWorld({
    rows: { 'A@default watchlist': items, 'A@default history': episodes },
    pairs: [pair('A', 'B')],
    capabilities: { metadata },
  })
  const { body } = await world.get('/api/analyzer/problems?type=ids_of_two_works')
  const found = body.problems.filter(({ type }: any) => type === 'ids_of_two_works')
  t.equal(found.length, 2)
  t.match(
    found.map(({ id_name, id_value, id_of_tmdb, message }: any) => [id_name, id_value, id_of_tmdb, message]).toSorted(),
    [
      ['imdb', 'tt0234215', 'tt0133093', /Fix match/],
      ['tvdb', '999', '121361', /Fix match/],
    ],
  )
})

t.test(
  'the ratings audit: one conflict for a work with all its values, ratings before the release, and invalid ones',
  async (t) => {
    const rated = (id: number, rating: number, more: object = {}) =>
      film(id, { rating, rated_at: '2024-05-05T10:00:00Z', ...more })
    const metadata = {
      ready: () => true,
      async *cachedReleases() {
        yield { 'movie 2': '2024-06-01', 'movie 3': '2024-01-01', 'show 1': '2030-01-01' }
      },
    }
    await using world = await openWorld({
      rows: {
        'A@default ratings': [rated(1, 9), rated(2, 7), rated(3, 7), rated(4, 11)],
        'B@default ratings': [rated(1, 5), rated(2, 7), rated(3, 7)],
        'C@default ratings': [rated(1, 2, { ids: { tmdb: '1', imdb: 'tt0000001' } }), rated(2, 7)],
      },
      pairs: [pair('A', 'B'), pair('B', 'C')],
      capabilities: { metadata },
    })
    const { status, body } = await world.get('/api/analyzer/ratings-audit')
    t.equal(status, 200)
    t.match(body.summary, { rated: 9, conflicts: 1, invalid: 1, rated_before_release: 3 })
    t.match(body.conflicts, [
      { ids: { tmdb: '1' }, spread: 7, values: { A: { rating: 9 }, B: { rating: 5 }, C: { rating: 2 } } },
    ])
    t.equal(body.conflicts.length, 1)
    t.same(
      body.rated_before_release.map(({ provider, release }: any) => [provider, release]),
      [
        ['A', '2024-06-01'],
        ['B', '2024-06-01'],
        ['C', '2024-06-01'],
      ],
    )
    t.match(body.invalid, [{ provider: 'A', rating: 11 }])
    t.same(body.providers['B'].ratings['movie:tmdb:3'].tmdb_release, { date: '2024-01-01' })
    t.same(
      body.missing.filter(({ provider }: any) => provider === 'B').map(({ key, targets }: any) => [key, targets]),
      [['movie:tmdb:3', ['C']]],
    )
    t.equal(body.pending_metadata, 4)
  },
)

t.test('rows of all accounts in pages by account, feature and key, searched and flagged', async (t) => {
  await using world = await openWorld({
    rows: {
      'B@default watchlist': [film(10), film(9), film(2)],
      'A@default history': [episode(1, 1, 2, { watched_at: '2025-01-01T00:00:00Z' })],
      'A@A-P01 watchlist': [film(5, { title: 'Amélie, Straße', rating: 3 })],
    },
    accounts: ['A@default'],
    pairs: [],
  })
  const { body } = await world.get('/api/analyzer/state')
  t.same(
    body.items.map(({ provider, feature, key }: any) => `${provider} ${feature} ${key}`),
    [
      'A history show:tmdb:1#s01e02@1735689600',
      'A@A-P01 watchlist movie:tmdb:5',
      'B watchlist movie:tmdb:10',
      'B watchlist movie:tmdb:2',
      'B watchlist movie:tmdb:9',
    ],
  )
  t.match(body.items[1], {
    provider: 'A@A-P01',
    provider_base: 'A',
    instance: 'A-P01',
    title: 'Amélie, Straße',
    rating: 3,
    flags: [],
  })
  t.match(body.items[0], {
    instance: null,
    series_title: 'Show 1',
    season: 1,
    episode: 2,
    show_ids: { tmdb: '1' },
    watched_at: '2025-01-01T00:00:00Z',
  })
  t.same(body.counts['B'], { history: 0, watchlist: 3, ratings: 0, progress: 0, total: 3 })
  const keys = async (query: string) =>
    (await world.get(`/api/analyzer/state?${query}`)).body.items.map(({ key }: any) => key)
  t.same(await keys('limit=2&offset=3'), ['movie:tmdb:2', 'movie:tmdb:9'])
  t.same(await keys('q=AMELIE'), ['movie:tmdb:5'])
  t.same(await keys('q=strasse'), ['movie:tmdb:5'])
  t.same(await keys('provider=B&limit=1'), ['movie:tmdb:10'])
  t.same(await keys('feature=history'), ['show:tmdb:1#s01e02@1735689600'])
  t.match((await world.get('/api/analyzer/state?limit=0')).body, { items: [], total: 5 })
  t.match((await world.get('/api/analyzer/state?limit=9000')).body, { limit: 500 })
  await using empty = await openWorld()
  t.match(await empty.get('/api/analyzer/state'), { status: 200, body: { counts: {}, items: [], total: 0 } })
})

t.test('a show problem states what the target has of it, even for many missing episodes', async (t) => {
  const watched = (show: number, number: number) => episode(show, 1, number, { watched_at: '2025-01-01T00:00:00Z' })
  await using world = await openWorld({
    rows: {
      'A@default history': [...range(1, 400).map((number) => watched(1, number)), watched(2, 1)],
      'B@default history': range(400, 4_000).map((number) => watched(1, number)),
    },
    pairs: [pair('A', 'B', { features: ['history'] })],
    rules: ['missing-peer'],
  })
  const { problems } = (await world.get(`${PROBLEMS}?include_hints=true&provider=A&limit=1000`)).body
  t.equal(problems.length, 400)
  t.match(problems[0].target_show_info, [
    { target: 'B', show_episodes: 3_600, has_episode: false, message: /3600 other episodes/ },
  ])
  t.match(problems.at(-1).target_show_info, [
    { target: 'B', show_episodes: 0, has_episode: false, message: /nothing of the show/ },
  ])
})

t.test('pairs restrict the results, and unknown ones are an error', async (t) => {
  const rows = { 'A@default watchlist': [film(1)], 'B@default watchlist': [film(2)], 'C@default watchlist': [film(3)] }
  const [first, second] = [pair('A', 'B', { features: ['watchlist'] }), pair('B', 'C', { features: ['watchlist'] })]
  await using world = await openWorld({ rows, pairs: [first, second] })
  const providers = async (query: string) => [
    ...new Set((await world.get(`${PROBLEMS}?${query}`)).body.problems.map(({ provider }: any) => provider)),
  ]
  t.same(await providers(''), ['A', 'B', 'C'])
  t.same(await providers(`pairs=${second.id}`), ['B', 'C'])
  t.same(await providers(`pairs= ${first.id} , nonsense,${first.id}`), ['A', 'B'])
  t.match(await world.get(`${PROBLEMS}?pairs=nonsense`), { status: 404, body: { ok: false, error: 'pair_not_found' } })
  t.same(Object.keys((await world.get(`/api/analyzer/state?pairs=${first.id}`)).body.counts), ['A', 'B'])
  await using off = await openWorld({ rows, pairs: [{ ...first, enabled: false }] })
  t.match((await off.get('/api/analyzer/state')).body, { counts: {}, total: 0 }, 'only a disabled pair: nothing')
})

t.test('a library that changes while it is read is read again', async (t) => {
  const rows = {
    'A@default watchlist': range(0, 1_200).map((id) => film(id)),
    'B@default watchlist': range(0, 1_200).map((id) => film(id)),
  }
  let changes = 0
  await using world = await openWorld({
    rows,
    pairs: [pair('A', 'B', { features: ['watchlist'] })],
    rules: ['missing-peer'],
    onText: (name) => {
      // A run replaces the rows of both accounts during the first pass.
      if (changes > 0 || !name.startsWith('B')) return
      changes += 1
      for (const one of ['A', 'B'])
        world.data.set(`${one}@default watchlist`, world.data.get(`${one}@default watchlist`)!.slice(600))
      world.changed()
    },
  })
  const { body } = await world.get(PROBLEMS)
  t.equal(changes, 1)
  t.equal(body.summary.total, 0, 'rows of two times are never compared')
  t.match(body.pair_stats[0], { total: 600, synced: 600 })
})

t.test(
  'hidden problems are neither listed nor counted, even after a restart, until they are shown again',
  async (t) => {
    await using world = await openWorld({
      rows: {
        'A@default watchlist': [film(1), film(2), film(3, { ids: { imdb: 'tt0000003' } })],
        'B@default watchlist': [],
      },
      pairs: [pair('A', 'B', { features: ['watchlist'] })],
    })
    const EXCLUSIONS = '/api/analyzer/exclusions'
    t.equal((await world.get(PROBLEMS)).body.total, 4)
    t.equal(
      (await world.send('POST', EXCLUSIONS, { type: 'missing_peer', provider: 'A', key: 'movie:tmdb:2' })).status,
      200,
    )
    t.equal((await world.send('POST', EXCLUSIONS, { type: 'missing_ids' })).status, 200)
    t.equal((await world.send('POST', EXCLUSIONS, { type: 'missing_ids' })).body.exclusions.length, 2, 'once')
    const expected = { total: 2, excluded: 2, summary: { total: 2, by_type: { missing_peer: 2, missing_ids: 0 } } }
    t.match((await world.get(PROBLEMS)).body, expected)
    await world.host.reload()
    t.match((await world.get(PROBLEMS)).body, expected)
    t.match((await world.get(`${PROBLEMS}?include_excluded=true`)).body, { total: 4, excluded: 0 })
    t.equal((await world.send('DELETE', EXCLUSIONS, { type: 'missing_ids' })).status, 200)
    t.match(await world.send('DELETE', EXCLUSIONS, { type: 'missing_ids' }), {
      status: 404,
      body: { error: 'exclusion_not_found' },
    })
    t.match((await world.get(PROBLEMS)).body, { total: 3, excluded: 1 })
    t.equal((await world.send('POST', EXCLUSIONS, { kind: 'x' })).status, 422)
  },
)

t.test('rows that were read again without a change are no longer stale', async (t) => {
  const name = 'MEDIAA@default watchlist'
  const old = Date.now() - 9 * 86_400_000
  await using world = await openWorld({
    rows: { [name]: [film(1)], 'TRACKA@default watchlist': [film(1)] },
    pairs: [pair('MEDIAA', 'TRACKA', { features: ['watchlist'] })],
    readAtMs: { [name]: old },
  })
  t.match(await world.problems(), [
    { type: 'stale_baseline', provider: 'MEDIAA', feature: 'watchlist', days: 9, read_at: Math.floor(old / 1_000) },
  ])
  world.readAt.set(name, Date.now())
  t.same(await world.problems(), [])
})

t.test('service problems are hidden and filtered like all others, and a failed diagnosis is one', async (t) => {
  const of = (instance: string, kind: 'flap' | 'blackbox') => ({
    kind,
    provider: 'TRACKA',
    instance,
    feature: 'ratings' as const,
    pair_id: 'pair_mediaa_tracka',
    entries: 3,
    oldestMs: 1,
    newestMs: 2,
    hot: 0,
  })
  await using world = await openWorld({
    pairs: [pair('MEDIAA', 'TRACKA', { features: ['ratings'] }), pair('MEDIAB', 'TRACKB')],
    stored: { artifacts: [of('default', 'flap'), of('TRACKA-P01', 'flap'), of('default', 'blackbox')] },
  })
  const shown = async (query = '') => {
    const { body } = await world.get(`${PROBLEMS}?include_system=true${query}`)
    t.equal(body.total, body.problems.length)
    return [body.problems.map(({ type, provider }: any) => `${type} ${provider}`), body.summary.total, body.excluded]
  }
  const [given, first, second] = [
    'cw_state_blackbox_active TRACKA',
    'cw_state_flap_active TRACKA',
    'cw_state_flap_active TRACKA@TRACKA-P01',
  ]
  t.same(await shown(), [[given, first, second], 3, 0])
  t.same(await shown('&provider=TRACKA'), [[given, first, second], 3, 0])
  t.same(await shown('&provider=tracka@tracka-p01'), [[second], 3, 0])
  t.same(await shown('&type=cw_state_flap_active&feature=ratings&severity=info'), [[first, second], 3, 0])
  await world.send('POST', '/api/analyzer/exclusions', { type: 'cw_state_flap_active', provider: 'TRACKA@TRACKA-P01' })
  t.same(await shown(), [[given, first], 2, 1])
  t.same(await shown('&include_excluded=true'), [[given, first, second], 3, 0])

  const totals = async (query: string) => (await world.get(`/api/analyzer/cw-state?${query}`)).body.totals
  t.same(await totals(''), { flap: 6, blackbox: 3 })
  t.same(await totals('pairs=pair_mediaa_tracka'), { flap: 6, blackbox: 3 })
  t.same(await totals('pairs=pair_mediab_trackb'), {}, 'pairs restrict what is summed up')
  t.match(await world.get('/api/analyzer/cw-state?pairs=nonsense'), { status: 404, body: { error: 'pair_not_found' } })

  world.active.isBroken = true
  const { status, body } = await world.get('/api/analyzer/system')
  t.match([status, body.summary.total], [200, 1])
  t.match(body.problems, [{ type: 'analyzer_system_diagnostics_failed', severity: 'error', category: 'orchestrator' }])
  t.notMatch(JSON.stringify(body), /database is gone/)
})

t.test('the reason of a missing blocked item', async (t) => {
  await using world = await openWorld({
    rows: { 'MEDIAA@default watchlist': [film(1)], 'TRACKA@default watchlist': [], 'TRACKB@default watchlist': [] },
    pairs: ['TRACKA', 'TRACKB'].map((target) => pair('MEDIAA', target, { features: ['watchlist'] })),
    blocks: { 'TRACKA@default watchlist': ['movie:tmdb:1'] },
  })
  const detail = '/api/analyzer/detail?provider=MEDIAA&feature=watchlist&key=movie:tmdb:1'
  t.match((await world.get(detail)).body, {
    targets: ['TRACKB'],
    hints: [{ kind: 'blocked_manual', provider: 'TRACKA' }],
    target_show_info: [{ target: 'TRACKA', message: /blocked/ }],
  })
  t.match((await world.get(`${detail}&pairs=pair_mediaa_tracka`)).body, {
    targets: [],
    target_show_info: [{ target: 'ALL', feature: 'watchlist', message: /blocked/ }],
  })
})
