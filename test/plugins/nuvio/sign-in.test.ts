// Sign-in by link with every result, choosing a profile, refreshing, and signing out.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { peopleAfterSignIn, tvLogin } from '../../../plugins/providers/nuvio/sign-in/tv-login.ts'
import { type Bench, codeOf, startBench, tokensOf, UNUSED } from './support.ts'

const START = '/api/tvA/device/start'
const POLL = '/api/tvA/device/poll'
const FINISH = '/api/tvA/device/finish'
const signal = new AbortController().signal

async function approvedFlow(bench: Bench, instance = 'default', username?: string) {
  const flow = tvLogin(bench.kit, instance)
  const { shown, secret } = await flow.start(signal)
  bench.nuvio.approve(String(shown['code']), username)
  return flow.poll(secret, signal)
}

t.test('a link is shown, the person consents there, and the only profile is selected', async (t) => {
  await using bench = await startBench({ signedIn: false })
  t.match(await bench.provider.probe('default'), { status: 'not_configured' })
  const started = await bench.call('POST', START, {})
  t.match(started, {
    status: 200,
    body: { ok: true, instance: 'default', login_url: /^https:\/\/nuvio\.tv\/tv-login\?code=/, interval: 3 },
  })
  t.ok(Math.abs(started.body.expires_at - Date.now() / 1_000 - 300) < 5)
  t.match((await bench.call('POST', POLL)).body, { ok: false, status: 'pending', interval: 3, instance: 'default' })
  t.match((await bench.call('POST', FINISH)).body, { ok: false, status: 'pending' })
  bench.nuvio.approve(started.body.code)
  await new Promise((resolve) => setTimeout(resolve, 3_100))
  t.match((await bench.call('POST', POLL, {})).body, { ok: true, status: 'approved' })
  const finished = await bench.call('POST', FINISH)
  t.match(finished, {
    status: 200,
    body: {
      ok: true,
      status: 'ok',
      profiles: [
        { profile_id: 1, profile_index: 1, name: 'Main', uses_primary_addons: false, uses_primary_plugins: false },
      ],
    },
  })
  t.match((await bench.call('GET', '/api/tvA/status')).body, {
    connected: true,
    authenticated: true,
    base_url_configured: true,
    client_key_configured: true,
    profile_id: 1,
    profile_name: 'Main',
    instance: 'default',
  })
  t.match(await bench.provider.probe('default'), {
    status: 'ok',
    account: 'user-of-ada/1',
    extras: { profile_id: 1, profile_name: 'Main' },
  })
  t.match(await bench.call('POST', FINISH), { status: 400, body: { ok: false, error: 'no_pending_login' } })
  const { access_token: access, refresh_token: refresh } = bench.kit.profile('default')
  const text = JSON.stringify([
    bench.host.logs,
    finished,
    started,
    bench.nuvio.requests.map(({ path, query }) => [path, [...query]]),
  ])
  for (const secret of [access, refresh]) t.notOk(text.includes(secret), 'no log, answer or address knows it')
})

t.test('every other end is reported, and stores nothing', async (t) => {
  const endings: readonly (readonly [string, (bench: Bench, code: string) => void, object])[] = [
    ['nobody did anything', () => {}, { state: 'pending' }],
    ['refused', ({ nuvio }, code) => nuvio.cancel(code), { state: 'denied', reason: 'cancelled' }],
    ['too old', ({ nuvio }) => nuvio.advance(301_000), { state: 'expired' }],
  ]
  for (const [name, happen, expected] of endings) {
    await using bench = await startBench({ signedIn: false })
    const flow = tvLogin(bench.kit, 'default')
    const { shown, secret } = await flow.start(signal)
    happen(bench, String(shown['code']))
    t.match(await flow.poll(secret, signal), expected, name)
    t.equal(bench.kit.profile('default').access_token, '', name)
  }
  await using bench = await startBench({ signedIn: false })
  const flow = tvLogin(bench.kit, 'default')
  const { secret } = await flow.start(signal)
  t.match(
    await flow.poll({ ...(secret as object), nonce: "somebody else's" }, signal),
    { state: 'expired' },
    'a code without its nonce is worth nothing',
  )
  bench.nuvio.faults.add({ match: /poll_tv_login/, kind: 'reset', times: 1 })
  t.match(await flow.poll(secret, signal), { state: 'pending' }, 'a connection that broke changes nothing')
})

