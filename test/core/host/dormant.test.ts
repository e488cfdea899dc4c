// slow: real threads, disks and waits
// Plugins with a snapshot are loaded on first use instead of at start.
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONFIG_SAVED } from '@playhead/sdk'
import t, { type Test } from 'tap'
import { type FixturePlugin, PASSWORD, type Service, startService, until, USERNAME } from '../../harness.ts'

type Plugins = Readonly<Record<string, FixturePlugin>>

const route = (path: string, more: object = {}) => ({ method: 'GET', path, ...more })

/** Counts its setups in a file that survives the process. */
const counting = (body: string, { imports = '', more = '', routes = '' } = {}) => `
import { definePlugin, Type, capability, CONFIG_SAVED ${imports} } from '@playhead/sdk'
export default definePlugin({
  ${more}
  async setup(ctx) {
    const count = ((await ctx.store.get('count')) ?? 0) + 1
    await ctx.store.set('count', count)
    ${body}
  },
  routes(app) {
    ${routes}
  },
})
`
const countRoute = (id: string, path = `/api/${id}`) =>
  `app.get('${path}', async () => ({ count: await app.playhead.store.get('count') }))`
const plain = (id: string, more: object = {}): FixturePlugin => ({
  manifest: { routes: [route(`/api/${id}`)], ...more },
  files: { 'index.ts': counting('', { routes: countRoute(id) }) },
})

const noteOf = (directory: string, id: string) => join(directory, 'data', 'run', 'plugins', `${id}.json`)

/** Runs the plugins once, until a snapshot of each of `noted` is written. */
async function runOnce(directory: string, plugins: Plugins, noted = Object.keys(plugins)): Promise<void> {
  await using service = await startService({ plugins, directory, watch: false, host: { snapshotMs: 0 } })
  for (const id of noted)
    await until(`the note of ${id}`, async () =>
      readFile(noteOf(service.directory, id)).then(
        () => true,
        () => false,
      ),
    )
}

async function startAgain(
  directory: string,
  plugins: Plugins,
  options: Parameters<typeof startService>[0] = {},
): Promise<Service> {
  const service = await startService({ plugins, directory, watch: false, withoutAccount: true, ...options })
  const answer = await service.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  return service
}

const stateOf = (service: Service, id: string) => service.host.list().find((one) => one.id === id)?.state

async function dormant(t: Test, plugins: Plugins, options: Parameters<typeof startService>[0] = {}) {
  const directory = t.testdir()
  await runOnce(directory, plugins)
  const service = await startAgain(directory, plugins, options)
  for (const id of Object.keys(plugins)) t.equal(stateOf(service, id), 'dormant', `${id} is dormant`)
  return service
}

t.test('a plugin is dormant from the second start on, and its first request loads it, once for many', async (t) => {
  const plugins = { one: plain('one'), two: plain('two') }
  await using service = await dormant(t, plugins)

  const answers = await Promise.all(Array.from({ length: 20 }, () => service.json('/api/one')))

  t.same(new Set(answers.map(({ status, body }) => `${status} ${body.count}`)), new Set(['200 2']))
  t.equal(stateOf(service, 'one'), 'active')
  t.equal(stateOf(service, 'two'), 'dormant', 'the other one still costs nothing')
})

