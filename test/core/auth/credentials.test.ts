// Changing the account and turning authentication off: the required proof, and the sessions that end.
import t from 'tap'
import { openHarness, PASSWORD, USERNAME, type Harness } from './harness.ts'

const CREDENTIALS = '/api/app-auth/credentials'
const SAME = { enabled: true, username: USERNAME }

t.test('without a session the account cannot be changed', async (t) => {
  const { call, setUp } = await openHarness(t)
  await setUp()

  const answer = await call(CREDENTIALS, { json: { enabled: false } })

  t.same([answer.status, answer.body], [401, { ok: false, error: 'Unauthorized' }])
})

const PROOFS = [
  ['the name', { ...SAME, username: 'grace' }],
  ['the password', { ...SAME, password: 'another battery' }],
  ['switching it off', { enabled: false }],
] as const

for (const [what, change] of PROOFS) {
  t.test(`${what} changes only with the current password, a session is not enough`, async (t) => {
    const { call, setUp, auth } = await openHarness(t)
    const cookie = await setUp()
    const before = auth.account()

    const without = await call(CREDENTIALS, { json: change, cookie })
    const wrong = await call(CREDENTIALS, { json: { ...change, current_password: 'not the one' }, cookie })
    t.equal(auth.account(), before)
    const right = await call(CREDENTIALS, { json: { ...change, current_password: PASSWORD }, cookie })

    t.match([without.status, without.body['error']], [400, 'current_password_required'])
    t.match([wrong.status, wrong.body['error']], [403, 'current_password_invalid'])
    t.equal(right.status, 200)
  })
}

t.test('guessing the current password with a stolen session is slowed down', async (t) => {
  const { call, setUp } = await openHarness(t)
  const cookie = await setUp()

  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1) {
    const json = { ...SAME, password: 'another battery', current_password: `guess ${i}` }
    statuses.push((await call(CREDENTIALS, { json, cookie })).status)
  }
  const disguised = await call(CREDENTIALS, { json: { ...SAME, password: 'guess without saying so' }, cookie })

  t.same(statuses, [403, 403, 429, 429])
  t.equal(disguised.status, 429)
})

t.test('a new password ends all sessions and starts exactly one', async (t) => {
  const { call, setUp, login, sessions } = await openHarness(t)
  const cookie = await setUp()
  const other = await login()

  const answer = await call(CREDENTIALS, {
    json: { ...SAME, password: 'another battery', current_password: PASSWORD },
    cookie,
  })

  t.match(answer.body, { ok: true, enabled: true, expires_at: Number })
  t.equal(sessions.list().length, 1)
  t.same(await statuses(call, [cookie, other.cookie, answer.cookie]), [401, 401, 200])
  t.equal((await login({ password: PASSWORD })).status, 401)
  t.equal((await login({ password: 'another battery' })).status, 200)
})

t.test('remember-me settings change without the password and sign no session out', async (t) => {
  const { call, setUp, login, auth } = await openHarness(t)
  const cookie = await setUp()
  const other = await login()

  const answer = await call(CREDENTIALS, {
    json: { ...SAME, remember_session_enabled: true, remember_session_days: 900 },
    cookie,
  })

  t.match(answer.body, { ok: true, enabled: true, expires_at: Number })
  t.equal(answer.cookie, undefined, 'the caller keeps the session')
  t.match(auth.account(), { rememberEnabled: true, rememberDays: 365 })
  t.same(await statuses(call, [cookie, other.cookie]), [200, 200])
})

t.test('sending the current password proves the caller and changes nothing', async (t) => {
  const { call, setUp, auth } = await openHarness(t)
  const cookie = await setUp()
  const { password } = auth.account()

  const answer = await call(CREDENTIALS, { json: { ...SAME, password: PASSWORD, remember_session_days: 9 }, cookie })

  t.equal(answer.status, 200)
  t.same(auth.account().password, password)
  t.same(await statuses(call, [cookie]), [200])
})

t.test('a rejected password change keeps the old one', async (t) => {
  const { call, setUp, login } = await openHarness(t)
  const cookie = await setUp()

  const answer = await call(CREDENTIALS, { json: { ...SAME, password: 'short', current_password: PASSWORD }, cookie })

  t.match([answer.status, answer.body['error']], [400, 'Password must be at least 8 characters'])
  t.equal((await login()).status, 200)
})

t.test(
  'authentication cannot be turned off where other machines can connect, unless the operator allowed it',
  async (t) => {
    const off = { enabled: false, current_password: PASSWORD }
    const shared = await openHarness(t, { environment: { loopbackOnly: false } })
    const allowed = await openHarness(t, { environment: { loopbackOnly: false, allowNoAuth: true } })

    const refused = await shared.call(CREDENTIALS, { json: off, cookie: await shared.setUp() })
    const accepted = await allowed.call(CREDENTIALS, { json: off, cookie: await allowed.setUp() })

    t.match([refused.status, refused.body['error']], [400, 'auth_disable_not_allowed'])
    t.equal(shared.auth.state(), 'enabled')
    t.match([accepted.status, accepted.body], [200, { ok: true, enabled: false }])
    t.match(allowed.lines.filter(({ level }) => level === 'warn').at(-1)?.text, /switched off/)
  },
)

