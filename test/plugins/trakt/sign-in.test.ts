// Sign-in with a code and in the browser, with and without a client secret, with every result, and signing out.
import { PlayheadError } from '@playhead/sdk'
import type { Fault } from '../../upstreams/base/index.ts'
import t from 'tap'
import { applicantOf, deviceFlow } from '../../../plugins/providers/trakt/sign-in/device-flow.ts'
import { codeOf, startBench, type Bench } from './support.ts'

const NEW = '/api/trackA/pin/new'
const DELETE = '/api/trackA/token/delete'
const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

async function post({ host }: Bench, url: string, payload?: object) {
  const answer = await host.inject({ method: 'POST', url, ...(payload === undefined ? {} : { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}

t.test('a code is shown, typed in, and the profile is signed in automatically', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { trakt } = bench
  t.match(await bench.provider.probe('default'), { status: 'not_configured', reasonCode: 'not_configured' })
  const { status, body } = await post(bench, NEW)
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    instance: 'default',
    user_code: /^[0-9A-F]{8}$/,
    verification_url: 'https://auth.trakt.tv/activate',
    verificationUrl: 'https://auth.trakt.tv/activate',
    expiresIn: Number,
    expires_at: Number,
    interval: 5,
  })
  t.ok(body.expiresIn > 590 && body.expiresIn <= 600)
  trakt.approve(body.user_code)
  while (bench.kit.flows.state('default', 'device_code')?.state === 'pending')
    await new Promise((resolve) => setTimeout(resolve, 50))
  t.match(bench.kit.flows.state('default', 'device_code'), { state: 'authorized' })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: 'uuid-of-ada' })
  const { expires_at: expiresAt, refresh_token: refresh } = bench.kit.profile('default')
  t.ok(Math.abs(expiresAt - Date.now() / 1_000 - 604_800) < 10, 'seven days')
  t.ok(refresh.length > 0)
  t.notMatch(JSON.stringify(bench.host.logs), new RegExp(refresh), 'and no log knows it')
})

t.test('every other end of a code is reported', async (t) => {
  const endings: readonly (readonly [string, (bench: Bench, code: string) => void, object])[] = [
    ['nobody did anything', () => {}, { state: 'pending' }],
    ['refused', ({ trakt }, code) => trakt.deny(code), { state: 'denied' }],
    ['too old', ({ trakt }) => trakt.advance(600_000), { state: 'expired' }],
    [
      'asked too fast',
      ({ trakt }) => void trakt.faults.add({ match: '/oauth/device/token', kind: 'status', status: 429 }),
      { state: 'slow_down' },
    ],
    [
      'used before',
      ({ trakt }) => void trakt.faults.add({ match: '/oauth/device/token', kind: 'status', status: 409 }),
      { state: 'failed', reason: 'already_used' },
    ],
    [
      'not known',
      ({ trakt }) => void trakt.faults.add({ match: '/oauth/device/token', kind: 'status', status: 404 }),
      { state: 'failed', reason: 'invalid_code' },
    ],
    [
      'a wrong secret',
      ({ trakt }) => void trakt.faults.add({ match: '/oauth/device/token', kind: 'status', status: 401 }),
      { state: 'failed', reason: 'invalid_client' },
    ],
  ]
  for (const [name, happen, expected] of endings) {
    await using bench = await startBench({ signedIn: false })
    const flow = deviceFlow(bench.kit, 'default')
    const { shown, secret } = await flow.start(new AbortController().signal)
    happen(bench, String(shown['user_code']))
    t.match(await flow.poll(secret, new AbortController().signal), expected, name)
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
})

t.test('a service that fails for a while leaves the sign-in pending', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const flow = deviceFlow(bench.kit, 'default')
  const { secret } = await flow.start(new AbortController().signal)
  bench.trakt.faults.add({ match: '/oauth/device/token', kind: 'status', status: 503, times: 1 })
  t.equal(await codeOf(flow.poll(secret, new AbortController().signal)), 'PLH_UPSTREAM')
  t.match(await flow.poll(secret, new AbortController().signal), { state: 'pending' })
})

