// Signing in: responses, cookie, lock, and many concurrent attempts.
import { pbkdf2Sync } from 'node:crypto'
import t from 'tap'
import { openHarness, PASSWORD, USERNAME } from './harness.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

t.test('a login returns the end of the session and a cookie that scripts cannot read', async (t) => {
  const { login, setUp, clock } = await openHarness(t)
  await setUp()

  const answer = await login()

  t.same(answer.body, { ok: true, expires_at: Math.floor((clock.now() + DAY_MS) / 1000) })
  t.match(String(answer.headers['set-cookie']), /^cw_auth=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
})

t.test('a remembered login survives the browser for the configured days and changes no setting', async (t) => {
  const { login, setUp, clock, config } = await openHarness(t)
  await setUp()
  await config.change(
    'test',
    (draft) => void ((draft['app_auth'] as Record<string, unknown>)['remember_session_days'] = 7),
  )
  const revision = config.revision()

  const answer = await login({ remember_me: true })

  t.equal(answer.body['expires_at'], Math.floor((clock.now() + 7 * DAY_MS) / 1000))
  t.match(String(answer.headers['set-cookie']), /; Max-Age=604800; Expires=Thu, 22 Jan 2026 12:00:00 GMT$/)
  t.equal(config.revision(), revision)
})

t.test('over https, also behind a trusted proxy, the cookie is for https only', async (t) => {
  const { login, setUp, config } = await openHarness(t)
  await setUp()
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.9' }

  const untrusted = await login({}, { headers })
  await config.change('test', (draft) => void (draft['security'] = { trusted_proxies: ['127.0.0.1'] }))
  const trusted = await login({}, { headers })

  t.notMatch(String(untrusted.headers['set-cookie']), /Secure/)
  t.match(String(trusted.headers['set-cookie']), /; Secure/)
})

t.test('a wrong name and a wrong password get the same answer', async (t) => {
  const { login, setUp } = await openHarness(t)
  await setUp()

  const answers = await Promise.all([
    login({ username: 'nobody' }, { from: '192.0.2.1', headers: { host: '192.0.2.99' } }),
    login({ password: 'wrong password' }, { from: '192.0.2.2', headers: { host: '192.0.2.99' } }),
    login({ username: 'adaa' }, { from: '192.0.2.3', headers: { host: '192.0.2.99' } }),
    login({ username: undefined, password: undefined }, { from: '192.0.2.4', headers: { host: '192.0.2.99' } }),
  ])

  for (const answer of answers) {
    t.equal(answer.status, 401)
    t.match(answer.body, { ok: false, error: 'Invalid credentials', attempts: 1, retry_after: 0 })
    t.match(answer.body, { show_help_banner: false, forgot_help_url: '' })
    t.equal(answer.cookie, undefined)
    t.equal(answer.headers['x-auth-required'], undefined, 'this is not the refusal of a missing session')
  }
})

t.test('a name with a space or capital that a keyboard added signs in, and the password stays exact', async (t) => {
  const { login, setUp } = await openHarness(t)
  await setUp()
  const spellings = [
    `${USERNAME} `,
    ` ${USERNAME}`,
    USERNAME.toUpperCase(),
    `${USERNAME[0]?.toUpperCase()}${USERNAME.slice(1)}\t`,
  ]
  for (const username of spellings) t.equal((await login({ username })).status, 200, JSON.stringify(username))
  for (const password of [`${PASSWORD} `, PASSWORD.toUpperCase()])
    t.equal((await login({ password }, { from: '192.0.2.7', headers: { host: '192.0.2.99' } })).status, 401)
  t.equal((await login({ username: 'ad a' }, { from: '192.0.2.8', headers: { host: '192.0.2.99' } })).status, 401)
})

t.test('failures of other clients lock out no signed-in person at the same address', async (t) => {
  const { login, setUp } = await openHarness(t)
  await setUp()
  const own = await login()
  for (let n = 0; n < 3; n += 1) await login({ username: 'x', password: 'wrong password' })
  t.equal((await login()).status, 429, 'strangers at the address wait')
  const headers = { cookie: String(own.headers['set-cookie']).split(';')[0] as string }
  t.equal((await login({}, { headers })).status, 200)
  const again = await login()
  t.equal(again.status, 429, 'and that lets no stranger in')
})

t.test(
  'after three failures a client is locked, even with the right password, and a success resets the count',
  async (t) => {
    const { login, setUp, clock } = await openHarness(t)
    await setUp()

    await login({ password: 'wrong' })
    await login({ password: 'wrong' })
    const third = await login({ password: 'wrong' })
    clock.advance(30_000)
    const locked = await login()
    clock.advance(30_000)
    const free = await login()
    const next = await login({ password: 'wrong' })

    t.equal(third.status, 429)
    t.match(third.body, {
      error: 'Too many failed attempts. Try again in 60s',
      attempts: 3,
      retry_after: 60,
      show_help_banner: true,
    })
    t.equal(third.headers['retry-after'], '60')
    t.equal(locked.status, 429)
    t.match(locked.body, { error: 'Try again in 30s', attempts: 3, retry_after: 30 })
    t.equal(free.status, 200)
    t.match([next.status, next.body['attempts']], [401, 1])
  },
)

t.test('concurrent guesses get no additional attempts', async (t) => {
  const { login, setUp, events } = await openHarness(t)
  await setUp()

  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => login({ password: `guess ${i}` })))

  t.same(answers.map(({ status }) => status).filter((status) => status === 401).length, 2)
  t.equal(Math.max(...answers.map(({ body }) => Number(body['attempts']))), 3, 'the password was looked at three times')
  t.equal(events.filter(({ name }) => name === 'auth.login_failed').length, 3)
  t.equal(events.filter(({ name }) => name === 'auth.login_blocked').length, 1, 'a flood leaves one record')
})

