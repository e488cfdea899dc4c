// The helpers of sign-in routes: states of redirects, answers, and sign-ins of one step.
import t from 'tap'
import type { FastifyReply } from 'fastify'
import { PlayheadError, providerCapability, type Static, Type } from '@playhead/sdk'
import {
  type BrowserRefusal,
  type CodeGrant,
  applicationFor,
  BROWSER_REFUSALS,
  browserRow,
  cancelRow,
  applicationOfToken,
  challengeOf,
  createVerifier,
  deviceAnswer,
  endOfToken,
  KEY_REFUSED,
  missingScopes,
  providerRoutes,
  routeRow,
  clientFields,
  endOfAccess,
  missingSignIn,
  tokenOwner,
  saveWhenValid,
  sendFlow,
  signOutRow,
  type FlowState,
  type Provider,
} from '@playhead/sdk/provider'
import { flowBody } from '../../../sdk/provider/sign-in/sign-in.ts'
import { acmePlugin, type Client, type Profile, startAcme } from './support.ts'

t.test('a redirect state works once, for the session it was issued to', async (t) => {
  await using acme = await startAcme()
  const states = (await acme.kit()).redirects
  const state = await states.issue('session-1', 'default', { verifier: 'v' })
  await t.rejects(states.take('session-2', state), { code: 'PLH_EXPIRED', status: 410 })
  await acme.host.reload()
  t.strictSame(await states.take('session-1', state), { instance: 'default', data: { verifier: 'v' } })
  await t.rejects(states.take('session-1', state), { code: 'PLH_EXPIRED' })
  await t.rejects(states.take('session-1', 'made up'), { code: 'PLH_EXPIRED', details: { status: 'expired' } })
})

t.test('of two returns at the same time one gets the data', async (t) => {
  await using acme = await startAcme()
  const states = (await acme.kit()).redirects
  const state = await states.issue('s', 'default', {})
  const taken = await Promise.allSettled([states.take('s', state), states.take('s', state)])
  t.strictSame(taken.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('a stored redirect state cannot be used by who reads the storage, and lasts a quarter of an hour', async (t) => {
  let nowMs = Date.now()
  await using acme = await startAcme(acmePlugin(), { clock: { now: () => nowMs } })
  const states = (await acme.kit()).redirects
  const state = await states.issue('s', 'default', {})
  for await (const [key] of acme.host.store.entries()) t.notMatch(key, state)
  nowMs += 15 * 60_000 + 1
  await t.rejects(states.take('s', state), { code: 'PLH_EXPIRED' })
})

t.test('a browser that returns after its profile was disconnected or removed signs no one in', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { server: 'http://one.test', instances: { 'ACME-P01': { server: 'http://two.test' } } },
  })
  const { redirects, disconnect } = await acme.kit()
  const [first, second] = [
    await redirects.issue('s', 'default', {}),
    await redirects.issue('s', 'ACME-P01', { verifier: 'v' }),
  ]
  await disconnect('default')
  await t.rejects(redirects.take('s', first), { code: 'PLH_EXPIRED' })
  t.strictSame(
    await redirects.take('s', second),
    { instance: 'ACME-P01', data: { verifier: 'v' } },
    'that of another profile is good',
  )
  const third = await redirects.issue('s', 'ACME-P01', {})
  await acme.host.capability<Provider>(providerCapability('ACME')).removeProfile('ACME-P01')
  await t.rejects(redirects.take('s', third), { code: 'PLH_EXPIRED' })
  t.ok(await redirects.take('s', await redirects.issue('s', 'default', {})), 'and one that begins afterwards is good')
})

