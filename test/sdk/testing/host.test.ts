import { readdir } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import {
  definePlugin,
  PlayheadError,
  Type,
  type DefinedPlugin,
  type Migration,
  type OwnDatabase,
  type PluginManifest,
  PROFILE_USAGE,
  capability,
  providerCapability,
  CONFIG_BACKUP,
  hook,
  PROVIDERS,
  type JobHandle,
} from '@playhead/sdk'
import { createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'

const MANIFEST: PluginManifest = { id: 'hello', name: 'Hello', version: '1.0.0', api: '^1.0.0', kind: 'service' }

const greeter = definePlugin({
  config: Type.Object({ greeting: Type.String({ default: 'hello', minLength: 2 }) }),
  routes(app) {
    app.get('/api/hello', () => ({ ok: true, text: app.playhead.config.greeting }))
  },
})

t.test('a plugin runs in a few lines, with the defaults of its settings', async (t) => {
  await using host = await createTestHost({
    plugin: greeter,
    manifest: { ...MANIFEST, routes: [{ method: 'GET', path: '/api/hello' }] },
  })

  const answer = await host.inject('/api/hello')

  t.strictSame(answer.json(), { ok: true, text: 'hello' })
  t.ok(Object.isFrozen(host.ctx.config))
})

t.test('invalid settings without a default are refused, and nothing remains', async (t) => {
  const plugin = definePlugin({ config: Type.Object({ server: Type.String({ minLength: 2 }) }) })
  // A separate folder for temporary files, because other test files use the common one at the same time.
  const temporary = t.testdir()
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = temporary
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  })
  await t.rejects(createTestHost({ plugin, config: { server: '' } }), { code: 'PLH_CONFIG_INVALID', message: /server/ })
  t.strictSame(await readdir(temporary), [])
  await using host = await createTestHost({ plugin: greeter, config: { greeting: '' } })
  t.strictSame((await host.inject('/api/hello')).json(), { ok: true, text: 'hello' }, 'what has one takes it')
})

const refusals: readonly (readonly [name: string, code: string, plugin: DefinedPlugin, manifest: PluginManifest])[] = [
  ['registers a route that is not declared', 'PLH_PLUGIN_ROUTE_UNDECLARED', greeter, MANIFEST],
  [
    'declares a route that it does not register',
    'PLH_PLUGIN_MANIFEST',
    definePlugin({}),
    { ...MANIFEST, routes: [{ method: 'GET', path: '/api/hello' }] },
  ],
  [
    'inspects the service without saying so',
    'PLH_PLUGIN_UNDECLARED',
    definePlugin({ setup: (ctx) => void ctx.inspect() }),
    MANIFEST,
  ],
  [
    'provides what is not declared',
    'PLH_PLUGIN_UNDECLARED',
    definePlugin({ setup: (ctx) => ctx.provide(capability('exporter:csv'), {}) }),
    MANIFEST,
  ],
  [
    'declares what it does not provide',
    'PLH_CAPABILITY_MISSING',
    definePlugin({}),
    { ...MANIFEST, provides: ['exporter:csv'] },
  ],
  [
    'logs to a channel that is not declared',
    'PLH_PLUGIN_UNDECLARED',
    definePlugin({ setup: (ctx) => ctx.log.channel('WATCH').info('x') }),
    MANIFEST,
  ],
  [
    'taps a hook as another kind',
    'PLH_HOOK_UNKNOWN',
    definePlugin({ setup: (ctx) => ctx.tap(hook.bail('configSaved'), 'x', () => {}) }),
    MANIFEST,
  ],
  [
    'registers two jobs of one name',
    'PLH_CONFLICT',
    definePlugin({
      setup(ctx) {
        ctx.every('1h', 'a', () => {})
        ctx.every('2h', 'a', () => {})
      },
    }),
    MANIFEST,
  ],
  [
    'registers a job at no time',
    'PLH_INVALID',
    definePlugin({ setup: (ctx) => ctx.cron('every tuesday', 'a', () => {}) }),
    MANIFEST,
  ],
  [
    'makes tables of another name',
    'PLH_FORBIDDEN',
    definePlugin({
      migrations: [
        { name: '1', up: async (db) => db.schema.createTable('other').addColumn('id', 'integer').execute() },
      ],
    }),
    MANIFEST,
  ],
  [
    'fails its own check',
    'PLH_CONFLICT',
    definePlugin({
      selfCheck: () => {
        throw new PlayheadError('PLH_CONFLICT', 'no')
      },
    }),
    MANIFEST,
  ],
  ['has a manifest for another SDK', 'PLH_PLUGIN_API_RANGE', definePlugin({}), { ...MANIFEST, api: '^99.0.0' }],
  ['has a manifest with a mistake', 'PLH_PLUGIN_MANIFEST', definePlugin({}), { ...MANIFEST, id: 'Not An Id' }],
  [
    'has a webhook in the wrong place',
    'PLH_PLUGIN_MANIFEST',
    definePlugin({}),
    { ...MANIFEST, routes: [{ method: 'POST', path: '/api/hook', auth: 'W' }] },
  ],
]
for (const [name, code, plugin, manifest] of refusals) {
  t.test(`a plugin that ${name} is refused with ${code}`, async (t) => {
    await t.rejects(createTestHost({ plugin, manifest }), { code })
  })
}