t.test('two hundred simultaneous logins each get a session, and the ten newest remain', async (t) => {
  const { login, setUp, sessions, call, database } = await openHarness(t)
  await setUp()

  const answers = await Promise.all(Array.from({ length: 200 }, () => login()))

  t.ok(answers.every(({ status }) => status === 200))
  t.equal(new Set(answers.map(({ cookie }) => cookie)).size, 200)
  t.equal(sessions.list().length, 10)
  const stored = await database.db.selectFrom('core__sessions').select('id').execute()
  t.same(
    stored.map(({ id }) => id).sort(),
    sessions
      .list()
      .map(({ id }) => id)
      .sort(),
  )
  const alive = await Promise.all(
    answers.map(async ({ cookie }) => (await call('/api/protected', { cookie })).status === 200),
  )
  t.equal(alive.filter(Boolean).length, 10)
  t.ok(alive.slice(-10).every(Boolean))
})

t.test('a login with a valid cookie replaces that session', async (t) => {
  const { login, setUp, sessions, call } = await openHarness(t)
  const first = await setUp()

  const second = await login({}, { cookie: first })

  t.equal(sessions.list().length, 1)
  t.equal((await call('/api/protected', { cookie: first })).status, 401)
  t.equal((await call('/api/protected', { cookie: second.cookie })).status, 200)
})

t.test('login is refused without an account, and while authentication is off', async (t) => {
  const { login, setUp, call } = await openHarness(t)

  const early = await login()
  const cookie = await setUp()
  await call('/api/app-auth/credentials', { json: { enabled: false, current_password: PASSWORD }, cookie })
  const off = await login()

  t.same([early.status, early.body], [403, { ok: false, error: 'Authentication setup required' }])
  t.match([off.status, off.body['error']], [400, 'Authentication is not configured'])
})

t.test('a body that is not an object is a validation error', async (t) => {
  const { login, setUp, call } = await openHarness(t)
  await setUp()

  for (const answer of [
    await call('/api/app-auth/login', { json: [] }),
    await login({ remember_me: 'yes' }),
    await login({ username: 7 }),
    await call('/api/app-auth/login', { method: 'POST' }),
  ]) {
    t.equal(answer.status, 422)
    t.match(answer.body, { detail: [{ loc: ['body'], msg: String, type: String }] })
  }
})

