// slow: real threads, disks and waits
// A plugin that fails at run time is reported, counted and finally unloaded, without effect on others.
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { RUNNING_OPERATIONS } from '@playhead/sdk'
import t from 'tap'
import { withTimeLimit } from '@playhead/sdk'
import { startService, until, type FixturePlugin } from '../../harness.ts'

const neighbour: FixturePlugin = {
  manifest: { routes: [{ method: 'GET', path: '/api/neighbour' }] },
  files: {
    'index.ts': `import { definePlugin, RUNNING_OPERATIONS } from '@playhead/sdk'\nexport default definePlugin({ routes(app) { app.get('/api/neighbour', () => ({ ok: true })) } })`,
  },
}

function faulty(body: string, manifest: Readonly<Record<string, unknown>> = {}): FixturePlugin {
  return {
    manifest: {
      routes: [
        { method: 'GET', path: '/api/faulty/go' },
        { method: 'GET', path: '/api/faulty/well' },
      ],
      ...manifest,
    },
    files: {
      'index.ts': `import { definePlugin, PlayheadError } from '@playhead/sdk'
export default definePlugin({
  setup(ctx) {
    globalThis.faultyContext = undefined
    this.started?.(ctx)
  },
  routes(app) {
    const ctx = app.playhead
    app.get('/api/faulty/well', () => ({ ok: true }))
    app.get('/api/faulty/go', async (request) => {
      ${body}
    })
  },
})
`,
    },
  }
}

interface Row {
  readonly name: string
  readonly body: string
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Status of the request that triggers the fault. */
  readonly status: number
  readonly fault: RegExp
}

const TABLE: readonly Row[] = [
  { name: 'a throw in a route', body: `throw new Error('route boom')`, status: 500, fault: /a request: route boom/ },
  {
    name: 'a rejection that nobody handles',
    body: `void Promise.reject(new Error('floating boom')); return {}`,
    status: 200,
    fault: /unhandled rejection: floating boom/,
  },
  {
    name: 'a rejection later, after a timer',
    body: `setTimeout(() => void Promise.reject(new Error('late boom')), 20); return {}`,
    status: 200,
    fault: /late boom/,
  },
  { name: 'process.exit', body: `process.exit(3)`, status: 500, fault: /end the process/ },
  { name: 'process.exit by the back door', body: `globalThis.process.exit(3)`, status: 500, fault: /end the process/ },
  { name: 'the global fetch', body: `await fetch('http://127.0.0.1:9/')`, status: 502, fault: /none/ },
  {
    name: 'the built-in fetch by the back door',
    body: `await globalThis.fetch('http://localhost:59999/')`,
    status: 500,
    fault: /declared hosts/,
  },
  {
    name: 'a socket of node:net',
    body: `const net = globalThis.process.getBuiltinModule('node:net'); await new Promise((resolve, reject) => net.connect(9, '127.0.0.1').on('error', reject).on('connect', resolve))`,
    status: 502,
    fault: /127\.0\.0\.1:9, which is not among its declared hosts/,
  },
]

t.test('a fault is answered, attributed and logged, and the neighbour continues', async (t) => {
  await using service = await startService({ plugins: { faulty: faulty('return {}'), neighbour }, watch: false })

  for (const row of TABLE) {
    await t.test(row.name, async (t) => {
      await service.writePlugin('faulty', faulty(row.body, row.manifest))
      await service.host.reload('faulty')
      const before = (await service.plugin('faulty')).faults

      const answer = await service.json('/api/faulty/go')

      t.equal(answer.status, row.status)
      if (row.status === 500) t.match(answer.body, { ok: false, error: 'internal', request_id: String })
      t.notMatch(JSON.stringify(answer.body), /boom/, 'the exception text stays inside')
      if (row.fault.source !== 'none') {
        await until('the fault is reported', () =>
          service.streams
            .read('plugins')
            .some(({ event, data }) => event === 'plugin.fault' && row.fault.test(data.replaceAll('\\"', '"'))),
        )
        const plugin = await service.plugin('faulty')
        t.ok(plugin.faults > before, 'it is counted')
        t.ok(plugin.last_error, 'and shown')
        t.equal(plugin.state, 'active')
      }
      t.equal((await service.json('/api/faulty/well')).status, 200, 'its other routes answer')
      t.equal((await service.json('/api/neighbour')).status, 200, 'the neighbour answers')
    })
  }
})

