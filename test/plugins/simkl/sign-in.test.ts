// Sign-in with a PIN and in the browser with every result, and signing out.
import t from 'tap'
import { isPlayheadError, type PlayheadError } from '@playhead/sdk'
import { pinFlow, problemOf } from '../../../plugins/providers/simkl/sign-in/pin-flow.ts'
import type { Fault } from '../../upstreams/base/index.ts'
import { type Bench, startBench } from './support.ts'

const START = '/api/trackB/pin/start'
const POLL = '/api/trackB/pin/poll'
const CANCEL = '/api/trackB/pin/cancel'
const AUTHORIZE = '/api/trackB/authorize'
const DELETE = '/api/trackB/token/delete'
const ORIGIN = 'http://playhead.test'
const signal = new AbortController().signal

/** An error in OAuth format. */
function refusal(status: number, error: string) {
  const send: Fault['send'] = (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  return { kind: 'spoil', instead: true, send } as const
}

t.test('a PIN is shown, typed in, and the profile is signed in', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { simkl } = bench
  t.match(await bench.provider.probe('default'), { status: 'not_configured' })
  const { status, body } = await bench.post(START)
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    user_code: /^[0-9A-F]{8}$/,
    verification_url: 'https://simkl.com/pin/',
    interval: 5,
    expires_in: 900,
    instance: 'default',
  })
  t.same((await bench.post(POLL)).body, { ok: true, status: 'pending', instance: 'default' })
  simkl.approve(body.user_code)
  t.match(await pinFlow(bench.kit, 'default').poll(secretOf(bench, body.user_code), signal), { state: 'authorized' })
  const profile = bench.kit.profile('default')
  t.match(profile, {
    auth_method: 'pin',
    token_client_id: simkl.clientId,
    access_token: /^simkl_at_/,
    refresh_token: /^simkl_rt_/,
    scope: 'media:read media:write',
  })
  t.ok(Math.abs(profile.expires_at - Date.now() / 1_000 - 604_800) < 70, 'seven days')
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '51' })
  t.notOk('notices' in (await bench.provider.profiles())[0]!, 'and it goes on after AUTH V1')
  const logs = JSON.stringify(bench.host.logs)
  for (const secret of [profile.access_token, profile.refresh_token, deviceCodeOf(bench, body.user_code)])
    t.notOk(logs.includes(secret), 'and no log knows a secret')
})

function deviceCodeOf({ simkl }: Bench, code: string): string {
  return simkl.state.pins.get(code)?.deviceCode ?? 'used'
}

function secretOf(bench: Bench, code: string) {
  return { deviceCode: deviceCodeOf(bench, code), clientId: bench.simkl.clientId }
}

t.test('the route reports when the PIN was typed in, even if the plugin was reloaded meanwhile', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { body } = await bench.post(START)
  bench.simkl.approve(body.user_code)
  await bench.host.reload()
  await new Promise((resolve) => setTimeout(resolve, 5_050))
  t.same(await bench.post(POLL), {
    status: 200,
    body: { ok: true, status: 'authorized', auth_method: 'pin', instance: 'default' },
  })
  t.same((await bench.post(POLL)).body.status, 'authorized', 'also a second time')
})

