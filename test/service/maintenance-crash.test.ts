// slow: the service as a process, killed and started again
// kill -9 while maintenance clears, resets, rebuilds and imports, and while databases are repaired: each action is complete or
// has no effect, and the next start works. PLAYHEAD_CRASHES: number of kills.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { PASSWORD, USERNAME } from '../harness.ts'
import { importZip, openWorld, runSync, zipOf } from '../plugins/maintenance/world.ts'
import { type ServiceProcess, clientOf, cookieOf, spawnService } from './process.ts'

const ROOT = join(import.meta.dirname, '../..')
const KILLS = Number(process.env['PLAYHEAD_CRASHES'] ?? 4)
const ACCOUNT = { username: USERNAME, password: PASSWORD }
const FILMS = 1_500

t.setTimeout(300_000 + KILLS * 40_000)

interface Touch {
  readonly path: string
  readonly table?: string
  readonly action: string
  readonly items: number
  readonly op: 'delete' | 'change'
}

/** Rows of the tracker: every film in all features, by its label. */
function filesOf(label: string) {
  const of = (values: (index: number) => object) => ({
    ts: 1_770_000_000,
    items: Object.fromEntries(
      Array.from({ length: FILMS }, (_, index) => [
        `k${index}`,
        { type: 'movie', title: `${label} ${index}`, ids: { tmdb: String(5_000 + index) }, ...values(index) },
      ]),
    ),
  })
  return {
    'watchlist.json': of(() => ({ added_at: '2026-01-02T03:04:05Z' })),
    'history.json': of((index) => ({ watched: true, watched_at: `2026-02-0${1 + (index % 9)}T10:00:00Z` })),
    'ratings.json': of((index) => ({ rating: 1 + (index % 10), rated_at: '2026-03-01T00:00:00Z' })),
  }
}

const ACTIONS = [
  'clear-state',
  'clear-provider-sync-cache',
  'reset-stats',
  'events-rebuild',
  'clear-activity-log',
  'clear-metadata-cache',
]
const KINDS = ['import', ...ACTIONS.slice(0, 3), 'import', ...ACTIONS.slice(3)]

t.test('a kill during maintenance leaves each action complete or without effect', async (t) => {
  const world = await openWorld(t)
  const first = await importZip(world, await zipOf(filesOf('old')))
  t.equal(first.status, 200, JSON.stringify(first.body))
  await runSync(world)
  await world.stop()
  const saved = join(world.directory, 'data')
  const directory = await mkdtemp(join(tmpdir(), 'playhead-maintenance-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const data = join(directory, 'data')
  let running: ServiceProcess | undefined
  t.teardown(() => running?.kill('SIGKILL'))
  const start = async () => {
    running = await spawnService(data)
    if (running.url === null) throw new Error(`it does not start:\n${running.lines.join('\n')}`)
    return running
  }
  const began = async () => {
    await rm(data, { recursive: true, force: true, maxRetries: 10 })
    await cp(saved, data, { recursive: true })
    return start()
  }
  const importNew = async (service: ServiceProcess) => {
    const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
    const body = new FormData()
    body.append('file', new Blob([(await zipOf(filesOf('new'))) as never]), 'svc-tracker.zip')
    return fetch(`${service.url}/api/maintenance/svc-tracker/import`, { method: 'POST', body, headers: { cookie } })
  }

  const firstKind = randomInt(KINDS.length)
  const took = new Map<string, number>()
  const counted = { before: 0, after: 0 }
  // Run each kind once without a kill to measure its duration; then kill it at a random time.
  const orders = Array.from({ length: KILLS }, (_, index) => KINDS[(firstKind + index) % KINDS.length] as string)
  for (const [kill, order] of orders.entries()) {
    const isKnown = took.has(order)
    for (const isKilled of isKnown ? [true] : [false, true]) {
      const service = await began()
      const client = await clientOf(service, ACCOUNT)
      const ask = (json: object) =>
        order === 'import' && !('dry_run' in json)
          ? importNew(service).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as any }))
          : client.json(`/api/maintenance/${order}`, { json })
      const dry = order === 'import' ? { status: 200, body: { touches: [] } } : await ask({ dry_run: true })
      t.equal(dry.status, 200, `${kill}: ${order}: ${JSON.stringify(dry.body).slice(0, 300)}`)
      const touches: readonly Touch[] = dry.body.touches.filter(
        ({ op, table }: Touch) => op === 'delete' && table !== undefined,
      )
      if (order !== 'import') t.ok(touches.length > 0, `${order} has something to do`)
      const before = countsOf(data, touches)
      const beganAt = performance.now()
      const asked = ask({ confirm: true }).catch(() => null)
      if (!isKilled) {
        t.match(await asked, { status: 200 }, order)
        took.set(order, performance.now() - beganAt)
        await service.kill('SIGKILL')
        continue
      }
      await Promise.race([asked, sleep(Math.random() * took.get(order)! * 1.3)])
      await service.kill('SIGKILL')

      for (const file of databasesOf(data)) t.equal(integrityOf(file), 'ok', `${kill}: ${order}: ${file}`)
      if (order === 'import') counted[labelOf(t, data, `${kill}: import`) === 'new' ? 'after' : 'before'] += 1
      const after = countsOf(data, touches)
      for (const action of new Set(touches.map((touch) => touch.action))) {
        const states = touches
          .filter((touch) => touch.action === action)
          .map((touch) => {
            const key = `${touch.path}#${touch.table}`
            const [was, is] = [before.get(key)!, after.get(key)!]
            // The service itself adds a few rows at any time, also between the dry run and the kill, and a cleared archive
            // contains the record of that.
            if (was - touch.items < 20 && is < Math.min(was, 20)) return 'after'
            if (is === was - touch.items) return 'after'
            return is >= was ? 'before' : `between: ${key} had ${was} rows, ${touch.items} to go, and has ${is}`
          })
        t.equal(
          new Set(states).size,
          1,
          `${kill}: ${order}: ${action} is old or new: ${[...new Set(states)].join(', ')}`,
        )
        t.notMatch(states.join(), /between/)
        counted[states[0] === 'after' ? 'after' : 'before'] += 1
      }

      const again = await start()
      const next = await clientOf(again, ACCOUNT)
      t.match(await next.json('/api/maintenance/integrity', { json: { quick: true } }), {
        status: 200,
        body: { healthy: true },
      })
      const done =
        order === 'import'
          ? await importNew(again)
          : await next.json(`/api/maintenance/${order}`, { json: { confirm: true } })
      t.equal(done.status, 200, `${kill}: ${order} once more`)
      if (order === 'import') t.equal(labelOf(t, data, `${kill}: import`), 'new')
      await again.kill('SIGKILL')
      const backups = join(data, 'files/backups')
      const names = existsSync(backups) ? readdirSync(backups, { recursive: true }).map(String) : []
      t.same(
        names.filter((name) => name.endsWith('.tmp')),
        [],
        `${kill}: ${order}: no half backup`,
      )
    }
  }
  t.comment(JSON.stringify(counted))
})

