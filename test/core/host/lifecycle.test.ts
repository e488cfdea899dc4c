// Enabling, disabling, registries, safe start, settings, handover, capabilities across reloads.
import { writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until, type FixturePlugin } from '../../harness.ts'

const answering = (text: string): FixturePlugin => ({
  manifest: { routes: [{ method: 'GET', path: '/api/one' }] },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes(app) { app.get('/api/one', () => ({ text: '${text}' })) } })`,
  },
})

t.test('disabling and enabling take effect at once and survive a restart', async (t) => {
  const directory = t.testdir()
  {
    await using service = await startService({ plugins: { one: answering('a') }, directory, watch: false })
    t.match(await service.json('/api/plugins/one/disable', { method: 'POST' }), {
      status: 200,
      body: { ok: true, plugin: { state: 'disabled', enabled: false } },
    })
    t.match(await service.json('/api/one'), { status: 503, body: { error: 'plugin_unavailable', state: 'disabled' } })
    t.match(await service.json('/api/plugins/one/reload', { method: 'POST' }), {
      status: 409,
      body: { error: 'plugin_disabled' },
    })
  }
  await using service = await startService({
    plugins: { one: answering('a') },
    directory,
    watch: false,
    withoutAccount: true,
  })
  await signIn(service)
  t.equal((await service.plugin('one')).state, 'disabled')
  t.match(await service.json('/api/plugins/one/enable', { method: 'POST' }), {
    body: { ok: true, plugin: { state: 'active' } },
  })
  t.same((await service.json('/api/one')).body, { text: 'a' })
  t.match(await service.json('/api/plugins/nobody'), { status: 404, body: { ok: false, error: 'plugin_unknown' } })
})

t.test('editing a registry or removing a folder loads and unloads plugins while the service runs', async (t) => {
  await using service = await startService({ plugins: { one: answering('a') } })
  await service.writePlugin('two', {
    manifest: { routes: [{ method: 'GET', path: '/api/two' }] },
    files: { 'index.ts': answering('two').files['index.ts']!.replace('/api/one', '/api/two') },
  })
  t.equal((await service.json('/api/two')).status, 404)

  await service.writeRegistry([
    { id: 'one', source: './plugins/one' },
    { id: 'two', source: './plugins/two' },
  ])
  await until('the new plugin answers', async () => (await service.json('/api/two')).status === 200)

  await service.writeRegistry([{ id: 'two', source: './plugins/two' }])
  await until('the removed plugin is gone', async () => (await service.json('/api/one')).status === 404)
  t.equal((await service.json('/api/two')).status, 200)

  await rm(join(service.directory, 'plugins', 'two'), { recursive: true })
  await until(
    'the missing folder is reported',
    async () => (await service.plugin('two')).last_error?.code === 'PLH_PLUGIN_MANIFEST',
  )
  t.equal((await service.json('/api/two')).status, 200, 'what is loaded goes on')
})

t.test(
  'a save during the first load of a plugin is loaded: of a new plugin, at a start, and of a registry',
  async (t) => {
    const directory = t.testdir()
    const file = (id: string, name: string) => join(directory, 'plugins', id, name)
    const saved = (id: string) => answering('saved').files['index.ts']!.replace('/api/one', `/api/${id}`)
    // Its first version saves the second one during its setup.
    const saving = (id: string): FixturePlugin => ({
      manifest: { routes: [{ method: 'GET', path: `/api/${id}` }] },
      files: {
        'index.ts': saved(id)
          .replace("text: 'saved'", "text: 'first'")
          .replace('routes(app)', `setup: () => globalThis.saveDuringLoad?.('${id}'), routes(app)`),
      },
    })
    const hooks = globalThis as { saveDuringLoad?: (id: string) => void }
    hooks.saveDuringLoad = (id) => writeFileSync(file(id, 'index.ts'), saved(id))
    t.teardown(() => delete hooks.saveDuringLoad)

    await using service = await startService({ plugins: { one: saving('one') }, directory })
    await until(
      'the save during the start is loaded',
      async () => (await service.json('/api/one')).body.text === 'saved',
    )

    await service.writePlugin('two', saving('two'))
    await service.writeRegistry([
      { id: 'one', source: './plugins/one' },
      { id: 'two', source: './plugins/two' },
    ])
    await until(
      'the save during the first load is loaded',
      async () => (await service.json('/api/two')).body.text === 'saved',
    )
    t.match(await service.plugin('one'), { generation: 2 }, 'what did not change is not loaded again')
  },
)

t.test('watching a plugin does not load it: not at a safe start, and not after a failure', async (t) => {
  const directory = t.testdir()
  {
    await using safe = await startService({ plugins: { one: answering('a') }, directory, host: { safe: true } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    t.equal((await safe.plugin('one')).state, 'disabled')
  }
  const failing = {
    files: {
      'index.ts':
        "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup() { globalThis.setups = (globalThis.setups ?? 0) + 1; throw new Error('not today') } })",
    },
  }
  const counted = globalThis as { setups?: number }
  t.teardown(() => delete counted.setups)
  await using service = await startService({ plugins: { failing } })
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.equal(counted.setups, 1)
  await service.write('failing', 'index.ts', failing.files['index.ts'])
  await until('a save is a wish to try again', () => counted.setups! >= 2)
  t.equal((await service.plugin('failing')).state, 'failed')
})

t.test('the last error disappears with its cause', async (t) => {
  const good = answering('a').files['index.ts']!
  const strict = good
    .replace('definePlugin }', 'definePlugin, Type }')
    .replace('definePlugin({', 'definePlugin({ config: Type.Object({ word: Type.String() }),')
    .replace("'a'", 'app.playhead.config.word')
  const claiming: FixturePlugin = { manifest: answering('b').manifest!, files: answering('b').files }
  await using service = await startService({
    plugins: { one: { ...answering('a'), manifest: { ...answering('a').manifest, section: 'one' } } },
  })
  const error = async () => (await service.plugin('one')).last_error?.code

  await service.write('one', 'index.ts', `${good} +`)
  await until('the mistake is reported', async () => (await error()) === 'PLH_PLUGIN_BUILD')
  await service.write('one', 'index.ts', good)
  await until('the mistake was taken back', async () => (await service.plugin('one')).last_error === null)
  t.equal((await service.plugin('one')).generation, 1, 'it is what runs')

  await service.write('one', 'index.ts', strict)
  await until('settings are missing', async () => (await error()) === 'PLH_CONFIG_INVALID')
  await service.json('/api/config', { json: { one: { word: 'given' } } })
  await until('the settings are there', async () => (await service.json('/api/one')).body.text === 'given')
  t.equal(await error(), undefined)

  await service.writePlugin('two', claiming)
  await service.writeRegistry([
    { id: 'one', source: './plugins/one' },
    { id: 'two', source: './plugins/two' },
  ])
  await until(
    'the conflict is reported',
    async () => (await service.plugin('two'))?.last_error?.code === 'PLH_PLUGIN_ROUTE_CONFLICT',
  )
  await service.host.disable('one')
  await until('the other one runs', async () => (await service.plugin('two')).state === 'active')
  t.equal((await service.plugin('two')).last_error, null)
  t.same((await service.json('/api/one')).body, { text: 'b' })
})

t.test('an unreadable registry is reported and changes nothing', async (t) => {
  await using service = await startService({ plugins: { one: answering('a') }, watch: false })
  await writeFile(join(service.directory, 'data', 'plugin-registry.json'), '{ "version": 1, "plugins": [ }')

  const { body } = await service.json('/api/plugins/rescan', { method: 'POST' })

  t.match(body.problems, [{ code: 'PLH_PLUGIN_MANIFEST', message: /is not JSON/ }])
  t.equal((await service.json('/api/one')).status, 200)
  const answer = await service.json('/api/plugins/one/disable', { method: 'POST' })
  t.equal(answer.body.ok, false, 'it is not written over')
  t.equal(
    await readFile(join(service.directory, 'data', 'plugin-registry.json'), 'utf8'),
    '{ "version": 1, "plugins": [ }',
  )
})

t.test('a safe start loads no plugin, and plugins can be turned on one by one', async (t) => {
  await using service = await startService({ plugins: { one: answering('a') }, host: { safe: true }, watch: false })

  t.match((await service.json('/api/plugins')).body, { safe_mode: true, plugins: [{ id: 'one', state: 'disabled' }] })
  t.equal((await service.json('/api/health')).status, 200)
  await service.json('/api/plugins/one/enable', { method: 'POST' })
  t.same((await service.json('/api/one')).body, { text: 'a' })
})

t.test('a normal start compiles only changed sources', async (t) => {
  const directory = t.testdir()
  {
    await using service = await startService({ plugins: { one: answering('a') }, directory, watch: false })
    t.equal((await service.plugin('one')).phases.from_cache, false)
  }
  {
    await using service = await startService({
      plugins: { one: answering('a') },
      directory,
      watch: false,
      withoutAccount: true,
    })
    await signIn(service)
    t.equal((await service.plugin('one')).phases.from_cache, true)
    t.same((await service.json('/api/one')).body, { text: 'a' })
  }
  await using service = await startService({
    plugins: { one: answering('b') },
    directory,
    watch: false,
    withoutAccount: true,
  })
  await signIn(service)
  t.equal((await service.plugin('one')).phases.from_cache, false)
  t.same((await service.json('/api/one')).body, { text: 'b' })
})

t.test('a running version shows its own lines, regardless of later compilations', async (t) => {
  const throwing = (line: string) => ({
    manifest: { routes: [{ method: 'GET', path: '/api/one' }] },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'\n\n\nexport default definePlugin({ ${line}routes(app) { app.get('/api/one', () => {\n  throw new Error('línea cinco, 五行目')\n}) } })`,
    },
  })
  await using service = await startService({ plugins: { one: throwing('') }, watch: false })
  await service.writePlugin('one', throwing('setup() { throw new Error() }, '))
  for (let time = 0; time < 2; time += 1) await service.json('/api/plugins/one/reload', { method: 'POST' })

  t.equal((await service.json('/api/one')).status, 500)

  t.match(
    service.log.find((line) => line.includes('línea cinco, 五行目')),
    /plugins\/one\/index\.ts:5:/,
  )
  t.match(await service.plugin('one'), { state: 'active', generation: 1, last_error: { phase: 'run', line: 5 } })
})

