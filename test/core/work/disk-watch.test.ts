// slow: real threads, disks and waits
// Free disk space: work that is held below the limit, and its continuation.
import t from 'tap'
import type { Logger } from '@playhead/sdk'
import { createDiskWatch, limitOf } from '../../../core/work/disk-watch.ts'
import { createWorkRegistry } from '../../../core/work/registry.ts'
import { startService } from '../../harness.ts'

const MIB = 1024 * 1024
const SILENT: Logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT }

t.test('the limit depends on the size of the disk, within bounds, unless it is set', (t) => {
  t.equal(limitOf(100_000 * MIB, 0), 2_000 * MIB)
  t.equal(limitOf(10_000 * MIB, 0), 500 * MIB)
  t.equal(limitOf(4_000_000 * MIB, 0), 5 * 1024 * MIB)
  t.equal(limitOf(1_000 * MIB, 0), 250 * MIB, 'a quarter of a small disk')
  t.equal(limitOf(1_000 * MIB, 900), 900 * MIB)
  t.end()
})

t.test('below the limit no large work starts; a little free space does not resume it', async (t) => {
  const work = createWorkRegistry({ clock: { now: () => 1 } })
  let freeBytes = 600 * MIB
  const watch = createDiskWatch({
    directory: '/',
    work,
    log: SILENT,
    minFreeMb: () => 0,
    space: async () => ({ freeBytes, totalBytes: 20_000 * MIB }),
  })
  t.teardown(watch.close)
  await watch.check()
  t.same(work.blocks(), [])
  freeBytes = 499 * MIB
  t.match(await watch.read(), { name: 'disk', ok: false, detail: { free_bytes: freeBytes, limit_bytes: 500 * MIB } })
  t.match(work.blocks(), [{ code: 'disk_low', message: /^Only 499 MB are free .* limit of 500 MB/ }])
  for (const kind of ['sync', 'capture', 'restore', 'backup', 'read'] as const)
    t.throws(() => work.begin({ kind, label: kind }), { code: 'PLH_CONFLICT', wire: 'disk_low' })
  for (const kind of ['change', 'maintenance'] as const) work.begin({ kind, label: kind }).release()
  const waiting = work.beginWhenFree({ kind: 'sync', label: 'A sync' })
  freeBytes = 510 * MIB
  await watch.check()
  await watch.check()
  t.equal(work.blocks().length, 1)
  freeBytes = 560 * MIB
  await watch.check()
  ;(await waiting).release()
  t.match(await watch.read(), { ok: true })
})

t.test('a missing data directory is a failed fact, not a failed report', async (t) => {
  const work = createWorkRegistry({ clock: { now: () => 1 } })
  const watch = createDiskWatch({ directory: `${t.testdir()}/missing`, work, log: SILENT, minFreeMb: () => 0 })
  t.teardown(watch.close)
  await watch.check()
  t.match(await watch.read(), { name: 'disk', ok: false, detail: { error: 'ENOENT' }, advice: /data directory/ })
  t.same(work.blocks(), [])
})

t.test('people are notified: health, log, event; and it ends with the setting', async (t) => {
  await using service = await startService({ watch: false, shipped: true })
  const set = async (mb: number) => {
    const { body } = await service.json('/api/config')
    const { runtime } = body
    return service.json('/api/config', { json: { runtime: { ...runtime, min_free_mb: mb } } })
  }
  t.match(await set(9_000_000), { status: 200 })
  const health = async () => (await service.json('/api/system/health')).body
  t.match(JSON.stringify(await health()), /Make room on the disk/)
  t.match(service.events.recent({ name: 'work.blocked' }), [{ data: { code: 'disk_low', plugin: 'core' } }])
  const { body: attention } = await service.json('/api/attention')
  t.match(
    attention.items.find(({ id }: { id: string }) => id === 'health:disk'),
    { severity: 'warning', detail: /Make room/ },
  )
  t.ok(service.log.some((line) => line.includes('new work is held: Only')))
  await set(0)
  await health()
  t.match(service.events.recent({ name: 'work.unblocked' }), [{ data: { code: 'disk_low' } }])
})