t.test(
  'without authentication every route is open, and the account still changes only with its password',
  async (t) => {
    const { call, setUp, auth } = await openHarness(t)
    const cookie = await setUp()
    const off = await call(CREDENTIALS, { json: { enabled: false, current_password: PASSWORD }, cookie })

    const open = await call('/api/protected')
    const status = await call('/api/app-auth/status', { cookie })
    const takeover = await call(CREDENTIALS, { json: { enabled: true, username: 'eve', password: 'eves password' } })
    const lockout = await call(CREDENTIALS, { json: SAME })

    t.equal(off.cookie, '')
    t.equal(open.status, 200)
    t.match(status.body, {
      enabled: false,
      configured: true,
      setup_required: false,
      authenticated: false,
      username: '',
    })
    t.equal(takeover.status, 400)
    t.equal(lockout.status, 400)
    t.match(auth.account(), { state: 'disabled', username: USERNAME })

    const on = await call(CREDENTIALS, { json: { ...SAME, current_password: PASSWORD } })
    t.equal(on.status, 200)
    t.same(await statuses(call, [cookie, on.cookie]), [401, 200])
  },
)

t.test(
  'turning authentication off during setup leaves no account, and creating one later has the setup requirements',
  async (t) => {
    const { call, auth } = await openHarness(t, { environment: { loopbackOnly: false, allowNoAuth: true } })
    const remote = { from: '192.0.2.7', headers: { host: '192.0.2.1' } }

    const byStranger = await call(CREDENTIALS, { json: { enabled: false }, ...remote })
    const off = await call(CREDENTIALS, { json: { enabled: false } })
    const stranger = await call(CREDENTIALS, { json: { ...SAME, password: 'strangers own' }, ...remote })
    const owner = await call(CREDENTIALS, { json: { ...SAME, password: PASSWORD } })

    t.equal(byStranger.status, 403)
    t.equal(off.status, 200)
    t.match([stranger.status, stranger.body['error']], [403, 'setup_token_required'])
    t.equal(owner.status, 200)
    t.equal(auth.state(), 'enabled')
  },
)

t.test('disabled authentication is reported at every start', async (t) => {
  const first = await openHarness(t)
  await first.call(CREDENTIALS, { json: { enabled: false, current_password: PASSWORD }, cookie: await first.setUp() })
  await first.sessions.close()

  const second = await openHarness(t, { directory: first.directory })

  t.equal(second.auth.state(), 'disabled')
  t.match(
    second.lines.filter(({ level }) => level === 'warn').map(({ text }) => text),
    [/switched off/],
  )
})

t.test('`enabled: false` in a file edited by hand, without an account, gives no access', async (t) => {
  const { config, auth, call } = await openHarness(t)

  await config.change('by hand', (draft) => void (draft['app_auth'] = { enabled: false, username: 'ada' }))

  t.equal(auth.state(), 'setup_required')
  t.equal((await call('/api/protected')).status, 403)
})

t.test('one of two changes that were proven against the same account is refused', async (t) => {
  const { call, setUp, login } = await openHarness(t)
  const cookie = await setUp()

  const answers = await Promise.all(
    ['first battery', 'other battery'].map((password) =>
      call(CREDENTIALS, { json: { ...SAME, password, current_password: PASSWORD }, cookie }),
    ),
  )

  t.same(answers.map(({ status }) => status).sort(), [200, 409])
  const winner = answers[0]?.status === 200 ? 'first battery' : 'other battery'
  t.equal((await login({ password: winner })).status, 200)
})

t.test('changes are recorded by name, never by value', async (t) => {
  const { call, setUp, events } = await openHarness(t)
  const cookie = await setUp()

  const json = {
    enabled: true,
    username: 'grace',
    password: 'another battery',
    current_password: PASSWORD,
    remember_session_days: 9,
  }
  await call(CREDENTIALS, { json, cookie })

  const [created, changed] = events.filter(({ name }) => name === 'auth.credentials_updated').map(({ data }) => data)
  t.same(created?.['fields'], ['enabled', 'username', 'password'])
  t.same(changed?.['fields'], ['username', 'password', 'remember_session_days'])
  t.notMatch(JSON.stringify(events), /battery|horse/)
})

async function statuses(call: Harness['call'], cookies: readonly (string | undefined)[]): Promise<readonly number[]> {
  return Promise.all(cookies.map(async (cookie) => (await call('/api/protected', { cookie })).status))
}