t.test('changed settings reach the plugin: by a reload, or in place on request', async (t) => {
  const configured = (listening: boolean): FixturePlugin => ({
    manifest: { routes: [{ method: 'GET', path: `/api/settings/${listening}` }], section: `section_${listening}` },
    files: {
      'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ size: Type.Integer({ default: 3 }), api_secret: Type.String({ secret: true, default: '' }) }),
  setup(ctx) { ${listening ? 'ctx.onConfigChange((config) => ctx.streams.publish(`${ctx.id}/seen`, { data: String(config.size) }))' : ''} },
  routes(app) { app.get('/api/settings/${listening}', () => ({ size: app.playhead.config.size, generation: app.playhead.generation })) },
})`,
    },
  })
  await using service = await startService({
    plugins: { reloading: configured(false), listening: configured(true) },
    watch: false,
  })
  t.same((await service.json('/api/settings/false')).body, { size: 3, generation: 1 })

  const saved = await service.json('/api/config', {
    json: { section_false: { size: 8, api_secret: 'topsecret-value' }, section_true: { size: 9 } },
  })
  t.equal(saved.status, 200)
  t.notMatch(JSON.stringify(saved.body), /topsecret-value/, 'a secret that a plugin marks is masked')

  await until(
    'the plugin has the new settings',
    async () => (await service.json('/api/settings/false')).body.size === 8,
  )
  t.same((await service.json('/api/settings/false')).body, { size: 8, generation: 2 })
  t.same((await service.json('/api/settings/true')).body, { size: 9, generation: 1 })
  t.same(
    service.streams.read('listening/seen').map(({ data }) => data),
    ['9'],
  )

  const refused = await service.json('/api/config', { json: { section_false: { size: 'large' } } })
  t.match(refused, { status: 422, body: { detail: [{ loc: ['body', 'section_false', 'size'] }] } })
  t.same((await service.json('/api/settings/false')).body.size, 8)
})

t.test('settings saved while a plugin is staged reach it, and a file check does not swallow a reload', async (t) => {
  const slow: FixturePlugin = {
    manifest: { routes: [{ method: 'GET', path: '/api/slow' }], section: 'slow' },
    files: {
      'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ size: Type.Integer({ default: 1 }) }),
  setup: () => new Promise((resolve) => setTimeout(resolve, 300)),
  routes(app) { app.get('/api/slow', () => ({ size: app.playhead.config.size, generation: app.playhead.generation })) },
})`,
    },
  }
  await using service = await startService({ plugins: { slow: { ...slow, registry: { enabled: false } } } })
  const enabling = service.host.enable('slow')
  await until('it is staged', () => service.host.detail('slow').state === 'staging')
  await service.json('/api/config', { json: { slow: { size: 7 } } })
  await enabling
  await until('it has the settings', async () => (await service.json('/api/slow')).body.size === 7)

  const before = (await service.plugin('slow')).generation as number
  const first = service.host.reload('slow')
  // Touched but unchanged during the first reload: the queued check must not drop the second reload.
  await service.write('slow', 'index.ts', slow.files['index.ts'] as string)
  await new Promise((resolve) => setTimeout(resolve, 120))
  await Promise.all([first, service.host.reload('slow')])
  t.equal((await service.plugin('slow')).generation, before + 2)
  t.equal((await service.json('/api/slow')).body.size, 7)
})

