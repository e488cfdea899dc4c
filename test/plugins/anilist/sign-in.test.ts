// Sign-in over AniList's page with every result, and signing out.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { addressesOf, type Bench, codeOf, startBench } from './support.ts'

const ORIGIN = 'http://playhead.test'
const FAILED = 'Token exchange failed. Start the sign-in again.'

async function begin(bench: Bench, instance = 'default'): Promise<string> {
  const { body } = await bench.call('POST', `/api/animeA/authorize?instance=${instance}`, { origin: ORIGIN })
  if (body.ok !== true) throw new Error(JSON.stringify(body))
  return String(body.authorize_url)
}

/** The person consents; returns the redirect address, without the origin. */
function sayYes({ anilist }: Bench, address: string, name?: string): string {
  const { pathname, search } = new URL(anilist.authorize(address, name))
  return pathname + search
}

t.test('a person is sent to AniList and comes back signed in', async (t) => {
  await using bench = await startBench({ signedIn: false })
  t.match(await bench.provider.probe('default'), { status: 'not_configured' })
  t.same((await bench.call('GET', '/api/animeA/status')).body, { connected: false, user: null, instance: 'default' })
  const address = new URL(await begin(bench))
  t.equal(address.origin + address.pathname, `${bench.anilist.oauthUrl}/oauth/authorize`)
  t.match(Object.fromEntries(address.searchParams), {
    client_id: bench.anilist.clientId,
    redirect_uri: `${ORIGIN}/callback/animeA`,
    response_type: 'code',
    state: /^[\w-]{22,}$/,
  })
  const back = sayYes(bench, address.href)

  for (const session of [null, { id: 'another-session', username: 'tester' }]) {
    const refused = await bench.host.inject({ method: 'GET', url: back }, { session })
    t.match(
      [refused.statusCode, refused.body],
      [400, 'State mismatch.'],
      'the way back is the one of the person who began',
    )
  }

  const done = await bench.host.inject({ method: 'GET', url: back })

  t.equal(done.statusCode, 200)
  t.match(done.headers['content-type'], /^text\/plain/)
  t.same((await bench.call('GET', '/api/animeA/status')).body, { connected: true, user: 'ada', instance: 'default' })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: '5001', user: { id: '5001', name: 'ada' } })
  const { access_token: token, client_secret: secret } = bench.kit.profile('default')
  const told = JSON.stringify([bench.host.logs, done.body, address.href, bench.host.failures])
  for (const hidden of [token, secret, new URL(back, ORIGIN).searchParams.get('code') ?? ''])
    t.notOk(told.includes(hidden), 'no secret is told')
})

t.test('the redirect works once', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const back = sayYes(bench, await begin(bench))
  t.equal((await bench.call('GET', back)).status, 200)
  const before = bench.kit.profile('default')
  t.match(await bench.call('GET', back), { status: 400, text: 'State mismatch.', type: /^text\/plain/ })
  t.same(bench.kit.profile('default'), before)
})

t.test('a foreign or incomplete redirect changes nothing and sends no request', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const code = new URL(sayYes(bench, await begin(bench)), ORIGIN).searchParams.get('code')
  for (const [url, text] of [
    ['/callback/animeA', 'Missing code or state.'],
    [`/callback/animeA?code=${code}`, 'Missing code or state.'],
    ['/callback/animeA?state=x', 'Missing code or state.'],
    [`/callback/animeA?code=${code}&state=forged`, 'State mismatch.'],
  ] as const)
    t.match(await bench.call('GET', url), { status: 400, text }, url)
  t.equal(bench.anilist.count('/api/v2/oauth/token'), 0)
  t.equal(bench.kit.profile('default').access_token, '')
})

t.test('an old sign-in stays when a new one fails, and the new one is not reported as a success', async (t) => {
  const failures: readonly (readonly [string, (bench: Bench) => void])[] = [
    [
      'a wrong secret',
      ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'status', status: 401 }),
    ],
    ['a used code', ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'status', status: 400 })],
    [
      'a service that fails',
      ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'status', status: 500 }),
    ],
    ['a lost connection', ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'reset' })],
    [
      'a page in between',
      ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'html', status: 200 }),
    ],
    ['an empty answer', ({ anilist }) => anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'empty' })],
    ['maintenance', ({ anilist }) => anilist.setMaintenance(true)],
  ]
  for (const [name, happen] of failures) {
    await using bench = await startBench()
    const before = bench.kit.profile('default')
    const back = sayYes(bench, await begin(bench))
    happen(bench)
    t.match(await bench.call('GET', back), { status: 400, text: FAILED }, name)
    t.same(bench.kit.profile('default'), before, name)
  }
})