t.test('an expired sign-in is 410, one that was never started 400', async (t) => {
  await using bench = await startBench({ signedIn: false })
  t.match(await bench.call('POST', POLL), { status: 200, body: { ok: false, status: 'no_pending_login' } })
  t.match(await bench.call('POST', FINISH), { status: 400, body: { error: 'no_pending_login' } })
  const flow = tvLogin(bench.kit, 'default')
  await bench.kit.flows.start('default', {
    ...flow,
    start: async (...given) => ({ ...(await flow.start(...given)), expiresAtMs: Date.now() - 1 }),
  })
  t.match(await bench.call('POST', POLL), { status: 410, body: { ok: false, status: 'expired', instance: 'default' } })
  t.match(await bench.call('POST', FINISH), { status: 410 })
})

t.test(
  "without the public client key there is no sign-in, and people are sent only to the service's page",
  async (t) => {
    await using bench = await startBench({ signedIn: false, settings: { client_key: '' } })
    t.strictSame((await bench.call('POST', START, {})).body, {
      ok: false,
      error: 'missing_public_client_key',
      instance: 'default',
    })
    for (const url of [
      'https://evil.example/tv-login',
      'http://nuvio.tv/tv-login',
      'https://nuvio.tv.evil.example/tv-login',
      'https://x@nuvio.tv/tv-login',
      'https://nuvio.tv/other',
      'javascript:alert(1)',
      'nonsense',
    ]) {
      t.match(
        await bench.call('POST', START, { redirect_base_url: url }),
        { status: 400, body: { error: 'invalid_redirect_base_url' } },
        url,
      )
    }
    t.equal(bench.asked(), 0)
  },
)

t.test('failures are named, and nothing is stored', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, 'service_unavailable'],
    [{ kind: 'status', status: 401 }, 'authentication_failed'],
    [{ kind: 'reset' }, 'service_unavailable'],
    [{ kind: 'empty' }, 'invalid_response'],
    [{ kind: 'html', status: 200 }, 'invalid_response'],
  ] as const
  for (const [fault, reason] of faults) {
    await using bench = await startBench({ signedIn: false })
    bench.nuvio.faults.add({ match: '/auth/v1/signup', ...fault })
    t.match(
      await bench.call('POST', START, {}),
      { status: 200, body: { ok: false, error: 'tvA_request_failed', reason, instance: 'default' } },
      `${fault.kind}`,
    )
    t.equal(bench.kit.profile('default').access_token, '')
  }
  await using bench = await startBench({ signedIn: false })
  bench.nuvio.faults.add({ match: '/auth/v1/signup', kind: 'status', status: 429, headers: { 'retry-after': '90' } })
  t.match(await bench.call('POST', START, {}), { status: 429, body: { ok: false, retry_after: 90 } })
})

