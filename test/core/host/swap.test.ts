// slow: real threads, disks and waits
// Reloading a plugin in use is not noticeable.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startService, until } from '../../harness.ts'

const CLIENTS = 50
const RELOADS = 100

const served = (version: number) => `
import { definePlugin, Type } from '@playhead/sdk'
const version = ${version}
export default definePlugin({
  routes(app) {
    app.get('/api/swap/now', { schema: { response: { 200: Type.Object({ start: Type.Integer(), end: Type.Integer() }) } } }, async () => {
      const start = version
      await null
      return { start, end: version }
    })
    app.post('/api/swap/echo', { schema: { body: Type.Object({ text: Type.String() }) } }, (request) => ({ version, text: request.body.text }))
    app.get('/api/swap/slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      return { version }
    })
  },
})
`
const swap = {
  manifest: {
    routes: [
      { method: 'GET', path: '/api/swap/now' },
      { method: 'POST', path: '/api/swap/echo' },
      { method: 'GET', path: '/api/swap/slow' },
    ],
  },
  files: { 'index.ts': served(0) },
}
const ticker = {
  manifest: { routes: [{ method: 'GET', path: '/api/ticker/stream' }] },
  files: {
    'index.ts': `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  setup(ctx) {
    let n = 0
    setInterval(() => ctx.streams.publish('ticker/tick', { data: String(++n) }), 20)
  },
  routes(app) {
    app.get('/api/ticker/stream', (request, reply) => app.playhead.streams.open(request, reply, { topics: ['ticker/tick'], tail: 0 }))
  },
})
`,
  },
}

t.test(
  '50 clients use a plugin while it is reloaded 100 times, and no response fails, mixes versions or is lost',
  async (t) => {
    await using service = await startService({ plugins: { swap, ticker }, watch: false })
    const stream = await service.call('/api/ticker/stream')
    t.equal(stream.headers.get('content-type'), 'text/event-stream')
    const ticks: number[] = []
    let streamEnded = false
    const reading = (async () => {
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
        for (const match of Buffer.from(chunk)
          .toString()
          .matchAll(/^data: (\d+)$/gm))
          ticks.push(Number(match[1]))
      }
      streamEnded = true
    })().catch(() => {
      streamEnded = true
    })

    let stop = false
    let answers = 0
    const bad: string[] = []
    const seen = new Set<number>()
    let underWay = 0
    let swapsUnderWay = 0
    const clients = Array.from({ length: CLIENTS }, async (_unused, client) => {
      while (!stop) {
        const post = client % 2 === 0
        const text = `${client}-${answers}`
        underWay += 1
        const { status, body } = post
          ? await service
              .json('/api/swap/echo', { json: { text } })
              .catch((error: unknown) => ({ status: 0, body: String(error) }))
          : await service.json('/api/swap/now').catch((error: unknown) => ({ status: 0, body: String(error) }))
        underWay -= 1
        answers += 1
        if (status !== 200 || (post ? body.text !== text : body.start !== body.end))
          bad.push(JSON.stringify({ status, body }))
        else seen.add(post ? body.version : body.start)
      }
    })

    for (let version = 1; version <= RELOADS; version += 1) {
      await service.write('swap', 'index.ts', served(version))
      await service.host.reload('swap')
      if (underWay > 0) swapsUnderWay += 1
    }
    await until('the last version answers', () => seen.has(RELOADS))
    stop = true
    await Promise.all(clients)

    t.same(bad.slice(0, 3), [])
    t.ok(answers > RELOADS, `${answers} answers`)
    t.ok(swapsUnderWay > RELOADS / 4, `${swapsUnderWay} swaps happened while somebody waited for an answer`)
    t.ok(seen.size > RELOADS / 4, `${seen.size} versions were seen by clients`)
    t.equal((await service.plugin('swap')).generation, RELOADS + 1)
    t.equal(streamEnded, false, 'the stream of the other plugin stayed open')
    t.same(
      ticks,
      ticks.map((_tick, index) => (ticks[0] as number) + index),
      'and lost nothing',
    )
    t.ok(ticks.length > 10)
    await stream.body?.cancel().catch(() => {})
    void reading
  },
)

t.test('a request that started before a swap ends on its version', async (t) => {
  await using service = await startService({ plugins: { swap }, watch: false })
  const slow = service.json('/api/swap/slow')
  await sleep(200)

  await service.write('swap', 'index.ts', served(7))
  await service.host.reload('swap')
  const now = await service.json('/api/swap/now')

  t.equal(now.body.start, 7, 'new requests get the new version at once')
  t.equal((await service.plugin('swap')).draining.length, 1, 'the old one waits for its request')
  t.same(await slow.then(({ status, body }) => ({ status, body })), { status: 200, body: { version: 0 } })
  await until('the old generation is gone', async () => (await service.plugin('swap')).draining.length === 0)
})

t.test('a stream survives the reload of the plugin that opened it', async (t) => {
  await using service = await startService({ plugins: { ticker }, watch: false })
  const stream = await service.call('/api/ticker/stream')
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()

  await service.host.reload('ticker')
  await until('nothing is held by the open stream', async () => (await service.plugin('ticker')).draining.length === 0)

  // The new version's ticker publishes to the same topic.
  for (let i = 0; i < 3; i += 1) t.equal((await reader.read()).done, false)
  await reader.cancel()
})

t.test(
  'saving the source changes the behaviour, and saving a broken one changes nothing and reports why',
  async (t) => {
    await using service = await startService({ plugins: { swap } })
    const version = async () => (await service.json('/api/swap/now')).body.start as number

    await service.write('swap', 'index.ts', served(1))
    await until('the saved version answers', async () => (await version()) === 1)

    await service.write('swap', 'index.ts', served(2).replace('definePlugin({', 'definePlugin({{'))
    const broken = await until('the failure is reported', async () => (await service.plugin('swap')).last_error)
    t.match(broken, { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 4 })
    t.equal(await version(), 1, 'the old version still answers')
    t.equal((await service.plugin('swap')).state, 'active')

    await service.write('swap', 'index.ts', served(3))
    await until('the mended version answers', async () => (await version()) === 3)
    t.equal((await service.plugin('swap')).last_error, null)
  },
)
