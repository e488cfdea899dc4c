// Reads of watchlist, ratings and progress: complete with proof, or recognisably incomplete.
import t from 'tap'
import { untilTrue } from '../../stands/client.ts'
import { codeOf, startBench, tokensOf } from './support.ts'

t.test('a watchlist of several pages is read completely, with ids, times and the ids of its rows', async (t) => {
  await using bench = await startBench({ movies: 600, plan: 'vip' })
  const { trakt } = bench
  for (let index = 0; index < 600; index += 1)
    trakt.user.addToWatchlist(trakt.movie(index), 1_700_000_000_000 + index * 1_000)
  trakt.user.addToWatchlist(trakt.show(0))
  const { rows, end } = await bench.read('watchlist')
  t.equal(rows.length, 601)
  t.match(end, { complete: true, semantics: 'present', account: 'uuid-of-ada', checkpoint: String })
  const { title, year, ids } = trakt.catalogue.movies[0] ?? {}
  t.same(rows[0], {
    type: 'movie',
    title,
    year,
    added_at: '2023-11-14T22:13:20Z',
    ids: { tracka: String(ids?.trakt), imdb: ids?.imdb, tmdb: String(ids?.tmdb) },
    native: { list_item_id: String(trakt.user.account.watchlist[0]?.id) },
  })
  t.ok(bench.asked().reads <= 6, 'settings, activities twice, three pages')
})

t.test('an empty list is complete, because the service reports that it has no rows', async (t) => {
  await using bench = await startBench()
  for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const) {
    const { rows, end } = await bench.read(feature)
    t.same(rows, [])
    t.match(end, { complete: true, semantics: 'present' })
  }
  t.ok(bench.asked().reads <= 6, 'who it is and what changed are asked once for all')
})

t.test('one request proves that no feature changed', async (t) => {
  await using bench = await startBench({ movies: 300 })
  const { trakt } = bench
  for (let index = 0; index < 40; index += 1) trakt.user.rate(trakt.movie(index), 7)
  trakt.user.pause(trakt.movie(1), 40)
  trakt.user.watch(trakt.movie(2))
  const features = ['watchlist', 'history', 'ratings', 'progress'] as const
  const checkpoints = await Promise.all(features.map(async (feature) => (await bench.read(feature)).end.checkpoint))
  bench.asked()
  for (const [index, feature] of features.entries()) {
    const { rows, end } = await bench.read(feature, { since: checkpoints[index] as string })
    t.same(rows, [])
    t.match(end, {
      complete: true,
      semantics: 'unchanged',
      account: 'uuid-of-ada',
      checkpoint: checkpoints[index] as string,
    })
  }
  t.ok(bench.asked().reads <= 1)
})

t.test('a removal and a change are detected when the cached activities are outdated', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  trakt.user.rate(trakt.movie(0), 7)
  trakt.user.rate(trakt.movie(1), 3)
  const first = await bench.read('ratings')
  trakt.user.rate(trakt.movie(0), undefined)
  trakt.user.rate(trakt.movie(1), 4)
  bench.kit.session('default').activities.drop()
  const { rows, end } = await bench.read('ratings', { since: first.end.checkpoint as string })
  t.match(end, { complete: true, semantics: 'present' })
  t.match(rows, [{ rating: 4, title: trakt.catalogue.movies[1]?.title }])
  t.equal(rows.length, 1)
})

t.test('ratings of all four kinds include their show, and are read by kind when only some are requested', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const season = { type: 'season' as const, ids: { trakt: trakt.catalogue.shows[0]?.seasons[0]?.ids.trakt as number } }
  for (const item of [trakt.movie(0), trakt.show(0), trakt.episode(0, 1, 2), season])
    trakt.user.rate(item, 8, 1_700_000_000_000)
  const show = trakt.catalogue.shows[0]
  const { rows } = await bench.read('ratings')
  t.same(rows.map(({ type }) => type).sort(), ['episode', 'movie', 'season', 'show'])
  t.match(
    rows.find(({ type }) => type === 'episode'),
    {
      season: 1,
      episode: 2,
      series_title: show?.title,
      series_year: show?.year,
      show_ids: { tracka: String(show?.ids.trakt) },
      rating: 8,
      rated_at: '2023-11-14T22:13:20Z',
    },
  )
  t.match(
    rows.find(({ type }) => type === 'season'),
    { season: 1, show_ids: { tracka: String(show?.ids.trakt) } },
  )
  t.same(
    (await bench.read('ratings', { kinds: ['show'] })).rows.map(({ type }) => type),
    ['show'],
  )
})

t.test('a paused position comes in percent with its time and the id of its row', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  trakt.user.pause(trakt.episode(0, 1, 1), 42.5, 1_700_000_000_000)
  const id = [...trakt.user.account.paused.values()][0]?.id
  t.match((await bench.read('progress')).rows, [
    { type: 'episode', progress_percent: 42.5, progress_at: '2023-11-14T22:13:20Z', native: { item_id: String(id) } },
  ])
})