t.test(
  'several profiles, and a locked one, wait for a choice; the choice is checked against the live list',
  async (t) => {
    await using bench = await startBench({ signedIn: false, people: ['Main', 'Kids'] })
    t.match(await approvedFlow(bench), { state: 'authorized' })
    t.equal((await peopleAfterSignIn(bench.kit, 'default')).length, 2)
    t.match((await bench.call('GET', '/api/tvA/status')).body, {
      connected: false,
      authenticated: true,
      profile_id: null,
    })
    t.equal(await codeOf(bench.read('history')), 'PLH_NOT_READY not_configured')
    t.match((await bench.call('GET', '/api/tvA/profiles')).body, {
      ok: true,
      profiles: [
        { profile_id: 1, name: 'Main' },
        { profile_id: 2, name: 'Kids' },
      ],
    })
    t.match((await bench.call('POST', '/api/tvA/profile/select', { profile_id: 5 })).body, {
      ok: false,
      error: 'tvA_request_failed',
      reason: 'profile_unavailable',
    })
    t.match((await bench.call('POST', '/api/tvA/profile/select', { profile_id: 2 })).body, {
      ok: true,
      profile: { name: 'Kids' },
      profile_id: 2,
      profile_name: 'Kids',
    })
    t.equal((await bench.call('POST', '/api/tvA/profile/select', { profile_id: 0 })).status, 422)
    t.match(await bench.provider.probe('default'), { status: 'ok', account: 'user-of-ada/2' })
    bench.nuvio.user.setPeople([{ index: 1, name: 'Main', locked: true }])
    t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'profile_unavailable' })
    t.equal(await codeOf(bench.read('history')), 'PLH_NOT_READY profile_unavailable')
    t.match(await approvedFlow(bench), { state: 'authorized' })
    await peopleAfterSignIn(bench.kit, 'default')
    t.equal(bench.kit.profile('default').profile_id, '', 'nobody chose the locked one')
  },
)

t.test('an account without profiles has a default one', async (t) => {
  await using bench = await startBench({ signedIn: false, people: [] })
  await approvedFlow(bench)
  t.match(await peopleAfterSignIn(bench.kit, 'default'), [{ index: 1 }])
  t.match(await bench.provider.probe('default'), { status: 'ok', account: 'user-of-ada/1' })
})

t.test('tokens are refreshed once for all callers, before they expire and after a refusal', async (t) => {
  await using bench = await startBench()
  bench.nuvio.user.expireTokens()
  await Promise.all([
    bench.read('history'),
    bench.read('watchlist'),
    bench.read('progress'),
    bench.call('POST', '/api/tvA/refresh'),
  ])
  t.ok(bench.nuvio.count('/auth/v1/token') <= 2)
  t.match(await bench.provider.probe('default'), { status: 'ok' }, 'and no token was used twice')
  await bench.kit.account('default').save({ expires_at: Math.floor(Date.now() / 1_000) + 200 })
  const before = bench.kit.profile('default').access_token
  const answer = await bench.call('POST', '/api/tvA/refresh')
  t.match(answer.body, { ok: true, status: 'ok', instance: 'default', expires_at: Number })
  t.not(bench.kit.profile('default').access_token, before)
  t.notOk(JSON.stringify(answer.body).includes(bench.kit.profile('default').access_token))
})

t.test('a failing refresh states why', async (t) => {
  const refresh = async (bench: Bench) => (await bench.call('POST', '/api/tvA/refresh')).body
  {
    await using bench = await startBench({ signedIn: false })
    t.match(await refresh(bench), { ok: false, status: 'missing_refresh' })
  }
  {
    await using bench = await startBench({ settings: { client_key: '' } })
    t.match(await refresh(bench), { ok: false, status: 'missing_public_client_key' })
  }
  for (const [fault, status] of [
    [{ kind: 'empty' }, 'invalid_response'],
    [{ kind: 'reset' }, 'network_error'],
    [{ kind: 'status', status: 500 }, 'refresh_failed'],
  ] as const) {
    await using bench = await startBench()
    const before = bench.kit.profile('default')
    bench.nuvio.faults.add({ match: '/auth/v1/token', ...fault })
    t.match(await refresh(bench), { ok: false, status }, fault.kind)
    t.strictSame(bench.kit.profile('default'), before)
  }
  await using bench = await startBench()
  bench.nuvio.user.revokeTokens()
  t.match(await refresh(bench), { ok: false, status: 'invalid_refresh' })
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'refresh_failed' })
  t.match(await codeOf(bench.read('history')), 'PLH_AUTH_FAILED')
})

t.test('a failing service leaves the sign-in unchanged', async (t) => {
  await using bench = await startBench({ settings: { max_retries: 0 } })
  bench.nuvio.faults.add({ match: /sync_pull_profiles/, kind: 'status', status: 503 })
  t.match(await bench.provider.probe('default'), { status: 'degraded', reasonCode: 'upstream_error' })
  bench.nuvio.faults.clear()
  bench.nuvio.faults.add({ match: /sync_pull_profiles/, kind: 'empty' })
  t.match(await bench.provider.probe('default'), { status: 'degraded', reasonCode: 'invalid_response' })
})