t.test('a login from a foreign page is refused before the password check', async (t) => {
  const { login, setUp, events } = await openHarness(t)
  await setUp()

  const answer = await login({ password: 'wrong' }, { headers: { origin: 'https://attacker.example' } })

  t.same([answer.status, answer.body], [403, { ok: false, error: 'Origin mismatch' }])
  t.same(
    events.filter(({ name }) => name.startsWith('auth.login')),
    [],
  )
})

t.test('a password of the older scheme still works and is rehashed', async (t) => {
  const { login, setUp, config, auth, call } = await openHarness(t)
  const cookie = await setUp()
  const salt = Buffer.from('0123456789abcdef')
  const old = {
    scheme: 'pbkdf2_sha256',
    iterations: 260_000,
    salt: salt.toString('base64url'),
    hash: pbkdf2Sync(PASSWORD, salt, 260_000, 32, 'sha256').toString('base64url'),
  }
  await config.change('test', (draft) => void ((draft['app_auth'] as Record<string, unknown>)['password'] = old))

  const wrong = await login({ password: 'wrong password' })
  const right = await login()

  t.same([wrong.status, right.status], [401, 200])
  t.equal(auth.account().password?.scheme, 'argon2id')
  t.equal((await login()).status, 200)
  t.equal((await call('/api/protected', { cookie })).status, 200, 'nobody is signed out by it')
})

t.test('a password change while an old one is being checked admits no login with the old one', async (t) => {
  const { login, setUp, call, sessions } = await openHarness(t)
  const cookie = await setUp()
  const changed = call('/api/app-auth/credentials', {
    json: { enabled: true, username: USERNAME, password: 'another battery', current_password: PASSWORD },
    cookie,
  })

  const logins = await Promise.all([login(), login(), login()])
  const outcome = await changed

  t.equal(outcome.status, 200)
  const statuses = await Promise.all(
    logins.map(async ({ cookie: old }) => (await call('/api/protected', { cookie: old })).status),
  )
  t.same(statuses, [401, 401, 401])
  t.equal(sessions.list().length, 1)
})

t.test('a login that became wrong while it waited counts as wrong', async (t) => {
  let meanwhile = async () => {}
  const { login, setUp, config, sessions } = await openHarness(t, {
    passwords: (real) => ({
      hash: real.hash,
      async verify(password, record) {
        const check = await real.verify(password, record)
        await meanwhile()
        return check
      },
    }),
  })
  await setUp()
  await sessions.endAll()
  meanwhile = async () =>
    void (await config.change(
      'test',
      (draft) => void ((draft['app_auth'] as Record<string, unknown>)['credentials_id'] = 'new'),
    ))

  const answer = await login()

  t.match([answer.status, answer.body['attempts'], answer.cookie], [401, 1, undefined])
  t.same(sessions.list(), [])
})

t.test('a session of other credentials is invalid, however it came into the table', async (t) => {
  const { call, setUp, config } = await openHarness(t)
  const cookie = await setUp()

  await config.change(
    'a restored backup',
    (draft) => void ((draft['app_auth'] as Record<string, unknown>)['credentials_id'] = 'older'),
  )

  t.equal((await call('/api/protected', { cookie })).status, 401)
  t.match((await call('/api/app-auth/status', { cookie })).body, { authenticated: false })
})

t.test('records of a login contain people and addresses, and no secret', async (t) => {
  const { login, setUp, events } = await openHarness(t)
  await setUp()

  const { cookie } = await login()
  await login({ username: `evil\u001b[31m${'x'.repeat(500)}`, password: 'a secret guess' })

  const [success] = events.filter(({ name }) => name === 'auth.login')
  const [failure] = events.filter(({ name }) => name === 'auth.login_failed')
  t.match(success?.data, { username: USERNAME, address: '127.0.0.1', method: 'password' })
  t.equal(String(failure?.data['username']).length, 64)
  t.match(String(failure?.data['username']), /^evil\[31mx+$/)
  t.notMatch(JSON.stringify(events), /a secret guess|correct horse/)
  t.notMatch(JSON.stringify(events), String(cookie).slice('cw_auth='.length))
})
