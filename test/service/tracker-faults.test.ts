// slow: the service as a process, killed and started again
// The tracker's database on a full disk, in a read-only data directory, and corrupt: an import or a clear is complete or has no
// effect, existing data stays readable, and unreadable data is not treated as removed.
import { spawn } from 'node:child_process'
import { cp, open, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { PASSWORD, USERNAME } from '../harness.ts'
import { openWorld, tracker, unzip, zipOf } from '../plugins/maintenance/world.ts'
import { clientOf, cookieOf, type ServiceProcess, spawnService } from './process.ts'
import { mountSmallDisk } from './small-disk.ts'

const ACCOUNT = { username: USERNAME, password: PASSWORD }
const ROOT = join(import.meta.dirname, '../..')
const API = '/api/maintenance/svc-tracker'
const ROWS = 4_000

t.setTimeout(900_000)

const filmsOf = (label: string) => ({
  'ratings.json': {
    items: Object.fromEntries(
      Array.from({ length: ROWS }, (_, index) => [
        `k${index}`,
        {
          ...{ type: 'movie', title: `${label} ${index}`, ids: { tmdb: String(5_000 + index) } },
          ...{ rating: 1 + (index % 10), rated_at: '2026-03-01T00:00:00Z' },
        },
      ]),
    ),
  },
})

/** Signed in, with the routes for file import and export. */
async function trackerOf(service: ServiceProcess, data: string) {
  const client = await clientOf(service, ACCOUNT)
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  return {
    client,
    async import(label: string) {
      const body = new FormData()
      body.append('file', new Blob([(await zipOf(filmsOf(label))) as never]), 'svc-tracker.zip')
      const answer = await fetch(`${service.url}${API}/import`, { method: 'POST', body, headers: { cookie } })
      return { status: answer.status, body: (await answer.json()) as any }
    },
    /** Free bytes after the write-ahead log of the database is merged. */
    async room() {
      await sleep(2_500)
      const { bavail, bsize } = await statfs(data)
      return bavail * bsize
    },
    /** The films in the tracker: their label and number. */
    async films() {
      const answer = await service.get(`${API}/export`, cookie)
      const files = await unzip(new Uint8Array(await answer.arrayBuffer()))
      const titles = Object.values<any>(JSON.parse(files['ratings.json']!).items).map(({ title }) => title as string)
      return { labels: [...new Set(titles.map((title) => title.split(' ')[0]!))], count: titles.length }
    },
  }
}

t.test('imports and clears on a full and a read-only disk', async (t) => {
  await using disk = await mountSmallDisk(256)
  if (disk === null) return t.pass('this machine does not allow to mount a file system')
  const world = await openWorld(t)
  await world.stop()
  const data = join(disk.folder, 'data')
  await cp(join(world.directory, 'data'), data, { recursive: true })
  const service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  t.not(service.url, null, service.lines.join('\n'))
  const own = await trackerOf(service, data)
  t.match(await own.import('old'), { status: 200 })
  const has = (label: string) => ({ labels: [label], count: ROWS })

  // From a full disk to one that is nearly full halfway through, and one with room.
  let label = 'old'
  const ended: number[] = []
  for (const leftBytes of [0, 3_000_000, 63_000_000, 66_000_000, 70_000_000, 110_000_000]) {
    disk.fill(leftBytes)
    const next = `new${leftBytes}`
    const { status, body } = await own.import(next)
    ended.push(status)
    if (status === 200) label = next
    else t.match({ status, body }, { status: 507, body: { ok: false, error: 'disk_full' } }, `${leftBytes} bytes`)
    t.same(await own.films(), has(label), `${leftBytes} bytes: old or new`)
    disk.free()
  }
  t.ok(ended.includes(507) && ended.includes(200), ended.join())

  // Other files fill the disk while rows are received, staged and applied.
  for (const afterMs of [20, 80, 150, 300, 600]) {
    const next = `meanwhile${afterMs}`
    const importing = own.import(next)
    await sleep(afterMs)
    disk.fill()
    const { status, body } = await importing
    if (status === 200) label = next
    else t.match({ status, body }, { status: 507, body: { ok: false, error: 'disk_full' } }, `after ${afterMs} ms`)
    t.same(await own.films(), has(label), `full after ${afterMs} ms: old or new`)
    disk.free()
  }

  // A failed import frees the space that it used.
  t.match(await own.import('base'), { status: 200 })
  await own.room()
  disk.fill(68_000_000)
  const left: number[] = []
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { status } = await own.import(`again${attempt}`)
    t.equal(status, 507)
    left.push(await own.room())
  }
  t.ok(
    left.every((bytes) => bytes > 40_000_000) && left.at(-1)! > left[0]! - 8_000_000,
    `six failed imports need no more room than one: ${left.join()}`,
  )
  t.same(await own.films(), has('base'))
  const backup = await own.client.json('/api/backups/create', { json: { scope: 'full' } })
  t.match(backup, { status: 507, body: { error: 'disk_full' } }, 'a backup of it has no room')
  t.same(
    (await readdir(join(data, 'files/backups'))).filter((name) => name.includes('.zip')),
    [],
    'and leaves nothing',
  )
  disk.free()
  label = 'base'
  disk.fill()
  const clear = await own.client.json(`${API}/clear`, { json: { confirm: true } })
  t.match(clear, { status: 507, body: { ok: false, error: 'disk_full' } }, JSON.stringify(clear.body))
  t.same(await own.films(), has(label), 'what is there can be read')
  disk.free()
  t.match(await own.import('after'), { status: 200 })
  t.same(await own.films(), has('after'))

  t.ok(disk.readOnly('data'))
  const refused = await own.import('never')
  t.match(refused, { status: 503, body: { ok: false, error: 'data_read_only' } }, JSON.stringify(refused.body))
  t.same(await own.films(), has('after'))
  disk.writable('data')

  await service.kill('SIGKILL')
  const again = await spawnService(data)
  t.not(again.url, null, again.lines.join('\n'))
  const last = await trackerOf(again, data)
  t.match(await last.client.json('/api/maintenance/integrity', { json: {} }), { status: 200, body: { healthy: true } })
  t.same(await last.films(), has('after'), 'and after kill -9')
  t.match(await last.import('last'), { status: 200 })
  await again.kill('SIGTERM')
})