t.test(
  'each spelling and method of an address has the same answer before and after its plugin is loaded',
  async (t) => {
    const withRoutes = (id: string, paths: readonly string[]): FixturePlugin => ({
      manifest: { routes: paths.map((path) => route(path)) },
      files: {
        'index.ts': counting('', {
          routes: paths.map((path) => `app.get('${path}', ({ params }) => ({ ${id}: params }))`).join('\n'),
        }),
      },
    })
    const plugins = { one: withRoutes('one', ['/api/one', '/one/:id']), two: withRoutes('two', ['/api/two']) }
    await using service = await dormant(t, plugins)
    const answers = async (requests: readonly (readonly [string, string])[]) =>
      Promise.all(
        requests.map(async ([method, path]) => {
          const answer = await service.call(path, { method })
          return `${method} ${path} ${answer.status} ${answer.headers.get('allow')} ${await answer.text()}`
        }),
      )
    const wrong = [
      ['GET', '/api/one/more'],
      ['GET', '/api/on'],
      ['GET', '/api/One'],
      ['GET', '/one'],
      ['GET', '//api/one'],
      ['POST', '/api/one'],
      ['HEAD', '/api/one'],
      ['OPTIONS', '/api/one'],
      ['DELETE', '/one/1'],
      ['GET', '/api/%zz'],
    ] as const
    const right = [
      ['GET', '/api/%6fne?x=/api/two'],
      ['GET', '/%6Fne/a%2Fb%20c'],
      ['GET', '/one/1?a=#b'],
      ['GET', '/api/two'],
    ] as const

    const before = await answers(wrong)
    t.equal(stateOf(service, 'one'), 'dormant', 'no answer that is none of its own loads a plugin')
    const found = await answers(right)

    t.same(found, [
      'GET /api/%6fne?x=/api/two 200 null {"one":{}}',
      'GET /%6Fne/a%2Fb%20c 200 null {"one":{"id":"a/b c"}}',
      'GET /one/1?a=#b 200 null {"one":{"id":"1"}}',
      'GET /api/two 200 null {"two":{}}',
    ])
    t.same(stateOf(service, 'one'), 'active')
    t.same(await answers(wrong), before)
    t.match(
      before.filter((answer) => answer.startsWith('POST') || answer.startsWith('DELETE')),
      [/^POST \/api\/one 405 GET/, /^DELETE \/one\/1 405 GET/],
    )
  },
)

t.test('a request without a session does not load a plugin, and a body reaches the plugin completely', async (t) => {
  const echo: FixturePlugin = {
    manifest: { routes: [{ method: 'POST', path: '/api/echo' }] },
    files: {
      'index.ts': counting('', {
        routes: `app.post('/api/echo', (request) => ({ length: request.body.text.length }))`,
      }),
    },
  }
  await using service = await dormant(t, { echo })
  const cookie = service.cookie()

  service.setCookie('')
  t.equal((await service.json('/api/echo', { json: { text: 'x' } })).status, 401)
  t.equal(stateOf(service, 'echo'), 'dormant')

  service.setCookie(cookie)
  t.same((await service.json('/api/echo', { json: { text: 'x'.repeat(300_000) } })).body, { length: 300_000 })
})

t.test('a dormant plugin is displayed like a running one', async (t) => {
  const shown: FixturePlugin = {
    manifest: {
      routes: [route('/api/shown')],
      provides: ['shown:thing'],
      logChannels: [{ tag: 'SHOWN' }],
      needs: { storage: 1_000 },
    },
    files: {
      'index.ts': counting(
        `ctx.provide(capability('shown:thing'), { one: () => 1 })
         ctx.every('1h', 'tidy', () => {})
         ctx.events.on('run.*', () => {})
         ctx.tap(CONFIG_SAVED, 'shown', () => {})`,
        {
          more: `config: Type.Object({ size: Type.Integer({ default: 3, minimum: 1 }), key: Type.String({ default: '', secret: true }) }),`,
          routes: `app.get('/api/shown', { schema: { summary: 'Shows', response: { 200: Type.Object({ ok: Type.Boolean() }) } } }, () => ({ ok: true }))`,
        },
      ),
    },
  }
  await using service = await dormant(t, { shown })
  const look = async () => {
    const plugin = await service.plugin('shown')
    const { state, generation, activated_at, phases, jobs, ...rest } = plugin
    return {
      plugin: { ...rest, jobs: jobs.map(({ name }: { name: string }) => name) },
      api: (await service.json('/openapi.json')).body.paths['/api/shown'],
      section: (await service.json('/api/config/sections/plugins.shown')).body,
      masked: (await service.json('/api/config')).body.plugins,
    }
  }
  const asleep = await look()
  t.equal(stateOf(service, 'shown'), 'dormant', 'looking does not wake it')
  t.match(asleep.plugin, { hooks: [{ hook: 'configSaved' }], listens_to: ['run.*'], jobs: ['tidy'] })

  await service.json('/api/shown')

  t.equal(stateOf(service, 'shown'), 'active')
  t.same(asleep, await look())
})