t.test(
  'a sign-in in the browser begins with an own address, ends once, and each end is shown and can be polled',
  async (t) => {
    const PATH = '/callback/acme'
    const grants: CodeGrant[] = []
    let exchange = async (): Promise<BrowserRefusal | undefined> => undefined
    const routes = providerRoutes<Static<typeof Profile>, Client>({
      'POST authorize': browserRow({
        summary: 'Start signing in',
        path: PATH,
        fields: { clientId: Type.String() },
        errors: { 200: { ...BROWSER_REFUSALS, https_required: 'The address is no https one.' } },
        issuers: () => ['https://acme.test'],
        async exchange(_kit, _instance, grant) {
          grants.push(grant)
          return exchange()
        },
        run: ({ body: { clientId } }, begin) =>
          begin({
            url: 'https://acme.test/authorize?theme=dark',
            clientId,
            scope: 'read write',
            entered: { x: 'y' },
            httpsOnly: true,
          }),
      }),
    })
    await using acme = await startAcme(acmePlugin({ change: { routes } }))
    const { redirects } = await acme.kit()
    const begin = async (payload: object, secure = true) => {
      const request = { method: 'POST', url: '/api/acme/authorize', payload: { clientId: 'app', ...payload } } as const
      return (await acme.host.inject(request, { secure })).json()
    }
    t.match(await begin({}), { ok: false, error: 'origin_missing', instance: 'default' })
    t.match(await begin({ origin: 'https://evil.example' }), { ok: false, error: 'invalid_origin' })
    t.match(await begin({ origin: 'http://playhead.test' }, false), { ok: false, error: 'https_required' })
    t.match(await begin({ origin: 'https://playhead.test/page', clientId: '' }), { error: 'missing_client_id' })
    t.equal(await redirects.state('default'), undefined, 'and nothing was begun')

    const failed = (reason: string) => ({ state: 'failed', reason })
    const throws = (error: Error) => async () => {
      throw error
    }
    const endings: readonly (readonly [number, RegExp, object, Readonly<Record<string, string>>, typeof exchange?])[] =
      [
        [200, /^Acme is connected/, { state: 'authorized' }, { code: 'c', iss: 'https://acme.test' }],
        [400, /^State mismatch/, failed('exchange_failed'), { code: 'c', iss: 'https://evil.example' }],
        [400, /^You did not allow/, { state: 'denied' }, { error: 'access_denied' }],
        [400, /^Acme refused/, failed('exchange_failed'), { error: 'server_error' }],
        [
          400,
          /^Only reading/,
          failed('read_only'),
          { code: 'c' },
          async () => ({ reason: 'read_only', text: 'Only reading' }),
        ],
        [
          400,
          /^Acme did not accept/,
          failed('exchange_failed'),
          { code: 'c' },
          throws(new PlayheadError('PLH_UPSTREAM', 'Text of the service')),
        ],
        [500, /^Error$/, failed('exchange_failed'), { code: 'c' }, throws(new TypeError('a fault of the plugin'))],
      ]
    for (const [status, text, state, query, next = async () => undefined] of endings) {
      exchange = next
      const address = new URL((await begin({ origin: 'https://playhead.test/page' })).authorize_url)
      const asked = Object.fromEntries(address.searchParams)
      const redirect_uri = `https://playhead.test${PATH}`
      t.match(asked, { theme: 'dark', response_type: 'code', client_id: 'app', redirect_uri, scope: 'read write' })
      const back = `${PATH}?${new URLSearchParams({ ...query, state: String(asked['state']) })}`
      t.equal((await acme.host.inject(back, { session: { id: 'other', username: 'eve' } })).statusCode, 400)
      t.match(await redirects.state('default'), { state: 'pending' }, 'another session ends nothing')
      const page = await acme.host.inject(back)
      t.match([page.statusCode, page.headers['content-type'], page.body], [status, /^text\/plain/, text])
      t.match(await redirects.state('default'), state, page.body)
      t.match((await acme.host.inject(back)).body, /^State mismatch/, 'an address works once')
      const { verifier = '', ...grant } = grants.at(-1) ?? {}
      if (query['code'] === undefined || text.test('State mismatch')) continue
      t.same(grant, { code: 'c', redirectUri: redirect_uri, clientId: 'app', entered: { x: 'y' } })
      t.equal(challengeOf(verifier), asked['code_challenge'])
    }
    t.equal(grants.length, 4, 'only a code of the service is exchanged')
    for (const query of ['', '?code=c', '?state=s'])
      t.match((await acme.host.inject(PATH + query)).body, /^Missing code or state/)
  },
)

