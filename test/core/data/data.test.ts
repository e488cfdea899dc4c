// ctx.data: parts, copies of databases in use, checks, and a restore that takes effect with the next start.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DataGroup, PluginContext, StagedFile } from '@playhead/sdk'
import t from 'tap'
import { type FixturePlugin, startService } from '../../harness.ts'

declare global {
  var dataTestContext: PluginContext | undefined
}

const keeper: FixturePlugin = {
  manifest: { needs: { data: true, database: true }, activation: ['start'], data: { group: 'state' } },
  files: {
    'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  migrations: [{ name: '1', up: async (db) => { await db.schema.createTable('keeper__row').addColumn('text', 'text').execute() } }],
  async setup(ctx) {
    globalThis.dataTestContext = ctx
    const own = await ctx.openDatabase('own', { migrations: [{ name: 'a', up: async (db) => { await db.schema.createTable('row').addColumn('text', 'text').execute() } }] })
    ctx.tap({ name: 'healthDetail', kind: 'collect' }, 'keeper', async () => { await own.db.insertInto('row').values({ text: 'x' }).execute(); return [] })
    await ctx.files.write('note.txt', 'mine')
  },
})`,
  },
}

const ctx = () => globalThis.dataTestContext as PluginContext
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

async function unpack(folder: string, contents: Readonly<Record<string, string | Buffer>>): Promise<StagedFile[]> {
  const files: StagedFile[] = []
  for (const [path, content] of Object.entries(contents)) {
    const bytes = Buffer.from(content as string)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
    files.push({ path, size: bytes.length, sha256: sha256(bytes) })
  }
  return files
}

t.test('parts, copies and checks work on databases in use', async (t) => {
  await using service = await startService({ plugins: { keeper }, watch: false })
  const data = ctx().data()
  const parts = await data.parts()
  const byPath = new Map(parts.map((part) => [part.path, part]))
  t.match(byPath.get('config.json'), { kind: 'file', group: 'config', owner: 'core' })
  t.match(byPath.get('database.sqlite'), { kind: 'database', group: 'state', owner: 'core' })
  t.match(byPath.get('databases/keeper/own.sqlite'), { kind: 'database', group: 'state', owner: 'keeper' })
  t.match(byPath.get('plugins/keeper/files/note.txt'), { kind: 'file', group: 'state', owner: 'keeper', sizeBytes: 4 })
  t.notOk([...byPath.keys()].some((path) => /^(run|cache|restore)\/|-wal$|-shm$/.test(path)))
  for (const path of [
    'run/lock.sqlite',
    '../config.json',
    'cache/plugins/x.js',
    'plugins/installed/files/x',
    'x',
    '/config.json',
    'files/captures',
    'databases/keeper/own.new',
    'tls',
  ])
    t.equal(data.placeOf(path), undefined, path)

  const folder = await data.scratch()
  const copies = [
    { path: 'database.sqlite', to: join(folder, 'core.sqlite') },
    { path: 'databases/keeper/own.sqlite', to: join(folder, 'own.sqlite') },
  ]
  let isCopied = false
  const writing = (async () => {
    while (!isCopied) await ctx().host.health()
  })()
  const copied = await data.copyDatabases(copies)
  isCopied = true
  await writing
  t.match(copied, [
    { integrity: [], schemaVersions: { core: Number, keeper: 1 } },
    { integrity: [], schemaVersions: { keeper: 1 } },
  ])
  t.notOk(existsSync(join(folder, 'own.sqlite-wal')))
  t.match(await data.check('databases/keeper/own.sqlite'), { healthy: true, integrity: [], foreignKeyErrors: 0 })
  t.match(await data.optimise('databases/keeper/own.sqlite'), { beforeBytes: Number, afterBytes: Number })
  await t.rejects(data.check('run/lock.sqlite'), { code: 'PLH_NOT_FOUND' })
  await t.rejects(data.copyDatabases([{ path: 'databases/keeper/none.sqlite', to: join(folder, 'none') }]), {
    code: 'PLH_NOT_FOUND',
  })
  const stopped = AbortSignal.abort()
  await t.rejects(data.copyDatabases([{ path: 'store.sqlite', to: join(folder, 'store.sqlite') }], stopped), {
    code: 'PLH_ABORTED',
  })
  t.notOk(existsSync(join(folder, 'store.sqlite')))
  t.ok((await data.disk()).freeBytes > 0)

  // A damaged database is reported and not changed.
  const file = join(service.directory, 'data/databases/keeper/torn.sqlite')
  await writeFile(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_000, 7)]))
  t.match(await data.check('databases/keeper/torn.sqlite'), { healthy: false, integrity: [String] })
})

/** A process that is killed in the middle of `replaceFile`. */
async function killedWrite(file: string): Promise<void> {
  const module = join(import.meta.dirname, '../../../core/storage/atomic-file.ts')
  const code = `
    import { replaceFile } from ${JSON.stringify(module)}
    await replaceFile(${JSON.stringify(file)}, (async function* () { yield 'half'; process.send('begun'); await new Promise(() => setInterval(() => {}, 1000)) })())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  child.kill('SIGKILL')
  await once(child, 'exit')
}

