// Writes: as few requests as possible, and a result for each item.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { episodeItem, movieItem, startBench } from './support.ts'

const AT = { watched_at: '2024-03-01T20:00:00Z' }
const UNKNOWN: Item = { type: 'movie', ids: { imdb: 'tt99999999' } }

t.test(
  'a watchlist accepts movies, shows, seasons and episodes in one request, and reports existing ones',
  async (t) => {
    await using bench = await startBench()
    const { trakt } = bench
    const show: Item = { type: 'show', ids: { tmdb: String(trakt.catalogue.shows[1]?.ids.tmdb) } }
    const season: Item = {
      type: 'season',
      ids: {},
      show_ids: { tmdb: String(trakt.catalogue.shows[0]?.ids.tmdb) },
      season: 1,
    }
    const items = [movieItem(trakt, 0), movieItem(trakt, 1), show, season, episodeItem(trakt, 0, 1, 2), UNKNOWN]
    bench.asked()
    t.same(await bench.write('watchlist', 'add', items), [
      'applied',
      'applied',
      'applied',
      'applied',
      'applied',
      'not_found:not_found',
    ])
    t.equal(bench.asked().writes, 1)
    t.same(await bench.write('watchlist', 'add', items.slice(0, 5)), [
      'already',
      'already',
      'already',
      'already',
      'already',
    ])
    const { rows } = await bench.read('watchlist')
    t.equal(rows.length, 5)
    t.same(await bench.write('watchlist', 'remove', rows), Array(5).fill('applied'))
    t.same(await bench.write('watchlist', 'remove', rows), Array(5).fill('already'))
    t.same((await bench.read('watchlist')).rows, [])
  },
)

t.test('plays of movies and of episodes are sent in one request with their times', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const own = trakt.catalogue.shows[1]?.seasons[0]?.episodes[0]
  const byOwnId: Item = { type: 'episode', ids: { tvdb: String(own?.ids.tvdb) }, ...AT }
  const items = [
    movieItem(trakt, 0, AT),
    movieItem(trakt, 0, { watched_at: '2024-03-02T20:00:00.500Z' }),
    episodeItem(trakt, 0, 1, 1, AT),
    episodeItem(trakt, 0, 1, 2, AT),
    byOwnId,
  ]
  t.same(await bench.write('history', 'add', items, { plays: true }), Array(5).fill('applied'))
  t.equal(bench.asked().writes, 1)
  t.same(trakt.user.account.plays.map(({ entry, watchedAtMs }) => [entry.type, watchedAtMs]).sort(), [
    ['episode', 1_709_323_200_000],
    ['episode', 1_709_323_200_000],
    ['episode', 1_709_323_200_000],
    ['movie', 1_709_323_200_000],
    ['movie', 1_709_409_600_500],
  ])
})

t.test(
  'an episode with an unknown id is searched by its numbers unless the person disabled that, and written once',
  async (t) => {
    for (const setting of [true, undefined, false]) {
      const wanted = setting !== false
      await using bench = await startBench(
        setting === undefined ? {} : { settings: { history_number_fallback: setting } },
      )
      const { trakt } = bench
      const items = [
        episodeItem(trakt, 0, 1, 1, { ...AT, ids: { tvdb: '424242' } }),
        episodeItem(trakt, 0, 1, 99, { ...AT, ids: { tvdb: '434343' } }),
        movieItem(trakt, 1, AT),
      ]
      t.same(await bench.write('history', 'add', items), [
        wanted ? 'applied' : 'not_found:not_found',
        'not_found:not_found',
        'applied',
      ])
      t.equal(trakt.user.account.plays.length, wanted ? 2 : 1)
    }
  },
)

t.test('a removed item is identified by its own id alone, even if its number is that of another item', async (t) => {
  await using bench = await startBench({ settings: { history_number_fallback: true } })
  const { trakt } = bench
  trakt.user.watch(trakt.episode(0, 1, 1))
  t.same(await bench.write('history', 'remove', [episodeItem(trakt, 0, 1, 1, { ids: { tracka: '424242' } })]), [
    'not_found:not_found',
  ])
  t.equal(trakt.user.account.plays.length, 1)
})

