// The list: fields, filters, sorting, paging, and merging.
import t from 'tap'
import { episode, movie, openWorld, POSITIONS } from './world.ts'

const DAY_MS = 86_400_000
const titles = (body: { items: { title: string }[] }) => body.items.map(({ title }) => title)

t.test("a position is shown with the account's data, and nothing else", async (t) => {
  await using world = await openWorld({
    providers: { ALPHA: { label: 'Alpha', progress: { ...POSITIONS, completion: { percent: 80 } } } },
    accounts: {
      'ALPHA@default': [movie(101, 35, { ids: { tmdb: '101', imdb: 'tt0000101' } }), episode(7, 0, 3, 12.3456)],
    },
    metadata: { ready: () => true },
  })
  const body = await world.list()
  t.equal(body.total, 2)
  t.match(body, { page: 1, page_size: 50, errors: [], partial: false })
  const [part, film] = body.items
  t.match(film, {
    provider: 'ALPHA',
    provider_label: 'Alpha',
    instance_id: 'default',
    instance_label: 'Default',
    remote_id: 'row-101',
    canonical_key: 'tmdb:101',
    media_type: 'movie',
    title: 'Movie 101',
    series_title: null,
    season: null,
    year: 2000,
    ids: { tmdb: '101', imdb: 'tt0000101' },
    progress_percent: 35,
    duration_seconds: 6000,
    remaining_seconds: 3900,
    progress_at: '2026-07-01T20:00:00.000Z',
    updated_at: '2026-07-01T20:00:00.000Z',
    rating: null,
    poster_url: '/art/metaA/movie/101?size=w342',
    can_remove_progress: true,
    can_mark_watched: true,
    can_update_progress: true,
    editable_progress_min_percent: 2,
    editable_progress_max_exclusive: 80,
    capability_messages: [],
    stale: false,
    provider_count: 1,
    is_combined: false,
  })
  t.notOk('live_state' in film)
  t.equal(film.records.length, 1)
  t.match(part, {
    canonical_key: 'tmdb:7#s00e03',
    media_type: 'episode',
    title: 'Show 7',
    series_title: 'Show 7',
    episode_title: 'Part 3',
    season: 0,
    episode: 3,
    year: 2010,
    progress_percent: 12.346,
    poster_url: '/art/metaA/tv/7?size=w342',
    provider_metadata: { show_ids: { tmdb: '7' } },
  })
  const one = (await world.list('?provider=alpha')).items[0]
  t.notOk('records' in one || 'providers' in one || 'is_combined' in one, 'a single provider is not merged')
})

t.test('rows that are no positions, or invalid, are skipped and affect no other', async (t) => {
  const odd: unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { type: 'movie' },
    { type: 'movie', ids: null, progress_percent: 10 },
    { type: 'song', ids: { tmdb: '1' }, progress_percent: 10 },
    { type: 'show', ids: { tmdb: '1' }, progress_percent: 10 },
    movie(1, 0),
    movie(2, 0, { progress_ms: 0 }),
    { ...movie(3, 10), progress_percent: 250, progress_ms: -5 },
    { ...movie(4, 10), progress_percent: Number.NaN },
    { type: 'movie', ids: {}, progress_percent: 10 },
    {
      ...movie(5, 40),
      title: '<img src=x onerror=alert(1)>',
      year: 'soon',
      duration_ms: 'long',
      rating: 99,
      native: 5,
    },
    { ...movie(6, 50), ids: { tmdb: '12-abc', imdb: {} }, title: 'x'.repeat(5_000) },
    movie(7, 60, { progress_at: 'yesterday' as string }),
  ]
  await using world = await openWorld({ accounts: { 'ALPHA@default': odd } })
  const { items, errors } = await world.list()
  t.same(errors, [])
  t.same(items.map(({ remote_id: id }: { remote_id: string }) => id).toSorted(), ['movie:tmdb:5', 'row-6', 'row-7'])
  t.match(
    items.find(({ remote_id: id }: { remote_id: string }) => id === 'movie:tmdb:5'),
    { year: null, duration_seconds: null, remaining_seconds: null, rating: null },
  )
  t.match(
    items.find(({ remote_id: id }: { remote_id: string }) => id === 'row-7'),
    { progress_at: null, updated_at: null },
  )
})

t.test("the time when Playhead first saw a position is not shown as the service's time", async (t) => {
  await using world = await openWorld({
    accounts: { 'ALPHA@default': [movie(1, 10, { progress_at_source: 'first_observed' })] },
  })
  t.match((await world.list()).items[0], { progress_at: null, updated_at: '2026-07-01T20:00:00.000Z' })
})

const at = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const now = new Date().toISOString()
const MANY = [
  movie(1, 10, { title: 'Beta', progress_at: at(3), rating: 8, duration_ms: 6_000_000 }),
  movie(2, 60, { title: 'alpha', progress_at: now, duration_ms: 3_000_000 }),
  movie(3, 90, { title: 'Gamma', progress_at: at(40), rating: 5, duration_ms: 12_000_000 }),
  {
    ...movie(4, 10, { title: 'Delta' }),
    progress_percent: undefined,
    progress_ms: 60_000,
    duration_ms: undefined,
    progress_at: undefined,
  },
  episode(9, 2, 7, 45, { series_title: 'Épsilon', title: 'The Seventh', progress_at: at(20) }),
  episode(8, 1, 1, 30, { series_title: 'Zeta', show_ids: { anilist: '5' }, progress_at: at(8) }),
]

