// Sign-in with a key or a code with every result, and signing out.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { deviceFlow } from '../../../plugins/providers/mdblist/sign-in/device-flow.ts'
import { type Bench, codeOf, startBench, tokensOf } from './support.ts'

const SAVE = '/api/listA/save'
const START = '/api/listA/device/start'
const POLL = '/api/listA/device/poll'
const REFRESH = '/api/listA/refresh'
const STATUS = '/api/listA/status'
const DISCONNECT = '/api/listA/disconnect'
const SIGNAL = new AbortController().signal

t.test('a valid key is stored, with the name of its account, replacing any tokens', async (t) => {
  await using bench = await startBench({ by: 'tokens' })
  const { mdblist } = bench
  t.same((await bench.call('POST', SAVE, { auth_method: 'api', api_key: ` ${mdblist.user.apiKey} ` })).body, {
    ok: true,
    instance: 'default',
    auth_method: 'api_key',
  })
  t.match(bench.kit.profile('default'), {
    api_key: mdblist.user.apiKey,
    access_token: '',
    refresh_token: '',
    username: 'ada',
    auth_method: 'api_key',
  })
  t.match((await bench.call('GET', STATUS)).body, {
    auth_method: 'api_key',
    connected: true,
    api_key_configured: true,
    device_configured: false,
    client_id_configured: true,
    username: 'ada',
    instance: 'default',
  })
  t.match(await bench.provider.probe('default'), {
    status: 'ok',
    account: '77',
    user: { id: '77', name: 'ada' },
    quota: { limit: 1_000, remaining: Number },
    extras: {
      vip: false,
      vip_type: 'free',
      patron_status: 'free',
      limits: { api_requests: 1_000, api_requests_count: Number },
    },
  })
  t.same((await bench.call('POST', SAVE, { api_key: '••••••••' })).body, {
    ok: true,
    instance: 'default',
    auth_method: 'api_key',
  })
  t.equal(bench.kit.profile('default').api_key, mdblist.user.apiKey, 'a masked key is the stored one')
  t.same((await bench.call('POST', SAVE, { auth_method: 'device' })).body, {
    ok: true,
    instance: 'default',
    auth_method: 'device_code',
  })
  t.match((await bench.call('GET', STATUS)).body, {
    auth_method: 'device_code',
    connected: false,
    api_key_configured: false,
  })
})

t.test('every reason for rejecting a key has a code, and nothing is stored', async (t) => {
  const cases = [
    [{ kind: 'status', status: 401 }, 200, 'invalid_api_key'],
    [{ kind: 'status', status: 403 }, 200, 'invalid_api_key'],
    [{ kind: 'status', status: 404 }, 200, 'validation_http_404'],
    [{ kind: 'status', status: 500 }, 200, 'validation_http_500'],
    [{ kind: 'reset' }, 200, 'validation_failed'],
    [{ kind: 'html', status: 200 }, 200, 'validation_bad_response'],
    [{ kind: 'empty' }, 200, 'validation_bad_response'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
  ] as const
  for (const [fault, status, error] of cases) {
    await using bench = await startBench({ by: 'nothing' })
    bench.mdblist.faults.add({ ...fault, match: '/user' })
    const answer = await bench.call('POST', SAVE, { api_key: bench.mdblist.user.apiKey })
    t.match(answer, { status, body: { ok: false, error, instance: 'default' } }, error)
    if (status === 429) t.equal(answer.body.retry_after, 90)
    t.equal(bench.kit.profile('default').api_key, '')
  }
  await using bench = await startBench({ by: 'nothing' })
  t.same((await bench.call('POST', SAVE, {})).body, { ok: false, error: 'api_key_required', instance: 'default' })
  t.same((await bench.call('POST', SAVE, { auth_method: 'magic' })).body, {
    ok: false,
    error: 'invalid_auth_method',
    instance: 'default',
  })
  t.equal((await bench.call('POST', SAVE, { api_key: 7 })).status, 422)
})

t.test('a code is shown, typed in, and the profile is signed in', async (t) => {
  await using bench = await startBench()
  const { mdblist } = bench
  const { status, body } = await bench.call('POST', START)
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    instance: 'default',
    user_code: /^[0-9A-F]{4}-[0-9A-F]{4}$/,
    verification_uri: 'https://mdblist.com/oauth/device/',
    interval: 5,
    expires_at: Number,
  })
  t.match(body.device_code, /^[0-9a-f]{8}-/, 'the device code of the service stays here')
  t.match((await bench.call('POST', POLL, {})).body, { ok: false, status: 'authorization_pending', state: 'pending' })
  t.match((await bench.call('POST', POLL, { device_code: body.device_code })).body, { status: 'authorization_pending' })
  t.match((await bench.call('POST', POLL, { device_code: 'another' })).body, { ok: false, status: 'no_device_code' })
  t.match((await bench.call('GET', STATUS)).body, {
    auth_method: 'api_key',
    connected: true,
    pending: { user_code: body.user_code, interval: 5 },
  })
  t.equal(mdblist.count('/oauth/token/'), 0, 'nobody asks before the interval is over')
  mdblist.approve(body.user_code)
  while (bench.kit.flows.state('default', 'device_code')?.state === 'pending')
    await new Promise((resolve) => setTimeout(resolve, 100))
  t.match((await bench.call('POST', POLL, {})).body, {
    ok: true,
    status: 'ok',
    state: 'authorized',
    expires_at: Number,
    instance: 'default',
  })
  t.match((await bench.call('GET', STATUS)).body, {
    auth_method: 'device_code',
    connected: true,
    api_key_configured: false,
    device_configured: true,
    username: 'ada',
  })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '77' })
  const { access_token: access, refresh_token: refresh } = bench.kit.profile('default')
  const text = JSON.stringify([body, bench.host.logs])
  t.notOk(text.includes(access) || text.includes(refresh))
})

