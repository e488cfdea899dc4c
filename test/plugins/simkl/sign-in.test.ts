// Signing in with a PIN and over the browser, every way that either can end, and signing out.
import t from 'tap'
import { pinFlow } from '../../../plugins/providers/simkl/sign-in/pin-flow.ts'
import { type Bench, codeOf, startBench } from './support.ts'

const START = '/api/trackB/pin/start'
const POLL = '/api/trackB/pin/poll'
const CANCEL = '/api/trackB/pin/cancel'
const AUTHORIZE = '/api/trackB/authorize'
const DELETE = '/api/trackB/token/delete'
const ORIGIN = 'http://playhead.test'
const signal = new AbortController().signal

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
  const flow = pinFlow(bench.kit, 'default')
  t.match(await flow.poll({ userCode: body.user_code, clientId: simkl.clientId }, signal), { state: 'authorized' })
  t.match(bench.kit.profile('default'), {
    auth_method: 'pin',
    client_id: simkl.clientId,
    access_token: /^[0-9a-f]{64}$/,
  })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '51' })
  t.notOk(
    JSON.stringify(bench.host.logs).includes(bench.kit.profile('default').access_token),
    'and no log knows the token',
  )
})

t.test('the route says so when the PIN was typed in, also when the plugin was loaded anew meanwhile', async (t) => {
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

t.test('every other ending of a PIN is told', async (t) => {
  const endings: readonly (readonly [string, (bench: Bench) => void, object | string])[] = [
    ['nobody did anything', () => {}, { state: 'pending' }],
    ['too old', ({ simkl }) => simkl.advance(900_000), { state: 'expired' }],
    [
      'a service that fails',
      ({ simkl }) => void simkl.faults.add({ match: /^\/oauth\/pin\//, kind: 'status', status: 503 }),
      'PLH_UPSTREAM',
    ],
    [
      'no answer to be understood',
      ({ simkl }) => void simkl.faults.add({ match: /^\/oauth\/pin\//, kind: 'html', status: 200 }),
      'PLH_UPSTREAM_INVALID',
    ],
  ]
  for (const [name, happen, expected] of endings) {
    await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
    const problems: (string | undefined)[] = []
    const flow = pinFlow(bench.kit, 'default', (problem) => problems.push(problem))
    const { secret } = await flow.start(signal)
    happen(bench)
    if (typeof expected === 'string') {
      t.equal(await codeOf(flow.poll(secret, signal)), expected, name)
      t.same(problems, [expected === 'PLH_UPSTREAM' ? 'http:503' : 'bad_json'])
    } else {
      t.match(await flow.poll(secret, signal), expected, name)
      if (name === 'nobody did anything')
        t.same(await flow.poll(secret, signal), { state: 'slow_down' }, 'asked too fast')
    }
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
})

t.test('without a PIN there is nothing to ask for, and one can be called off', async (t) => {
  await using bench = await startBench({ signedIn: false })
  t.same((await bench.post(POLL)).body, { ok: false, status: 'no_pin', error: 'no_pin', instance: 'default' })
  t.same((await bench.post(CANCEL)).body, { ok: true, cancelled: false, instance: 'default' })
  await bench.post(START)
  t.same((await bench.post(CANCEL)).body, { ok: true, cancelled: true, instance: 'default' })
  t.match((await bench.post(POLL)).body, { status: 'no_pin' })
})

t.test(
  "without an application there is no PIN; the one for a PIN leaves with its token, the person's own stays",
  async (t) => {
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
      await pinFlow(bench.kit, 'default').poll({ userCode: body.user_code, clientId }, signal)
      t.equal(bench.kit.profile('default').client_id, clientId)
      t.match(await bench.provider.probe('default'), { status: 'ok' })
      t.same(await bench.post(DELETE), { status: 200, body: { ok: true, instance: 'default' } })
      t.match(bench.kit.profile('default'), { access_token: '', auth_method: '', client_id: isOwn ? clientId : '' })
    }
  },
)

t.test('what goes wrong before there is a PIN is named', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, 200, 'http_error'],
    [{ kind: 'status', status: 412 }, 200, 'client_id_failed'],
    [{ kind: 'reset' }, 200, 'network_error'],
    [{ kind: 'html', status: 200 }, 200, 'invalid_response'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
  ] as const
  for (const [fault, status, error] of faults) {
    await using bench = await startBench({ signedIn: false, settings: { max_retries: 0 } })
    bench.simkl.faults.add({ match: '/oauth/pin', ...fault })
    t.match(await bench.post(START), { status, body: { ok: false, error, instance: 'default' } }, error)
  }
})

async function callback({ host }: Bench, url: URL | string, session?: { id: string; username: string } | null) {
  const path = typeof url === 'string' ? url : url.pathname + url.search
  const answer = await host.inject({ method: 'GET', url: path }, session === undefined ? {} : { session })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.body }
}

t.test('the browser goes to SIMKL and comes back, and the profile is signed in', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { status, body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    instance: 'default',
    authorize_url: /^https:\/\/simkl\.com\/oauth\/authorize\?response_type=code/,
  })
  t.notOk(body.authorize_url.includes(bench.simkl.clientSecret))
  const back = bench.simkl.authorize(body.authorize_url)
  t.equal(back.origin + back.pathname, `${ORIGIN}/callback`)
  t.match(await callback(bench, back), { status: 200, type: /^text\/plain/, text: /connected/ })
  t.match(bench.kit.profile('default'), { auth_method: 'oauth', access_token: /^[0-9a-f]{64}$/ })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '51' })
  t.match(await callback(bench, back), { status: 400, text: /State mismatch/ }, 'an address works once')
})

t.test('a no at SIMKL is told to the page where the person began, and uses the address up', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const { body } = await bench.post(AUTHORIZE, { origin: ORIGIN })
  const back = `/callback?error=access_denied&state=${new URL(body.authorize_url).searchParams.get('state')}`
  t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'pending' })
  t.match(await callback(bench, back), { status: 400, text: /did not allow/ })
  t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'denied' })
  t.match(await callback(bench, back), { status: 400, text: /State mismatch/ })
})

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

t.test('the browser is only sent away with an application, and only back to where it is', async (t) => {
  const settings = [
    [{}, {}, 'origin_missing'],
    [{}, { origin: 'https://evil.example' }, 'invalid_origin'],
    [{ client_id: '' }, { origin: ORIGIN }, 'missing_client_id'],
    [{ client_secret: '' }, { origin: ORIGIN }, 'missing_client_secret'],
  ] as const
  for (const [change, payload, error] of settings) {
    await using bench = await startBench({ signedIn: false, settings: change })
    t.same((await bench.post(AUTHORIZE, payload)).body, { ok: false, error, instance: 'default' })
  }
})

t.test('profiles that are not there, and names that are none, are refused', async (t) => {
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

t.test('a further profile signs in with the application of the first, and has a sign-in of its own', async (t) => {
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

t.test('a profile that is used stays signed in', async (t) => {
  await using bench = await startBench()
  bench.accounts.used.set('default', [{ feature: 'sync_pair', id: 'p1', label: 'A pair' } as never])
  t.match(await bench.post(DELETE), { status: 409, body: { ok: false, error: 'provider_in_use' } })
  t.not(bench.kit.profile('default').access_token, '')
})
