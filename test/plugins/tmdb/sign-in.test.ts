// Sign-in to TMDB, with every result.
import t from 'tap'
import { startBench } from './support.ts'

t.test('a person enters a key, consents on the page, and the profile works', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { tmdb, call } = bench
  const started = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
  t.match(started, { status: 200, body: { ok: true, request_token: String, expires_at: / UTC$/, instance: 'default' } })
  t.equal(started.body.auth_url, `https://www.themoviedb.org/authenticate/${started.body.request_token}`)
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.match((await call('POST', 'connect/finish', {})).body, { ok: false, error: 'not_approved' })
  t.match((await call('GET', 'verify')).body, { ok: true, connected: false, pending: true, error: '' })

  tmdb.actions.approve(started.body.request_token)
  await new Promise((resolve) => setTimeout(resolve, 30))
  const finished = await call('POST', 'connect/finish', {})

  t.match(finished.body, { ok: true, session_id: '••••••••', account_id: '548', instance: 'default' })
  t.match((await call('POST', 'connect/finish', {})).body, { ok: true }, 'asking twice changes nothing')
  t.match((await call('GET', 'verify')).body, {
    ok: true,
    connected: true,
    pending: false,
    account: { id: '548', username: 'ada' },
  })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '548', user: { id: '548', name: 'ada' } })
  const text = JSON.stringify([started.body, finished.body, bench.host.logs])
  for (const secret of [tmdb.apiKey, ...tmdb.sessions.keys()])
    t.notOk(text.includes(secret), 'no secret is told or logged')
})

t.test('polling completes an approved sign-in', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { body } = await bench.call('POST', 'connect/start', { api_key: bench.tmdb.apiKey })
  bench.tmdb.actions.approve(body.request_token)
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.match((await bench.call('GET', 'verify')).body, { connected: true, pending: false, account: { username: 'ada' } })
  t.match(await bench.profile(), { configured: true })
})

t.test('an expired token ends the sign-in with 410, a used one with its code', async (t) => {
  const past = Date.now() - 3_599_900
  await using bench = await startBench({ signedIn: false, nowMs: () => past })
  const { tmdb, call } = bench
  await call('POST', 'connect/start', { api_key: tmdb.apiKey })
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  t.match(await call('POST', 'connect/finish', {}), {
    status: 410,
    body: { ok: false, status: 'expired', instance: 'default' },
  })
  t.match(await call('GET', 'verify'), { status: 410, body: { connected: false, pending: false } })
  t.match((await call('POST', 'connect/finish', { request_token: 'abc' })).body, {
    ok: false,
    error: 'invalid_request_token',
  })
})

t.test('an invalid key is refused before anything is sent', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { tmdb, call } = bench
  for (const [api_key, error] of [
    [undefined, 'api_key_required'],
    ['  ', 'api_key_required'],
    [`Bearer ${tmdb.apiKey}`, 'bearer_prefix'],
    [tmdb.bearer, 'v4_token_given'],
    ['abc', 'invalid_format'],
  ] as const) {
    t.match((await call('POST', 'connect/start', { ...(api_key === undefined ? {} : { api_key }) })).body, {
      ok: false,
      error,
    })
    t.match((await call('POST', 'save', { ...(api_key === undefined ? {} : { api_key }) })).body, { ok: false, error })
  }
  t.equal(tmdb.requests.length, 0)
  t.match((await call('POST', 'connect/finish', { api_key: tmdb.apiKey })).body, {
    ok: false,
    error: 'missing_request_token',
  })
  t.match((await call('GET', 'verify')).body, { ok: true, connected: false, pending: false, error: 'api_key_required' })
  t.match(await call('POST', 'connect/start?instance=METAA-P07', { api_key: tmdb.apiKey }), { status: 404 })
  t.match(await call('POST', 'connect/start?instance=x', { api_key: tmdb.apiKey }), {
    status: 400,
    body: { error: 'invalid_instance_id' },
  })
})

t.test('failures of the service are codes, and change no stored data', async (t) => {
  await using bench = await startBench({ settings: { max_retries: 0 } })
  const { tmdb, call, host } = bench
  const before = await bench.profile()
  for (const [fault, error, status] of [
    [{ kind: 'status', status: 503 }, 'upstream_error', 200],
    [{ kind: 'html' }, 'upstream_error', 200],
    [{ kind: 'html', status: 200 }, 'bad_response', 200],
    [{ kind: 'reset' }, 'unreachable', 200],
  ] as const) {
    tmdb.faults.add({ ...fault, times: 1 })
    t.match(
      await call('POST', 'connect/start', { api_key: tmdb.apiKey }),
      { status, body: { ok: false, error } },
      error,
    )
  }
  t.match((await call('POST', 'connect/start', { api_key: '0'.repeat(32) })).body, {
    ok: false,
    error: 'invalid_api_key',
  })
  t.match((await call('POST', 'save', { session_id: 'nobody' })).body, { ok: false, error: 'invalid_session' })
  tmdb.faults.add({ kind: 'status', status: 500, times: 1 })
  t.match((await call('GET', 'verify')).body, { ok: false, connected: false, pending: false, error: 'verify_failed' })
  t.same(await bench.profile(), before)
  t.notOk(JSON.stringify(host.logs).includes(tmdb.apiKey), 'no key in the log')
})