t.test('a capability of a dormant plugin works: values, streams, failures, answers from the snapshot', async (t) => {
  const giver: FixturePlugin = {
    manifest: { provides: ['giver:thing'] },
    files: {
      'index.ts': counting(
        `ctx.provide(capability('giver:thing'), {
          kind: 'plain',
          describe: () => ({ name: 'giver', of: count }),
          add: (a, b) => a + b,
          async *list() { yield 1; yield 2 },
          fail() { throw new TypeError('no') },
        }, { whileDormant: ['describe'] })`,
      ),
    },
  }
  const taker: FixturePlugin = {
    manifest: {
      optional: ['giver:thing'],
      provides: ['taker:thing'],
      routes: ['describe', 'add', 'list', 'through', 'fail', 'none'].map((name) => route(`/api/${name}`)),
    },
    files: {
      'index.ts': counting(
        `const giver = ctx.use(capability('giver:thing'))
         ctx.provide(capability('taker:thing'), { add: (a, b) => giver.add(a, b), list: () => giver.list() })`,
        {
          routes: `
    const giver = app.playhead.use(capability('giver:thing'))
    const own = app.playhead.use(capability('taker:thing'))
    const all = async (items) => { const found = []; for await (const item of items) found.push(item); return found }
    app.get('/api/describe', async () => ({ ...(await giver.describe()), kind: giver.kind, tokens: app.playhead.tryUse(capability('giver:thing')) !== undefined }))
    app.get('/api/add', async () => ({ sum: await giver.add(2, 3) }))
    app.get('/api/list', async () => ({ items: await all(giver.list()) }))
    app.get('/api/through', async () => ({ sum: await own.add(4, 5), items: await all(own.list()) }))
    app.get('/api/fail', async () => ({ said: await giver.fail().catch((error) => error.message) }))
    app.get('/api/none', async () => ({ code: await giver.missing().catch((error) => error.code) }))`,
        },
      ),
    },
  }
  const plugins = { giver, taker }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  for (const [path, expected] of [
    ['/api/add', { sum: 5 }],
    ['/api/list', { items: [1, 2] }],
    ['/api/through', { sum: 9, items: [1, 2] }],
    ['/api/fail', { said: 'no' }],
    ['/api/none', { code: 'PLH_UNSUPPORTED' }],
  ] as const) {
    await using service = await startAgain(directory, plugins)
    t.same((await service.json('/api/describe')).body, { name: 'giver', of: 1, kind: 'plain', tokens: true })
    t.equal(stateOf(service, 'giver'), 'dormant', 'what does not change is answered from the note')
    t.same((await service.json(path)).body, expected, path)
    t.equal(stateOf(service, 'giver'), 'active')
  }
})

t.test('a staged plugin that calls a plugin waiting for it gets an error at once', async (t) => {
  const using = (id: string, other: string): FixturePlugin => ({
    manifest: { provides: [`${id}:thing`], optional: [`${other}:thing`], routes: [route(`/api/${id}`)] },
    files: {
      'index.ts': counting(
        `ctx.provide(capability('${id}:thing'), { hello: () => '${id}' })
         const said = ctx.tryUse(capability('${other}:thing')) === undefined ? 'absent' : await ctx.use(capability('${other}:thing')).hello().catch((error) => error.code)
         await ctx.store.set('said', said)`,
        { routes: `app.get('/api/${id}', async () => ({ said: await app.playhead.store.get('said') }))` },
      ),
    },
  })
  await using service = await dormant(t, { left: using('left', 'right'), right: using('right', 'left') })

  t.same((await service.json('/api/left')).body, { said: 'right' })
  t.same((await service.json('/api/right')).body, { said: 'PLH_CAPABILITY_GONE' })
  t.equal(stateOf(service, 'left'), 'active')
})

