// The limits of AniList, which counts requests per IP address.
import t from 'tap'
import { createTestClock } from '@playhead/sdk/testing'
import { RATE_LIMITS } from '../../upstreams/anilist.ts'
import { addressesOf, itemOf, startBench } from './support.ts'

t.test('at its own pace the plugin never exceeds the limit, with any number of profiles', async (t) => {
  const clock = createTestClock()
  await using bench = await startBench({
    clock,
    nowMs: () => clock.now(),
    rateLimits: RATE_LIMITS,
    movies: 50,
    names: ['ada', 'bob'],
    settings: { requests_per_minute: 30 },
  })
  const { anilist, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { ...addressesOf(anilist), access_token: anilist.signIn('bob') })
  const items = anilist.films.slice(0, 50).map((film) => itemOf(film))
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(
      ['default', instance].map(async (one) => {
        await bench.write('watchlist', 'add', items, { instance: one })
        await bench.write('watchlist', 'remove', items, { instance: one })
      }),
    )
  }
  t.ok(anilist.count() > RATE_LIMITS.perMinute * 2)
  t.equal(anilist.requests.filter(({ status }) => status === 429).length, 0)
})

t.test('a read that must wait waits, and so do the other profiles', async (t) => {
  const clock = createTestClock()
  await using bench = await startBench({
    clock,
    nowMs: () => clock.now(),
    rateLimits: { perMinute: 5, perSecond: 100 },
  })
  const before = clock.now()
  for (let look = 0; look < 6; look += 1)
    t.equal((await bench.provider.probe('default')).status, look < 5 ? 'ok' : 'degraded')
  t.equal((await bench.read('watchlist')).end.complete, true)
  t.ok(clock.now() - before >= 55_000, 'until the minute was over')
  t.ok(bench.anilist.requests.filter(({ status }) => status === 429).length <= 2)
})

t.test('a write that must wait is reported, with the remaining items', async (t) => {
  const clock = createTestClock()
  await using bench = await startBench({
    clock,
    nowMs: () => clock.now(),
    rateLimits: { perMinute: 3, perSecond: 100 },
  })
  const items = bench.anilist.films.slice(0, 30).map((film) => itemOf(film))
  const { outcomes, retryAfterMs } = await bench.send('watchlist', 'add', items)
  t.same(
    outcomes.map(({ outcome, reason }) => `${outcome}:${reason}`),
    [
      ...Array(10).fill('applied:undefined'),
      ...Array(10).fill('rate_limited:rate_limited'),
      ...Array(10).fill('rate_limited:deferred'),
    ],
  )
  t.ok(retryAfterMs !== undefined && retryAfterMs > 0 && retryAfterMs <= 60_000)
  t.equal(bench.anilist.user.account.entries.size, 10)
})

t.test('the remaining requests of the minute are in the health report', async (t) => {
  await using bench = await startBench({ rateLimits: RATE_LIMITS })
  t.match(await bench.provider.probe('default'), { status: 'ok', quota: { limit: 30, remaining: 29 } })
})
