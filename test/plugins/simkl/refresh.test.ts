// Tokens of AUTH V2 expire and are refreshed once for all callers; those of AUTH V1 continue with their own application.
import { createTestClock } from '@playhead/sdk/testing'
import t from 'tap'
import { codeOf, startBench } from './support.ts'

const TOKEN = '/oauth2/token'
const V1 = { refresh_token: '', expires_at: 0, scope: '', token_client_id: '', auth_method: 'pin' }

t.test('concurrent requests with an expired token refresh it once, and store it before use', async (t) => {
  await using bench = await startBench()
  const { simkl } = bench
  const before = bench.kit.profile('default')
  simkl.user.rate(simkl.movie(0), 5)
  simkl.user.expireTokens()
  const ends = await Promise.all(Array.from({ length: 12 }, () => bench.read('ratings')))
  t.ok(ends.every(({ rows, end }) => rows.length === 1 && end.complete))
  t.equal(simkl.count(TOKEN), 1, 'a second renewal would end the token of the first')
  const after = bench.kit.profile('default')
  t.not(after.access_token, before.access_token)
  t.equal(after.refresh_token, before.refresh_token)
  await bench.host.reload()
  t.match((await bench.read('ratings')).end, { complete: true })
  t.equal(simkl.count(TOKEN), 1, 'also after a restart')
})

t.test('a token with more than a day left is used, one with less is refreshed beforehand', async (t) => {
  const inHours = (hours: number) => ({ settings: { expires_at: Math.floor(Date.now() / 1_000) + hours * 3_600 } })
  await using fresh = await startBench(inHours(25))
  await fresh.read('ratings')
  t.equal(fresh.simkl.count(TOKEN), 0)
  await using old = await startBench(inHours(23))
  await old.read('ratings')
  t.equal(old.simkl.count(TOKEN), 1)
  t.ok(
    old.simkl.requests.every(({ status }) => status === 200),
    'no request had to be refused first',
  )
})

t.test('a lost response, or a process that ended before the token was stored, loses no sign-in', async (t) => {
  for (const kind of ['reset', 'status'] as const) {
    const clock = createTestClock(Date.now())
    await using bench = await startBench({ clock })
    const before = bench.kit.profile('default')
    bench.simkl.user.expireTokens()
    bench.simkl.faults.add({ match: TOKEN, kind, times: 1, status: 503 })
    t.equal(await codeOf(bench.read('ratings')), 'PLH_UPSTREAM', `${kind}: it may pass`)
    t.same(bench.kit.profile('default'), before)
    clock.advance(11_000)
    t.match((await bench.read('ratings')).end, { complete: true }, kind)
  }
  // Refreshed at the service, but not stored.
  await using bench = await startBench()
  const { simkl } = bench
  const { refresh_token: refresh } = bench.kit.profile('default')
  await fetch(`${simkl.url}${TOKEN}?app-name=a&app-version=1`, {
    method: 'POST',
    headers: { 'user-agent': 'a/1' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh, client_id: simkl.clientId }),
  })
  t.match((await bench.read('ratings')).end, { complete: true })
})

t.test('a refused refresh requires a sign-in, and changes no stored data', async (t) => {
  await using bench = await startBench()
  const before = bench.kit.profile('default')
  bench.simkl.user.revokeTokens()
  t.equal(await codeOf(bench.read('ratings')), 'PLH_AUTH_FAILED')
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
  t.same(bench.kit.profile('default'), before)
  t.equal(bench.simkl.count(TOKEN), 1, 'it is not tried again at once')
})

t.test('a refresh that grants reading only is reported, and requires a sign-in', async (t) => {
  await using bench = await startBench()
  bench.simkl.user.expireTokens()
  bench.simkl.state.scopeAs = () => ({ scope: 'media:read' })
  await bench.read('ratings')
  t.match(await bench.provider.probe('default'), {
    status: 'auth_failed',
    reasonCode: 'read_only',
    reason: /Sign in again, and allow reading and writing/,
  })
  bench.simkl.user.expireTokens()
  bench.simkl.state.scopeAs = () => ({})
  await bench.read('ratings')
  t.match(await bench.provider.probe('default'), { reasonCode: 'read_only' }, 'without a word nothing has changed')
})

