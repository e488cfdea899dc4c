import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { Type } from '@playhead/sdk'
import { backoffMs } from '../../../core/upstream/failures.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import { createClient, failureOf } from './support.ts'

for (const status of [408, 425, 500, 502, 503, 504, 520, 524]) {
  t.test(`a read is retried after ${status}, with growing pauses`, async (t) => {
    await using server = await startServer(({ index }) => (index < 2 ? { status, body: '<html>' } : { json: [1] }))
    await using client = createClient()
    const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

    const answer = await account.request({ path: '' })

    t.strictSame(await answer.json(), [1])
    t.equal(server.requests.length, 3)
    t.strictSame(client.waits, [250, 500])
    t.match(account.stats(), { requests: 1, retries: 2 })
  })
}

t.test('retries are bounded, and the last failure is reported', async (t) => {
  await using server = await startServer(() => ({ status: 503 }))
  await using client = createClient()

  const byDefault = await failureOf(
    client.upstream.account({ account: 'A@default', baseUrl: server.url }).request({ path: '' }),
  )
  t.match(byDefault, { code: 'PLH_UPSTREAM', details: { status: 503 } })
  t.equal(server.requests.length, 4)

  await failureOf(
    client.upstream.account({ account: 'B@default', baseUrl: server.url, tries: 1 }).request({ path: '' }),
  )
  t.equal(server.requests.length, 5)
})

t.test('retries end when the next one would start after the time limit', async (t) => {
  await using server = await startServer(() => ({ status: 502 }))
  await using client = createClient({ random: () => 1 })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, tries: 100, timeoutMs: 4_000 })

  t.match(await failureOf(account.request({ path: '' })), { code: 'PLH_UPSTREAM', details: { status: 502 } })

  t.strictSame(client.waits, [500, 1_000, 2_000])
  t.equal(server.requests.length, 4)
})

t.test('the whole account waits for a 503 with a time', async (t) => {
  await using server = await startServer(({ index }) =>
    index === 0 ? { status: 503, headers: { 'retry-after': '4' } } : { json: [] },
  )
  await using client = createClient()
  const before = client.now()

  await client.upstream.account({ account: 'A@default', baseUrl: server.url }).request({ path: '' })

  t.equal(client.now() - before, 4_000)
})

for (const [method, idempotent, expected] of [
  ['POST', undefined, 1],
  ['PUT', undefined, 1],
  ['PATCH', undefined, 1],
  ['DELETE', undefined, 1],
  ['POST', true, 3],
  ['DELETE', true, 3],
  ['GET', undefined, 3],
  ['HEAD', undefined, 3],
] as const) {
  const name = idempotent === true ? `${method} declared idempotent` : method
  t.test(`${name} reaches a failing server ${expected} times at most`, async (t) => {
    await using server = await startServer(() => ({ status: 500 }))
    await using client = createClient()

    await failureOf(
      client.upstream
        .account({ account: 'A@default', baseUrl: server.url, tries: 3 })
        .request({ method, path: '', ...(idempotent === undefined ? {} : { idempotent }) }),
    )

    t.equal(server.requests.length, expected)
  })

  t.test(`${name} reaches a server that hangs up ${expected} times at most`, async (t) => {
    await using server = await startServer((_request, response) => void response.destroy())
    await using client = createClient()

    const error = await failureOf(
      client.upstream
        .account({ account: 'A@default', baseUrl: server.url, tries: 3 })
        .request({ method, path: '', ...(idempotent === undefined ? {} : { idempotent }) }),
    )

    t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
    t.equal(server.requests.length, expected)
  })
}

t.test('a write with a refused connection was never sent, so it is retried', async (t) => {
  const port = await unusedPort()
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: `http://127.0.0.1:${port}`, tries: 3 })

  const error = await failureOf(account.request({ method: 'POST', path: '', json: {} }))

  t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'refused' } })
  t.match(account.stats(), { requests: 1, retries: 2, inFlight: 0 })
})

t.test('an unknown name and a response that is not HTTP have clear errors', async (t) => {
  const lookup = (_name: string, _options: object, done: (error: Error) => void) =>
    done(Object.assign(new Error('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
  await using client = createClient({ allowed: ['nobody.example', '127.0.0.1'], lookup: lookup as never })
  t.match(
    await failureOf(
      client.upstream.account({ account: 'A@default', baseUrl: 'http://nobody.example' }).request({ path: '' }),
    ),
    { code: 'PLH_UPSTREAM', details: { reason: 'unknown_host' } },
  )

  const server = createServer((socket) => void socket.once('data', () => socket.end('220 smtp.example ESMTP\r\n')))
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const error = await failureOf(
    client.upstream
      .account({ account: 'B@default', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
      .request({ path: '' }),
  )
  t.match(error, { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'not_http' } })
  t.notMatch(JSON.stringify([error, error.cause]), /smtp/)
})

t.test('a truncated body is requested again by json of the account, and only for safe requests', async (t) => {
  await using server = await startServer(({ index }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' })
    if (index % 2 === 1) return void response.end('[1,2,3,4]')
    response.write('[1,2')
    setImmediate(() => response.destroy())
  })
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  t.strictSame(await account.json({ path: '' }, Type.Array(Type.Number())), [1, 2, 3, 4])
  t.equal(server.requests.length, 2)
  const error = await failureOf(account.json({ method: 'POST', path: '' }, Type.Array(Type.Number())))
  t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
  t.equal(server.requests.length, 3)
  t.equal(account.stats().inFlight, 0)
})

t.test('a wait between retries ends when the caller aborts', async (t) => {
  const caller = new AbortController()
  await using server = await startServer(() => {
    setTimeout(() => caller.abort(), 30)
    return { status: 503 }
  })
  await using client = createClient({ realTime: true, random: () => 1 })
  const pending = client.upstream
    .account({ account: 'A@default', baseUrl: server.url })
    .request({ path: '', signal: caller.signal })
  t.equal((await failureOf(pending)).code, 'PLH_ABORTED')
  t.equal(server.requests.length, 1)
})

t.test('the pause before a retry grows up to a minute and is spread over its whole length', async (t) => {
  t.strictSame(
    [1, 2, 3, 8, 50].map((tries) => backoffMs(tries, () => 1)),
    [500, 1_000, 2_000, 60_000, 60_000],
  )
  t.equal(
    backoffMs(5, () => 0),
    0,
  )
})

async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
