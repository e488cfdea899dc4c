// Writes of watchlist and ratings to TMDB: one outcome per item, without guesses.
import t from 'tap'
import { createTestClock } from '@playhead/sdk/testing'
import { itemOf, startBench } from './support.ts'

t.test('works are added and removed by their number, film and show separately', async (t) => {
  await using bench = await startBench()
  const { tmdb, write } = bench
  const [film, show] = [tmdb.work('movie', 0), tmdb.work('tv', 0)]
  t.same(await write('watchlist', 'add', [itemOf(film), itemOf(show)]), ['applied', 'applied'])
  t.same(tmdb.watchlist().toSorted(), [`movie/${film.id}`, `tv/${show.id}`])
  t.same(await write('watchlist', 'add', [itemOf(film)]), ['already'])
  t.same(await write('watchlist', 'remove', [itemOf(film)]), ['applied'])
  t.same(tmdb.watchlist(), [`tv/${show.id}`])
  t.same(await write('watchlist', 'add', [{ type: 'movie', ids: { tmdb: '5' } }]), ['not_found:not_found'])
  t.same(await write('watchlist', 'remove', [{ type: 'movie', ids: { tmdb: '5' } }]), ['already'])
  t.ok(bench.asked() <= 7, 'one request for each item, one for who it is')
})

t.test('other ids are looked up, cached, and returned with the row when it is read', async (t) => {
  await using bench = await startBench()
  const { tmdb, write } = bench
  const [film, show] = [tmdb.work('movie', 3), tmdb.work('tv', 4)]
  t.same(
    await write('watchlist', 'add', [
      { type: 'movie', ids: { imdb: film.imdb! } },
      { type: 'show', ids: { tvdb: String(show.tvdb) } },
      { type: 'movie', ids: { imdb: 'tt1' } },
      // The id of a show is not an id of a film.
      { type: 'movie', ids: { imdb: show.imdb! } },
      { type: 'movie', title: film.title, year: film.year, ids: {} },
    ]),
    ['applied', 'applied', 'not_found:not_found', 'not_found:not_found', 'unsupported:missing_ids'],
  )
  t.same(tmdb.watchlist().toSorted(), [`movie/${film.id}`, `tv/${show.id}`].toSorted())
  t.same(
    (await bench.read('watchlist')).rows.map(({ ids }) => ids),
    [
      { imdb: film.imdb, tmdb: String(film.id) },
      { tvdb: String(show.tvdb), tmdb: String(show.id) },
    ],
  )
})

t.test('ratings are set, changed and removed, for films, shows and episodes', async (t) => {
  await using bench = await startBench()
  const { tmdb, write } = bench
  const [film, show] = [tmdb.work('movie', 1), tmdb.work('tv', 1)]
  const [first, , third] = show.episodes
  const part = {
    type: 'episode',
    show_ids: { tmdb: String(show.id) },
    season: first!.season,
    episode: first!.number,
  } as const
  t.same(
    await write('ratings', 'add', [
      itemOf(film, { rating: 8 }),
      itemOf(show, { rating: 10 }),
      { ...part, ids: {}, rating: 3 },
      { type: 'episode', ids: { imdb: third!.imdb! }, rating: 4 },
      itemOf(film),
    ]),
    ['applied', 'applied', 'applied', 'applied', 'rejected:missing_rating'],
  )
  t.same(tmdb.ratings(), {
    [`movie/${film.id}`]: 8,
    [`tv/${show.id}`]: 10,
    [`tv/${show.id}/1/1`]: 3,
    [`tv/${show.id}/1/3`]: 4,
  })
  t.same(await write('ratings', 'update', [itemOf(film, { rating: 2 })]), ['applied'])
  const { rows } = await bench.read('ratings', { kinds: ['episode'] })
  t.same(await write('ratings', 'remove', [itemOf(show), ...rows]), ['applied', 'applied', 'applied'])
  t.same(tmdb.ratings(), { [`movie/${film.id}`]: 2 })
})

