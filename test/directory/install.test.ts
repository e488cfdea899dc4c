// The directory through the running service: install from a folder without a network, update from a mirror, go back,
// withdrawn versions, refused and unreachable lists, and removal with or without what the plugin stored.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CatalogueEntry } from '@playhead/sdk'
import { startService, until } from '../harness.ts'
import { expectOk } from '../demo/sign-in.ts'
import { catalogueOf, createSigner, DAY, makePlugin, shipFolder } from './catalogues.ts'
import { startMirror } from './mirror.ts'

const PLUGIN = join(import.meta.dirname, '..', '..', 'plugins', 'services', 'directory')
const signer = createSigner()
/** Stores something of every sort, and answers with its version. */
const source = (version: string) => `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({ litres: Type.Integer({ default: 1 }), token: Type.String({ default: '', secret: true }) }),
  migrations: [{ name: 'pours', async up(db) {
    await db.schema.createTable('kettle__cups').addColumn('id', 'integer', (column) => column.primaryKey()).execute()
    await db.schema.createTable('kettle__pours').addColumn('n', 'integer', (column) => column.references('kettle__cups.id').notNull()).execute()
    await db.insertInto('kettle__cups').values({ id: 1 }).execute()
    await db.insertInto('kettle__pours').values({ n: 1 }).execute()
  } }],
  async setup(ctx) {
    await ctx.store.set('filled', true)
    await ctx.files.write('log.txt', 'poured')
    await ctx.openDatabase('steam', { migrations: [] })
    ctx.every('1h', 'boil', async () => {})
  },
  routes(app) { app.get('/api/kettle', {}, () => ({ version: '${version}' })) },
})
`
const manifest = { needs: { database: true, secrets: ['token'] }, routes: [{ method: 'GET', path: '/api/kettle' }] }
const making = (version: string, more: object = {}) => ({
  version,
  manifest: { ...manifest, ...more },
  source: source(version),
})

