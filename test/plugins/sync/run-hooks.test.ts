// Plugins that judge operations and follow runs: their exclusions and changes, and their failures, hangs, invalid answers and
// ends during a run.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import {
  AFTER_WRITE,
  type AnyHook,
  BEFORE_WRITE,
  FILTER_PLAN,
  ITEM_RESOLVED,
  type OperationBatch,
  RUN_HOOKS,
} from '@playhead/sdk'
import { buildHooks } from '../../../core/host/compose/hooks.ts'
import { Generation } from '../../../core/host/run/generation.ts'
import { askTaps } from '../../../plugins/services/sync/run/ask-taps.ts'
import { createRunHooks, type RunHooks } from '../../../plugins/services/sync/run/tapped.ts'
import { FakeAccount } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { numberedWork, workNamed, WORKS } from './world/works.ts'

await featureCapabilities()

type Tap = (input: never) => unknown
const HANGS = () => new Promise(() => {})

/** The hooks as the host builds them, and plugins that are added and removed. */
function createPlugins() {
  const plugins = new Map<string, { readonly generation: Generation; readonly taps: Map<string, Tap> }>()
  const calls: string[] = []
  const built = () =>
    buildHooks(
      new Map(RUN_HOOKS.map(({ name, kind }) => [name, kind])),
      [...plugins.values()].map(({ generation, taps }) => ({
        generation,
        taps: [...taps].map(([hook, run]) => ({ hook, name: 'a tap', stage: 0, limitMs: 40, run: run as never })),
      })),
      () => {},
    )
  const hooks: RunHooks = {
    async tapped() {
      calls.push('tapped')
      return Object.fromEntries(
        [...built()].flatMap(([name, { plugins: ids }]) => (ids.length === 0 ? [] : [[name, ids]])),
      )
    },
    async call(name, input) {
      calls.push(name)
      // Values that cross threads are copied.
      return structuredClone(await built().get(name)?.call(structuredClone(input)))
    },
  }
  return {
    hooks,
    calls,
    tap(plugin: string, hook: AnyHook, run: Tap) {
      const own = plugins.get(plugin) ?? { generation: new Generation(plugin, 1), taps: new Map<string, Tap>() }
      plugins.set(plugin, own)
      own.taps.set(hook.name, run)
    },
    end: (plugin: string) => void plugins.delete(plugin),
  }
}

async function start(feature: 'watchlist' | 'ratings' = 'watchlist', count = 3) {
  const plugins = createPlugins()
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const films = Array.from({ length: count }, (_, index) => numberedWork(index))
  const world = await createWorld(
    [ann, ben],
    [pairOf('ANN', 'BEN', { features: { [feature]: {} } })],
    clock,
    [...films, ...WORKS],
    { hooks: plugins.hooks },
  )
  for (const film of films) ann.put(entryOf(feature, film, 5))
  const items = async (ran: Awaited<ReturnType<typeof world.run>>) => {
    const { plan_id: id } = world.feature(ran, feature)
    return id === null ? [] : (await world.engine.plans.items(id)).items
  }
  return { world, ann, ben, films, plugins, items, feature, clock }
}

const firstOf = ({ operations }: OperationBatch) => operations[0]!.n
const NONSENSE: Readonly<Record<string, Tap>> = {
  throws: () => {
    throw new Error('a bug')
  },
  hangs: HANGS,
  'answers with a text': () => 'yes',
  'answers with an object': () => ({ n: 0, veto: 'no' }),
  'names an operation that there is not': () => [{ n: 4_711, veto: 'no' }],
  'names none': () => [null],
  'gives no reason': (batch: OperationBatch) => batch.operations.map(({ n }) => ({ n, veto: ' ' })),
  'changes what the item is': (batch: OperationBatch) =>
    batch.operations.map(({ n }) => ({ n, change: { ids: { imdb: 'tt0000001' } }, reason: 'another' })),
  'changes the account': (batch: OperationBatch) =>
    batch.operations.map(({ n }) => ({
      n,
      change: {},
      reason: 'x',
      account: { provider: 'ANN', instance: 'default' },
    })),
  'changes a value that the feature has not': (batch: OperationBatch) =>
    batch.operations.map(({ n }) => ({ n, change: { rating: 3 }, reason: 'three' })),
}

