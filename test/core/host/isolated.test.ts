// slow: real threads, disks and waits
// Plugins with their own thread: every feature works there, and a plugin that hangs, runs out of memory or throws outside a
// call ends alone.
import t from 'tap'
import { startService, until } from '../../harness.ts'

const WHOLE = `import { clientSignal, definePlugin, capability, hook, PlayheadError, readUploads, Type } from '@playhead/sdk'

const SIMPLE = capability('simple')
const ASKED = hook.collect('asked')

export default definePlugin({
  config: Type.Object({ greeting: Type.String({ default: 'hello' }), count: Type.Integer({ default: 0 }), key: Type.Optional(Type.String({ secret: true })) }),
  hooks: [ASKED],
  normalizeConfig: (section) => ({ ...section, greeting: section.greeting.trim() }),
  migrations: [{ name: 'things', up: (db) => db.schema.createTable('whole__things').addColumn('name', 'text').execute().then(() => {}) }],
  services: { adder: ({ log }) => ({ add: (a, b) => a + b }) },
  setup(ctx) {
    const state = { events: [], configs: [], job: 0, left: 0 }
    ctx.provide(SIMPLE, {
      label: 'a simple one',
      double: (value) => value * 2,
      async *count(until, { signal } = {}) { for (let n = 0; n < until && !signal?.aborted; n += 1) yield n },
      fail: () => { throw new PlayheadError('PLH_RATE_LIMITED', 'slowly', { retryAfterMs: 1234, details: { left: 0 } }) },
      state: () => state,
    })
    ctx.tap(ASKED, 'self', ({ what }) => what + '?')
    ctx.events.on('test.*', (event) => void state.events.push(event.data))
    ctx.onConfigChange((config) => void state.configs.push(config.greeting))
    ctx.every('1h', 'hourly', () => void (state.job += 1))
    const wake = ctx.schedule('wake', (_signal, { due }) => {
      state.job += 100
      state.due = due.map(({ name }) => name)
      wake.set(null)
    })
    state.wake = () => {
      wake.set({ times: { soon: { every: '1s' }, later: { every: '1h', from: 'midnight', timeZone: 'UTC' } } })
      return wake.next()
    }
    ctx.defer(() => ctx.log.info('released'))
    ctx.log.info({ greeting: ctx.config.greeting }, 'set up')
    globalThis.state = state
  },
  routes(app) {
    const ctx = app.playhead
    readUploads(app)
    app.get('/api/whole', (request) => ({ greeting: ctx.config.greeting, sum: ctx.services.adder.add(1, 2), user: request.caller.session?.username ?? null }))
    app.post('/api/whole/echo', { schema: { body: Type.Object({ n: Type.Integer() }), response: { 200: Type.Object({ n: Type.Integer() }) } } }, (request) => ({ n: request.body.n + 1 }))
    app.get('/api/whole/use', async () => {
      const simple = ctx.use(SIMPLE)
      const counted = []
      for await (const n of simple.count(5)) counted.push(n)
      return { doubled: await simple.double(21), counted, label: simple.label, tokens: ctx.capabilities({ prefix: 'simp', of: (name) => ({ token: 'simp' + name }) }).map(({ token }) => token) }
    })
    app.get('/api/whole/store', async () => {
      await ctx.store.set('a', { b: 1 })
      await ctx.db.insertInto('whole__things').values({ name: 'one' }).execute()
      await ctx.files.write('note.txt', 'kept')
      return { a: await ctx.store.get('a'), rows: (await ctx.db.selectFrom('whole__things').selectAll().execute()).length, note: String(await ctx.files.read('note.txt')) }
    })
    app.get('/api/whole/settings', async () => {
      await Promise.all([1, 2, 3].map(() => ctx.updateConfig((stored) => ({ count: (stored.count ?? 0) + 1 }))))
      return { count: ctx.config.count }
    })
    app.get('/api/whole/emit', () => { ctx.events.emit('test.said', { n: 1 }); return { recent: ctx.events.recent({ name: 'test.said' }).length, plugins: ctx.host.plugins().map(({ id }) => id) } })
    app.get('/api/whole/hook', async () => ({ answers: await ctx.callHook(ASKED, { what: 'who' }) }))
    app.get('/api/whole/state', () => ({ ...globalThis.state, jobs: ctx.jobs().map(({ name }) => name), redacted: ctx.host.redact('the key is ' + ctx.config.key) }))
    app.get('/api/whole/wake', async () => ({ next: (await globalThis.state.wake()).map(({ name }) => name) }))
    app.get('/api/whole/fails', () => { throw new PlayheadError('PLH_NOT_FOUND', 'There is no such thing.', { wire: 'thing_not_found' }) })
    app.get('/api/whole/bug', () => { throw new Error('a bug') })
    app.get('/api/whole/stream', (request, reply) => ctx.streams.open(request, reply, { topics: ['whole/news'], tail: 5 }))
    app.get('/api/whole/publish', () => { ctx.streams.publish('whole/news', { data: 'extra' }); return {} })
    app.get('/api/whole/large', (_request, reply) => reply.type('text/plain').send('x'.repeat(3_000_000)))
    app.get('/api/whole/slow', async (request) => {
      const signal = clientSignal(request)
      await new Promise((resolve) => { signal.addEventListener('abort', resolve); setTimeout(resolve, 20_000) })
      globalThis.state.left += signal.aborted ? 1 : 0
      return {}
    })
    app.get('/api/whole/headers', ({ headers }) => ({ cookie: headers.cookie ?? null, authorization: headers.authorization ?? null }))
    app.get('/api/whole/work', () => { using hold = ctx.work.begin({ kind: 'maintenance', label: 'a test', exclusive: true }); return { now: ctx.work.current().map(({ label }) => label) } })
  },
})
`
const ROUTES = [
  '',
  '/use',
  '/store',
  '/settings',
  '/emit',
  '/hook',
  '/state',
  '/wake',
  '/fails',
  '/bug',
  '/stream',
  '/publish',
  '/large',
  '/slow',
  '/work',
  '/headers',
]

