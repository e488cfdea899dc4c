// The results of a run are recorded in the event archive, item by item.
import t from 'tap'
import type { EventArchive, EventRecord, RunRequest } from '@playhead/sdk'
import { changeRecords, createRecorder } from '../../../plugins/services/sync/record/recording.ts'
import { createRecord, reduceRun, type RunFact } from '../../../plugins/services/sync/record/run-record.ts'
import { summaryOf } from '../../../plugins/services/sync/record/summary.ts'
import { openArchive } from '../events/support.ts'
import { settled } from '../sync-engine/support.ts'

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT } as never

type World = Awaited<ReturnType<typeof settled>>['world']

/** Runs of a world with an event recorder. */
function recordRuns(world: World, record: EventArchive['record'], isThere = () => true) {
  const recorder = createRecorder({
    archive: { record } as never,
    hasArchive: isThere,
    log: SILENT,
    now: () => world.nowMs,
  })
  let runs = 0
  return async (request: RunRequest = {}) => {
    world.advance(60_000)
    const order = {
      runId: `recorded-${++runs}`,
      pairs: world.pairs,
      request,
      settings: world.settings,
      startedAtMs: world.nowMs,
    }
    let record = createRecord(order, 'test', {})
    const take = (fact: RunFact) => {
      record = reduceRun(record, fact)
      recorder.take(record, fact)
    }
    take({ type: 'begin' })
    const report = await world.engine.run(order, { event: take, flush: recorder.flush }, new AbortController().signal)
    take({ type: 'end', result: report.result, report, finishedAtMs: world.nowMs })
    await recorder.finish()
    return { report, runId: order.runId }
  }
}

t.test('the record of a film contains its failure, write, hold and removal, with reasons', async (t) => {
  await using opened = await openArchive()
  const { world, ann, ben } = await settled({
    count: 40,
    runs: 0,
    features: { watchlist: { remove: true } },
    prepare: (_ann, ben) => void ben.writeFaults.push('not_found'),
  })
  await using _closing = world
  world.settings = { ...world.settings, enable_remove: true }
  const run = recordRuns(world, opened.archive.record)
  const types = async (key: string) =>
    (await opened.archive.itemTrace(key))
      .toReversed()
      .map((event) => [event.event_type, event['operation'], event['reason_code'], event['run_id']])

  const first = await run()
  t.ok(first.report.pairs[0]?.features[0]?.unresolved)
  await opened.archive.flushed()
  const [failedGroup] = (await opened.get('search?event_type=write_failed&status=informational')).items
  t.match(failedGroup, {
    feature: 'watchlist',
    operation: 'add',
    source_provider: 'ANN',
    destination_provider: 'BEN',
    direction: 'a_to_b',
    pair_key: 'ANN-BEN',
    reason_label: 'Not found at target',
    owner_run_group_id: Number,
  })
  const key = failedGroup.item_key as string

  ben.writeFaults.length = 0
  for (let index = 0; index < 5; index += 1) await run()
  ann.entries = []
  await run()
  await run()
  t.match(await types(key), [
    ['write_failed', 'add', 'not_found', 'recorded-1'],
    ['unresolved_recorded', 'add', 'not_found', 'recorded-1'],
    ['write_succeeded', 'add', 'new_on_a', /^recorded-[2-6]$/],
    ['unresolved_cleared', 'add', 'unresolved_cleared', /^recorded-[2-6]$/],
  ])
  const held = await opened.get('search?q=held_mass_delete&view=events&limit=500')
  t.ok(held.items.length > 0, 'held removals are recorded')
  t.ok(
    held.items.every(
      ({ event_type: type, operation, reason_label: label }: any) =>
        (type === 'unresolved_recorded' && operation === 'hold' && label === 'Needs your approval') ||
        type === 'removals_held',
    ),
  )
  t.match(await run({ allow_mass_delete: true, pair_id: world.pairs[0]!.id }), { report: { result: 'ok' } })
  const story = await types(key)
  t.match(story.slice(4), [
    ['unresolved_recorded', 'hold', 'held_mass_delete', String],
    ['write_succeeded', 'remove', /^removed_on_a/, String],
    ['unresolved_cleared', 'hold', 'unresolved_cleared', String],
  ])
  t.equal((await opened.get('status')).open_problems, (await opened.get('groups?category=problems')).total)
})

