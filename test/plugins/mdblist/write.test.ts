// Writes: one outcome per item, one request per batch, and only requested changes.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { itemOf, NOBODY, startBench } from './support.ts'

const AT = '2026-01-05T20:00:00Z'
const shapes = [
  { notFound: 'counts', removedAs: 'removed' },
  { notFound: 'echoes', removedAs: 'deleted' },
] as const

for (const shape of shapes) {
  t.test(
    `watchlist, history and ratings are written and removed in one request each (${shape.notFound})`,
    async (t) => {
      await using bench = await startBench(shape)
      const { mdblist } = bench
      const { account } = mdblist.user
      const works = [mdblist.movie(0), mdblist.movie(1), mdblist.show(0)]
      const played = [mdblist.movie(0), mdblist.episode(0, 1, 1), mdblist.episode(0, 1, 2), mdblist.episode(1, 1, 1)]
      const rated = [mdblist.movie(0), mdblist.show(0), mdblist.season(0, 1), mdblist.episode(0, 1, 1)]
      bench.asked()

      t.same(
        await bench.write(
          'watchlist',
          'add',
          works.map((entry) => itemOf(entry)),
        ),
        Array(3).fill('applied'),
      )
      t.same(
        await bench.write(
          'watchlist',
          'add',
          works.map((entry) => itemOf(entry)),
        ),
        Array(3).fill('already'),
      )
      t.same(
        await bench.write(
          'history',
          'add',
          played.map((entry) => itemOf(entry, { watched_at: AT })),
        ),
        Array(4).fill('applied'),
      )
      t.same(
        await bench.write(
          'history',
          'add',
          played.map((entry) => itemOf(entry, { watched_at: AT })),
        ),
        Array(4).fill('already'),
      )
      t.same(
        await bench.write(
          'ratings',
          'add',
          rated.map((entry, index) => itemOf(entry, { rating: 5 + index, rated_at: AT })),
        ),
        Array(4).fill('applied'),
      )
      t.equal(bench.asked(), 5)
      t.same(
        [...account.watchlist.values()].map(({ entry }) => entry.key),
        works.map(({ key }) => key),
      )
      t.same(
        account.plays.map(({ entry, watchedAtMs }) => [entry.key, watchedAtMs]).toSorted(),
        played.map(({ key }) => [key, Date.parse(AT)]).toSorted(),
      )
      t.same(
        rated.map(({ key }) => account.ratings.get(key)?.rating),
        [5, 6, 7, 8],
      )

      t.same(await bench.write('ratings', 'update', [itemOf(works[0]!, { rating: 1 })]), ['applied'])
      t.same(await bench.write('ratings', 'remove', [itemOf(rated[1]!), itemOf(rated[3]!)]), ['applied', 'applied'])
      t.same(
        rated.map(({ key }) => account.ratings.get(key)?.rating),
        [1, null, 7, null],
        'neither the season nor another show lost anything',
      )
      t.same(await bench.write('history', 'remove', [itemOf(played[1]!)]), ['applied'])
      t.equal(account.plays.length, 3, 'the other episodes stay')
      t.same(await bench.write('watchlist', 'remove', [itemOf(works[2]!)]), ['applied'])
      t.same(await bench.write('watchlist', 'remove', [itemOf(works[2]!)]), ['already'])
      t.equal(account.watchlist.size, 2)
    },
  )
}

