import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { Type } from '@playhead/sdk'
import { startServer, type Reply } from '../../../sdk/testing/server.ts'
import { createClient, eventually, failureOf } from './support.ts'

const DOCUMENT = {
  Items: [
    { Id: 'a', Title: 'Ä 🎬' },
    { Id: 'b', Title: null },
  ],
  Total: 2,
}
const TEXT = JSON.stringify(DOCUMENT)

async function answerTo(client: ReturnType<typeof createClient>, url: string, options = {}) {
  return client.upstream.account({ account: 'A@default', baseUrl: url, tries: 1, ...options }).request({ path: '' })
}

for (const [encoding, body] of [
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate, gzip', gzipSync(deflateSync(TEXT))],
  ['identity', Buffer.from(TEXT)],
] as const) {
  t.test(`a body encoded as ${encoding} is decoded, for every way of reading it`, async (t) => {
    await using server = await startServer(() => ({ body, headers: { 'content-encoding': encoding } }))
    await using client = createClient()

    t.strictSame(await (await answerTo(client, server.url)).json(), DOCUMENT)
    t.equal(await (await answerTo(client, server.url)).text(), TEXT)
    t.equal(
      Buffer.concat(
        await Array.fromAsync((await answerTo(client, server.url)).stream() as AsyncIterable<Buffer>),
      ).toString(),
      TEXT,
    )
    await eventually(() => client.hub.stats()[0]?.inFlight === 0)
    t.strictSame(
      client.hub.calls().map(({ bytesIn }) => bytesIn),
      [body.length, body.length, body.length],
      'what came over the wire is counted',
    )
    t.match(client.hub.stats(), [{ calls: { count: 3, failed: 0, bytesIn: 3 * body.length } }])
  })
}

const invalid: readonly (readonly [name: string, reply: Reply])[] = [
  ['a page, by its type', { body: '{}', headers: { 'content-type': 'text/html; charset=utf-8' } }],
  ['a page, by its beginning', { body: '\n <!doctype html><p>s3cret' }],
  ['XML', { body: '<MediaContainer/>', headers: { 'content-type': 'application/xml' } }],
  ['nothing', { body: '' }],
  ['no content', { status: 204 }],
  ['half a document', { body: '{"Items":[1,' }],
  ['two documents', { body: '[1] [2]' }],
  ['bytes that are no text', { body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]) }],
  ['an encoding that is not what it says', { body: TEXT, headers: { 'content-encoding': 'gzip' } }],
  [
    'an encoding that breaks off',
    { body: gzipSync(TEXT.repeat(50)).subarray(0, 60), headers: { 'content-encoding': 'gzip' } },
  ],
  ['an encoding nobody asked for', { body: TEXT, headers: { 'content-encoding': 'compress' } }],
  ['encodings without end', { body: TEXT, headers: { 'content-encoding': 'gzip, gzip, gzip, gzip' } }],
]
for (const [name, reply] of invalid) {
  t.test(`${name} where JSON was expected is PLH_UPSTREAM_INVALID, and its text is not quoted`, async (t) => {
    await using server = await startServer(() => reply)
    await using client = createClient()

    const error = await failureOf((await answerTo(client, server.url)).json())
    t.match(error, { code: 'PLH_UPSTREAM_INVALID', details: { account: 'A@default' } })
    t.notMatch(`${error.message} ${JSON.stringify(error)}`, /s3cret|Items|MediaContainer/)
    await eventually(() => client.hub.stats()[0]?.inFlight === 0)
  })
}

t.test('a character set is decoded as announced, an unknown one is refused', async (t) => {
  await using server = await startServer(({ index }) => ({
    body: Buffer.from('"\xe4"', 'latin1'),
    headers: { 'content-type': `application/json; charset=${index === 0 ? 'ISO-8859-1' : 'klingon'}` },
  }))
  await using client = createClient()

  t.equal(await (await answerTo(client, server.url)).json(), 'ä')
  t.equal((await failureOf((await answerTo(client, server.url)).json())).code, 'PLH_UPSTREAM_INVALID')
})

t.test('a response that does not match the schema reports the place, and not the value', async (t) => {
  await using server = await startServer(() => ({
    json: {
      users: [
        { name: 'Ann', kind: 'user' },
        { name: 's3cret', kind: 's3cret', extra: 1 },
      ],
    },
  }))
  await using client = createClient()
  const schema = Type.Object({
    users: Type.Array(
      Type.Object({ name: Type.String(), kind: Type.Unsafe<'user'>({ type: 'string', enum: ['user'] }) }),
    ),
  })

  const error = await failureOf((await answerTo(client, server.url)).json(schema))

  t.equal(error.code, 'PLH_UPSTREAM_INVALID')
  t.match(error.message, '/users/1/kind')
  t.notMatch(error.message, 's3cret')
})