t.test('every other end of a PIN is reported', async (t) => {
  const endings: readonly (readonly [string, (bench: Bench, code: string) => void, object | string])[] = [
    ['nobody did anything', () => {}, { state: 'pending' }],
    ['too old', ({ simkl }) => simkl.advance(900_000), { state: 'expired' }],
    ['a no', ({ simkl }, code) => simkl.deny(code), { state: 'denied' }],
    [
      'another application meanwhile',
      ({ simkl }) => void simkl.faults.add({ match: '/oauth2/token', ...refusal(401, 'invalid_client') }),
      { state: 'failed', reason: 'invalid_client' },
    ],
    [
      'an unknown error',
      ({ simkl }) => void simkl.faults.add({ match: '/oauth2/token', ...refusal(400, 'x') }),
      { state: 'pending' },
    ],
    [
      'reading only',
      ({ simkl }, code) => {
        simkl.state.scopeAs = () => ({ scope: 'media:read' })
        simkl.approve(code)
      },
      { state: 'failed', reason: 'read_only' },
    ],
    [
      'a service that fails',
      ({ simkl }) => void simkl.faults.add({ match: '/oauth2/token', kind: 'status', status: 503 }),
      'PLH_UPSTREAM',
    ],
    [
      'no answer to be understood',
      ({ simkl }) => void simkl.faults.add({ match: '/oauth2/token', kind: 'html', status: 200 }),
      'PLH_UPSTREAM_INVALID',
    ],
  ]
  for (const [name, happen, expected] of endings) {
    await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
    const flow = pinFlow(bench.kit, 'default')
    const { secret, shown } = await flow.start(signal)
    happen(bench, String(shown['user_code']))
    if (typeof expected === 'string') {
      const error = await flow.poll(secret, signal).catch((failure: unknown) => failure as PlayheadError)
      if (!isPlayheadError(error)) return t.fail(name)
      t.equal(error.code, expected, name)
      t.equal(problemOf(error), expected === 'PLH_UPSTREAM' ? 'http:503' : 'bad_json')
    } else {
      t.match(await flow.poll(secret, signal), expected, name)
      if (name === 'nobody did anything')
        t.same(await flow.poll(secret, signal), { state: 'slow_down' }, 'asked too fast')
    }
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
})

t.test('without a PIN there is nothing to poll, and one can be cancelled', async (t) => {
  await using bench = await startBench({ signedIn: false })
  t.same((await bench.post(POLL)).body, { ok: false, status: 'no_pin', error: 'no_pin', instance: 'default' })
  t.same((await bench.post(CANCEL)).body, { ok: true, cancelled: false, instance: 'default' })
  await bench.post(START)
  t.same((await bench.post(CANCEL)).body, { ok: true, cancelled: true, instance: 'default' })
  t.match((await bench.post(POLL)).body, { status: 'no_pin' })
})

t.test('without an application there is no PIN; a default one is never stored as the own one', async (t) => {
  await using none = await startBench({ signedIn: false, settings: { client_id: '' } })
  t.same((await none.post(START)).body, { ok: false, error: 'missing_client_id', instance: 'default' })
  t.same(none.simkl.requests.length, 0)

  for (const isOwn of [false, true]) {
    await using bench = await startBench({ signedIn: false })
    const { clientId } = bench.simkl
    await bench.kit
      .account('default')
      .save({ client_id: isOwn ? clientId : '', pin_client_id: isOwn ? 'another' : clientId })
    const { body } = await bench.post(START)
    bench.simkl.approve(body.user_code)
    await pinFlow(bench.kit, 'default').poll(secretOf(bench, body.user_code), signal)
    t.match(bench.kit.profile('default'), { token_client_id: clientId, client_id: isOwn ? clientId : '' })
    t.match(await bench.provider.probe('default'), { status: 'ok' })
    t.same(await bench.post(DELETE), { status: 200, body: { ok: true, instance: 'default' } })
    t.match(bench.kit.profile('default'), {
      access_token: '',
      refresh_token: '',
      expires_at: 0,
      scope: '',
      token_client_id: '',
      auth_method: '',
      client_id: isOwn ? clientId : '',
    })
    t.equal(bench.simkl.count('/oauth2/revoke'), 1)
    t.equal(bench.simkl.state.tokens.size, 0, 'the sign-in has ended at SIMKL too')
  }
})

t.test('the scopes are granted in any order, and with commas; missing ones are those of the request', async (t) => {
  for (const scope of [
    'media:write media:read',
    'media:read,media:write',
    'media:read, media:write, other',
    undefined,
  ]) {
    await using bench = await startBench({ signedIn: false })
    bench.simkl.state.scopeAs = () => (scope === undefined ? {} : { scope })
    const flow = pinFlow(bench.kit, 'default')
    const { secret, shown } = await flow.start(signal)
    bench.simkl.approve(String(shown['user_code']))
    t.match(await flow.poll(secret, signal), { state: 'authorized' }, String(scope))
    t.match(await bench.provider.probe('default'), { status: 'ok' })
  }
})

t.test('an application of AUTH V1 gets no code, and the response names the reason', async (t) => {
  await using bench = await startBench({ signedIn: false })
  await bench.kit.account('default').save({ client_id: bench.simkl.v1ClientId })
  t.same((await bench.post(START)).body, { ok: false, error: 'client_id_failed', instance: 'default' })
  t.same(bench.asked(), ['POST /oauth2/device'], 'and the pages of AUTH V1 are not tried')
})

t.test('failures before there is a PIN are named', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, 200, 'http_error'],
    [{ kind: 'status', status: 412 }, 200, 'client_id_failed'],
    [refusal(401, 'invalid_client'), 200, 'client_id_failed'],
    [refusal(400, 'unauthorized_client'), 200, 'client_id_failed'],
    [{ kind: 'status', status: 400 }, 200, 'http_error'],
    [{ kind: 'reset' }, 200, 'network_error'],
    [{ kind: 'html', status: 200 }, 200, 'invalid_response'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
  ] as const
  for (const [fault, status, error] of faults) {
    await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
    bench.simkl.faults.add({ match: '/oauth2/device', ...fault })
    t.match(await bench.post(START), { status, body: { ok: false, error, instance: 'default' } }, error)
  }
})