t.test('without a manifest nothing has to be declared', async (t) => {
  await using host = await createTestHost({
    plugin: definePlugin({
      setup(ctx) {
        ctx.provide(capability('exporter:csv'), { name: () => 'csv' })
        ctx.log.channel('WATCH').info({ a: 1 }, 'seen')
      },
      routes: (app) => void app.get('/anything', () => 'yes'),
    }),
  })

  t.equal((await host.inject('/anything')).body, 'yes')
  t.equal(await host.capability<{ name(): string }>(capability('exporter:csv')).name(), 'csv')
  t.match(host.logs, [{ level: 'info', channel: 'WATCH', fields: { a: 1 }, text: 'seen' }])
})

t.test('responses have the same bodies as in the host', async (t) => {
  await using host = await createTestHost({
    plugin: definePlugin({
      routes(app) {
        app.get(
          '/typed',
          { schema: { querystring: Type.Object({ limit: Type.Integer() }) } },
          (request) => request.query,
        )
        app.post('/body', { schema: { body: Type.Object({ count: Type.Integer() }) } }, (request) => request.body)
        app.get('/limited', () => {
          throw new PlayheadError('PLH_RATE_LIMITED', 'wait', { retryAfterMs: 1_500, details: { account: 'A' } })
        })
        app.get('/broken', () => {
          throw new Error('internal text')
        })
        app.get(
          '/who',
          (request) =>
            (request as { caller?: { session?: { username?: string } | null } }).caller?.session?.username ?? 'nobody',
        )
      },
    }),
  })

  t.strictSame((await host.inject('/typed?limit=5')).json(), { limit: 5 })
  const invalid = await host.inject('/typed?limit=x')
  t.equal(invalid.statusCode, 422)
  t.match(invalid.json(), { detail: [{ loc: ['query', 'limit'], msg: String, type: String }] })
  t.match((await host.inject({ method: 'POST', url: '/body', payload: {} })).json(), {
    detail: [{ loc: ['body', 'count'], type: 'missing' }],
  })
  t.equal(
    (await host.inject({ method: 'POST', url: '/body', payload: { count: '5' } })).statusCode,
    422,
    'a body means what it says',
  )
  const limited = await host.inject('/limited')
  t.match(
    [limited.statusCode, limited.headers['retry-after'], limited.json()],
    [429, '2', { ok: false, error: 'rate_limited', detail: 'wait', account: 'A' }],
  )
  const broken = await host.inject('/broken')
  t.match([broken.statusCode, broken.json()], [500, { ok: false, error: 'internal' }])
  t.notMatch(broken.body, 'internal text')
  t.match(host.failures, [{ what: 'a request', error: { message: 'internal text' } }])
  t.equal((await host.inject('/nowhere')).statusCode, 404)
  t.equal((await host.inject('/who')).body, 'tester')
  t.equal((await host.inject('/who', { session: null })).body, 'nobody')
})

