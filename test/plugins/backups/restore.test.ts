// slow: the whole service, or very many cases
// Restores: the state of the backup returns with the next start, on this machine and on another.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../../harness.ts'
import {
  create,
  databasesOf,
  dataOf,
  download,
  dump,
  filesIn,
  openWorld,
  post,
  sha256,
  upload,
  validate,
  type World,
} from './world.ts'

t.setTimeout(900_000)

const wordsOf = async (world: World) => (await world.json('/api/keeper')).body
const all = (text: string) => ({ table: [text], own: [text], file: text, store: text })
/** Starts the service on the same directory again, signed out. */
async function again(world: World, directory: string): Promise<World> {
  await world.stop()
  return await openWorld({ directory, withoutAccount: true })
}
async function signIn(world: World): Promise<void> {
  const answer = await world.call('/api/app-auth/login', {
    json: { username: 'ada', password: 'correct horse battery' },
  })
  world.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
}

t.test('property 48: restored data gives the same backup again', async (t) => {
  const directory = t.testdir()
  let world = await openWorld({ directory })
  t.teardown(() => world.stop())
  await post(world, '/api/keeper', { text: 'one' })
  await post(world, '/api/config', { mine: { api_key: 'very secret' } })
  const first = await create(world, { scope: 'full' })
  const list = (await validate(world, first.path)).manifest.files as { path: string; sha256: string }[]
  await post(world, '/api/keeper', { text: 'two' })
  t.match(await post(world, '/api/backups/restore', { path: first.path }), {
    status: 200,
    body: { ok: true, result: { ok: true, restart_required: true, login_required: true, restart_scheduled: false } },
  })
  world = await again(world, directory)
  t.same(await wordsOf(world), all('one'))
  t.equal((await world.json('/api/plugins')).status, 401, 'all sessions ended')
  await signIn(world)
  const second = await create(world, { scope: 'full' })
  // Database pages may differ, their rows do not: sessions ended, and the service logs its work.
  const dumps = async (path: string, name: string) =>
    [...(await databasesOf(await download(world, path), join(directory, name)))].map(([database, file]) => [
      database,
      Object.entries(dump(file)).filter(([table]) => !/^(core__session|core__event|backups__|playhead__)/.test(table)),
    ])
  t.same(await dumps(second.path, 'second'), await dumps(first.path, 'first'))
  const then = (await validate(world, second.path)).manifest.files as { path: string; sha256: string }[]
  const plain = (files: typeof list) => files.filter(({ path }) => !/\.sqlite$|^version\.json$/.test(path))
  t.same(plain(then), plain(list))
  t.same(
    then.map(({ path }) => path).filter((path) => path !== 'version.json'),
    list.map(({ path }) => path).filter((path) => path !== 'version.json'),
  )
})

t.test('property 49: a restore, and a restore of the previous state, lead back and forth', async (t) => {
  const directory = t.testdir()
  let world = await openWorld({ directory })
  t.teardown(() => world.stop())
  await post(world, '/api/keeper', { text: 'one' })
  const backup = await create(world, { scope: 'full' })
  const words = (name: string) => [
    dump(join(dataOf({ directory }), 'databases/keeper/own.sqlite'))['word'],
    dump(join(dataOf({ directory }), 'database.sqlite'))['keeper__word'],
    filesIn({ directory }, 'files/captures'),
    name,
  ]
  const one = words('x')
  await post(world, '/api/keeper', { text: 'two' })
  await post(world, '/api/config', { changed: { meanwhile: true } })
  const two = words('x')
  t.notSame(one, two)
  const answer = await post(world, '/api/backups/restore', { path: backup.path })
  const saved = answer.body.result.pre_restore_backup as string
  t.match(await post(world, '/api/config', { x: 1 }), { status: 409, body: { error: 'restart_required' } })
  t.match(await post(world, '/api/backups/create', {}), { status: 409, body: { error: 'restart_required' } })
  world = await again(world, directory)
  t.same(words('x'), one, 'what the backup does not have is gone')
  t.same(await wordsOf(world), all('one'))
  await signIn(world)
  t.equal((await world.json('/api/config')).body.changed, undefined)
  t.match((await world.json('/api/backups/list')).body.backups, [
    { trigger: 'pre_restore', label: 'pre-restore', scope: 'full' },
    {},
  ])
  t.equal((await post(world, '/api/backups/restore', { path: saved })).status, 200)
  world = await again(world, directory)
  t.same(words('x'), two)
  t.same(await wordsOf(world), all('two'))
  await signIn(world)
  t.same((await world.json('/api/config')).body.changed, { meanwhile: true })
  t.same(filesIn(world, 'restore'), ['restore/last.json'], 'nothing is left')
})

