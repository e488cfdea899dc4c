// slow: the whole service, or very many cases
// The whole service: restart, damaged databases, and the reset to defaults.
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openArchive } from '@playhead/sdk'
import t from 'tap'
import { PASSWORD, type Service, startService, USERNAME } from '../../harness.ts'
import { ctx, openWorld, runSync } from './world.ts'

const post = (service: Service, path: string, json: object = {}) => service.json(`/api/maintenance/${path}`, { json })

async function startAgain(directory: string, path: string): Promise<Service> {
  const service = await startService({ directory, watch: false, shipped: true, withoutAccount: true })
  t.teardown(() => service.stop())
  const json = { enabled: true, username: USERNAME, password: PASSWORD }
  const answer = await service.call(path, { json })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  return service
}

t.test('a restart is refused while work is running, unless it is forced; then it waits for the work', async (t) => {
  const service = await openWorld(t)
  const hold = ctx().work.begin({ kind: 'capture', label: 'Capture of Plex (default)' })
  t.match(await post(service, 'restart'), {
    status: 409,
    body: { ok: false, error: 'busy', holder: 'capture', since: Number },
  })
  setTimeout(() => hold.release(), 300)
  t.match(await post(service, 'restart', { force: true }), { status: 200, body: { ok: true } })
  t.throws(() => ctx().work.begin({ kind: 'sync', label: 'A sync' }), { code: 'PLH_CONFLICT', wire: 'restarting' })
  t.equal(await service.ended, 75)
})

t.test('a damaged database is detected, shown, and repaired with its readable rows', async (t) => {
  const service = await openWorld(t)
  const { directory } = service
  const path = 'databases/sync/library.sqlite'
  await runSync(service)
  await service.stop()
  await tear(join(directory, 'data', path))

  const damaged = await startAgain(directory, '/api/app-auth/login')
  t.match(await post(damaged, 'integrity', { quick: true }), { status: 200, body: { healthy: false } })
  const { body: attention } = await damaged.json('/api/attention')
  t.match(
    attention.items.find(({ kind }: { kind: string }) => kind === 'database_damaged'),
    {
      severity: 'error',
      title: /library\.sqlite/,
      action: { call: { path: '/api/maintenance/repair', body: { path } } },
    },
  )
  t.match(JSON.stringify((await damaged.json('/api/system/health')).body), /database_integrity/)
  t.match(await post(damaged, 'repair', { path, dry_run: true }), {
    status: 200,
    body: { database: { healthy: false } },
  })
  t.match(await post(damaged, 'repair', { path }), { status: 400, body: { error: 'confirmation_required' } })
  const repaired = await post(damaged, 'repair', { path, confirm: true })
  const kept = /^files\/backups\/damaged\//
  t.match(
    repaired,
    { status: 200, body: { restart_required: true, restart_scheduled: true, kept } },
    JSON.stringify(repaired.body) + damaged.log.filter((line) => line.includes('cannot be repaired')).join(),
  )
  if (repaired.status !== 200) return
  t.equal(await damaged.ended, 75)
  await damaged.stop()

  const healthy = await startAgain(directory, '/api/app-auth/login')
  t.match((await healthy.json('/api/maintenance/integrity')).body, { last_complete_at: null, next_check_at: Number })
  const { status, body } = await post(healthy, 'integrity')
  t.match({ status, body }, { status: 200, body: { healthy: true, last_complete_at: Number } })
  t.equal(body.next_check_at - body.last_complete_at, 7 * 86_400, 'the next check by itself is a week later')
  t.match(healthy.events.recent({ name: 'database.checked' }), [{ data: { damaged: [], not_checked: [] } }])
  await healthy.json('/api/config', { json: { maintenance: { integrity_check_days: 0 } } })
  t.match((await healthy.json('/api/maintenance/integrity')).body, { next_check_at: null })
  t.match(await healthy.plugin('sync'), { last_error: null })
  t.match(await runSync(healthy), { removed_last: 0 })
})

t.test('an unreadable event archive is not discarded by its rebuild: the earlier backup has its remains', async (t) => {
  const service = await openWorld(t)
  await runSync(service)
  const path = 'databases/events/archive.sqlite'
  const { events } = (await service.json('/api/events/status')).body
  {
    // The database fails while the service runs; at a start it would be set aside.
    using archive = new DatabaseSync(join(service.directory, 'data', path), { timeout: 5_000 })
    archive.exec('DROP TABLE run')
  }
  t.match((await service.json('/api/events/status')).body, { available: false })
  const dry = await post(service, 'events-rebuild', { dry_run: true })
  t.match(dry.body, { touches: [{ path, op: 'delete' }] }, 'it says that a file goes')
  const { status, body } = await post(service, 'events-rebuild', { confirm: true })
  t.match({ status, body }, { status: 200, body: { ok: true, backup_path: String } }, JSON.stringify(body))
  t.match((await service.json('/api/events/status')).body, { available: true })
  const kept = join(service.directory, 'kept.sqlite')
  await writeFile(kept, await fileOfBackup(join(service.directory, 'data/files/backups', body.backup_path), path))
  using database = new DatabaseSync(kept, { readOnly: true })
  const { n } = database.prepare('SELECT count(*) AS n FROM event').get() as { n: number }
  t.ok(events > 0 && n >= events, `${n} of ${events} events are in the backup`)
})

async function fileOfBackup(zip: string, path: string): Promise<Buffer> {
  for (const file of await openArchive(await readFile(zip), { files: 1_000, totalBytes: 2 ** 30 }))
    if (file.path === path) return Buffer.concat(await Array.fromAsync(file.read()))
  throw new Error(`${path} is not in the backup`)
}

