// Writes to a SIMKL account: every possible outcome of an item.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { type Bench, episodeOf, itemOf, startBench } from './support.ts'

const AT = '2026-02-01T20:00:00Z'
const NOBODY: Item = { type: 'movie', ids: { imdb: 'tt0000009' } }

/** The rows of the account, as a removal names them. */
async function own(bench: Bench, feature: 'watchlist' | 'history' | 'ratings' | 'progress'): Promise<Item[]> {
  bench.later()
  return [...(await bench.read(feature)).rows]
}

t.test('the watchlist accepts titles outside the library, and moves no existing one', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.plan(simkl.movie(1))
  user.watch(simkl.movie(2))
  user.watchEpisode(simkl.show(1), 1, 1)
  const outcomes = await bench.write('watchlist', 'add', [
    itemOf(simkl.movie(0)),
    itemOf(simkl.show(0)),
    itemOf(simkl.movie(1)),
    itemOf(simkl.movie(2)),
    itemOf(simkl.show(1)),
    NOBODY,
    { type: 'movie', title: 'Only a title', ids: {} },
  ])
  t.same(outcomes, [
    'applied',
    'applied',
    'already',
    'rejected:already_watching_or_watched',
    'rejected:already_watching_or_watched',
    'not_found:not_found',
    'unsupported:missing_ids',
  ])
  t.same([user.entry(simkl.movie(0))?.status, user.entry(simkl.show(0))?.status], ['plantowatch', 'plantowatch'])
  t.same([user.entry(simkl.movie(2))?.status, user.entry(simkl.show(1))?.status], ['completed', 'watching'])
  t.equal(bench.asked().length, 2, 'one look, one write')
})

t.test('a planned entry is removed after a check of that entry alone', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.plan(simkl.movie(0))
  user.plan(simkl.show(0))
  user.plan(simkl.anime(0))
  const rows = await own(bench, 'watchlist')
  bench.asked()
  t.same(await bench.write('watchlist', 'remove', rows), ['applied', 'applied', 'applied'])
  t.equal(user.account.library.size, 0)
  const asked = bench.asked()
  t.equal(asked.filter((one) => one === 'POST /sync/watched').length, 3)
  t.equal(asked.filter((one) => one === 'POST /sync/history/remove').length, 3)
  for (const [index, one] of asked.entries())
    if (one === 'POST /sync/history/remove')
      t.equal(asked[index - 1], 'POST /sync/watched', 'the look comes right before')
})

t.test('an entry that is no longer only planned is left alone', async (t) => {
  const changes: readonly (readonly [string, (bench: Bench) => void, string])[] = [
    ['watched', ({ simkl }) => simkl.user.watch(simkl.movie(0)), 'not_found:status_changed'],
    ['dropped', ({ simkl }) => simkl.user.move(simkl.movie(0), 'dropped'), 'not_found:status_changed'],
    ['rated', ({ simkl }) => simkl.user.rate(simkl.movie(0), 7), 'rejected:would_remove_rating'],
    [
      'watched and planned again',
      ({ simkl }) => {
        simkl.user.watch(simkl.movie(0))
        simkl.user.move(simkl.movie(0), 'plantowatch')
      },
      'rejected:would_remove_history',
    ],
    ['gone', ({ simkl }) => simkl.user.remove(simkl.movie(0)), 'not_found:not_in_library'],
    [
      'not to be looked at',
      ({ simkl }) => void simkl.faults.add({ match: '/sync/watched', kind: 'status', status: 500 }),
      'failed:http_500',
    ],
    [
      'an unclear answer',
      ({ simkl }) => void simkl.faults.add({ match: '/sync/watched', kind: 'truncate' }),
      'failed:not_checked',
    ],
    [
      'ratings not to be read',
      ({ simkl }) => void simkl.faults.add({ match: '/sync/ratings/movies', kind: 'html', status: 200 }),
      'failed:not_checked',
    ],
  ]
  for (const [name, change, expected] of changes) {
    await using bench = await startBench({ settings: { max_retries: 0 } })
    bench.simkl.user.plan(bench.simkl.movie(0))
    const rows = await own(bench, 'watchlist')
    bench.later()
    change(bench)
    const before = bench.simkl.user.entry(bench.simkl.movie(0))
    t.same(await bench.write('watchlist', 'remove', rows), [expected], name)
    t.equal(bench.simkl.count('/sync/history/remove'), 0, `${name}: nothing was sent`)
    t.equal(bench.simkl.user.entry(bench.simkl.movie(0)), before, name)
  }
})