t.test('a plugin that stores its own settings is not reloaded by that', async (t) => {
  const own: FixturePlugin = {
    manifest: { routes: [{ method: 'POST', path: '/api/own/token' }] },
    files: {
      'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ access_token: Type.String({ secret: true, default: '' }), other: Type.Integer({ default: 1 }) }),
  routes(app) {
    app.post('/api/own/token', async () => {
      await app.playhead.updateConfig({ access_token: 'fresh-token-value' })
      return { generation: app.playhead.generation, now: app.playhead.config.access_token === 'fresh-token-value', other: app.playhead.config.other }
    })
  },
})`,
    },
  }
  await using service = await startService({ plugins: { own }, watch: false })

  t.same((await service.json('/api/own/token', { json: {} })).body, { generation: 1, now: true, other: 1 })
  t.equal((await service.plugin('own')).generation, 1)
  t.notMatch(
    await readFile(join(service.directory, 'data', 'config.json'), 'utf8'),
    /fresh-token-value/,
    'secrets are encrypted at rest',
  )
})

t.test('changes of own settings that are based on the stored ones never overwrite each other', async (t) => {
  const own: FixturePlugin = {
    manifest: { routes: [{ method: 'POST', path: '/api/own/add/:name' }] },
    files: {
      'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ names: Type.Array(Type.String(), { default: [] }) }),
  routes(app) {
    app.post('/api/own/add/:name', async ({ params }) => {
      await app.playhead.updateConfig(({ names = [] }) => {
        if (params.name === 'no') throw new Error('refused')
        return { names: [...names, params.name] }
      })
      return { ok: true }
    })
  },
})`,
    },
  }
  await using service = await startService({ plugins: { own }, watch: false })
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`)

  const answers = await Promise.all([...names, 'no'].map((name) => service.json(`/api/own/add/${name}`, { json: {} })))

  t.equal(answers.filter(({ status }) => status === 200).length, names.length)
  const { body } = await service.json('/api/config')
  t.same((body as { plugins: { own: { names: string[] } } }).plugins.own.names.toSorted(), names.toSorted())
})

for (const isolation of ['none', 'thread'] as const)
  t.test(
    `what setup made reaches routes and the check, and is handed over at the swap (isolation: ${isolation})`,
    async (t) => {
      const counter = (step: number): FixturePlugin => ({
        manifest: { isolation, routes: [{ method: 'POST', path: '/api/counter' }] },
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  setup: async () => ({ count: 0 }),
  selfCheck(_ctx, made) { if (made.count !== 0) throw new Error('not what setup made') },
  handover: { give: (_ctx, made) => made.count, take: (_ctx, value, made) => { made.count = value } },
  routes(app, made) { app.post('/api/counter', () => ({ count: made.count += ${step} })) },
})`,
        },
      })
      await using service = await startService({ plugins: { counter: counter(1) }, watch: false })
      for (let i = 0; i < 5; i += 1) await service.json('/api/counter', { json: {} })

      await service.writePlugin('counter', counter(10))
      await service.host.reload('counter')

      t.same((await service.json('/api/counter', { json: {} })).body, { count: 15 })
    },
  )

