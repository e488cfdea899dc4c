// A server in a separate process for the benches: the service, or bare Fastify with the same handlers.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const [kind, directory] = process.argv.slice(2) as [string, string]
const delay = monitorEventLoopDelay({ resolution: 1 })

let stop = async () => {}

// The kernel's own peak cannot be reset, and would include the start.
let peak = 0

process.on('message', (question) => {
  if (question === 'reset') {
    peak = 0
    delay.enable()
    delay.reset()
    process.send?.('ok')
  }
  if (question === 'block') {
    delay.disable()
    process.send?.(delay.max / 1e6)
  }
  if (question === 'delay') {
    delay.disable()
    process.send?.({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 })
  }
  // Sampling costs time, so it is done only where memory is measured.
  if (question === 'sample') {
    setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 20).unref()
    process.send?.('ok')
  }
  if (question === 'cpu') process.send?.(process.cpuUsage())
  if (question === 'thread') process.send?.(process.threadCpuUsage())
  if (question === 'exit') void stop().then(() => process.exit(0))
  if (question === 'memory') process.send?.(process.memoryUsage().rss)
  if (question === 'peak') process.send?.(peak)
})

// Like `npm start`, for the service and the bare server.

if (kind === 'service' || kind === 'shipped') {
  const { startPlayhead } = await import('../../core/main.ts')
  const { readEnvironment } = await import('../../core/environment.ts')
  const playhead = await startPlayhead({
    environment: readEnvironment({
      PLAYHEAD_DATA_DIR: join(directory, 'data'),
      PLAYHEAD_PORT: '0',
      PLAYHEAD_LOG_LEVEL: 'error',
    }),
    // The shipped plugins, or the plugins of the bench.
    ...(kind === 'shipped' ? {} : { bundledRegistry: join(directory, 'plugin-registry.json') }),
  })
  stop = () => playhead.stop()
  // A sign-in hashes a password; a start is measured with the session of the previous one.
  const known = await readFile(join(directory, 'cookie'), 'utf8').catch(() => '')
  const cookie = known === '' ? await signUp(playhead.url) : known
  await writeFile(join(directory, 'cookie'), cookie)
  process.send?.({ url: playhead.url, cookie })
} else {
  const { fastify } = await import('fastify')
  const { Type } = await import('@sinclair/typebox')
  const app = fastify()
  if (kind === 'stored') {
    // A stored body of a size, or a response without one.
    const bodies = new Map<number, Buffer>()
    app.get('/stored/:bytes', (request, reply) => {
      const bytes = Number((request.params as { bytes: string }).bytes)
      void reply.header('etag', '"stored"').type('application/json; charset=utf-8')
      if (request.headers['if-none-match'] === '"stored"') return reply.code(304).send()
      return reply.send(bodies.getOrInsertComputed(bytes, (size) => Buffer.alloc(size, 'x')))
    })
  } else if (kind === 'bare') {
    const Item = Type.Object({
      title: Type.String(),
      year: Type.Integer(),
      ids: Type.Record(Type.String(), Type.Integer()),
    })
    const Answer = Type.Object({ ok: Type.Boolean(), id: Type.String(), items: Type.Array(Item) })
    const ITEM = { title: 'A film', year: 1999, ids: { tmdb: 603 } }
    app.get(
      '/api/echo/:id',
      {
        schema: {
          querystring: Type.Object({ size: Type.Integer({ default: 1 }) }),
          params: Type.Object({ id: Type.String() }),
          response: { 200: Answer },
        },
      },
      async (request) => ({
        ok: true,
        id: (request.params as { id: string }).id,
        items: Array((request.query as { size: number }).size).fill(ITEM),
      }),
    )
    const PAGE = Array.from({ length: 100 }, (_unused, index) => ({
      title: `Film number ${index}`,
      year: 1920 + index,
      ids: { tmdb: index, imdb: index * 7 },
    }))
    app.get('/api/page', { schema: { response: { 200: Answer } } }, async () => ({
      ok: true,
      id: 'page',
      items: PAGE.filter((item) => item.year > 1950)
        .sort((a, b) => b.year - a.year)
        .slice(0, 50),
    }))
    app.post('/api/echo', { schema: { body: Item, response: { 200: Answer } } }, async (request) => ({
      ok: true,
      id: 'new',
      items: [request.body],
    }))
  } else {
    const Answer = Type.Object({ ok: Type.Boolean(), route: Type.Integer() })
    for (let index = 0; index < 40; index += 1) {
      for (let route = 0; route < 8; route += 1) {
        app.get(`/api/plain-${index}/${route}`, { schema: { response: { 200: Answer } } }, () => ({ ok: true, route }))
      }
    }
  }
  process.send?.({ url: await app.listen({ port: 0, host: '127.0.0.1' }), cookie: 'cw_auth=none' })
}

async function signUp(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/app-auth/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      enabled: true,
      username: 'ada',
      password: 'correct horse battery',
      remember_session_enabled: true,
    }),
  })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}
