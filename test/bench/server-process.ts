// A server in a process of its own, for the benches: the service, or bare Fastify with the same handlers.
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const [kind, directory] = process.argv.slice(2) as [string, string]
const delay = monitorEventLoopDelay({ resolution: 1 })

process.on('message', (question) => {
  if (question === 'reset') {
    delay.enable()
    delay.reset()
    process.send?.('ok')
  }
  if (question === 'block') process.send?.(delay.max / 1e6)
  if (question === 'cpu') process.send?.(process.cpuUsage())
  if (question === 'exit') process.exit(0)
  if (question === 'memory') process.send?.(process.memoryUsage().rss)
})

if (kind === 'service') {
  const { startPlayhead } = await import('../../core/main.ts')
  const { readEnvironment } = await import('../../core/environment.ts')
  const playhead = await startPlayhead({
    environment: readEnvironment({ PLAYHEAD_DATA_DIR: join(directory, 'data'), PLAYHEAD_PORT: '0', PLAYHEAD_LOG_LEVEL: 'error' }),
    bundledRegistry: join(directory, 'plugin-registry.json'),
  })
  const account = { username: 'ada', password: 'correct horse battery' }
  const post = (path: string, body: object) => fetch(playhead.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const isNew = playhead.config.at('app_auth.username') === ''
  const answer = await (isNew ? post('/api/app-auth/credentials', { enabled: true, ...account }) : post('/api/app-auth/login', account))
  process.send?.({ url: playhead.url, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] })
} else {
  const { fastify } = await import('fastify')
  const { Type } = await import('@sinclair/typebox')
  const app = fastify()
  if (kind === 'bare') {
    const Item = Type.Object({ title: Type.String(), year: Type.Integer(), ids: Type.Record(Type.String(), Type.Integer()) })
    const Answer = Type.Object({ ok: Type.Boolean(), id: Type.String(), items: Type.Array(Item) })
    const ITEM = { title: 'A film', year: 1999, ids: { tmdb: 603 } }
    app.get('/api/echo/:id', { schema: { querystring: Type.Object({ size: Type.Integer({ default: 1 }) }), params: Type.Object({ id: Type.String() }), response: { 200: Answer } } },
      async (request) => ({ ok: true, id: (request.params as { id: string }).id, items: Array((request.query as { size: number }).size).fill(ITEM) }))
    app.post('/api/echo', { schema: { body: Item, response: { 200: Answer } } }, async (request) => ({ ok: true, id: 'new', items: [request.body] }))
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