t.test('missing parts of a show are reported for exactly the episodes that were tried', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const nobody = { tmdb: '77777777' }
  const items: Item[] = [
    episodeItem(trakt, 0, 1, 1, AT),
    episodeItem(trakt, 0, 1, 99, AT),
    episodeItem(trakt, 0, 77, 1, AT),
    episodeItem(trakt, 0, 77, 2, AT),
    { type: 'episode', ids: {}, show_ids: nobody, season: 1, episode: 1, ...AT },
    { type: 'episode', ids: {}, show_ids: nobody, season: 1, episode: 2, ...AT },
  ]
  const missing = 'not_found:not_found'
  t.same(await bench.write('history', 'add', items), ['applied', missing, missing, missing, missing, missing])
})

t.test('an item without a time, or with a future one, is never sent', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const items = [movieItem(trakt, 0), movieItem(trakt, 2, { watched_at: tomorrow })]
  bench.asked()
  t.same(await bench.write('history', 'add', items), ['rejected:missing_watched_at', 'rejected:watched_in_future'])
  t.same(bench.asked(), { reads: 0, writes: 0 })
})

t.test('a title alone is never sent', async (t) => {
  await using bench = await startBench()
  const item: Item = { type: 'movie', title: bench.trakt.catalogue.movies[0]?.title ?? '', year: 2000, ids: {}, ...AT }
  const foreign: Item = { type: 'movie', ids: { mal: '5' }, rating: 3 }
  t.same(await bench.write('history', 'add', [item]), ['unsupported:missing_ids'])
  t.same(await bench.write('ratings', 'add', [foreign]), ['unsupported:missing_ids'])
  t.equal(bench.asked().writes, 0)
})

t.test('one play is removed by its id and the others of the item stay', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const [gone, kept] = [
    trakt.user.watch(trakt.movie(0), 1_700_000_000_000),
    trakt.user.watch(trakt.movie(0), 1_700_000_600_000),
  ]
  const { rows } = await bench.read('history', { plays: true })
  const row = rows.find(({ native }) => native?.event_id === String(gone)) as Item
  t.same(await bench.write('history', 'remove', [row, movieItem(trakt, 0, AT)], { plays: true }), [
    'applied',
    'rejected:exact_play_unknown',
  ])
  t.same(
    trakt.user.account.plays.map(({ id }) => id),
    [kept],
  )
  t.same(await bench.write('history', 'remove', [row], { plays: true }), ['already'])
})

t.test('an unwatched item loses all of its plays, and no other item does', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  for (const index of [0, 0, 1]) trakt.user.watch(trakt.movie(index), 1_700_000_000_000)
  trakt.user.watch(trakt.episode(0, 1, 1))
  trakt.user.watch(trakt.episode(0, 1, 2))
  const { rows } = await bench.read('history')
  const gone = rows.filter(({ title, episode }) => title === trakt.catalogue.movies[0]?.title || episode === 1)
  t.same(await bench.write('history', 'remove', gone), ['applied', 'applied'])
  t.same((await bench.read('history')).rows.map(({ type }) => type).sort(), ['episode', 'movie'])
})