for (const [what, run] of Object.entries(NONSENSE)) {
  t.test(`a plugin that ${what} lets nothing through, and does not stop the run`, async (t) => {
    const { world, ben, plugins, items } = await start()
    await using _world = world
    plugins.tap('odd', FILTER_PLAN, run)
    const ran = await world.run()
    t.match(world.feature(ran, 'watchlist'), { status: 'partial', reason: 'veto_failed', deferred: 3, applied: 0 })
    t.same(ran.writes, [])
    const rows = await items(ran)
    t.equal(rows.length, 3)
    for (const row of rows) t.match(row, { state: 'deferred', reason: 'veto_failed', note: 'odd' })
    plugins.end('odd')
    t.match(world.feature(await world.run(), 'watchlist'), { status: 'ok', applied: 3 })
    t.equal(ben.of('watchlist').length, 3, 'what was held is done once the plugin is gone')
  })
}

t.test('a plugin that fails before a write holds its operations', async (t) => {
  for (const run of [
    HANGS,
    NONSENSE['throws']!,
    NONSENSE['gives no reason']!,
    NONSENSE['changes a value that the feature has not']!,
  ]) {
    const { world, ben, plugins, items } = await start()
    await using _world = world
    plugins.tap('odd', BEFORE_WRITE, run)
    const ran = await world.run()
    t.same(ran.writes, [])
    t.ok(
      (await items(ran)).some(
        ({ state, reason, note }) => state === 'deferred' && reason === 'veto_failed' && note === 'odd',
      ),
    )
    plugins.end('odd')
    for (let more = 0; more < 2; more += 1) await world.run()
    t.equal(ben.of('watchlist').length, 3)
  }
})

t.test('a veto excludes an operation, in dry runs too, and the reason is shown', async (t) => {
  const { world, ben, films, plugins, items } = await start()
  await using _world = world
  plugins.tap('house-rules', FILTER_PLAN, (batch: OperationBatch) => [{ n: firstOf(batch), veto: 'Not this one.' }])
  for (const dry_run of [true, false]) {
    const ran = await world.run({ dry_run })
    t.match(
      (await items(ran)).filter(({ state }) => state === 'filtered'),
      [{ reason: 'vetoed', note: 'house-rules: Not this one.' }],
    )
  }
  t.equal(ben.of('watchlist').length, 2)
  t.equal((await world.run()).writes.length, 0, 'a veto lasts as long as the plugin says so')
  plugins.end('house-rules')
  await world.run()
  t.ok(
    films.every((film) => ben.has('watchlist', film)),
    'and no longer',
  )
})

t.test('a plugin that vetoes everything prevents removals, and both accounts stay unchanged', async (t) => {
  const { world, ann, ben, films, plugins, items } = await start('watchlist', 20)
  await using _world = world
  await world.run()
  await world.run()
  plugins.tap('no', FILTER_PLAN, ({ operations }: OperationBatch) => operations.map(({ n }) => ({ n, veto: 'No.' })))
  ann.drop('watchlist', films[0]!)
  ben.put(entryOf('watchlist', workNamed('heat'), 1))
  for (let run = 0; run < 3; run += 1) {
    const ran = await world.run()
    t.same(ran.writes, [])
    t.same((await items(ran)).map(({ op, state, reason }) => [op, state, reason]).sort(), [
      ['add', 'filtered', 'vetoed'],
      ['remove', 'filtered', 'vetoed'],
    ])
  }
  plugins.end('no')
  await world.run()
  t.notOk(ben.has('watchlist', films[0]!))
  t.ok(ann.has('watchlist', workNamed('heat')))
})

