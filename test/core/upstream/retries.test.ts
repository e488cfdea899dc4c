import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import t, { type Test } from 'tap'
import { Type } from '@playhead/sdk'
import { backoffMs } from '../../../core/upstream/failures.ts'
import { TEST_TLS } from '../../../sdk/testing/certificate.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import { createClient, eventually, failureOf } from './support.ts'

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

// A server that closes an idle connection at the moment in which the next request arrives on it.
async function startImpatient(t: Test, close: (socket: Socket) => void, tls = false) {
  const requests: { readonly method: string; readonly isFirst: boolean }[] = []
  const onConnection = (socket: Socket): void => {
    let count = 0
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const [method = ''] = data.toString().split(' ')
      count += 1
      requests.push({ method, isFirst: count === 1 })
      if (count > 1) close(socket)
      // Later than further requests, which need connections of their own then.
      else setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"ok"'), 20)
    })
  }
  const server = tls ? createTlsServer(TEST_TLS, onConnection) : createServer(onConnection)
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, requests }
}

for (const [how, close, tls] of [
  ['reset', (socket: Socket) => void socket.resetAndDestroy(), false],
  ['closed', (socket: Socket) => void socket.destroy(), false],
  ['ended', (socket: Socket) => void socket.end(), false],
  ['ended, with TLS', (socket: Socket) => void socket.destroy(), true],
] as const) {
  t.test(`idle connections that are ${how} as a request arrives fail no read, and repeat no write`, async (t) => {
    const server = await startImpatient(t, close, tls)
    await using client = createClient()
    const options = { account: 'A@default', baseUrl: server.url, tries: 1, verifyTls: false }
    const account = client.upstream.account({ ...options, limits: { concurrency: 8 } })
    const ask = async (request: object = {}) => (await account.request({ path: '', ...request })).text()
    const readAll = async () => {
      const texts = await Promise.all(Array.from({ length: 8 }, () => ask()))
      // A connection is idle a turn after its response.
      await sleep(20)
      return texts
    }

    t.strictSame(await readAll(), Array(8).fill('"ok"'))
    t.strictSame(await readAll(), Array(8).fill('"ok"'), 'every idle connection is closed')
    t.equal(server.requests.filter(({ isFirst }) => !isFirst).length, 8)
    t.equal(await ask({ method: 'POST', idempotent: true }), '"ok"')
    t.match(account.stats(), { requests: 17, retries: 0, inFlight: 0 })
    t.strictSame(client.waits, [])

    await sleep(20)
    const before = server.requests.length
    t.match(await failureOf(ask({ method: 'POST' })), { details: { reason: 'connection_lost' } })
    t.strictSame(server.requests.slice(before), [{ method: 'POST', isFirst: false }])
  })
}

t.test('a server that breaks off each answer after its first bytes is asked once for each try', async (t) => {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      count += 1
      if (count === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      else socket.end('HTTP/1.1 2')
    })
  })
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await using client = createClient()
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = client.upstream.account({ account: 'A@default', baseUrl, tries: 3 })

  await account.request({ path: '' })
  t.match(await failureOf(account.request({ path: '' })), { code: /^PLH_UPSTREAM/ })
  t.equal(count, 4)
})

t.test('a connection is closed before the time that the service announces', async (t) => {
  await using server = await startServer(() => ({ headers: { 'keep-alive': 'timeout=2' }, json: 1 }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  await (await account.request({ path: '' })).text()
  await eventually(() => server.connections() === 0)
  t.equal(server.requests.length, 1)
})

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