const POLISH = hook.waterfall<string>('polish')
const DECIDE = hook.bail<number, string>('decide')

t.test('hooks work together by their kind, and a failing tap is contained', async (t) => {
  await using host = await createTestHost({
    hooks: [POLISH, PROFILE_USAGE],
    plugin: definePlugin({
      hooks: [DECIDE],
      setup(ctx) {
        ctx.tap(PROFILE_USAGE, 'mine', () => [{ feature: 'history', label: 'Mine', enabled: true }])
        ctx.tap(CONFIG_BACKUP, { name: 'mine', stage: 10 }, async () => ({ path: '/second' }))
        ctx.tap(POLISH, 'mine', (input) => `${input}!`)
        ctx.tap(POLISH, 'mine', () => {
          throw new Error('oops')
        })
      },
      routes: (app) => void app.get('/decide', async () => app.playhead.callHook(DECIDE, 1)),
    }),
  })
  await host.tap(CONFIG_BACKUP, () => ({ path: '/first' }))
  await host.tap(DECIDE, () => 'decided')

  t.strictSame(await host.callHook(PROFILE_USAGE, { provider: 'A', instance: 'default' }), [
    [{ feature: 'history', label: 'Mine', enabled: true }],
  ])
  t.strictSame(await host.callHook(CONFIG_BACKUP, { label: 'x', scope: 'config_only' }), { path: '/first' })
  t.equal(await host.callHook(POLISH, 'text'), 'text!')
  t.match(host.failures, [{ what: 'hook polish', error: { message: 'oops' } }])
  t.equal((await host.inject('/decide')).body, 'decided')
})

t.test('events reach listeners in order, and a failing listener is contained', async (t) => {
  const seen: string[] = []
  await using host = await createTestHost({
    plugin: definePlugin({
      setup(ctx) {
        ctx.events.on('run.*', async (event) => {
          await new Promise((resolve) => setImmediate(resolve))
          seen.push(`${event.name} from ${event.source}`)
          if (event.name === 'run.started') ctx.events.emit('hello.seen', { id: event.id })
          throw new Error('listener')
        })
      },
    }),
  })

  host.events.emit('run.started', { id: 'r1' })
  host.events.emit('run.finished', { id: 'r1' })
  host.events.emit('other.thing', {})
  t.strictSame(seen, [], 'listeners run after the emitter')
  await host.events.settled()

  t.strictSame(seen, ['run.started from test', 'run.finished from test'])
  t.match(host.events.recent({ name: 'hello.*' }), [{ name: 'hello.seen', source: 'tested' }])
  t.equal(host.failures.length, 2)
  t.throws(() => host.events.emit('not a name', {}), { code: 'PLH_INVALID' })
})