t.test('ratings of all kinds are set, changed and removed', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const show: Item = { type: 'show', ids: { tmdb: String(trakt.catalogue.shows[0]?.ids.tmdb) } }
  const season: Item = { type: 'season', ids: {}, show_ids: show.ids, season: 1 }
  const items = [movieItem(trakt, 0), show, season, episodeItem(trakt, 0, 1, 1)].map((item, index) => ({
    ...item,
    rating: 6 + index,
    rated_at: '2024-01-05T00:00:00Z',
  }))
  bench.asked()
  t.same(await bench.write('ratings', 'add', items), Array(4).fill('applied'))
  t.equal(bench.asked().writes, 1)
  const read = async () =>
    (await bench.read('ratings')).rows.map(({ type, rating, rated_at: at }) => [type, rating, at]).sort()
  t.same(await read(), [
    ['episode', 9, '2024-01-05T00:00:00Z'],
    ['movie', 6, '2024-01-05T00:00:00Z'],
    ['season', 8, '2024-01-05T00:00:00Z'],
    ['show', 7, '2024-01-05T00:00:00Z'],
  ])
  t.same(await bench.write('ratings', 'update', [{ ...(items[2] as Item), rating: 1 }, movieItem(trakt, 1)]), [
    'applied',
    'rejected:missing_rating',
  ])
  t.match((await read())[2], ['season', 1])
  t.same(await bench.write('ratings', 'remove', [season, show]), ['applied', 'applied'])
  t.same(
    (await read()).map(([type]) => type),
    ['episode', 'movie'],
    'a show does not take its episodes with it',
  )
})

t.test('a position is written in percent, changed, and removed by the id of its row', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const items = [
    movieItem(trakt, 0, { progress_ms: 30_000, duration_ms: 60_000 }),
    episodeItem(trakt, 0, 1, 1, { progress_percent: 12.5 }),
    movieItem(trakt, 1, { progress_ms: 5_000 }),
    { ...UNKNOWN, progress_percent: 5 },
    movieItem(trakt, 2, { progress_percent: 0.2 }),
  ]
  t.same(await bench.write('progress', 'add', items), [
    'applied',
    'applied',
    'rejected:duration_missing',
    'not_found:not_found',
    'rejected:position_too_small',
  ])
  t.same(await bench.write('progress', 'update', [movieItem(trakt, 0, { progress_percent: 60 })]), ['applied'])
  const { rows } = await bench.read('progress')
  t.same(rows.map(({ type, progress_percent: percent }) => [type, percent]).sort(), [
    ['episode', 12.5],
    ['movie', 60],
  ])
  t.same(await bench.write('progress', 'remove', [...rows, movieItem(trakt, 0)]), [
    'applied',
    'applied',
    'rejected:row_unknown',
  ])
  t.same(await bench.write('progress', 'remove', rows), ['already', 'already'])
  t.equal(trakt.user.account.plays.length, 0, 'nothing was marked as watched')
})

t.test('a play with a lost response is unknown, and it is never sent again', async (t) => {
  for (const [kind, reason] of [
    ['reset', 'connection_lost'],
    ['truncate', 'connection_lost'],
    ['html', 'http_502'],
    ['empty', 'invalid_response'],
  ] as const) {
    await using bench = await startBench()
    bench.trakt.faults.add({ match: '/sync/history', kind, times: 1 })
    t.same(await bench.write('history', 'add', [movieItem(bench.trakt, 0, AT)]), [`unknown:${reason}`], kind)
    t.equal(bench.trakt.count('/sync/history'), 1, kind)
  }
  await using bench = await startBench({ settings: { timeout: 1 } })
  bench.trakt.faults.add({ match: '/sync/history', kind: 'hang', times: 1 })
  t.same(await bench.write('history', 'add', [movieItem(bench.trakt, 0, AT)]), ['unknown:timeout'])
  t.equal(bench.trakt.count('/sync/history'), 1)
})

t.test('after a lost response nothing more of the batch is sent', async (t) => {
  await using bench = await startBench({ settings: { history_chunk_size: 2 } })
  const { trakt } = bench
  trakt.faults.add({ match: '/sync/history', kind: 'reset', times: 1 })
  const items = [0, 1, 2, 3].map((index) => movieItem(trakt, index, AT))
  t.same(await bench.write('history', 'add', items), [
    'unknown:connection_lost',
    'unknown:connection_lost',
    'failed:not_sent',
    'failed:not_sent',
  ])
  t.equal(trakt.count('/sync/history'), 1)
})