t.test('the page that started the sign-in gets its end: success, refusal, failure, or abandonment', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const stands = async () => (await bench.provider.pollSignIn?.('default', 'oauth'))?.state
  const no = (address: string) =>
    `/callback/animeA?error=access_denied&state=${new URL(address).searchParams.get('state')}`
  t.equal(await stands(), undefined)
  const first = await begin(bench)
  t.equal(await stands(), 'pending')
  t.match(await bench.call('GET', '/callback/animeA?error=access_denied&state=forged'), {
    status: 400,
    text: 'State mismatch.',
  })
  t.equal(await stands(), 'pending', 'nobody else says no')
  t.match(await bench.call('GET', no(first)), {
    status: 400,
    text: 'The sign-in was not allowed. You can close this window.',
  })
  t.equal(await stands(), 'denied')

  const late = sayYes(bench, await begin(bench))
  bench.anilist.advance(600_000)
  await bench.call('GET', late)
  t.match(await bench.provider.pollSignIn?.('default', 'oauth'), { state: 'failed', reason: 'exchange_failed' })
  const left = sayYes(bench, await begin(bench))
  t.equal(await bench.provider.cancelSignIn?.('default', 'oauth'), true)
  t.match(await bench.call('GET', left), { status: 400, text: 'State mismatch.' }, 'who gave up is not signed in')
  t.equal(await stands(), undefined)

  await bench.call('GET', sayYes(bench, await begin(bench)))
  t.equal(await stands(), 'authorized')
})

t.test('a code that was approved too late, or for another address, is refused', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const late = sayYes(bench, await begin(bench))
  bench.anilist.advance(600_000)
  t.match(await bench.call('GET', late), { status: 400, text: FAILED })
  const address = new URL(await begin(bench))
  address.searchParams.set('redirect_uri', 'https://elsewhere.test/callback/animeA')
  t.match(await bench.call('GET', sayYes(bench, address.href)), { status: 400, text: FAILED })
  t.equal(bench.kit.profile('default').access_token, '')
})

t.test('an API that does not accept JSON gets a form', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const back = sayYes(bench, await begin(bench))
  bench.anilist.faults.add({ match: '/api/v2/oauth/token', kind: 'status', status: 415, times: 1 })
  t.match(await bench.call('GET', back), { status: 200 })
  t.equal(bench.anilist.count('/api/v2/oauth/token'), 2)
})

t.test('without an address or an application no sign-in starts', async (t) => {
  await using bench = await startBench({ signedIn: false, settings: { client_id: '', client_secret: '' } })
  const authorize = async (payload: object) => (await bench.call('POST', '/api/animeA/authorize', payload)).body
  t.same(await authorize({}), { ok: false, error: 'origin missing', instance: 'default' })
  for (const origin of [
    'javascript:alert(1)',
    'https://evil.example',
    'http://evil.example/playhead.test',
    'http://playhead.test.evil.example',
    'http://playhead.test@evil.example',
    'http://playhead.test:8080',
    'https://playhead.test',
    '//evil.example',
  ])
    t.match(await authorize({ origin }), { ok: false, error: 'invalid_origin' }, origin)
  t.match(await authorize({ origin: ORIGIN }), { ok: false, error: 'missing_client_id' })
  t.match((await bench.call('POST', '/api/animeA/save', { client_id: bench.anilist.clientId })).body, {
    ok: true,
    instance: 'default',
  })
  t.match(
    await authorize({ origin: ORIGIN }),
    { ok: true, paste: true, authorize_url: /response_type=token/ },
    'without a secret AniList shows the token itself',
  )
  await bench.call('POST', '/api/animeA/save', { client_secret: bench.anilist.clientSecret })
  t.match(await authorize({ origin: `${ORIGIN}/some/page` }), { ok: true, authorize_url: /callback%2FanimeA/ })
  await bench.call('POST', '/api/animeA/save', { client_id: ' ', client_secret: '••••••••' })
  t.match(
    bench.kit.profile('default'),
    { client_id: bench.anilist.clientId, client_secret: bench.anilist.clientSecret },
    'blank and masked ones are the stored ones',
  )
})