t.test('jobs run when the test says so, and never concurrently', async (t) => {
  const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const clock = createTestClock()
  await using host = await createTestHost({
    clock,
    plugin: definePlugin({
      setup(ctx) {
        ctx.every('6h', 'slow', () => {
          begun.resolve()
          return finished.promise
        })
        ctx.cron(
          '30 3 * * *',
          'failing',
          () => {
            throw new PlayheadError('PLH_UPSTREAM', 'down')
          },
          { timeZone: 'UTC' },
        )
        ctx.after(1_000, async () => void (await ctx.store.set('after', true)))
      },
    }),
  })

  t.equal(host.jobs().find(({ name }) => name === 'slow')?.nextAtMs, clock.now() + 6 * 3_600_000)
  t.equal(host.jobs().find(({ name }) => name === 'failing')?.nextAtMs, Date.UTC(2026, 0, 16, 3, 30))
  const run = host.runJob('slow')
  await begun.promise
  await t.rejects(host.runJob('slow'), { code: 'PLH_CONFLICT' })
  finished.resolve()
  await run
  await t.rejects(host.runJob('failing'), { code: 'PLH_UPSTREAM' })
  await t.rejects(host.runJob('unknown'), { code: 'PLH_NOT_FOUND', message: /slow, failing/ })
  await host.runDelayed()

  t.match(host.jobs(), [
    { name: 'slow', lastOutcome: 'done', running: false },
    { name: 'failing', lastOutcome: 'failed' },
  ])
  t.equal(await host.store.get('after'), true)
})

t.test('the time of a job is set by its handle', async (t) => {
  const clock = createTestClock()
  let set: JobHandle['set'] = () => {}
  await using host = await createTestHost({
    clock,
    plugin: definePlugin({
      setup(ctx) {
        const wake = ctx.schedule('wake', () => wake.set({ every: '1h' }))
        set = wake.set
      },
    }),
  })
  t.match(host.jobs(), [{ name: 'wake', nextAtMs: null }])
  set({ at: clock.now() + 5_000 })
  await nextTurn()
  t.match(host.jobs(), [{ nextAtMs: clock.now() + 5_000 }])
  t.throws(() => set({ every: 'often' }), { code: 'PLH_INVALID' })
  await host.runJob('wake')
  t.match(host.jobs(), [{ nextAtMs: clock.now() + 3_600_000, lastOutcome: 'done' }])
  set(null)
  await nextTurn()
  t.match(host.jobs(), [{ nextAtMs: null }])
})

t.test('a job is notified that the host closes', async (t) => {
  const begun = Promise.withResolvers<void>()
  const host = await createTestHost({
    plugin: definePlugin({
      setup: (ctx) =>
        ctx.every('1h', 'long', (signal) => {
          begun.resolve()
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          )
        }),
    }),
  })
  const run = host.runJob('long')
  const failed = t.rejects(run, { code: 'PLH_ABORTED' })
  await begun.promise
  await host.close()
  await failed
})

t.test('the store keeps JSON, expires by the clock and has a quota', async (t) => {
  const clock = createTestClock()
  await using host = await createTestHost({
    plugin: definePlugin({}),
    clock,
    manifest: { ...MANIFEST, needs: { storage: 100 } },
  })
  const { store } = host.ctx

  await store.set('a', { list: [1] }, 1_000)
  await store.set('b', 'kept')
  t.strictSame(await Array.fromAsync(store.entries()), [
    ['a', { list: [1] }],
    ['b', 'kept'],
  ])
  clock.advance(1_000)
  t.equal(await store.get('a'), undefined)
  t.equal(await store.has('b'), true)
  await t.rejects(store.set('c', 'x'.repeat(100)), { code: 'PLH_QUOTA' })
  await t.rejects(store.set('c', undefined), TypeError)
  t.equal(await store.delete('b'), true)
  t.equal(await store.delete('b'), false)
})

t.test("tables are created by the plugin's migrations, once each", async (t) => {
  const first = {
    name: '001',
    up: async (db: import('kysely').Kysely<any>) =>
      db.schema.createTable('tested__seen').addColumn('id', 'integer').execute(),
  }
  const second = {
    name: '002',
    up: async (db: import('kysely').Kysely<any>) =>
      db.schema.alterTable('tested__seen').addColumn('title', 'text').execute(),
  }
  await using host = await createTestHost({ plugin: definePlugin({ migrations: [first] }) })
  await host.db.insertInto('tested__seen').values({ id: 1 }).execute()

  await host.reload(definePlugin({ migrations: [first, second] }))

  t.same(await host.db.selectFrom('tested__seen').selectAll().execute(), [{ id: 1, title: null }])
  await t.rejects(host.reload(definePlugin({ migrations: [second] })), { code: 'PLH_CONFLICT' })
  t.equal(host.ctx.generation, 2, 'the old generation stays')
})

