import t from 'tap'
import { PlayheadError, type AccountOptions } from '@playhead/sdk'
import { startServer, type ReceivedRequest, type Reply } from '../../../sdk/testing/server.ts'
import { bearer, createClient, eventually, failureOf } from './support.ts'

type Refresh = NonNullable<NonNullable<AccountOptions['credential']>['refresh']>

// A service with one valid token; every refresh creates another.
function tokenStore() {
  const store = {
    valid: 'token-1',
    stored: 'token-0',
    refreshes: 0,
    credential: (refresh?: Refresh): AccountOptions['credential'] => ({
      ...bearer(() => store.stored),
      refresh:
        refresh ??
        (async () => {
          store.refreshes += 1
          store.valid = store.stored = `token-${store.refreshes + 1}`
        }),
    }),
  }
  return store
}

function guarded(store: { valid: string }) {
  return ({ headers }: Pick<ReceivedRequest, 'headers'>): Reply =>
    headers.authorization === `Bearer ${store.valid}` ? { json: { ok: true } } : { status: 401 }
}

t.test('secrets are placed where the account specifies, and omitted from anonymous requests', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: {
      secrets: () => ({ token: 'the-token', device: 'the-device' }),
      place: [
        { in: 'header', name: 'Authorization', template: 'MediaBrowser Token="{token}", DeviceId="{device}"' },
        { in: 'query', name: 'apikey', template: '{token}' },
      ],
    },
  })

  await account.request({ path: '', query: { apikey: 'of the caller', a: 1 } })
  await account.request({ path: '', anonymous: true })

  const [first, second] = server.requests
  t.equal(first?.headers.authorization, 'MediaBrowser Token="the-token", DeviceId="the-device"')
  t.equal(first?.query.toString(), 'apikey=the-token&a=1')
  t.equal(second?.headers.authorization, undefined)
  t.equal(second?.query.get('apikey'), null)
})

for (const token of [undefined, '', 'line\r\nbreak: x']) {
  t.test(`a request with the token ${JSON.stringify(token)} fails before anything is sent`, async (t) => {
    await using server = await startServer(() => ({ json: {} }))
    await using client = createClient()
    const account = client.upstream.account({
      account: 'A@default',
      baseUrl: server.url,
      credential: bearer(() => token),
    })

    t.equal((await failureOf(account.request({ path: '' }))).code, 'PLH_AUTH_FAILED')
    t.equal(server.requests.length, 0)
    t.equal(account.stats().inFlight, 0)
  })
}

t.test('secrets are read for each request', async (t) => {
  let token = 'first-token'
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: bearer(() => token),
  })

  await account.request({ path: '' })
  token = 'second-token'
  await account.request({ path: '' })

  t.strictSame(
    server.requests.map(({ headers }) => headers.authorization),
    ['Bearer first-token', 'Bearer second-token'],
  )
})

t.test("headers of one request and the credential's are not sent with another", async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  let token = 'token-1'
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    headers: { 'content-type': 'text/x', 'x-app': 'one' },
    credential: bearer(() => token),
  })

  await account.request({ path: '' })
  await account.request({ path: '', headers: { 'x-own': 'two', authorization: 'mine' } })
  await account.request({ path: '' })
  await account.request({ path: '', anonymous: true })
  await account.request({ method: 'POST', path: '', body: 'text' })
  token = 'token-2'
  await account.request({ method: 'POST', path: '', json: {} })
  await account.request({ path: '' })

  t.strictSame(
    server.requests.map(({ headers }) =>
      ['authorization', 'x-app', 'x-own', 'content-type'].map((name) => headers[name] ?? null),
    ),
    [
      ['Bearer token-1', 'one', null, null],
      ['Bearer token-1', 'one', 'two', null],
      ['Bearer token-1', 'one', null, null],
      [null, 'one', null, null],
      ['Bearer token-1', 'one', null, 'text/x'],
      ['Bearer token-2', 'one', null, 'text/x'],
      ['Bearer token-2', 'one', null, null],
    ],
  )
})

