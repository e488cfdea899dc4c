// The published client against a server that fails as networks and proxies do.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createClient, isApiError, type StreamEvent } from '@playhead/sdk/client'

type Handle = (request: IncomingMessage, response: ServerResponse, number: number) => void

async function serve(t: Test, handle: Handle) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handle(request, response, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const STREAM = { 'content-type': 'text/event-stream' }
const RUN = 'GET /api/run/summary/stream'

async function take(events: AsyncIterable<StreamEvent>, wanted: number): Promise<StreamEvent[]> {
  const taken: StreamEvent[] = []
  for await (const event of events) if (taken.push(event) === wanted) break
  return taken
}

t.test('events are read in any fragmentation, and a lost connection resumes after the last one', async (t) => {
  const text =
    'retry: 1\r\n: ping\r\nid: 1\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: step\nid: 2\ndata: plain ü\n\nid: 3\ndata: lost'
  const { url, requests } = await serve(t, async (_request, response, number) => {
    response.writeHead(200, STREAM)
    if (number > 1) return response.end(`id: 3\ndata: whole\n\ndata: without id\n\n`)
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    response.destroy()
  })
  const events = await take(createClient({ url }).events(RUN), 4)
  t.same(events, [
    { event: 'message', id: '1', data: { a: 1 }, text: '{"a":\n1}' },
    { event: 'step', id: '2', data: 'plain ü', text: 'plain ü' },
    { event: 'message', id: '3', data: 'whole', text: 'whole' },
    { event: 'message', id: '3', data: 'without id', text: 'without id' },
  ])
  t.same(
    requests.map(({ headers }) => headers['last-event-id']),
    [undefined, '2'],
    'what had no end is asked for again',
  )
})

t.test(
  'a reader that stops closes the connection; an abort ends without an error, also between two retries',
  async (t) => {
    let closed = 0
    const { url } = await serve(t, (_request, response, number) => {
      response.on('close', () => (closed += 1))
      if (number > 2) return response.writeHead(503).end()
      response.writeHead(200, STREAM).write('data: 1\n\n')
    })
    await take(createClient({ url }).events(RUN), 1)
    while (closed < 1) await new Promise(setImmediate)

    const end = new AbortController()
    const seen: unknown[] = []
    for await (const { data } of createClient({ url }).events(RUN, { signal: end.signal })) {
      seen.push(data)
      end.abort()
    }
    t.same(seen, [1])

    const later = new AbortController()
    setTimeout(() => later.abort(), 50)
    t.same(await take(createClient({ url }).events(RUN, { signal: later.signal }), 1), [], 'a 503 is tried again')
  },
)

t.test('a silent connection is reopened', async (t) => {
  const { url, requests } = await serve(t, (_request, response, number) => {
    response.writeHead(200, STREAM).write(number === 1 ? 'retry: 1\nid: 7\ndata: first\n\n' : 'data: second\n\n')
  })
  const events = await take(createClient({ url }).events(RUN, { silenceMs: 100 }), 2)
  t.same(
    events.map(({ data }) => data),
    ['first', 'second'],
  )
  t.equal(requests[1]?.headers['last-event-id'], '7')
})

t.test('a refused stream throws, and is not retried', async (t) => {
  const { url, requests } = await serve(t, (_request, response) =>
    response
      .writeHead(403, { 'content-type': 'application/json' })
      .end('{"ok":false,"error":"insufficient_scope","detail":"This needs more."}'),
  )
  await t.rejects(take(createClient({ url, token: 'x' }).events(RUN), 1), {
    name: 'ApiError',
    status: 403,
    code: 'insufficient_scope',
    message: 'This needs more.',
  })
  t.equal(requests.length, 1)
})

t.test('paths, queries, bodies and the token are sent correctly', async (t) => {
  const bodies: string[] = []
  const { url, requests } = await serve(t, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    bodies.push(text)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  const client = createClient({ url: `${url}/base/`, token: 'plh_x' })
  await client.call('GET /api/runs', { query: { offset: 0, dry_run: false, pair_id: 'a b' } })
  await client.call('PUT /api/connections/{provider}/{instance}/label', {
    params: { provider: 'TRACKA', instance: 'a/../b' },
    body: { label: 'ü' },
  })
  t.same(
    requests.map(({ method, url: path }) => `${method} ${path}`),
    ['GET /base/api/runs?offset=0&dry_run=false&pair_id=a+b', 'PUT /base/api/connections/TRACKA/a%2F..%2Fb/label'],
  )
  t.same(bodies, ['', '{"label":"ü"}'])
  t.ok(requests.every(({ headers }) => headers.authorization === 'Bearer plh_x'))
})

t.test('a token is not forwarded to another address', async (t) => {
  const other = await serve(t, (_request, response) => response.end('{}'))
  const { url } = await serve(t, (_request, response) =>
    response.writeHead(302, { location: `${other.url}/api/pairs` }).end(),
  )
  await t.rejects(createClient({ url, token: 'plh_x' }).call('GET /api/pairs/status'), {
    status: 302,
    code: 'redirected',
    message: new RegExp(`sends on to ${other.url}`),
  })
  t.equal(other.requests.length, 0)
})

t.test('errors state their cause: no response, a refused field, a wait, a page instead of JSON', async (t) => {
  const answers = [
    [422, 'application/json', '{"detail":[{"loc":["body","scope"],"msg":"is not one of","type":"enum"}]}', {}],
    [429, 'application/json', '{"ok":false,"error":"too_many"}', { 'retry-after': '7' }],
    [502, 'text/html', '<h1>Bad gateway</h1>', {}],
  ] as const
  const { url } = await serve(t, (_request, response, number) => {
    const [status, type, body, headers] = answers[number - 1]!
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
  })
  const call = () => createClient({ url }).call('GET /api/pairs/status')
  await t.rejects(call(), { status: 422, fields: { scope: 'is not one of' }, message: /scope: is not one of/ })
  await t.rejects(call(), { status: 429, code: 'too_many', retryAfterMs: 7_000 })
  await t.rejects(call(), { status: 502, code: '', body: '<h1>Bad gateway</h1>' })
  const error = await createClient({ url: 'http://127.0.0.1:9' })
    .call('GET /api/pairs/status')
    .catch((found: unknown) => found)
  t.ok(isApiError(error, 0))
  t.notOk(isApiError(new Error('x')))
})
