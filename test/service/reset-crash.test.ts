// slow: the service as a process, killed and started again
// kill -9 during a factory reset, during the starts that apply it, and while the event archive is compacted: data is completely
// old or new, and kept data stays. PLAYHEAD_CRASHES: number of kills.
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { PASSWORD, USERNAME } from '../harness.ts'
import { openWorld, runSync } from '../plugins/maintenance/world.ts'
import { killWhileStarting } from './backup-kills.ts'
import { clientOf, type ServiceProcess, spawnService } from './process.ts'

const KILLS = Number(process.env['PLAYHEAD_CRASHES'] ?? 4)
const ACCOUNT = { username: USERNAME, password: PASSWORD }
const ARCHIVE = 'databases/events/archive.sqlite'

t.setTimeout(300_000 + KILLS * 60_000)

/** A used data directory, and copies of it. */
async function openCopies(t: Test) {
  const world = await openWorld(t)
  await runSync(world)
  const captured = await world.json('/api/snapshots/create', { json: { provider: 'SVC', feature: 'history' } })
  t.equal(captured.status, 200, JSON.stringify(captured.body))
  const backup = await world.json('/api/backups/create', { json: { label: 'before' } })
  t.equal(backup.status, 200, JSON.stringify(backup.body))
  await world.stop()
  const saved = join(world.directory, 'data')
  const directory = await mkdtemp(join(tmpdir(), 'playhead-reset-'))
  const data = join(directory, 'data')
  let running: ServiceProcess | undefined
  t.teardown(async () => {
    await running?.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  const start = async () => {
    running = await spawnService(data)
    if (running.url === null) throw new Error(`it does not start:\n${running.lines.join('\n')}`)
    return running
  }
  return {
    ...{ saved, data, start },
    async begin() {
      await rm(data, { recursive: true, force: true, maxRetries: 10 })
      await cp(saved, data, { recursive: true })
      return await start()
    },
  }
}

t.test('a kill during a reset leaves the old state or that of a new installation, and kept data stays', async (t) => {
  const { saved, data, start, begin } = await openCopies(t)
  const settings = await readFile(join(saved, 'config.json'), 'utf8')
  const key = await readFile(join(saved, 'secret.key'), 'utf8')
  const kept = filesBelow(join(saved, 'files')).filter((path) => /^(captures|backups)\//.test(path))
  const hasCapture = (path: string) => /^captures\/.*history.*\.ndjson\.gz$/.test(path)
  t.ok(kept.some(hasCapture), 'there is a capture to keep')
  const counted = { old: 0, new: 0, startsKilled: 0 }
  let takesMs = 0

  for (let kill = -1; kill < KILLS; kill += 1) {
    const service = await begin()
    const client = await clientOf(service, ACCOUNT)
    const before = await lookAt(client)
    const beganAt = performance.now()
    const asked = client
      .json('/api/maintenance/reset-all-default', { json: { confirm: true, restart: kill % 3 === 0 } })
      .catch(() => null)
    if (kill >= 0) await Promise.race([asked.then(() => sleep(randomInt(900))), sleep(Math.random() * takesMs * 1.2)])
    else t.match(await asked, { status: 200, body: { ok: true } })
    if (kill < 0) takesMs = performance.now() - beganAt
    await service.kill('SIGKILL')
    const answer = await asked
    // A single rename decides.
    const isStaged = existsSync(join(data, 'restore/pending'))
    if (answer !== null) t.ok(isStaged, `${kill}: what was answered holds`)
    const startsKilled = kill < 0 ? 0 : randomInt(3)
    for (let starts = 0; starts < startsKilled; starts += 1) await killWhileStarting(data, randomInt(20, 1_200))
    counted.startsKilled += startsKilled

    const next = await start()
    // A killed start may have logged it already.
    if (startsKilled === 0)
      t.equal(
        next.lines.some((line) => line.includes('a backup was restored') && line.includes('Reset to defaults')),
        isStaged,
        `${kill}: the start says what it did`,
      )
    await check(next, `${kill}`, isStaged)
    if (isStaged) {
      counted.new += 1
      await next.kill('SIGKILL')
      continue
    }
    counted.old += 1
    const again = await clientOf(next, ACCOUNT)
    t.same(await lookAt(again), before, `${kill}: nothing was changed`)
    t.match(await again.json('/api/maintenance/reset-all-default', { json: { confirm: true } }), { status: 200 })
    await next.kill('SIGKILL')
    const last = await start()
    await check(last, `${kill}, once more`, true)
    await last.kill('SIGKILL')
  }
  t.comment(JSON.stringify(counted))

  async function check(service: ServiceProcess, what: string, isNew: boolean): Promise<void> {
    for (const left of ['unfinished', 'pending', 'displaced', 'journal.json'])
      t.notOk(existsSync(join(data, 'restore', left)), `${what}: restore/${left} is not left`)
    t.equal(await readFile(join(data, 'secret.key'), 'utf8'), key, `${what}: the key stays`)
    const files = filesBelow(join(data, 'files'))
    for (const path of kept) {
      const [was, is] = await Promise.all([saved, data].map((root) => readFile(join(root, 'files', path))))
      t.ok(was!.equals(is!), `${what}: ${path} stays`)
    }
    t.same(
      files.filter((path) => path.endsWith('.tmp')),
      [],
      `${what}: no half backup`,
    )
    for (const file of databasesOf(data)) t.equal(integrityOf(file), 'ok', `${what}: ${file}`)
    if (!isNew) return
    const copies = files.filter((path) => path.startsWith('backups/config.json.backup_'))
    t.ok(copies.length > 0, `${what}: the settings are kept`)
    t.equal(await readFile(join(data, 'files', copies.at(-1)!), 'utf8'), settings)
    // The service starts as on the first day.
    const made = await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
    t.equal(made.status, 200, `${what}: the service has no account`)
    const client = await clientOf(service, ACCOUNT)
    t.same(await lookAt(client), { pairs: 0, runs: 0, tracker: [0, 0, 0, 0] }, `${what}: nothing of before is left`)
    const { snapshots } = (await client.json('/api/snapshots/list')).body
    t.match(
      snapshots.filter(({ valid }: { valid: boolean }) => valid),
      [{ feature: 'history', provider: 'SVC' }],
      `${what}: captures stay`,
    )
    const { backups } = (await client.json('/api/backups/list')).body
    // The test directory contains a file that is not a backup.
    t.same(
      backups.filter(({ valid }: { valid: boolean }) => !valid).map(({ path }: { path: string }) => path),
      ['kept.zip'],
      `${what}: all backups are whole`,
    )
    const own = backups.find(({ label }: { label: string }) => label === 'before-reset')
    const { validation } = (await client.json('/api/backups/validate', { json: { path: own?.path } })).body
    t.match(validation, { ok: true, restorable: true }, `${what}: the backup of before leads back`)
  }
})

t.test('a kill while the event archive is compacted keeps every row, and it can be compacted again', async (t) => {
  const { saved, data, start, begin } = await openCopies(t)
  const all = growAndEmpty(join(saved, ARCHIVE))
  t.ok(all > 5_000)
  const counted = { before: 0, after: 0 }
  let takesMs = 0
  for (let kill = -1; kill < KILLS; kill += 1) {
    const service = await begin()
    const client = await clientOf(service, ACCOUNT)
    const optimise = (from: typeof client) => from.json('/api/maintenance/events-optimize', { json: { confirm: true } })
    const beganAt = performance.now()
    const asked = optimise(client).catch(() => null)
    if (kill >= 0) await Promise.race([asked, sleep(Math.random() * takesMs * 1.1)])
    else t.match(await asked, { status: 200, body: { ok: true } })
    if (kill < 0) takesMs = performance.now() - beganAt
    await service.kill('SIGKILL')
    const answer = await asked
    const { unused, ...found } = archiveOf(join(data, ARCHIVE))
    t.match(found, { integrity: 'ok', filler: all }, `${kill}: every row is there`)
    counted[unused > 100 ? 'before' : 'after'] += 1
    if (answer !== null) t.ok(unused <= 100, `${kill}: what was answered holds`)

    const next = await start()
    const again = await clientOf(next, ACCOUNT)
    t.match((await again.json('/api/maintenance/events-health', { json: {} })).body, { healthy: true }, `${kill}`)
    const done = await optimise(again)
    t.match(done, { status: 200, body: { ok: true } }, JSON.stringify(done.body))
    await next.kill('SIGKILL')
    t.match(archiveOf(join(data, ARCHIVE)), { integrity: 'ok', filler: all })
  }
  t.comment(JSON.stringify(counted))
})

async function lookAt(client: Awaited<ReturnType<typeof clientOf>>) {
  const body = async (path: string) => (await client.json(path)).body
  const { state_files: states } = await body('/api/maintenance/svc-tracker')
  return {
    pairs: (await body('/api/pairs')).length,
    runs: (await body('/api/runs')).runs.length,
    tracker: states.map(({ rows }: { rows: number }) => rows),
  }
}

/** Creates many rows and much unused space. Returns the number of rows. */
function growAndEmpty(file: string): number {
  using database = new DatabaseSync(file, { timeout: 5_000 })
  database.exec(`CREATE TABLE test_filler (id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO test_filler (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      SELECT 'row ' || i || hex(randomblob(200)) FROM n;
    DELETE FROM test_filler WHERE id % 4 < 3;
    PRAGMA wal_checkpoint(TRUNCATE)`)
  return Number(database.prepare('SELECT count(*) AS n FROM test_filler').get()!['n'])
}

function archiveOf(file: string) {
  using database = new DatabaseSync(file, { timeout: 5_000 })
  const number = (sql: string) => Number(Object.values(database.prepare(sql).get()!)[0])
  return {
    integrity: integrityOf(file),
    filler: number("SELECT count(*) FROM test_filler WHERE text LIKE 'row ' || id || '%' AND length(text) > 400"),
    unused: number('PRAGMA freelist_count'),
  }
}

function databasesOf(data: string): readonly string[] {
  return filesBelow(data)
    .filter((name) => name.endsWith('.sqlite') && !/^(files|run)\//.test(name))
    .map((name) => join(data, name))
}

function integrityOf(file: string): unknown {
  using database = new DatabaseSync(file, { timeout: 5_000 })
  return Object.values(database.prepare('PRAGMA integrity_check').get()!)[0]
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