t.test('a change writes another value, and the accounts converge with it', async (t) => {
  const { world, ann, ben, films, plugins, items } = await start('ratings', 2)
  await using _world = world
  for (const film of films) ann.put({ ...entryOf('ratings', film, 5), rating: 9 })
  plugins.tap('modest', FILTER_PLAN, ({ operations }: OperationBatch) =>
    operations.flatMap(({ n, item, account }) =>
      account.provider === 'BEN' && (item.rating ?? 0) > 7 ? [{ n, change: { rating: 7 }, reason: 'At most 7.' }] : [],
    ),
  )
  const dry = await items(await world.run({ dry_run: true }))
  for (const { item, value, note } of dry) t.match([item.rating, value, note], [7, '7', 'modest: At most 7.'])
  await world.run()
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [], 'nothing goes back and forth')
  t.same(
    ben.of('ratings').map(({ rating }) => rating),
    [7, 7],
  )
  t.same(
    ann.of('ratings').map(({ rating }) => rating),
    [9, 9],
  )
})

t.test('contradicting plugins, or a self-contradicting one, hold the operation; a veto wins', async (t) => {
  const { world, plugins, items } = await start('ratings', 1)
  await using _world = world
  const changing = (rating: number) => (batch: OperationBatch) => [
    { n: firstOf(batch), change: { rating }, reason: 'x' },
  ]
  plugins.tap('three', FILTER_PLAN, changing(3))
  plugins.tap('four', FILTER_PLAN, changing(4))
  t.match(await items(await world.run()), [{ state: 'deferred', reason: 'veto_failed' }])
  plugins.tap('no', FILTER_PLAN, (batch: OperationBatch) => [{ n: firstOf(batch), veto: 'No.' }])
  t.match(await items(await world.run()), [{ state: 'filtered', reason: 'vetoed', note: 'no: No.' }])
})

t.test('a plugin that ends during a run lets nothing through; its next version judges', async (t) => {
  const { world, ben, plugins } = await start()
  await using _world = world
  plugins.tap('leaves', FILTER_PLAN, () => {
    plugins.end('leaves')
    return []
  })
  plugins.tap('leaves', BEFORE_WRITE, () => [])
  t.match(world.feature(await world.run(), 'watchlist'), { status: 'partial', applied: 0 })
  t.equal(ben.of('watchlist').length, 0)

  plugins.tap('reloads', FILTER_PLAN, () => {
    plugins.end('reloads')
    plugins.tap('reloads', BEFORE_WRITE, (batch: OperationBatch) => [
      { n: firstOf(batch), veto: 'The new one says no.' },
    ])
    return []
  })
  plugins.tap('reloads', BEFORE_WRITE, () => [])
  await world.run()
  t.equal(ben.of('watchlist').length, 2)
})

t.test(
  'plugins that hang in run notifications do not delay the run; after three failures one is not called',
  async (t) => {
    const { world, plugins } = await start('watchlist', 900)
    await using _world = world
    plugins.tap('slow', AFTER_WRITE, HANGS)
    for (const hook of RUN_HOOKS) if (hook.kind === 'notify') plugins.tap('slow', hook, HANGS)
    t.match(world.feature(await world.run(), 'watchlist'), { status: 'ok', applied: 900 })
    const other = await start('watchlist', 900)
    await using _other = other.world
    other.plugins.tap('bad', FILTER_PLAN, NONSENSE['throws']!)
    t.match(other.world.feature(await other.world.run(), 'watchlist'), { deferred: 900 })
    t.equal(other.plugins.calls.filter((name) => name === 'filterPlan').length, 3)
  },
)

t.test('plugins that never end get at most sixteen concurrent notifications', async (t) => {
  let calls = 0
  const gate = Promise.withResolvers<void>()
  const taps = await askTaps({
    tapped: async () => ({ itemResolved: ['slow'] }),
    call: () => {
      calls += 1
      return gate.promise
    },
  })
  for (let item = 0; item < 2_000; item += 1) await taps.tell(ITEM_RESOLVED, {} as never)
  t.equal(calls, 16)
  gate.resolve()
  await gate.promise
  await turn()
  await taps.tell(ITEM_RESOLVED, {} as never)
  t.equal(calls, 17, 'once they have ended, they are told again')
})