t.test('a stream of items from a capability holds its plugin until it was read, across a reload', async (t) => {
  const source = (version: number): FixturePlugin => ({
    manifest: { provides: ['items:source'] },
    files: {
      'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({ setup(ctx) {
  ctx.provide(capability('items:source'), { version: ${version}, async *read(n) { for (let i = 0; i < n; i += 1) { await new Promise((resolve) => setTimeout(resolve, 20)); yield { i, version: ${version} } } } })
} })`,
    },
  })
  const reader: FixturePlugin = {
    manifest: { requires: ['items:source'], routes: [{ method: 'GET', path: '/api/read' }] },
    files: {
      'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({ routes(app) {
  const source = app.playhead.use(capability('items:source'))
  app.get('/api/read', async () => {
    const seen = []
    for await (const item of source.read(25)) seen.push(item.version)
    return { seen, version: source.version }
  })
} })`,
    },
  }
  await using service = await startService({ plugins: { source: source(1), reader }, watch: false })
  const reading = service.json('/api/read')
  await until('the reading began', async () => (await service.plugin('source')).in_flight > 0)

  await service.writePlugin('source', source(2))
  await service.host.reload('source')

  t.same((await reading).body, { seen: Array.from({ length: 25 }, () => 1), version: 2 })
  t.same((await service.json('/api/read')).body, { seen: Array.from({ length: 25 }, () => 2), version: 2 })
  t.equal((await service.plugin('reader')).generation, 1, 'the reader was not restarted')
})