t.test('plays that are removed by id are distinguished when the service stops midway', async (t) => {
  await using bench = await startBench({ settings: { history_chunk_size: 1, max_retries: 0 } })
  const { trakt } = bench
  for (const index of [0, 1, 2]) trakt.user.watch(trakt.movie(index), 1_700_000_000_000 - index)
  const { rows } = await bench.read('history', { plays: true })
  let asked = 0
  trakt.faults.add({ match: ({ path }) => path === '/sync/history/remove' && (asked += 1) === 2, kind: 'reset' })
  t.same(await bench.write('history', 'remove', rows, { plays: true }), [
    'applied',
    'unknown:connection_lost',
    'failed:not_sent',
  ])
  t.equal(trakt.user.account.plays.length, 1)
})

t.test('repeatable writes are repeated: ratings and the watchlist survive a broken connection', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  trakt.faults.add({ match: /^\/sync\/(ratings|watchlist)$/, kind: 'reset', times: 2 })
  t.same(await bench.write('ratings', 'add', [movieItem(trakt, 0, { rating: 5 })]), ['applied'])
  t.same(await bench.write('watchlist', 'add', [movieItem(trakt, 0)]), ['applied'])
})

t.test('one wrong item does not fail the others', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  // A number that the stand-in refuses simulates any refusal of the service.
  trakt.faults.add({ match: '/sync/ratings', kind: 'status', status: 422, times: 1 })
  t.same(
    await bench.write(
      'ratings',
      'add',
      [0, 1, 2].map((index) => movieItem(trakt, index, { rating: 5 })),
    ),
    Array(3).fill('applied'),
  )
  trakt.faults.add({ match: '/sync/ratings', kind: 'status', status: 422 })
  t.same(
    await bench.write(
      'ratings',
      'add',
      [0, 1, 2].map((index) => movieItem(trakt, index, { rating: 5 })),
    ),
    Array(3).fill('rejected:refused_by_service'),
  )
})

t.test(
  'a conflict is an existing play; among several the affected one is unknown, so they are not sent again',
  async (t) => {
    await using bench = await startBench()
    const { trakt } = bench
    trakt.faults.add({ match: '/sync/history', kind: 'status', status: 409 })
    t.same(await bench.write('history', 'add', [movieItem(trakt, 0, AT)]), ['already'])
    t.same(await bench.write('history', 'add', [movieItem(trakt, 0, AT), movieItem(trakt, 1, AT)]), [
      'unknown:conflict',
      'unknown:conflict',
    ])
    t.equal(trakt.count('/sync/history'), 2)
  },
)

t.test('too many requests, a locked account and VIP features are reported as such', async (t) => {
  for (const [fault, outcome] of [
    [{ status: 429, headers: { 'retry-after': '400' } }, 'rate_limited:rate_limited'],
    [{ status: 426 }, 'unsupported:vip_only'],
    [{ status: 423, headers: { 'x-account-locked': 'true' } }, 'failed:account_locked'],
    [{ status: 503 }, 'unknown:http_503'],
  ] as const) {
    await using bench = await startBench()
    bench.trakt.faults.add({ match: '/sync/history', kind: 'status', ...fault })
    t.same(await bench.write('history', 'add', [movieItem(bench.trakt, 0, AT), movieItem(bench.trakt, 1, AT)]), [
      outcome,
      outcome,
    ])
  }
})

t.test('twenty thousand plays take forty requests', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  for (let from = 0; from < 20_000; from += 500) {
    const items = Array.from({ length: 500 }, (_, index) =>
      movieItem(trakt, (from + index) % 28, {
        watched_at: new Date(1_600_000_000_000 + (from + index) * 60_000).toISOString(),
      }),
    )
    const outcomes = await bench.write('history', 'add', items, { plays: true })
    if (outcomes.some((outcome) => outcome !== 'applied')) t.same(outcomes, [])
  }
  t.equal(trakt.user.account.plays.length, 20_000)
  t.ok(bench.asked().writes <= 40)
})
