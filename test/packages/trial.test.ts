// slow: packages packed, installed and updated
// New versions on trial: after any failure the previous version is live again, and accepted permissions are enforced.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createNpmRegistry, readNpmSettings } from '../../core/packages/npm-registry.ts'
import { createPackages } from '../../core/packages/packages.ts'
import { startService, until, type Service } from '../harness.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball } from './tarballs.ts'

t.setTimeout(900_000)
const ROUTES = [{ method: 'GET', path: '/api/hello' }]

/** The plugin `hello` with something in its setup. */
function version(number: string, setup = '', manifest: object = {}): Buffer {
  const source = `import { definePlugin, hook, Type } from '@playhead/sdk'
export default definePlugin({
  setup(ctx) { ${setup} },
  routes(app) {
    app.get('/api/hello', async () => {
      const count = ((await app.playhead.store.get('count')) ?? 0) + 1
      await app.playhead.store.set('count', count)
      return { version: '${number}', count }
    })
  },
})
`
  return tarball(pluginFiles({ version: number }, { source, manifest: { routes: ROUTES, ...manifest } }))
}

const NAME = 'playhead-plugin-hello'

async function open(host: Parameters<typeof startService>[0] = {}) {
  const registry = await startNpmRegistry()
  const service = await startService({ environment: { PLAYHEAD_NPM_REGISTRY: registry.url }, ...host })
  const publish = (number: string, bytes: Buffer) => registry.put(NAME, { name: NAME, version: number }, bytes)
  return {
    registry,
    service,
    publish,
    async install() {
      publish('1.0.0', version('1.0.0'))
      await service.json('/api/plugin-packages', { json: { package: NAME } })
      return service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.0' } })
    },
    update: () => service.json('/api/plugin-packages/hello/update', { json: {} }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}

const packageOf = async (service: Service) => (await service.json('/api/plugin-packages/hello')).body.package
const userRegistry = (service: Service) => join(service.directory, 'data', 'plugin-registry.json')

t.test(
  'a version that fails to start, hangs in its setup or breaks later is rolled back to the previous one',
  async (t) => {
    await using place = await open({ host: { silenceMs: 1_500, drainMs: 200 } })
    const { service } = place
    t.match(await place.install(), { body: { ok: true, package: { plugin: { state: 'active' } } } })
    for (const [number, setup, reason] of [
      ['1.1.0', "throw new Error('bad start')", /bad start/],
      ['1.3.0', 'for (;;) {}', /did not answer|did not end its setup/],
      ['1.4.0', "ctx.provide({ token: 'not:declared' }, {})", /does not declare it/],
    ] as const) {
      place.publish(number, version(number, setup))
      const before = (await service.json('/api/hello')).body.count
      const answer = await place.update()
      t.match(answer, { status: 200, body: { ok: false, state: 'updated', package: { version: '1.0.0' } } }, number)
      t.match(answer.body.package, { rolled_back: { version: number, reason }, plugin: { state: 'active' } }, number)
      t.match((await service.json('/api/hello')).body, { version: '1.0.0', count: before + 1 })
      t.match(await place.update(), { status: 409, body: { error: 'update_failed_before' } })
    }

    // The version starts, and breaks soon after.
    place.publish('1.5.0', version('1.5.0', "setTimeout(() => { throw new Error('later') }, 500)"))
    t.match((await place.update()).body, { ok: true, package: { version: '1.5.0' } })
    await until('it gave way', async () => (await packageOf(service)).version === '1.0.0', 30_000)
    await until('the old one runs', async () => (await service.json('/api/hello')).body?.version === '1.0.0', 30_000)
    t.match((await packageOf(service)).rolled_back, { version: '1.5.0', reason: /later/ })
    const told = (await service.json('/api/plugins/hello')).body.plugin
    t.match(told, { state: 'active', version: '1.0.0' })

    // A version that is named explicitly is tried again, and a good version ends the trial.
    place.publish('1.6.0', version('1.6.0'))
    t.match((await place.update()).body, {
      ok: true,
      package: { version: '1.6.0', previous: '1.0.0', rolled_back: null },
    })
  },
)

t.test('after its trial a version stays, even if it breaks', async (t) => {
  await using place = await open({ host: { trialMs: 100 } })
  const { service } = place
  await place.install()
  place.publish('1.1.0', version('1.1.0', "setTimeout(() => { throw new Error('much later') }, 2_000)"))
  t.match((await place.update()).body, { ok: true })
  await until('the trial is over', async () => (await packageOf(service)).trial === null)
  await until('it broke', async () => (await service.plugin('hello')).state === 'quarantined', 30_000)
  t.match(await packageOf(service), { version: '1.1.0', rolled_back: null })
})

t.test('a trial survives a restart: a version that does not start is rolled back at the next start', async (t) => {
  await using registry = await startNpmRegistry()
  await using first = await startService({ environment: { PLAYHEAD_NPM_REGISTRY: registry.url } })
  const { directory } = first
  const data = join(directory, 'data')
  // Act like the command line while no service runs.
  const packages = createPackages({
    files: {
      bundledRegistry: join(directory, 'plugin-registry.json'),
      userRegistry: join(data, 'plugin-registry.json'),
      packages: join(data, 'plugins', 'installed'),
    },
    npm: async () =>
      createNpmRegistry({ settings: await readNpmSettings(data, { PLAYHEAD_NPM_REGISTRY: registry.url }, data) }),
    nowMs: () => Date.now(),
  })
  registry.put(NAME, { name: NAME, version: '1.0.0' }, version('1.0.0'))
  await packages.stage(NAME)
  await packages.accept('hello', '1.0.0')
  await until('it runs', async () => (await first.json('/api/hello')).body?.version === '1.0.0')
  await first.stop()
  registry.put(NAME, { name: NAME, version: '2.0.0' }, version('2.0.0', "throw new Error('never starts')"))
  t.match(await packages.stageUpdate('hello'), { state: 'ready' })
  t.match(await packages.accept('hello', '2.0.0'), { version: '2.0.0', previous: '1.0.0', trial: 'starting' })

  await using second = await startService({ directory, withoutAccount: true })
  await until('it was rolled back', async () => (await packages.list())[0]?.version === '1.0.0')
  await until('the old one runs', () => second.log.some((line) => line.includes('was rolled back to 1.0.0')))
  second.setCookie(first.cookie())
  await until('it answers', async () => (await second.json('/api/hello')).body?.version === '1.0.0')
  t.match((await packages.list())[0], { rolledBack: { version: '2.0.0', reason: /never starts/ } })
})

t.test('undeclared permissions were not reviewed, and are refused', async (t) => {
  await using place = await open()
  const { service } = place
  place.publish('1.0.0', version('1.0.0', "ctx.tap(hook.notify('runFinished'), 'spy', () => {})"))
  await service.json('/api/plugin-packages', { json: { package: NAME } })
  const accepted = await service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.0' } })
  t.match(accepted.body, {
    ok: false,
    package: {
      plugin: { state: 'failed', last_error: { code: 'PLH_PLUGIN_REVIEW', message: /needs\.hooks: runFinished/ } },
    },
  })
  place.publish('1.0.1', version('1.0.1', "ctx.events.on('run.*', () => {})", { needs: { hooks: ['runFinished'] } }))
  t.match((await place.update()).body, { state: 'review' }, 'a hook more is a question')
  await service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.1' } })
  t.match((await packageOf(service)).rolled_back, { version: '1.0.1', reason: /needs\.hooks: event:run\.\*/ })
  place.publish(
    '1.0.2',
    version('1.0.2', "ctx.tap(hook.notify('runFinished'), 'a', () => {}); ctx.events.on('run.*', () => {})", {
      needs: { hooks: ['runFinished', 'event:run.*'] },
    }),
  )
  t.match((await place.update()).body, { state: 'review' })
  const last = await service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.2' } })
  t.match(last.body, { ok: true, package: { version: '1.0.2' } }, JSON.stringify(last.body))
  t.match(await service.plugin('hello'), { state: 'active', version: '1.0.2', last_error: null })

  // Files and registry that were edited by hand.
  const entry = JSON.parse(await readFile(userRegistry(service), 'utf8')).plugins[0]
  const manifest = join(service.directory, 'data', entry.source, 'plugin.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('"needs":{', '"needs":{"hosts":["evil.example.com"],'))
  await until('it is seen', async () => (await service.plugin('hello')).last_error !== null)
  t.match((await service.plugin('hello')).last_error, { code: 'PLH_PLUGIN_REVIEW', message: /evil\.example\.com/ })
  await writeFile(manifest, text.replace('"kind":"service"', '"kind":"service","description":"other"'))
  await until('it is seen', async () => (await service.plugin('hello')).last_error?.code === 'PLH_PLUGIN_INTEGRITY')
  await writeFile(manifest, text)
  await until('it is well again', async () => (await service.plugin('hello')).last_error === null)
})

t.test('malformed requests and requests at the wrong time change nothing', async (t) => {
  await using place = await open()
  const { service } = place
  for (const [path, json, status, error] of [
    ['', {}, 422, undefined],
    ['', { package: 7 }, 422, undefined],
    ['', { package: '../../etc' }, 400, 'package_name_invalid'],
    ['', { package: 'playhead-plugin-none' }, 404, 'package_unknown'],
    ['/nobody/accept', { version: '1.0.0' }, 404, 'plugin_package_unknown'],
    ['/nobody/accept', {}, 422, undefined],
    ['/nobody/discard', {}, 404, 'plugin_package_unknown'],
    ['/nobody/update', {}, 404, 'plugin_package_unknown'],
    ['/nobody/rollback', {}, 404, 'plugin_package_unknown'],
  ] as const) {
    const answer = await service.json(`/api/plugin-packages${path}`, { json })
    t.match(answer, { status, ...(error === undefined ? {} : { body: { ok: false, error } }) }, path)
  }
  t.match(await service.json('/api/plugin-packages/nobody', { method: 'DELETE' }), { status: 404 })
  await place.install()
  t.match(await service.json('/api/plugin-packages/hello/rollback', { json: {} }), {
    status: 409,
    body: { error: 'nothing_to_roll_back' },
  })
  t.match((await service.json('/api/plugin-packages', { json: { package: NAME } })).body, { state: 'newest' })
  place.registry.faults.status = 503
  t.match(await place.update(), { status: 502, body: { error: 'registry_failed' } })
  t.match((await service.json('/api/hello')).body, { version: '1.0.0' })
  t.match((await service.json('/api/plugin-packages/hello', { method: 'DELETE' })).body, { ok: true })
  t.equal((await service.json('/api/plugins/hello')).status, 404)
  t.same((await service.json('/api/plugin-packages')).body.packages, [])
})