t.test('an exception outside any call disables the plugin at once, and only it', async (t) => {
  await using service = await startService({
    plugins: { faulty: faulty(`setTimeout(() => { throw new Error('timer boom') }, 5); return {}`), neighbour },
    watch: false,
  })

  t.equal((await service.json('/api/faulty/go')).status, 200)
  const plugin = await until('it is quarantined', async () => {
    const plugin = await service.plugin('faulty')
    return plugin.state === 'quarantined' && plugin
  })

  t.match(plugin.last_error, {
    phase: 'run',
    code: 'PLH_PLUGIN_FAULT',
    message: /timer boom/,
    file: 'index.ts',
    line: 11,
  })
  t.ok(plugin.retry_at > Date.now(), 'it is tried again later')
  t.match(await service.json('/api/faulty/well'), {
    status: 503,
    body: { error: 'plugin_unavailable', plugin: 'faulty', state: 'quarantined' },
  })
  t.equal((await service.json('/api/neighbour')).status, 200)

  await service.json('/api/plugins/faulty/reload', { method: 'POST' })
  t.equal((await service.json('/api/faulty/well')).status, 200, 'a user brings it back')
})

t.test('console output of a plugin is in its own log channel, without secrets', async (t) => {
  const body = `console.log('said %s', 'this', { token: ctx.config.token })
      console.error(new Error('said that'))
      console.group('group')
      console.table([{ a: 1 }])
      const { warn } = console
      warn('said alone')
      return {}`
  const talker = faulty(body, { section: 'talker' })
  const source = talker.files['index.ts']!.replace('PlayheadError }', 'PlayheadError, Type }').replace(
    'definePlugin({',
    "definePlugin({ config: Type.Object({ token: Type.String({ secret: true, default: '' }) }),",
  )
  const direct = (['log', 'info', 'error', 'warn', 'table'] as const).map((name) => t.capture(console, name))
  await using service = await startService({
    plugins: { faulty: { ...talker, files: { 'index.ts': `console.info('said at the top')\n${source}` } }, neighbour },
    watch: false,
  })
  await service.json('/api/config', { json: { talker: { token: 'topsecret-console-value' } } })
  await until('it has its settings', async () => (await service.plugin('faulty')).generation === 2)
  t.equal((await service.json('/api/faulty/go')).status, 200)

  const lines = service.log
    .filter((line) => line.includes('said '))
    .map((line) => JSON.parse(line) as { level: number | string; plugin: string; msg: string })
  for (const [text, level] of [
    ['said at the top', 30],
    ['said this { token: ', 30],
    ['Error: said that', 50],
    ['  said alone', 40],
  ] as const) {
    t.match(
      lines.find(({ msg }) => msg.includes(text)),
      { plugin: 'faulty', level },
      text,
    )
  }
  t.ok(
    service.log.some((line) => line.includes('┌')),
    'tables are drawn',
  )
  t.notMatch(service.log.join('\n'), 'topsecret-console-value')
  t.notMatch(JSON.stringify(direct.map(({ args }) => args())), 'said ', 'and nowhere else')
})

t.test('a plugin that fails five times within a minute is disabled', async (t) => {
  await using service = await startService({
    plugins: { faulty: faulty(`throw new Error('again')`), neighbour },
    watch: false,
  })
  for (let i = 0; i < 4; i += 1) await service.json('/api/faulty/go')
  t.equal((await service.plugin('faulty')).state, 'active')

  await service.json('/api/faulty/go')

  t.equal((await service.plugin('faulty')).state, 'quarantined')
  t.equal((await service.json('/api/neighbour')).status, 200)
})