t.test('an application that was removed or replaced before the return is reported', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const gone = sayYes(bench, await begin(bench))
  await bench.host.changeConfig({ client_secret: '' })
  t.match(await bench.call('GET', gone), { status: 400, text: 'Missing app credentials.' })
  await bench.host.changeConfig({ client_secret: bench.anilist.clientSecret })
  const other = sayYes(bench, await begin(bench))
  await bench.host.changeConfig({ client_id: 'another' })
  t.match(await bench.call('GET', other), { status: 400, text: 'State mismatch.' })
})

t.test('a profile that was removed during the sign-in stays removed', async (t) => {
  await using bench = await startBench({ signedIn: false })
  const instance = await bench.provider.createProfile({})
  await bench.provider.saveProfile(instance, addressesOf(bench.anilist))
  const back = sayYes(bench, await begin(bench, instance))
  await bench.provider.removeProfile(instance)
  t.match(await bench.call('GET', back), { status: 400, text: 'State mismatch.' })
  t.match(await bench.provider.profiles(), [{ id: 'default', configured: false }])
})

t.test('unknown profiles and invalid names are refused', async (t) => {
  await using bench = await startBench()
  for (const [method, url] of [
    ['POST', 'save'],
    ['GET', 'status'],
    ['POST', 'authorize'],
    ['POST', 'token/delete'],
  ] as const) {
    const payload = method === 'POST' ? {} : undefined
    t.match(await bench.call(method, `/api/animeA/${url}?instance=ANIMEA-P07`, payload), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.call(method, `/api/animeA/${url}?instance=../x`, payload), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})

t.test('an additional profile signs in with the application of the first, as another person', async (t) => {
  await using bench = await startBench({ names: ['ada', 'bob'] })
  const { provider, anilist } = bench
  const instance = await provider.createProfile({})
  await provider.saveProfile(instance, addressesOf(anilist))
  anilist.user.save(anilist.films[0]!, { status: 'PLANNING' })
  anilist.userNamed('bob').save(anilist.films[1]!, { status: 'PLANNING' })
  t.equal((await bench.call('GET', sayYes(bench, await begin(bench, instance), 'bob'))).status, 200)

  t.match([await provider.probe('default'), await provider.probe(instance)], [{ account: '5001' }, { account: '5002' }])
  t.same(
    (await bench.read('watchlist')).rows.map(({ ids }) => ids.anilist),
    [String(anilist.films[0]!.id)],
  )
  t.same(
    (await bench.read('watchlist', {}, instance)).rows.map(({ ids }) => ids.anilist),
    [String(anilist.films[1]!.id)],
  )
  t.match(await bench.call('POST', `/api/animeA/token/delete?instance=${instance}`, {}), {
    status: 200,
    body: { ok: true, instance },
  })
  t.match(
    [await provider.probe('default'), await provider.probe(instance)],
    [{ status: 'ok' }, { status: 'not_configured' }],
  )
})

t.test(
  'signing out deletes the token and the account, and keeps the application; not while the profile is in use',
  async (t) => {
    const usages = [{ feature: 'sync_pair' }]
    const assertUnused = async () => {
      throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', {
        wire: 'provider_in_use',
        details: { usages },
      })
    }
    await using used = await startBench({ capabilities: { accounts: { assertUnused, forget: async () => {} } } })
    t.match(await used.call('POST', '/api/animeA/token/delete', {}), {
      status: 409,
      body: { ok: false, error: 'provider_in_use', usages },
    })
    t.not(used.kit.profile('default').access_token, '')

    await using bench = await startBench()
    t.match(await bench.call('POST', '/api/animeA/token/delete', {}), { status: 200, body: { ok: true } })
    t.match(bench.kit.profile('default'), {
      access_token: '',
      user: { id: 0, name: '' },
      client_id: bench.anilist.clientId,
      client_secret: bench.anilist.clientSecret,
    })
    t.equal(await codeOf(bench.read('ratings')), 'PLH_NOT_READY')
  },
)

