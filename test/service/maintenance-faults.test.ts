// slow: the service as a process, killed and started again
// Maintenance on a full disk and in a read-only data directory: each action returns its code, and is complete or has no effect.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { PASSWORD, USERNAME } from '../harness.ts'
import { openWorld, runSync } from '../plugins/maintenance/world.ts'
import { clientOf, spawnService } from './process.ts'
import { mountSmallDisk } from './small-disk.ts'

const ACCOUNT = { username: USERNAME, password: PASSWORD }
const ACTIONS = [
  'clear-metadata-cache',
  'clear-provider-sync-cache',
  'clear-recent-scrobbles',
  'clear-activity-log',
  'svc-tracker/clear',
  'reset-stats',
  'clear-state',
  'events-optimize',
  'events-rebuild',
  'reset-all-default',
]

t.setTimeout(900_000)

t.test('maintenance on a full and a read-only disk', async (t) => {
  await using disk = await mountSmallDisk(256)
  if (disk === null) return t.pass('this machine does not allow to mount a file system')
  const world = await openWorld(t)
  await runSync(world)
  await world.stop()
  const data = join(disk.folder, 'data')
  await cp(join(world.directory, 'data'), data, { recursive: true })

  for (const fault of ['full', 'read-only'] as const) {
    await t.test(fault, async (t) => {
      const service = await spawnService(data)
      t.teardown(() => service.kill('SIGKILL'))
      t.not(service.url, null, service.lines.join('\n'))
      const client = await clientOf(service, ACCOUNT)
      const post = (path: string, json: object) => client.json(`/api/maintenance/${path}`, { json })
      const preview = async (action: string) => (await post(action, { dry_run: true })).body
      const before = new Map<string, any>()
      for (const action of ACTIONS) before.set(action, await preview(action))
      if (fault === 'full') disk.fill()
      else t.ok(disk.readOnly('data'))
      const refused: string[] = []
      for (const action of ACTIONS) {
        const { status, body } = await post(action, { confirm: true })
        const told = `${action}: ${status} ${JSON.stringify(body).slice(0, 300)}`
        if (status !== 200) refused.push(action)
        // Files that were already open can still be written.
        if (status === 200 && fault === 'read-only') t.pass(told.slice(0, 60))
        else if (body.error === 'insufficient_space') t.equal(status, 400, told)
        else if (fault === 'full')
          t.match({ status, body }, { status: 507, body: { ok: false, error: 'disk_full' } }, told)
        else t.match({ status, body }, { status: 503, body: { ok: false, error: 'data_read_only' } }, told)
      }
      t.ok(refused.length > 5, refused.join())
      if (fault === 'full') disk.free()
      else disk.writable('data')
      for (const action of refused) {
        // Data that other actions have cleared, and the events of this test.
        if (fault === 'read-only' && /state|sync-cache|reset-all|events/.test(action)) continue
        const withoutEvents = ({ touches = [], ...rest }: any) => ({
          ...rest,
          ...{ summary: null, freed_bytes: null, before_bytes: null, removed_bytes: null },
          touches: touches.filter(({ path }: any) => !path.startsWith('databases/events') && !path.startsWith('run/')),
        })
        t.same(withoutEvents(await preview(action)), withoutEvents(before.get(action)), `${action} did nothing`)
      }
      await service.kill('SIGKILL')
      const again = await spawnService(data)
      t.not(again.url, null, again.lines.join('\n'))
      const next = await clientOf(again, ACCOUNT)
      t.match(await next.json('/api/maintenance/integrity', { json: {} }), { status: 200, body: { healthy: true } })
      await again.kill('SIGTERM')
    })
  }
})