t.test(
  'property 60: a reset keeps captures, backups and a copy of the settings; the next start is a first one',
  async (t) => {
    const service = await openWorld(t)
    const { directory } = service
    const data = join(directory, 'data')
    const settings = await readFile(join(data, 'config.json'), 'utf8')
    await service.json('/api/snapshots/create', { json: { provider: 'SVC', feature: 'ratings' } })
    await service.json('/api/backups/create', { json: { label: 'before' } })
    const kept = await contentsOf(data, /^(files\/(captures|backups)\/|secret\.key$)/)
    t.ok(kept.size >= 5, [...kept.keys()].join())
    const askedAtMs = Date.now()
    const { body: dry } = await post(service, 'reset-all-default', { dry_run: true })
    t.match(dry, { dry_run: true, backup: null, backup_path: null, restart_required: false })
    t.match(await contentsOf(data, /^(config\.json|files\/|secret\.key)/), kept, 'a dry run changes nothing')
    const { status, body } = await post(service, 'reset-all-default', { confirm: true, restart: true })
    const lists = ({ removed_files: files, removed_dirs: folders }: any) => ({ files: files.toSorted(), folders })
    t.same(lists(body), lists(dry), 'it lists what the dry run listed')
    const expected = { backup: /^files\/backups\/config\.json\.backup_\d{8}_\d{6}/, backup_path: String, errors: [] }
    t.match({ status, body }, { status: 200, body: { ...expected, restart_scheduled: true } }, JSON.stringify(body))
    t.equal(await readFile(join(data, body.backup), 'utf8'), settings)
    t.match(await service.json('/api/config', { json: { runtime: { debug: true } } }), { status: 409 })
    t.equal(await service.ended, 75)
    await service.stop()

    const first = await startAgain(directory, '/api/app-auth/credentials')
    const left = await contentsOf(data, /./)
    for (const [path, content] of kept) t.equal(left.get(path), content, `${path} stays`)
    for (const path of dry.removed_files.filter((one: string) => left.has(one)))
      t.ok((await stat(join(data, path))).birthtimeMs > askedAtMs, `${path} is gone, or a new one`)
    t.equal(left.get('files/captures/2026/one.json'), Buffer.from('{}').toString('base64'))
    t.equal(await readFile(join(data, body.backup), 'utf8'), settings)
    const files = await readdir(join(data, 'files/backups'), { recursive: true })
    t.ok(files.some((name) => name.endsWith('.zip')))
    t.same((await first.json('/api/pairs')).body, [])
    t.match((await first.json('/api/maintenance/svc-tracker')).body, { exists: false })
    t.same((await first.json('/api/runs')).body.runs, [])
  },
)

async function contentsOf(data: string, which: RegExp): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(data, join(entry.parentPath, entry.name)))
  const wanted = paths.filter((path) => which.test(path) && !/^(run|cache)\//.test(path))
  return new Map(
    await Promise.all(
      wanted.map(async (path) => [path, (await readFile(join(data, path))).toString('base64')] as const),
    ),
  )
}

/** Overwrites pages of rows in the middle, as a failing disk does. Without its schema a database cannot be read at all. */
async function tear(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  const bytes = await handle.readFile()
  const size = bytes.readUInt16BE(16)
  const pages = bytes.length / size
  const hasRows = (page: number) => {
    const content = bytes.subarray(page * size, (page + 1) * size)
    return [0x0a, 0x0d].includes(content[0]!) && !content.includes('CREATE ')
  }
  for (const share of [0.5, 0.7]) {
    let page = Math.floor(pages * share)
    while (!hasRows(page)) page += 1
    await handle.write(Buffer.alloc(size, 0xa5), 0, size, page * size)
  }
  await handle.close()
}

t.test('an action whose plugin does not run is not unknown, and nothing is reported as cleared', async (t) => {
  const service = await openWorld(t)
  const gone = { status: 503, body: { ok: false, error: 'capability_unavailable' } }
  for (const [plugin, paths] of [
    ['insights', ['reset-stats']],
    ['sync', ['clear-cache', 'clear-state', 'clear-provider-sync-cache', 'svc-tracker/clear']],
  ] as const) {
    t.match(await service.json(`/api/plugins/${plugin}/disable`, { json: {} }), { status: 200 })
    for (const path of paths) t.match(await post(service, path, { confirm: true }), gone, path)
  }
  t.match(await service.json('/api/maintenance/action-status/state'), gone)
  await service.json('/api/plugins/events/disable', { json: {} })
  const health = async () => (await post(service, 'events-health')).body
  const file = { available: false, exists: true, healthy: true, integrity: 'ok', journal_mode: 'wal' }
  t.match(await health(), file, 'the file is checked all the same')
  const folder = join(service.directory, 'data/databases/events')
  for (const name of await readdir(folder)) await rm(join(folder, name))
  t.match(await health(), { available: false, exists: false, healthy: false, journal_mode: '', size_bytes: 0 })
  t.match(await post(service, 'actions/sync-state', { confirm: true }), { status: 404 })
})

t.test('the disk usage is listed by group, and adds up', async (t) => {
  const service = await openWorld(t)
  const { body } = await service.json('/api/maintenance/storage')
  t.match(body, { ok: true, free_bytes: Number, total_bytes: Number })
  t.ok(body.free_bytes > 0 && body.free_bytes <= body.total_bytes)
  const of = (name: string) => body.groups.find(({ group }: { group: string }) => group === name)
  t.ok(of('state').bytes > 0 && of('state').files > 0)
  const sizes = body.groups.map(({ bytes }: { bytes: number }) => bytes)
  t.same(
    sizes,
    sizes.toSorted((a: number, b: number) => b - a),
  )
})