t.test('a due hook loads the plugin, even while it is being loaded; an event only if it is declared', async (t) => {
  const tapping = (id: string, activation: readonly string[]): FixturePlugin => ({
    manifest: { routes: [route(`/api/${id}`)], activation },
    files: {
      'index.ts': counting(
        `ctx.tap(CONFIG_SAVED, '${id}', async ({ paths }) => { await ctx.store.set('saved', paths) })
         ctx.events.on('thing.*', async (event) => { await ctx.store.set('heard', event.name) })
         await new Promise((resolve) => setTimeout(resolve, 300))`,
        {
          routes: `app.get('/api/${id}', async () => ({ saved: await app.playhead.store.get('saved'), heard: await app.playhead.store.get('heard') }))`,
        },
      ),
    },
  })
  const plugins = { deaf: tapping('deaf', []), hearing: tapping('hearing', ['event:thing.*']) }
  await using service = await dormant(t, plugins)

  service.events.emit('thing.done', {})
  await until('the event arrived', async () => stateOf(service, 'hearing') === 'active')
  await until('and is dealt with', async () => (await service.json('/api/hearing')).body.heard === 'thing.done')
  t.equal(stateOf(service, 'deaf'), 'dormant')

  const asked = service.json('/api/deaf')
  await sleep(50)
  const calls = await Promise.all([
    service.host.callHook(CONFIG_SAVED, { paths: ['a'], revision: '1' }),
    service.host.callHook(CONFIG_SAVED, { paths: ['a'], revision: '1' }),
  ])
  t.equal(calls.length, 2)
  await asked
  t.same((await service.json('/api/deaf')).body, { saved: ['a'] }, 'the hook was called, the old event was not')
  t.equal((await service.plugin('deaf')).generation, 1, 'and the plugin was loaded once')
})

t.test(
  'a kept event loads nothing, and its listener gets it once, in order, whenever the plugin is loaded',
  async (t) => {
    const plugins = {
      waiting: {
        manifest: { routes: [route('/api/waiting')], activation: ['kept:thing.*', 'event:urgent.done'] },
        files: {
          'index.ts': counting(
            `const hear = async ({ name, data }) => {
             await ctx.store.set('heard', [...((await ctx.store.get('heard')) ?? []), name + ' ' + data.n])
           }
           ctx.events.on('thing.*', hear)
           ctx.events.on('urgent.done', hear)
           ctx.events.on('other.done', hear)`,
            { routes: `app.get('/api/waiting', async () => (await app.playhead.store.get('heard')) ?? [])` },
          ),
        },
      },
    }
    const directory = t.testdir()
    await runOnce(directory, plugins)
    // Its snapshot's listeners are those of the first life.
    for (const n of [1, 2]) {
      await using service = await startAgain(directory, plugins)
      service.events.emit('thing.done', { n })
      service.events.emit('other.done', { n })
      service.events.emit('thing.undone', { n })
      await service.events.settled()
      t.equal(stateOf(service, 'waiting'), 'dormant')
    }
    const file = join(directory, 'data', 'run', 'events', 'waiting.jsonl')
    // A full disk may leave half a line.
    await appendFile(file, '{"on":"thing.*","ev\n')
    {
      await using service = await startAgain(directory, plugins)
      const heard = async () => (await service.json('/api/waiting')).body as readonly string[]
      await until('they arrived', async () => (await heard()).length >= 4)
      t.same(await heard(), ['thing.done 1', 'thing.undone 1', 'thing.done 2', 'thing.undone 2'])
      service.events.emit('thing.done', { n: 3 })
      await until('the next one arrives at once', async () => (await heard()).length === 5)
      await until('they are forgotten', () =>
        readFile(file).then(
          () => false,
          () => true,
        ),
      )
    }
    await using service = await startAgain(directory, plugins)
    service.events.emit('urgent.done', { n: 4 })
    await until('an event that need not wait', async () => stateOf(service, 'waiting') === 'active')
    await until('it is dealt with', async () => (await service.json('/api/waiting')).body.length === 6)
    t.equal((await service.json('/api/waiting')).body.at(-1), 'urgent.done 4')
  },
)

t.test('a due job loads the plugin', async (t) => {
  const working: FixturePlugin = {
    manifest: { routes: [route('/api/working')] },
    files: {
      'index.ts': counting(
        `ctx.every('1s', 'work', async () => { await ctx.store.set('worked', ((await ctx.store.get('worked')) ?? 0) + 1) })`,
        { routes: `app.get('/api/working', async () => ({ worked: await app.playhead.store.get('worked') }))` },
      ),
    },
  }
  const directory = t.testdir()
  await runOnce(directory, { working })
  await using service = await startAgain(directory, { working })
  await until('the job ran', () => stateOf(service, 'working') === 'active')
  await until('its work is done', async () => (await service.json('/api/working')).body.worked > 0)
})