t.test('every other end of a code is reported', async (t) => {
  const endings: readonly (readonly [string, (bench: Bench, code: string) => void, object])[] = [
    ['nobody did anything', () => {}, { state: 'pending' }],
    ['refused', ({ mdblist }, code) => mdblist.deny(code), { state: 'denied' }],
    ['too old', ({ mdblist }) => mdblist.advance(300_000), { state: 'expired' }],
    [
      'not known',
      ({ mdblist }) => mdblist.faults.add({ match: '/oauth/token/', kind: 'status', status: 400 }),
      { state: 'failed', reason: 'http:400' },
    ],
  ]
  for (const [name, happen, expected] of endings) {
    await using bench = await startBench({ by: 'nothing' })
    const flow = deviceFlow(bench.kit, 'default')
    const { shown, secret } = await flow.start(SIGNAL)
    happen(bench, String(shown['user_code']))
    t.match(await flow.poll(secret, SIGNAL), expected, name)
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
  await using bench = await startBench({ by: 'nothing' })
  const flow = deviceFlow(bench.kit, 'default')
  const { secret } = await flow.start(SIGNAL)
  t.match(await flow.poll(secret, SIGNAL), { state: 'pending' })
  t.match(await flow.poll(secret, SIGNAL), { state: 'slow_down' })
  bench.mdblist.faults.add({ match: '/oauth/token/', kind: 'status', status: 503, times: 1 })
  t.equal(await codeOf(flow.poll(secret, SIGNAL)), 'PLH_UPSTREAM', 'a service that fails for a while ends nothing')
  bench.mdblist.faults.add({ match: '/oauth/token/', kind: 'html', status: 403, times: 1 })
  t.equal(await codeOf(flow.poll(secret, SIGNAL)), 'PLH_UPSTREAM', 'nor does a page instead of an answer')
})

t.test('failures before there is a code are named', async (t) => {
  const cases = [
    [{ kind: 'status', status: 500 }, 200, { error: 'http_error', status: 500 }],
    [{ kind: 'status', status: 401 }, 200, { error: 'http_error' }],
    [{ kind: 'reset' }, 200, { error: 'network_error' }],
    [{ kind: 'html', status: 200 }, 200, { error: 'invalid_response' }],
    [
      { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
      429,
      { error: 'rate_limited', retry_after: 60 },
    ],
  ] as const
  for (const [fault, status, body] of cases) {
    await using bench = await startBench({ by: 'nothing' })
    bench.mdblist.faults.add({ ...fault, match: '/oauth/device-authorization/' })
    t.match(await bench.call('POST', START), { status, body: { ok: false, ...body, instance: 'default' } })
  }
  await using bench = await startBench({ by: 'nothing', settings: { client_id: '' } })
  t.same((await bench.call('POST', START)).body, { ok: false, error: 'missing_client_id', instance: 'default' })
  t.same((await bench.call('POST', POLL, {})).body, { ok: false, status: 'missing_client_id', instance: 'default' })
  t.equal(bench.asked(), 0)
})

t.test('tokens are refreshed once for all callers, and by hand', async (t) => {
  await using bench = await startBench({ by: 'tokens' })
  const { mdblist } = bench
  const before = bench.kit.profile('default')
  mdblist.user.rate(mdblist.movie(0), 5)
  mdblist.user.expireTokens()
  const reads = await Promise.all([
    ...Array.from({ length: 8 }, () => bench.read('ratings')),
    bench.call('POST', REFRESH),
  ])
  t.ok(reads.length === 9)
  t.ok(mdblist.count('/oauth/token/') <= 2)
  t.not(bench.kit.profile('default').refresh_token, before.refresh_token)
  const { body } = await bench.call('POST', REFRESH)
  t.match(body, { ok: true, status: 'ok', instance: 'default', expires_at: Number })
  t.notOk(JSON.stringify(body).includes(bench.kit.profile('default').access_token))
  const kept = await bench.read('ratings')
  t.match((await bench.read('ratings', { since: kept.end.checkpoint as string })).end, {
    complete: true,
    account: '77',
  })
})

t.test('a token with more than five minutes left is used, one with less is refreshed beforehand', async (t) => {
  for (const [seconds, renewals] of [
    [400, 0],
    [200, 1],
  ] as const) {
    await using bench = await startBench({ by: 'tokens', settings: {} })
    await bench.kit.account('default').save({ expires_at: Math.floor(Date.now() / 1_000) + seconds })
    await bench.read('progress')
    t.equal(bench.mdblist.count('/oauth/token/'), renewals)
    t.ok(bench.mdblist.requests.every(({ status }) => status === 200))
  }
})

t.test('tokens that cannot be refreshed require a sign-in', async (t) => {
  await using bench = await startBench({ by: 'tokens' })
  const before = bench.kit.profile('default')
  bench.mdblist.user.revokeTokens()
  t.match((await bench.call('POST', REFRESH)).body, { ok: false, status: 'refresh_failed:400', instance: 'default' })
  t.equal(await codeOf(bench.read('ratings')), 'PLH_AUTH_FAILED')
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
  t.same(bench.kit.profile('default'), before)
  await using other = await startBench()
  t.match((await other.call('POST', REFRESH)).body, { ok: false, status: 'missing_refresh' })
  for (const [fault, status] of [
    [{ kind: 'reset' }, 'network_error'],
    [{ kind: 'html', status: 200 }, 'bad_json'],
    [{ kind: 'status', status: 503 }, 'refresh_failed:503'],
  ] as const) {
    await using failing = await startBench({ by: 'tokens' })
    failing.mdblist.faults.add({ ...fault, match: '/oauth/token/' })
    t.match((await failing.call('POST', REFRESH)).body, { ok: false, status }, status)
  }
})

t.test('signing out deletes all data of the person, and not while the profile is in use', async (t) => {
  await using bench = await startBench({ by: 'tokens' })
  await bench.call('POST', START)
  t.same(await bench.call('POST', DISCONNECT), { status: 200, body: { ok: true, instance: 'default' } })
  t.match(bench.kit.profile('default'), {
    access_token: '',
    refresh_token: '',
    api_key: '',
    username: '',
    auth_method: '',
    client_id: bench.mdblist.clientId,
  })
  t.notOk((await bench.call('GET', STATUS)).body.pending)
  t.equal(await codeOf(bench.read('ratings')), 'PLH_NOT_READY')

  const inUse = async () => {
    throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', {
      wire: 'provider_in_use',
      details: { usages: [{ feature: 'sync_pair' }] },
    })
  }
  await using used = await startBench({ capabilities: { accounts: { assertUnused: inUse, forget: async () => {} } } })
  t.match(await used.call('POST', DISCONNECT), { status: 409, body: { ok: false, error: 'provider_in_use' } })
  t.not(used.kit.profile('default').api_key, '')
})