t.test('a rating that is added while entries are being removed is detected', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  for (const index of [0, 1]) user.plan(simkl.movie(index))
  const rows = await own(bench, 'watchlist')
  bench.later()
  // The first write is in flight while the person rates the second.
  simkl.faults.add({
    match: ({ path }) => {
      if (path === '/sync/history/remove') user.rate(simkl.movie(1), 9)
      return false
    },
    kind: 'slow',
  })
  t.same(await bench.write('watchlist', 'remove', rows), ['applied', 'rejected:would_remove_rating'])
  t.equal(user.entry(simkl.movie(1))?.rating, 9)
})

t.test("an item without the account's native id is never removed", async (t) => {
  await using bench = await startBench()
  bench.simkl.user.plan(bench.simkl.movie(0))
  t.same(await bench.write('watchlist', 'remove', [itemOf(bench.simkl.movie(0))]), ['rejected:row_unknown'])
  t.equal(bench.simkl.user.account.library.size, 1)
})

t.test('plays are written with their times, and shows never as a whole', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  const outcomes = await bench.write('history', 'add', [
    itemOf(simkl.movie(0), { watched_at: AT }),
    episodeOf(simkl.show(0), 1, 1, { watched_at: AT }),
    episodeOf(simkl.show(0), 1, 2, { watched_at: AT }),
    episodeOf(simkl.show(0), 9, 9, { watched_at: AT }),
    { ...NOBODY, watched_at: AT },
    itemOf(simkl.movie(1)),
    itemOf(simkl.movie(1), { watched_at: '2099-02-01T20:00:00Z' }),
    itemOf(simkl.show(1), { watched_at: AT }),
  ])
  t.same(outcomes, [
    'applied',
    'applied',
    'applied',
    'not_found:not_found',
    'not_found:not_found',
    'rejected:missing_watched_at',
    'rejected:watched_in_future',
    'unsupported:unsupported_type',
  ])
  t.equal(user.entry(simkl.movie(0))?.watchedAtMs, Date.parse(AT))
  t.same(
    [...(user.entry(simkl.show(0))?.watched ?? [])],
    [
      ['1/1', Date.parse(AT)],
      ['1/2', Date.parse(AT)],
    ],
  )
  t.equal(bench.asked().length, 1, 'all in one request')
  t.equal((await own(bench, 'history')).length, 3, 'old plays are found although SIMKL looks at their own time')
})

t.test('an episode of an anime is written by the numbers of the show, into the entry of its season', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  t.same(
    await bench.write('history', 'add', [
      episodeOf(simkl.anime(0), 2, 3, { watched_at: AT }),
      { ...episodeOf(simkl.anime(0), 2, 6, { watched_at: AT }), show_ids: { tvdb: '990200', mal: '880201' } },
      { type: 'episode', ids: {}, show_ids: { mal: '880201' }, season: 1, episode: 5, watched_at: AT },
    ]),
    ['applied', 'applied', 'applied'],
  )
  t.same([...(user.entry(simkl.anime(1))?.watched.keys() ?? [])], ['1/3', '1/6'])
  t.same([...(user.entry(simkl.anime(0))?.watched.keys() ?? [])], ['1/5'])
})