t.test('an interrupted write leaves a file, which is reported after an hour; a running one is not', async (t) => {
  const files = (folder: string) =>
    ['files/captures/a.json', 'tls/key.pem', 'cache/plugins/x.js'].map((path) => join(folder, 'data', path))
  await using service = await startService({ plugins: { keeper }, watch: false })
  const root = join(service.directory, 'data')
  for (const file of files(service.directory)) await killedWrite(file)
  const litter = (await readdir(root, { recursive: true })).filter((name) => /\.playhead-.*\.tmp$/.test(name)).sort()
  t.equal(litter.length, 3)
  t.same(await ctx().data().leftovers(), [], 'it may be being written')
  const hourAgo = Date.now() / 1_000 - 3_601
  await utimes(join(root, litter[0]!), hourAgo, hourAgo)
  await writeFile(join(root, 'files/captures/.playhead-mine.tmp'), 'mine')
  await utimes(join(root, 'files/captures/.playhead-mine.tmp'), hourAgo, hourAgo)
  t.match(await ctx().data().leftovers(), [
    { path: litter[0], sizeBytes: 4, modifiedAtMs: Math.trunc(hourAgo * 1_000) },
  ])
  t.equal((await ctx().data().leftovers()).length, 1)
})

t.test('settings are checked with their key', async (t) => {
  await using service = await startService({ plugins: { keeper }, watch: false })
  const data = ctx().data()
  await service.json('/api/config', { json: { mine: { api_key: 'very secret value' } } })
  const file = (name: string) => readFile(join(service.directory, 'data', name), 'utf8')
  const [settings, key] = [await file('config.json'), await file('secret.key')]
  t.match(await data.checkSettings(settings, key), { encrypted: true, needsPassphrase: false, problem: null })
  t.match(await data.checkSettings(settings, null), { problem: null })
  const other = `playhead-key:v1:${Buffer.alloc(32, 3).toString('base64url')}\n`
  t.match(await data.checkSettings(settings, other), { problem: 'key_wrong' })
  t.match(await data.checkSettings(settings, ''), { problem: 'key_missing' })
  t.match(await data.checkSettings('{', key), { problem: 'unreadable' })
})