t.test('fifty requests that meet 401 together cause one refresh, and all succeed', async (t) => {
  const store = tokenStore()
  await using server = await startServer(guarded(store))
  await using client = createClient()
  const options = {
    account: 'A@default',
    baseUrl: server.url,
    credential: store.credential(),
    limits: { concurrency: 10 },
  }
  // Two generations of the plugin, as during a reload.
  const accounts = [client.upstream.account(options), client.generation().account(options)]

  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => accounts[index % 2]?.request({ path: '' })),
  )

  t.ok(answers.every((answer) => answer?.status === 200))
  t.equal(store.refreshes, 1)
  t.match(accounts[0]?.stats(), { requests: 50, refreshes: 1 })
  await eventually(() => accounts[0]?.stats().inFlight === 0)
  t.ok(server.requests.length <= 60, 'only those that were under way met the refusal')
})

t.test('a late refusal, after the refresh, is retried without another one', async (t) => {
  const store = tokenStore()
  let refuseLate = (): void => {}
  await using server = await startServer(async (request) => {
    const reply = guarded(store)(request)
    if (request.path === '/late' && reply.status === 401)
      await new Promise<void>((resolve) => {
        refuseLate = resolve
      })
    return reply
  })
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, credential: store.credential() })

  const late = account.request({ path: 'late' })
  await eventually(() => server.requests.length === 1)
  await account.request({ path: 'soon' })
  refuseLate()

  t.equal((await late).status, 200)
  t.equal(store.refreshes, 1)
})

t.test('a request is retried once: a second 401, or a 403 after the refresh, is final', async (t) => {
  for (const second of [401, 403]) {
    const store = tokenStore()
    await using server = await startServer(({ index }) => ({ status: index === 0 ? 401 : second }))
    await using client = createClient()
    const account = client.upstream.account({
      account: 'A@default',
      baseUrl: server.url,
      credential: store.credential(),
    })

    t.match(await failureOf(account.request({ path: '', method: 'POST' })), {
      code: 'PLH_AUTH_FAILED',
      details: { status: second },
    })
    t.equal(server.requests.length, 2)
    t.equal(store.refreshes, 1)
  }
})

t.test('a refresh uses the same account, even with a limit of one request', async (t) => {
  const store = tokenStore()
  await using server = await startServer((request) => {
    if (request.path !== '/oauth/token') return guarded(store)(request)
    store.valid = 'token-9'
    return { json: { token: 'token-9' } }
  })
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    limits: { concurrency: 1 },
    credential: store.credential(async () => {
      const answer = await account.request({ method: 'POST', path: 'oauth/token', anonymous: true })
      store.stored = ((await answer.json()) as { token: string }).token
    }),
  })

  const answers = await Promise.all(Array.from({ length: 5 }, () => account.request({ path: '' })))

  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/', '/oauth/token', '/', '/', '/', '/', '/'],
  )
})

t.test('a refresh that sends the refused credential itself fails instead of waiting for itself', async (t) => {
  const store = tokenStore()
  await using server = await startServer(() => ({ status: 401 }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: store.credential(async () => void (await account.request({ path: 'renew' }))),
  })

  t.equal((await failureOf(account.request({ path: '' }))).code, 'PLH_AUTH_FAILED')
  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/', '/renew'],
  )
})

t.test('work that a refresh started is no part of it after its end', async (t) => {
  const store = tokenStore()
  await using server = await startServer(guarded(store))
  await using client = createClient()
  let later = Promise.resolve<unknown>(null)
  const go = Promise.withResolvers<void>()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: store.credential(async () => {
      store.refreshes += 1
      store.valid = store.stored = `token-${store.refreshes + 1}`
      // Like a reload caused by the changed settings.
      later = go.promise.then(() => account.request({ path: 'later' }))
    }),
  })

  await account.request({ path: '' })
  store.valid = 'token-expired'
  go.resolve()

  t.equal(((await later) as { status: number }).status, 200, 'it may refresh itself')
  t.equal(store.refreshes, 2)
})