async function open(t: Test, plugins: (shipped: string) => Promise<readonly CatalogueEntry[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-directory-'))
  const shipped = join(folder, 'shipped')
  const entries = await plugins(shipped)
  await writeFile(join(folder, 'catalogue.json'), signer.file(catalogueOf(entries, { serial: 3 })))
  const mirror = await startMirror()
  const service = await startService({
    plugins: { directory: { files: {}, registry: { source: PLUGIN } } },
    watch: false,
    pluginDirectory: {
      shippedCatalogue: join(folder, 'catalogue.json'),
      shippedPlugins: shipped,
      catalogueKeys: signer.keys,
    },
  })
  t.teardown(async () => {
    await service[Symbol.asyncDispose]()
    await mirror[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })
  const get = async (path: string) => (await service.json(path)).body
  async function put(section: string, values: object): Promise<void> {
    await expectOk(service, `/api/config/sections/${section}`, { values }, 'PUT')
    await service.host.settled()
  }
  return {
    service,
    get,
    put,
    mirror,
    entries,
    listing: async (id = 'kettle') => (await get(`/api/directory/${id}`)).plugin,
    data: join(service.directory, 'data'),
    set: (address: string) => put('plugins.directory', { address }),
    look: async () => (await service.json('/api/directory/refresh', { json: {} })).body,
    publish: (
      plugins: readonly CatalogueEntry[],
      serial: number,
      file = signer.file(catalogueOf(plugins, { serial })),
    ) => mirror.put('/catalogue.json', file),
  }
}

t.test(
  'a plugin is installed from its folder, updated from a mirror, rolled back, withdrawn and removed',
  async (t) => {
    const { service, mirror, entries, listing, data, look, publish, get, put, ...place } = await open(
      t,
      async (shipped) => [await shipFolder(shipped, making('1.0.0'))],
    )
    t.match((await get('/api/directory')) as object, {
      catalogue: { serial: 3, from: 'shipped' },
      look: { host: null, checked_at: null, error: null },
      plugins: [
        { id: 'kettle', state: 'available', version: null, newest: { version: '1.0.0', ships: true, works: true } },
      ],
    })
    t.same((await look()).state, 'off')

    // One press shows what it asks for; nothing runs before it is accepted.
    const staged = await expectOk(service, '/api/directory/kettle/install', {})
    t.same(staged, { ok: true, state: 'review', id: 'kettle', version: '1.0.0' })
    const review = (await get('/api/plugin-packages/kettle')).package
    t.match(review, { source: 'directory', version: null, staged: { version: '1.0.0' } })
    t.ok(review.staged.asks.some(({ ask }: { ask: string }) => ask === 'secret token'))
    t.equal((await service.json('/api/kettle')).status, 404)
    t.match(await expectOk(service, '/api/plugin-packages/kettle/accept', { version: '1.0.0' }), { ok: true })
    t.same((await service.json('/api/kettle')).body, { version: '1.0.0' })
    t.match(await listing(), { state: 'installed', version: '1.0.0', origin: 'directory' })
    t.same((await expectOk(service, '/api/directory/kettle/install', {})).state, 'newest')
    t.match(await service.json('/api/plugin-packages/kettle/update', { json: {} }), {
      status: 409,
      body: { error: 'package_from_directory' },
    })
    t.same(mirror.asked, [], 'no network so far')
    const file = join(data, 'database.sqlite')
    t.same(await tablesIn(file, 'directory'), [], 'no job without an address')

    // A newer version that asks for nothing new is live at once.
    const next = makePlugin(making('1.1.0'))
    const both = {
      ...entries[0]!,
      versions: [{ ...next.version, changes: ['Boils faster.'] }, ...entries[0]!.versions],
    }
    publish([both], 4)
    mirror.put(`/${next.version.archive!.file}`, next.archive)
    await place.set(`${mirror.url}/catalogue.json`)
    t.match(await look(), { ok: true, state: 'newer', look: { host: new URL(mirror.url).host, error: null } })
    t.match(await look(), { ok: true, state: 'same' })
    t.same(mirror.asked, ['/catalogue.json 200', '/catalogue.json 304'])
    t.same(await tablesIn(file, 'directory'), ['core__jobs'])
    t.match(await listing(), {
      state: 'update',
      newest: { version: '1.1.0', ships: false, changes: ['Boils faster.'] },
    })
    t.match(await expectOk(service, '/api/directory/kettle/install', {}), {
      ok: true,
      state: 'updated',
      version: '1.1.0',
    })
    t.same((await service.json('/api/kettle')).body, { version: '1.1.0' })
    t.match(await expectOk(service, '/api/plugin-packages/kettle/rollback', {}), {
      ok: true,
      package: { version: '1.0.0' },
    })
    t.same((await service.json('/api/kettle')).body, { version: '1.0.0' })

    // A version with a new request waits for a review.
    const curious = makePlugin(making('1.2.0', { needs: { ...manifest.needs, hosts: ['tea.example'] } }))
    const third = { ...both, versions: [curious.version, ...both.versions] }
    publish([third], 5)
    mirror.put(`/${curious.version.archive!.file}`, curious.archive)
    await look()
    t.match(await expectOk(service, '/api/directory/kettle/install', {}), { state: 'review', version: '1.2.0' })
    t.match(
      (await get('/api/plugin-packages/kettle')).package.staged.asks.filter((ask: { new: boolean }) => ask.new),
      [{ ask: 'host tea.example' }],
    )
    await expectOk(service, '/api/plugin-packages/kettle/discard', {})

    // The installed version is withdrawn.
    const why = 'It forgets what it boiled.'
    const withdrawn = {
      ...third,
      versions: third.versions.map((one) =>
        one.version === '1.0.0' ? { ...one, withdrawn: { date: DAY, why } } : one,
      ),
    }
    publish([withdrawn], 6)
    await look()
    t.match(await listing(), { state: 'withdrawn', withdrawn: { date: DAY, why }, newest: { version: '1.2.0' } })
    t.match(await service.json('/api/directory/kettle/install', { json: { version: '1.0.0' } }), {
      status: 409,
      body: { error: 'version_withdrawn' },
    })
    t.same((await service.json('/api/kettle')).body, { version: '1.0.0' }, 'it runs on: the person decides')

    // Removed with all that it stored.
    const stored = async () => {
      const config = JSON.parse(await readFile(join(data, 'config.json'), 'utf8'))
      return {
        settings: config.plugins?.kettle !== undefined,
        databases: existsSync(join(data, 'databases', 'kettle')),
        files: existsSync(join(data, 'plugins', 'kettle', 'files')),
        packages: existsSync(join(data, 'plugins', 'installed', 'kettle')),
        compiled: (await readdir(join(data, 'cache', 'plugins'))).some((name) => name.startsWith('kettle-')),
      }
    }
    await put('plugins.kettle', { litres: 2, token: 'boiling-secret' })
    t.same(await stored(), { settings: true, databases: true, files: true, packages: true, compiled: true })
    t.match(await service.json('/api/plugin-packages/kettle?data=all', { method: 'DELETE' }), { status: 422 })
    await service.json('/api/plugin-packages/kettle', { method: 'DELETE' })
    t.same(await stored(), { settings: true, databases: true, files: true, packages: false, compiled: false })
    t.match(await listing(), { state: 'available', version: null })

    await expectOk(service, '/api/directory/kettle/install', { version: '1.1.0' })
    await expectOk(service, '/api/plugin-packages/kettle/accept', { version: '1.1.0' })
    t.match(
      JSON.stringify(await get('/api/config/sections/plugins.kettle')),
      /"litres":2/,
      'kept settings are used again',
    )
    await until('it runs', async () => (await service.json('/api/kettle')).status === 200)
    t.match(await service.json('/api/plugin-packages/kettle?data=delete', { method: 'DELETE' }), { status: 200 })
    t.same(await stored(), { settings: false, databases: false, files: false, packages: false, compiled: false })
    t.equal((await service.json('/api/kettle')).status, 404)
    const tables = await tablesIn(file, 'kettle')
    t.same(tables, [], 'no table, migration or job is left')
    t.notMatch(service.log.join('\n'), /boiling-secret/)
  },
)

/** Tables and rows of an owner. */
async function tablesIn(file: string, owner: string): Promise<readonly string[]> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE ? || '__%'").all(owner)
    const rows = ['core__migrations', 'core__jobs'].flatMap((table) =>
      database.prepare(`SELECT '${table}' AS name FROM ${table} WHERE owner = ?`).all(owner),
    )
    return [...tables, ...rows].map(({ name }) => String(name))
  } finally {
    database.close()
  }
}