t.test('unknown profiles and invalid names are refused', async (t) => {
  await using bench = await startBench()
  for (const [method, url, payload] of [
    ['POST', SAVE, {}],
    ['POST', START, {}],
    ['POST', POLL, {}],
    ['POST', REFRESH, {}],
    ['GET', STATUS, undefined],
    ['POST', DISCONNECT, {}],
  ] as const) {
    t.match(await bench.call(method, `${url}?instance=LISTA-P07`, payload), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.call(method, `${url}?instance=../x`, payload), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})

t.test('an additional profile has its own account', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  const { mdblist, provider } = bench
  const instance = await provider.createProfile({})
  t.match(
    (await bench.call('GET', `${STATUS}?instance=${instance}`)).body,
    { connected: false, client_id_configured: true, instance },
    'the application is shared, the key is not',
  )
  await provider.saveProfile(instance, { api_url: mdblist.url, ...tokensOf(mdblist, 'bob') })
  t.match([await provider.probe('default'), await provider.probe(instance)], [{ account: '77' }, { account: '78' }])
  t.match((await bench.call('POST', `${DISCONNECT}?instance=${instance}`)).body, { ok: true, instance })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [{ status: 'ok' }, { status: 'not_configured' }],
  )
})

t.test('with a shipped application, a code needs no input from the person; its tokens stay with it', async (t) => {
  await using bench = await startBench({ by: 'nothing', ships: true, settings: { client_id: '' } })
  const { mdblist } = bench
  t.match((await bench.call('GET', STATUS)).body, { client_id_configured: true })
  t.match((await bench.call('POST', START)).body, { ok: true })
  const flow = deviceFlow(bench.kit, 'default')
  const { shown, secret } = await flow.start(SIGNAL)
  mdblist.approve(String(shown['user_code']))
  t.match(await flow.poll(secret, SIGNAL), { state: 'authorized' })
  t.match(bench.kit.profile('default'), { client_id: '', token_client_id: mdblist.clientId })
  await bench.kit.account('default').save({ client_id: 'an own one' })
  t.match((await bench.call('POST', REFRESH)).body, { ok: true }, 'another application renews nothing')
})