t.test('hook taps that throw, reject or never end affect no other plugin', async (t) => {
  const tapper = (id: string, tap: string): FixturePlugin => ({
    files: {
      'index.ts': `import { definePlugin, RUNNING_OPERATIONS } from '@playhead/sdk'\nexport default definePlugin({ setup(ctx) { ${tap} } })`,
      [`${id}.md`]: '',
    },
  })
  await using service = await startService({
    plugins: {
      'tap-good': tapper(
        'tap-good',
        `ctx.tap(RUNNING_OPERATIONS, 'tap-good', () => [{ kind: 'run', id: '1', label: 'good' }])`,
      ),
      'tap-hang': tapper(
        'tap-hang',
        `ctx.tap(RUNNING_OPERATIONS, { name: 'tap-hang', timeoutMs: 50 }, () => new Promise(() => {}))`,
      ),
      'tap-reject': tapper(
        'tap-reject',
        `ctx.tap(RUNNING_OPERATIONS, 'tap-reject', async () => { throw new Error('tap rejected') })`,
      ),
      'tap-throw': tapper(
        'tap-throw',
        `ctx.tap(RUNNING_OPERATIONS, 'tap-throw', () => { throw new Error('tap threw') })`,
      ),
    },
    watch: false,
  })

  const answers = await service.host.callHook(RUNNING_OPERATIONS, {})

  t.same(answers, [[{ kind: 'run', id: '1', label: 'good' }]])
  t.match((await service.plugin('tap-throw')).last_error, {
    message: /hook runningOperations: tap threw/,
    file: 'index.ts',
    line: 2,
  })
  t.match((await service.plugin('tap-reject')).last_error, { message: /tap rejected/ })
  t.match((await service.plugin('tap-hang')).last_error, { code: 'PLH_HOOK_TIMEOUT' })
  t.equal((await service.plugin('tap-good')).last_error, null)
})

t.test('a release that throws or never ends is named, and the next version and the shutdown continue', async (t) => {
  const releasing: FixturePlugin = {
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ setup(ctx) {
  ctx.defer(() => ctx.streams.publish('releasing/order', { data: 'first' }))
  ctx.defer(() => { throw new Error('release boom') })
  ctx.defer(() => ctx.streams.publish('releasing/order', { data: 'last' }))
} })`,
    },
  }
  await using service = await startService({ plugins: { releasing }, watch: false })

  await service.host.reload('releasing')

  const plugin = await until('the failed release is reported', async () => {
    const plugin = await service.plugin('releasing')
    return plugin.stuck.length > 0 && plugin
  })
  t.equal(plugin.state, 'active')
  t.equal(plugin.generation, 2)
  t.match(plugin.stuck, [/generation 1/])
  t.same(
    service.streams.read('releasing/order').map(({ data }) => data),
    ['last', 'first'],
    'releases run last-in first-out, all of them',
  )
})

t.test('a release that never ends delays neither the next version nor the shutdown', async (t) => {
  const hanging: FixturePlugin = {
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup(ctx) { ctx.defer(() => new Promise(() => {})) } })`,
    },
  }
  const service = await startService({ plugins: { hanging, neighbour }, watch: false })

  await service.host.reload('hanging')

  t.match(await service.plugin('hanging'), { state: 'active', generation: 2, stuck: [] })
  t.equal((await service.json('/api/neighbour')).status, 200)
  await until('the hanging release is named', async () => (await service.plugin('hanging')).stuck.length > 0)
  t.equal((await service.plugin('hanging')).state, 'active')
  await service.host.disable('hanging')
  await until('off, but not whole', async () => (await service.plugin('hanging')).state === 'stuck')
  await t.resolves(service[Symbol.asyncDispose]())
})

t.test('a failing job, listener and capability call count against the failing plugin', async (t) => {
  const failing: FixturePlugin = {
    manifest: { provides: ['failing:thing'] },
    files: {
      'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({ setup(ctx) {
  ctx.every('1h', 'fail', () => { throw new Error('job boom') })
  ctx.events.on('poke.now', () => { throw new Error('listener boom') })
  ctx.provide(capability('failing:thing'), { fail: () => { throw new Error('call boom') } })
} })`,
    },
  }
  const asking: FixturePlugin = {
    manifest: { routes: [{ method: 'GET', path: '/api/ask' }] },
    files: {
      'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({ routes(app) {
  const thing = app.playhead.use(capability('failing:thing'))
  app.get('/api/ask', async () => ({ said: await thing.fail().catch((error) => error.message) }))
} })`,
    },
  }
  await using service = await startService({ plugins: { failing, asking, neighbour }, watch: false })
  const reported = (text: string) =>
    until(text, () =>
      service.streams
        .read('plugins')
        .some(
          ({ event, data }) => event === 'plugin.fault' && data.includes(text) && JSON.parse(data).id === 'failing',
        ),
    )

  await service.scheduler.trigger('failing', 'fail')
  await reported('job boom')
  service.events.emit('poke.now', {})
  await reported('listener boom')
  t.same((await service.json('/api/ask')).body, { said: 'call boom' }, 'the caller sees the failure and can go on')
  await reported('call boom')
  t.equal((await service.plugin('asking')).faults, 0)
  t.equal((await service.plugin('failing')).faults, 3)
})