async function callback({ host }: Bench, url: URL | string, session?: { id: string; username: string } | null) {
  const path = typeof url === 'string' ? url : url.pathname + url.search
  const answer = await host.inject({ method: 'GET', url: path }, session === undefined ? {} : { session })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.body }
}

t.test('the browser goes to SIMKL and returns, and the profile is signed in', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const sent: Promise<Buffer>[] = []
  bench.simkl.onAnswer(({ request }) => request.path === '/oauth2/token' && sent.push(request.body()))
  const { status, body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    instance: 'default',
    authorize_url: /^https:\/\/simkl\.com\/oauth2\/authorize\?response_type=code/,
  })
  t.match(Object.fromEntries(new URL(body.authorize_url).searchParams), {
    scope: 'media:read media:write',
    code_challenge: /^[\w-]{43}$/,
    code_challenge_method: 'S256',
  })
  const back = bench.simkl.authorize(body.authorize_url)
  t.equal(back.origin + back.pathname, `${ORIGIN}/callback`)
  t.match(await callback(bench, back), { status: 200, type: /^text\/plain/, text: /connected/ })
  t.match(bench.kit.profile('default'), {
    auth_method: 'oauth',
    access_token: /^simkl_at_/,
    refresh_token: /^simkl_rt_/,
  })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '51' })
  t.match(await callback(bench, back), { status: 400, text: /State mismatch/ }, 'an address works once')
  const verifier = new URLSearchParams(String(await sent[0])).get('code_verifier')
  t.match(verifier, /^[\w-]{43}$/)
  const shown = JSON.stringify([
    bench.host.logs,
    body,
    bench.simkl.requests.map(({ path, query }) => [path, [...query]]),
  ])
  t.notOk(shown.includes(String(verifier)), 'the verifier is in the body of one request, and nowhere else')
})

t.test(
  'an application with a secret signs in with it, and one without does not send that of an older one',
  async (t) => {
    for (const [application, stored, asked] of [
      ['server', undefined, 1],
      ['public', 'the secret of an older application', 2],
    ] as const) {
      await using bench = await startBench({ signedIn: false, application })
      if (stored !== undefined) await bench.kit.account('default').save({ client_secret: stored })
      const { body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
      t.notOk(body.authorize_url.includes(bench.kit.profile('default').client_secret || 'none'))
      t.match(await callback(bench, bench.simkl.authorize(body.authorize_url)), { status: 200 }, application)
      t.equal(bench.simkl.count('/oauth2/token'), asked)
      t.equal(bench.kit.profile('default').client_secret, bench.simkl.clientSecret)
      bench.simkl.user.expireTokens()
      t.match(await bench.provider.probe('default'), { status: 'ok' }, 'and its tokens are renewed')
      t.match(await bench.post(DELETE), { status: 200 })
      t.equal(bench.simkl.state.tokens.size, 0)
    }
  },
)

t.test('a read-only grant is no sign-in, and the page states the next step', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
  const address = body.authorize_url.replace('media%3Awrite', 'media%3Awrites')
  t.match(await callback(bench, bench.simkl.authorize(address)), { status: 400, text: /allow reading and writing/ })
  t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'failed', reason: 'read_only' })
  t.equal(bench.kit.profile('default').access_token, '')
})

t.test(
  'a refusal at SIMKL is reported to the page that started the sign-in, and invalidates the address',
  async (t) => {
    await using bench = await startBench({ signedIn: false })
    const { body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
    const back = `/callback?error=access_denied&state=${new URL(body.authorize_url).searchParams.get('state')}`
    t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'pending' })
    t.match(await callback(bench, back), { status: 400, text: /did not allow/ })
    t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'denied' })
    t.match(await callback(bench, back), { status: 400, text: /State mismatch/ })
  },
)

