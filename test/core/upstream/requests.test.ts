import t from 'tap'
import { PlayheadError, Type } from '@playhead/sdk'
import { createCallLog } from '../../../core/upstream/shared-account.ts'
import { addressOf, parseBaseUrl } from '../../../core/upstream/target.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import fc, { runsOf } from '../../fast-check.ts'
import { bearer, createClient, failureOf } from './support.ts'

t.test('a request is sent to its path below the base address, with the query and the headers of both', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: `${server.url.replace('//', '//user:pw@')}/emby/?x=1#y`,
    headers: { 'X-App': 'one', Accept: 'text/plain' },
  })

  await account.request({
    path: '/Users/ä b/%2F',
    query: { limit: 10, ids: ['a', 'b'], no: undefined, flag: true },
    headers: { 'x-app': 'two' },
  })

  const [request] = server.requests
  t.equal(request?.path, '/emby/Users/%C3%A4%20b/%2F')
  t.equal(request?.query.toString(), 'limit=10&ids=a&ids=b&flag=true')
  t.match(request?.headers, {
    'x-app': 'two',
    accept: 'text/plain',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'Playhead',
  })
  t.notOk('authorization' in (request?.headers ?? {}), 'the user in the address is not sent')
})

t.test('json, form and plain bodies have their content types', async (t) => {
  await using server = await startServer(() => ({ status: 204 }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  await account.request({ method: 'POST', path: 'json', json: { a: ['ü'] } })
  await account.request({ method: 'POST', path: 'form', form: { a: '1 & 2', b: 'ü' } })
  await account.request({ method: 'PUT', path: 'plain', body: 'text', headers: { 'content-type': 'text/plain' } })

  t.match(
    server.requests.map(({ method, body, headers }) => [method, body, headers['content-type']]),
    [
      ['POST', '{"a":["ü"]}', 'application/json'],
      ['POST', 'a=1+%26+2&b=%C3%BC', 'application/x-www-form-urlencoded'],
      ['PUT', 'text', 'text/plain'],
    ],
  )
})

for (const path of ['../admin', 'a/../../b', 'a/%2e%2E/b', '//other.example/x', 'a?b=c', 'a#b', 'a\\b']) {
  t.test(`the path ${path} is refused before anything is sent`, async (t) => {
    await using server = await startServer(() => ({ json: {} }))
    await using client = createClient()
    const account = client.upstream.account({ account: 'A@default', baseUrl: `${server.url}/base` })

    const error = await failureOf(account.request({ path }))

    t.equal(error.code, 'PLH_INVALID')
    t.equal(server.requests.length, 0)
  })
}

for (const baseUrl of ['', 'nas.lan', 'ftp://nas.lan', 'file:///etc/passwd']) {
  t.test(`"${baseUrl}" is no base address`, async (t) => {
    await using client = createClient()
    t.throws(() => client.upstream.account({ account: 'A@default', baseUrl }), { code: 'PLH_INVALID' })
  })
}

t.test('connection headers cannot be set, and two bodies cannot be sent', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  t.equal((await failureOf(account.request({ path: '', headers: { Host: 'other.example' } }))).code, 'PLH_INVALID')
  t.equal((await failureOf(account.request({ method: 'POST', path: '', json: 1, body: '1' }))).code, 'PLH_INVALID')
  t.equal((await failureOf(account.request({ path: '', headers: { 'x-bad': 'a\r\nb: c' } }))).code, 'PLH_INVALID')
  t.equal(server.requests.length, 0)
})

for (const [status, code] of [
  [400, 'PLH_UPSTREAM'],
  [401, 'PLH_AUTH_FAILED'],
  [403, 'PLH_UPSTREAM'],
  [404, 'PLH_NOT_FOUND'],
  [409, 'PLH_UPSTREAM'],
  [426, 'PLH_UPSTREAM'],
] as const) {
  t.test(`status ${status} fails with ${code} after one try`, async (t) => {
    await using server = await startServer(() => ({ status, body: 'the reason, with private data' }))
    await using client = createClient()
    const account = client.upstream.account({
      account: 'A@default',
      baseUrl: server.url,
      credential: bearer(() => 'token-of-a'),
    })

    const error = await failureOf(account.request({ path: 'x', query: { q: 'private' } }))

    t.match(error, { code, details: { account: 'A@default', status } })
    t.notMatch(`${error.message}${JSON.stringify(error)}`, /private/)
    t.equal(server.requests.length, 1)
  })
}

t.test('accepted statuses are responses, even those with a special meaning', async (t) => {
  const statuses = [304, 401, 404, 420, 429, 503, 302]
  await using server = await startServer(({ path }) => ({
    status: Number(path.slice(1)),
    headers: { location: '/elsewhere', 'x-account-limit': '100' },
  }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: bearer(() => 'token-of-a'),
  })

  for (const status of statuses) {
    const answer = await account.request({ path: String(status), accept: [401, 404, 420, 429, 503, 302] })
    t.equal(answer.status, status)
    t.match(answer.headers, { 'x-account-limit': '100', location: '/elsewhere' })
  }
  t.equal(server.requests.length, statuses.length)
})

t.test('json of an account is request and json in one', async (t) => {
  await using server = await startServer(() => ({ json: { name: 'Ann' } }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  t.strictSame(await account.json({ path: 'me' }, Type.Object({ name: Type.String() })), { name: 'Ann' })
  t.match(account.stats(), {
    account: 'A@default',
    requests: 1,
    retries: 0,
    refreshes: 0,
    inFlight: 0,
    pausedUntilMs: 0,
    quota: {},
  })
})

t.test('each exchange is recorded with its result; the last two thousand are kept', async (t) => {
  await using server = await startServer(({ index }) =>
    index === 0
      ? { status: 503 }
      : index === 1
        ? { json: { name: 'Ann' }, headers: { 'x-ratelimit-remaining': '7' } }
        : { status: 404 },
  )
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, tries: 2 })
  await account.json(
    { method: 'POST', path: 'users/me', query: { key: 'secret' }, json: { a: 'ä' }, idempotent: true },
    Type.Object({ name: Type.String() }),
  )
  await failureOf(account.request({ path: 'gone' }))
  const calls = client.hub.calls()
  t.match(calls, [
    { account: 'A@default', method: 'POST', path: '/users/me', status: 503, ok: false, bytesIn: 0, bytesOut: 10 },
    { status: 200, ok: true, bytesIn: 14, remaining: 7 },
    { method: 'GET', path: '/gone', status: 404, ok: false, bytesOut: 0 },
  ])
  t.notMatch(JSON.stringify(calls), /secret/)
  const nowhere = client.upstream.account({ account: 'B@default', baseUrl: 'http://127.0.0.1:1', tries: 1 })
  await failureOf(nowhere.request({ path: '' }))
  t.match(client.hub.stats(), [
    { account: 'A@default', calls: { count: 3, failed: 2, bytesIn: 14, bytesOut: 20 }, lastCall: { status: 404 } },
    { account: 'B@default', calls: { count: 1, failed: 1 }, lastCall: { status: 0, ok: false } },
  ])
  const log = createCallLog(3)
  for (const call of [...calls, ...calls]) log.add(call)
  t.strictSame(log.all(), calls)
  log.add(calls[0]!)
  t.strictSame(log.all(), [calls[1], calls[2], calls[0]])
})

t.test('requests are logged without query, credential or known secrets', async (t) => {
  await using server = await startServer(({ index }) => (index === 0 ? { json: {} } : { status: 400 }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: {
      secrets: () => ({ key: 'k3y of/mine' }),
      place: [{ in: 'query', name: 'apikey', template: '{key}' }],
    },
  })

  await account.request({
    path: `users/${encodeURIComponent('k3y of/mine')}/host-wide-secret`,
    query: { search: 'private' },
  })
  const error = await failureOf(
    account.request({ path: `users/${encodeURIComponent('k3y of/mine')}/host-wide-secret` }),
  )

  t.equal(server.requests[0]?.query.get('apikey'), 'k3y of/mine')
  t.match(client.logs, [{ fields: { request: `GET ${server.url}/users/…/[redacted]`, status: 200 } }])
  t.notMatch(JSON.stringify([client.logs, error, error.message, String(error.stack)]), /k3y|private|host-wide-secret/)
})

t.test('an address is the same as that of the URL of its parts, for every path and query', (t) => {
  const base = parseBaseUrl('A@default', 'http://nas.lan:8096/media (b)/')
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a b', "it's", '%7e', 'ü', '|^', 'x:y@z'),
  )
  const property = fc.property(text, fc.dictionary(text, text), (path, query) => {
    let made: ReturnType<typeof addressOf>
    try {
      made = addressOf('A@default', base, { path, query })
    } catch (error) {
      return error instanceof PlayheadError
    }
    const url = new URL(
      `${base.href}${path.replace(/^\//, '')}?${new URLSearchParams(Object.entries(query)).toString()}`,
    )
    t.same(made, { origin: url.origin, path: url.pathname, query: url.search })
    return made.path.startsWith('/media%20(b)/')
  })
  fc.assert(property, { numRuns: runsOf(400) })
  t.end()
})