t.test(
  'an unknown item is reported individually where possible, and otherwise the account is read again',
  async (t) => {
    for (const [notFound, watchlist, history] of [
      ['echoes', ['applied', 'not_found:not_found'], ['applied', 'not_found:not_found']],
      ['counts', ['already', 'not_found:not_found'], Array(2).fill('unknown:count_mismatch')],
    ] as const) {
      await using bench = await startBench({ notFound })
      const movie = itemOf(bench.mdblist.movie(0))
      t.same(await bench.write('watchlist', 'add', [movie, NOBODY]), watchlist)
      t.equal(bench.mdblist.user.account.watchlist.size, 1)
      t.same(
        await bench.write('history', 'add', [
          { ...movie, watched_at: AT },
          { ...NOBODY, watched_at: AT },
        ]),
        history,
      )
      t.equal(bench.mdblist.user.account.plays.length, 1, 'a play is never sent twice')
      t.same(await bench.write('watchlist', 'add', [NOBODY]), ['not_found:not_found'], 'alone it is certain')
      const nowhere: Item = { type: 'episode', ids: {}, show_ids: { tmdb: '1' }, season: 1, episode: 1, watched_at: AT }
      t.same(await bench.write('history', 'add', [nowhere]), ['not_found:not_found'])
      t.same(
        await bench.write('history', 'add', [itemOf(bench.mdblist.movie(1), { watched_at: AT }), nowhere]),
        ['applied', 'not_found:not_found'],
        'kinds are counted apart',
      )
    }
    t.equal((await features()).watchlist?.verifyAfterWrite, true)
  },
)

async function features() {
  await using bench = await startBench()
  return (await bench.provider.describe()).features
}

t.test('plays are removed one by one, by their own ids', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  const movie = mdblist.movie(0)
  const [first, second] = [mdblist.user.watch(movie, 1_700_000_000_000), mdblist.user.watch(movie, 1_710_000_000_000)]
  const play = (id: string) => itemOf(movie, { native: { event_id: id } })
  t.same(
    await bench.write('history', 'remove', [play(String(first)), play('7'), play('x'), itemOf(movie)], { plays: true }),
    ['applied', 'already', 'rejected:exact_play_unknown', 'rejected:exact_play_unknown'],
  )
  t.same(
    mdblist.user.account.plays.map(({ id }) => id),
    [second],
  )
})

t.test('positions are written by imdb id and removed by their row', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  const { account } = mdblist.user
  const [movie, episode] = [mdblist.movie(0), mdblist.episode(0, 1, 2)]
  const show = itemOf(episode)
  t.same(
    await bench.write('progress', 'add', [
      itemOf(movie, { progress_percent: 42.5 }),
      { ...show, progress_ms: 600_000, duration_ms: 2_400_000 },
      itemOf(movie),
      { type: 'movie', ids: { imdb: 'tt1' }, progress_percent: 10 },
      { ...show, show_ids: { tmdb: '900000' }, progress_percent: 10 },
    ]),
    ['applied', 'applied', 'rejected:duration_missing', 'not_found:not_found', 'unsupported:missing_ids'],
  )
  t.same(
    [...account.paused.values()].map(({ entry, progress }) => [entry.key, progress]),
    [
      [movie.key, 42.5],
      [episode.key, 25],
    ],
  )
  const { rows } = await bench.read('progress')
  t.same(await bench.write('progress', 'remove', [...rows, itemOf(movie)]), [
    'applied',
    'applied',
    'rejected:row_unknown',
  ])
  t.equal(account.paused.size, 0)
  t.same(await bench.write('progress', 'remove', rows.slice(0, 1)), ['already'])
})

t.test('no time is invented, and nothing is written without a shared id', async (t) => {
  await using bench = await startBench()
  const movie = bench.mdblist.movie(0)
  bench.asked()
  t.same(
    await bench.write('history', 'add', [
      itemOf(movie),
      itemOf(movie, { watched_at: '2099-01-05T00:00:00Z' }),
      { type: 'movie', title: 'Heat', year: 1995, ids: {}, watched_at: AT },
      { type: 'episode', ids: { tvdb: '5' }, watched_at: AT },
      { type: 'season', ids: {}, show_ids: { tmdb: '5' }, season: 1, watched_at: AT },
    ]),
    [
      'rejected:missing_watched_at',
      'rejected:watched_in_future',
      'unsupported:missing_ids',
      'unsupported:missing_ids',
      'unsupported:unsupported_type',
    ],
  )
  t.same(await bench.write('ratings', 'add', [itemOf(movie)]), ['rejected:missing_rating'])
  t.equal(bench.asked(), 0)
})