t.test('an episode is removed from the history alone; a film only when there is no rating to lose', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.watchEpisode(simkl.show(0), 1, 1)
  user.watchEpisode(simkl.show(0), 1, 2)
  user.rate(simkl.show(0), 8)
  user.watchEpisode(simkl.anime(1), 1, 4)
  user.watch(simkl.movie(0))
  user.watch(simkl.movie(1))
  user.rate(simkl.movie(1), 9)
  const rows = (await own(bench, 'history')).filter(({ season, episode }) => season !== 1 || episode === 1)
  t.same(
    rows.map(({ native }) => native?.item_id?.replace(/\d{6}/, '#')),
    ['movies/#', 'movies/#', 'shows/#/1/1', 'anime/#/1/4'],
  )
  t.same(await bench.write('history', 'remove', rows), [
    'applied',
    'rejected:would_remove_rating',
    'applied',
    'applied',
  ])
  t.equal(user.entry(simkl.movie(0)), undefined)
  t.equal(user.entry(simkl.movie(1))?.rating, 9)
  t.match(user.entry(simkl.show(0)), { rating: 8 })
  t.same([...(user.entry(simkl.show(0))?.watched.keys() ?? [])], ['1/2'])
  t.equal((await own(bench, 'history')).length, 2)
})

t.test('a rating is also removed by shared ids, because nothing else is removed with it', async (t) => {
  await using bench = await startBench()
  const { simkl } = bench
  const [film, show] = [simkl.movie(0), simkl.show(0)]
  simkl.user.watch(film, Date.parse(AT))
  simkl.user.rate(film, 7)
  simkl.user.rate(show, 8)
  t.same(await bench.write('ratings', 'remove', [itemOf(film), itemOf(show)]), ['applied', 'applied'])
  t.match(simkl.user.entry(film), { rating: undefined, watchedAtMs: Date.parse(AT) })
  t.match(simkl.user.entry(show), { rating: undefined, status: 'watching' })
})

t.test('ratings are added, changed and removed; nothing else changes', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.watch(simkl.movie(0), Date.parse(AT))
  user.plan(simkl.show(0))
  t.same(
    await bench.write('ratings', 'add', [
      itemOf(simkl.movie(0), { rating: 8, rated_at: AT }),
      itemOf(simkl.show(0), { rating: 7 }),
      itemOf(simkl.movie(1)),
      { ...NOBODY, rating: 3 },
      episodeOf(simkl.show(0), 1, 1, { rating: 5 }),
    ]),
    ['applied', 'applied', 'rejected:missing_rating', 'not_found:not_found', 'unsupported:unsupported_type'],
  )
  t.same(await bench.write('ratings', 'update', [itemOf(simkl.movie(0), { rating: 9, rated_at: AT })]), ['applied'])
  t.match(await own(bench, 'ratings'), [{ rating: 9, rated_at: AT }, { rating: 7 }])
  t.same(await bench.write('ratings', 'remove', await own(bench, 'ratings')), ['applied', 'applied'])
  t.match(
    [user.entry(simkl.movie(0)), user.entry(simkl.show(0))],
    [{ status: 'completed', watchedAtMs: Date.parse(AT) }, { status: 'plantowatch' }],
  )
  t.equal((await own(bench, 'ratings')).length, 0)
})

t.test('positions are written one by one, and a newer one of the same show is not replaced', async (t) => {
  await using bench = await startBench()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.pause(simkl.show(1), 50, { season: 1, number: 3 }, simkl.nowMs() - 86_400_000)
  const position = (percent: number, atText: string) => ({ progress_percent: percent, progress_at: atText })
  const outcomes = await bench.write('progress', 'add', [
    itemOf(simkl.movie(0), position(42.5, AT)),
    itemOf(simkl.movie(1), position(80, AT)),
    itemOf(simkl.movie(2), position(0.5, AT)),
    itemOf(simkl.movie(3)),
    { ...NOBODY, ...position(30, AT) },
    episodeOf(simkl.show(0), 1, 1, position(30, AT)),
    episodeOf(simkl.show(0), 1, 2, position(20, '2026-02-02T20:00:00Z')),
    episodeOf(simkl.show(1), 1, 1, position(30, AT)),
  ])
  t.same(outcomes, [
    'applied',
    'rejected:counts_as_watched',
    'rejected:position_too_small',
    'rejected:duration_missing',
    'not_found:not_found',
    'rejected:one_position_per_show',
    'applied',
    'rejected:one_position_per_show',
  ])
  t.same(
    [...user.account.paused.values()].map(({ work, episode, progress }) => [work.part, episode?.number, progress]),
    [
      ['shows', 3, 50],
      ['movies', undefined, 42.5],
      ['shows', 2, 20],
    ],
  )

  const rows = await own(bench, 'progress')
  t.same(await bench.write('progress', 'remove', rows.slice(0, 2)), ['applied', 'applied'])
  t.same(await bench.write('progress', 'remove', rows.slice(0, 1)), ['already'])
  t.equal(user.account.paused.size, 1)
})

