// Reads of watchlist and ratings at TMDB: complete, or with a reason.
import t from 'tap'
import { createTestClock } from '@playhead/sdk/testing'
import { startBench } from './support.ts'

t.test('a film and a show with the same number are two rows, and an episode includes its show', async (t) => {
  await using bench = await startBench()
  const { tmdb } = bench
  const [film, show] = [tmdb.work('movie', 0), tmdb.work('tv', 0)]
  t.equal(film.id, show.id)
  for (const work of [film, show]) tmdb.actions.list(work)
  tmdb.actions.rate(film, 7.5)
  tmdb.actions.rate(show, 0.5)
  const episode = show.episodes[1]!
  tmdb.actions.rate(show, 9, 'ada', episode)

  const watchlist = await bench.read('watchlist')
  t.same(
    watchlist.rows.map(({ type, ids, title, year }) => [type, ids.tmdb, title, year]),
    [
      ['movie', String(film.id), film.title, film.year],
      ['show', String(show.id), show.title, show.year],
    ],
  )
  t.match(watchlist.end, { complete: true, semantics: 'present', account: '548' })
  const ratings = await bench.read('ratings')
  t.match(ratings.rows, [
    { type: 'movie', rating: 8 },
    { type: 'show', rating: 1 },
    {
      type: 'episode',
      ids: { tmdb: String(episode.id) },
      show_ids: { tmdb: String(show.id) },
      season: 1,
      episode: 2,
      rating: 9,
    },
  ])
  t.match(await bench.read('ratings', { kinds: ['episode'] }), { rows: [{ type: 'episode' }], end: { complete: true } })
  t.ok(bench.asked() <= 8, 'one request for who it is, one for each list that was read')
})

t.test('lists of several pages are read to their end, once when nothing is missing', async (t) => {
  await using bench = await startBench({ movies: 60 })
  const { tmdb } = bench
  for (const work of tmdb.works.movies.slice(0, 50)) tmdb.actions.list(work)
  t.match((await bench.read('watchlist')).end, { complete: true })
  t.ok(bench.asked() <= 8, 'the first time twice, for nobody knows what was there before')

  tmdb.actions.list(tmdb.works.movies[52]!)
  const more = await bench.read('watchlist')
  t.equal(more.rows.length, 51)
  t.ok(bench.asked() <= 4)

  tmdb.actions.unlist(tmdb.works.movies[3]!)
  const fewer = await bench.read('watchlist')
  t.match(fewer.end, { complete: true })
  t.equal(fewer.rows.length, 50)
  t.ok(bench.asked() <= 7, 'something is missing, so it is read again')
})

t.test('a row that moves between pages during the read does not count as gone', async (t) => {
  await using bench = await startBench({ movies: 60 })
  const { tmdb } = bench
  const listed = tmdb.works.movies.slice(0, 45)
  for (const work of listed) tmdb.actions.list(work)
  await bench.read('watchlist')
  // One row leaves the first page after it was read, and another is added: the total is unchanged, and a row of page two has
  // moved to page one.
  let done = false
  tmdb.faults.add({
    match: ({ path, query }) => {
      if (done || !path.endsWith('/watchlist/movies') || query.get('page') !== '2') return false
      done = true
      tmdb.actions.unlist(listed[0]!)
      tmdb.actions.list(tmdb.works.movies[50]!)
      return false
    },
    kind: 'slow',
    delayMs: 0,
  })
  const read = await bench.read('watchlist')
  t.match(read.end, { complete: false, reason: 'changed_while_reading' })
  t.match((await bench.read('watchlist')).end, { complete: true })
})

for (const [name, fault] of [
  ['a 500', { kind: 'status', status: 500 }],
  ['a broken page', { kind: 'truncate' }],
  ['a page of a proxy', { kind: 'html', status: 200 }],
  ['an empty answer', { kind: 'empty' }],
  ['a lost session', { kind: 'status', status: 401 }],
] as const) {
  t.test(`${name} in the middle fails the read instead of shortening it`, async (t) => {
    await using bench = await startBench({ movies: 60, settings: { max_retries: 0 } })
    for (const work of bench.tmdb.works.movies.slice(0, 45)) bench.tmdb.actions.list(work)
    bench.tmdb.faults.add({ ...fault, match: ({ query }) => query.get('page') === '2', times: 20 })
    await t.rejects(bench.read('watchlist'), { code: /^PLH_/ })
  })
}

t.test('an expired session fails reads and the probe, with that reason', async (t) => {
  await using bench = await startBench()
  bench.tmdb.actions.endSessions()
  await t.rejects(bench.read('watchlist'), { code: 'PLH_AUTH_FAILED' })
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'unauthorized' })
})

t.test('a signed-out profile, and a feature that TMDB lacks, are refused', async (t) => {
  await using bench = await startBench({ signedIn: false })
  await t.rejects(bench.read('watchlist'), { code: 'PLH_NOT_READY', wire: 'not_configured' })
  await t.rejects(bench.read('history'), { code: 'PLH_UNSUPPORTED' })
})

t.test('a read that does not show a recent write yet proves nothing, and later it does', async (t) => {
  await using bench = await startBench({ lagMs: 5_000 })
  const { tmdb } = bench
  const work = tmdb.work('movie', 2)
  t.same(await bench.write('watchlist', 'add', [{ type: 'movie', ids: { tmdb: String(work.id) } }]), ['applied'])
  t.match((await bench.read('watchlist')).end, { complete: false, reason: 'not_settled' })
  tmdb.setLag(0)
  t.match(await bench.read('watchlist'), { rows: [{ ids: { tmdb: String(work.id) } }], end: { complete: true } })
  await bench.host.reload()
  tmdb.setLag(5_000)
  t.match(
    (await bench.read('watchlist')).end,
    { complete: false, reason: 'not_settled' },
    'also after the plugin was loaded anew',
  )
})

t.test('a recent write for one account does not affect another that the profile is signed in to', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { tmdb, host } = bench
  const work = tmdb.work('movie', 2)
  t.same(await bench.write('watchlist', 'add', [{ type: 'movie', ids: { tmdb: String(work.id) } }]), ['applied'])
  await host.ctx.updateConfig(() => ({ session_id: tmdb.signIn('bob') }))
  t.match(await bench.read('watchlist'), { rows: [], end: { complete: true, gone: undefined } })
  await host.ctx.updateConfig(() => ({ session_id: tmdb.signIn('ada') }))
  tmdb.actions.unlist(work)
  t.match(
    (await bench.read('watchlist')).end,
    { complete: false, reason: 'not_settled' },
    'it is known again with the account',
  )
})

t.test("a result beyond the service's limit is never called complete", async (t) => {
  await using bench = await startBench({ movies: 10_700, clock: createTestClock() })
  for (const work of bench.tmdb.works.movies.slice(0, 10_020)) bench.tmdb.actions.list(work)
  const { rows, end } = await bench.read('watchlist', { kinds: ['movie'] })
  t.equal(rows.length, 10_000)
  t.match(end, { complete: false, reason: 'total_mismatch' })
})
