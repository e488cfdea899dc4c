// slow: the whole service, or very many cases
// The actions: changed and kept data, confirmations, and resetting the sync state.
import t from 'tap'
import { MANUAL_POLICY, type ManualPolicyService, providerCapability } from '@playhead/sdk'
import { ctx, differences, hasBackups, lookAtEverything, openWorld, runSync, stateFiles } from './world.ts'

/** Every route that deletes or changes data, in an order in which each finds some. */
const ACTIONS: readonly (readonly [path: string, body: object])[] = [
  ['clear-metadata-cache', {}],
  ['clear-cache', {}],
  ['clear-recent-scrobbles', {}],
  ['clear-activity-log', {}],
  ['reset-currently-watching', {}],
  ['actions/of-the-test', {}],
  ['reset-stats', {}],
  ['clear-provider-sync-cache', { feature: 'ratings' }],
  ['clear-state', {}],
  ['events-rebuild', {}],
]

t.test('actions', async (t) => {
  const service = await openWorld(t)
  const post = async (path: string, json: object = {}) => service.json(`/api/maintenance/${path}`, { json })

  await t.test('property 61: an unknown action, profile, pair, feature or option changes nothing', async (t) => {
    const before = await lookAtEverything()
    for (const [path, body, status, error] of [
      ['actions/no-such', { confirm: true }, 404, 'unknown_maintenance_action'],
      ['actions/of-the-test', { confirm: true, options: { other: 1 } }, 400, 'unsupported_option'],
      ['actions/..%2Fconfig', { confirm: true }, 404, 'unknown_maintenance_action'],
      ['svc-tracker/clear', { confirm: true, provider_instance: 'SVC-P09' }, 404, 'unknown_instance'],
      ['clear-provider-sync-cache', { confirm: true, provider: 'NONE' }, 404, 'unknown_provider'],
      ['clear-provider-sync-cache', { confirm: true, provider: 'SVC', instance: 'SVC-P08' }, 404, 'unknown_instance'],
      ['clear-provider-sync-cache', { confirm: true, instance: 'default' }, 400, 'provider_required'],
      ['clear-provider-sync-cache', { confirm: true, pair_id: 'pair_none' }, 404, 'pair_not_found'],
      ['clear-provider-sync-cache', { confirm: true, feature: 'books' }, 400, 'unsupported_feature'],
      ['repair', { confirm: true, path: 'databases/none/none.sqlite' }, 404, 'unknown_database'],
      ['repair', { confirm: true, path: '../../etc/passwd' }, 404, 'unknown_database'],
      ['integrity', { path: 'config.json' }, 404, 'unknown_database'],
    ] as const)
      t.match(await post(path, body), { status, body: { ok: false, error } }, `${path} ${JSON.stringify(body)}`)
    t.match(await service.json('/api/maintenance/action-status/no-such'), {
      status: 404,
      body: { error: 'unknown_maintenance_action' },
    })
    t.match(await service.json('/api/maintenance/svc-tracker?provider_instance=SVC-P09'), { status: 404 })
    t.match(await service.json('/api/maintenance/svc-tracker/export?provider_instance=SVC-P09'), { status: 404 })
    t.equal((await post('clear-state', { confirm: 'yes' })).status, 422)
    t.same(differences(before, await lookAtEverything()), [])
  })

  await t.test(
    'property 63: an action that loses data needs a confirmation, and changes nothing without',
    async (t) => {
      const before = await lookAtEverything()
      const events = async () => (await service.json('/api/events/status')).body.events
      const count = await events()
      for (const path of [
        'events-rebuild',
        'clear-state',
        'clear-provider-sync-cache',
        'reset-all-default',
        'svc-tracker/clear',
        'clear-activity-log',
        'reset-stats',
        'actions/of-the-test',
      ])
        for (const body of [{}, { confirm: false }])
          t.match(await post(path, body), { status: 400, body: { ok: false, error: 'confirmation_required' } }, path)
      t.same(differences(before, await lookAtEverything()), [])
      t.ok((await events()) >= count)
    },
  )

  await t.test('data held by other work is not changed, and the response names the work and since when', async (t) => {
    const hold = ctx().work.begin({ kind: 'capture', label: 'Capture of the tracker', accounts: [] })
    const before = await lookAtEverything()
    for (const path of ['clear-state', 'svc-tracker/clear', 'reset-all-default', 'clear-cache'])
      t.match(await post(path, { confirm: true }), {
        status: 409,
        body: {
          ok: false,
          error: 'busy',
          holder: 'capture',
          since: Math.floor(ctx().work.current()[0]!.startedAtMs / 1_000),
        },
      })
    t.match((await service.json('/api/maintenance/work')).body, { current: [{ kind: 'capture', plugin: 'probe' }] })
    t.same(differences(before, await lookAtEverything()), [])
    hold.release()
  })

  await t.test(
    'property 59: after clear-state the next dry run plans no removals, and policy, lists and files are kept',
    async (t) => {
      const api = ctx().use(providerCapability('SVC'))
      const gone = Object.values(stateFiles['watchlist.json'].items).slice(0, 4)
      await api.write('default', {
        feature: 'watchlist',
        op: 'remove',
        items: gone.map((item, index) => ({ key: `x${index}`, item: item as never })),
      })
      const removals = async () => {
        const { run_id: runId } = await runSync(service, { dry_run: true })
        const { body } = await service.json(`/api/plans?run_id=${runId}`)
        return body.plans.reduce(
          (sum: number, { sides }: any) => sum + sides.a.remove + sides.b.remove + sides.a.held + sides.b.held,
          0,
        )
      }
      // An item that disappeared from an account counts as removed after the second read.
      await runSync(service)
      t.equal(await removals(), 4, 'a person removed something')
      const policy = async () =>
        (await Array.fromAsync(await ctx().use<ManualPolicyService>(MANUAL_POLICY).export())).join('')
      const [kept, before] = [await policy(), await lookAtEverything()]
      const { status, body } = await post('clear-state', { confirm: true })
      if (!hasBackups) {
        t.match({ status, body }, { status: 503, body: { error: 'backup_unavailable' } })
        t.same(differences(before, await lookAtEverything()), [])
        t.end()
        return
      }
      t.match({ status, body }, { status: 200, body: { advice: 'dry_run', backup_path: String, existed: true } })
      t.equal(await policy(), kept)
      const changed = differences(before, await lookAtEverything())
      t.same(
        changed.filter(
          (name) =>
            !/^databases\/sync\/library\.sqlite#sync__(state|rest|base|unresolved|pair|tombstone|inventory|inventory_row)$/.test(
              name,
            ),
        ),
        [],
      )
      t.equal(await removals(), 0)
      t.match(await runSync(service), { result: 'ok', removed_last: 0, added_last: 4 })
    },
  )

  const performed: {
    path: string
    before: ReadonlyMap<string, string>
    after: ReadonlyMap<string, string>
    preview: any
    done: any
    again: any
    gone: number
    had: number
  }[] = []

  await t.test('property 57: an action changes what its dry run lists, and nothing else', async (t) => {
    for (const [path, body] of ACTIONS) {
      const before = await lookAtEverything()
      const { body: preview, status } = await post(path, { ...body, dry_run: true })
      t.equal(status, 200, path)
      t.same(differences(before, await lookAtEverything()), [], `a dry run of ${path} changes nothing`)
      const sizes = new Map((await ctx().data().parts()).map((part) => [part.path, part.sizeBytes]))
      const done = await post(path, { ...body, confirm: true })
      if (done.status === 503 && !hasBackups) {
        t.same(differences(before, await lookAtEverything()), [])
        continue
      }
      t.equal(done.status, 200, `${path} ${JSON.stringify(done.body)}`)
      if (path === 'clear-metadata-cache')
        t.match(done.body, {
          removed: ['art'],
          before: { entries: [{ name: 'art' }] },
          after: { exists: false, count: 0 },
        })
      const after = await lookAtEverything()
      const names = (touches: readonly { path: string; table?: string }[]) =>
        new Set(touches.map(({ path: file, table }) => (table === undefined ? file : `${file}#${table}`)))
      const listed = names(preview.touches)
      t.same(
        differences(before, after).filter((name) => !listed.has(name)),
        [],
        `${path} touches what it listed`,
      )
      t.same(
        [...names(done.body.touches)].filter((name) => !listed.has(name)),
        [],
      )
      const touched = new Set(done.body.touches.map((touch: { path: string }) => touch.path))
      const left = new Map((await ctx().data().parts()).map((part) => [part.path, part.sizeBytes]))
      const gone = [...sizes]
        .filter(([file]) => touched.has(file) && !left.has(file))
        .reduce((sum, [, size]) => sum + size, 0)
      const again = await post(path, { ...body, confirm: true })
      const had = [...sizes].filter(([file]) => touched.has(file)).reduce((sum, [, size]) => sum + size, 0)
      performed.push({ path, before, after, preview, done: done.body, again: again.body, gone, had })
    }
  })

  await t.test('property 58: an action counts removed rows, and has nothing to do a second time', async (t) => {
    t.ok(performed.length > (hasBackups ? ACTIONS.length - 1 : 0))
    for (const { path, before, after, preview, done, again, gone, had } of performed) {
      const { summary } = done
      t.equal(
        summary.removed_files,
        [...before.keys()].filter((name) => !name.includes('#') && !after.has(name)).length,
        path,
      )
      t.equal(summary.removed_items, preview.summary.removed_items, `${path} removes as many rows as it listed`)
      t.equal(summary.changed_items, preview.summary.changed_items)
      t.ok(
        summary.freed_bytes >= gone && summary.freed_bytes <= had,
        `${path} freed ${summary.freed_bytes}: at least the ${gone} of files that are gone, of ${had}`,
      )
      // A cleared archive contains the record of that.
      if (path !== 'events-rebuild')
        t.match(
          again.summary,
          { removed_files: 0, removed_items: 0, changed_items: 0, freed_bytes: 0 },
          `${path} again`,
        )
    }
  })

  await t.test('an action of any plugin is listed, shown and run by its id', async (t) => {
    await ctx().files.write('note.txt', 'again')
    const { body } = await service.json('/api/maintenance/actions')
    t.match(
      body.actions.find(({ id }: { id: string }) => id === 'of-the-test'),
      { title: 'Clear the notes', loses_data: true, options: ['which'] },
    )
    t.match((await service.json('/api/maintenance/action-status/of-the-test')).body, {
      title: 'Clear the notes',
      metrics: [{ label: 'notes', value: 1, format: 'number' }, { label: 'storage', value: 5, format: 'bytes' }, {}],
    })
    t.notOk(
      body.actions.some((one: object) => 'status' in one),
      'previews cost reads',
    )
    const { actions } = (await service.json('/api/maintenance/actions?status=true')).body
    for (const { id, status } of actions) {
      const { metrics, run } = (await service.json(`/api/maintenance/action-status/${id}`)).body
      t.same([status.run, status.metrics.length], [run, metrics.length], id)
    }
    t.match(actions.find(({ id }: { id: string }) => id === 'of-the-test').status.metrics[0], {
      label: 'notes',
      value: 1,
    })
    t.match((await post('actions/of-the-test', { confirm: true })).body, {
      touches: [{ action: 'of-the-test', path: 'plugins/probe/files/note.txt' }],
      summary: { removed_files: 1, freed_bytes: 5 },
    })
    t.match((await service.json('/api/maintenance/action-status/of-the-test')).body.run, {
      state: 'succeeded',
      percent: 100,
    })
    await service.json('/api/snapshots/create', { json: { provider: 'SVC', feature: 'ratings' } })
    const metric = async (action: string, name: string) =>
      (await service.json(`/api/maintenance/action-status/${action}`)).body.metrics.find(
        ({ label }: { label: string }) => label === name,
      )?.value
    const captures = (await service.json('/api/snapshots/list')).body.snapshots
    t.equal(await metric('captures', 'captures'), captures.length)
    t.equal(await metric('captures', 'providers'), 1)
    t.equal(
      await metric('captures', 'storage'),
      captures.reduce((sum: number, { size }: { size: number }) => sum + size, 0),
    )
    t.ok(Date.parse(await metric('captures', 'latest')) > 0)
    t.equal(await metric('defaults', 'captures kept'), captures.length)
    t.ok((await metric('tracker', 'states')) > 0 && (await metric('tracker', 'storage')) > 0)
  })

  await t.test(
    "statistics are counted again from the accounts' data, and dropped lists the deleted data",
    async (t) => {
      await runSync(service)
      const { body } = await post('reset-stats', { recalc: true, confirm: true })
      t.match(body, { ok: true, recalculated: true, dropped: { state_file: 0, reports: 0 } })
      t.same(await ctx().db.selectFrom('insights__counter').selectAll().execute(), [])
      t.ok((await ctx().db.selectFrom('insights__sample').selectAll().execute()).length > 0)
      const { body: reports } = await post('reset-stats', { purge_reports: true, confirm: true })
      t.ok(reports.dropped.reports > 0)
      t.same((await service.json('/api/runs')).body.runs, [])
      await runSync(service)
      const { metrics, run } = (await service.json('/api/maintenance/action-status/stats')).body
      t.match(run, { state: 'succeeded', result: { summary: { removed_items: reports.dropped.reports } } })
      t.match(
        metrics.find(({ label }: { label: string }) => label === 'runs'),
        { value: 1 },
      )
    },
  )

  await t.test('the event archive: health, and free space on the disk before it is optimised', async (t) => {
    t.match((await post('events-health')).body, {
      ok: true,
      available: true,
      healthy: true,
      path: 'databases/events/archive.sqlite',
      integrity: 'ok',
      foreign_key_errors: 0,
      journal_mode: 'wal',
    })
    const { body } = await post('events-optimize')
    t.match(body, { ok: true, steps: ['checkpoint', 'vacuum', 'analyze', 'checkpoint'], duration_ms: Number })
    t.equal(body.reclaimed_bytes, Math.max(0, body.before_bytes - body.after_bytes))
    t.match((await service.json('/api/maintenance/action-status/events-optimize')).body.run, { state: 'succeeded' })
    t.match((await service.json('/api/maintenance/action-status/events-rebuild')).body, {
      title: 'Rebuild the event archive',
      metrics: [{ label: 'events' }, { label: 'runs' }, { label: 'acknowledged', value: 0 }, { label: 'storage' }, {}],
    })
  })
})