t.test('without taps a run queries the taps once, and calls nothing', async (t) => {
  const { world, plugins } = await start()
  await using _world = world
  await world.run()
  t.same(plugins.calls, ['tapped'])
})

t.test('with taps without changes, any life leads to the same plans and rows as without', async (t) => {
  const step = fc.record({ on: fc.constantFrom(0, 1), film: fc.nat(7), put: fc.boolean(), silence: fc.nat(1) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 4 }), async (runs) => {
      const seen = []
      for (const tapped of [false, true]) {
        const { world, ann, ben, plugins, items } = await start('watchlist', 8)
        await using _world = world
        if (tapped)
          for (const hook of RUN_HOOKS) plugins.tap('silent', hook, () => (runs.length % 2 === 0 ? undefined : []))
        const told = []
        for (const steps of runs) {
          for (const { on, film, put } of steps) {
            const entry = entryOf('watchlist', numberedWork(film), 1)
            if (put) (on === 0 ? ann : ben).put(entry)
            else (on === 0 ? ann : ben).drop('watchlist', numberedWork(film))
          }
          told.push((await items(await world.run())).map(({ id: _id, ...row }) => row))
        }
        seen.push({
          told,
          rows: [ann, ben].map((account) =>
            account
              .of('watchlist')
              .map(({ work }) => work.name)
              .sort(),
          ),
        })
      }
      t.same(seen[1], seen[0])
    }),
    { numRuns: runsOf(15) },
  )
})

const BEN = { provider: 'BEN', instance: 'default', feature: 'watchlist' as const, cause: 'editor' }
const addOf = (name: string) => {
  const { ids, title, year } = workNamed(name as never)
  return { op: 'add' as const, key: name, item: { type: 'movie' as const, title, year, ids } }
}

t.test('changes to one account are judged when they are planned, and again when they are sent', async (t) => {
  const { world, ben, plugins } = await start('watchlist', 0)
  await using _world = world
  const { planChanges, applyChanges } = world.engine
  const wanted = { ...BEN, changes: [addOf('heat'), addOf('alien')] }
  plugins.tap('no-aliens', FILTER_PLAN, ({ operations }: OperationBatch) =>
    operations.flatMap(({ n, item }) => (item.title === workNamed('alien').title ? [{ n, veto: 'No aliens.' }] : [])),
  )
  const plan = await planChanges(wanted, world.settings)
  t.match(plan, { ready: { add: 1 }, leftOut: [{ key: 'alien', op: 'add', reason: 'vetoed' }] })
  const rows = (await world.engine.plans.items(plan.planId)).items
  t.match(rows[1], { state: 'filtered', reason: 'vetoed', note: 'no-aliens: No aliens.' })
  await applyChanges({ planId: plan.planId, approved: true }, world.settings)
  t.same(
    ben.of('watchlist').map(({ work }) => work.name),
    ['heat'],
  )

  plugins.end('no-aliens')
  const late = await planChanges({ ...BEN, changes: [addOf('matrix')] }, world.settings)
  plugins.tap('late', FILTER_PLAN, ({ operations }: OperationBatch) =>
    operations.map(({ n }) => ({ n, veto: 'Late.' })),
  )
  t.match(await applyChanges({ planId: late.planId, approved: true }, world.settings), [
    { outcome: 'filtered', reason: 'vetoed' },
  ])
  plugins.end('late')
  plugins.tap('hangs', FILTER_PLAN, HANGS)
  const held = await planChanges({ ...BEN, changes: [addOf('alien')] }, world.settings)
  t.match(held, { ready: { add: 0 }, leftOut: [] })
  t.match(await applyChanges({ planId: held.planId, approved: true }, world.settings), [
    { outcome: 'deferred', reason: 'veto_failed' },
  ])
  t.same(
    ben.of('watchlist').map(({ work }) => work.name),
    ['heat'],
  )
})

