// A full disk, a read-only one and a second service, on a file system of the test's own.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { dataOf, filesIn, openWorld, post, validate } from '../plugins/backups/world.ts'
import { spawnService } from './process.ts'

t.setTimeout(240_000)

/** A small file system in memory; null where that is not allowed. */
function mount(folder: string): string | null {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder]).status === 0 ? folder : null
}

t.test('full, read-only, and in use', async (t) => {
  const folder = mount(await mkdtemp(join(tmpdir(), 'playhead-test-')))
  if (folder === null) return t.pass('this machine does not allow to mount a file system')
  const words = async () => (await world.json('/api/keeper')).body
  let world = await openWorld({ directory: folder })
  t.teardown(async () => {
    await world.stop()
    spawnSync('umount', ['-l', folder])
    await rm(folder, { recursive: true })
  })
  await post(world, '/api/config', { runtime: { min_free_disk_mb: 0 } })
  await post(world, '/api/keeper', { text: 'one' })
  const backup = (await post(world, '/api/backups/create', {})).body.backup
  await post(world, '/api/keeper', { text: 'two' })

  // So full that there is no room for a copy of the databases.
  const filler = join(folder, 'filler')
  const left = spawnSync('df', ['--output=avail', '-B1', folder]).stdout.toString().split('\n')[1]
  await writeFile(filler, Buffer.alloc(Number(left) - 100_000))
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
  await rm(filler)
  t.match(await validate(world, backup.path), { ok: true })
  t.equal((await post(world, '/api/backups/restore', { path: backup.path })).status, 200)

  // A second service is refused, and disturbs neither the first nor the restore that waits.
  const second = await spawnService(dataOf(world))
  t.equal(second.url, null)
  t.match(await second.ended, [1, null])
  t.match(second.lines, [/^playhead: Another Playhead uses this data directory/])
  await world.stop()
  world = await openWorld({ directory: folder, withoutAccount: true })
  t.match(await words(), { file: 'one', table: ['one'] })
  await world.stop()

  spawnSync('mount', ['-o', 'remount,ro', folder])
  const readOnly = await spawnService(dataOf(world), { NODE_COMPILE_CACHE: '' })
  t.equal(readOnly.url, null)
  t.match(await readOnly.ended, [1, null])
  t.equal(readOnly.lines.length, 1, readOnly.lines.join('\n'))
  t.match(readOnly.lines[0], /^playhead: .*(read-only|readonly)/i)
  spawnSync('mount', ['-o', 'remount,rw', folder])
  world = await openWorld({ directory: folder, withoutAccount: true })
  t.match(await words(), { file: 'one', table: ['one'] })
})