const queries: readonly (readonly [query: string, wanted: readonly string[]])[] = [
  ['', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['media_type=movie', ['alpha', 'Beta', 'Gamma', 'Delta']],
  ['media_type=episode', ['Épsilon']],
  ['media_type=anime_episode', ['Zeta']],
  ['progress_min=45', ['alpha', 'Épsilon', 'Gamma']],
  ['progress_max=30', ['Beta', 'Zeta']],
  ['progress_min=30&progress_max=60', ['alpha', 'Zeta', 'Épsilon']],
  ['progress_min=60&progress_max=30', []],
  ['age=today', ['alpha']],
  ['age=7d', ['alpha', 'Beta']],
  ['age=30d', ['alpha', 'Beta', 'Zeta', 'Épsilon']],
  ['age=older_30d', ['Gamma']],
  ['rating_min=5', ['Beta', 'Gamma']],
  ['rating_min=0', ['Beta', 'Gamma']],
  ['search=ALPHA', ['alpha']],
  ['search=s02e07', ['Épsilon']],
  ['search=seventh', ['Épsilon']],
  [`search=${encodeURIComponent('épsi')}`, ['Épsilon']],
  ['search=EPSI', ['Épsilon']],
  ['search=nothing', []],
  ['search=first%20service', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['sort=progress_high', ['Gamma', 'alpha', 'Épsilon', 'Zeta', 'Beta', 'Delta']],
  ['sort=progress_low', ['Beta', 'Zeta', 'Épsilon', 'alpha', 'Gamma', 'Delta']],
  ['sort=remaining_time', ['alpha', 'Gamma', 'Épsilon', 'Zeta', 'Beta', 'Delta']],
  ['sort=rating_high', ['Beta', 'Gamma', 'alpha', 'Delta', 'Épsilon', 'Zeta']],
  ['sort=title', ['alpha', 'Beta', 'Delta', 'Épsilon', 'Gamma', 'Zeta']],
  ['sort=nonsense', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['page_size=2&page=2', ['Zeta', 'Épsilon']],
  ['page_size=2&page=9', []],
  ['provider=ALPHA', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['provider=all', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['provider=nobody', []],
  ['instance_id=DEFAULT', ['alpha', 'Beta', 'Zeta', 'Épsilon', 'Gamma', 'Delta']],
  ['instance_id=other', []],
]
t.test('filters, sorts and pages', async (t) => {
  await using world = await openWorld({
    providers: { ALPHA: { label: 'First Service' } },
    accounts: { 'ALPHA@default': MANY },
  })
  for (const [query, wanted] of queries) t.same(titles(await world.list(`?${query}`)), wanted, query || 'nothing')
  t.equal((await world.list('?page_size=2&page=2')).total, 6, 'the total is that of all pages')
  t.equal(world.account('ALPHA@default').reads.length, 1, 'a filter asks no service')
})

for (const query of [
  'progress_min=-1',
  'progress_max=101',
  'progress_min=x',
  'rating_min=11',
  'rating_min=-1',
  'age=yesterday',
  'media_type=song',
  'page=0',
  'page=x',
  'page_size=0',
  'page_size=251',
  'force_refresh=perhaps',
  `search=${'x'.repeat(201)}`,
]) {
  t.test(`an out-of-range query is refused: ${query.slice(0, 40)}`, async (t) => {
    await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 10)] } })
    t.equal((await world.get(`items?${query}`)).status, 422)
    t.equal(world.account('ALPHA@default').reads.length, 0)
  })
}

const TWO = {
  'ALPHA@default': [movie(1, 35, { rating: 6, native: { item_id: 'a1' } })],
  'BETA@default': [
    movie(1, 36, {
      ids: { tmdb: '1', imdb: 'tt1' },
      rating: 9,
      native: { item_id: 'b1' },
      progress_at: '2026-07-03T20:00:00Z',
    }),
  ],
}

t.test('equal profile ids of two people do not make them one person', async (t) => {
  await using world = await openWorld({ accounts: TWO })
  const { items, total } = await world.list()
  t.equal(total, 2)
  t.same(
    items.map(({ provider, is_combined: combined }: Record<string, unknown>) => [provider, combined]),
    [
      ['BETA', false],
      ['ALPHA', false],
    ],
  )
})

t.test('neither does a disabled pair, nor a shared third account', async (t) => {
  await using world = await openWorld({
    accounts: { ...TWO, 'GAMMA@default': [movie(1, 35, { native: { item_id: 'c1' } })] },
    pairs: [
      ['ALPHA@default', 'BETA@default', false],
      ['BETA@default', 'GAMMA@default'],
    ],
  })
  t.equal((await world.list()).total, 2)
})