t.test("a plugin's own database is a file with real threads, which the next version reopens", async (t) => {
  const migrations: Migration[] = [
    { name: 'rows', up: (db) => db.schema.createTable('rows').addColumn('n', 'integer').execute() },
  ]
  const plugin = definePlugin<never, { archive: Promise<OwnDatabase> }>({
    services: { archive: ({ openDatabase }) => openDatabase('archive', { migrations }) },
  })
  await using host = await createTestHost({ plugin, manifest: { ...MANIFEST, needs: { database: true } } })
  type Services = { readonly archive: Promise<OwnDatabase> }
  const archive = () => (host.ctx.services as Services).archive
  const first = await archive()
  t.equal(await first.insertMany('insert into rows values (?)', [[1], [2]]), 2)

  await host.reload()

  await t.rejects(first.db.selectFrom('rows').selectAll().execute(), { code: 'PLH_PLUGIN_DISPOSED' })
  t.same(await (await archive()).reader.selectFrom('rows').selectAll().execute(), [{ n: 1 }, { n: 2 }])
  t.same(host.failures, [])
  await using undeclared = await createTestHost({ plugin, manifest: MANIFEST })
  await t.rejects((undeclared.ctx.services as Services).archive, { code: 'PLH_PLUGIN_UNDECLARED' })
})

t.test('files stay in their folders', async (t) => {
  await using host = await createTestHost({
    plugin: definePlugin({}),
    manifest: { ...MANIFEST, needs: { files: ['exports'], listFiles: true } },
  })
  const { files } = host.ctx

  await files.write('a/b.txt', 'one')
  await files.shared('exports').writeStream(
    'out.csv',
    (async function* () {
      yield 'x,'
      yield Buffer.from('y')
    })(),
  )
  t.equal((await files.read('a/b.txt')).toString(), 'one')
  t.equal((await Array.fromAsync(await files.shared('exports').readStream('out.csv'))).join(''), 'x,y')
  t.strictSame(await files.list(), [{ name: 'a', isDir: true }])
  t.strictSame(await files.listShared('exports'), [{ name: 'out.csv', isDir: false, size: 3 }])
  t.match(await files.stat('a/b.txt'), { isDir: false, size: 3 })
  t.equal(await files.stat('a/none'), undefined)
  for (const path of ['../x', '/etc/passwd', 'a/../../x', 'a\\b', 'C:x'])
    await t.rejects(files.write(path, ''), { code: 'PLH_FORBIDDEN' }, path)
  await t.rejects(files.read('none'), { code: 'PLH_NOT_FOUND' })
  t.throws(() => files.shared('backups'), { code: 'PLH_PLUGIN_UNDECLARED' })
  t.equal(await files.remove('a'), true)
  t.equal(await files.remove('a'), false)
})

t.test('streams keep messages, and a subscriber receives them', async (t) => {
  await using host = await createTestHost({
    plugin: definePlugin({
      setup(ctx) {
        ctx.streams.publish('tested/run', { event: 'progress', data: 'one\ntwo' })
        ctx.streams.publish('tested/run', { data: 'three' })
      },
      routes: (app) =>
        void app.get('/stream', (request, reply) =>
          app.playhead.streams.open(request, reply, { topics: ['tested/run'] }),
        ),
    }),
  })

  const [first, second] = host.streams.read('tested/run').map(({ id }) => id)
  t.equal(
    (await host.inject('/stream')).body,
    `id: ${first}\nevent: progress\ndata: one\ndata: two\n\nid: ${second}\ndata: three\n\n`,
  )
  t.equal(
    (await host.inject({ url: '/stream', headers: { 'last-event-id': String(first) } })).body,
    `id: ${second}\ndata: three\n\n`,
  )
  t.match(host.streams.read('tested/run', { tail: 1 }), [{ data: 'three' }])
  t.throws(() => host.ctx.streams.publish('other/run', { data: '' }), { code: 'PLH_PLUGIN_UNDECLARED' })
})