t.test('an expired sign-in is reported as such, and maintenance is not', async (t) => {
  await using bench = await startBench()
  bench.anilist.setMaintenance(true)
  t.match(await bench.provider.probe('default'), { status: 'down', reasonCode: 'upstream_error' })
  bench.anilist.setMaintenance(false)
  t.match(await bench.provider.probe('default'), { status: 'ok' })
  bench.anilist.user.revokeTokens()
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'unauthorized' })
  t.equal(await codeOf(bench.read('watchlist')), 'PLH_AUTH_FAILED')
  t.same(
    await bench.write('watchlist', 'add', [
      { type: 'anime', film: true, ids: { anilist: String(bench.anilist.films[0]!.id) } },
    ]),
    ['failed:unauthorized'],
  )
})

const AUTHORIZE = '/api/animeA/authorize'
const SAVE = '/api/animeA/save'
const OWN_NONE = { client_id: '', client_secret: '' }

/** The person consents, and copies the token from the page. */
async function copied({ anilist, call }: Bench, name?: string): Promise<string> {
  const { authorize_url: address } = (await call('POST', AUTHORIZE, { origin: ORIGIN })).body
  return new URLSearchParams(new URL(anilist.authorize(address, name)).hash.slice(1)).get('access_token') ?? ''
}

t.test('with a shipped application, a person pastes a token and needs no own application', async (t) => {
  await using bench = await startBench({ ships: true, signedIn: false, settings: OWN_NONE })
  const { anilist, provider } = bench
  const [way] = (await provider.describe()).operations?.ways ?? []
  t.match(way, {
    method: 'oauth',
    kind: 'redirect',
    form: null,
    help: null,
    prepare: null,
    start: { path: AUTHORIZE },
    paste: { method: 'POST', path: SAVE, body: ['access_token'] },
  })
  const { body: begun } = await bench.call('POST', AUTHORIZE, { origin: ORIGIN })
  t.match(begun, { ok: true, paste: true })
  const address = new URL(begun.authorize_url)
  t.equal(address.origin + address.pathname, `${anilist.oauthUrl}/oauth/authorize`)
  t.same(Object.fromEntries(address.searchParams), { client_id: anilist.clientId, response_type: 'token' })
  const stands = () => provider.pollSignIn?.('default', 'oauth')
  t.match(await stands(), { state: 'pending', shown: { authorize_url: begun.authorize_url, paste: true } })

  const token = await copied(bench)
  const { body } = await bench.call('POST', SAVE, { access_token: token })

  t.same(body, { ok: true, instance: 'default' })
  t.match(await stands(), { state: 'authorized' }, 'the page that waits goes on')
  t.match(bench.kit.profile('default'), { access_token: token, client_id: '', user: { name: 'ada' } })
  t.match(await provider.probe('default'), { status: 'ok', account: '5001' })
  t.equal(anilist.count('/api/v2/oauth/token'), 0)
  const said = JSON.stringify([bench.host.logs, body, await stands(), bench.host.failures])
  t.notOk(said.includes(token), 'the token is in no log and no answer')
  t.notOk(
    anilist.requests.some(({ path, query }) => `${path}?${query}`.includes(token)),
    'nor in an address',
  )

  t.equal((await bench.call('POST', '/api/animeA/token/delete', {})).status, 200)
  t.match(bench.kit.profile('default'), { access_token: '', expires_at: 0 })
})

t.test('an own application, with or without a secret, has priority over the shipped one', async (t) => {
  await using bench = await startBench({ ships: true, signedIn: false })
  const { anilist } = bench
  const first = new URL(await begin(bench)).searchParams
  t.match(Object.fromEntries(first), { client_id: anilist.clientId, response_type: 'code' })
  t.equal((await bench.call('GET', sayYes(bench, await begin(bench)))).status, 200)
  await bench.kit.account('default').save({ client_id: 'an own one', client_secret: '' })
  const own = new URL(await begin(bench)).searchParams
  t.same(Object.fromEntries(own), { client_id: 'an own one', response_type: 'token' })
})

