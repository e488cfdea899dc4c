import { getEventListeners } from 'node:events'
import type { Duplex } from 'node:stream'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { UpstreamSocket } from '@playhead/sdk'
import { createFrameReader } from '../../../core/upstream/socket/frames.ts'
import { TEST_TLS } from '../../../sdk/testing/certificate.ts'
import { type ReceivedRequest, startServer, type TestServerOptions } from '../../../sdk/testing/server.ts'
import { acceptSocket, type TestSocket } from '../../../sdk/testing/web-socket.ts'
import { bearer, createClient, eventually, failureOf } from './support.ts'

type OnSocket = NonNullable<TestServerOptions['socket']>

const SECRET = 'a-long-secret-token'
const refuse =
  (status: number, headers = ''): OnSocket =>
  (_request, connection) =>
    void connection.end(`HTTP/1.1 ${status} No\r\n${headers}content-length: 4\r\n\r\nnope`)

/** A server with sockets, and an account that connects to it. */
async function openBench(onSocket: OnSocket, options: Parameters<typeof createClient>[0] = {}) {
  const closers = new AsyncDisposableStack()
  const server = closers.use(await startServer(() => ({ json: [] }), { socket: onSocket }))
  const client = closers.use(createClient({ realTime: true, ...options }))
  const account = client.upstream.account({ account: 'A@default', baseUrl: `${server.url}/base` })
  return { server, client, account, [Symbol.asyncDispose]: () => closers.disposeAsync() }
}

/** The messages until the end, and the final error. */
async function readAll(socket: UpstreamSocket) {
  const messages: string[] = []
  try {
    for await (const message of socket) messages.push(message)
    return { messages, error: null }
  } catch (error) {
    return { messages, error: error as Error & { code?: string; details?: { reason?: string } } }
  }
}

t.test('messages are exchanged in order until the plugin closes', async (t) => {
  let side: TestSocket | undefined
  await using bench = await openBench((request, connection) => {
    side = acceptSocket(request, connection, { onMessage: (text, socket) => socket.send(`echo ${text}`) })
  })
  const socket = await bench.account.socket({ path: 'live', query: { filters: '-log' }, headers: { 'x-kind': 'test' } })
  const long = 'ü'.repeat(100_000)
  for (const text of ['one', '', 'x'.repeat(126), long]) socket.send(text)
  const messages: string[] = []
  for await (const message of socket) {
    messages.push(message)
    if (messages.length === 4) socket.close()
  }

  t.strictSame(messages, ['echo one', 'echo ', `echo ${'x'.repeat(126)}`, `echo ${long}`])
  await side?.closed
  t.ok(side?.controls.includes(8), 'the server is told')
  t.match(bench.server.requests[0], { method: 'GET', path: '/base/live', headers: { 'x-kind': 'test' } })
  t.equal(bench.server.requests[0]?.query.get('filters'), '-log')
  t.throws(() => socket.send('late'), { code: 'PLH_ABORTED' })
})

t.test('leaving the loop closes the socket', async (t) => {
  await using bench = await openBench((request, connection) => acceptSocket(request, connection).send('hello'))
  const socket = await bench.account.socket({ path: 'live' })
  for await (const message of socket) {
    t.equal(message, 'hello')
    break
  }
  await eventually(() => bench.server.connections() === 0)
  t.throws(() => socket[Symbol.asyncIterator](), TypeError)
})