t.test('rows that a corrupt database has lost are not removed elsewhere', async (t) => {
  const world = await openWorld(t)
  const [, second = ''] = await tracker().profiles()
  const sizes = await Promise.all(['default', second].map((id) => tracker().stats(id)))
  const before = sizes.flat().reduce((sum, { rows }) => sum + rows, 0)
  await world.stop()
  const data = join(world.directory, 'data')
  await tear(join(data, 'database.sqlite'), 'tracker__rows')
  const refused = await spawnService(data)
  t.equal(refused.url, null, 'it does not start with half of the rows')
  t.match(refused.lines, [/^playhead: The database .*database\.sqlite cannot be read .*repair/])
  t.equal(refused.lines.length, 1)
  const repair = spawn(process.execPath, [join(ROOT, 'core/cli/playhead.js'), 'repair', '--data', data])
  const told = (await Array.fromAsync(repair.stdout)).join('')
  t.match(told, /tracker__rows/, 'the table that lost rows is named')

  const service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  t.not(service.url, null, service.lines.join('\n'))
  const { client } = await trackerOf(service, data)
  t.match(await client.json('/api/maintenance/integrity', { json: {} }), { status: 200, body: { healthy: true } })
  const rows = async () => {
    const profiles = ['default', second].map((id) => client.json(`${API}?provider_instance=${id}`))
    const states = (await Promise.all(profiles)).flatMap(({ body }) => body.state_files)
    return states.reduce((sum: number, state: { rows: number }) => sum + state.rows, 0)
  }
  const left = await rows()
  t.ok(left > 0 && left < before, `${left} of ${before} rows are left`)
  // Reads everything.
  for (const what of ['as it is', 'without caches']) {
    const { body: run } = await client.json('/api/run', { json: {} })
    for (let summary: any = null; summary?.running !== false || summary.run_id !== run.run_id; await sleep(50)) {
      summary = (await client.json('/api/run/summary')).body
      if (summary.run_id === run.run_id && summary.running === false)
        t.match(summary, { result: 'ok', removed_last: 0, held: 0 }, `${what}: nothing is removed`)
    }
    await client.json('/api/maintenance/clear-cache', { json: { confirm: true } })
  }
  t.ok((await rows()) > left, 'and the other account brings them back')
  await service.kill('SIGTERM')
})

/** Overwrites one page of a table, as a failing disk does. */
async function tear(file: string, table: string): Promise<void> {
  let page = 0
  let size = 0
  {
    using database = new DatabaseSync(file)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    size = Number(Object.values(database.prepare('PRAGMA page_size').get()!)[0])
    const pages = database.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'").all(table)
    page = Number(pages[1]!['pageno'])
  }
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
  await handle.close()
}