t.test('a restore takes effect with the next start, ends sessions, and changes no API tokens', async (t) => {
  const tokens: Record<string, { secret: string; token: { id: string } }> = {}
  const directory = t.testdir()
  const root = join(directory, 'data')
  let restarted = 0
  {
    await using service = await startService({ plugins: { keeper }, watch: false, directory })
    void service.ended.then((code) => (restarted = code))
    const data = ctx().data()
    const make = async (name: string) => {
      tokens[name] = (await service.json('/api/tokens', { json: { name, scope: 'admin' } })).body
    }
    await make('kept')
    await make('revoked')
    const folder = join(await data.scratch(), 'unpacked')
    const to = join(await data.scratch(), 'core.sqlite')
    await data.copyDatabases([{ path: 'database.sqlite', to }])
    await service.call(`/api/tokens/${tokens['revoked']?.token.id}`, { method: 'DELETE' })
    await make('later')
    await writeFile(join(root, 'plugin-catalogue.json'), 'number 9')
    const config = await readFile(join(root, 'config.json'), 'utf8')
    const plan = {
      label: 'a backup',
      groups: ['config', 'state'] as DataGroup[],
      files: await unpack(folder, {
        'config.json': config,
        'database.sqlite': await readFile(to),
        'plugins/keeper/files/restored.txt': 'restored',
        'plugin-catalogue.json': 'number 8',
        'plugin-registry.json': JSON.stringify({
          version: 1,
          plugins: [
            { id: 'evil', source: './files/imports/evil' },
            { id: 'keeper', enabled: true },
          ],
        }),
      }),
    }
    const wrong = {
      ...plan,
      files: [{ ...(plan.files[0] as StagedFile), sha256: '0'.repeat(64) }, ...plan.files.slice(1)],
    }
    await t.rejects(data.stageRestore(folder, wrong), {
      code: 'PLH_INVALID',
      details: { problems: [/^hash_mismatch/] },
    })
    await writeFile(join(folder, 'undeclared'), 'x')
    await t.rejects(data.stageRestore(folder, plan), {
      code: 'PLH_INVALID',
      details: { problems: [/^unexpected_file/] },
    })
    await rm(join(folder, 'undeclared'))
    await t.rejects(data.stageRestore(join(root, 'files'), plan), TypeError)
    await t.rejects(data.stageRestore(folder, { ...plan, groups: ['config', 'state', 'backups'] }), {
      message: /Nothing was changed/,
      details: { problems: ['not_restorable: all backups'] },
    })
    t.equal(data.pendingRestore(), null)

    await data.stageRestore(folder, plan)
    t.match(data.pendingRestore(), { label: 'a backup' })
    t.match(await service.json('/api/config', { json: { x: 1 } }), { status: 409, body: { error: 'restart_required' } })
    t.equal((await service.json('/api/plugins')).status, 200)
    data.restart('a test')
    await service.ended
    await writeFile(join(root, 'plugins/keeper/files/between.txt'), 'old')
  }
  t.equal(restarted, 75)
  await using service = await startService({ plugins: { keeper }, watch: false, directory, withoutAccount: true })
  t.match(ctx().data().lastRestore(), { outcome: 'restored', label: 'a backup' })
  t.equal((await service.json('/api/plugins')).status, 401)
  const statusWith = async (name: string) =>
    (await service.json('/api/plugins', { headers: { authorization: `Bearer ${tokens[name]?.secret}` } })).status
  t.same([await statusWith('kept'), await statusWith('later'), await statusWith('revoked')], [200, 200, 401])
  t.equal(await readFile(join(root, 'plugins/keeper/files/restored.txt'), 'utf8'), 'restored')
  t.notOk(existsSync(join(root, 'plugins/keeper/files/between.txt')), 'what the backup does not have is gone')
  t.notOk(existsSync(join(root, 'restore/displaced')))
  t.notOk(existsSync(join(root, 'restore/pending')))
  t.equal(await readFile(join(root, 'plugin-catalogue.json'), 'utf8'), 'number 9', 'no restore brings older lists back')
  const registry = JSON.parse(await readFile(join(root, 'plugin-registry.json'), 'utf8')) as { plugins: object[] }
  t.same(registry.plugins, [{ id: 'keeper', enabled: true }], 'a backup does not say where code is loaded from')
})

t.test('restored data that cannot be opened is discarded, and the previous data returns', async (t) => {
  const directory = t.testdir()
  const root = join(directory, 'data')
  {
    await using service = await startService({ plugins: { keeper }, watch: false, directory })
    const data = ctx().data()
    const folder = join(await data.scratch(), 'unpacked')
    await mkdir(folder, { recursive: true })
    const database = new DatabaseSync(join(folder, 'database.sqlite'))
    database.exec('CREATE TABLE core__migrations (owner TEXT, position INTEGER, name TEXT, applied_at_ms INTEGER)')
    database.exec("INSERT INTO core__migrations VALUES ('core', 0, 'made-by-other-code', 1)")
    database.close()
    const bytes = await readFile(join(folder, 'database.sqlite'))
    await data.stageRestore(folder, {
      label: 'of other code',
      groups: ['state'],
      files: [{ path: 'database.sqlite', size: bytes.length, sha256: sha256(bytes) }],
    })
    await service.json('/api/plugins')
  }
  await t.rejects(startService({ plugins: { keeper }, watch: false, directory, withoutAccount: true }), {
    message: /^The restored data cannot be used .* return with the next start\.$/,
  })
  await using service = await startService({ plugins: { keeper }, watch: false, directory, withoutAccount: true })
  t.match(ctx().data().lastRestore(), { outcome: 'rolled_back', reason: /made by other code/ })
  t.equal(await readFile(join(root, 'plugins/keeper/files/note.txt'), 'utf8'), 'mine')
  t.equal(
    (await service.json('/api/app-auth/login', { json: { username: 'ada', password: 'correct horse battery' } }))
      .status,
    200,
  )
})