t.test('the credential is placed in header and query, and appears nowhere else', async (t) => {
  const sides: TestSocket[] = []
  await using bench = await openBench((request, connection) => {
    if (request.path === '/live') sides.push(acceptSocket(request, connection))
    else refuse(500)(request, connection)
  })
  const account = bench.client.upstream.account({
    account: 'B@default',
    baseUrl: bench.server.url,
    credential: {
      secrets: () => ({ token: SECRET }),
      place: [
        { in: 'header', name: 'x-token', template: '{token}' },
        { in: 'query', name: 'token', template: '{token}' },
      ],
    },
  })
  const socket = await account.socket({ path: 'live' })
  const reading = readAll(socket)
  sides[0]?.frame(2, Buffer.from('binary'))
  const { error } = await reading
  const refused = await failureOf(account.socket({ path: SECRET }))

  t.equal(bench.server.requests[0]?.headers['x-token'], SECRET)
  t.equal(bench.server.requests[0]?.query.get('token'), SECRET)
  t.equal(refused.details?.['status'], 500)
  const seen = JSON.stringify([
    bench.client.logs,
    { ...error, message: error?.message, stack: error?.stack },
    { ...refused, message: refused.message, stack: refused.stack },
    account.stats().lastCall?.path === `/${SECRET}` ? [] : 'the path is as it was sent',
    bench.client.hub.calls().filter(({ path }) => path === '/live'),
  ])
  t.notMatch(seen, SECRET)
})

t.test('a socket counts as one request and uses its slot only until it is open', async (t) => {
  const sides: TestSocket[] = []
  await using bench = await openBench((request, connection) => void sides.push(acceptSocket(request, connection)))
  const account = bench.client.upstream.account({
    account: 'B@default',
    baseUrl: bench.server.url,
    limits: { concurrency: 1 },
  })
  const sockets = [await account.socket({ path: 'a' }), await account.socket({ path: 'b' })]
  t.equal((await account.request({ path: 'c' })).status, 200)

  t.match(account.stats(), { requests: 3, retries: 0, inFlight: 0, calls: { count: 3, failed: 0 } })
  t.match(bench.client.hub.calls()[0], { method: 'GET', path: '/a', status: 101, ok: true })
  sides[0]?.send('12345')
  const { value } = await (sockets[0] as UpstreamSocket)[Symbol.asyncIterator]().next()
  t.equal(value, '12345')
  for (const socket of sockets) socket.close()
  t.equal(bench.client.hub.calls()[0]?.bytesIn, 7)
})

for (const [title, onSocket, expected] of [
  ['401', refuse(401), { code: 'PLH_AUTH_FAILED', details: { status: 401 } }],
  ['403', refuse(403), { code: 'PLH_AUTH_FAILED', details: { status: 403 } }],
  ['500', refuse(500), { code: 'PLH_UPSTREAM', details: { status: 500 } }],
  ['a page instead of a socket', refuse(200), { code: 'PLH_UPSTREAM', details: { status: 200 } }],
  ['429', refuse(429, 'retry-after: 7\r\n'), { code: 'PLH_RATE_LIMITED', retryAfterMs: 7_000 }],
  [
    'a redirect elsewhere',
    refuse(302, 'location: http://elsewhere.example/\r\n'),
    { code: 'PLH_HOST_DENIED', details: { redirect: 'http://elsewhere.example' } },
  ],
  ['a redirect within', refuse(302, 'location: /other\r\n'), { code: 'PLH_UPSTREAM', details: { status: 302 } }],
  [
    'a broken connection',
    (_request: ReceivedRequest, connection: Duplex) => void connection.destroy(),
    { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } },
  ],
  [
    'a wrong handshake',
    (request: ReceivedRequest, connection: Duplex) =>
      void acceptSocket({ headers: { ...request.headers, 'sec-websocket-key': 'other' } }, connection),
    { code: 'PLH_UPSTREAM_INVALID' },
  ],
  [
    'an upgrade to something else, half done',
    (_request: ReceivedRequest, connection: Duplex) => void connection.write('HTTP/1.1 101 Switching\r\n\r\n'),
    { code: 'PLH_UPSTREAM' },
  ],
  ['no answer at all', () => {}, { code: 'PLH_UPSTREAM_TIMEOUT' }],
] as const) {
  t.test(`an upgrade that is answered with ${title} fails as a request does`, async (t) => {
    await using bench = await openBench(onSocket)
    const account = bench.client.upstream.account({
      account: 'B@default',
      baseUrl: bench.server.url,
      answerMs: 150,
      credential: bearer(() => SECRET),
    })
    t.match(await failureOf(account.socket({ path: '' })), expected)
    t.match(account.stats(), { requests: 1, inFlight: 0, calls: { count: 1, failed: 1 } })
    t.equal(bench.server.requests.length, 1)
    await eventually(() => bench.server.connections() === 0)
  })
}