t.test('capabilities are looked up at each use', async (t) => {
  interface Items {
    list(): string[]
    walk(): AsyncIterable<number>
    fail(): void
    readonly label: string
  }
  const items: Items = {
    label: 'first',
    list: () => ['a'],
    async *walk() {
      yield 1
      yield 2
    },
    fail() {
      throw new PlayheadError('PLH_UPSTREAM', 'down')
    },
  }
  await using host = await createTestHost({ plugin: definePlugin({}), capabilities: { 'provider:A': items } })
  const remote = host.ctx.use(capability<Items>('provider:A'))

  t.strictSame(await remote.list(), ['a'])
  t.strictSame(await Array.fromAsync(remote.walk()), [1, 2])
  t.equal(remote.label, 'first')
  await t.rejects(remote.fail(), { code: 'PLH_UPSTREAM' })
  await host.provide(providerCapability('A'), { ...items, list: () => ['b'] })
  t.strictSame(await remote.list(), ['b'])
  t.strictSame(
    host.ctx.capabilities(PROVIDERS).map(({ token }) => token),
    ['provider:A'],
  )
  await host.provide(providerCapability('A'), undefined)
  await t.rejects(async () => remote.list(), { code: 'PLH_CAPABILITY_GONE' })
})

t.test('services are built on first use and released in reverse order, even if one of them fails to', async (t) => {
  const order: string[] = []
  const service = (name: string) => ({
    async [Symbol.asyncDispose]() {
      order.push(`-${name}`)
      if (name === 'b') throw new Error('stuck')
    },
  })
  const plugin = definePlugin<ReturnType<typeof Type.Object>, { a: object; b: object; unused: object }>({
    services: {
      a: () => {
        order.push('a')
        return service('a')
      },
      b: ({ a }) => {
        order.push('b')
        return { ...service('b'), a }
      },
      unused: () => {
        order.push('unused')
        return {}
      },
    },
    setup(ctx) {
      ctx.defer(() => void order.push('-deferred'))
      t.ok(ctx.services.b)
      t.equal(ctx.services.b, ctx.services.b)
    },
  })
  const host = await createTestHost({ plugin })
  await host.close()

  t.strictSame(order, ['a', 'b', '-b', '-a', '-deferred'])
  t.match(host.failures, [{ what: 'service b' }])
})

t.test('services in a dependency cycle, or with a name of the host, are refused', async (t) => {
  const circle = definePlugin<ReturnType<typeof Type.Object>, { a: object; b: object }>({
    services: { a: ({ b }) => b, b: ({ a }) => a },
    setup: (ctx) => void ctx.services.a,
  })
  await t.rejects(createTestHost({ plugin: circle }), /a -> b -> a/)
  await t.rejects(
    createTestHost({
      plugin: definePlugin<ReturnType<typeof Type.Object>, { log: object }>({ services: { log: () => ({}) } } as never),
    }),
    /name of something that the host provides/,
  )
})