const whole = {
  manifest: {
    isolation: 'thread',
    provides: ['simple'],
    routes: [
      ...ROUTES.map((path) => ({ method: 'GET', path: `/api/whole${path}` })),
      { method: 'POST', path: '/api/whole/echo' },
    ],
  },
  files: { 'index.ts': WHOLE },
}
const USER = `import { definePlugin, capability } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const simple = () => app.playhead.use(capability('simple'))
    app.get('/api/user', async () => {
      const counted = []
      for await (const n of simple().count(3)) counted.push(n)
      const failed = await simple().fail().catch(({ code, retryAfterMs, details }) => ({ code, retryAfterMs, details }))
      return { doubled: await simple().double(4), counted, failed, label: simple().label }
    })
  },
})
`

t.test('every feature of a plugin works on its own thread', async (t) => {
  await using service = await startService({
    plugins: {
      whole,
      user: { manifest: { routes: [{ method: 'GET', path: '/api/user' }] }, files: { 'index.ts': USER } },
    },
  })
  const get = async (path: string) => (await service.json(`/api/whole${path}`)).body
  t.same(await get(''), { greeting: 'hello', sum: 3, user: 'ada' })
  t.same((await service.json('/api/whole/echo', { json: { n: 1 } })).body, { n: 2 })
  const wrong = await service.json('/api/whole/echo', { json: { n: 'x' } })
  t.match([wrong.status, wrong.body], [422, { detail: [{ loc: ['body', 'n'] }] }])
  t.same(await get('/use'), { doubled: 42, counted: [0, 1, 2, 3, 4], label: 'a simple one', tokens: ['simple'] })
  t.same((await service.json('/api/user')).body, {
    doubled: 8,
    counted: [0, 1, 2],
    failed: { code: 'PLH_RATE_LIMITED', retryAfterMs: 1234, details: { left: 0 } },
    label: 'a simple one',
  })
  t.same(await get('/store'), { a: { b: 1 }, rows: 1, note: 'kept' })
  t.same(await get('/settings'), { count: 3 })
  t.match(await get('/emit'), { plugins: ['user', 'whole'] })
  t.same(await get('/hook'), { answers: ['who?'] })
  t.same(await get('/wake'), { next: ['soon', 'later'] })
  await service.json('/api/config', { json: { plugins: { whole: { greeting: '  hi ', key: 'a-secret-key' } } } })
  await until('events, settings and the job arrive', async () => {
    const { events, configs, job } = await get('/state')
    return events.length === 1 && configs.includes('hi') && job === 100
  })
  t.match(await get('/state'), { due: ['soon'], jobs: ['hourly', 'wake'], redacted: /the key is (?!a-secret-key)/ })
  t.match(await service.json('/api/whole/fails'), { status: 404, body: { error: 'thing_not_found' } })
  t.equal((await service.json('/api/whole/bug')).status, 500)
  t.equal((await (await service.call('/api/whole/large')).text()).length, 3_000_000)
  t.same(await get('/work'), { now: ['a test'] })

  // The identity of the caller, without its credentials.
  const headersWith = async (headers: Record<string, string>) =>
    (await service.json('/api/whole/headers', { headers })).body
  t.same(await get('/headers'), { cookie: null, authorization: null })
  t.same(await headersWith({ cookie: `theme=dark; ${service.cookie()}; b=2`, authorization: 'Basic own' }), {
    cookie: 'theme=dark; b=2',
    authorization: 'Basic own',
  })
  const { body: made } = await service.json('/api/tokens', { json: { name: 'a program', scope: 'read' } })
  t.same(await headersWith({ cookie: '', authorization: `Bearer ${made.secret}` }), {
    cookie: null,
    authorization: null,
  })

  const leaving = new AbortController()
  const slow = service.call('/api/whole/slow', { signal: leaving.signal }).catch(() => null)
  await new Promise((resolve) => setTimeout(resolve, 200))
  leaving.abort()
  await slow
  await until('the plugin knows that the client left', async () => (await get('/state')).left === 1)

  const stream = await service.call('/api/whole/stream')
  t.match(stream.headers.get('content-type'), /event-stream/)
  await get('/publish')
  const reader = stream.body!.getReader()
  let text = ''
  while (!text.includes('extra')) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()

  t.equal((await service.call('/api/whole', { headers: { cookie: '' } })).status, 401, 'the gate is in the host')
  t.match((await service.plugin('whole')).state, 'active')
  const described = (await service.json('/openapi.json')).body
  t.ok(described.paths['/api/whole/echo'].post.requestBody)

  await service.write('whole', 'index.ts', WHOLE.replace('sum: ctx', 'version: 2, sum: ctx'))
  await until('it is replaced', async () => (await get('')).version === 2)
  t.same((await get('/store')).rows, 2, 'its data stays')
})