t.test('the last time that a plugin set for its job loads it, and it sets the next one', async (t) => {
  const working: FixturePlugin = {
    manifest: { routes: [route('/api/working'), route('/api/working/soon')] },
    files: {
      'index.ts': counting(
        `const wake = ctx.schedule('wake', async () => {
          await ctx.store.set('worked', ((await ctx.store.get('worked')) ?? 0) + 1)
          wake.set(null)
        })
        ctx.provide(capability('wake'), wake)`,
        {
          routes: `
            app.get('/api/working', async () => ({ worked: await app.playhead.store.get('worked'), jobs: app.playhead.jobs() }))
            app.get('/api/working/soon', async () => {
              const wake = app.playhead.use(capability('wake'))
              const refused = await wake.set({ every: 'often' }).catch((error) => error.code)
              await wake.set({ at: Date.now() + 4_000 })
              return { refused }
            })`,
        },
      ),
    },
  }
  const directory = t.testdir()
  const plugins = { working: { ...working, manifest: { ...working.manifest, provides: ['wake'] } } }
  {
    await using service = await startService({ plugins, directory, watch: false, host: { snapshotMs: 0 } })
    await until('the note', async () => readFile(noteOf(directory, 'working')).then(Boolean, () => false))
    t.same((await service.json('/api/working/soon')).body, { refused: 'PLH_INVALID' })
    await until('the time is planned', async () => (await service.json('/api/working')).body.jobs[0].nextAtMs !== null)
  }
  await using service = await startAgain(directory, plugins)
  t.equal(stateOf(service, 'working'), 'dormant')
  await until('the job ran', () => stateOf(service, 'working') === 'active')
  await until('its work is done', async () => (await service.json('/api/working')).body.worked === 1)
  await until('no time is left', async () => (await service.json('/api/working')).body.jobs[0].nextAtMs === null)
})

t.test('a settings change loads the plugin before the save, and its code normalizes them', async (t) => {
  const shaping: FixturePlugin = {
    manifest: { routes: [route('/api/shaping')] },
    files: {
      'index.ts': counting('', {
        more: `config: Type.Object({ name: Type.String({ default: '' }) }), normalizeConfig: (section) => ({ name: section.name.trim() }),`,
        routes: `app.get('/api/shaping', () => ({ name: app.playhead.config.name }))`,
      }),
    },
  }
  const directory = t.testdir()
  await runOnce(directory, { shaping })
  {
    await using service = await startAgain(directory, { shaping })
    t.equal(stateOf(service, 'shaping'), 'dormant')
    await service.config.change('test', (draft) => {
      draft['plugins'] = { shaping: { name: '  Ada ' } }
    })
    t.same(service.config.at('plugins.shaping'), { name: 'Ada' })
    await until('it has them', async () => (await service.json('/api/shaping')).body.name === 'Ada')
  }
  await using service = await startAgain(directory, { shaping })
  t.equal(stateOf(service, 'shaping'), 'active', 'a note of other settings does not count')
})

t.test('a changed file loads the plugin; the first watch of a file does not', async (t) => {
  const plugins = { one: plain('one'), two: plain('two') }
  await using service = await dormant(t, plugins, { watch: true })
  await sleep(700)
  t.equal(stateOf(service, 'one'), 'dormant')

  await service.write('one', 'index.ts', counting('', { routes: `app.get('/api/one', () => ({ count: 'new' }))` }))
  await until('it is loaded', () => stateOf(service, 'one') === 'active')
  t.same((await service.json('/api/one')).body, { count: 'new' })

  await service.write('two', 'index.ts', 'export default 1 +')
  await until('the mistake is seen', () => stateOf(service, 'two') === 'failed')
  t.match(await service.json('/api/two'), { status: 503, body: { error: 'plugin_unavailable', state: 'failed' } })
})

