// slow: packages packed, installed and updated
// npm updates of a plugin that fail: the previous version, its data and its settings are kept.
import t from 'tap'
import { startService, until } from '../harness.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball } from './tarballs.ts'

t.setTimeout(900_000)
const NAME = 'playhead-plugin-hello'

interface Parts {
  readonly setup?: string
  readonly migrations?: string
  readonly config?: string
  readonly manifest?: object
  readonly id?: string
  readonly packageName?: string
}

const FIRST = "{ name: '001', up: (db) => db.schema.createTable('hello__seen').addColumn('at', 'bigint').execute() }"

function version(number: string, { setup = '', migrations = FIRST, config, manifest, id, packageName }: Parts = {}) {
  const source = `import { definePlugin, PlayheadError, Type } from '@playhead/sdk'
export default definePlugin({
  config: ${config ?? 'Type.Object({ mode: Type.String({ default: "quiet" }) })'},
  migrations: [${migrations}],
  async setup(ctx) { ${setup} },
  routes(app) {
    const { db } = app.playhead
    app.get('/api/hello', async () => {
      await db.insertInto('hello__seen').values({ at: 1 }).execute()
      const seen = await db.selectFrom('hello__seen').selectAll().execute()
      return { version: '${number}', seen: seen.length, mode: app.playhead.config.mode }
    })
    app.get('/api/hello/slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      const seen = await db.selectFrom('hello__seen').selectAll().execute()
      return { version: '${number}', seen: seen.length }
    })
  },
})
`
  const routes = ['/api/hello', '/api/hello/slow'].map((path) => ({ method: 'GET', path }))
  return tarball(
    pluginFiles(
      {
        version: number,
        ...(id === undefined ? {} : { id }),
        ...(packageName === undefined ? {} : { name: packageName }),
      },
      { source, manifest: { routes, ...manifest } },
    ),
  )
}

async function open() {
  const registry = await startNpmRegistry()
  const service = await startService({
    environment: { PLAYHEAD_NPM_REGISTRY: registry.url },
    host: { silenceMs: 4_000, drainMs: 5_000, limits: { setupMs: 8_000 } },
  })
  const publish = (number: string, parts?: Parts) =>
    registry.put(NAME, { name: NAME, version: number }, version(number, parts))
  publish('1.0.0')
  await service.json('/api/plugin-packages', { json: { package: NAME } })
  const installed = await service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.0' } })
  t.match(installed.body, { ok: true, package: { plugin: { state: 'active' } } })
  await service.json('/api/config', { json: { plugins: { hello: { mode: 'loud' } } } })
  await until('the settings are there', async () => (await service.json('/api/hello')).body?.mode === 'loud')
  return {
    service,
    publish,
    update: () => service.json('/api/plugin-packages/hello/update', { json: {} }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}

const SECOND = (up: string) => `${FIRST}, { name: '002', up: async (db) => { ${up} } }`
const FAILING: readonly (readonly [what: string, parts: Parts, reason: RegExp])[] = [
  ['its setup throws', { setup: "throw new Error('bad start')" }, /bad start/],
  ['its setup never ends', { setup: 'await new Promise(() => {})' }, /did not end/],
  ['its setup loops', { setup: 'for (;;) {}' }, /did not answer|did not end/],
  [
    'its migration deletes and then fails',
    { migrations: SECOND("await db.deleteFrom('hello__seen').execute(); throw new Error('bad migration')") },
    /bad migration/,
  ],
  [
    'its migration drops the table and then fails',
    { migrations: SECOND("await db.schema.dropTable('hello__seen').execute(); throw new Error('bad drop')") },
    /bad drop/,
  ],
]

t.test('a version that cannot run is rolled back with a reason, and no data or setting is lost', async (t) => {
  await using place = await open()
  const { service } = place
  for (const [index, [what, parts, reason]] of FAILING.entries()) {
    const number = `1.${index + 1}.0`
    const { seen } = (await service.json('/api/hello')).body
    place.publish(number, parts)
    const answer = await place.update()
    t.match(answer, { status: 200, body: { ok: false, package: { version: '1.0.0' } } }, what)
    t.match(answer.body.package, { rolled_back: { version: number, reason }, plugin: { state: 'active' } }, what)
    t.match((await service.json('/api/hello')).body, { version: '1.0.0', seen: seen + 1, mode: 'loud' }, what)
  }
})

t.test(
  "an update that needs more permissions waits for a person, and another plugin's package is refused",
  async (t) => {
    await using place = await open()
    const { service } = place
    for (const [index, [needs, ask]] of (
      [
        [{ hosts: ['ads.example.com'] }, 'host ads.example.com'],
        [{ secrets: ['token'] }, 'secret token'],
        [{ hooks: ['runFinished'] }, 'hook runFinished'],
        [{ memory: 900 }, 'memory 900'],
        [{ data: true }, 'power data'],
      ] as const
    ).entries()) {
      place.publish(`2.${index}.0`, { manifest: { needs } })
      const answer = await place.update()
      t.match(answer.body, { state: 'review', package: { version: '1.0.0' } }, JSON.stringify(answer.body))
      t.match(
        answer.body.package.staged?.asks.filter((one: any) => one.new),
        [{ ask }],
      )
      t.match((await service.json('/api/hello')).body, { version: '1.0.0', mode: 'loud' })
    }
    await service.json('/api/plugin-packages/hello/discard', { json: {} })
    for (const [number, parts] of [
      ['3.0.0', { id: 'goodbye' }],
      ['3.1.0', { id: 'sync' }],
      ['3.2.0', { packageName: 'playhead-plugin-other' }],
      ['3.3.0', { manifest: { version: '9.0.0' } }],
    ] as const) {
      place.publish(number, parts)
      const answer = await place.update()
      t.match(answer, { status: /^4/, body: { ok: false, detail: String } }, number)
      t.match((await service.json('/api/hello')).body, { version: '1.0.0', mode: 'loud' })
      t.match((await service.json('/api/plugin-packages')).body.packages, [
        { id: 'hello', version: '1.0.0', staged: null },
      ])
    }
  },
)

t.test(
  'a plugin that is removed during a request finishes its response, and finds its data when it is installed again',
  async (t) => {
    await using place = await open()
    const { service } = place
    const { seen } = (await service.json('/api/hello')).body
    const slow = service.json('/api/hello/slow')
    await until('it is asked', async () => (await service.plugin('hello')).in_flight !== 0)
    t.match(await service.json('/api/plugin-packages/hello', { method: 'DELETE' }), { status: 200 })
    const answer = await slow
    t.match(answer, { status: 200, body: { version: '1.0.0', seen } })
    t.equal((await service.json('/api/hello')).status, 404)
    await service.json('/api/plugin-packages', { json: { package: NAME } })
    await service.json('/api/plugin-packages/hello/accept', { json: { version: '1.0.0' } })
    t.match((await service.json('/api/hello')).body, { version: '1.0.0', seen: seen + 1, mode: 'loud' })
  },
)