t.test('without an application there is no code; a masked one is the stored one', async (t) => {
  await using bench = await startBench({ signedIn: false, settings: { client_id: '', client_secret: '' } })
  const { clientId, clientSecret } = bench.trakt
  t.same((await post(bench, NEW)).body, { ok: false, error: 'missing_client_id', instance: 'default' })
  t.equal(bench.kit.profile('default').client_id, '', 'a failure stores nothing')
  t.match((await post(bench, NEW, { client_id: clientId, client_secret: clientSecret })).body, { ok: true })
  t.match(bench.kit.profile('default'), { client_id: clientId, client_secret: clientSecret })
  t.match((await post(bench, NEW, { client_id: '', client_secret: '••••••••' })).body, { ok: true })
  t.match(bench.kit.profile('default'), { client_id: clientId, client_secret: clientSecret })
})

t.test('another application is kept separately until its tokens are there', async (t) => {
  await using bench = await startBench({ settings: { client_secret: 'another secret' } })
  const { trakt } = bench
  const before = bench.kit.profile('default')
  t.match((await post(bench, NEW, { client_secret: trakt.clientSecret })).body, { ok: true })
  t.same(bench.kit.profile('default'), before)
  const entered = { client_secret: trakt.clientSecret }
  const flow = deviceFlow(bench.kit, 'default', applicantOf(bench.kit, 'default', entered))
  const { shown, secret } = await flow.start(new AbortController().signal)
  trakt.approve(String(shown['user_code']))
  t.match(await flow.poll(secret, new AbortController().signal), { state: 'authorized' })
  t.equal(bench.kit.profile('default').client_secret, trakt.clientSecret)
  t.not(bench.kit.profile('default').access_token, before.access_token)
})

t.test('failures before there is a code are named, and nothing is stored', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, 200, 'http_error'],
    [{ kind: 'status', status: 403 }, 200, 'http_error'],
    [{ kind: 'reset' }, 200, 'network_error'],
    [{ kind: 'empty' }, 200, 'invalid_response'],
    [{ kind: 'html', status: 200 }, 200, 'invalid_response'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
  ] as const
  for (const [fault, status, error] of faults) {
    await using bench = await startBench({ signedIn: false, settings: { client_id: 'x' } })
    bench.trakt.faults.add({ match: '/oauth/device/code', ...fault })
    const answer = await post(bench, NEW, { client_id: 'entered now' })
    t.match(answer, { status, body: { ok: false, error, instance: 'default' } })
    if (status === 429) t.equal(answer.body.retry_after, 90)
    t.equal(bench.kit.profile('default').client_id, 'x')
  }
})

t.test('an application without a secret signs in with a code, is refreshed, and signed out', async (t) => {
  await using bench = await startBench({ signedIn: false, application: 'public', capabilities: UNUSED })
  const { trakt } = bench
  const sent: { readonly path: string; readonly body: Promise<Buffer> }[] = []
  trakt.onAnswer(
    ({ request }) => request.path.startsWith('/oauth/') && sent.push({ path: request.path, body: request.body() }),
  )
  t.match((await post(bench, NEW)).body, { ok: true })
  const flow = deviceFlow(bench.kit, 'default')
  const { shown, secret } = await flow.start(new AbortController().signal)
  trakt.approve(String(shown['user_code']))
  t.match(await flow.poll(secret, new AbortController().signal), { state: 'authorized' })
  t.match(bench.kit.profile('default'), { token_client_id: trakt.clientId, client_secret: '' })
  trakt.user.expireTokens()
  t.match((await bench.read('ratings')).end, { complete: true })
  t.match(await post(bench, DELETE), { status: 200 })
  t.equal(trakt.count('/oauth/revoke'), 1)
  t.ok(trakt.requests.every(({ path, status }) => !path.startsWith('/oauth/') || status === 200))
  const bodies = await Promise.all(sent.map(async ({ path, body }) => [path, JSON.parse(String(await body))] as const))
  t.ok(bodies.length >= 4)
  for (const [path, body] of bodies) t.notOk('client_secret' in body, path)
  const verifier = bodies.find(([path]) => path === '/oauth/device/token')?.[1].code_verifier
  t.match(verifier, /^[\w-]{43}$/)
  t.same(
    bodies.filter(([, body]) => JSON.stringify(body).includes(verifier)).map(([path]) => path),
    ['/oauth/device/token'],
    'the verifier is in one request',
  )
  t.notOk(JSON.stringify([bench.host.logs, shown]).includes(verifier))
})