t.test('a full account and a rate limited one have different errors', async (t) => {
  await using bench = await startBench({ plan: { watchlist: 1 } })
  const { mdblist } = bench
  const two = [itemOf(mdblist.movie(0)), itemOf(mdblist.movie(1))]
  t.same(await bench.write('watchlist', 'add', two), Array(2).fill('rejected:provider_limit'))
  mdblist.user.changePlan({ requests: 0 })
  const { outcomes, retryAfterMs } = await bench.provider.write('default', {
    feature: 'ratings',
    op: 'add',
    items: [{ key: 'a', item: { ...two[0]!, rating: 4 } }],
  })
  t.match(outcomes, [{ outcome: 'rate_limited' }])
  t.ok(Number(retryAfterMs) > 0)
  t.match(await bench.provider.probe('default'), { status: 'degraded', reasonCode: 'rate_limited' })
})

t.test('a lost response is unknown, plays are not sent twice, and unsent items have failed', async (t) => {
  for (const [fault, history, rest] of [
    [{ kind: 'reset' }, 'unknown:connection_lost', 'failed:not_sent'],
    [{ kind: 'status', status: 502 }, 'unknown:http_502', 'failed:not_sent'],
    [{ kind: 'html', status: 200 }, 'unknown:upstream_invalid', 'failed:not_sent'],
    [{ kind: 'status', status: 401 }, 'failed:auth_failed', 'failed:auth_failed'],
  ] as const) {
    await using bench = await startBench({ settings: { max_retries: 3, history_chunk_size: 1 } })
    const { mdblist } = bench
    mdblist.faults.add({ ...fault, match: '/sync/watched' })
    const outcomes = await bench.write('history', 'add', [
      itemOf(mdblist.movie(0), { watched_at: AT }),
      itemOf(mdblist.movie(1), { watched_at: AT }),
    ])
    t.match(outcomes, [history.split(':')[0], rest.split(':')[0]], `${fault.kind} ${outcomes}`)
    t.equal(mdblist.count('/sync/watched'), 1)
    t.ok(mdblist.user.account.plays.length <= 1)
  }
})

t.test('a batch that is refused as a whole is split until the wrong item is found', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  mdblist.faults.add({ kind: 'status', status: 422, match: '/sync/ratings', times: 2 })
  const items = [0, 1, 2, 3].map((index) => itemOf(mdblist.movie(index), { rating: 5 }))
  const outcomes = await bench.write('ratings', 'add', items)
  t.same(outcomes, Array(4).fill('applied'))
  t.ok(mdblist.count('/sync/ratings') <= 6)
  mdblist.faults.add({ kind: 'status', status: 422, match: '/sync/ratings', times: 1 })
  t.same(await bench.write('ratings', 'add', items.slice(0, 1)), ['rejected:refused_by_service'])
})

t.test('a thousand items take two requests', async (t) => {
  await using bench = await startBench({ movies: 1_000 })
  const { mdblist } = bench
  const items = Array.from({ length: 1_000 }, (_, index) => itemOf(mdblist.movie(index), { rating: 6 })).filter(
    ({ ids }) => Object.keys(ids).length > 0,
  )
  bench.asked()
  for (const half of [items.slice(0, 500), items.slice(500)])
    t.same(new Set(await bench.write('ratings', 'add', half)), new Set(['applied']))
  t.equal(bench.asked(), 2)
})

t.test('one unknown item among hundreds is found in a few requests, and never in many', async (t) => {
  await using bench = await startBench({ movies: 300 })
  const { mdblist } = bench
  const items = Array.from({ length: 299 }, (_, index) => itemOf(mdblist.movie(index))).filter(
    ({ ids }) => Object.keys(ids).length > 0,
  )
  bench.asked()
  const outcomes = await bench.write('watchlist', 'add', [...items, NOBODY])
  t.equal(outcomes.at(-1), 'not_found:not_found')
  t.ok(outcomes.slice(0, -1).every((outcome) => outcome === 'applied' || outcome === 'already'))
  t.ok(bench.asked() <= 21)
  await bench.write(
    'watchlist',
    'add',
    items.map((item, index) => (index % 9 === 0 ? { type: 'movie', ids: { imdb: `tt${5_000 + index}` } } : item)),
  )
  t.ok(bench.asked() <= 21, 'requests of the day are worth more than certainty')
})