t.test('an episode whose number belongs to another one there is not rated', async (t) => {
  await using bench = await startBench()
  const show = bench.tmdb.work('tv', 1)
  const item = (ids: object) =>
    ({ type: 'episode', ids, show_ids: { tmdb: String(show.id) }, season: 1, episode: 1, rating: 5 }) as const
  t.same(await bench.write('ratings', 'add', [item({ tmdb: String(show.episodes[1]!.id) })]), [
    'rejected:episode_mismatch',
  ])
  t.same(bench.tmdb.ratings(), {})
  t.same(await bench.write('ratings', 'add', [item({ tmdb: String(show.episodes[0]!.id) })]), ['applied'])
  t.same(
    await bench.write('ratings', 'add', [
      { type: 'season', ids: {}, show_ids: { tmdb: String(show.id) }, season: 1, rating: 5 },
    ]),
    ['unsupported:unsupported_type'],
  )
})

t.test('a lost response is safely retried; one that stays lost is unknown', async (t) => {
  await using bench = await startBench()
  const { tmdb, write } = bench
  tmdb.faults.add({ kind: 'reset', match: /rating$/, times: 1 })
  t.same(await write('ratings', 'add', [itemOf(tmdb.work('movie', 1), { rating: 8 })]), ['applied'])
  await using other = await startBench({ settings: { max_retries: 0 } })
  other.tmdb.faults.add({ kind: 'reset', match: /rating$/ })
  t.same(await other.write('ratings', 'add', [itemOf(other.tmdb.work('movie', 1), { rating: 8 })]), [
    'unknown:connection_lost',
  ])
  other.tmdb.faults.clear()
  other.tmdb.faults.add({ kind: 'status', status: 401, match: /rating$/ })
  t.same(await other.write('ratings', 'add', [itemOf(other.tmdb.work('movie', 1), { rating: 8 })]), [
    'failed:unauthorized',
  ])
})

t.test('the rate limit is waited for; if the wait is too long the rest is not sent', async (t) => {
  const clock = createTestClock()
  await using bench = await startBench({ clock, perSecond: 5, nowMs: () => clock.now() })
  const items = bench.tmdb.works.movies.slice(0, 20).map((work) => itemOf(work))
  t.same(new Set(await bench.write('watchlist', 'add', items)), new Set(['applied']))
  t.equal(bench.tmdb.watchlist().length, 20)

  await using other = await startBench({ settings: { timeout: 1, max_retries: 0 } })
  await other.read('watchlist')
  other.tmdb.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '60' } })
  const { outcomes, retryAfterMs } = await other.provider.write('default', {
    feature: 'watchlist',
    op: 'add',
    items: items.map((item, index) => ({ key: String(index), item })),
  })
  t.same(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['rate_limited']))
  t.ok(Number(retryAfterMs) > 0)
  t.ok(other.tmdb.count(({ method }) => method === 'POST') <= 4)
})

t.test('a rating that removes a work from the watchlist loses nothing: it is added again', async (t) => {
  await using bench = await startBench()
  const { tmdb, write } = bench
  const [listed, other] = [tmdb.work('movie', 1), tmdb.work('movie', 2)]
  tmdb.actions.setRatingLeavesWatchlist(true)
  tmdb.actions.list(listed)
  await bench.read('watchlist')
  t.same(await write('ratings', 'add', [itemOf(listed, { rating: 8 }), itemOf(other, { rating: 7 })]), [
    'applied',
    'applied',
  ])
  t.same(tmdb.watchlist(), [`movie/${listed.id}`])
  t.match(await bench.read('watchlist'), {
    rows: [{ ids: { tmdb: String(listed.id) } }],
    end: { complete: true, gone: undefined },
  })
})

t.test('while it could not be added again, its absence proves nothing', async (t) => {
  await using bench = await startBench({ settings: { max_retries: 0 } })
  const { tmdb, write } = bench
  const work = tmdb.work('movie', 1)
  tmdb.actions.setRatingLeavesWatchlist(true)
  tmdb.actions.list(work)
  await bench.read('watchlist')
  tmdb.faults.add({
    kind: 'status',
    status: 500,
    match: ({ method, path }) => method === 'POST' && path.endsWith('/watchlist'),
  })
  t.same(await write('ratings', 'add', [itemOf(work, { rating: 8 })]), ['applied'])
  t.same(tmdb.watchlist(), [])
  t.match((await bench.read('watchlist')).end, {
    complete: true,
    gone: [{ type: 'movie', ids: { tmdb: String(work.id) } }],
  })
})