const BAD = `import { definePlugin, Type } from '@playhead/sdk'

function spin() {
  for (;;) {}
}

export default definePlugin({
  routes(app) {
    app.get('/api/bad', () => ({ ok: true }))
    app.get('/api/bad/spin', () => spin())
    app.get('/api/bad/memory', () => { const all = []; for (;;) all.push(new Array(10_000).fill(Math.random())) })
    app.get('/api/bad/chatter', () => { for (let n = 0; n < 5_000; n += 1) console.log('chatter', n); return {} })
    app.get('/api/bad/buffers', () => { const all = []; for (;;) all.push(Buffer.alloc(200_000, 1)) })
    app.get('/api/bad/leak', () => { const all = []; setInterval(() => all.push(Buffer.alloc(5_000_000, 1)), 20); return {} })
    app.get('/api/bad/throw', () => { setTimeout(() => { throw new Error('out of the blue') }, 1); return {} })
  },
})
`
t.test('a plugin that hangs, uses too much memory or throws outside a call ends alone', async (t) => {
  await using service = await startService({
    plugins: {
      bad: {
        manifest: {
          isolation: 'thread',
          needs: { memory: 64 },
          routes: ['', '/chatter', '/spin', '/memory', '/buffers', '/leak', '/throw'].map((path) => ({
            method: 'GET',
            path: `/api/bad${path}`,
          })),
        },
        files: { 'index.ts': BAD },
      },
      good: {
        manifest: { routes: [{ method: 'GET', path: '/api/good' }] },
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ routes: (app) => void app.get('/api/good', () => ({ ok: true })) })`,
        },
      },
    },
    host: { silenceMs: 3_000 },
  })
  let [most, before, isOver] = [0, service.log.length, false]
  const look = () => {
    most = Math.max(most, service.log.length - before)
    before = service.log.length
    if (!isOver) setImmediate(look)
  }
  look()
  t.equal((await service.call('/api/bad/chatter')).status, 200)
  await until('all is in the log', () => service.log.filter((line) => line.includes('chatter')).length >= 5_000)
  isOver = true
  t.ok(most <= 450, `a plugin that talks much lets others have their turns: ${most} lines in one`)

  const deaths = () => service.log.map((text) => JSON.parse(text)).filter(({ ended }) => ended !== undefined)
  for (const [index, [path, why]] of (
    [
      ['/spin', /did not answer for .* in .*\(index\.ts:\d+\)/],
      ['/memory', /used more than 64 MB|did not answer/],
      ['/buffers', /used more than 64 MB/],
      ['/leak', /used more than 64 MB/],
      ['/throw', /out of the blue/],
    ] as const
  ).entries()) {
    const answers: number[] = []
    const asking = (async () => {
      for (let n = 0; n < 40; n += 1) {
        answers.push((await service.call('/api/good')).status)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    })()
    const { status, body } = await service.json(`/api/bad${path}`)
    if (path !== '/throw' && path !== '/leak') t.match([status, body], [503, { error: 'plugin_unavailable' }], path)
    await asking
    t.same(new Set(answers), new Set([200]), 'others answer')
    await until(`its thread ended of ${path}`, () => deaths().length > index)
    t.match(deaths().at(-1).msg, why)
    // Restarts by itself after a growing delay; a manual reload restarts at once.
    if (index > 1) await service.call('/api/plugins/bad/reload', { method: 'POST' })
    await until('it is started again', async () => (await service.json('/api/bad')).status === 200)
  }
})

// A plugin on its own thread can reach only what its manifest names.
const ROADS: Readonly<Record<string, string>> = {
  'a module of process': `globalThis.process.getBuiltinModule('node:fs').readdirSync('/')`,
  'a module without its scheme': `globalThis.process.getBuiltinModule('child_process').execSync('id')`,
  'process by a constructor': `(() => {}).constructor('return process')().getBuiltinModule('fs').readdirSync('/')`,
  require: `require('node:' + 'fs').readdirSync('/')`,
  'the loader': `cjs.loaded()`,
  'the main module': `cjs.main()`,
  'an import': `(await import('node:' + 'fs')).readdirSync('/')`,
  'an import of made code': `(await (0, eval)("import('node:fs')")).readdirSync('/')`,
  'an import of a constructor': `(await (async () => {}).constructor("return import('fs')")()).readdirSync('/')`,
  'an import of text': `(await (0, eval)("import('data:text/javascript,import fs from %27node:fs%27; export default fs')")).default.readdirSync('/')`,
  'a module of the core': `await (0, eval)("import('" + CORE + "')")`,
  'a thread': `new (globalThis.process.getBuiltinModule('worker_threads').Worker)('1', { eval: true })`,
  'a binding': `globalThis.process.binding('fs').internalModuleStat('/')`,
  'a linked binding': `globalThis.process._linkedBinding('fs')`,
  'a native module': `globalThis.process.dlopen({ exports: {} }, '/nothing.node')`,
  'a signal': `globalThis.process.kill(globalThis.process.pid, 0)`,
  'a raw signal': `globalThis.process._kill(globalThis.process.pid, 0)`,
  'the debugger': `globalThis.process._debugProcess(1)`,
  'another program': `globalThis.process.execve('/bin/true', ['true'])`,
  exit: `globalThis.process.exit(0)`,
  'a real exit': `globalThis.process.reallyExit(0)`,
  abort: `globalThis.process.abort()`,
  'another folder': `globalThis.process.chdir('/')`,
  'another user': `globalThis.process.setuid(0)`,
  'a file of variables': `globalThis.process.loadEnvFile('/etc/os-release')`,
  'a report': `globalThis.process.report.writeReport('/tmp/playhead-report.json')`,
  handles: `globalThis.process._getActiveHandles()`,
  'a server': `await new Promise((resolve, reject) => new app.server.constructor().on('error', reject).listen(0, resolve))`,
}

t.test('a plugin reaches no module, process, thread or server that its manifest does not name', async (t) => {
  const core = new URL('../../../core/storage/atomic-file.ts', import.meta.url).href
  const source = `import { createHash } from 'node:crypto'
import { definePlugin } from '@playhead/sdk'
import cjs from './own.cjs'
const CORE = '${core}'
export default definePlugin({
  routes(app) {
    const roads = {
${Object.entries(ROADS)
  .map(([name, road]) => `      '${name}': async () => ${road},`)
  .join('\n')}
    }
    app.get('/api/roads', async () => {
      const answers = {}
      for (const [name, road] of Object.entries(roads)) {
        try {
          await road()
          answers[name] = 'reached'
        } catch (error) {
          answers[name] = String(error.message)
        }
      }
      return { answers, variables: Object.keys(globalThis.process.env), hash: createHash('sha256').update('x').digest('hex').length }
    })
    app.get('/api/roads/own', async () => {
      const database = await app.playhead.openDatabase('notes', { migrations: [{ name: 'notes', up: (db) => db.schema.createTable('notes').addColumn('text', 'text').execute().then(() => {}) }] })
      const thread = app.playhead.startThread('own-thread.ts')
      try {
        return { notes: await database.reader.selectFrom('notes').selectAll().execute(), sum: await thread.work.add(1, 2) }
      } finally {
        await thread.stop()
        await database.close()
      }
    })
    app.get('/api/roads/declared', async () => {
      const fs = await import('node:fs')
      const made = await (0, eval)("import('node:fs')")
      return { same: fs.readdirSync === made.readdirSync && fs.readdirSync === globalThis.process.getBuiltinModule('fs').readdirSync }
    })
  },
})`
  const roads = (id: string, needs: object) => ({
    manifest: {
      isolation: 'thread',
      needs,
      routes: ['', '/own', '/declared'].map((path) => ({ method: 'GET', path: `/api/${id}${path}` })),
    },
    files: {
      'index.ts': source.replaceAll('/api/roads', `/api/${id}`),
      'own-thread.ts': 'export default () => ({ add: (a: number, b: number) => a + b })',
      'own.cjs': `exports.loaded = () => Object.values(require.cache)[0].constructor._load('fs').readdirSync('/')
exports.main = () => require.main.constructor.createRequire('/x.js')('fs').readdirSync('/')`,
    },
  })
  await using service = await startService({
    plugins: { roads: roads('roads', { database: true }), reader: roads('reader', { builtins: ['node:fs'] }) },
  })
  const { body } = await service.json('/api/roads')
  for (const name of Object.keys(ROADS)) t.not(body.answers[name], 'reached', `${name}: ${body.answers[name]}`)
  for (const name of [
    'a module of process',
    'process by a constructor',
    'require',
    'an import',
    'an import of made code',
  ])
    t.match(body.answers[name], /"roads" imports node:fs\. Declare it under needs\.builtins in plugin\.json/, name)
  t.match(body.answers['a server'], /needs\.builtins/)
  t.match([body.variables, body.hash], [[], 64])
  t.same((await service.json('/api/roads/own')).body, { notes: [], sum: 3 }, 'what the host does there still works')
  t.same((await service.json('/api/reader/declared')).body, { same: true })
  const declared = (await service.json('/api/reader')).body.answers
  t.equal(declared['a module of process'], 'reached')
  t.match(declared['a module without its scheme'], /node:child_process/)
})
