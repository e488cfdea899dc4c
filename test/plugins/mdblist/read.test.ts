// Reads: complete or an error, and the service's statement that nothing changed.
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { codeOf, startBench, tokensOf } from './support.ts'

const DAY_MS = 86_400_000
const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

t.test('each feature is read with the ids, times and values of the account', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  const at = Date.UTC(2026, 0, 5, 20)
  const [movie, show, season, episode] = [
    mdblist.movie(0),
    mdblist.show(0),
    mdblist.season(0, 1),
    mdblist.episode(0, 1, 2),
  ]
  mdblist.user.addToWatchlist(movie, at)
  mdblist.user.addToWatchlist(show, at)
  const plays = [mdblist.user.watch(movie, at), mdblist.user.watch(movie, at + DAY_MS), mdblist.user.watch(episode, at)]
  for (const [entry, rating] of [
    [movie, 8],
    [show, 7],
    [season, 6],
    [episode, 10],
  ] as const)
    mdblist.user.rate(entry, rating, at)
  mdblist.user.rate(mdblist.movie(1), null, at)
  mdblist.user.pause(episode, 30, at)

  const watchlist = await bench.read('watchlist')
  t.match(watchlist.rows, [
    { type: 'movie', ids: { tmdb: '900000', imdb: 'tt9900000' }, added_at: '2026-01-05T20:00:00Z' },
    { type: 'show', ids: { tvdb: String } },
  ])
  t.match(watchlist.end, { complete: true, semantics: 'present', account: '77', checkpoint: String })

  const history = await bench.read('history', { plays: true })
  t.same(
    history.rows.map(({ type, watched_at, native }) => [type, watched_at, native?.event_id]),
    [
      ['movie', '2026-01-06T20:00:00Z', String(plays[1])],
      ['movie', '2026-01-05T20:00:00Z', String(plays[0])],
      ['episode', '2026-01-05T20:00:00Z', String(plays[2])],
    ],
  )
  t.match(history.rows[2], { season: 1, episode: 2, show_ids: { tmdb: '900000' }, series_title: String, watched: true })
  const items = await bench.read('history')
  t.same(
    items.rows.map(({ type, watched_at, native }) => [type, watched_at, native]),
    [
      ['movie', '2026-01-06T20:00:00Z', undefined],
      ['episode', '2026-01-05T20:00:00Z', undefined],
    ],
  )

  const ratings = await bench.read('ratings')
  t.same(ratings.rows.map(({ type, rating }) => [type, rating]).toSorted(), [
    ['episode', 10],
    ['movie', 8],
    ['season', 6],
    ['show', 7],
  ])
  t.equal(ratings.end.unreadable, undefined, 'a rating that was taken away is no row')
  t.match((await bench.read('progress')).rows, [
    {
      type: 'episode',
      progress_percent: 30,
      duration_ms: Number,
      progress_at: '2026-01-05T20:00:00Z',
      native: { item_id: String },
    },
  ])
})

for (const quirks of [
  { watchlist: 'list', saysMore: true },
  { watchlist: 'list', saysMore: false },
  { watchlist: 'groups', cursors: true },
  { watchlist: 'groups', cursors: false },
] as const) {
  t.test(`all pages are read, for every pagination signal (${JSON.stringify(quirks)})`, async (t) => {
    await using bench = await startBench({ ...quirks, pageRows: 10 })
    const { mdblist } = bench
    for (let index = 0; index < 35; index += 1) {
      mdblist.user.addToWatchlist(mdblist.movie(index))
      mdblist.user.watch(mdblist.movie(index), Date.now() - index * DAY_MS)
      mdblist.user.rate(mdblist.movie(index), 1 + (index % 10))
    }
    for (const feature of ['watchlist', 'history', 'ratings'] as const) {
      const { rows, end } = await bench.read(feature, { plays: feature === 'history' })
      t.equal(rows.length, 35, feature)
      t.match(end, { complete: true }, feature)
      t.ok(new Set(rows.map(({ ids }) => JSON.stringify(ids))).size === 35, feature)
    }
  })
}

t.test('a run without changes costs one request for all features', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  mdblist.user.watch(mdblist.movie(0))
  mdblist.user.rate(mdblist.movie(1), 5)
  mdblist.user.addToWatchlist(mdblist.movie(2))
  const since = new Map<string, string>()
  for (const feature of ['watchlist', 'history', 'ratings'] as const)
    since.set(feature, (await bench.read(feature)).end.checkpoint as string)
  bench.asked()
  await bench.provider.probe('default')
  for (const feature of ['watchlist', 'history', 'ratings'] as const) {
    t.match(
      (await bench.read(feature, { since: since.get(feature) as string })).end,
      { complete: true, semantics: 'unchanged', account: '77' },
      feature,
    )
  }
  t.equal(bench.asked(), 2, 'whose account it is, and when it changed')

  mdblist.advance(5_000)
  mdblist.user.removeFromWatchlist(mdblist.movie(2))
  await bench.provider.probe('default')
  const changed = await bench.read('watchlist', { since: since.get('watchlist') as string })
  t.match(changed, { rows: [], end: { complete: true, semantics: 'present' } })
})

t.test('a checkpoint of another account, of another form or too old is ignored', async (t) => {
  await using bench = await startBench()
  const { end } = await bench.read('ratings')
  const own = JSON.parse(end.checkpoint as string)
  for (const [name, since] of Object.entries({
    account: JSON.stringify({ ...own, account: '78' }),
    form: '{"v":9}',
    text: 'what?',
    age: JSON.stringify({ ...own, fullAtMs: own.fullAtMs - 25 * 3_600_000 }),
  }))
    t.match((await bench.read('ratings', { since })).end, { semantics: 'present' }, name)
})

