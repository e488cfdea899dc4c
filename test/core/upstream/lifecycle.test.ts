import { getEventListeners } from 'node:events'
import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import { TEST_TLS } from '../../../sdk/testing/certificate.ts'
import { createUpstreamHub } from '../../../core/upstream/hub.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import { createClient, eventually, failureOf, recorder } from './support.ts'

t.test('closing a generation ends its requests and all its connections, and nothing else', async (t) => {
  await using server = await startServer(({ path }) => (path === '/hang' ? new Promise<void>(() => {}) : { json: [] }))
  await using client = createClient({ realTime: true })
  const other = client.generation()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })
  const kept = other.account({ account: 'A@default', baseUrl: server.url })

  await Promise.all([account.request({ path: '' }), account.request({ path: '' }), kept.request({ path: '' })])
  const pending = failureOf(account.request({ path: 'hang' }))
  await eventually(() => server.requests.length === 4)
  t.equal(server.connections(), 3)
  await client.upstream.close()

  t.equal((await pending).code, 'PLH_ABORTED')
  await eventually(() => server.connections() === 1)
  t.equal((await failureOf(account.request({ path: '' }))).code, 'PLH_ABORTED')
  t.throws(() => client.upstream.account({ account: 'A@default', baseUrl: server.url }), {
    code: 'PLH_PLUGIN_DISPOSED',
  })
  t.equal((await kept.request({ path: '' })).status, 200)
  t.equal(server.requests.length, 5)
})

t.test("the end of the generation's signal ends its requests", async (t) => {
  await using server = await startServer(() => new Promise<void>(() => {}))
  await using client = createClient({ realTime: true })
  const generation = new AbortController()
  const pending = failureOf(
    client.generation(generation.signal).account({ account: 'A@default', baseUrl: server.url }).request({ path: '' }),
  )
  await eventually(() => server.requests.length === 1)

  generation.abort()

  t.equal((await pending).code, 'PLH_ABORTED')
  await eventually(() => server.connections() === 0)
})

t.test('requests leave nothing behind: no listener and no timer', async (t) => {
  await using server = await startServer(({ path }) => ({ status: Number(path.slice(1)), json: [] }))
  await using client = createClient()
  const generation = new AbortController()
  const caller = new AbortController()
  const account = client.generation(generation.signal).account({ account: 'A@default', baseUrl: server.url, tries: 2 })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()

  for (const status of ['200', '404', '503', '401']) {
    const answer = await account.request({ path: status, signal: caller.signal }).catch(() => null)
    await answer?.json()
  }
  await eventually(() => account.stats().inFlight === 0)

  t.equal(getEventListeners(caller.signal, 'abort').length, 0)
  t.equal(getEventListeners(generation.signal, 'abort').length, 1)
  t.ok(timers() <= before + 1, 'at most the one that closes idle connections')
})

t.test('connections belong to the asynchronous context of their generation, for every caller', async (t) => {
  await using server = await startServer(() => ({ json: [] }))
  const storage = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const lookup = (
    _name: string,
    _options: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    seen.push(storage.getStore())
    done(null, [{ address: '127.0.0.1', family: 4 }])
  }
  const hub = createUpstreamHub({ clock: Date, log: recorder([]), redact: (text) => text, lookup: lookup as never })
  const upstream = hub.factory({
    plugin: 'a',
    allowedHosts: () => ['nas.example'],
    signal: new AbortController().signal,
    log: recorder([]),
    run: (work) => storage.run('plugin a', work),
  })
  const account = upstream.account({ account: 'A@default', baseUrl: server.url.replace('127.0.0.1', 'nas.example') })

  const answer = await storage.run('plugin b', async () => {
    const result = await account.request({ path: '' })
    t.equal(storage.getStore(), 'plugin b')
    return result
  })
  await answer.json()
  await upstream.close()

  t.strictSame(seen, ['plugin a'])
})

t.test('certificates are verified unless the user disabled it, and this never happens by itself', async (t) => {
  await using server = await startServer(() => ({ json: [] }), { tls: TEST_TLS })
  await using client = createClient()
  const strict = client.upstream.account({ account: 'A@default', baseUrl: server.url })
  const lenient = client.upstream.account({ account: 'B@default', baseUrl: server.url, verifyTls: false })

  t.match(await failureOf(strict.request({ path: '' })), {
    code: 'PLH_UPSTREAM',
    wire: 'tls_error',
    details: { reason: 'tls_error' },
  })
  t.equal((await lenient.request({ path: '' })).status, 200)
  t.equal(
    (await failureOf(strict.request({ path: '' }))).wire,
    'tls_error',
    'one account does not open the door for another',
  )
  t.equal(server.requests.length, 1)
})

t.test('a redirect from https to http is not followed', async (t) => {
  await using plain = await startServer(() => ({ json: [] }))
  await using server = await startServer(() => ({ status: 301, headers: { location: `${plain.url}/me` } }), {
    tls: TEST_TLS,
  })
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, verifyTls: false })

  t.match(await failureOf(account.request({ path: 'me' })), {
    code: 'PLH_HOST_DENIED',
    details: { redirect: plain.url },
  })
  t.equal(plain.requests.length, 0)
})

t.test('https to a server that speaks http is a tls error', async (t) => {
  await using server = await startServer(() => ({ json: [] }))
  await using client = createClient()
  const error = await failureOf(
    client.upstream
      .account({ account: 'A@default', baseUrl: server.url.replace('http', 'https') })
      .request({ path: '' }),
  )
  t.equal(error.wire, 'tls_error')
})

t.test('a connection that is too slow fails as such, and writes are retried', async (t) => {
  // A name server that does not respond.
  await using client = createClient({ allowed: ['slow.example'], lookup: (() => {}) as never })
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: 'http://slow.example',
    connectTimeoutMs: 30,
    tries: 2,
  })

  t.match(await failureOf(account.request({ method: 'POST', path: '' })), {
    code: 'PLH_UPSTREAM_TIMEOUT',
    details: { reason: 'connect_timeout' },
  })
  t.match(account.stats(), { requests: 1, retries: 1, inFlight: 0 })
})

t.test('a request that is cancelled while it waits for its connection ends at once, and is never sent', async (t) => {
  await using server = await startServer(() => ({ json: [] }))
  const { promise: known, resolve: answerLookup } = Promise.withResolvers<void>()
  const lookup = (
    _name: string,
    _options: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => {
    void known.then(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
  }
  await using client = createClient({ realTime: true, allowed: ['slow.example'], lookup: lookup as never })
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url.replace('127.0.0.1', 'slow.example'),
    connectTimeoutMs: 60_000,
  })
  const caller = new AbortController()
  const pending = failureOf(account.request({ method: 'POST', path: 'called-off', signal: caller.signal }))
  await eventually(() => account.stats().inFlight === 1)

  caller.abort()
  t.equal((await pending).code, 'PLH_ABORTED')
  t.equal(account.stats().inFlight, 0)
  answerLookup()
  await (await account.request({ path: 'next' })).json()

  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/next'],
  )
})

t.test('idle accounts are dropped when there are too many, busy ones are kept', async (t) => {
  await using server = await startServer(({ index }) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '600' } } : { json: [] },
  )
  await using client = createClient()
  await failureOf(client.upstream.account({ account: 'paused', baseUrl: server.url }).request({ path: '' }))

  for (let index = 0; index < 1_200; index += 1) client.upstream.account({ account: `A@${index}`, baseUrl: server.url })

  const names = client.hub.stats().map(({ account }) => account)
  t.equal(names.length, 1_000)
  t.ok(names.includes('paused'))
})