t.test('a just completed item accepts no position, and a busy service is retried later', async (t) => {
  await using bench = await startBench({ settings: { max_retries: 0 } })
  const film = itemOf(bench.simkl.movie(0), { progress_percent: 40, progress_at: AT })
  for (const [status, outcome] of [
    [409, 'rejected:watched_just_now'],
    [400, 'failed:busy'],
    [429, 'rate_limited:rate_limited'],
  ] as const) {
    bench.simkl.faults.add({
      match: '/scrobble/pause',
      kind: 'status',
      status,
      times: 1,
      ...(status === 429 ? { headers: { 'retry-after': '3600' } } : {}),
    })
    t.same(await bench.write('progress', 'add', [film]), [outcome])
  }
})

t.test('a failing batch reports the result of each item', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, ['failed:http_500', 'failed:http_500', 'failed:http_500']],
    [{ kind: 'status', status: 502 }, ['unknown:http_502', 'failed:not_sent', 'failed:not_sent']],
    [{ kind: 'status', status: 400 }, ['rejected:http_400', 'failed:not_sent', 'failed:not_sent']],
    [{ kind: 'status', status: 401 }, ['failed:unauthorized', 'failed:unauthorized', 'failed:unauthorized']],
    [
      { kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
      ['rate_limited:rate_limited', 'rate_limited:rate_limited', 'rate_limited:rate_limited'],
    ],
    [{ kind: 'empty' }, ['unknown:invalid_response', 'failed:not_sent', 'failed:not_sent']],
  ] as const
  for (const [fault, expected] of faults) {
    await using bench = await startBench({ settings: { max_retries: 0, history_chunk_size: 1 } })
    bench.simkl.faults.add({ match: '/sync/history', ...fault })
    const items = [0, 1, 2].map((index) => itemOf(bench.simkl.movie(index), { watched_at: AT }))
    t.same(await bench.write('history', 'add', items), expected, JSON.stringify(fault))
    // A request refused for its token was not stored, so it is sent again with the refreshed token.
    const sent = fault.kind === 'status' && fault.status === 401 ? 2 : 1
    t.equal(bench.simkl.count('/sync/history'), sent, 'nothing more is sent')
  }
})

t.test('an unverified item is not written', async (t) => {
  for (const fault of [{ kind: 'status', status: 502 }, { kind: 'empty' }] as const) {
    await using bench = await startBench({ settings: { max_retries: 0 } })
    bench.simkl.faults.add({ match: '/sync/watched', ...fault })
    t.same(await bench.write('watchlist', 'add', [itemOf(bench.simkl.movie(0))]), ['failed:not_sent'])
    t.equal(bench.simkl.count('/sync/add-to-list'), 0)
  }
})

t.test('a count that does not add up is not treated as done', async (t) => {
  await using bench = await startBench()
  const { simkl } = bench
  simkl.user.rate(simkl.movie(0), 7)
  // Only one is rated: SIMKL returns a count, and names no item that it did not find.
  const items = [itemOf(simkl.movie(0)), itemOf(simkl.movie(1))]
  t.same(await bench.write('ratings', 'remove', items), Array(2).fill('unknown:count_mismatch'))
  t.same(await bench.write('ratings', 'remove', items), ['already', 'already'], 'none is rated now')
})