t.test('a run is recorded with its plan, its batches and its end; an unchanged one has a short record', async (t) => {
  await using opened = await openArchive()
  const { world } = await settled({ count: 20, runs: 0, mode: 'two_way', features: { watchlist: {}, ratings: {} } })
  await using _closing = world
  const run = recordRuns(world, opened.archive.record)
  const { runId } = await run()
  await opened.archive.flushed()
  const { items } = await opened.get(`run/${runId}?limit=500`)
  const of = (type: string) => items.filter(({ event_type: each }: any) => each === type)
  t.match(of('sync_run_started'), [{ detail: { mode: 'api' } }])
  t.match(of('sync_run_finished'), [{ severity: 'info', detail: { result: 'ok', added: 40, errors: 0 } }])
  t.match(
    of('plan_created'),
    [{ detail: { adds: 20, removes: 0, src_count: 20, dst_count: 0, to_b: 20 } }, { detail: { adds: 20 } }],
    'a plan of two ways has its real counts',
  )
  t.match(
    of('write_attempted').map(({ operation, detail }: any) => [operation, detail.attempted]),
    [
      ['add', 20],
      ['add', 20],
    ],
  )
  t.equal(of('write_succeeded').length, 40)
  t.ok(of('write_succeeded').every(({ match_basis: basis }: any) => /^[a-z]+:/.test(basis)))
  t.match(of('write_succeeded').filter(({ feature }: any) => feature === 'ratings')[0], {
    old_value: null,
    new_value: '5',
    value_type: 'rating',
  })
  t.equal(of('provider_health').length, 2)
  t.match((await opened.get('tree')).items, [
    { run_id: runId, status: 'completed', summary: 'Run completed successfully: 40 added', children: [] },
  ])
  const again = await run()
  await opened.archive.flushed()
  t.same(
    (await opened.get(`run/${again.runId}`)).items.map(({ event_type: type }: any) => type).toSorted(),
    ['plan_created', 'plan_created', 'sync_run_finished', 'sync_run_started'],
    'health is recorded when it changes, or once an hour',
  )
  const dry = await run({ dry_run: true })
  await opened.archive.flushed()
  t.ok((await opened.get(`run/${dry.runId}`)).items.every(({ detail }: any) => detail.dry_run === true))
})

t.test('quarantined items are recorded in each run, and counted in the statistics', async (t) => {
  await using opened = await openArchive()
  const { world } = await settled({
    count: 3,
    runs: 0,
    mode: 'one_way',
    prepare: (_ann, ben) => {
      ben.write = async (_instance, { items }) => ({
        outcomes: items.map(({ key }) => ({ key, outcome: 'rejected' as const })),
      })
    },
  })
  await using _closing = world
  const run = recordRuns(world, opened.archive.record)
  const of = async (runId: string) => {
    await opened.archive.flushed()
    return (await opened.get(`run/${runId}?limit=500`)).items.filter(
      ({ event_type: type }: any) => type === 'blackbox_blocked',
    )
  }
  let last = await run()
  for (let tries = 0; tries < 30 && (await of(last.runId)).length === 0; tries += 1) last = await run()
  const recorded = await of(last.runId)
  t.same(
    recorded
      .map(({ item_key: key, feature, operation, destination_provider: to }: any) => [
        key !== null,
        feature,
        operation,
        to,
      ])
      .toSorted(),
    [
      [false, 'watchlist', 'quarantine', 'BEN'],
      ...Array.from({ length: 3 }, () => [true, 'watchlist', 'quarantine', 'BEN']),
    ],
  )
  t.match(
    recorded.find(({ item_key: key }: any) => key === null),
    { reason_code: 'blackbox', detail: { blocked: 3 } },
  )
  const at = Math.floor(world.nowMs / 1_000)
  t.match(await opened.get(`statistics?since=${at - 86_400}&until=${at + 60}`), { kpis: { blocked: { value: 3 } } })
  t.match(await opened.get(`tree?run_id=${last.runId}`), { items: [{ status: 'warning', summary: /3 quarantined/ }] })
})

t.test('every unchanged item of a run has a reason, recorded once per reason', async (t) => {
  await using opened = await openArchive()
  const { world, ann, films } = await settled({
    count: 12,
    runs: 0,
    mode: 'one_way',
    features: { watchlist: { remove: true, add: false } },
  })
  await using _closing = world
  const run = recordRuns(world, opened.archive.record)
  const withheld = async () => {
    await opened.archive.flushed()
    return (await opened.get('search?event_type=write_withheld&view=events&visibility=all&limit=500')).items
  }
  await run({ dry_run: true })
  t.equal((await withheld()).length, 0)
  await run()
  const recorded = await withheld()
  t.equal(recorded.length, 12)
  t.ok(
    recorded.every(
      ({ operation, reason_code: code, reason_label: label, source_provider: from, destination_provider: to }: any) =>
        operation === 'add' &&
        code === 'adds_off' &&
        label === 'Additions are not synced' &&
        from === 'ANN' &&
        to === 'BEN',
    ),
  )
  await run()
  t.equal((await withheld()).length, 12, 'the next run repeats nothing')
  t.match((await opened.get('groups?event_type=write_withheld')).items[0], {
    status: 'informational',
    summary: /left as it is \(Additions are not synced\)/,
  })

  const { watchlist } = world.pairs[0]!.features
  Object.assign(watchlist!, { add: true })
  world.settings = { ...world.settings, enable_remove: true }
  await run()
  ann.drop('watchlist', films[0]!)
  for (let index = 0; index < 4; index += 1) await run()
  const { key } = { key: (await withheld())[0].item_key as string }
  t.match(
    (await opened.archive.itemTrace(key))
      .toReversed()
      .map((event) => [event.event_type, event['operation'], event['reason_code']]),
    [
      ['write_withheld', 'add', 'adds_off'],
      ['write_succeeded', 'add', 'new_on_a'],
      ['write_withheld', 'remove', 'seen_once'],
      ['write_succeeded', 'remove', 'removed_on_a'],
    ],
  )
})

