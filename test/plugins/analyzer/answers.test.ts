// Response fields in addition to the problems: times, order, exclusions, the accounts of a pair selection, and notes.
import t from 'tap'
import { passOver } from './pass.ts'
import { episode, film, openWorld, pair } from './world.ts'

const PROBLEMS = '/api/analyzer/problems'

t.test('the duration of each step is returned, and the valid values if a kind is missing', async (t) => {
  await using world = await openWorld({
    rows: { 'A@default watchlist': [film(1), episode(2, 1, 1)], 'B@default watchlist': [] },
    pairs: [pair('A', 'B', { features: ['watchlist'], mode: 'one_way' })],
    support: { 'B watchlist': { kinds: ['movie', 'show'] } },
  })
  const { body } = await world.get(`${PROBLEMS}?include_system=true&include_hints=true`)
  const names = [
    'index_build',
    'missing_peer_hints',
    'missing_peer_scan',
    'pair_exclusions',
    'pair_stats',
    'state_load',
  ]
  for (const name of [...names, 'system_diagnostics', 'total'])
    t.ok(Number.isInteger(body.timings_ms[name]), `${name}: ${body.timings_ms[name]}`)
  t.match(body.pair_exclusions, [
    {
      excluded_total: 1,
      excluded_types: { episode: 1 },
      allowed_types: ['movie', 'show'],
      allowed_libraries: undefined,
    },
  ])
})

t.test('a title is missing at a media server as a note, from any service that can have every title', async (t) => {
  for (const [group, target, severity] of [
    ['tracker', 'media_server', 'info'],
    ['other', 'media_server', 'info'],
    ['client', 'media_server', 'info'],
    ['media_server', 'media_server', 'warn'],
    ['media_server', 'tracker', 'warn'],
    ['tracker', 'tracker', 'warn'],
  ] as const) {
    const { of } = await passOver({
      rows: { 'A watchlist': [film(1)], 'B watchlist': [film(2)] },
      pairs: ['A B'],
      groups: { A: group, B: target },
    })
    const [found] = of('missing_peer').filter(({ account }) => account === 'A')
    t.equal(found?.severity, severity, `${group} ${target}`)
    t.equal(found?.fields['sync_context'], severity === 'info' ? 'tracker_to_media_server' : undefined)
  }
  await using world = await openWorld({
    rows: { 'SVC@default watchlist': [film(1)], 'MEDIAA@default watchlist': [] },
    pairs: [pair('SVC', 'MEDIAA', { features: ['watchlist'] })],
    rules: ['missing-peer'],
  })
  t.match((await world.get(`${PROBLEMS}?include_hints=true`)).body.problems, [
    { severity: 'info', hints: [{ kind: 'tracker_to_media_server_gap' }] },
  ])
})

t.test('selected pairs concern only their accounts, even for rows of removed profiles', async (t) => {
  const [first, second] = [pair('A', 'B', { features: ['watchlist'] }), pair('C', 'D', { features: ['watchlist'] })]
  await using world = await openWorld({
    rows: Object.fromEntries(
      ['A', 'B', 'C', 'D', 'C@C-P01'].map((name) => [
        `${name.includes('@') ? name : `${name}@default`} watchlist`,
        [film(1)],
      ]),
    ),
    pairs: [first, second],
    gone: ['C@C-P01', 'D@default'],
    accounts: ['D@D-P01'],
  })
  const orphans = async (query: string) =>
    (await world.get(`${PROBLEMS}?type=orphan_instance&${query}`)).body.problems.map(({ provider }: any) => provider)
  t.same(await orphans(''), ['C@C-P01', 'D'])
  t.same(await orphans(`pairs=${first.id}`), [])
  t.same(await orphans(`pairs=${second.id}`), ['D'])
  t.equal((await world.get('/api/analyzer/system?pairs=nonsense')).status, 200, 'the service has no pairs')
})

t.test('rows with a problem are found by its type', async (t) => {
  await using world = await openWorld({
    rows: { 'A@default watchlist': [film(1), film(2), film(3)], 'B@default watchlist': [film(2)] },
    pairs: [pair('A', 'B', { features: ['watchlist'] })],
  })
  const { body } = await world.get('/api/analyzer/state?problem=missing_peer')
  t.match(
    [body.total, body.items.map(({ key, flags }: any) => [key, flags])],
    [
      2,
      [
        ['movie:tmdb:1', ['missing_peer']],
        ['movie:tmdb:3', ['missing_peer']],
      ],
    ],
  )
  t.match((await world.get('/api/analyzer/state?problem=__proto__&provider=__proto__')).body, { total: 0, items: [] })
})

t.test('service problems are sorted by their subject', async (t) => {
  await using world = await openWorld({
    rules: ['stored-state'],
    stored: {
      artifacts: ['z', 'a', 'k'].map((id) => ({
        ...{ kind: 'pair_state', provider: null, instance: null, feature: 'ratings', pair_id: id },
        ...{ entries: 1, oldestMs: null, newestMs: null },
      })),
    },
  })
  const { problems } = (await world.get('/api/analyzer/system')).body
  t.same(
    problems.map(({ scope }: any) => scope),
    ['a', 'k', 'z'],
  )
})

t.test('an episode with only a TVDB id is noted where Trakt lacks it', async (t) => {
  const watched = (ids: object) => episode(1, 1, 1, { show_ids: ids, watched_at: '2025-01-01T00:00:00Z' })
  await using world = await openWorld({
    rows: {
      'MEDIAA@default history': [watched({ tvdb: '1' }), watched({ tvdb: '2', imdb: 'tt0000002' })],
      'TRACKA@default history': [],
      'TRACKB@default history': [],
    },
    pairs: ['TRACKA', 'TRACKB'].map((name) => pair('MEDIAA', name, { features: ['history'], mode: 'one_way' })),
    rules: ['missing-peer'],
  })
  const { problems } = (await world.get(`${PROBLEMS}?include_hints=true`)).body
  t.same(
    problems
      .map(({ show_ids: ids, target_show_info: info }: any) => [
        Object.keys(ids).length,
        info.map(({ target, message }: any) => [target, /TVDB/.test(message)]),
      ])
      .toSorted(),
    [
      [
        1,
        [
          ['TRACKA', true],
          ['TRACKB', false],
        ],
      ],
      [
        2,
        [
          ['TRACKA', false],
          ['TRACKB', false],
        ],
      ],
    ],
  )
})

t.test('histories with hundreds of shows with long names differ without a failing rule', async (t) => {
  const shows = (from: number) =>
    Array.from({ length: 300 }, (_, at) =>
      episode(from + at, 1, 1, {
        series_title: `${'"Ein 大 langer" Name '.repeat(9)}${from + at}`,
        watched_at: '2025-01-01',
      }),
    )
  const { of } = await passOver({ rows: { 'A history': shows(1_000), 'B history': shows(5_000) }, pairs: ['A B'] })
  const [found] = of('history_show_normalization')
  t.match(found, { severity: 'warn', fields: { show_gap: { source_only: 300, target_only: 300 } } })
  for (const name of ['extra_source', 'extra_target', 'extra_source_titles', 'extra_target_titles'])
    t.ok(found?.fields[name].length > 3, name)
})