t.test('a refused credential is refreshed once', async (t) => {
  let token = 'old'
  await using bench = await openBench((request, connection) => {
    if (request.headers.authorization === 'Bearer new') acceptSocket(request, connection).send('welcome')
    else refuse(401)(request, connection)
  })
  const options = { account: 'B@default', baseUrl: bench.server.url }
  const refresh = async () => {
    token = 'new'
  }
  const socket = await bench.client.upstream
    .account({ ...options, credential: { ...bearer(() => token), refresh } })
    .socket({ path: '' })
  for await (const message of socket) {
    t.equal(message, 'welcome')
    break
  }
  t.equal(bench.server.requests.length, 2)
  t.match(bench.client.hub.stats()[1], { requests: 1, retries: 1, refreshes: 1 })
})

t.test('hosts and certificates are checked as for requests', async (t) => {
  const onSocket: OnSocket = (request, connection) => acceptSocket(request, connection).send('hello')
  await using server = await startServer(() => ({ json: [] }), { tls: TEST_TLS, socket: onSocket })
  await using client = createClient({ realTime: true })
  const open = (baseUrl: string, verifyTls = true) =>
    client.upstream.account({ account: baseUrl + verifyTls, baseUrl, verifyTls }).socket({ path: 'live' })

  t.equal((await failureOf(open('https://elsewhere.example'))).code, 'PLH_HOST_DENIED')
  t.equal((await failureOf(open('http://169.254.169.254'))).code, 'PLH_HOST_DENIED')
  t.equal((await failureOf(open(server.url))).wire, 'tls_error')
  t.equal(server.requests.length, 0)
  const socket = await open(server.url, false)
  t.equal((await socket[Symbol.asyncIterator]().next()).value, 'hello')
  socket.close()
  t.equal(
    (await failureOf(client.upstream.account({ account: 'C', baseUrl: server.url }).socket({ path: '../x' }))).code,
    'PLH_INVALID',
  )
})

for (const [title, act, expected] of [
  ['closes', (side) => side.close(), { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } }],
  [
    'breaks off',
    (side) => void setTimeout(() => side.destroy(), 20),
    { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } },
  ],
  ['sends binary', (side) => side.frame(2, Buffer.from('x')), { code: 'PLH_UPSTREAM_INVALID' }],
  ['sends too much', (side) => side.frame(1, Buffer.alloc(10_000_000, 'x')), { code: 'PLH_UPSTREAM_INVALID' }],
  [
    'sends too much in pieces',
    (side) => {
      side.frame(1, Buffer.alloc(600_000, 'x'), false)
      side.frame(0, Buffer.alloc(600_000, 'x'))
    },
    { code: 'PLH_UPSTREAM_INVALID' },
  ],
  ['sends no UTF-8', (side) => side.frame(1, Buffer.from([0xff])), { code: 'PLH_UPSTREAM_INVALID' }],
  ['sends a stray continuation', (side) => side.frame(0, Buffer.from('x')), { code: 'PLH_UPSTREAM_INVALID' }],
  [
    'begins a message within another',
    (side) => {
      side.frame(1, Buffer.from('x'), false)
      side.frame(1, Buffer.from('x'))
    },
    { code: 'PLH_UPSTREAM_INVALID' },
  ],
  ['sends a long ping', (side) => side.frame(9, Buffer.alloc(126)), { code: 'PLH_UPSTREAM_INVALID' }],
  ['sends an unknown frame', (side) => side.frame(11), { code: 'PLH_UPSTREAM_INVALID' }],
  ['uses reserved bits', (side) => side.frame(0x41), { code: 'PLH_UPSTREAM_INVALID' }],
] as const satisfies readonly (readonly [string, (side: TestSocket) => void, object])[]) {
  t.test(`a server that ${title} ends the loop, after the earlier messages`, async (t) => {
    await using bench = await openBench((request, connection) => {
      const side = acceptSocket(request, connection)
      side.send('first')
      act(side)
    })
    const { messages, error } = await readAll(await bench.account.socket({ path: '' }))
    t.strictSame(messages, ['first'])
    t.match(error, expected)
    await eventually(() => bench.server.connections() === 0)
  })
}