t.test('a failing refresh is not repeated by every waiting request', async (t) => {
  let refreshes = 0
  const store = tokenStore()
  await using server = await startServer(guarded(store))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    limits: { concurrency: 2 },
    credential: store.credential(async () => {
      refreshes += 1
      throw new Error('invalid_grant for refresh-token-xyz')
    }),
  })

  const errors = await Promise.all(Array.from({ length: 20 }, () => failureOf(account.request({ path: '' }))))

  t.ok(errors.every(({ code }) => code === 'PLH_AUTH_FAILED'))
  t.equal(refreshes, 1)
  t.notMatch(JSON.stringify([errors, errors.map(String), client.logs, errors.map(({ cause }) => cause)]), /xyz/)
  client.advance(10_000)
  await failureOf(account.request({ path: '' }))
  t.equal(refreshes, 2, 'later it is tried again')
})

t.test('a refresh that fails for another reason is not a refused credential', async (t) => {
  const store = tokenStore()
  await using server = await startServer(guarded(store))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: store.credential(async () => {
      throw new PlayheadError('PLH_RATE_LIMITED', 'the token service asks to wait', { retryAfterMs: 5_000 })
    }),
  })

  t.match(await failureOf(account.request({ path: '' })), { code: 'PLH_RATE_LIMITED', retryAfterMs: 5_000 })
})

t.test('a credential is refreshed once for all before it expires', async (t) => {
  const store = tokenStore()
  store.valid = store.stored = 'token-0'
  await using server = await startServer(guarded(store))
  await using client = createClient()
  let expiresAtMs = client.now() + 30_000
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: {
      ...bearer(() => store.stored),
      expiresAtMs: () => expiresAtMs,
      refreshSkewMs: 60_000,
      refresh: async () => {
        store.refreshes += 1
        store.valid = store.stored = 'token-1'
        expiresAtMs = client.now() + 3_600_000
      },
    },
  })

  await Promise.all([account.request({ path: '' }), account.request({ path: '' })])
  await account.request({ path: '' })

  t.equal(store.refreshes, 1)
  t.strictSame(
    server.requests.map(({ headers }) => headers.authorization),
    Array(3).fill('Bearer token-1'),
  )
})

t.test('when an early refresh fails, the credential is used as long as it is valid', async (t) => {
  let refreshes = 0
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  const expiresAtMs = client.now() + 30_000
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: {
      ...bearer(() => 'old-token'),
      expiresAtMs: () => expiresAtMs,
      refresh: async () => {
        refreshes += 1
        throw new PlayheadError('PLH_UPSTREAM', 'the token service is down')
      },
    },
  })

  await account.request({ path: '' })
  await account.request({ path: '' })
  t.equal(refreshes, 1, 'a moment later it is not tried again')
  client.advance(31_000)
  t.equal((await failureOf(account.request({ path: '' }))).code, 'PLH_UPSTREAM')

  t.equal(server.requests.length, 2)
})

t.test('an aborting caller does not end a refresh that others wait for', async (t) => {
  const store = tokenStore()
  let finish = (): void => {}
  await using server = await startServer(guarded(store))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: store.credential(async () => {
      store.refreshes += 1
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      store.valid = store.stored = 'token-2'
    }),
  })
  const caller = new AbortController()

  const first = account.request({ path: '', signal: caller.signal })
  const second = account.request({ path: '' })
  await eventually(() => store.refreshes === 1)
  caller.abort()
  t.equal((await failureOf(first)).code, 'PLH_ABORTED')
  finish()

  t.equal((await second).status, 200)
  t.equal(store.refreshes, 1)
})

t.test('when the refreshing generation ends, a remaining one refreshes itself', async (t) => {
  const store = tokenStore()
  await using server = await startServer(guarded(store))
  await using client = createClient()
  let started = 0
  const old = client.generation()
  const options = { account: 'A@default', baseUrl: server.url }
  const dying = old.account({
    ...options,
    credential: store.credential(
      (signal) =>
        new Promise((_resolve, reject) => {
          started += 1
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    ),
  })
  const living = client.upstream.account({ ...options, credential: store.credential() })

  const lost = failureOf(dying.request({ path: '' }))
  await eventually(() => started === 1)
  const kept = living.request({ path: '' })
  await old.close()

  t.equal((await lost).code, 'PLH_ABORTED')
  t.equal((await kept).status, 200)
  t.equal(store.refreshes, 1)
})