t.test('a settings-only restore keeps the rest, and ends with a restart on request', async (t) => {
  const directory = t.testdir()
  let world = await openWorld({ directory })
  t.teardown(() => world.stop())
  await post(world, '/api/config', { mine: { word: 'one' } })
  const backup = await create(world, { scope: 'config_only' })
  await post(world, '/api/config', { mine: { word: 'two' } })
  await post(world, '/api/keeper', { text: 'kept' })
  t.match(await post(world, '/api/backups/restore', { path: backup.path, restart: true }), {
    body: { result: { restart_scheduled: true } },
  })
  t.equal(await world.ended, 75)
  world = await again(world, directory)
  t.same(await wordsOf(world), all('kept'))
  t.equal((await world.json('/api/plugins')).status, 401)
  await signIn(world)
  t.same((await world.json('/api/config')).body.mine, { word: 'one' })
})

t.test('property 53: while a sync or a capture runs, a restore answers 409 and changes nothing', async (t) => {
  await using world = await openWorld()
  await post(world, '/api/keeper', { text: 'one' })
  const { path } = await create(world)
  for (const kind of ['sync', 'capture', 'backup', 'maintenance']) {
    await post(world, '/api/keeper/hold', { kind })
    t.match(await post(world, '/api/backups/restore', { path }), {
      status: 409,
      body: { ok: false, error: 'busy', holder: kind, since: Number },
    })
  }
  await post(world, '/api/keeper/hold', { kind: 'none' })
  t.same(filesIn(world, 'run/scratch'), [])
  t.equal((await world.json('/api/backups/list')).body.backups.length, 1)
  t.same(await wordsOf(world), all('one'))
  t.equal((await post(world, '/api/config', { still: 'writable' })).status, 200)
})

t.test('a scheduled backup waits for exclusive work, reports that, and is created then', async (t) => {
  await using world = await openWorld()
  await create(world, { label: 'first' })
  const job = { id: 'nightly', scope: 'config_only', label_template: 'nightly', retention_days: 0, max_backups: 0 }
  // During a run or a capture the backup is created at once, as of one moment.
  for (const kind of ['sync', 'capture', 'restore', 'change']) {
    await post(world, '/api/keeper/hold', { kind })
    t.equal((await post(world, '/api/keeper/due', job)).status, 200, kind)
  }
  await post(world, '/api/keeper/hold', { kind: 'maintenance', exclusive: true })
  const due = post(world, '/api/keeper/due', job)
  const state = async () => (await world.json('/api/backups/job')).body.job
  const held = await until('it waits', async () => ((await state()).state === 'waiting' ? state() : undefined))
  t.match(held, {
    kind: 'backup',
    label: 'nightly',
    on_hold: { reason: 'busy', detail: /^something of the keeper is going on/, since: Number },
    finished_at: null,
  })
  t.equal((await world.json('/api/backups/list')).body.backups.length, 5)
  await post(world, '/api/keeper/hold', { kind: 'none' })
  t.equal((await due).status, 200)
  t.match(await state(), { state: 'done', on_hold: null, path: String })
  t.equal((await world.json('/api/backups/list')).body.backups.length, 6)
})

