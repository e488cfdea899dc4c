// Expiring tokens: refreshed once for all callers, stored before use, and never twice with the same refresh token.
import { createTestClock } from '@playhead/sdk/testing'
import t from 'tap'
import { codeOf, startBench } from './support.ts'

const REFRESH = '/oauth/token'

t.test('concurrent requests with an expired token refresh it once', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const before = bench.kit.profile('default')
  trakt.user.rate(trakt.movie(0), 5)
  trakt.user.expireTokens()
  const ends = await Promise.all(Array.from({ length: 20 }, () => bench.read('ratings')))
  t.ok(ends.every(({ rows, end }) => rows.length === 1 && end.complete))
  t.equal(trakt.count(REFRESH), 1)
  const after = bench.kit.profile('default')
  t.not(after.access_token, before.access_token)
  t.not(after.refresh_token, before.refresh_token)
})

t.test('a refreshed token is the same account: its cached data stays', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  trakt.user.rate(trakt.movie(0), 5)
  const first = await bench.read('ratings')
  trakt.user.expireTokens()
  bench.kit.session('default').activities.drop()
  const second = await bench.read('ratings', { since: first.end.checkpoint as string })
  t.match(second.end, { semantics: 'unchanged', account: 'uuid-of-ada', complete: true })
  t.equal(trakt.count('/users/settings'), 1)
})

t.test('the new pair is stored before use, and survives a reload', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  for (let round = 0; round < 3; round += 1) {
    trakt.user.expireTokens()
    t.match((await bench.read('ratings')).end, { complete: true })
    await bench.host.reload()
  }
  t.equal(trakt.count(REFRESH), 3)
})

t.test('a token with more than two minutes left is used, one with less is refreshed beforehand', async (t) => {
  const inSeconds = (seconds: number) => ({ settings: { expires_at: Math.floor(Date.now() / 1_000) + seconds } })
  await using fresh = await startBench(inSeconds(180))
  await fresh.read('ratings')
  t.equal(fresh.trakt.count(REFRESH), 0)
  await using old = await startBench(inSeconds(100))
  await old.read('ratings')
  t.equal(old.trakt.count(REFRESH), 1)
  t.ok(
    old.trakt.requests.every(({ status }) => status === 200),
    'no request had to be refused first',
  )
})

t.test('a refused refresh token requires a sign-in, and changes no stored data', async (t) => {
  await using bench = await startBench()
  const before = bench.kit.profile('default')
  bench.trakt.user.revokeTokens()
  t.equal(await codeOf(bench.read('ratings')), 'PLH_AUTH_FAILED')
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
  t.same(bench.kit.profile('default'), before)
  t.same(await Promise.all([0, 1, 2].map(() => codeOf(bench.read('ratings')))), Array(3).fill('PLH_AUTH_FAILED'))
  t.equal(bench.trakt.count(REFRESH), 1, 'it is not tried again at once')
})

t.test('a lost refresh response is retried, and requires a sign-in only if the token was used up', async (t) => {
  for (const [kind, code] of [
    ['reset', 'PLH_AUTH_FAILED'],
    ['status', 'nothing was thrown'],
  ] as const) {
    const clock = createTestClock(Date.now())
    await using bench = await startBench({ clock, nowMs: clock.now })
    bench.trakt.user.expireTokens()
    bench.trakt.faults.add({ match: REFRESH, kind, times: 1 })
    t.equal(await codeOf(bench.read('ratings')), 'PLH_UPSTREAM', `${kind}: it may pass`)
    clock.advance(11_000)
    t.equal(await codeOf(bench.read('ratings')), code, kind)
    t.equal(bench.trakt.count(REFRESH), 2)
  }
})

t.test('a person who signed in meanwhile is not signed out by the end of an older refresh', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  trakt.user.revokeTokens()
  trakt.faults.add({ match: REFRESH, kind: 'slow', delayMs: 150, times: 1 })
  const reading = bench.read('ratings')
  await new Promise((resolve) => setTimeout(resolve, 60))
  const { access_token, refresh_token, created_at, expires_in } = trakt.signIn()
  await bench.kit.account('default').save({ access_token, refresh_token, expires_at: created_at + expires_in })
  t.match((await reading).end, { account: 'uuid-of-ada' })
  t.equal(bench.kit.profile('default').access_token, access_token)
})

t.test('secrets are sent only to their targets, and to no log', async (t) => {
  await using bench = await startBench()
  bench.trakt.user.expireTokens()
  await bench.read('ratings')
  bench.trakt.user.revokeTokens()
  await codeOf(bench.read('watchlist'))
  const logs = JSON.stringify(bench.host.logs)
  for (const secret of [
    bench.trakt.clientSecret,
    bench.kit.profile('default').access_token,
    bench.kit.profile('default').refresh_token,
  ]) {
    t.notOk(logs.includes(secret))
  }
  t.notOk(
    JSON.stringify(bench.trakt.requests.map(({ path, query }) => [path, [...query]])).includes(
      bench.kit.profile('default').access_token,
    ),
  )
})
