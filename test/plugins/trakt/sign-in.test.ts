// Signing in with a code, every way that it can end, and signing out.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { deviceFlow } from '../../../plugins/providers/trakt/sign-in/device-flow.ts'
import { codeOf, startBench, type Bench } from './support.ts'

const NEW = '/api/trackA/pin/new'
const DELETE = '/api/trackA/token/delete'
const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

async function post({ host }: Bench, url: string, payload?: object) {
  const answer = await host.inject({ method: 'POST', url, ...(payload === undefined ? {} : { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}

t.test('a code is shown, typed in, and the profile is signed in by itself', async (t) => {
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

t.test('every other ending of a code is told', async (t) => {
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
  t.same((await post(bench, NEW, { client_id: clientId })).body, {
    ok: false,
    error: 'missing_client_secret',
    instance: 'default',
  })
  t.equal(bench.kit.profile('default').client_id, '', 'a failure stores nothing')
  t.match((await post(bench, NEW, { client_id: clientId, client_secret: clientSecret })).body, { ok: true })
  t.match(bench.kit.profile('default'), { client_id: clientId, client_secret: clientSecret })
  t.match((await post(bench, NEW, { client_id: '', client_secret: '••••••••' })).body, { ok: true })
  t.match(bench.kit.profile('default'), { client_id: clientId, client_secret: clientSecret })
})

t.test('another application is kept apart until its tokens are there', async (t) => {
  await using bench = await startBench({ settings: { client_secret: 'another secret' } })
  const { trakt } = bench
  const before = bench.kit.profile('default')
  t.match((await post(bench, NEW, { client_secret: trakt.clientSecret })).body, { ok: true })
  t.same(bench.kit.profile('default'), before)
  const entered = { client_secret: trakt.clientSecret }
  const flow = deviceFlow(bench.kit, 'default', { clientId: trakt.clientId, clientSecret: trakt.clientSecret, entered })
  const { shown, secret } = await flow.start(new AbortController().signal)
  trakt.approve(String(shown['user_code']))
  t.match(await flow.poll(secret, new AbortController().signal), { state: 'authorized' })
  t.equal(bench.kit.profile('default').client_secret, trakt.clientSecret)
  t.not(bench.kit.profile('default').access_token, before.access_token)
})

t.test('what goes wrong before there is a code is named, and nothing is stored', async (t) => {
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

t.test('profiles that are not there, and names that are none, are refused', async (t) => {
  await using bench = await startBench({ capabilities: UNUSED })
  for (const url of [NEW, DELETE]) {
    t.match(await post(bench, `${url}?instance=TRACKA-P07`), { status: 404, body: { ok: false, error: 'not_found' } })
    t.match(await post(bench, `${url}?instance=../x`), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})

t.test('a further profile signs in with the application of the first, and has a sign-in of its own', async (t) => {
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

t.test('signing out ends the tokens at the service and keeps the application', async (t) => {
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