t.test('on another machine a backup needs its key or passphrase, and names which', async (t) => {
  await using here = await openWorld()
  await post(here, '/api/config', { mine: { api_key: 'very secret' } })
  const whole = await download(here, (await create(here)).path)
  const without = await download(here, (await create(here, { include_key: false })).path)
  const locked = await download(here, (await create(here, { passphrase: 'a long passphrase' })).path)

  const directory = t.testdir()
  let there = await openWorld({ directory })
  t.teardown(() => there.stop())
  const missing = await upload(there, without)
  t.match(missing.body.backup.validation, {
    ok: false,
    checks: { hashes: 'ok', key: 'failed' },
    errors: [{ code: /^key_(missing|wrong)$/, message: /secret\.key from the other machine/ }],
  })
  t.match(await post(there, '/api/backups/restore', { path: missing.body.backup.path }), {
    status: 400,
    body: { ok: false, error: 'external_config_key_required', detail: /secret\.key/ },
  })
  const sealed = await upload(there, locked)
  t.match(sealed.body.backup.validation, { encrypted: true, errors: [{ code: 'passphrase_required' }] })
  for (const [passphrase, code] of [
    [undefined, 'passphrase_required'],
    ['another passphrase', 'passphrase_wrong'],
  ])
    t.match(await post(there, '/api/backups/restore', { path: sealed.body.backup.path, passphrase }), {
      status: 400,
      body: { ok: false, errors: [{ code }] },
    })
  t.ok((await validate(there, sealed.body.backup.path, 'a long passphrase')).restorable)
  const arrived = await upload(there, whole)
  t.equal((await post(there, '/api/backups/restore', { path: arrived.body.backup.path })).status, 200)
  there = await again(there, directory)
  await signIn(there)
  t.equal(there.config.at('mine.api_key'), 'very secret')

  // The passphrase in the environment encrypts everything.
  await using one = await openWorld({ environment: { PLAYHEAD_SECRET_KEY: 'the key of machine one' } })
  await post(one, '/api/config', { mine: { api_key: 'very secret' } })
  const made = await create(one)
  t.match(made, { master_key_included: false, external_key_required: true })
  const bytes = await download(one, made.path)
  t.match((await upload(there, bytes)).body.backup.validation.errors, [
    { code: 'passphrase_missing', message: /PLAYHEAD_SECRET_KEY/ },
  ])
})

t.test('files that are truncated while the service is stopped, and a read-only folder', async (t) => {
  const directory = t.testdir()
  let world = await openWorld({ directory })
  t.teardown(() => world.stop())
  await post(world, '/api/keeper', { text: 'one' })
  const backup = await create(world)
  const file = join(dataOf({ directory }), 'files/backups', backup.path)
  const bytes = await readFile(file)
  // A truncated archive is listed as invalid.
  await writeFile(file, bytes.subarray(0, bytes.length - 100))
  t.match((await world.json('/api/backups/list')).body.backups, [{ valid: false }])
  t.match(await validate(world, backup.path), { ok: false, errors: [{ code: 'archive_damaged' }] })
  await writeFile(file, bytes)
  t.match((await world.json('/api/backups/list')).body.backups, [{ valid: true }])

  // A file in the place of the day's folder prevents writes, like a read-only folder, even for root.
  await world.stop()
  const day = join(dataOf({ directory }), 'files/backups', backup.path.slice(0, 10))
  await copyFile(file, join(directory, 'kept.zip'))
  const { rm } = await import('node:fs/promises')
  await rm(day, { recursive: true })
  await writeFile(day, '')
  world = await openWorld({ directory, withoutAccount: true })
  await signIn(world)
  const answer = await post(world, '/api/backups/create', {})
  t.ok(answer.status >= 500)
  t.same(filesIn(world, 'run/scratch'), [])
  await rm(day)
  await mkdir(day)
  await copyFile(join(directory, 'kept.zip'), file)
  t.equal(sha256(await readFile(file)), sha256(bytes))
  t.match(await validate(world, backup.path), { ok: true })
})