t.test('accounts of one pair are one person: their positions of a title are one row', async (t) => {
  await using world = await openWorld({
    providers: { BETA: { progress: { ...POSITIONS, remove: false } } },
    accounts: TWO,
    pairs: [['ALPHA@default', 'BETA@default']],
    metadata: { ready: () => true },
  })
  const { items } = await world.list()
  t.equal(items.length, 1)
  t.match(items[0], {
    provider: 'combined',
    instance_id: 'all',
    remote_id: 'ALPHA:default:a1|BETA:default:b1',
    progress_percent: 36,
    rating: 9,
    ids: { tmdb: '1', imdb: 'tt1' },
    can_remove_progress: true,
    provider_count: 2,
    is_combined: true,
  })
  t.same(
    items[0].records.map((record: Record<string, unknown>) => [
      record['provider'],
      record['remote_id'],
      record['progress_percent'],
      record['can_remove_progress'],
    ]),
    [
      ['BETA', 'b1', 36, false],
      ['ALPHA', 'a1', 35, true],
    ],
  )
  t.same((await world.list('?search=alpha')).items[0].records.length, 1, 'what is not looked for is not in the row')
})

const apart: readonly (readonly [why: string, a: ReturnType<typeof movie>, b: ReturnType<typeof movie>])[] = [
  ['positions that differ', movie(1, 35), movie(1, 38)],
  ['the same title with other ids', movie(1, 35, { title: 'Twins' }), movie(2, 35, { title: 'Twins' })],
  [
    'ids that contradict',
    movie(1, 35, { ids: { tmdb: '1', imdb: 'tt1' } }),
    movie(1, 35, { ids: { tmdb: '1', imdb: 'tt2' } }),
  ],
  ['a movie and an episode with one number', movie(7, 35), episode(7, 1, 1, 35)],
  [
    'titles without a year',
    movie(1, 35, { title: 'Twins', year: null }),
    { ...movie(2, 35, { title: 'Twins', year: null }), ids: { imdb: 'tt9' } },
  ],
]
for (const [why, a, b] of apart) {
  t.test(`two separate rows: ${why}`, async (t) => {
    await using world = await openWorld({
      accounts: { 'ALPHA@default': [a], 'BETA@default': [b] },
      pairs: [['ALPHA@default', 'BETA@default']],
    })
    t.equal((await world.list()).total, 2)
  })
}

t.test('a title without common ids is recognised by name and year', async (t) => {
  await using world = await openWorld({
    accounts: {
      'ALPHA@default': [movie(1, 35, { title: 'Heat', year: 1995 })],
      'BETA@default': [{ ...movie(2, 35, { title: ' heat', year: 1995 }), ids: { imdb: 'tt0113277' } }],
    },
    pairs: [['ALPHA@default', 'BETA@default']],
  })
  t.equal((await world.list()).total, 1)
})

t.test('an item that is playing is marked, on its own account and on no other', async (t) => {
  const nowS = Math.floor(Date.now() / 1_000)
  const stream = {
    source: 'alpha',
    provider: 'ALPHA',
    provider_instance: 'default',
    media_type: 'movie' as const,
    title: 'Another name',
    season: null,
    episode: null,
    state: 'playing' as const,
    progress: 50,
    started: nowS - 60,
    updated: nowS,
    ids: { tmdb: '1' },
  }
  let streams: object[] = [stream]
  await using world = await openWorld({ accounts: TWO, streams: () => streams })
  const live = async () =>
    Object.fromEntries(
      (await world.list()).items.map((item: Record<string, unknown>) => [item['provider'], item['live_state'] ?? null]),
    )
  t.same(await live(), { ALPHA: 'playing', BETA: null })
  t.match((await world.list('?provider=ALPHA')).items[0], {
    live_source: 'alpha',
    live_provider: 'ALPHA',
    live_instance_id: 'default',
    live_progress_percent: 50,
    live_remaining_seconds: 3000,
  })
  streams = [{ ...stream, updated: nowS - 601 }]
  t.same(await live(), { ALPHA: null, BETA: null }, 'what was reported long ago is over')
  streams = [{ ...stream, state: 'stopped' }]
  t.same(await live(), { ALPHA: null, BETA: null })
  streams = [{ ...stream, ids: { tmdb: '99' }, title: 'movie 1' }]
  t.same(await live(), { ALPHA: 'playing', BETA: null }, 'by its title')
  streams = [{ ...stream, media_type: 'episode', ids: { tmdb_show: '1' }, season: 1, episode: 1 }]
  t.same(await live(), { ALPHA: null, BETA: null }, 'an id of a show is not that of a movie')
  streams = [{ nonsense: true }]
  t.same(await live(), { ALPHA: null, BETA: null })
})

t.test("the person's own ratings come from the last sync", async (t) => {
  await using world = await openWorld({
    accounts: { 'ALPHA@default': [movie(1, 35), movie(2, 40)] },
    ratings: { 'movie:tmdb:1': 7 },
  })
  t.same(titles(await world.list('?rating_min=7')), ['Movie 1'])
})