t.test('requests at once for one version make it live once', async (t) => {
  const { service, mirror, entries, look, publish, set, get } = await open(t, async (shipped) => [
    await shipFolder(shipped, making('1.0.0')),
  ])
  await expectOk(service, '/api/directory/kettle/install', {})
  await expectOk(service, '/api/plugin-packages/kettle/accept', { version: '1.0.0' })
  const next = makePlugin(making('1.1.0'))
  publish([{ ...entries[0]!, versions: [next.version, ...entries[0]!.versions] }], 4)
  mirror.put(`/${next.version.archive!.file}`, next.archive)
  await set(`${mirror.url}/catalogue.json`)
  await look()
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => service.json('/api/directory/kettle/install', { json: {} })),
  )
  for (const { status, body } of answers) {
    t.match({ status, body }, { status: 200, body: { ok: true, version: '1.1.0' } })
    t.match(body.state, /^(?:updated|newest)$/)
  }
  t.match((await get('/api/plugin-packages/kettle')).package, {
    ...{ version: '1.1.0', previous: '1.0.0', rolled_back: null, staged: null },
  })
  t.same((await service.json('/api/kettle')).body, { version: '1.1.0' })
})

t.test('a removal with all data that a crash cut off is completed by the next start', async (t) => {
  const directory = t.testdir({ kettle: {}, pan: {} })
  const data = join(directory, 'data')
  for (const id of ['kettle', 'pan']) {
    await writeFile(
      join(directory, id, 'plugin.json'),
      JSON.stringify({ id, name: id, version: '1.0.0', api: '^1.0.0', kind: 'service', ...manifest, routes: [] }),
    )
    const text = source('1.0.0')
      .replaceAll('kettle__', `${id}__`)
      .replace(/ {2}routes\(.*\n/, '')
    await writeFile(join(directory, id, 'index.ts'), text)
  }
  const registryFile = join(data, 'plugin-registry.json')
  const left = async (id: string) => [
    ...(await tablesIn(join(data, 'database.sqlite'), id)),
    ...['databases', 'plugins'].filter((folder) => existsSync(join(data, folder, id))),
    ...(JSON.parse(await readFile(join(data, 'config.json'), 'utf8')).plugins?.[id] === undefined ? [] : ['settings']),
  ]
  const all = ['cups', 'pours'].map((name) => `kettle__${name}`)
  const rest = ['core__migrations', 'core__jobs', 'databases', 'plugins', 'settings']
  const start = (more = {}) => startService({ watch: false, directory, ...more })
  {
    await using service = await start()
    for (const id of ['kettle', 'pan']) {
      await expectOk(service, '/api/plugin-folders', { folder: join(directory, id) })
      await expectOk(service, `/api/plugins/${id}/enable`, {})
      await service.host.settled()
      await expectOk(service, `/api/config/sections/plugins.${id}`, { values: { litres: 2 } }, 'PUT')
    }
    await service.host.settled()
    t.same(await left('kettle'), [...all, ...rest])
  }
  // As a crash leaves it: kettle is out of the registry, pan is not yet.
  const registry = JSON.parse(await readFile(registryFile, 'utf8'))
  await writeFile(
    registryFile,
    JSON.stringify({ ...registry, plugins: registry.plugins.filter(({ id }: { id: string }) => id !== 'kettle') }),
  )
  await mkdir(join(data, 'run', 'removals'))
  for (const id of ['kettle', 'pan'])
    await writeFile(
      join(data, 'run', 'removals', `${id}.json`),
      JSON.stringify({ id, sections: [`plugins.${id}`], by: 'sam' }),
    )
  {
    await using service = await start({ withoutAccount: true })
    await service.host.settled()
    t.same(await left('kettle'), [])
    t.equal((await left('pan')).length, all.length + rest.length, 'it was not taken out, and keeps all')
    t.same(await readdir(join(data, 'run', 'removals')), [])
  }
})

t.test('a bad mirror changes nothing, and the page and the attention list say why', async (t) => {
  const { service, mirror, entries, look, publish, listing, set, get } = await open(t, async (shipped) => [
    await shipFolder(shipped, making('1.0.0')),
  ])
  await set(`${mirror.url}/catalogue.json`)
  const state = async () => {
    const { state, look: found } = await look()
    return [state, found.error?.code ?? null]
  }
  t.equal((await state())[0], 'failed', 'nothing is there')
  mirror.answerWith(503)
  t.equal((await state())[0], 'failed')
  mirror.answerWith(200)
  publish(entries, 2)
  t.same(await state(), ['failed', 'catalogue_older'])
  publish(entries, 9, createSigner('test').file(catalogueOf(entries, { serial: 9 })))
  t.same(await state(), ['failed', 'catalogue_signature'])
  publish(entries, 9, Buffer.alloc(2 * 1024 * 1024, 0x20))
  t.same(await state(), ['failed', 'catalogue_too_large'])
  t.match(await get('/api/directory'), {
    catalogue: { serial: 3, from: 'shipped' },
    look: { error: { code: 'catalogue_too_large' } },
  })
  // What ships can be installed all the same.
  t.match(await expectOk(service, '/api/directory/kettle/install', {}), { state: 'review' })
  await expectOk(service, '/api/plugin-packages/kettle/discard', {})

  // A changed archive at the mirror.
  const next = makePlugin(making('1.1.0'))
  publish([{ ...entries[0]!, versions: [next.version, ...entries[0]!.versions] }], 10)
  mirror.put(`/${next.version.archive!.file}`, makePlugin(making('1.1.0', { description: 'Changed.' })).archive)
  t.same(await state(), ['newer', null])
  const refused = await service.json('/api/directory/kettle/install', { json: {} })
  t.ok(refused.status === 409 || refused.status === 502, JSON.stringify(refused.body))
  t.match(await listing(), { state: 'available', version: null, staged: null })

  // Without an address no request is made, and the kept list stays.
  await set('')
  const before = mirror.asked.length
  t.match(await look(), { state: 'off' })
  t.match(await service.json('/api/directory/kettle/install', { json: {} }), {
    status: 409,
    body: { error: 'archive_needed' },
  })
  t.match(await get('/api/directory'), { catalogue: { serial: 10, from: 'fetched' }, look: { host: null } })
  t.equal(mirror.asked.length, before)
})

t.test('a folder that the list does not have yet is shown as such', async (t) => {
  const { service, listing } = await open(t, async (shipped) => {
    await shipFolder(shipped, {
      ...making('1.0.0'),
      id: 'pan',
      manifest: {},
      source: "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
    })
    return [await shipFolder(shipped, making('1.0.0'))]
  })
  const pan = await listing('pan')
  t.match(pan, { state: 'unlisted', newest: null, folder: /pan$/ })
  t.match(await service.json('/api/directory/pan/install', { json: {} }), {
    status: 409,
    body: { error: 'no_version_works' },
  })
  await expectOk(service, '/api/plugin-folders', { folder: pan.folder })
  t.match(await listing('pan'), { origin: 'folder', folder: null })
  t.match(await service.json('/api/directory/pot', {}), { status: 404, body: { error: 'plugin_unlisted' } })
})
