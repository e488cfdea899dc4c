// Signing out, restarting, the status, and the two pages.
import t from 'tap'
import { openHarness } from './harness.ts'

t.test('logout ends the session on the server and in the browser', async (t) => {
  const { call, setUp, sessions } = await openHarness(t)
  const cookie = await setUp()

  const answer = await call('/api/app-auth/logout', { method: 'POST', cookie })

  t.same([answer.status, answer.body, answer.cookie], [200, { ok: true }, ''])
  t.match(
    String(answer.headers['set-cookie']),
    /^cw_auth=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970/,
  )
  t.same(sessions.list(), [])
  t.equal((await call('/api/protected', { cookie })).status, 401)
})

t.test('logout without a session is refused and still clears the cookie', async (t) => {
  const { call, setUp } = await openHarness(t)
  await setUp()

  const answer = await call('/api/app-auth/logout', { method: 'POST', cookie: `cw_auth=${'A'.repeat(43)}` })

  t.same([answer.status, answer.body, answer.cookie], [401, { ok: false, error: 'Unauthorized' }, ''])
  t.equal(answer.headers['x-auth-required'], 'session')
})

t.test('while authentication is off logout succeeds without a session', async (t) => {
  const { call, setUp } = await openHarness(t)
  await call('/api/app-auth/credentials', {
    json: { enabled: false, current_password: 'correct horse battery' },
    cookie: await setUp(),
  })

  t.same((await call('/api/app-auth/logout', { method: 'POST' })).body, { ok: true })
})

t.test('logout of all ends every session, logout of others all but the current one', async (t) => {
  const { call, setUp, login } = await openHarness(t)
  const first = await setUp()
  const [second, third] = [(await login()).cookie, (await login()).cookie]
  const alive = async () => {
    const answers = await Promise.all([first, second, third].map((cookie) => call('/api/protected', { cookie })))
    return answers.map(({ status }) => status === 200)
  }

  const others = await call('/api/app-auth/logout-others', { method: 'POST', cookie: second })
  t.same([others.status, others.body, others.cookie], [200, { ok: true }, undefined])
  t.same(await alive(), [false, true, false])

  const all = await call('/api/app-auth/logout-all', { method: 'POST', cookie: second })
  t.same([all.status, all.body, all.cookie], [200, { ok: true }, ''])
  t.same(await alive(), [false, false, false])
})

t.test('the routes that end sessions need one', async (t) => {
  const { call, setUp } = await openHarness(t)
  const cookie = await setUp()

  for (const route of ['logout-all', 'logout-others', 'apply-now']) {
    const anonymous = await call(`/api/app-auth/${route}`, { method: 'POST' })
    const headers = { 'sec-fetch-site': 'cross-site' }
    const foreign = await call(`/api/app-auth/${route}`, { method: 'POST', cookie, headers })

    t.same([anonymous.status, anonymous.body], [401, { ok: false, error: 'Unauthorized' }], route)
    t.same([foreign.status, foreign.body], [403, { ok: false, error: 'Origin mismatch' }], route)
  }
  t.equal((await call('/api/protected', { cookie })).status, 200)
})

t.test('a restart ends the sessions, answers, and then requests the end of the process once', async (t) => {
  const { call, setUp, restarts } = await openHarness(t)
  const cookie = await setUp()

  const answer = await call('/api/app-auth/apply-now', { json: {}, cookie })

  t.same([answer.status, answer.body, answer.cookie], [200, { ok: true }, ''])
  t.equal((await call('/api/protected', { cookie })).status, 401)
  t.equal(restarts.length, 1)
})

t.test('while work is running a restart is refused, unless it is forced', async (t) => {
  const operation = { kind: 'run', id: 'r1', label: 'Nightly sync' }
  const { call, setUp, restarts } = await openHarness(t, { operations: async () => [operation] })
  const cookie = await setUp()

  const refused = await call('/api/app-auth/apply-now', { method: 'POST', cookie })
  t.match([refused.status, refused.body], [409, { ok: false, error: 'operation_running', operations: [operation] }])
  t.same(restarts, [])
  t.equal((await call('/api/protected', { cookie })).status, 200, 'a refused restart signs nobody out')

  const forced = await call('/api/app-auth/apply-now', { json: { force: true }, cookie })
  t.equal(forced.status, 200)
  t.equal(restarts.length, 1)
})