t.test('a missing, failing or slow archive changes nothing about a run', async (t) => {
  const plain = await settled({ count: 30, runs: 1 })
  const expected = plain.ben.entries.length
  await plain.world[Symbol.asyncDispose]()
  let asked = 0
  const cases = {
    'not there': {
      record: async () => {
        asked += 1
      },
      isThere: () => false,
    },
    failing: { record: () => Promise.reject(new Error('full')), isThere: () => true },
    slow: { record: () => new Promise<void>((resolve) => setTimeout(resolve, 20)), isThere: () => true },
  }
  for (const [name, { record, isThere }] of Object.entries(cases)) {
    const { world, ben } = await settled({ count: 30, runs: 0 })
    await using _closing = world
    const { report } = await recordRuns(world, record, isThere)()
    t.equal(report.result, 'ok', name)
    t.equal(ben.entries.length, expected, name)
  }
  t.equal(asked, 0, 'nothing is collected without an archive')
})

t.test('the run waits while the archive is busy, so that nothing accumulates', async (t) => {
  const { world } = await settled({ count: 1_500, runs: 0 })
  await using _closing = world
  let waiting = 0
  let most = 0
  const batches: number[] = []
  await recordRuns(world, async (records: readonly EventRecord[]) => {
    waiting += records.length
    most = Math.max(most, waiting)
    batches.push(records.length)
    await new Promise((resolve) => setImmediate(resolve))
    waiting -= records.length
  })()
  t.ok(batches.reduce((sum, count) => sum + count, 0) >= 1_500)
  t.ok(most <= 500)
})

t.test('a change outside a run is recorded with its caller', async (t) => {
  const { world, ben } = await settled({ count: 3 })
  await using _world = world
  ben.writeFaults.push(undefined, 'throws')
  const item = (tmdb: string) => ({
    key: `movie:tmdb:${tmdb}`,
    item: { type: 'movie' as const, ids: { tmdb }, title: 'Alien' },
  })
  const changes = ['348', '999'].map((tmdb) => ({ op: 'add' as const, ...item(tmdb) }))
  const account = { provider: 'BEN', instance: 'default', feature: 'watchlist' as const }
  const named = { op: 'remove' as const, key: 'alien', item: { type: 'movie' as const, ids: {}, title: 'Alien' } }
  const { planId } = await world.engine.planChanges(
    { ...account, cause: 'watchlist_tool', changes: [...changes, named] },
    world.settings,
  )
  await world.engine.applyChanges({ planId, approved: false }, world.settings)
  const header = (await world.engine.plans.get(planId))!
  const { items } = await world.engine.plans.items(planId)
  const of = { operation: 'add', destination: { provider: 'BEN', instance: 'default' }, feature: 'watchlist' }
  const recorded = changeRecords(header, items)
  t.equal(recorded.length, 2, 'nothing is recorded of what was not sent')
  const refused = items.map((item) => ({ ...item, state: 'deferred' as const, reason: 'changed_since_plan' }))
  t.same(changeRecords(header, refused), [], 'nor of what was refused, because the account changed')
  t.match(recorded[0], {
    ...of,
    type: 'write_succeeded',
    reason_code: 'watchlist_tool',
    item: { key: 'movie:tmdb:348', title: 'Alien' },
    match_basis: 'tmdb:348',
  })
})

t.test('the record of a run counts 100,000 items and keeps few of them', async (t) => {
  const { world } = await settled({ count: 1, runs: 0 })
  await using _world = world
  const order = { runId: 'many', pairs: world.pairs, request: {}, settings: world.settings, startedAtMs: world.nowMs }
  let record = createRecord(order, 'test', {})
  const item = {
    pair_id: world.pairs[0]!.id,
    feature: 'history',
    provider: 'BEN',
    instance: 'default',
    op: 'add',
  } as const
  for (let n = 0; n < 100_000; n += 1) {
    const outcome = n % 2 === 0 ? 'applied' : 'rejected'
    const about = { type: 'movie', ids: { tmdb: `${n}` }, title: `Film ${n}` } as const
    Object.freeze(record)
    record = reduceRun(record, { type: 'item', item: { ...item, key: `movie:tmdb:${n}`, outcome, item: about } })
  }
  t.match(record.items, [{ counts: { applied: 50_000, rejected: 50_000 } }])
  t.ok(JSON.stringify([record.items, record.spotlights, record.unresolved]).length < 200_000)
  const { features, unresolved_items: listed } = summaryOf(record) as any
  t.match(features.history, { added: 50_000, removed: 0 })
  t.same(
    [features.history.spotlight_add.length, features.history.spotlight_add.at(-1).title, listed.length],
    [25, 'Film 99998', 500],
    'the newest changes, and the first items that are not synced',
  )
  t.equal(reduceRun(record, { type: 'begin' }), record, 'a fact that changes nothing')
})