t.test('a failing activation behaves like a failed load: the answer while down, the state, the way out', async (t) => {
  const failing = (fails: boolean): FixturePlugin => ({
    manifest: {
      routes: [
        route('/api/failing'),
        { method: 'POST', path: '/webhook/failing', auth: 'W', whenDown: { status: 200, body: { ok: true } } },
      ],
      provides: ['failing:thing'],
    },
    files: {
      'index.ts': counting(
        `if (${fails} && count > 1) throw new Error('the world is not as it was')
         ctx.provide(capability('failing:thing'), { hello: () => 'hello' })`,
        { routes: `${countRoute('failing')}; app.post('/webhook/failing', () => ({ heard: true }))` },
      ),
    },
  })
  await using service = await dormant(t, { failing: failing(true) })

  const [one, hook] = await Promise.all([
    service.json('/api/failing'),
    service.json('/webhook/failing', { method: 'POST' }),
  ])

  t.match(one, { status: 503, body: { error: 'plugin_unavailable', plugin: 'failing', state: 'failed' } })
  t.match(hook, { status: 200, body: { ok: true } })
  t.match(await service.plugin('failing'), { state: 'failed', last_error: { message: 'the world is not as it was' } })
  t.equal(await service.plugin('failing').then(({ sections }) => sections.length), 0)

  await service.write('failing', 'index.ts', failing(false).files['index.ts'] as string)
  t.match(await service.json('/api/plugins/failing/reload', { method: 'POST' }), {
    body: { plugin: { state: 'active' } },
  })
  t.equal((await service.json('/webhook/failing', { method: 'POST' })).body.heard, true)
})

t.test('a webhook reaches a dormant plugin', async (t) => {
  const hooked: FixturePlugin = {
    manifest: {
      routes: [{ method: 'POST', path: '/webhook/hooked', auth: 'W', whenDown: { status: 200, body: { ok: false } } }],
    },
    files: { 'index.ts': counting('', { routes: `app.post('/webhook/hooked', () => ({ heard: true }))` }) },
  }
  await using service = await dormant(t, { hooked })
  service.setCookie('')
  t.same((await service.json('/webhook/hooked', { method: 'POST' })).body, { heard: true })
})

t.test('turning off, removing and reloading work for dormant plugins, and while one is being loaded', async (t) => {
  const slow = (id: string): FixturePlugin => ({
    manifest: { routes: [route(`/api/${id}`)] },
    files: {
      'index.ts': counting('await new Promise((resolve) => setTimeout(resolve, 500))', { routes: countRoute(id) }),
    },
  })
  const plugins = { one: slow('one'), two: slow('two'), three: slow('three'), four: slow('four') }
  await using service = await dormant(t, plugins)

  t.match(await service.json('/api/plugins/one/disable', { method: 'POST' }), {
    body: { plugin: { state: 'disabled' } },
  })
  t.match(await service.json('/api/one'), { status: 503, body: { state: 'disabled' } })
  t.match(await service.json('/api/plugins/one/enable', { method: 'POST' }), { body: { plugin: { state: 'active' } } })
  t.match(await service.json('/api/plugins/two/reload', { method: 'POST' }), { body: { plugin: { state: 'active' } } })

  const asked = service.json('/api/three')
  const other = service.json('/api/four')
  await until('it is being loaded', () => stateOf(service, 'three') === 'staging')
  await service.host.disable('three')
  await service.writeRegistry(['one', 'two', 'three'].map((id) => ({ id, source: `./plugins/${id}` })))
  await service.host.rescan()

  t.match(await asked, { status: 503, body: { state: 'disabled' } })
  t.match(await other, { status: 503, body: { error: 'plugin_unavailable' } })
  t.equal(stateOf(service, 'three'), 'disabled', 'the load that was under way did not bring it back')
  t.equal(stateOf(service, 'four'), undefined)
  t.equal((await service.json('/api/four')).status, 404)
})

t.test('a safe start loads nothing, and enabling loads one', async (t) => {
  const plugins = { one: plain('one') }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  await using service = await startAgain(directory, plugins, { host: { safe: true } })
  t.equal(stateOf(service, 'one'), 'disabled')
  t.not((await service.json('/api/one')).status, 200)
  await service.json('/api/plugins/one/enable', { method: 'POST' })
  t.equal((await service.json('/api/one')).status, 200)
})

