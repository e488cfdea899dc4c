// slow: the service as a process, killed and started again
// A full disk, a read-only disk and a second service, on a separate file system.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dataOf, filesIn, openWorld, post, validate } from '../plugins/backups/world.ts'
import { until } from '../harness.ts'
import { spawnService } from './process.ts'
import { mountSmallDisk } from './small-disk.ts'

t.setTimeout(900_000)

t.test('on a full, a read-only and a used disk, backups are complete or refused', async (t) => {
  await using disk = await mountSmallDisk(160)
  if (disk === null) return t.pass('this machine does not allow to mount a file system')
  const { folder } = disk
  const words = async () => (await world.json('/api/keeper')).body
  let world = await openWorld({ directory: folder })
  t.teardown(() => world.stop())
  await post(world, '/api/config', { runtime: { min_free_disk_mb: 0 } })
  await post(world, '/api/keeper', { text: 'one' })
  const backup = (await post(world, '/api/backups/create', {})).body.backup
  await post(world, '/api/keeper', { text: 'two' })

  // No room for a copy of the databases.
  disk.fill(100_000)
  const own = () => filesIn(world, 'files/backups')
  const before = own()
  t.match(await post(world, '/api/backups/create', {}), {
    status: /409|507/,
    body: { ok: false, error: /^disk_(full|low)$/ },
  })
  const answer = await post(world, '/api/backups/restore', { path: backup.path })
  t.ok(answer.status >= 400, JSON.stringify(answer.body))
  t.same(own(), before, 'nothing is left')
  t.same(filesIn(world, 'run/scratch'), [])
  t.notOk(
    readdirSync(dataOf(world)).includes('restore') && readdirSync(join(dataOf(world), 'restore')).includes('pending'),
  )
  t.match(await words(), { file: 'two', table: ['two'] })
  disk.free()
  t.match(await validate(world, backup.path), { ok: true })
  t.equal((await post(world, '/api/backups/restore', { path: backup.path })).status, 200)

  // A second service is refused, and affects neither the first one nor the pending restore.
  const second = await spawnService(dataOf(world))
  t.equal(second.url, null)
  t.match(await second.ended, [1, null])
  t.match(second.lines, [/^playhead: Another Playhead uses this data directory/])
  await world.stop()
  world = await openWorld({ directory: folder, withoutAccount: true })
  t.match(await words(), { file: 'one', table: ['one'] })
  await world.stop()

  t.ok(disk.remount('ro'))
  const readOnly = await spawnService(dataOf(world), { NODE_COMPILE_CACHE: '' })
  t.equal(readOnly.url, null)
  t.match(await readOnly.ended, [1, null])
  t.equal(readOnly.lines.length, 1, readOnly.lines.join('\n'))
  t.match(readOnly.lines[0], /^playhead: .*(read-only|readonly)/i)
  disk.remount('rw')
  world = await openWorld({ directory: folder, withoutAccount: true })
  t.match(await words(), { file: 'one', table: ['one'] })
})

t.test('a disk that becomes full or read-only during a backup leaves no partial backup', async (t) => {
  await using disk = await mountSmallDisk(288)
  if (disk === null) return t.pass('this machine does not allow to mount a file system')
  await using world = await openWorld({ directory: disk.folder })
  const first = (await post(world, '/api/backups/create', {})).body.backup
  // Makes the archive take a while.
  const captures = join(dataOf(world), 'files/captures')
  mkdirSync(captures, { recursive: true })
  writeFileSync(join(captures, 'large.bin'), randomBytes(60_000_000))
  const own = () => filesIn(world, 'files/backups')
  const before = own()
  const listed = async () => (await world.json('/api/backups/list')).body.backups

  const asked = post(world, '/api/backups/create', { scope: 'full', label: 'large' })
  await until('the archive is being written', () => own().some((name) => name.endsWith('.tmp')), 30_000)
  disk.fill()
  t.match(await asked, { status: 507, body: { ok: false, error: 'disk_full' } })
  t.same(own(), before, 'nothing is left of it')
  t.same(filesIn(world, 'run/scratch'), [])
  t.match(await listed(), [{ path: first.path, valid: true }])
  t.match(world.events.recent({ name: 'backup.failed' }), [{ data: { label: 'large', reason: /disk/ } }])
  disk.free()
  t.match(await validate(world, first.path), { ok: true })

  t.ok(disk.readOnly('data/files/backups'))
  t.match(await post(world, '/api/backups/create', { scope: 'config_only' }), {
    status: 503,
    body: { ok: false, error: 'data_read_only' },
  })
  t.match(await listed(), [{ path: first.path, valid: true }])
  disk.writable('data/files/backups')
  t.equal((await post(world, '/api/backups/create', { scope: 'full' })).status, 200)
})