t.test('two profiles are two people, and a new sign-in is not mixed with the previous one', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  bench.nuvio.userNamed('bob').put('library', { content_id: 'tmdb:7', content_type: 'movie', added_at: 1 })
  const instance = await bench.provider.createProfile({})
  await bench.provider.saveProfile(instance, { base_url: bench.nuvio.url })
  t.match(await approvedFlow(bench, instance, 'bob'), { state: 'authorized' })
  await peopleAfterSignIn(bench.kit, instance)
  t.match(
    [await bench.provider.probe('default'), await bench.provider.probe(instance)],
    [{ account: 'user-of-ada/1' }, { account: 'user-of-bob/1' }],
  )
  t.strictSame(
    [(await bench.read('watchlist')).rows.length, (await bench.read('watchlist', {}, instance)).rows.length],
    [0, 1],
  )
  const {
    end: { checkpoint },
  } = await bench.read('watchlist')
  await approvedFlow(bench, 'default', 'bob')
  await peopleAfterSignIn(bench.kit, 'default')
  t.match(await bench.read('watchlist', { since: checkpoint as string }), {
    rows: [{ ids: { tmdb: '7' } }],
    end: { semantics: 'present', account: 'user-of-bob/1' },
  })
})

t.test('another person who signs in while a list is read adds no rows to it', async (t) => {
  await using bench = await startBench({ usernames: ['ada', 'bob'] })
  bench.nuvio.user.put('library', { content_id: 'tmdb:1', content_type: 'movie', added_at: 1 })
  bench.nuvio.faults.add({ match: /sync_pull_library$/, kind: 'slow', delayMs: 120, times: 1 })
  const reading = bench.read('watchlist')
  await new Promise((resolve) => setTimeout(resolve, 60))
  await bench.kit.account('default').save(tokensOf(bench.nuvio, 'bob'))
  t.match((await reading).end, { complete: false })
})

t.test('signing out ends the sign-in at the service, with a profile or without', async (t) => {
  for (const profile of [{}, { profile_id: '' }]) {
    await using bench = await startBench({ settings: profile, signedIn: true })
    await bench.kit.account('default').save(profile)
    const television = bench.nuvio.signIn().refresh_token
    t.strictSame(await bench.call('POST', '/api/tvA/disconnect'), {
      status: 200,
      body: { ok: true, instance: 'default' },
    })
    t.equal(bench.nuvio.count('/auth/v1/logout'), 1)
    const other = await fetch(`${bench.nuvio.url}/auth/v1/token`, {
      method: 'POST',
      headers: { apikey: bench.nuvio.clientKey, authorization: `Bearer ${bench.nuvio.clientKey}` },
      body: JSON.stringify({ refresh_token: television }),
    })
    t.equal(other.status, 200, 'the other devices of the person stay signed in')
    t.match(bench.kit.profile('default'), {
      access_token: '',
      refresh_token: '',
      profile_id: '',
      client_key: bench.nuvio.clientKey,
    })
  }
  const inUse = async () => {
    throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', { wire: 'provider_in_use' })
  }
  await using bench = await startBench({ capabilities: { accounts: { ...UNUSED.accounts, assertUnused: inUse } } })
  t.match(await bench.call('POST', '/api/tvA/disconnect'), { status: 409, body: { error: 'provider_in_use' } })
  t.not(bench.kit.profile('default').access_token, '')
})

t.test('unknown profiles and invalid names are refused', async (t) => {
  await using bench = await startBench()
  for (const [method, path] of [
    ['POST', POLL],
    ['POST', FINISH],
    ['GET', '/api/tvA/status'],
    ['GET', '/api/tvA/profiles'],
    ['POST', '/api/tvA/refresh'],
    ['POST', '/api/tvA/disconnect'],
  ] as const) {
    t.match(await bench.call(method, `${path}?instance=TVA-P07`), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.call(method, `${path}?instance=../x`), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})