t.test('messages from before the server closed are still read, however late', async (t) => {
  await using bench = await openBench((request, connection) => {
    const side = acceptSocket(request, connection)
    for (let index = 0; index < 3_000; index += 1) side.send(String(index))
    side.close()
  })
  const socket = await bench.account.socket({ path: '' })
  await eventually(() => bench.server.connections() === 0)
  const { messages, error } = await readAll(socket)
  t.strictSame(
    messages,
    Array.from({ length: 3_000 }, (_, index) => String(index)),
  )
  t.equal(error?.code, 'PLH_UPSTREAM')
})

t.test('an unread flood ends the connection, without using memory', async (t) => {
  let side: TestSocket | undefined
  await using bench = await openBench((request, connection) => {
    side = acceptSocket(request, connection)
    const flood = () => {
      for (let index = 0; index < 100 && !connection.destroyed; index += 1) side?.send('x'.repeat(10_000))
      if (!connection.destroyed) setImmediate(flood)
    }
    flood()
  })
  const socket = await bench.account.socket({ path: '' })
  await side?.closed
  const { messages, error } = await readAll(socket)
  t.strictSame(messages, [])
  t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'unread' } })
  t.ok((bench.client.hub.calls()[0]?.bytesIn ?? 0) < 8_000_000)
  t.throws(() => socket.send('x'), { code: 'PLH_UPSTREAM' })
})

t.test('a server that does not read loses the connection, without using memory', async (t) => {
  await using bench = await openBench((request, connection) => {
    acceptSocket(request, connection)
    connection.pause()
  })
  const socket = await bench.account.socket({ path: '' })
  const reading = readAll(socket)
  const error = await failureOf(
    (async () => {
      for (;;) {
        socket.send('x'.repeat(500_000))
        await new Promise((resolve) => setImmediate(resolve))
      }
    })(),
  )
  t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
  t.equal((await reading).error, error)
})

