// Retention as a property, and the schedule.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { labelFrom, labelOf } from '../../../plugins/services/backups/names.ts'
import { type Kept, retentionOf } from '../../../plugins/services/backups/retention.ts'
import { jobFrom } from '../../../plugins/services/backups/schedule.ts'
import { startService } from '../../harness.ts'

const DAY = 86_400_000
const NOW = 1_000 * DAY

const backup = fc.record({
  createdAtMs: fc.integer({ min: 0, max: 60 }).map((days) => NOW - days * DAY),
  trigger: fc.constantFrom('scheduler', 'scheduler', 'manual', 'pre_restore', 'imported'),
  valid: fc.boolean(),
  pinned: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
})
const backups = fc
  .array(backup, { maxLength: 40 })
  .map((all) => all.map((one, index): Kept => ({ ...one, path: `${index}.zip` })))
const rule = fc.record({
  retentionDays: fc.integer({ min: 0, max: 50 }),
  maxBackups: fc.integer({ min: 0, max: 12 }),
  all: fc.boolean(),
})

t.test(
  'property 55: retention keeps the newest, deletes nothing younger than the days, and is idempotent',
  async () => {
    fc.assert(
      fc.property(backups, rule, (all, rules) => {
        const { deleted, retained } = retentionOf(all, rules, NOW)
        const paths = (list: readonly Kept[]) => list.map(({ path }) => path).sort()
        // Deleted and retained backups partition the list.
        assert.deepEqual([...paths(deleted), ...paths(retained)].sort(), paths(all))
        // A second pass deletes nothing.
        assert.deepEqual(retentionOf(retained, rules, NOW).deleted, [])
        const newestFirst = [...all].sort((a, b) => b.createdAtMs - a.createdAtMs || (a.path < b.path ? 1 : -1))
        const eligible = newestFirst.filter(({ trigger }) => rules.all || trigger === 'scheduler')
        const young = eligible.filter(
          ({ createdAtMs }) => rules.retentionDays === 0 || createdAtMs >= NOW - rules.retentionDays * DAY,
        )
        const kept = rules.maxBackups === 0 ? young : young.slice(0, rules.maxBackups)
        const isKept = new Set(paths(retained))
        assert.ok(kept.every(({ path }) => isKept.has(path)))
        if (rules.maxBackups === 0) assert.ok(!deleted.some((one) => young.includes(one)))
        // Guarantees for people.
        assert.ok(deleted.every(({ pinned }) => !pinned))
        if (!rules.all) assert.ok(deleted.every(({ trigger }) => trigger === 'scheduler'))
        const newestValid = newestFirst.find(({ valid }) => valid)
        assert.ok(newestValid === undefined || isKept.has(newestValid.path))
        const saved = newestFirst.find(({ trigger }) => trigger === 'pre_restore')
        if (saved !== undefined && NOW - saved.createdAtMs < 7 * DAY) assert.ok(isKept.has(saved.path))
        // All other backups are deleted.
        const others = eligible.filter(
          (one) => !kept.includes(one) && !one.pinned && one !== newestValid && one !== saved,
        )
        assert.deepEqual(
          others.filter(({ path }) => isKept.has(path)),
          [],
        )
      }),
      { numRuns: runsOf(300) },
    )
  },
)

t.test('backups created while the clock was a year ahead do not displace those with the right time', async (t) => {
  for (const days of [0, 30]) {
    let all: readonly Kept[] = []
    const made = (name: string, createdAtMs: number) => {
      const one = { path: `${name}.zip`, createdAtMs, trigger: 'scheduler', valid: true, pinned: false }
      all = retentionOf([...all, one], { retentionDays: days, maxBackups: 5 }, createdAtMs).retained
      t.ok(all.includes(one), `${name} was just made`)
      t.ok(all.length <= 5, `${name}: no more than are wanted`)
    }
    for (let night = 0; night < 6; night += 1) made(`ahead-${night}`, NOW + (365 + night) * DAY)
    for (let night = 0; night < 6; night += 1) made(`right-${night}`, NOW + night * DAY)
    t.same(
      all.map(({ path }) => path),
      [5, 4, 3, 2, 1].map((night) => `right-${night}.zip`),
    )
  }
})

t.test('labels are generated and validated', async (t) => {
  t.equal(labelOf('  Grüße aus/../Köln .zip  '), 'Gre-aus..Kln-.zip')
  t.equal(labelOf('///'), 'manual')
  t.equal(labelOf('a'.repeat(99)).length, 48)
  const atMs = Date.parse('2026-11-24T03:04:05Z')
  t.equal(labelFrom('', 'full', atMs), 'scheduled-full-2026-11-24')
  t.equal(labelFrom('{stamp} {time} {datetime} {other}', 'full', atMs), '20261124T030405Z-0304-2026-11-24-0304-other')
})

