// slow: the whole service, or very many cases
// The configuration's own backup before its migration: created by the backups plugin, and by the core without it.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../../harness.ts'
import { dataOf, openWorld, post, validate } from './world.ts'

t.test('a settings migration creates a backup with the plugin, and stops where it cannot', async (t) => {
  await using world = await openWorld()
  await post(world, '/api/config', { mine: { word: 'before' } })
  const { status, body } = await post(world, '/api/config/migrate', {})
  t.equal(status, 200, JSON.stringify(body))
  const { backups } = (await world.json('/api/backups/list')).body
  t.match(backups, [{ path: body.backup, scope: 'config_only', valid: true, label: /^pre-upgrade-version/ }])
  const report = await validate(world, body.backup)
  t.match(report, { ok: true, manifest: { trigger: 'maintenance_config' } })
  t.ok(report.manifest.files.some(({ path }: { path: string }) => path === 'config.json'))

  await post(world, '/api/config', { mine: { word: 'after' } })
  t.equal((await post(world, '/api/backups/restore', { path: body.backup })).status, 200, 'it can be restored')
})

t.test('if the backup fails, no setting is changed', async (t) => {
  await using world = await openWorld()
  await post(world, '/api/config', { mine: { word: 'before' } })
  const revision = (await world.json('/api/config/meta')).body.revision
  const folder = join(dataOf(world), 'files/backups')
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  t.match(await post(world, '/api/config/migrate', { mine: { word: 'after' } }), {
    status: 500,
    body: { ok: false, error: 'config_backup_failed' },
  })
  t.equal((await world.json('/api/config/meta')).body.revision, revision)
  t.match((await world.json('/api/config')).body, { mine: { word: 'before' } })
})

t.test('without the plugin the core copies the file', async (t) => {
  await using service = await startService({ watch: false })
  const { status, body } = await service.json('/api/config/migrate', { json: {} })
  t.match({ status, body }, { status: 200, body: { backup: /config-.*\.json$/ } })
})