t.test(
  'a plugin that judged, and is quarantined or failed since, is still required; a disabled one is not',
  async (t) => {
    const stored = new Map<string, unknown>()
    const plugins = { state: 'active', taps: true }
    const hooks = createRunHooks({
      callHook: async () => [] as never,
      tappedBy: ({ name }) => (plugins.taps && name === 'filterPlan' ? ['judge'] : []),
      host: { plugins: () => [{ id: 'judge', state: plugins.state }] } as never,
      store: {
        get: async (key: string) => stored.get(key),
        set: async (key: string, value: unknown) => void stored.set(key, value),
      } as never,
    })
    t.same(await hooks.tapped(), { filterPlan: ['judge'] })
    for (const state of ['quarantined', 'failed', 'blocked', 'staging', 'stuck']) {
      Object.assign(plugins, { state, taps: false })
      t.same(await hooks.tapped(), { filterPlan: ['judge'] }, state)
    }
    plugins.state = 'disabled'
    t.same(await hooks.tapped(), {}, 'a person switched it off')
    plugins.state = 'quarantined'
    t.same(await hooks.tapped(), {}, 'and that is remembered')
  },
)

t.test('each hook of a run is called with its payload, in the order of the run', async (t) => {
  const { world, ben, plugins, clock } = await start('ratings', 3)
  await using _world = world
  const told: { hook: string; input: any }[] = []
  for (const hook of RUN_HOOKS)
    plugins.tap('listener', hook, (input) => {
      told.push({ hook: hook.name, input })
      return hook.kind === 'review' ? [] : undefined
    })
  ben.writeFaults.push('not_found')
  await world.run()
  const of = (name: string) => told.filter(({ hook }) => hook === name).map(({ input }) => input)
  const scope = { runId: 'run-000001', pairId: world.pairs[0]!.id, feature: 'ratings', dryRun: false }
  t.match(
    of('readFinished').sort((a, b) => (a.account.provider < b.account.provider ? -1 : 1)),
    [
      { ...scope, account: { provider: 'ANN', instance: 'default' }, rows: 3, complete: true },
      { ...scope, account: { provider: 'BEN', instance: 'default' }, rows: 0, complete: true },
    ],
  )
  t.match(of('beforePlan'), [{ ...scope, accounts: [{ provider: 'ANN' }, { provider: 'BEN' }] }])
  const [ready] = of('planReady')
  t.match(ready, { ...scope, counts: { add: 3, update: 0, remove: 0, held: 0, deferred: 0, filtered: 0 } })
  const operations = of('filterPlan').flatMap((batch) => batch.operations)
  t.equal(operations.length, 3)
  t.match(operations[0], { account: { provider: 'BEN' }, op: 'add', item: { rating: 5 }, current: null })
  for (const name of ['filterPlan', 'beforeWrite', 'afterWrite'])
    for (const input of of(name)) t.match(input, { ...scope, planId: ready.planId }, name)
  t.same(
    of('afterWrite').flatMap(({ outcomes }) => outcomes.map(({ outcome }: any) => outcome)),
    ['not_found', 'not_found', 'not_found'],
  )
  const order = told.map(({ hook }) => hook).filter((hook, index, all) => all.indexOf(hook) === index)
  t.same(order, ['readFinished', 'beforePlan', 'filterPlan', 'planReady', 'beforeWrite', 'afterWrite'])

  // Items that were unresolved and are written now.
  told.length = 0
  clock.nowMs += 30 * 86_400_000
  await world.run()
  t.match(of('itemResolved')[0], {
    ...{ pairId: scope.pairId, feature: 'ratings', dryRun: false },
    ...{ account: { provider: 'BEN', instance: 'default' }, op: 'add', key: operations[0].key, reason: 'not_found' },
  })
})