t.test('property 56: a backup schedule leaves the times of syncs alone, and is read back as written', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const post = async (path: string, json: unknown) => await service.json(path, { json })
  await post('/api/scheduling', { enabled: true, mode: 'daily_time', daily_time: '04:30', timezone: 'Europe/Paris' })
  const syncs = async () =>
    (await service.json('/api/scheduling/next')).body.upcoming
      .filter(({ kind }: { kind: string }) => kind !== 'backup')
      .map(({ kind, run_at: at }: { kind: string; run_at: number }) => [kind, at])
  const before = await syncs()
  t.match(before, [['standard', Number]])
  t.same((await service.json('/api/backups/schedule')).body, { ok: true, schedule: {}, advanced_enabled: false })
  const times = fc.constantFrom('03:00', '4:05', '23:59', '0:00')
  const body = fc.record(
    {
      enabled: fc.boolean(),
      scope: fc.constantFrom('config_only', 'app_state', 'full'),
      at: times,
      days: fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 9 }),
      label_template: fc.constantFrom('', 'mine {date}', '  x '),
      retention_days: fc.integer({ min: 0, max: 3_650 }),
      max_backups: fc.integer({ min: 0, max: 1_000 }),
      auto_delete_old: fc.boolean(),
      include_cache: fc.boolean(),
      catch_up: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const saved = (await post('/api/backups/schedule', given)).body
      t.same(saved.schedule, jobFrom(given))
      t.same((await service.json('/api/backups/schedule')).body, saved)
      t.equal(saved.advanced_enabled, false)
      t.same(await syncs(), before)
    }),
    { numRuns: runsOf(15) },
  )
  // Missing values get defaults, and out-of-range values are dropped.
  const defaults = {
    ...{ id: 'app-backup-default', active: false, scope: 'app_state', at: '03:00', days: [] },
    ...{ label_template: 'scheduled-{scope}-{date}', retention_days: 30, max_backups: 10, auto_delete_old: true },
    ...{ include_snapshots: false, include_reports: false, include_cache: false, catch_up: true },
  }
  t.same((await post('/api/backups/schedule', {})).body.schedule, defaults)
  const given = { enabled: true, at: '4:05', days: [9, 7, 0, 1, 7], label_template: ' x ', include_reports: true }
  t.same((await post('/api/backups/schedule', given)).body.schedule, {
    ...defaults,
    ...{ active: true, at: '04:05', days: [1, 7], label_template: 'x', include_reports: true },
  })
  await post('/api/backups/schedule', { enabled: true, at: '03:00', retention_days: 0, max_backups: 0 })
  const scheduling = (await service.json('/api/scheduling')).body
  t.match(scheduling, { enabled: true, mode: 'daily_time', daily_time: '04:30', advanced: { enabled: false } })
  t.match(scheduling.advanced.backup_jobs, [{ id: 'app-backup-default', retention_days: 0, max_backups: 0 }])
  t.same(await syncs(), before)
  // If automatic sync is off, it is not turned on.
  await post('/api/scheduling', { ...scheduling, enabled: false })
  await post('/api/backups/schedule', { enabled: true, at: '03:00', retention_days: 0, max_backups: 0 })
  t.same(await syncs(), [])
  await post('/api/scheduling', scheduling)
  for (const [bad, error] of [
    [{ at: '25:00' }, 'invalid_time'],
    [{ at: 'noon' }, 'invalid_time'],
    [{ scope: 'all' }, 'invalid_scope'],
  ] as const)
    t.match(await post('/api/backups/schedule', bad), { status: 400, body: { ok: false, error } })
  t.equal((await post('/api/backups/schedule', { retention_days: 4_000 })).status, 422)
  t.equal((await post('/api/backups/schedule', { days: 'monday' })).status, 422)
  t.same((await service.json('/api/scheduling')).body, scheduling, 'what was wrong changed nothing')
})

t.test('scheduled backups have their own retention, and others stay', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const post = async (path: string, json: unknown) => await service.json(path, { json })
  const trigger = async () =>
    await post('/api/scheduling/trigger_now', {
      action: 'backup',
      backup: { scope: 'config_only', auto_delete_old: true, max_backups: 2 },
    })
  await post('/api/backups/create', { scope: 'config_only' })
  for (let time = 0; time < 3; time += 1) t.match(await trigger(), { status: 200, body: { triggered: true } })
  const listed = (await service.json('/api/backups/list')).body.backups as { trigger: string; path: string }[]
  t.same(listed.map((one) => one.trigger).sort(), ['manual', 'scheduler', 'scheduler'])
  const dry = (await post('/api/backups/retention', { max_backups: 1, dry_run: true })).body.result
  t.match(dry, { ok: true, applied: false, deleted: [String], retained: [String, String] })
  t.equal((await service.json('/api/backups/list')).body.backups.length, 3)
  const done = (await post('/api/backups/retention', { max_backups: 1 })).body.result
  t.same(done, { ...dry, applied: true })
  t.equal((await service.json('/api/backups/list')).body.backups.length, 2)
  for (const { path } of (await service.json('/api/backups/list')).body.backups)
    await post('/api/backups/delete', { path })
  t.same(
    (await readdir(join(service.directory, 'data/files/backups'))).filter((name) => name !== 'upgrades'),
    [],
    'an empty folder of a day goes',
  )
})
