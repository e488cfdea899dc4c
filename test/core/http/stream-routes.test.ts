// Several streams over one connection: the same events as from each route alone.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { readEvents } from '../../../sdk/client/stream.ts'
import { PASSWORD, startService, USERNAME } from '../../harness.ts'

const PLUGIN = {
  manifest: {
    routes: [
      { method: 'GET', path: '/api/clock/stream', auth: 'S' },
      { method: 'GET', path: '/api/clock/secrets', auth: 'S', scope: 'admin' },
      { method: 'GET', path: '/api/clock/large', auth: 'S' },
      { method: 'POST', path: '/api/clock/tick', auth: 'S' },
    ],
  },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'
      export default definePlugin({
        routes(app) {
          const { streams } = app.playhead
          let served = 0
          app.get('/api/clock/stream', (request, reply) => streams.open(request, reply, { topics: ['clock/ticks'], tail: Number(request.query.tail ?? 5) }))
          app.get('/api/clock/secrets', (request, reply) => streams.open(request, reply, { topics: ['clock/secrets'] }))
          app.get('/api/clock/large', async () => ({ served: ++served, text: 'x'.repeat(100_000) }))
          app.post('/api/clock/tick', async (request) => {
            streams.publish('clock/ticks', { event: 'tick', data: JSON.stringify({ n: request.body.n }) })
            streams.publish('clock/secrets', { data: 'secret ' + request.body.n })
            return { ok: true }
          })
        },
      })`,
  },
}

const service = await startService({ plugins: { clock: PLUGIN }, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
const tick = (n: number) => service.json('/api/clock/tick', { json: { n } })

async function follow(path: string, headers: Record<string, string> = { cookie: service.cookie() }) {
  const stop = new AbortController()
  let status = 0
  const open = async (more: Record<string, string>, signal: AbortSignal) => {
    const response = await fetch(service.url + path, { headers: { ...headers, ...more }, signal })
    status = response.status
    if (status !== 200) throw new Error(`${status} ${await response.text()}`)
    return response
  }
  const events = readEvents(open, { signal: stop.signal, reconnect: false })
  return {
    async take(count: number) {
      const taken: [string, unknown, string][] = []
      while (taken.length < count) {
        const { done, value } = await events.next()
        if (done === true) break
        if (value.event !== 'ping') taken.push([value.event, value.data, value.id])
      }
      return taken
    },
    status: () => status,
    close: () => stop.abort(),
    events,
  }
}

t.test('routes of plugins and of the core share a connection, and are resumed together', async (t) => {
  await tick(1)
  const all = '/api/stream?of=/api/clock/stream&of=/api/plugins/stream'
  const first = await follow(all)
  t.same((await first.take(1))[0]!.slice(0, 2), ['/api/clock/stream tick', { n: 1 }])
  await tick(2)
  const [second] = await first.take(1)
  t.same(second!.slice(0, 2), ['/api/clock/stream tick', { n: 2 }])
  t.equal(service.streams.size(), 1)
  first.close()
  await tick(3)
  const again = await follow(all, { cookie: service.cookie(), 'last-event-id': second![2] })
  t.same((await again.take(1))[0]!.slice(0, 2), ['/api/clock/stream tick', { n: 3 }], 'nothing twice, nothing lost')
  again.close()
  const id = new URLSearchParams(second![2]).get('0')!
  const other = await follow(`/api/stream?of=/api/plugins/stream&after=&of=/api/clock/stream&after=${id}`)
  t.same((await other.take(1))[0]!.slice(0, 2), ['/api/clock/stream tick', { n: 3 }], 'also among other routes')
  other.close()
})

t.test('each route checks its own access and parameters', async (t) => {
  const made = await service.json('/api/tokens', {
    json: { name: 'Dashboard', scope: 'read', password: 'correct horse battery' },
  })
  const authorization = `Bearer ${made.body.secret ?? made.body.token}`
  const mixed = await follow('/api/stream?of=/api/clock/secrets&of=/api/clock/stream?tail=1', { authorization })
  const events = await mixed.take(2)
  t.same(
    events.map(([event, data]) => [event, data]),
    [
      ['/api/clock/secrets refused', { status: 403 }],
      ['/api/clock/stream?tail=1 tick', { n: 3 }],
    ],
  )
  await tick(4)
  t.same(
    (await mixed.take(1)).map(([event]) => event),
    ['/api/clock/stream?tail=1 tick'],
    'and nothing of the other',
  )
  mixed.close()
  t.equal((await fetch(`${service.url}/api/stream?of=/api/clock/stream`)).status, 401)
})

t.test('a route without a stream is refused, and not read', async (t) => {
  const stream = await follow('/api/stream?of=/api/clock/large&of=/api/nowhere&of=/api/app-auth/status')
  t.same(
    (await stream.take(3)).map(([event, data]) => [event, data]),
    [
      ['/api/clock/large refused', { status: 404 }],
      ['/api/nowhere refused', { status: 404 }],
      ['/api/app-auth/status refused', { status: 404 }],
    ],
  )
  stream.close()
  for (const query of [
    '',
    'of=',
    'of=/login',
    'of=//evil.example/api/x',
    'of=/api/../login',
    'of=/api/stream',
    'of=/api/stream%3Fof=/api/stream',
    'of=/api/clock/stream&of=/api/clock/stream',
    `of=${Array.from({ length: 13 }, (_, index) => `/api/clock/stream?tail=${index}`).join('&of=')}`,
    `of=/api/${'x'.repeat(600)}`,
  ]) {
    const { status } = await service.json(`/api/stream?${query}`)
    t.ok(status === 400 || status === 422, `${query.slice(0, 60)}: ${status}`)
  }
  const forged = await follow('/api/clock/stream', { cookie: service.cookie(), 'x-playhead-stream-probe': 'me' })
  t.equal((await forged.take(1))[0]![0], 'tick', 'a header of our own that we did not send counts for nothing')
  forged.close()
})

t.test('the end of the session ends the stream', async (t) => {
  const stream = await follow('/api/stream?of=/api/clock/stream')
  await stream.take(1)
  const ended = stream.take(1_000)
  await service.json('/api/app-auth/logout', { json: {} })
  t.ok((await ended).length < 1_000)
})

t.test('public streams end when authentication is turned on', async (t) => {
  await using open = await startService({
    plugins: { clock: PLUGIN },
    watch: false,
    environment: { PLAYHEAD_ALLOW_NO_AUTH: '1' },
  })
  const credentials = { username: USERNAME, password: PASSWORD, current_password: PASSWORD }
  const switchTo = (enabled: boolean) => open.json('/api/app-auth/credentials', { json: { enabled, ...credentials } })
  t.equal((await switchTo(false)).status, 200)
  const stream = await fetch(`${open.url}/api/clock/stream`)
  t.equal(stream.status, 200)
  const ended = stream.text()
  t.equal((await switchTo(true)).status, 200)
  t.type(await ended, 'string')
  t.equal((await fetch(`${open.url}/api/clock/stream`)).status, 401)
})