t.test('a return that is not of this session, not of this sign-in, or not accepted changes nothing', async (t) => {
  const ways: readonly (readonly [string, (bench: Bench, back: URL) => Promise<object>, RegExp])[] = [
    [
      'another session',
      (bench, back) => callback(bench, back, { id: 'somebody else', username: 'eve' }),
      /State mismatch/,
    ],
    ['no session', (bench, back) => callback(bench, back, null), /State mismatch/],
    [
      'a state that was never given out',
      (bench, back) => callback(bench, `/callback?code=${back.searchParams.get('code')}&state=guessed`),
      /State mismatch/,
    ],
    [
      'no state',
      (bench, back) => callback(bench, `/callback?code=${back.searchParams.get('code')}`),
      /Missing code or state/,
    ],
    [
      'another service',
      (bench, back) => {
        back.searchParams.set('iss', 'https://evil.example')
        return callback(bench, back)
      },
      /State mismatch/,
    ],
    ['no code', (bench) => callback(bench, '/callback'), /Missing code or state/],
    [
      'a code that SIMKL does not know',
      (bench, back) => callback(bench, `/callback?code=guessed&state=${back.searchParams.get('state')}`),
      /did not accept/,
    ],
    [
      'another application meanwhile',
      async (bench, back) => {
        await bench.kit.account('default').save({ client_id: 'another' })
        return callback(bench, back)
      },
      /has changed/,
    ],
  ]
  for (const [name, come, expected] of ways) {
    await using bench = await startBench({ signedIn: false })
    const { body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
    const answer = await come(bench, bench.simkl.authorize(body.authorize_url))
    t.match(answer, { status: 400, type: /^text\/plain/, text: expected }, name)
    t.notMatch(JSON.stringify(answer), /guessed/, 'nothing of the address is repeated')
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
})

t.test('the browser is redirected only with an application, and only back to its origin', async (t) => {
  const settings = [
    [{}, {}, 'origin_missing'],
    [{}, { origin: 'https://evil.example' }, 'invalid_origin'],
    [{ client_id: '' }, { origin: ORIGIN }, 'missing_client_id'],
  ] as const
  for (const [change, payload, error] of settings) {
    await using bench = await startBench({ signedIn: false, settings: change })
    t.same((await bench.post(AUTHORIZE, payload)).body, { ok: false, error, instance: 'default' })
  }
})

t.test('unknown profiles and invalid names are refused', async (t) => {
  await using bench = await startBench()
  for (const url of [START, POLL, CANCEL, AUTHORIZE, DELETE]) {
    t.match(await bench.post(`${url}?instance=TRACKB-P07`, {}), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.post(`${url}?instance=../x`, {}), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})

t.test('an additional profile signs in with the application of the first, and has its own sign-in', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { simkl, provider } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, { api_url: simkl.url })
  const { body } = await bench.post(`${AUTHORIZE}?instance=${instance}`, { origin: ORIGIN })
  t.match(await callback(bench, simkl.authorize(body.authorize_url, 'bob')), { status: 200 })
  t.match([await provider.probe('default'), await provider.probe(instance)], [{ account: '51' }, { account: '52' }])
  t.match(await bench.post(`${DELETE}?instance=${instance}`), { status: 200, body: { ok: true, instance } })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [{ status: 'ok' }, { status: 'not_configured' }],
  )
})

t.test('a profile in use stays signed in', async (t) => {
  await using bench = await startBench()
  bench.accounts.used.set('default', [{ feature: 'sync_pair', id: 'p1', label: 'A pair' } as never])
  t.match(await bench.post(DELETE), { status: 409, body: { ok: false, error: 'provider_in_use' } })
  t.not(bench.kit.profile('default').access_token, '')
})

t.test('with a shipped application, a PIN needs no input from the person; an own one has priority', async (t) => {
  await using bench = await startBench({ ships: true, signedIn: false, settings: { client_id: '' } })
  const { simkl, provider } = bench
  const [pin, browser] = (await provider.describe()).operations?.ways ?? []
  t.match([pin?.method, pin?.form, pin?.help, pin?.prepare], ['device_pin', null, null, null])
  t.match(browser?.form, { properties: { client_id: {}, client_secret: {} }, required: ['client_id'] })
  t.same((await bench.post(AUTHORIZE, { origin: ORIGIN })).body.error, 'missing_client_id')
  const { body } = await bench.post(START)
  simkl.approve(body.user_code)
  t.match(await pinFlow(bench.kit, 'default').poll(secretOf(bench, body.user_code), signal), { state: 'authorized' })
  t.match(bench.kit.profile('default'), { client_id: '', token_client_id: simkl.clientId })
  simkl.user.expireTokens()
  t.match(await provider.probe('default'), { status: 'ok' }, 'and it is renewed')
  await bench.kit.account('default').save({ client_id: 'an own one' })
  t.match((await bench.post(START)).body, { ok: false, error: 'client_id_failed' })
})