t.test('the challenge of PKCE is the verifier for a service that knows only the method plain', async (t) => {
  for (const [pkce, method] of [
    ['plain', 'plain'],
    [undefined, 'S256'],
    [false, null],
  ] as const) {
    let verifier = ''
    const routes = providerRoutes<Static<typeof Profile>, Client>({
      'POST authorize': browserRow({
        summary: 'Start signing in',
        path: '/callback/acme',
        ...(pkce === undefined ? {} : { pkce }),
        errors: { 200: BROWSER_REFUSALS },
        exchange: async (_kit, _instance, grant) => void (verifier = grant.verifier),
        run: (_call, begin) => begin({ url: 'https://acme.test/authorize', clientId: 'app' }),
      }),
    })
    await using acme = await startAcme(acmePlugin({ change: { routes } }))
    const payload = { origin: 'http://playhead.test' }
    const { authorize_url: url } = (
      await acme.host.inject({ method: 'POST', url: '/api/acme/authorize', payload })
    ).json()
    const asked = new URL(url).searchParams
    await acme.host.inject(`/callback/acme?${new URLSearchParams({ code: 'c', state: String(asked.get('state')) })}`)
    t.equal(asked.get('code_challenge_method'), method)
    t.equal(asked.get('code_challenge'), pkce === 'plain' ? verifier : pkce === false ? null : challengeOf(verifier))
    // RFC 7636, 4.1
    t.match(verifier, /^[\w.~-]{43,128}$/)
  }
})

t.test('a sign-in of one step saves what it learned, and nothing when it fails', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { server: 'http://one.test', access_token: 'old' } })
  const kit = await acme.kit()
  await t.rejects(
    saveWhenValid(kit, 'default', { access_token: 'typed' }, async ({ profile }) => {
      t.equal(profile.access_token, 'typed')
      throw new PlayheadError('PLH_AUTH_FAILED', 'no')
    }),
    { code: 'PLH_AUTH_FAILED' },
  )
  t.equal(kit.profile('default').access_token, 'old')
  const name = await saveWhenValid(kit, 'default', { access_token: 'typed' }, async () => ({
    save: { access_token: 'typed', user_id: 'u9' },
    result: 'Ann',
  }))
  t.equal(name, 'Ann')
  t.match(kit.profile('default'), { access_token: 'typed', user_id: 'u9' })
})

