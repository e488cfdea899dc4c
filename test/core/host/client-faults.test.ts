// slow: real threads, disks and waits
// Failures of clients and of the machine do not count as plugin faults: truncated bodies, broken chunks, wrong lengths,
// disconnects. Over real sockets.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { startService, until, type FixturePlugin, type Service } from '../../harness.ts'

const TIMES = 6

const answering: FixturePlugin = {
  manifest: {
    routes: [
      { method: 'POST', path: '/api/answering/body', auth: 'P' },
      { method: 'POST', path: '/api/answering/stream', auth: 'P' },
      { method: 'POST', path: '/api/answering/wait', auth: 'P' },
      { method: 'GET', path: '/api/answering/left', auth: 'P' },
    ],
  },
  files: {
    'index.ts': `import { clientSignal, definePlugin } from '@playhead/sdk'
import { EventEmitter, once } from 'node:events'
let left = 0
export default definePlugin({
  routes(app) {
    app.addContentTypeParser('application/octet-stream', (request, payload, done) => done(null, payload))
    app.post('/api/answering/body', () => ({ ok: true }))
    app.post('/api/answering/stream', async (request) => {
      let length = 0
      for await (const part of request.body) length += part.length
      return { length }
    })
    app.post('/api/answering/wait', async (request, reply) => {
      const signal = clientSignal(request)
      signal.addEventListener('abort', () => { left += 1 })
      await once(new EventEmitter(), 'never', { signal })
      return { ok: true }
    })
    app.get('/api/answering/left', () => ({ left }))
  },
})
`,
  },
}

interface Row {
  readonly name: string
  readonly head: string
  readonly body: string
  readonly path?: string
  readonly end: (socket: Socket) => void
  /** The response, if the client can still receive one. */
  readonly status?: RegExp
}

const half = (socket: Socket) => void socket.end()
const reset = (socket: Socket) => void socket.resetAndDestroy()
const JSON_TYPE = 'content-type: application/json\r\n'
const BYTES = 'content-type: application/octet-stream\r\n'
const TABLE: readonly Row[] = [
  { name: 'half a body, then the end', head: `${JSON_TYPE}content-length: 50\r\n`, body: '{"a":', end: half },
  { name: 'half a body, then a reset', head: `${JSON_TYPE}content-length: 50\r\n`, body: '{"a":', end: reset },
  {
    name: 'half a chunk, then the end',
    head: `${JSON_TYPE}transfer-encoding: chunked\r\n`,
    body: '20\r\n{"a":',
    end: half,
  },
  {
    name: 'a broken chunk',
    head: `${JSON_TYPE}transfer-encoding: chunked\r\n`,
    body: '5\r\n{"a":\r\nzz\r\n',
    end: () => {},
    status: /^HTTP\/1\.1 400/,
  },
  {
    name: 'a body that is no JSON',
    head: `${JSON_TYPE}content-length: 5\r\n`,
    body: '{"a":',
    end: half,
    status: /^HTTP\/1\.1 422/,
  },
  {
    name: 'a body that is too large',
    head: `${JSON_TYPE}content-length: 99999999\r\n`,
    body: '{"a":',
    end: half,
    status: /^HTTP\/1\.1 413/,
  },
  {
    name: 'half a body that the route reads itself',
    path: 'stream',
    head: `${BYTES}content-length: 50\r\n`,
    body: 'abc',
    end: half,
  },
  {
    name: 'half a body that the route reads itself, then a reset',
    path: 'stream',
    head: `${BYTES}content-length: 50\r\n`,
    body: 'abc',
    end: reset,
  },
  {
    name: 'a caller that leaves before the answer',
    path: 'wait',
    head: `${JSON_TYPE}content-length: 2\r\n`,
    body: '{}',
    end: reset,
  },
]

async function send(service: Service, { head, body, path = 'body', end, status }: Row): Promise<string> {
  const { hostname, port, host } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  socket.write(
    `POST /api/answering/${path} HTTP/1.1\r\nhost: ${host}\r\n${status === undefined ? '' : 'connection: close\r\n'}${head}\r\n${body}`,
  )
  // The request reaches its route before the client acts.
  await until(
    'the request is under way',
    async () => status !== undefined || (await service.plugin('answering')).in_flight > 0,
  )
  end(socket)
  await closed
  return answer
}

t.test('failures of a client are no fault of a plugin', async (t) => {
  await using service = await startService({ plugins: { answering }, watch: false })
  t.match(await service.plugin('answering'), { state: 'active', last_error: null })

  for (const row of TABLE) {
    await t.test(row.name, async (t) => {
      for (let time = 0; time < TIMES; time += 1) {
        const answer = await send(service, row)
        if (row.status !== undefined) t.match(answer, row.status)
        else t.notMatch(answer, /^HTTP\/1\.1 5/)
      }
      await until('no request is under way', async () => (await service.plugin('answering')).in_flight === 0)

      t.match(await service.plugin('answering'), { state: 'active', faults: 0, last_error: null })
      t.equal((await service.json('/api/answering/body', { json: {} })).status, 200)
    })
  }
  t.equal((await service.json('/api/answering/left')).body.left, TIMES, 'a route is told that its caller left')
  t.notOk(
    service.log.some((line) => /"level":50/.test(line)),
    'and nothing is logged as an error',
  )
})