t.test('a token is parsed as people copy it', async (t) => {
  await using bench = await startBench({ ships: true, signedIn: false, settings: OWN_NONE })
  const token = await copied(bench)
  for (const pasted of [
    `  ${token}\n`,
    `Bearer ${token}`,
    `${token.slice(0, 40)}\n${token.slice(40)}`,
    `https://anilist.co/api/v2/oauth/pin#access_token=${token}&token_type=Bearer&expires_in=31536000`,
  ]) {
    await bench.kit.account('default').save({ access_token: '' })
    t.match((await bench.call('POST', SAVE, { access_token: pasted })).body, { ok: true }, pasted.slice(0, 20))
    t.equal(bench.kit.profile('default').access_token, token)
  }
})

t.test('a token is checked before it is stored: an invalid one changes nothing', async (t) => {
  await using bench = await startBench({ ships: true })
  const { anilist } = bench
  const before = bench.kit.profile('default')
  const ended = anilist.signIn()
  anilist.user.revokeTokens()
  for (const token of [ended, 'made up', 'ünknown', '\u0000', 'a'.repeat(8_000)]) {
    const { status, body } = await bench.call('POST', SAVE, { access_token: token, client_id: 'another' })
    t.match([status, body], [200, { ok: false, error: 'invalid_token', instance: 'default' }])
    t.notOk(JSON.stringify([body, bench.host.logs]).includes(token))
  }
  const works = anilist.signIn()
  anilist.setMaintenance(true)
  t.match((await bench.call('POST', SAVE, { access_token: works })).body, { ok: false, error: /^validation_/ })
  anilist.setMaintenance(false)
  anilist.faults.add({ match: '/', kind: 'reset' })
  t.match((await bench.call('POST', SAVE, { access_token: works })).body, { ok: false, error: 'validation_failed' })
  t.equal((await bench.call('POST', SAVE, { access_token: 'a'.repeat(20_000) })).status, 422)
  t.equal((await bench.call('POST', SAVE, { access_token: { a: 1 } })).status, 422)
  t.same(bench.kit.profile('default'), before)
})

t.test('a token of another person replaces the first, as with any new sign-in', async (t) => {
  await using bench = await startBench({ ships: true, names: ['ada', 'bob'], settings: OWN_NONE })
  const { anilist } = bench
  anilist.user.save(anilist.films[0]!, { status: 'PLANNING' })
  anilist.userNamed('bob').save(anilist.films[1]!, { status: 'PLANNING' })
  t.equal((await bench.read('watchlist')).rows.length, 1)
  await bench.call('POST', SAVE, { access_token: await copied(bench, 'bob') })
  t.match(await bench.provider.probe('default'), { account: '5002', user: { name: 'bob' } })
  t.same(
    (await bench.read('watchlist')).rows.map(({ ids }) => ids.anilist),
    [String(anilist.films[1]!.id)],
    'nothing of the first person is read',
  )
})

t.test('the expiry of a token is known, regardless of its source', async (t) => {
  const YEAR_MS = 31_536_000_000
  const isNear = (atMs: number | undefined, wantedMs: number) => Math.abs((atMs ?? 0) - wantedMs) < 120_000
  const endOf = async ({ provider }: Bench) => (await provider.profiles())[0]?.credentialEndsAtMs
  const tokenLifetimeS = 2_592_000
  await using pasted = await startBench({ ships: true, signedIn: false, tokenLifetimeS, settings: OWN_NONE })
  t.equal(await endOf(pasted), undefined)
  const token = await copied(pasted)
  await pasted.call('POST', SAVE, { access_token: token })
  t.ok(isNear(await endOf(pasted), Date.now() + tokenLifetimeS * 1_000), 'the token itself says it')
  t.match((await pasted.provider.profiles())[0], { credentialRenews: false })

  await using exchanged = await startBench({ signedIn: false, tokenLifetimeS })
  await exchanged.call('GET', sayYes(exchanged, await begin(exchanged)))
  t.ok(isNear(await endOf(exchanged), Date.now() + tokenLifetimeS * 1_000))

  await using opaque = await startBench({ ships: true, signedIn: false, settings: OWN_NONE, opaqueTokens: true })
  await opaque.call('POST', SAVE, { access_token: await copied(opaque) })
  t.ok(isNear(await endOf(opaque), Date.now() + YEAR_MS), 'else it is a year, as AniList documents')
})