t.test('a code is refused without its proof', async (t) => {
  await using bench = await startBench({ signedIn: false, application: 'public' })
  const flow = deviceFlow(bench.kit, 'default')
  const { shown, secret } = await flow.start(new AbortController().signal)
  bench.trakt.approve(String(shown['user_code']))
  t.match(await flow.poll({ ...(secret as object), verifier: 'guessed' }, new AbortController().signal), {
    state: 'failed',
    reason: 'invalid_code',
  })
})

t.test('the body of a 400 decides; an empty one means pending', async (t) => {
  const cases = [
    ['authorization_pending', { state: 'pending' }],
    ['slow_down', { state: 'slow_down' }],
    ['access_denied', { state: 'denied' }],
    ['expired_token', { state: 'expired' }],
    ['invalid_client', { state: 'failed', reason: 'invalid_client' }],
    ['another word', { state: 'pending' }],
  ] as const
  await using bench = await startBench({ signedIn: false })
  const flow = deviceFlow(bench.kit, 'default')
  const { secret } = await flow.start(new AbortController().signal)
  for (const [error, expected] of cases) {
    const send: Fault['send'] = (response) =>
      void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    bench.trakt.faults.add({ match: '/oauth/device/token', kind: 'spoil', instead: true, send, times: 1 })
    t.match(await flow.poll(secret, new AbortController().signal), expected, error)
  }
})

t.test('the secret of another application is not sent with a new client id', async (t) => {
  await using bench = await startBench({
    application: 'public',
    signedIn: false,
    settings: { client_id: 'an older one', client_secret: 'of the older one' },
  })
  const { trakt } = bench
  t.match((await post(bench, NEW, { client_id: trakt.clientId })).body, { ok: true })
  t.match(bench.kit.profile('default'), { client_id: trakt.clientId, client_secret: '' })
})

t.test('tokens keep their application when another one is entered in the settings', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  const flow = deviceFlow(bench.kit, 'default')
  const { shown, secret } = await flow.start(new AbortController().signal)
  trakt.approve(String(shown['user_code']))
  await flow.poll(secret, new AbortController().signal)
  await bench.kit.account('default').save({ client_id: 'another', client_secret: '' })
  t.match(await bench.provider.probe('default'), { status: 'ok' })
})

t.test('a cleared secret is no longer sent, and the sign-in continues if the service needs none', async (t) => {
  await using bench = await startBench()
  const { trakt } = bench
  await bench.kit.account('default').save({ client_secret: '' })
  trakt.user.expireTokens()
  t.equal(await codeOf(bench.read('ratings')), 'PLH_AUTH_FAILED', 'this one needs it')
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
})

const AUTHORIZE = '/api/trackA/authorize'
const ORIGIN = 'https://playhead.test'

async function authorize({ host }: Bench, payload: object, secure = true) {
  return (await host.inject({ method: 'POST', url: AUTHORIZE, payload }, { secure })).json()
}

async function comeBack({ host }: Bench, { pathname, search }: URL, session?: { id: string; username: string } | null) {
  const answer = await host.inject(pathname + search, session === undefined ? {} : { session })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.body }
}

t.test('the browser goes to Trakt and returns, with a proof and without a secret', async (t) => {
  for (const application of ['public', 'secret'] as const) {
    await using bench = await startBench({ signedIn: false, application })
    const { trakt } = bench
    const sent: Promise<Buffer>[] = []
    trakt.onAnswer(({ request }) => request.path === '/oauth/token' && sent.push(request.body()))
    const body = await authorize(bench, { origin: ORIGIN })
    t.match(body, { ok: true, instance: 'default', authorize_url: String })
    t.match(Object.fromEntries(new URL(body.authorize_url).searchParams), {
      response_type: 'code',
      client_id: trakt.clientId,
      redirect_uri: `${ORIGIN}/callback/trackA`,
      code_challenge_method: 'S256',
    })
    const back = trakt.consent(body.authorize_url)
    t.match(await comeBack(bench, back), { status: 200, type: /^text\/plain/, text: /connected/ })
    t.match(await bench.provider.probe('default'), { status: 'ok', account: 'uuid-of-ada' })
    t.match(await comeBack(bench, back), { status: 400, text: /State mismatch/ }, 'an address works once')
    const exchange = JSON.parse(String(await sent[0]))
    t.notOk('client_secret' in exchange)
    const shown = JSON.stringify([bench.host.logs, body, trakt.requests.map(({ path, query }) => [path, [...query]])])
    t.notOk(shown.includes(exchange.code_verifier), 'the verifier is in the body of one request, and nowhere else')
    trakt.user.expireTokens()
    t.match((await bench.read('ratings')).end, { complete: true }, `${application}: and it is renewed`)
  }
})