t.test('the API description follows the live plugins', async (t) => {
  await using service = await startService({ plugins: { one: answering('a') }, watch: false })
  const paths = async () => Object.keys((await service.json('/openapi.json')).body.paths)

  t.ok((await paths()).includes('/api/one'))
  t.ok((await paths()).includes('/api/config'))
  t.notOk((await paths()).includes('/healthz'))
  t.equal((await service.json('/openapi.json')).body.openapi, '3.1.0')

  await service.host.disable('one')
  t.notOk((await paths()).includes('/api/one'))
})

async function signIn(service: Awaited<ReturnType<typeof startService>>): Promise<void> {
  const answer = await service.call('/api/app-auth/login', {
    json: { username: 'ada', password: 'correct horse battery' },
  })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
}

t.test('the revision of the host never stands for two states of settings and plugins', async (t) => {
  const lamp = (color: string): FixturePlugin => ({
    manifest: { section: 'lamp', provides: ['lamp'], isolation: 'none' },
    files: {
      'index.ts': `import { capability, definePlugin, Type } from '@playhead/sdk'
let level = 0
export default definePlugin({
  config: Type.Object({ level: Type.Integer({ default: 0 }) }),
  setup(ctx) {
    level = ctx.config.level
    ctx.provide(capability('lamp'), { state: async () => '${color} ' + level })
    // Takes its time, as a plugin may.
    ctx.onConfigChange(async (config) => { await new Promise((resolve) => setTimeout(resolve, 40)); level = config.level })
  },
})`,
    },
  })
  await using service = await startService({
    plugins: {
      lamp: lamp('red'),
      room: {
        manifest: { routes: [{ method: 'GET', path: '/api/room' }], requires: ['lamp'] },
        files: {
          'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const ctx = app.playhead
    app.get('/api/room', async () => {
      const [before, state] = [ctx.host.revision(), await ctx.use(capability('lamp')).state()]
      return { revision: before === ctx.host.revision() ? before : null, state }
    })
  },
})`,
        },
      },
    },
  })
  const states = new Map<string, string>()
  const look = async () => {
    const { body } = await service.json('/api/room')
    if (typeof body.revision !== 'string') return undefined
    const known = states.getOrInsert(body.revision, body.state)
    t.equal(body.state, known, body.revision)
    return body.state as string
  }
  const lookWhile = async (work: Promise<unknown>) => {
    let isOver = false
    void work.finally(() => {
      isOver = true
    })
    while (!isOver) await look()
  }
  await lookWhile(until('it shines', look))
  for (let level = 1; level <= 8; level += 1) {
    await lookWhile(service.json('/api/config', { json: { lamp: { level } } }))
    await lookWhile(until(`level ${level}`, async () => (await look()) === `red ${level}`))
  }
  await service.writePlugin('lamp', lamp('blue'))
  await lookWhile(until('it is blue', async () => (await look())?.startsWith('blue')))
  const last = (await service.json('/api/room')).body.revision
  t.equal((await service.json('/api/room')).body.revision, last, 'while nothing changes')
  await service.json('/api/plugins/lamp/reload', { method: 'POST' })
  t.not((await service.json('/api/room')).body.revision, last)
  t.ok(states.size >= 10)
})