t.test('a change a moment ago leaves no checkpoint, because the next change could have the same time', async (t) => {
  await using bench = await startBench({ nowMs: Date.now })
  bench.mdblist.user.rate(bench.mdblist.movie(0), 5)
  const { end } = await bench.read('ratings')
  t.match(end, { complete: true })
  t.notOk(end.checkpoint)
})

t.test('a list that changes while its pages are read is not complete', async (t) => {
  await using bench = await startBench({ pageRows: 10 })
  const { mdblist } = bench
  for (let index = 0; index < 25; index += 1) mdblist.user.addToWatchlist(mdblist.movie(index))
  let isFirst = true
  mdblist.faults.add({
    kind: 'slow',
    match: ({ path, query }) => {
      if (path === '/watchlist/items' && query.get('offset') === '10' && isFirst) {
        isFirst = false
        mdblist.advance(10_000)
        mdblist.user.removeFromWatchlist(mdblist.movie(0))
      }
      return false
    },
  })
  const { end } = await bench.read('watchlist')
  t.match(end, { complete: false, reason: 'changed_while_reading' })
  t.notOk(end.checkpoint)
})

t.test('no fault of the service looks like an empty or a short list', async (t) => {
  const faults = {
    error: { kind: 'status', status: 500 },
    html: { kind: 'html', status: 200 },
    empty: { kind: 'empty' },
    cut: { kind: 'truncate' },
    reset: { kind: 'reset' },
  } as const
  for (const feature of FEATURES) {
    for (const [name, fault] of Object.entries(faults)) {
      await using bench = await startBench({ pageRows: 5 })
      const { mdblist } = bench
      for (let index = 0; index < 12; index += 1) {
        mdblist.user.addToWatchlist(mdblist.movie(index))
        mdblist.user.watch(mdblist.movie(index))
        mdblist.user.rate(mdblist.movie(index), 5)
        mdblist.user.pause(mdblist.movie(index), 20)
      }
      const isLast = ({ path, query }: { path: string; query: URLSearchParams }) =>
        path !== '/user' && path !== '/sync/last_activities' && (feature === 'progress' || query.get('offset') === '10')
      mdblist.faults.add({ ...fault, match: isLast })
      t.match(await codeOf(bench.read(feature)), /^PLH_UPSTREAM/, `${feature}: ${name}`)
    }
  }
})

t.test('a response that is no list is an error, and repeated pages or wrong totals prove nothing', async (t) => {
  let page: unknown
  await using server = await startServer(({ path }) => ({
    json: path === '/user' ? { user_id: 5, username: 'eve' } : path === '/sync/last_activities' ? {} : page,
  }))
  await using bench = await startBench({ settings: { api_url: server.url } })
  const row = { watched_at: '2026-01-05T20:00:00Z', id: 4, movie: { title: 'Heat', ids: { imdb: 'tt0113277' } } }
  for (const answer of [{}, { error: 'maintenance' }, { movies: 'none' }, null]) {
    page = answer
    t.match(await codeOf(bench.read('history')), /^PLH_UPSTREAM_INVALID/, JSON.stringify(answer))
    t.match(await codeOf(bench.read('progress')), /^PLH_UPSTREAM_INVALID/, JSON.stringify(answer))
  }
  page = { movies: [row], pagination: { has_more: true, limit: 1 } }
  t.match((await bench.read('history', { plays: true })).end, { complete: false, reason: 'repeated_page' })
  page = { movies: [], pagination: { has_more: true } }
  t.match((await bench.read('history')).end, { complete: false, reason: 'truncated' })
  page = { movies: [row, { id: 5, movie: { title: 'No ids' } }, 7], pagination: { has_more: false } }
  t.match(await bench.read('history'), {
    rows: [{ ids: { imdb: 'tt0113277' } }],
    end: { complete: true, unreadable: [{ reason: 'no_identity', title: 'No ids' }, { reason: 'no_identity' }] },
  })
})

t.test('two profiles read two accounts, with a key and with tokens', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { mdblist, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { api_url: mdblist.url, ...tokensOf(mdblist, 'bob') })
  mdblist.user.rate(mdblist.movie(0), 3)
  mdblist.userNamed('bob').rate(mdblist.movie(1), 9)
  const [ada, bob] = await Promise.all([bench.read('ratings'), bench.read('ratings', {}, instance)])
  t.match(
    [ada.end.account, ada.rows.map(({ rating }) => rating), bob.end.account, bob.rows.map(({ rating }) => rating)],
    ['77', [3], '78', [9]],
  )
  t.match(
    (await bench.read('ratings', { since: ada.end.checkpoint as string }, instance)).end,
    { semantics: 'present' },
    'a checkpoint is of one account',
  )
})

t.test('a key never appears in errors, logs or the status', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  const told: unknown[] = []
  for (const fault of [
    { kind: 'status', status: 401 },
    { kind: 'status', status: 500 },
    { kind: 'reset' },
    { kind: 'html' },
    { kind: 'status', status: 429 },
  ] as const) {
    mdblist.faults.add({ ...fault, times: 2 })
    told.push(await bench.provider.probe('default'))
    try {
      await bench.read('history')
    } catch (error) {
      told.push(String(error), JSON.stringify(error), (error as Error).stack, String((error as Error).cause))
    }
  }
  mdblist.faults.clear()
  await bench.call('POST', '/api/listA/save', { api_key: 'a-wrong-key-of-somebody' })
  const text = JSON.stringify([told, bench.host.logs])
  t.ok(mdblist.requests.some(({ query }) => query.get('apikey') === mdblist.user.apiKey))
  t.notOk(text.includes(mdblist.user.apiKey))
  t.notOk(text.includes('a-wrong-key-of-somebody'))
})
