// Access at the Trakt stand-in: sign-in by device code, token lifetimes, headers, and limits of rate and size.
import t from 'tap'
import { asApplication, asUser } from './trakt/ask.ts'
import { RATE_LIMITS, startTrakt } from './trakt.ts'

t.test('a device code is pending until the person consents, and then gives tokens once', async (t) => {
  await using trakt = await startTrakt({ nowMs: () => 1_780_000_000_000 })
  const post = asApplication(trakt)
  const code = (await post('/oauth/device/code', {})).json
  t.match(code, { expires_in: 600, interval: 5, verification_url: /^https:/, user_code: /^[0-9A-F]{8}$/ })
  const poll = () => post('/oauth/device/token', { code: code.device_code })

  t.equal((await poll()).status, 400, 'pending')
  const early = await poll()
  t.match([early.status, early.headers.get('retry-after')], [429, '5'], 'too fast')
  trakt.approve(code.user_code)
  trakt.advance(5_000)
  const tokens = await poll()
  t.equal(tokens.status, 200)
  t.match(tokens.json, { token_type: 'bearer', expires_in: 604_800, scope: 'public', created_at: Number })
  t.equal((await poll()).status, 409, 'used')
  t.equal((await post('/oauth/device/token', { code: 'nobody' })).status, 404)
  const { status } = await asUser(trakt)('GET', '/users/settings', undefined, {
    authorization: `Bearer ${tokens.json.access_token}`,
  })
  t.equal(status, 200)
})

t.test('a refused device code gives 418, and an expired one 410', async (t) => {
  await using trakt = await startTrakt()
  const post = asApplication(trakt)
  const refused = (await post('/oauth/device/code', {})).json
  trakt.deny(refused.user_code)
  t.equal((await post('/oauth/device/token', { code: refused.device_code })).status, 418)
  const old = (await post('/oauth/device/code', {})).json
  trakt.advance(600_000)
  t.equal((await post('/oauth/device/token', { code: old.device_code })).status, 410)
  t.equal((await post('/oauth/device/code', { client_id: 'other' })).status, 403)
  t.equal((await post('/oauth/device/token', { code: old.device_code, client_secret: 'wrong' })).status, 401)
})

t.test('a refresh gives a new pair and invalidates the old one', async (t) => {
  await using trakt = await startTrakt()
  const post = asApplication(trakt)
  const ask = asUser(trakt)
  const first = trakt.signIn()
  const refresh = (token: string) =>
    post('/oauth/token', {
      refresh_token: token,
      redirect_uri: 'urn:ietf:wg:oauth:2.0:oob',
      grant_type: 'refresh_token',
    })
  const statusWith = async (token: string) =>
    (await ask('GET', '/users/settings', undefined, { authorization: `Bearer ${token}` })).status

  trakt.user.expireTokens()
  t.equal(await statusWith(first.access_token), 401, 'expired')
  const second = await refresh(first.refresh_token)
  t.equal(second.status, 200)
  t.equal(await statusWith(second.json.access_token), 200)
  const again = await refresh(first.refresh_token)
  t.match([again.status, again.json.error], [400, 'invalid_grant'])
  trakt.advance(604_800_000)
  t.equal(await statusWith(second.json.access_token), 401, 'after seven days')
})

t.test('a refresh with a lost response also invalidates the token', async (t) => {
  await using trakt = await startTrakt()
  const post = asApplication(trakt)
  const refresh = { refresh_token: trakt.signIn().refresh_token, grant_type: 'refresh_token' }
  trakt.faults.add({ kind: 'reset', match: '/oauth/token', times: 1 })
  await t.rejects(post('/oauth/token', refresh))
  t.match(await post('/oauth/token', refresh), { status: 400, json: { error: 'invalid_grant' } })
  t.equal(trakt.count('/oauth/token'), 2)
})

t.test('a revoked token gives no access and cannot be refreshed', async (t) => {
  await using trakt = await startTrakt()
  const post = asApplication(trakt)
  const tokens = trakt.signIn()
  t.equal((await post('/oauth/revoke', { token: tokens.access_token })).status, 200)
  const ask = asUser(trakt)
  t.equal(
    (await ask('GET', '/users/settings', undefined, { authorization: `Bearer ${tokens.access_token}` })).status,
    401,
  )
  t.equal(
    (await post('/oauth/token', { refresh_token: tokens.refresh_token, grant_type: 'refresh_token' })).status,
    400,
  )
})

t.test('a browser code is exchanged once, for its own redirect address', async (t) => {
  await using trakt = await startTrakt()
  const post = asApplication(trakt)
  const exchange = (code: string, address: string) =>
    post('/oauth/token', { code, redirect_uri: address, grant_type: 'authorization_code' })
  const code = trakt.authorize('http://localhost/callback')
  t.equal((await exchange(code, 'http://localhost/callback')).status, 200)
  t.equal((await exchange(code, 'http://localhost/callback')).status, 400)
  t.equal((await exchange(trakt.authorize('http://localhost/callback'), 'http://elsewhere/')).status, 400)
})

t.test('each missing header has its own refusal', async (t) => {
  await using trakt = await startTrakt({ rateLimits: false })
  const ask = asUser(trakt)
  const status = async (headers: Record<string, string>) => (await ask('POST', '/sync/watchlist', {}, headers)).status
  t.equal(await status({}), 201)
  t.equal(await status({ 'trakt-api-key': '' }), 403)
  t.equal(await status({ 'trakt-api-key': 'unknown' }), 403)
  t.equal(await status({ 'trakt-api-version': '' }), 412)
  t.equal(await status({ 'content-type': 'text/plain' }), 412)
  t.equal(await status({ authorization: '' }), 401)
  t.equal((await ask('POST', '/sync/watchlist', [])).status, 400)
  t.equal((await ask('DELETE', '/sync/watchlist')).status, 405)
  t.equal((await ask('GET', '/sync/nothing')).status, 404)
})

