// The detailed health report: problems and their remedies.
import t from 'tap'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HealthFact, HEALTH_DETAIL } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import { readDatabases } from '../../../core/storage/database-health.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import plugin from '../../../plugins/services/system/index.ts'
import { BROKEN_STATES } from '../../../plugins/services/system/health-route.ts'
import { startService, until } from '../../harness.ts'

const manifest = new URL('../../../plugins/services/system/plugin.json', import.meta.url)

const factsOf = async (host: Awaited<ReturnType<typeof createTestHost>>): Promise<Record<string, HealthFact>> =>
  Object.fromEntries((await host.callHook(HEALTH_DETAIL, {})).map((fact) => [fact.name, fact]))

t.test('signed-out accounts are named with the next step; unconfigured or slow ones are no alarm', async (t) => {
  const profiles = [
    ['MEDIAA', 'default', 'ok'],
    ['MEDIAB', 'two', 'auth_failed'],
    ['TRACKA', 'default', 'down'],
    ['TRACKB', 'default', 'throws'],
  ]
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      accounts: {
        list: async () => [
          ...profiles.map(([provider, instance]) => ({ provider, instance, configured: true })),
          { provider: 'LISTA', instance: 'default', configured: false },
        ],
        health: async (provider: string) => {
          const status = profiles.find(([id]) => id === provider)?.[2]
          if (status === 'throws') throw new Error('no answer')
          return { status }
        },
      },
    },
  })
  t.same((await factsOf(host))['accounts'], {
    name: 'accounts',
    ok: false,
    detail: { configured: 4, signed_out: ['MEDIAB@two'], unreachable: ['TRACKA@default', 'TRACKB@default'] },
    advice: 'Sign in again: MEDIAB@two. Nothing is read from or written to these accounts until then.',
  })
})

t.test('each enabled pair is reported with its last run that was not dry', async (t) => {
  const run = (run_id: string, dry_run: boolean, pairs: object[]) => ({
    run_id,
    dry_run,
    finished_at: `of ${run_id}`,
    pairs,
  })
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      sync: {
        pairs: async () => [
          { id: 'p1', enabled: true },
          { id: 'p2', enabled: true },
          { id: 'p3', enabled: false },
          { id: 'p4', enabled: true },
        ],
        reports: async () => [
          run('r3', true, [{ pair_id: 'p1', status: 'failed' }]),
          run('r2', false, [
            { pair_id: 'p1', status: 'ok' },
            { pair_id: 'p2', status: 'skipped' },
            { pair_id: 'p3', status: 'failed' },
          ]),
          run('r1', false, [
            { pair_id: 'p1', status: 'failed' },
            { pair_id: 'p2', status: 'failed' },
          ]),
        ],
      },
    },
  })
  t.match((await factsOf(host))['pairs'], {
    ok: false,
    detail: {
      last_runs: [
        { pair_id: 'p1', status: 'ok', run_id: 'r2', finished_at: 'of r2' },
        { pair_id: 'p2', status: 'failed', run_id: 'r1' },
        { pair_id: 'p4', status: 'never', run_id: null },
      ],
      failed: ['p2'],
    },
    advice: /report of the last run/,
  })
})

t.test('without accounts and sync the report is still complete', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.match(await factsOf(host), {
    accounts: { ok: true, detail: { available: false } },
    pairs: { ok: true, detail: { available: false } },
    clock: { ok: true },
  })
})

t.test('a clock that went back over a restart is reported, even if it is corrected in the meantime', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  await host.runJob('note-the-time')
  await host.reload()
  t.match((await factsOf(host))['clock'], { ok: true })
  await host.store.set('clock', Date.now() + 3_600_000)
  await host.reload()
  t.match((await factsOf(host))['clock'], { ok: false, detail: { behind_last_run_ms: Number }, advice: /went back/ })
  await host.runJob('note-the-time')
  await host.reload()
  t.match((await factsOf(host))['clock'], { ok: true })
})

t.test('databases are listed with their sizes, and an unusable one with the next step', async (t) => {
  const folder = t.testdir({
    databases: {
      events: {
        'archive.sqlite': 'x'.repeat(100),
        'archive.sqlite-wal': 'y'.repeat(7),
        'archive.bad-1.sqlite-wal': '',
        'archive.bad-2026': '',
      },
    },
  })
  const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => silent }
  const file = join(folder, 'playhead.sqlite')
  const database = await openDatabase(file, { log: silent })
  t.teardown(() => database.close())
  const options = { db: database.db, files: [file], pluginFolder: join(folder, 'databases') }

  const fact = await readDatabases(options)
  t.match(fact, {
    name: 'databases',
    ok: true,
    detail: {
      files: [
        { name: 'playhead.sqlite', usable: true },
        { name: 'events/archive.sqlite', bytes: 100, log_bytes: 7, usable: true },
      ],
      set_aside: ['events/archive.bad-2026'],
      problem: null,
    },
  })
  t.notOk('advice' in fact)
  t.match(await readDatabases({ ...options, files: [file, join(folder, 'gone.sqlite')] }), {
    ok: false,
    detail: { files: [{ usable: true }, { name: 'gone.sqlite', bytes: 0, usable: false }, {}] },
    advice: /data directory/,
  })
  t.match(await readDatabases({ ...options, pluginFolder: join(folder, 'nothing') }), { ok: true })
  await database.close()
  t.match(await readDatabases(options), { ok: false, detail: { problem: String } })
})

t.test('the running service reports all parts, and a plugin that does not run with the next step', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  // The archive opens with its first use.
  await service.json('/api/events/groups')
  const { body } = await service.json('/api/system/health')
  const names = body.checks.map(({ name }: HealthFact) => name)
  // What to read if one does not run.
  for (const { id, state } of body.plugins)
    if (BROKEN_STATES.has(state)) t.comment(id, (await service.plugin(id)).last_error)
  for (const name of [
    'event_loop',
    'memory',
    'disk',
    'configuration',
    'databases',
    'accounts',
    'pairs',
    'clock',
    'event archive',
    'event export',
    'plugins',
  ])
    t.ok(names.includes(name), name)
  // The report does not depend on the load of the machine.
  t.same(
    body.checks.filter(({ name, ok }: HealthFact) => !ok && name !== 'event_loop'),
    [],
  )
  const databases = body.checks.find(({ name }: HealthFact) => name === 'databases').detail.files
  t.ok(
    databases.some(({ name, usable }: { name: string; usable: boolean }) => name === 'events/archive.sqlite' && usable),
  )

  const folder = join(service.directory, 'broken')
  await mkdir(folder)
  await writeFile(
    join(folder, 'plugin.json'),
    JSON.stringify({ id: 'broken', name: 'Broken', version: '1.0.0', api: '^1.0.0', kind: 'service' }),
  )
  await writeFile(join(folder, 'index.ts'), 'throw new Error("no")')
  await writeFile(
    join(service.directory, 'data', 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'broken', source: folder }] }),
  )
  await service.host.rescan()
  const broken = await until('it is told', async () =>
    (await service.json('/api/system/health')).body.checks.find(
      ({ name, ok }: HealthFact) => name === 'plugins' && !ok,
    ),
  )
  t.match(broken, { detail: { not_running: ['broken'] }, advice: String })
})