t.test(
  'the browser is redirected only from an https address, with an application, and back to its origin',
  async (t) => {
    await using bench = await startBench({ signedIn: false })
    t.match(await authorize(bench, {}), { ok: false, error: 'origin_missing' })
    t.match(await authorize(bench, { origin: 'https://evil.example' }), { ok: false, error: 'invalid_origin' })
    t.match(await authorize(bench, { origin: 'http://playhead.test' }, false), { ok: false, error: 'https_required' })
    await bench.kit.account('default').save({ client_id: '' })
    t.match(await authorize(bench, { origin: ORIGIN }), { ok: false, error: 'missing_client_id' })
  },
)

t.test('another application entered for the browser is stored with its tokens, and not before', async (t) => {
  await using bench = await startBench({
    application: 'public',
    settings: { client_id: 'older', client_secret: 'older' },
  })
  const { trakt } = bench
  const before = bench.kit.profile('default')
  const body = await authorize(bench, { origin: ORIGIN, client_id: trakt.clientId })
  t.same(bench.kit.profile('default'), before)
  t.match(await comeBack(bench, trakt.consent(body.authorize_url)), { status: 200 })
  t.match(bench.kit.profile('default'), {
    client_id: trakt.clientId,
    client_secret: '',
    token_client_id: trakt.clientId,
  })
})

t.test('the application of the settings, entered again for the browser, is not stored again', async (t) => {
  await using bench = await startBench({ signedIn: false, application: 'public' })
  const { trakt, kit } = bench
  const body = await authorize(bench, { origin: ORIGIN, client_id: trakt.clientId })
  await kit.account('default').save({ client_id: 'entered meanwhile' })
  t.match(await comeBack(bench, trakt.consent(body.authorize_url)), { status: 200 })
  t.match(kit.profile('default'), { client_id: 'entered meanwhile', token_client_id: trakt.clientId })
})

t.test('a return of another session, with another state, refused, or not accepted, changes nothing', async (t) => {
  const ways: readonly (readonly [string, (bench: Bench, back: URL) => Promise<object>, RegExp, object])[] = [
    [
      'another session',
      (bench, back) => comeBack(bench, back, { id: 'somebody else', username: 'eve' }),
      /State mismatch/,
      { state: 'pending' },
    ],
    [
      'a guessed state',
      (bench, back) => comeBack(bench, changed(back, 'state', 'guessed')),
      /State mismatch/,
      { state: 'pending' },
    ],
    ['no state', (bench, back) => comeBack(bench, changed(back, 'state', '')), /Missing/, { state: 'pending' }],
    [
      'a no',
      (bench, back) => comeBack(bench, changed(changed(back, 'code', ''), 'error', 'access_denied')),
      /did not allow/,
      { state: 'denied' },
    ],
    [
      'a guessed code',
      (bench, back) => comeBack(bench, changed(back, 'code', 'guessed')),
      /did not accept/,
      { state: 'failed', reason: 'exchange_failed' },
    ],
  ]
  for (const [name, come, text, state] of ways) {
    await using bench = await startBench({ signedIn: false, application: 'public' })
    const { authorize_url: address } = await authorize(bench, { origin: ORIGIN })
    const answer = await come(bench, bench.trakt.consent(address))
    t.match(answer, { status: 400, text }, name)
    t.notMatch(JSON.stringify(answer), /guessed/, 'nothing of the address is repeated')
    t.match(await bench.provider.pollSignIn?.('default', 'oauth'), state, name)
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
})

function changed(url: URL, name: string, value: string): URL {
  const result = new URL(url)
  result.searchParams.set(name, value)
  return result
}

t.test('unknown profiles and invalid names are refused', async (t) => {
  await using bench = await startBench({ capabilities: UNUSED })
  for (const url of [NEW, DELETE]) {
    t.match(await post(bench, `${url}?instance=TRACKA-P07`), { status: 404, body: { ok: false, error: 'not_found' } })
    t.match(await post(bench, `${url}?instance=../x`), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})

t.test('an additional profile signs in with the application of the first, and has its own sign-in', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'], capabilities: UNUSED })
  const { trakt, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { api_url: trakt.url, oauth_url: trakt.url })
  const flow = deviceFlow(bench.kit, instance)
  const { shown, secret } = await flow.start(new AbortController().signal)
  trakt.approve(String(shown['user_code']), 'bob')
  t.match(await flow.poll(secret, new AbortController().signal), { state: 'authorized' })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [{ account: 'uuid-of-ada' }, { account: 'uuid-of-bob' }],
  )
  t.match(await post(bench, `${DELETE}?instance=${instance}`), { status: 200, body: { ok: true, instance } })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [{ status: 'ok' }, { status: 'not_configured' }],
  )
})