t.test('snapshots of another build, of half a write or of another format are ignored', async (t) => {
  const plugins = { old: plain('old'), half: plain('half'), strange: plain('strange'), good: plain('good') }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  const change = async (id: string, edit: (note: Record<string, unknown>) => string) => {
    const file = noteOf(directory, id)
    await writeFile(file, edit(JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>))
  }
  await change('old', (note) => JSON.stringify({ ...note, build: 'of another version' }))
  await change('half', (note) => JSON.stringify(note).slice(0, 200))
  await change('strange', (note) => JSON.stringify({ ...note, format: 0 }))

  await using service = await startAgain(directory, plugins)

  t.same(
    service.host.list().map(({ id, state }) => `${id} ${state}`),
    ['good dormant', 'half active', 'old active', 'strange active'],
  )
})

t.test('a crash while snapshots are written leaves none, or complete ones', async (t) => {
  const plugins = { one: plain('one') }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  // The description is written first: the state after a crash in between.
  await mkdir(join(directory, 'data', 'run', 'plugins'), { recursive: true })
  await writeFile(join(directory, 'data', 'run', 'plugins', 'one.openapi.json'), '{"openapi":')
  await using service = await startAgain(directory, plugins)
  t.equal(stateOf(service, 'one'), 'dormant')
  const { paths } = (await service.json('/openapi.json')).body
  t.ok(paths['/api/one'], 'a description that cannot be read is made again by the plugin')
  t.equal(stateOf(service, 'one'), 'active')
})

t.test('plugins that declare background work, or ask for it, run from the start', async (t) => {
  const plugins = {
    ticking: { files: { 'index.ts': counting('setInterval(() => {}, 1_000)') } },
    asking: { manifest: { activation: ['start'] }, files: { 'index.ts': counting('') } },
    settling: { files: { 'index.ts': counting(`ctx.after(0, () => {})`) } },
  }
  const directory = t.testdir()
  await runOnce(directory, plugins, ['asking', 'settling'])
  const states = (service: Service) => service.host.list().map(({ id, state }) => `${id} ${state}`)
  {
    await using service = await startAgain(directory, plugins)
    t.same(states(service), ['asking active', 'settling dormant', 'ticking active'])
    // Simulate a crash: there is no mark of a clean stop.
    t.notOk((await readdir(join(directory, 'data', 'run'))).includes('stopped'))
  }
  await import('node:fs/promises').then(({ rm }) => rm(join(directory, 'data', 'run', 'stopped')))
  await using service = await startAgain(directory, plugins)
  t.same(states(service), ['asking active', 'settling active', 'ticking active'])
})

t.test('after a stop that cut the work of a plugin, work after a start runs', async (t) => {
  const plugins = {
    settling: { files: { 'index.ts': counting(`ctx.after(0, () => {})`) } },
    failing: {
      manifest: { routes: [route('/api/failing')] },
      files: {
        'index.ts': counting(`ctx.defer(() => { throw new Error('its last write failed') })`, {
          routes: countRoute('failing'),
        }),
      },
    },
  }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  {
    await using service = await startAgain(directory, plugins)
    t.equal(stateOf(service, 'settling'), 'active', 'the first life ended with a failure')
  }
  {
    await using service = await startAgain(directory, plugins)
    t.equal(stateOf(service, 'settling'), 'dormant')
    t.equal((await service.json('/api/failing')).status, 200)
  }
  await using service = await startAgain(directory, plugins)
  t.equal(stateOf(service, 'settling'), 'active')
})

