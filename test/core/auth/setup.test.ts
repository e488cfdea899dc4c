// The first account: who may create it, and how a reset allows it again.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { resetAuthentication } from '../../../core/auth/reset.ts'
import { openDataDirectory } from '../../../core/storage/data-directory.ts'
import { createHarness, openHarness, PASSWORD, recordingLog, temporaryDirectory, USERNAME } from './harness.ts'

const ACCOUNT = { enabled: true, username: USERNAME, password: PASSWORD }
const REMOTE = { from: '192.0.2.7', headers: { host: '192.0.2.1:8787' } }
const SHARED = { environment: { loopbackOnly: false } }
const CREDENTIALS = '/api/app-auth/credentials'

t.test('a person at the machine creates the first account without a token and is signed in', async (t) => {
  const { call } = await openHarness(t, SHARED)

  const before = await call('/api/app-auth/status')
  const created = await call(CREDENTIALS, { json: ACCOUNT })
  const after = await call('/api/app-auth/status', { cookie: created.cookie })

  t.match(before.body, {
    setup_required: true,
    configured: false,
    enabled: false,
    authenticated: false,
    current_session: null,
  })
  t.equal(created.status, 200)
  t.match(created.body, { ok: true, enabled: true, expires_at: Number })
  t.match(after.body, {
    setup_required: false,
    configured: true,
    enabled: true,
    authenticated: true,
    username: USERNAME,
  })
})

t.test('a remote caller needs the setup token from the console', async (t) => {
  const { call, announced, lines } = await openHarness(t, SHARED)
  const token = tokenIn(announced)

  const without = await call(CREDENTIALS, { json: ACCOUNT, ...REMOTE })
  const wrong = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: 'AAAAA-AAAAA-AAAAA-AAAAA' }, ...REMOTE })
  const right = await call(CREDENTIALS, {
    json: { ...ACCOUNT, setup_token: token.toLowerCase().replaceAll('-', ' ') },
    ...REMOTE,
  })

  t.match([without.status, without.body['error']], [403, 'setup_token_required'])
  t.match([wrong.status, wrong.body['error']], [403, 'setup_token_invalid'])
  t.equal(right.status, 200)
  t.notMatch(JSON.stringify(lines), token, 'the log, which is readable over HTTP, does not hold it')
})

t.test('guessing the setup token is slowed down like guessing a password', async (t) => {
  const { call } = await openHarness(t, SHARED)

  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1) {
    statuses.push((await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: `guess-${i}` }, ...REMOTE })).status)
  }

  t.same(statuses, [403, 403, 429, 429])
})

t.test('the operator can set the setup token in the environment, and then none is printed', async (t) => {
  const { call, announced } = await openHarness(t, { environment: { loopbackOnly: false, setupToken: 'chosen by me' } })

  const wrong = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: 'chosenbyme' }, ...REMOTE })
  const right = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: 'chosen by me' }, ...REMOTE })

  t.same(announced, [])
  t.equal(wrong.status, 403)
  t.equal(right.status, 200)
})

t.test('a printed token works once: a later reset needs another', async (t) => {
  const { call, announced, config } = await openHarness(t, SHARED)
  const token = tokenIn(announced)
  await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: token }, ...REMOTE })
  await config.change(
    'by hand',
    (draft) => void ((draft['app_auth'] as Record<string, unknown>)['reset_required'] = true),
  )

  const again = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: token }, ...REMOTE })
  await call(CREDENTIALS, { json: ACCOUNT, ...REMOTE })
  const fresh = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: tokenIn(announced.slice(1)) }, ...REMOTE })

  t.match([again.status, again.body['error']], [403, 'setup_token_invalid'])
  t.equal(fresh.status, 200)
})

t.test('a request through a proxy on this machine is not a local request', async (t) => {
  const { call } = await openHarness(t, SHARED)

  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    const answer = await call(CREDENTIALS, { json: ACCOUNT, headers: { [header]: '127.0.0.1' } })

    t.match([answer.status, answer.body['error']], [403, 'setup_token_required'], header)
  }
})

t.test('a local listener prints no token until one is needed', async (t) => {
  const { call, announced } = await openHarness(t)
  t.same(announced, [])

  await call(CREDENTIALS, { json: ACCOUNT, headers: { via: '1.1 proxy' } })
  const answer = await call(CREDENTIALS, {
    json: { ...ACCOUNT, setup_token: tokenIn(announced) },
    headers: { via: '1.1 proxy' },
  })

  t.equal(answer.status, 200)
})

t.test('of many simultaneous first accounts exactly one is created', async (t) => {
  const { call, login } = await openHarness(t)

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => call(CREDENTIALS, { json: { ...ACCOUNT, username: `user${i}` } })),
  )
  const winners = answers
    .map(({ status }, i) => ({ status, username: `user${i}` }))
    .filter(({ status }) => status === 200)

  t.equal(winners.length, 1)
  t.ok(
    answers.every(({ status }) => [200, 401, 409].includes(status)),
    'the others are told',
  )
  t.equal((await login({ username: winners[0]?.username })).status, 200)
})