t.test('signing out revokes the tokens at the service and keeps the application', async (t) => {
  await using bench = await startBench({ capabilities: UNUSED })
  const { trakt } = bench
  const before = bench.kit.profile('default')
  t.same(await post(bench, DELETE), { status: 200, body: { ok: true, instance: 'default' } })
  t.match(bench.kit.profile('default'), {
    access_token: '',
    refresh_token: '',
    expires_at: 0,
    client_id: before.client_id,
    client_secret: before.client_secret,
  })
  t.equal(trakt.count('/oauth/revoke'), 1)
  const gone = await fetch(`${trakt.url}/users/settings`, {
    headers: {
      authorization: `Bearer ${before.access_token}`,
      'trakt-api-key': trakt.clientId,
      'trakt-api-version': '2',
    },
  })
  t.equal(gone.status, 401)
  t.equal(await codeOf(bench.read('ratings')), 'PLH_NOT_READY')
})

t.test('signing out works although the service does not answer, and not while the profile is in use', async (t) => {
  await using bench = await startBench({ capabilities: UNUSED })
  bench.trakt.faults.add({ match: '/oauth/revoke', kind: 'status', status: 400 })
  t.match(await post(bench, DELETE), { status: 200, body: { ok: true } })
  t.equal(bench.kit.profile('default').access_token, '')

  const inUse = async () => {
    throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', {
      wire: 'provider_in_use',
      details: { usages: [{ feature: 'sync_pair' }] },
    })
  }
  await using used = await startBench({ capabilities: { accounts: { assertUnused: inUse, forget: async () => {} } } })
  t.match(await post(used, DELETE), { status: 409, body: { ok: false, error: 'provider_in_use' } })
  t.not(used.kit.profile('default').access_token, '')
})

t.test('with a shipped application, a code needs no input from the person; an own one has priority', async (t) => {
  await using bench = await startBench({
    ships: true,
    application: 'public',
    signedIn: false,
    capabilities: UNUSED,
    settings: { client_id: '' },
  })
  const { trakt, provider } = bench
  const [code, browser] = (await provider.describe()).operations?.ways ?? []
  t.match([code?.method, code?.form, code?.help, code?.start?.body], ['device_code', null, null, []])
  t.match(browser?.form, { required: ['client_id'] }, 'the browser needs an application that knows this address')
  t.match(await authorize(bench, { origin: ORIGIN }), { ok: false, error: 'missing_client_id' })
  t.match((await post(bench, NEW)).body, { ok: true })
  const signIn = async () => {
    const flow = deviceFlow(bench.kit, 'default')
    const { shown, secret } = await flow.start(new AbortController().signal)
    trakt.approve(String(shown['user_code']))
    return flow.poll(secret, new AbortController().signal)
  }
  t.match(await signIn(), { state: 'authorized' })
  t.match(bench.kit.profile('default'), { client_id: '', token_client_id: trakt.clientId })
  trakt.user.expireTokens()
  t.match((await bench.read('ratings')).end, { complete: true }, 'and it is renewed')
  t.match(await post(bench, DELETE), { status: 200 })
  await bench.kit.account('default').save({ client_id: 'an own one' })
  t.match((await post(bench, NEW)).body, { ok: false, error: 'http_error' }, 'which Trakt does not know')
})

t.test('without a shipped application, the form asks for one', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const [code, browser] = (await bench.provider.describe()).operations?.ways ?? []
  t.match(
    [code?.form, code?.prepare, code?.start],
    [
      { properties: { client_id: {}, client_secret: { format: 'password' } }, required: ['client_id'] },
      null,
      { path: NEW, body: ['client_id', 'client_secret'] },
    ],
  )
  t.match(
    [browser?.form, browser?.prepare, browser?.start],
    [
      { properties: { client_id: {} }, required: ['client_id'] },
      null,
      { path: AUTHORIZE, body: ['origin', 'client_id'] },
    ],
  )
  t.notMatch(JSON.stringify(browser?.form), /client_secret/)
})