t.test('a table makes the routes: answers name the profile, and failures of the service are codes', async (t) => {
  const Any = Type.Object({}, { additionalProperties: true })
  const response = { 200: Any, 410: Any }
  const gives: Readonly<Record<string, () => Promise<object | string>>> = {
    fields: async () => ({ name: 'Ann' }),
    no: async () => ({ ok: false, status: 'pending' }),
    code: async () => 'key_missing',
    expired: async () => ({ ok: false, status: 'expired' }),
    refused: () => Promise.reject(new PlayheadError('PLH_AUTH_FAILED', 'a text of the service')),
    limited: () =>
      Promise.reject(new PlayheadError('PLH_RATE_LIMITED', 'a text of the service', { retryAfterMs: 1_500 })),
    fault: () => Promise.reject(new TypeError('a fault of the plugin')),
  }
  const run = ({ query, reply }: { query: { give?: string }; reply: FastifyReply }) =>
    query.give === 'reply' ? reply.code(409).send({ ok: false, error: 'own' }) : gives[query.give ?? '']!()
  const row = { summary: 'Try', query: { give: Type.String() }, response, run }
  const routes = providerRoutes<Static<typeof Profile>, Client>({
    'GET try': routeRow({ ...row, refusals: KEY_REFUSED }),
    'POST try': routeRow(row),
    'POST save': routeRow({
      summary: 'Save',
      body: Type.Object({ name: Type.String() }),
      response,
      run: ({ body, profile }) => ({ name: body.name, server: profile.server }),
    }),
    'POST cancel': cancelRow('device_code', 'code'),
    'POST disconnect': signOutRow('Forget'),
  })
  await using acme = await startAcme(acmePlugin({ change: { routes } }), {
    config: { server: 'http://one.test', instances: { 'ACME-P01': { server: 'http://two.test' } } },
  })
  const call = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await acme.host.inject({ method, url: `/api/acme/${path}`, ...(payload && { payload }) })
    return [answer.statusCode, answer.json()]
  }
  const instance = 'ACME-P01'
  for (const [give, status, body] of [
    ['fields', 200, { ok: true, name: 'Ann', instance }],
    ['no', 200, { ok: false, status: 'pending', instance }],
    ['code', 200, { ok: false, error: 'key_missing', instance }],
    ['expired', 410, { ok: false, status: 'expired', instance }],
    ['reply', 409, { ok: false, error: 'own' }],
    ['refused', 200, { ok: false, error: 'invalid_api_key', instance }],
    ['limited', 429, { ok: false, error: 'rate_limited', instance, retry_after: 2 }],
  ] as const)
    t.same(await call('GET', `try?instance=${instance}&give=${give}`), [status, body], give)
  t.match(await call('GET', 'try?give=fault'), [500, { error: 'internal' }])
  t.match(await call('POST', 'try?give=refused'), [401, { error: 'unauthorized' }], 'without codes it is an error')
  t.match(await call('GET', 'try?give=fields&instance=ACME-P09'), [404, { error: 'not_found' }])
  t.match(await call('GET', 'try'), [422, {}])
  t.same(await call('POST', `save?instance=${instance}`, { name: 'x' }), [
    200,
    { ok: true, name: 'x', server: 'http://two.test', instance },
  ])
  t.match(await call('POST', 'save', {}), [422, {}])
  t.same(await call('POST', 'cancel'), [200, { ok: true, cancelled: false, instance: 'default' }])
  t.same(await call('POST', 'disconnect'), [200, { ok: true, instance: 'default' }])
})

t.test('the answer about a flow has its state, and status 410 when it expired', async (t) => {
  const sent: { code?: number; body?: unknown } = {}
  const reply = {
    code(code: number) {
      sent.code = code
      return reply
    },
    send(body: unknown) {
      sent.body = body
      return reply
    },
  }
  const flow: FlowState = {
    method: 'device_code',
    state: 'pending',
    shown: { code: 'ABCD' },
    startedAtMs: 0,
    expiresAtMs: Date.now() + 60_000,
    intervalMs: 5_000,
  }
  t.match(flowBody('default', flow), {
    ok: true,
    status: 'pending',
    pending: true,
    code: 'ABCD',
    interval: 5,
    expires_in: 60,
    instance: 'default',
  })
  t.strictSame(flowBody('default', undefined), { ok: false, status: 'none', instance: 'default' })
  sendFlow(reply as never, 'default', { ...flow, state: 'expired', reason: 'expired' })
  t.match(sent, { code: 410, body: { ok: false, status: 'expired' } })
  sendFlow(reply as never, 'default', { ...flow, state: 'authorized', result: { user: 'Ann' } }, { extra: 1 })
  t.match(sent, { code: 200, body: { ok: true, status: 'authorized', user: 'Ann', extra: 1 } })
})

t.test('the end of a token is read from it, if it says one', (t) => {
  const tokenWith = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
  t.equal(endOfToken(tokenWith({ exp: 1_900_000_000 })), 1_900_000_000)
  t.equal(endOfToken(tokenWith({ exp: 1_900_000_000.75 })), 1_900_000_000, 'some have parts of a second')
  for (const token of ['', 'opaque', 'a.b.c', 'a.%.c', ...[null, [], {}, 'x'].map(tokenWith)])
    t.equal(endOfToken(token), undefined, token)
  for (const exp of [-1, 0, '1900000000', 1_900_000_000_000, null]) t.equal(endOfToken(tokenWith({ exp })), undefined)
  t.end()
})