t.test('a kill during a repair leaves the damaged or the repaired file, and a second repair completes', async (t) => {
  const folder = t.testdir()
  const data = join(folder, 'data')
  const first = await spawnService(data)
  await first.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  await first.kill('SIGTERM')
  const path = join(data, 'database.sqlite')
  {
    using database = new DatabaseSync(path)
    database.exec(`CREATE TABLE core__proof (id INTEGER PRIMARY KEY, text TEXT);
      INSERT INTO core__proof (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
        SELECT 'row ' || i || hex(zeroblob(50)) FROM n;
      CREATE INDEX core__proof_text ON core__proof (text); PRAGMA wal_checkpoint(TRUNCATE)`)
    const page = Number(
      database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'core__proof_text'").get()!['rootpage'],
    )
    const size = Number(Object.values(database.prepare('PRAGMA page_size').get()!)[0])
    database.close()
    const handle = await open(path, 'r+')
    await handle.write(Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
    await handle.close()
  }
  const saved = join(folder, 'saved')
  await cp(data, saved, { recursive: true })
  const repair = () =>
    spawn(process.execPath, [join(ROOT, 'core/cli/playhead.js'), 'repair', '--data', data], { stdio: 'ignore' })
  let takesMs = 0
  const counted = { old: 0, new: 0 }
  for (let kill = -1; kill < KILLS; kill += 1) {
    await rm(data, { recursive: true, force: true, maxRetries: 10 })
    await cp(saved, data, { recursive: true })
    const beganAt = performance.now()
    const child = repair()
    const ended = once(child, 'exit')
    if (kill >= 0) {
      await Promise.race([ended, sleep(Math.random() * takesMs * 1.1)])
      child.kill('SIGKILL')
    }
    await ended
    if (kill < 0) {
      takesMs = performance.now() - beganAt
      continue
    }
    const bytes = await readFile(path)
    const isOld = bytes.equals(await readFile(join(saved, 'database.sqlite')))
    t.ok(isOld, `${kill}: a repair leaves the file in its place until the next start`)
    const isStaged = existsSync(join(data, 'restore/pending'))
    counted[isStaged ? 'new' : 'old'] += 1
    if (!isStaged) {
      const second = repair()
      t.same(await once(second, 'exit'), [0, null], `${kill}: the second repair ends`)
    }
    const service = await spawnService(data)
    t.not(service.url, null, `${kill}: ${service.lines.join('\n')}`)
    if (service.url === null) return
    t.equal((await (await clientOf(service, ACCOUNT)).json('/api/config')).status, 200)
    await service.kill('SIGKILL')
    t.equal(integrityOf(path), 'ok')
    using database = new DatabaseSync(path)
    t.equal(database.prepare('SELECT count(*) AS n FROM core__proof').get()!['n'], 40_000, `${kill}: no row is lost`)
  }
  t.comment(JSON.stringify(counted))
})

function databasesOf(data: string): readonly string[] {
  return readdirSync(data, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.sqlite') && !/^(files|run)\//.test(name))
    .map((name) => join(data, name))
}

function integrityOf(file: string): unknown {
  using database = new DatabaseSync(file)
  return Object.values(database.prepare('PRAGMA integrity_check').get()!)[0]
}

function countsOf(data: string, touches: readonly Touch[]): ReadonlyMap<string, number> {
  return new Map(
    touches.map(({ path, table }) => {
      using database = new DatabaseSync(join(data, path))
      return [`${path}#${table}`, Number(database.prepare(`SELECT count(*) AS n FROM "${table}"`).get()!['n'])] as const
    }),
  )
}

/** The label of the films in the tracker, the same in all features. */
function labelOf(t: Test, data: string, what: string): string {
  using database = new DatabaseSync(join(data, 'database.sqlite'))
  const rows = database
    .prepare(
      `SELECT feature, count(*) AS n, min(item ->> '$.title') AS least, max(item ->> '$.title') AS most
       FROM tracker__rows WHERE item ->> '$.title' NOT LIKE 'Film %' AND removed_change IS NULL AND added_change < 1 << 52 AND space IN (SELECT space FROM tracker__spaces WHERE instance = 'default') GROUP BY feature`,
    )
    .all()
  const labels = new Set(rows.flatMap(({ least, most }) => [String(least).split(' ')[0]!, String(most).split(' ')[0]!]))
  t.equal(labels.size, 1, `${what}: old or new: ${JSON.stringify(rows)}`)
  return [...labels][0]!
}