t.test('a silent server is disconnected, one that answers pings is not', async (t) => {
  const sides: TestSocket[] = []
  await using bench = await openBench((request, connection) => {
    sides.push(acceptSocket(request, connection, { answersPings: request.path.endsWith('alive') }))
  })
  const alive = readAll(await bench.account.socket({ path: 'alive', silenceMs: 120 }))
  const dead = await readAll(await bench.account.socket({ path: 'dead', silenceMs: 120 }))
  t.match(dead.error, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
  await eventually(() => (sides[0]?.controls.length ?? 0) > 8)
  sides[0]?.send('still here')
  sides[0]?.close()
  t.strictSame((await alive).messages, ['still here'])
})

t.test('pings of the server are answered, with their content', async (t) => {
  let side: TestSocket | undefined
  await using bench = await openBench((request, connection) => void (side = acceptSocket(request, connection)))
  const socket = await bench.account.socket({ path: '' })
  side?.frame(9, Buffer.from('are you there'))
  await eventually(() => side?.controls.includes(10) === true)
  socket.close()
  t.pass()
})

t.test('abort and the end of the generation end a socket, while it opens and after', async (t) => {
  const accepts: OnSocket = (request, connection) => {
    if (!request.path.endsWith('hang')) acceptSocket(request, connection).send('unread')
  }
  await using bench = await openBench(accepts)
  const caller = new AbortController()
  const opening = failureOf(bench.account.socket({ path: 'hang', signal: caller.signal }))
  const socket = await bench.account.socket({ path: 'live', signal: caller.signal })
  const iterator = socket[Symbol.asyncIterator]()
  t.equal((await iterator.next()).value, 'unread')
  const reading = failureOf(iterator.next())
  await eventually(() => bench.server.requests.length === 2)
  caller.abort()

  t.equal((await opening).code, 'PLH_ABORTED')
  t.equal((await reading).code, 'PLH_ABORTED')
  await eventually(() => bench.server.connections() === 0)
  t.equal(getEventListeners(caller.signal, 'abort').length, 0)
  t.equal((await failureOf(bench.account.socket({ path: 'live', signal: caller.signal }))).code, 'PLH_ABORTED')
  t.equal(bench.server.requests.length, 2)

  const other = failureOf(readAllOrThrow(await bench.account.socket({ path: 'live' })))
  const pending = failureOf(bench.account.socket({ path: 'hang' }))
  await eventually(() => bench.server.requests.length === 4)
  await bench.client.upstream.close()
  t.equal((await other).code, 'PLH_ABORTED')
  t.equal((await pending).code, 'PLH_ABORTED')
  await eventually(() => bench.server.connections() === 0)
})

t.test('nothing is left behind: no listener and no timer', async (t) => {
  await using bench = await openBench((request, connection) => acceptSocket(request, connection).send('hello'))
  const generation = new AbortController()
  const caller = new AbortController()
  const account = bench.client.generation(generation.signal).account({ account: 'B', baseUrl: bench.server.url })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let index = 0; index < 5; index += 1) {
    for await (const _ of await account.socket({ path: '', signal: caller.signal })) break
  }
  await eventually(() => bench.server.connections() === 0)
  t.equal(getEventListeners(caller.signal, 'abort').length, 0)
  t.equal(getEventListeners(generation.signal, 'abort').length, 1)
  t.ok(timers() <= before + 1)
  t.equal(account.stats().inFlight, 0)
})

t.test('frames are read in any fragmentation', async (t) => {
  const messages = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 8 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat(200)), fc.integer({ min: 1, max: 40 }), (texts, pings, fragment) => {
      const frames: Buffer[] = []
      for (const [index, text] of texts.entries()) {
        const bytes = Buffer.from(text)
        for (let at = 0; at === 0 || at < bytes.length; at += fragment) {
          const part = bytes.subarray(at, at + fragment)
          frames.push(Buffer.from([(at + fragment >= bytes.length ? 0x80 : 0) | (at === 0 ? 1 : 0), part.length]), part)
          if (pings.includes(index)) frames.push(Buffer.from([0x89, 1, 7]))
        }
      }
      const wire = Buffer.concat(frames)
      const seen: string[] = []
      const read = createFrameReader(10_000, { message: (text) => void seen.push(text), control() {}, frame() {} })
      let at = 0
      for (const cut of [...pings, wire.length]) {
        read(wire.subarray(at, at + cut))
        at += cut
      }
      t.strictSame(seen, texts)
    }),
    { numRuns: runsOf(300) },
  )
})

t.test('arbitrary bytes either are frames or end in a FrameError', async () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (chunks) => {
      const read = createFrameReader(1_000, { message() {}, control() {}, frame() {} })
      try {
        for (const chunk of chunks) read(Buffer.from(chunk))
      } catch (error) {
        if ((error as Error).constructor.name !== 'FrameError') throw error
      }
    }),
    { numRuns: runsOf(1_000) },
  )
})

async function readAllOrThrow(socket: UpstreamSocket): Promise<void> {
  for await (const _ of socket);
}