t.test('another refresh token in the response replaces the previous one', async (t) => {
  await using bench = await startBench()
  const { simkl } = bench
  simkl.state.rotates = true
  const { refresh_token: before } = bench.kit.profile('default')
  for (let time = 0; time < 3; time += 1) {
    simkl.user.expireTokens()
    bench.kit.session('default').activities.drop()
    t.match((await bench.read('ratings')).end, { complete: true })
  }
  t.not(bench.kit.profile('default').refresh_token, before)
  t.equal(simkl.count(TOKEN), 3)
})

t.test('a sign-in of AUTH V1 continues, with its end date', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { simkl } = bench
  simkl.user.rate(simkl.movie(0), 5)
  await bench.kit.account('default').save({ ...V1, client_id: simkl.v1ClientId, access_token: simkl.signInV1() })
  t.match((await bench.read('ratings')).rows.length, 1)
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '51' })
  const [profile] = await bench.provider.profiles()
  t.match(profile, { configured: true, notices: [{ endsSignIn: '2027-03-31', text: /March or April 2027/ }] })
  t.equal(simkl.count(TOKEN), 0)
})

t.test('a token of AUTH V1 is never sent with another application: SIMKL would revoke it', async (t) => {
  await using bench = await startBench({ signedIn: false, usernames: ['ada', 'bob'] })
  const { simkl, provider, kit } = bench
  const instance = await provider.createProfile({})
  // The additional profile inherits the application of the first.
  await kit.account('default').save({ ...V1, client_id: simkl.v1ClientId, access_token: simkl.signInV1() })
  await kit.account(instance).save({ ...V1, api_url: simkl.url, access_token: simkl.signInV1('bob') })
  for (const one of ['default', instance]) t.match(await provider.probe(one), { status: 'ok' })
  await bench.host.reload()
  await bench.kit.account('default').save({ client_id: simkl.clientId })
  for (const one of ['default', instance]) t.match(await provider.probe(one), { status: 'ok' }, `${one}: as before`)
  await bench.kit.account('default').save({ ...simkl.credentials() })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [
      { status: 'ok', account: '51' },
      { status: 'ok', account: '52' },
    ],
  )
  const [first, further] = await provider.profiles()
  t.notOk(first?.notices)
  t.ok(further?.notices)
})

t.test(
  'another token of AUTH V1 that is entered with its application is not confused with the previous one',
  async (t) => {
    await using bench = await startBench({ signedIn: false, usernames: ['ada', 'bob'] })
    const { simkl, provider } = bench
    await bench.kit.account('default').save({ ...V1, client_id: simkl.v1ClientId, access_token: simkl.signInV1() })
    t.match(await provider.probe('default'), { status: 'ok', account: '51' })
    await bench.kit.account('default').save({ ...V1, client_id: simkl.clientId, access_token: simkl.signIn('bob') })
    t.match(await provider.probe('default'), { status: 'ok', account: '52' })
  },
)

t.test('a read stays with its first person, when another one signs in meanwhile', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { simkl, kit } = bench
  simkl.user.rate(simkl.movie(0), 5)
  simkl.userNamed('bob').rate(simkl.movie(1), 9)
  t.equal((await bench.read('ratings')).rows.length, 1)
  simkl.faults.add({ match: '/sync/activities', kind: 'slow', delayMs: 150, times: 1 })
  bench.later()
  const reading = bench.read('ratings')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await kit.account('default').save({ ...simkl.credentials('bob') })
  await kit.forget('default')
  const { rows, end } = await reading
  t.match([end.account, rows.map(({ rating }) => rating)], ['51', [5]])
  const next = await bench.read('ratings')
  t.match([next.end.account, next.rows.map(({ rating }) => rating)], ['52', [9]])
})