t.test('a plugin handles changed settings itself, or is reloaded', async (t) => {
  const config = Type.Object({
    level: Type.Integer({ default: 1 }),
    deep: Type.Object({ a: Type.Integer({ default: 1 }), b: Type.Integer({ default: 2 }) }),
  })
  const seen: unknown[] = []
  await using handling = await createTestHost({
    plugin: definePlugin({ config, setup: (ctx) => ctx.onConfigChange((value) => void seen.push(value)) }),
  })
  await using reloading = await createTestHost({ plugin: definePlugin({ config }) })

  await handling.changeConfig({ deep: { a: 7 } })
  await handling.ctx.updateConfig({ level: 2 })
  await handling.ctx.updateConfig(({ level }) => ({ level: Number(level) + 1 }))
  await reloading.changeConfig({ level: 5 })

  t.strictSame(seen, [{ level: 1, deep: { a: 7, b: 2 } }], 'its own changes it knows')
  t.strictSame(handling.ctx.config, { level: 3, deep: { a: 7, b: 2 } })
  t.equal(handling.ctx.generation, 1)
  t.equal(reloading.ctx.generation, 2)
  t.equal((reloading.ctx.config as { level: number }).level, 5)
  await t.rejects(reloading.changeConfig({ level: 'high' }), { code: 'PLH_CONFIG_INVALID' })
  t.equal((reloading.ctx.config as { level: number }).level, 5)
})

t.test("a reload keeps stored data and hands over the plugin's state", async (t) => {
  const plugin = definePlugin<ReturnType<typeof Type.Object>, { counter: { value: number } }>({
    services: { counter: () => ({ value: 0 }) },
    handover: {
      give: (ctx) => ctx.services.counter.value,
      take: (ctx, value) => {
        ctx.services.counter.value = value as number
      },
    },
    routes: (app) => void app.get('/count', () => ({ count: ++app.playhead.services.counter.value })),
  })
  await using host = await createTestHost({ plugin })
  await host.inject('/count')
  await host.store.set('kept', 1)

  await host.reload()

  t.equal(host.ctx.generation, 2)
  t.strictSame((await host.inject('/count')).json(), { count: 2 })
  t.equal(await host.store.get('kept'), 1)
})

t.test('nothing can be registered after the plugin is live', async (t) => {
  await using host = await createTestHost({ plugin: definePlugin({}) })
  t.throws(() => host.ctx.provide(capability('exporter:csv'), {}), { code: 'PLH_PLUGIN_UNDECLARED' })
  t.throws(() => host.ctx.every('1h', 'late', () => {}), { code: 'PLH_PLUGIN_UNDECLARED' })
  t.throws(() => host.ctx.events.on('*', () => {}), { code: 'PLH_PLUGIN_UNDECLARED' })
})

t.test('third parties are reached through the real client, and its waits are instant', async (t) => {
  const clock = createTestClock()
  await using server = await startServer(({ index }) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '15' } } : { json: { name: 'Ann' } },
  )
  const plugin = definePlugin({
    config: Type.Object({ server: Type.String() }),
    routes(app) {
      const account = app.playhead.upstream.account({ account: 'A@default', baseUrl: app.playhead.config.server })
      app.get('/me', async () => account.json({ path: 'me' }, Type.Object({ name: Type.String() })))
    },
  })
  const manifest: PluginManifest = {
    ...MANIFEST,
    routes: [{ method: 'GET', path: '/me' }],
    needs: { hosts: ['config:server'] },
  }
  const before = clock.now()
  await using host = await createTestHost({ plugin, manifest, clock, config: { server: server.url } })
  await using barred = await createTestHost({
    plugin,
    manifest: { ...manifest, needs: {} },
    config: { server: server.url },
  })

  t.strictSame((await host.inject('/me')).json(), { name: 'Ann' })
  t.equal(clock.now() - before, 15_000)
  t.match(host.upstream('A@default'), { requests: 1, retries: 1 })
  t.match((await barred.inject('/me')).json(), { ok: false, error: 'host_not_allowed' })
  t.equal(server.requests.length, 2)
})

t.test("assets come from the plugin's folder only", async (t) => {
  const dir = t.testdir({ 'plugin.json': JSON.stringify(MANIFEST), 'page.html': '<p>', 'index.ts': '' })
  await using host = await createTestHost({ plugin: definePlugin({}), manifest: `${dir}/plugin.json` })
  t.equal((await host.ctx.assets.read('page.html')).toString(), '<p>')
  t.throws(() => host.ctx.assets.path('../x'), { code: 'PLH_FORBIDDEN' })
})