t.test('clients that leave in the middle of a body, or break it, disable no plugin', async (t) => {
  const taking: FixturePlugin = {
    manifest: {
      routes: [
        { method: 'POST', path: '/api/take' },
        { method: 'POST', path: '/webhook/take', auth: 'W' },
      ],
    },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes(app) { for (const url of ['/api/take', '/webhook/take']) app.post(url, async (request) => ({ ok: true, body: request.body })) } })`,
    },
  }
  await using service = await startService({ plugins: { taking }, watch: false })
  const { hostname, port } = new URL(service.url)
  const halves = (path: string) => [
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"half":`,
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"hal\r\nzz\r\n`,
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"hal\r\n`,
  ]
  for (let round = 0; round < 4; round += 1) {
    for (const text of halves('/webhook/take')) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.destroy()))
        socket.on('close', () => resolve()).on('error', reject)
      })
    }
  }
  await service.json('/webhook/take', { json: { after: 'all' } })

  t.match(await service.plugin('taking'), { state: 'active', faults: 0, last_error: null })
  service.setCookie('')
  t.match(await service.json('/webhook/take', { json: { still: 'here' } }), {
    status: 200,
    body: { ok: true, body: { still: 'here' } },
  })
})

t.test('a time limit counts usable time, not time in which the machine stood still', async (t) => {
  const slow = (async () => {
    await sleep(30)
    return 'done'
  })()
  const limited = withTimeLimit(slow, 400, () => new Error('too late'))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  t.equal(await limited, 'done', 'the loop was away for longer than the limit')
  await t.rejects(
    withTimeLimit(new Promise(() => {}), 40, () => new Error('too late')),
    { message: 'too late' },
  )
})

t.test('code that spins for a second is named as the cause of the stall', async (t) => {
  const body = `const until = Date.now() + 1200; while (Date.now() < until) {} return {}`
  await using service = await startService({
    plugins: { faulty: faulty(body), neighbour },
    watch: false,
    host: { watchdog: true, stallMs: 300 },
  })
  await sleep(300)

  t.equal((await service.json('/api/faulty/go')).status, 200)

  const plugin = await until('the stall is attributed', async () => {
    const plugin = await service.plugin('faulty')
    return plugin.faults > 0 && plugin
  })
  t.match(plugin.last_error.message, /held the event loop for \d+ ms/)
  t.equal((await service.json('/api/neighbour')).status, 200)
})

t.test('declared hosts can be reached, others are refused before a connection', async (t) => {
  let connections = 0
  const upstream = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1')
  upstream.on('connection', () => {
    connections += 1
  })
  t.teardown(() => upstream.close())
  await new Promise((resolve) => upstream.once('listening', resolve))
  const { port } = upstream.address() as AddressInfo
  const body = `return { status: (await ctx.upstream.account({ account: 'A', baseUrl: 'http://127.0.0.1:${port}' }).request({ path: '/' })).status }`

  await using service = await startService({
    plugins: { faulty: faulty(body, { needs: { hosts: [`127.0.0.1:${port}`] } }) },
    watch: false,
  })
  t.match(await service.json('/api/faulty/go'), { status: 200, body: { status: 200 } })
  t.equal(connections, 1)

  await service.writePlugin('faulty', faulty(body, { needs: { hosts: ['example.org'] } }))
  await service.host.reload('faulty')
  t.match(await service.json('/api/faulty/go'), { status: 502, body: { ok: false, error: 'host_not_allowed' } })
  t.equal(connections, 1, 'nothing was sent')
})

t.test('a webhook of a plugin that is off still gets the answer in its manifest', async (t) => {
  const hook: FixturePlugin = {
    manifest: {
      routes: [
        {
          method: 'POST',
          path: '/webhook/thing',
          auth: 'W',
          whenDown: { status: 200, body: { ok: false, ignored: true } },
        },
      ],
    },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes(app) { app.post('/webhook/thing', () => ({ ok: true })) } })`,
    },
  }
  await using service = await startService({ plugins: { hook }, watch: false })
  service.setCookie('')
  t.same((await service.json('/webhook/thing', { json: {} })).body, { ok: true })

  await service.host.disable('hook')

  t.match(await service.json('/webhook/thing', { json: { any: 'thing' } }), {
    status: 200,
    body: { ok: false, ignored: true },
  })
})