t.test('a body beyond the limit is refused: announced, in chunks, and decompressed', async (t) => {
  const replies: Reply[] = [
    { body: ' '.repeat(5_000) },
    { body: gzipSync(' '.repeat(5_000_000)), headers: { 'content-encoding': 'gzip' } },
  ]
  await using server = await startServer(({ index }, response) => {
    if (index > 1) return void response.write(' '.repeat(800), () => response.end(' '.repeat(800)))
    return replies[index]
  })
  await using client = createClient()

  for (let round = 0; round < 3; round += 1) {
    t.equal(
      (await failureOf((await answerTo(client, server.url, { maxBytes: 1_000 })).json())).code,
      'PLH_UPSTREAM_INVALID',
    )
  }
  await eventually(() => client.hub.stats()[0]?.inFlight === 0)
})

for (const [name, headers] of [
  ['with a length', { 'content-length': '100' }],
  ['in chunks', {}],
  ['in chunks, closing', { connection: 'close' }],
] as const) {
  t.test(`a body that breaks off ${name} is a failure, not a short list`, async (t) => {
    await using server = await startServer((_request, response) => {
      response.writeHead(200, headers)
      response.write('{"Items":[1,2],"More":[')
      setTimeout(() => response.socket?.end(), 5)
    })
    await using client = createClient()

    const error = await failureOf((await answerTo(client, server.url)).json())

    t.match(error.code, /^PLH_UPSTREAM(_INVALID)?$/)
    await eventually(() => client.hub.stats()[0]?.inFlight === 0)
  })
}

t.test('an unread large body waits at the service, and arrives complete when it is read', async (t) => {
  const piece = Buffer.alloc(64 * 1024, 'x')
  const pieces = 1_000
  let sent = 0
  await using server = await startServer(async (_request, response) => {
    for (; sent < pieces && !response.destroyed; sent += 1) {
      if (!response.write(piece)) await new Promise<void>((resolve) => response.once('drain', resolve))
    }
    response.end()
  })
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, timeoutMs: 60_000 })

  const answer = await account.request({ path: '' })
  let before = -1
  while (before !== sent) {
    before = sent
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  t.ok(sent < pieces / 2, `${sent} of ${pieces} pieces were sent while nobody read`)
  t.equal(account.stats().inFlight, 1)
  let bytes = 0
  for await (const chunk of answer.stream() as AsyncIterable<Buffer>) bytes += chunk.length

  t.equal(bytes, pieces * piece.length)
  t.equal(account.stats().inFlight, 0)
})

t.test('a body is read once', async (t) => {
  await using server = await startServer(() => ({ json: [] }))
  await using client = createClient()
  const answer = await answerTo(client, server.url)

  await answer.json()

  await t.rejects(answer.text(), TypeError)
  t.throws(() => answer.stream(), TypeError)
})

t.test('the time limit includes the body, even one that trickles', async (t) => {
  await using server = await startServer((_request, response) => {
    const timer = setInterval(() => response.write(' '), 5)
    response.once('close', () => clearInterval(timer))
    response.write('[')
  })
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, timeoutMs: 80 })

  const answer = await account.request({ path: '' })
  const slow = failureOf(answer.json())
  const unread = await account.request({ path: '' })

  t.match(await slow, { code: 'PLH_UPSTREAM_TIMEOUT', details: { account: 'A@default' } })
  await eventually(() => account.stats().inFlight === 0 && server.connections() === 0)
  t.equal((await failureOf(unread.text())).code, 'PLH_UPSTREAM_TIMEOUT', 'a body that nobody reads ends, too')
})

t.test('a missing response ends with the time limit, and is not requested again', async (t) => {
  await using server = await startServer(() => new Promise<void>(() => {}))
  await using client = createClient({ realTime: true })

  const error = await failureOf(
    client.upstream.account({ account: 'A@default', baseUrl: server.url }).request({ path: '', timeoutMs: 50 }),
  )

  t.equal(error.code, 'PLH_UPSTREAM_TIMEOUT')
  t.equal(server.requests.length, 1)
})

t.test('an abort ends a request, and a body in transit', async (t) => {
  await using server = await startServer(({ path }, response) => {
    if (path === '/body') response.write('[1')
  })
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })
  const caller = new AbortController()

  const head = failureOf(account.request({ path: 'head', signal: caller.signal }))
  const body = failureOf((await account.request({ path: 'body', signal: caller.signal })).json())
  await eventually(() => server.requests.length === 2)
  caller.abort()

  t.equal((await head).code, 'PLH_ABORTED')
  t.equal((await body).code, 'PLH_ABORTED')
  t.equal((await failureOf(account.request({ path: 'later', signal: caller.signal }))).code, 'PLH_ABORTED')
  await eventually(() => server.connections() === 0 && account.stats().inFlight === 0)
  t.equal(server.requests.length, 2)
})