t.test('the application of a sign-in: entered before own, own before shipped, and a secret only with its id', (t) => {
  const own = { client_id: 'own', client_secret: 'secret' }
  t.same(applicationFor({ client_id: '' }, {}, 'shipped'), { clientId: 'shipped', clientSecret: '', entered: {} })
  t.same(applicationFor(own, {}, 'shipped'), { clientId: 'own', clientSecret: 'secret', entered: {} })
  t.same(applicationFor(own, { client_id: 'new' }, ''), {
    clientId: 'new',
    clientSecret: '',
    entered: { client_id: 'new', client_secret: '' },
  })
  t.same(applicationFor(own, { client_id: 'new', client_secret: 'its' }, ''), {
    clientId: 'new',
    clientSecret: 'its',
    entered: { client_id: 'new', client_secret: 'its' },
  })
  t.same(applicationFor(own, { client_id: 'own' }, ''), {
    clientId: 'own',
    clientSecret: 'secret',
    entered: { client_id: 'own' },
  })
  t.same(applicationFor(own, { client_secret: 'its' }, ''), {
    clientId: 'own',
    clientSecret: 'its',
    entered: { client_secret: 'its' },
  })
  const none = { access_token: 'a', token_client_id: '', token_mark: '' }
  t.same(applicationOfToken({ ...own, ...none }), { clientId: 'own', clientSecret: 'secret' })
  const older = { ...own, access_token: 'a', ...tokenOwner('a', 'older') }
  t.same(applicationOfToken(older), { clientId: 'older', clientSecret: '' })
  t.same(applicationOfToken({ ...older, access_token: 'from elsewhere' }), { clientId: 'own', clientSecret: 'secret' })
  t.same(tokenOwner('a', ''), { token_client_id: '', token_mark: '' }, 'that of the settings')
  t.same(
    ['', 'secret'].map((clientSecret) => clientFields({ clientId: 'own', clientSecret })),
    [{ client_id: 'own' }, { client_id: 'own', client_secret: 'secret' }],
  )
  t.strictSame(
    [
      { ...own, ...none },
      { ...own, ...none, client_id: '' },
      { ...own, ...none, access_token: '' },
    ].map(missingSignIn),
    [undefined, 'missing_credentials', 'not_configured'],
  )
  t.strictSame(
    [
      { expires_at: 5, refresh_token: 'r' },
      { expires_at: 0, refresh_token: 'r' },
      { expires_at: 5, refresh_token: '' },
    ].map(endOfAccess),
    [5_000, undefined, undefined],
  )
  t.end()
})

t.test('PKCE as in the example of RFC 7636, and another verifier each time', (t) => {
  t.equal(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
  const made = [createVerifier(), createVerifier()]
  t.ok(made.every((verifier) => /^[\w-]{43}$/.test(verifier)))
  t.not(made[0], made[1])
  t.end()
})

t.test(
  'granted scopes are parsed in any order, with spaces or commas, and an empty answer means the requested ones',
  (t) => {
    const wanted = ['media:read', 'media:write']
    for (const granted of [
      'media:read media:write',
      'media:write,media:read',
      ' media:write ,media:read x',
      null,
      undefined,
    ])
      t.same(missingScopes(granted, wanted), [], String(granted))
    for (const granted of ['media:read', 'media:read media:writes', 'MEDIA:READ MEDIA:WRITE media:read'])
      t.same(missingScopes(granted, wanted), ['media:write'], granted)
    t.same(missingScopes('', wanted), wanted)
    t.end()
  },
)

t.test('the error of a polled code is read from its body, and a page is none', (t) => {
  t.same(deviceAnswer('{"error":"authorization_pending"}'), { state: 'pending' })
  t.same(deviceAnswer('{"error":"slow_down"}'), { state: 'slow_down' })
  t.same(deviceAnswer('{"error":"invalid_grant"}'), { state: 'failed', reason: 'invalid_code' })
  for (const body of ['', '<html>', '[]', '{"error":"constructor"}', '{"error":1}', '['.repeat(5_000)])
    t.equal(deviceAnswer(body), undefined)
  t.end()
})