t.test(
  'writes are limited to one per second and reads per five minutes, and a refusal gives the wait time',
  async (t) => {
    const rateLimits = { ...RATE_LIMITS, read: { ...RATE_LIMITS.read, limit: 3 } }
    await using trakt = await startTrakt({ rateLimits, nowMs: () => 1_780_000_000_000 })
    const ask = asUser(trakt)
    t.equal((await ask('POST', '/sync/watchlist', {})).status, 201)
    const refused = await ask('POST', '/sync/ratings', {})
    t.match([refused.status, refused.headers.get('retry-after')], [429, '1'])
    t.match(JSON.parse(refused.headers.get('x-ratelimit') ?? ''), {
      name: 'AUTHED_API_POST_LIMIT',
      period: 1,
      limit: 1,
      remaining: 0,
    })
    trakt.advance(1_000)
    t.equal((await ask('POST', '/sync/ratings', {})).status, 201)

    const reads = await Promise.all(Array.from({ length: 4 }, () => ask('GET', '/users/settings')))
    const late = reads.filter(({ status }) => status === 429)
    t.equal(late.length, 1)
    t.equal(late[0]?.headers.get('retry-after'), '300')
    trakt.advance(300_000)
    t.equal((await ask('GET', '/users/settings')).status, 200)
  },
)

t.test('the limits of one user do not affect another', async (t) => {
  await using trakt = await startTrakt({ usernames: ['ada', 'bob'], nowMs: () => 1_780_000_000_000 })
  t.equal((await asUser(trakt, 'ada')('POST', '/sync/watchlist', {})).status, 201)
  t.equal((await asUser(trakt, 'bob')('POST', '/sync/watchlist', {})).status, 201)
})

t.test("a batch above the plan's limit gets 420 with the limit, and a better plan has room", async (t) => {
  await using trakt = await startTrakt({ rateLimits: false, movies: 10 })
  const ask = asUser(trakt)
  trakt.user.changePlan({ watchlist: 3 })
  const movies = trakt.catalogue.movies.slice(0, 5).map(({ ids }) => ({ ids }))
  const refused = await ask('POST', '/sync/watchlist', { movies })
  t.match(
    [refused.status, ...['x-account-limit', 'x-vip-user', 'x-upgrade-url'].map((name) => refused.headers.get(name))],
    [420, '3', 'false', /^https:/],
  )
  t.equal(trakt.user.account.watchlist.length, 0)
  trakt.user.changePlan('vip')
  t.equal((await ask('POST', '/sync/watchlist', { movies })).status, 201)
  trakt.user.changePlan({ watchlist: 3 })
  t.equal((await ask('POST', '/sync/watchlist', { movies })).status, 201, 'what is listed already needs no room')
})

t.test('a service with partial storage keeps the first items of a batch and answers 420 as well', async (t) => {
  await using trakt = await startTrakt({ rateLimits: false, movies: 10, overLimit: 'partial' })
  const ask = asUser(trakt)
  trakt.user.changePlan({ watchlist: 3, ratings: 2, history: 4 })
  const movies = trakt.catalogue.movies.slice(0, 5).map(({ ids }) => ({ ids, rating: 7 }))
  trakt.user.changeBrowsing({ removeWatched: 'never' })
  for (const path of ['/sync/watchlist', '/sync/ratings', '/sync/history'])
    t.equal((await ask('POST', path, { movies })).status, 420)
  t.equal(trakt.user.account.watchlist.length, 3)
  t.equal(trakt.user.account.ratings.size, 2)
  t.equal(trakt.user.account.plays.length, 4)
})

t.test('notes are for VIPs, and a closed account answers nothing', async (t) => {
  await using trakt = await startTrakt({ rateLimits: false })
  const ask = asUser(trakt)
  const noted = { movies: [{ ids: trakt.catalogue.movies[0]?.ids, notes: 'for winter' }] }
  const refused = await ask('POST', '/sync/watchlist', noted)
  t.match(
    [refused.status, refused.headers.get('x-vip-only'), refused.headers.get('x-upgrade-url')],
    [426, 'true', /^https:/],
  )
  trakt.user.changePlan('vip')
  t.equal((await ask('POST', '/sync/watchlist', noted)).status, 201)
  t.equal((await ask('GET', '/sync/watchlist')).json[0].notes, 'for winter')
  trakt.user.setState('locked')
  const locked = await ask('GET', '/sync/watchlist')
  t.match([locked.status, locked.headers.get('x-account-locked')], [423, 'true'])
})

t.test('the settings contain the limits of the plan', async (t) => {
  await using trakt = await startTrakt({ rateLimits: false })
  const ask = asUser(trakt)
  t.match((await ask('GET', '/users/settings')).json, {
    user: { username: 'ada', vip: false, ids: { slug: 'ada' } },
    limits: { list: { count: 5, item_count: 250 }, watchlist: { item_count: 250 } },
  })
  trakt.user.changePlan('vip')
  t.match((await ask('GET', '/users/settings')).json, {
    user: { vip: true },
    limits: { watchlist: { item_count: 5_000 } },
  })
})