t.test('the first account is refused without a sensible name and password, and nothing is stored', async (t) => {
  const { call, config } = await openHarness(t)
  const cases = [
    [{ username: '' }, 400, 'Username is required'],
    [{ username: '   ' }, 400, 'Username is required'],
    [{ username: 'a\u0000b' }, 400, 'Username must be at most 64 printable characters'],
    [{ username: 'x'.repeat(65) }, 400, 'Username must be at most 64 printable characters'],
    [{ password: '' }, 400, 'Password is required'],
    [{ password: 'seven77' }, 400, 'Password must be at least 8 characters'],
    [{ password: 'x'.repeat(1025) }, 400, 'Password must be at most 1024 characters'],
  ] as const

  for (const [change, status, error] of cases) {
    const answer = await call(CREDENTIALS, { json: { ...ACCOUNT, ...change } })
    t.match([answer.status, answer.body['error']], [status, error], error)
  }
  t.equal(config.at('app_auth.username'), '')
})

t.test('a malformed body is a validation error and never turns anything off', async (t) => {
  const { call, setUp, auth } = await openHarness(t)
  const cookie = await setUp()

  for (const json of [{ username: USERNAME }, { enabled: 'no' }, { enabled: true, remember_session_days: '7' }, []]) {
    const answer = await call(CREDENTIALS, { json, cookie })
    t.equal(answer.status, 422, JSON.stringify(json))
    t.match(answer.body, { detail: [{ loc: ['body'], msg: String, type: String }] })
  }
  t.equal(auth.state(), 'enabled')
})

t.test('a reset by the environment opens the setup once for each value', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await createHarness(directory)
  const cookie = await first.setUp()
  await first.close()

  const reset = await createHarness(directory, { environment: { authReset: 'monday', loopbackOnly: false } })
  await reset.auth.start()
  const status = await reset.call('/api/app-auth/status', { cookie })
  const remote = await reset.call(CREDENTIALS, { json: ACCOUNT, ...REMOTE })
  const again = await reset.call(CREDENTIALS, {
    json: { ...ACCOUNT, setup_token: tokenIn(reset.announced) },
    ...REMOTE,
  })
  await reset.close()

  const restarted = await createHarness(directory, { environment: { authReset: 'monday', loopbackOnly: false } })
  await restarted.auth.start()
  const state = restarted.auth.state()
  await restarted.close()

  t.match(status.body, { setup_required: true, reset_required: true, configured: false, authenticated: false })
  t.equal(remote.status, 403, 'a reset does not let everybody in')
  t.equal(again.status, 200)
  t.equal(state, 'enabled', 'the same value does nothing the second time')
})

t.test('an offline reset prints a token that works once and ends all sessions', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await createHarness(directory)
  const cookie = await before.setUp()
  await before.close()

  const { setupToken } = await resetAuthentication(directory, { log: recordingLog([]) })
  const { call, config, auth, announced, sessions } = await openHarness(t, { ...SHARED, directory })
  t.same(sessions.list(), [])
  const reset = await call('/api/protected', { cookie })
  const claimed = await call(CREDENTIALS, { json: { ...ACCOUNT, setup_token: setupToken }, ...REMOTE })

  t.same([reset.status, reset.body['error']], [403, 'Authentication setup required'])
  t.same(announced, [], 'no second token')
  t.equal(claimed.status, 200)
  t.equal((await call('/api/protected', { cookie })).status, 401, 'the old session stays dead')
  t.equal(auth.account().setupTokenHash, '')
  t.notMatch(JSON.stringify(config.current()), setupToken)
})

t.test('with an unreadable configuration the service starts, and refuses requests', async (t) => {
  const directory = temporaryDirectory(t)
  await writeFile(join(directory, 'config.json'), '{ broken')

  const { call, lines } = await openHarness(t, { directory, environment: { authReset: 'monday' } })

  t.equal((await call('/api/always')).status, 200)
  t.same((await call(CREDENTIALS, { json: ACCOUNT })).body, { ok: false, error: 'Service unavailable' })
  t.ok(lines.some(({ level, text }) => level === 'error' && /sign-in is impossible/.test(text)))
})

t.test('an offline reset is refused while the service runs', async (t) => {
  const directory = temporaryDirectory(t)
  const running = await openDataDirectory(directory)
  t.teardown(() => running.close())

  await t.rejects(resetAuthentication(directory, { log: recordingLog([]) }), { code: 'PLH_CONFLICT' })
})

function tokenIn(announced: readonly string[]): string {
  const token = /[A-Z2-9]{5}(-[A-Z2-9]{5}){3}/.exec(announced.join(' '))?.[0]
  if (token === undefined) throw new Error('no setup token was announced')
  return token
}