t.test('without a session the status contains nothing about people and sessions', async (t) => {
  const { call, setUp, login } = await openHarness(t)
  const cookie = await setUp()
  await login({}, { headers: { 'user-agent': 'Second browser' } })

  const stranger = await call('/api/app-auth/status')
  const owner = await call('/api/app-auth/status', { cookie })

  t.same(stranger.body, {
    enabled: true,
    configured: true,
    setup_required: false,
    reset_required: false,
    authenticated: false,
    username: '',
    session_expires_at: 0,
    current_session: null,
    other_sessions: [],
    other_session_count: 0,
    mediaA_sso_enabled: false,
    mediaA_sso_linked: false,
  })
  t.match(owner.body, {
    authenticated: true,
    username: 'ada',
    remember_session_enabled: false,
    remember_session_days: 30,
    other_session_count: 1,
    current_session: { id: /^[0-9a-f]{16}$/, created_at: Number, expires_at: Number, ip: '127.0.0.1', ua: String },
    other_sessions: [{ ua: 'Second browser' }],
  })
  t.equal(owner.body['session_expires_at'], (owner.body['current_session'] as { expires_at: number }).expires_at)
})

t.test('the status treats an ended session like no session', async (t) => {
  const { call, setUp, clock } = await openHarness(t)
  const cookie = await setUp()
  clock.advance(24 * 3_600_000)

  const answer = await call('/api/app-auth/status', { cookie })

  t.match([answer.status, answer.body], [200, { authenticated: false, current_session: null }])
})

t.test('the login page carries the checked destination, and only as text', async (t) => {
  const { call, setUp } = await openHarness(t)
  await setUp()

  const honoured = await call(`/login?next=${encodeURIComponent('/docs?a=1&b="><script>$&')}`)
  const refused = await call('/login?next=//attacker.example')

  t.equal(honoured.status, 200)
  t.match(honoured.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  t.equal(honoured.text, '<main data-next="/docs?a=1&#38;b=&#34;&#62;&#60;script&#62;$&#38;"></main>')
  t.equal(refused.text, '<main data-next="/"></main>')
})

t.test('the login page is served during setup, and redirects when no login is needed', async (t) => {
  const { call, setUp } = await openHarness(t)
  const early = await call('/login')
  const cookie = await setUp()
  const signedIn = await call('/login?next=/docs', { cookie })
  await call('/api/app-auth/credentials', {
    json: { enabled: false, current_password: 'correct horse battery' },
    cookie,
  })
  const off = await call('/login?next=/docs')

  t.equal(early.status, 200)
  t.match([signedIn.status, signedIn.headers], [302, { location: '/docs' }])
  t.match([off.status, off.headers], [302, { location: '/' }])
})

t.test("the logout page signs out and redirects to the login, but not from a foreign page's link", async (t) => {
  const { call, setUp } = await openHarness(t)
  const cookie = await setUp()

  const foreign = await call('/logout', { cookie, headers: { 'sec-fetch-site': 'cross-site' } })
  t.match([foreign.status, foreign.headers['location'], foreign.cookie], [303, '/', undefined])
  t.equal((await call('/api/protected', { cookie })).status, 200)

  const own = await call('/logout', { cookie, headers: { 'sec-fetch-site': 'same-origin' } })
  t.match([own.status, own.headers['location'], own.cookie], [303, '/login', ''])
  t.equal((await call('/api/protected', { cookie })).status, 401)

  const again = await call('/logout')
  t.match([again.status, again.headers['location']], [303, '/login'])
})

t.test('a failing audit blocks no one', async (t) => {
  const { call, setUp, login, events, lines } = await openHarness(t)
  const cookie = await setUp()
  Object.defineProperty(events, 'push', {
    value: () => {
      throw new Error('the archive is full')
    },
  })

  t.equal((await login()).status, 200)
  t.equal((await call('/api/app-auth/logout', { method: 'POST', cookie })).status, 200)
  t.ok(lines.some(({ level, text }) => level === 'error' && /audit/.test(text)))
})