t.test('an unreadable page ends the read with an error, for any fault', async (t) => {
  for (const [name, fault, code] of [
    ['5xx', { kind: 'status', status: 502 }, 'PLH_UPSTREAM'],
    ['without a body', { kind: 'empty' }, 'PLH_UPSTREAM_INVALID'],
    ['a page of a proxy', { kind: 'html', status: 200 }, 'PLH_UPSTREAM_INVALID'],
    ['cut in the middle', { kind: 'truncate' }, 'PLH_UPSTREAM'],
    ['too many requests', { kind: 'status', status: 429, headers: { 'retry-after': '400' } }, 'PLH_RATE_LIMITED'],
    ['blocked by the network', { kind: 'html', status: 403 }, 'PLH_UPSTREAM'],
  ] as const) {
    await using bench = await startBench({ movies: 300, plan: 'vip', settings: { max_retries: 0 } })
    for (let index = 0; index < 300; index += 1) bench.trakt.user.addToWatchlist(bench.trakt.movie(index))
    bench.trakt.faults.add({
      match: ({ path, query }) => path.startsWith('/sync/watchlist') && query.get('page') === '2',
      ...fault,
    })
    t.equal(await codeOf(bench.read('watchlist')), code, name)
  }
})

t.test('a page that breaks off once is requested again', async (t) => {
  await using bench = await startBench({ movies: 300, plan: 'vip' })
  for (let index = 0; index < 300; index += 1) bench.trakt.user.addToWatchlist(bench.trakt.movie(index))
  bench.trakt.faults.add({ match: /^\/sync\/watchlist/, kind: 'truncate', times: 1 })
  bench.trakt.faults.add({ match: /^\/sync\/watchlist/, kind: 'reset', times: 1 })
  const { rows, end } = await bench.read('watchlist')
  t.match([rows.length, end.complete], [300, true])
})

t.test('a list that changes while its pages are read proves nothing', async (t) => {
  await using bench = await startBench({ movies: 600, plan: 'vip' })
  const { trakt } = bench
  for (let index = 0; index < 550; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  // The third page shows an earlier state: one row leaves and one is added meanwhile, and the counts match.
  trakt.faults.add({
    match: ({ path, query }) => path.startsWith('/sync/watchlist') && query.get('page') === '3',
    kind: 'slow',
    delayMs: 300,
  })
  const reading = bench.read('watchlist')
  await untilTrue('the second page', async () => trakt.requests.some(({ query }) => query.get('page') === '2'))
  trakt.user.removeFromWatchlist(trakt.movie(3))
  trakt.user.addToWatchlist(trakt.movie(560))
  t.match((await reading).end, { complete: false, reason: /changed_while_reading|repeated_page|total_mismatch/ })
  t.equal((await reading).end.checkpoint, undefined)
})

t.test('a locked account, a deactivated one and a wrong application are named', async (t) => {
  await using bench = await startBench()
  const { trakt, provider } = bench
  trakt.user.setState('locked')
  t.equal(await codeOf(bench.read('ratings')), 'PLH_FORBIDDEN')
  t.match(await provider.probe('default'), { status: 'auth_failed', reasonCode: 'forbidden' })
  trakt.user.setState('deactivated')
  t.equal(await codeOf(bench.read('ratings')), 'PLH_FORBIDDEN')
  for (let round = 0; round < 12; round += 1) await codeOf(bench.read('ratings'))
  trakt.user.setState('open')
  t.match((await bench.read('ratings')).end, { complete: true }, 'refusals hold no places')
  await bench.host.changeConfig({ client_id: 'somebody else' })
  t.equal(await codeOf(bench.read('ratings')), 'PLH_FORBIDDEN')
})

t.test('unidentified rows are reported, and the others are read', async (t) => {
  await using bench = await startBench({ movies: 3 })
  const { trakt } = bench
  const nameless = {
    type: 'movie' as const,
    key: 'movie/0',
    movie: { title: 'Nobody', year: 2000, ids: { trakt: 0 }, runtimeMinutes: 1, releasedAtMs: 0 },
  }
  for (const item of [trakt.movie(0), nameless]) trakt.user.rate(item, 5)
  const { rows, end } = await bench.read('ratings')
  t.match([rows.length, end.complete, end.unreadable], [1, true, [{ reason: 'no_identity', title: 'Nobody' }]])
})

t.test('two profiles see their own accounts, and each its own change', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { trakt, provider } = bench
  const instance = await provider.createProfile({})
  await bench.kit.account(instance).save({ ...tokensOf(trakt, 'bob'), api_url: trakt.url, oauth_url: trakt.url })
  trakt.user.rate(trakt.movie(0), 9)
  trakt.userNamed('bob').rate(trakt.movie(1), 2)
  const [ada, bob] = [await bench.read('ratings'), await bench.read('ratings', {}, instance)]
  t.match([ada.rows, ada.end.account], [[{ rating: 9 }], 'uuid-of-ada'])
  t.match([bob.rows, bob.end.account], [[{ rating: 2 }], 'uuid-of-bob'])
  const mixed = await bench.read('ratings', { since: ada.end.checkpoint as string }, instance)
  t.match(
    [mixed.rows, mixed.end.semantics],
    [[{ rating: 2 }], 'present'],
    'the word of one account is nothing to another',
  )
})

t.test("after another person's sign-in no data of the old account is treated as theirs", async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { trakt } = bench
  trakt.user.rate(trakt.movie(0), 9)
  const before = await bench.read('ratings')
  await bench.kit.account('default').save(tokensOf(trakt, 'bob'))
  const after = await bench.read('ratings', { since: before.end.checkpoint as string })
  t.match([after.rows, after.end], [[], { account: 'uuid-of-bob', semantics: 'present', complete: true }])
})