t.test('work after a start runs after a restore, too, though the service was stopped well before it', async (t) => {
  const plugins = { settling: { files: { 'index.ts': counting(`ctx.after(0, () => {})`) } } }
  const directory = t.testdir()
  await runOnce(directory, plugins)
  const restore = join(directory, 'data', 'restore')
  const plan = { label: 'repair', stagedAtMs: 1, groups: [], files: [], owners: {} }
  const stateAfter = async () => {
    await using service = await startAgain(directory, plugins)
    return stateOf(service, 'settling')
  }
  t.equal(await stateAfter(), 'dormant')
  await mkdir(join(restore, 'pending', 'files'), { recursive: true })
  await writeFile(join(restore, 'pending', 'plan.json'), JSON.stringify(plan))
  {
    await using service = await startAgain(directory, plugins, { host: { snapshotMs: 0 } })
    t.equal(stateOf(service, 'settling'), 'active')
    await until('its note', () =>
      readFile(noteOf(directory, 'settling')).then(
        () => true,
        () => false,
      ),
    )
  }
  t.equal(await stateAfter(), 'dormant', 'the restore is known')
  // Pairs must forget what they synced, however often the service is stopped before.
  const last = { label: 'repair', stagedAtMs: 1, outcome: 'restored', atMs: 2, reason: null, lostRows: true }
  await writeFile(join(restore, 'last.json'), JSON.stringify(last))
  t.equal(await stateAfter(), 'active')
  t.equal(await stateAfter(), 'active')
})

t.test("a new plugin that claims a dormant plugin's names is refused, and the other one continues", async (t) => {
  const one = plain('one')
  const directory = t.testdir()
  await runOnce(directory, { one })
  const thief: FixturePlugin = {
    manifest: { routes: [route('/api/one')] },
    files: { 'index.ts': counting('', { routes: `app.get('/api/one', () => ({ count: 'stolen' }))` }) },
  }
  await using service = await startAgain(directory, { one, thief })
  t.equal((await service.plugin('thief')).last_error?.code, 'PLH_PLUGIN_ROUTE_CONFLICT')
  t.same((await service.json('/api/one')).body, { count: 2 })
})

t.test('of two dormant plugins that claim the same one is refused, and all others are there', async (t) => {
  const claiming = (id: string): FixturePlugin => ({
    manifest: { routes: [route(`/api/${id}`)], provides: ['thing:same'] },
    files: { 'index.ts': counting("ctx.provide(capability('thing:same'), {})", { routes: countRoute(id) }) },
  })
  const directory = t.testdir()
  const plugins = { one: claiming('one'), two: claiming('two'), other: plain('other') }
  await runOnce(directory, { one: plugins.one, other: plugins.other })
  {
    const { two, other } = plugins
    await using service = await startAgain(directory, { two, other }, { host: { snapshotMs: 0 } })
    await service.host.snapshotsKept()
  }
  await using service = await startAgain(directory, plugins)
  const [refused] = ['one', 'two'].filter((id) => stateOf(service, id) !== 'active')
  t.match((await service.plugin(refused as string)).last_error, { code: 'PLH_CAPABILITY_CONFLICT' })
  const taken = refused === 'one' ? 'two' : 'one'
  for (const id of [taken, 'other']) t.equal((await service.json(`/api/${id}`)).status, 200, id)
})

t.test('a request to a plugin that is still staged when the service is up waits for it', async (t) => {
  const late: FixturePlugin = {
    manifest: { routes: [route('/api/late'), route('/api/late/token', { auth: 'T' })] },
    files: {
      'index.ts': counting('await new Promise((resolve) => setTimeout(resolve, 2_500))', {
        more: 'acceptsToken: (_ctx, token) => token === "good",',
        routes: `${countRoute('late')}; app.get('/api/late/token', () => ({ ok: true }))`,
      }),
    },
  }
  await using service = await startService({ plugins: { late }, watch: false })
  t.equal(stateOf(service, 'late'), 'staging')
  const token = (value: string) =>
    fetch(`${service.url}/api/late/token`, { headers: { authorization: `Bearer ${value}` } })
  const [own, good, bad] = await Promise.all([service.json('/api/late'), token('good'), token('bad')])
  t.match(own, { status: 200, body: { count: 1 } })
  t.equal(good.status, 200)
  t.equal(bad.status, 401)
})

t.test('a request does not wait forever', async (t) => {
  const stuck: FixturePlugin = {
    manifest: { routes: [route('/api/stuck')] },
    files: {
      'index.ts': counting('await new Promise(() => setTimeout(() => {}, 60_000))', { routes: countRoute('stuck') }),
    },
  }
  await using service = await startService({ plugins: { stuck }, watch: false, host: { limits: { setupMs: 8_000 } } })
  const answer = await service.json('/api/stuck')
  t.match(answer, { status: 503, body: { error: 'plugin_unavailable', plugin: 'stuck', state: 'staging' } })
})