t.test('too many requests are answered 429 with the time to wait', async (t) => {
  await using bench = await startBench({ signedIn: false, settings: { timeout: 1 } })
  bench.tmdb.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '30' } })
  t.match(await bench.call('POST', 'connect/start', { api_key: bench.tmdb.apiKey }), {
    status: 429,
    body: { ok: false, error: 'rate_limited', retry_after: Number },
  })
})

t.test('an entered session is stored if it works; the mask keeps the stored one', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { tmdb, call } = bench
  const session = tmdb.signIn()
  t.match(await call('POST', 'save', { api_key: tmdb.apiKey, session_id: session }), {
    status: 200,
    body: { ok: true, instance: 'default' },
  })
  t.match(await call('POST', 'save', { api_key: '••••••••', session_id: '••••••••' }), { body: { ok: true } })
  t.match((await call('GET', 'verify')).body, { connected: true, account: { id: '548' } })
  tmdb.actions.endSessions()
  t.match((await call('GET', 'verify')).body, { ok: true, connected: false, error: 'invalid_session' })
})

t.test('disconnecting ends the session at the service and deletes all data', async (t) => {
  await using bench = await startBench()
  t.match(await bench.call('POST', 'disconnect'), { status: 200, body: { ok: true, instance: 'default' } })
  t.equal(bench.tmdb.sessions.size, 0)
  t.match(await bench.profile(), { configured: false })
  t.match((await bench.call('GET', 'verify')).body, { connected: false, error: 'api_key_required' })
})

t.test('two profiles sign in as two people, and neither sees the other', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'kim'] })
  const { tmdb, call, provider } = bench
  const id = await provider.createProfile({ label: 'Kim', settings: { api_url: tmdb.apiUrl } })
  t.match((await call('GET', `verify?instance=${id}`)).body, {
    connected: false,
    error: 'api_key_required',
    instance: id,
  })
  const { body } = await call('POST', `connect/start?instance=${id}`, { api_key: tmdb.apiKey })
  tmdb.actions.approve(body.request_token, 'kim')
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.match((await call('POST', `connect/finish?instance=${id}`, {})).body, { ok: true, account_id: '549', instance: id })
  tmdb.actions.list(tmdb.work('movie', 0), 'ada')
  t.equal((await bench.read('watchlist')).rows.length, 1)
  t.match(await bench.read('watchlist', {}, id), { rows: [], end: { complete: true, account: '549' } })
})

t.test('a failing service leaves the sign-in pending, says so, and it continues later', async (t) => {
  await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
  const { tmdb, call } = bench
  const { body } = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
  tmdb.actions.approve(body.request_token)
  await new Promise((resolve) => setTimeout(resolve, 30))
  // The second check polls again, or returns the result of the first: milliseconds decide.
  tmdb.faults.add({ kind: 'status', status: 503, match: '/3/authentication/session/new', times: 2 })
  t.match((await call('POST', 'connect/finish', {})).body, { ok: false, error: 'upstream_error' })
  t.match((await call('GET', 'verify')).body, { ok: false, connected: false, pending: false, error: 'verify_failed' })
  await until(async () => (await call('POST', 'connect/finish', {})).body.ok === true)
  t.match(await bench.profile(), { configured: true })
})

t.test('a session is kept even if its user is unknown, and the name is added later', async (t) => {
  await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
  const { tmdb, call } = bench
  const { body } = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
  tmdb.actions.approve(body.request_token)
  await new Promise((resolve) => setTimeout(resolve, 30))
  tmdb.faults.add({ kind: 'status', status: 503, match: '/3/account', times: 1 })
  t.match((await call('POST', 'connect/finish', {})).body, { ok: true, account_id: '' })
  t.match((await call('GET', 'verify')).body, { connected: true, account: { id: '548', username: 'ada' } })
})

t.test('a token that the service expired early is expired, not wrong', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { body } = await bench.call('POST', 'connect/start', { api_key: bench.tmdb.apiKey })
  bench.tmdb.actions.expire(body.request_token)
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.match(await bench.call('POST', 'connect/finish', {}), { status: 410, body: { ok: false, status: 'expired' } })
  t.match(await bench.profile(), { configured: false })
})

t.test(
  'a refusal leaves it pending, because the service does not report it, until another sign-in is started',
  async (t) => {
    await using bench = await startBench({ signedIn: false })
    const { tmdb, call } = bench
    const first = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
    tmdb.actions.deny(first.body.request_token)
    await new Promise((resolve) => setTimeout(resolve, 30))
    t.match((await call('POST', 'connect/finish', {})).body, { ok: false, error: 'not_approved' })
    const second = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
    tmdb.actions.approve(second.body.request_token)
    await new Promise((resolve) => setTimeout(resolve, 30))
    t.match((await call('POST', 'connect/finish', {})).body, { ok: true, account_id: '548' })
  },
)

t.test('a pending sign-in continues after a reload of the plugin', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { tmdb, call } = bench
  const { body } = await call('POST', 'connect/start', { api_key: tmdb.apiKey })
  await bench.host.reload()
  tmdb.actions.approve(body.request_token)
  await until(async () => (await call('POST', 'connect/finish', {})).body.ok === true)
  t.match((await call('GET', 'verify')).body, { connected: true })
})

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await check()); tries += 1) {
    if (tries > 400) throw new Error('nothing happened within 20 s')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
