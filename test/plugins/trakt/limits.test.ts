// Full accounts, services that require a wait, and the status in both cases.
import { createTestClock } from '@playhead/sdk/testing'
import t from 'tap'
import { PLANS } from '../../upstreams/trakt.ts'
import { movieItem, startBench } from './support.ts'

const FULL = 'rejected:provider_limit'
const plan = { ...PLANS.free, watchlist: 5, ratings: 3, history: 4 }

t.test('a full watchlist accepts nothing, and no request is sent if that is certain', async (t) => {
  await using bench = await startBench({ plan })
  const { trakt } = bench
  for (let index = 0; index < 5; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  await bench.read('watchlist')
  bench.asked()
  t.same(await bench.write('watchlist', 'add', [movieItem(trakt, 6), movieItem(trakt, 7)]), [FULL, FULL])
  t.same(bench.asked(), { reads: 0, writes: 0 })
})

t.test('a too large batch is filled in as far as there is room', async (t) => {
  await using bench = await startBench({ plan })
  const { trakt } = bench
  for (let index = 0; index < 3; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  const items = [10, 11, 12, 13].map((index) => movieItem(trakt, index))
  t.same(await bench.write('watchlist', 'add', items), ['applied', 'applied', FULL, FULL])
  t.equal(trakt.user.account.watchlist.length, 5)
  t.match((await bench.provider.probe('default')).extras, {
    last_limit_error: { feature: 'watchlist', ts: Number },
    limits: { watchlist: { item_count: 5, used: 5 } },
  })
})

t.test('the limits of ratings and history are learnt from the first refusal', async (t) => {
  await using bench = await startBench({ plan })
  const { trakt } = bench
  const rated = [0, 1, 2, 3].map((index) => movieItem(trakt, index, { rating: 5 }))
  t.same(await bench.write('ratings', 'add', rated), ['applied', 'applied', 'applied', FULL])
  bench.asked()
  t.same(await bench.write('ratings', 'add', [movieItem(trakt, 5, { rating: 5 })]), [FULL])
  t.equal(bench.asked().writes, 0)
  const played = [0, 1, 2, 3, 4, 5].map((index) => movieItem(trakt, index, { watched_at: '2024-03-01T20:00:00Z' }))
  t.same(await bench.write('history', 'add', played), ['applied', 'applied', 'applied', 'applied', FULL, FULL])
  t.equal(trakt.user.account.plays.length, 4, 'no play was sent twice')
})

t.test('where a part may have been stored before the refusal, its items are unknown', async (t) => {
  await using bench = await startBench({ plan, overLimit: 'partial' })
  const { trakt } = bench
  const played = [0, 1, 2, 3, 4, 5].map((index) => movieItem(trakt, index, { watched_at: '2024-03-01T20:00:00Z' }))
  t.same(await bench.write('history', 'add', played), Array(6).fill('unknown:provider_limit'))
  t.equal(trakt.user.account.plays.length, 4)
  t.same(await bench.write('history', 'add', played.slice(4)), [FULL, FULL])
})

t.test('a full account that cannot be counted leaves the batch unknown, and earlier writes are reported', async (t) => {
  await using bench = await startBench({ plan, settings: { ratings_chunk_size: 2, max_retries: 0 } })
  const { trakt } = bench
  trakt.faults.add({ match: '/sync/ratings/all', kind: 'status', status: 500 })
  const rated = [0, 1, 2, 3].map((index) => movieItem(trakt, index, { rating: 5 }))
  t.same(await bench.write('ratings', 'add', rated), [
    'applied',
    'applied',
    'unknown:provider_limit',
    'unknown:provider_limit',
  ])
})

t.test('a better plan makes room at once', async (t) => {
  await using bench = await startBench({ plan })
  const { trakt } = bench
  for (let index = 0; index < 5; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  t.same(await bench.write('watchlist', 'add', [movieItem(trakt, 7)]), [FULL])
  trakt.user.changePlan('vip')
  t.match(await bench.provider.probe('default'), { status: 'ok', extras: { vip: true, vip_type: 'vip' } })
  t.same(await bench.write('watchlist', 'add', [movieItem(trakt, 7)]), ['applied'])
})

t.test('the status contains account, plan, limits and the usage of the watchlist', async (t) => {
  await using bench = await startBench()
  bench.trakt.user.addToWatchlist(bench.trakt.movie(0))
  t.match(await bench.provider.probe('default'), {
    status: 'ok',
    account: 'uuid-of-ada',
    user: { id: 'uuid-of-ada', name: 'ada' },
    plays: true,
    extras: {
      vip: false,
      vip_type: 'free',
      limits: { watchlist: { item_count: 250, used: 1 } },
      last_limit_error: null,
    },
  })
  bench.trakt.user.changeBrowsing({ watchOnlyOnce: true })
  t.match(await bench.provider.probe('default'), { plays: false })
})

t.test('at the configured speed the service never has to refuse, reads and writes together', async (t) => {
  const clock = createTestClock(Date.UTC(2026, 0, 1))
  await using bench = await startBench({
    rateLimits: { read: { name: 'GET', periodS: 300, limit: 150 }, write: { name: 'POST', periodS: 1, limit: 1 } },
    nowMs: clock.now,
    clock,
    settings: { rate_limit: { get_per_sec: 0.5, post_per_sec: 1 }, expires_at: 0 },
  })
  const { trakt } = bench
  const startMs = clock.now()
  for (let round = 0; round < 120; round += 1) {
    bench.kit.session('default').activities.drop()
    await bench.read('progress')
    if (round % 10 === 0) await bench.write('ratings', 'add', [movieItem(trakt, round % 20, { rating: 5 })])
  }
  t.ok(trakt.requests.every(({ status }) => status < 300))
  t.ok(trakt.requests.length > 240)
  t.ok(clock.now() - startMs < 600_000, 'and no slower than it has to be')
})
