// Changes to one account outside a run: planned, held, skipped, undone, and beside a cancelled run.
import t from 'tap'
import { entryOf } from '../sync/world/scenario.ts'
import { type Work, workNamed } from '../sync/world/works.ts'
import { settled } from './support.ts'

const BEN = { provider: 'BEN', instance: 'default', feature: 'watchlist' as const }
const itemOf = ({ ids, title, year }: Work) => ({ key: title, item: { type: 'movie' as const, title, year, ids } })
const removalOf = (...works: Work[]) => ({
  ...BEN,
  cause: 'editor',
  changes: works.map((work) => ({ op: 'remove' as const, ...itemOf(work) })),
})

for (const cancelAt of ['read', 'write'] as const) {
  t.test(
    `a write outside a run is refused until a run that was cancelled at a ${cancelAt} has ended, and counts from then on`,
    async (t) => {
      const { world, ann, ben, films } = await settled({ count: 20 })
      await using _world = world
      const fresh = ['heat', 'alien', 'matrix'].map(workNamed)
      for (const work of fresh) ann.put(entryOf('watchlist', work, 1))
      const [gone] = films as [Work]
      const stop = new AbortController()
      const meanwhile: Promise<unknown>[] = []
      const { planChanges, applyChanges } = world.engine
      const { planId } = await planChanges(removalOf(gone), world.settings)
      const apply = () => applyChanges({ planId, approved: false }, world.settings)
      const { read, write } = ben
      if (cancelAt === 'read') {
        // A cancelled read ends the run at once, so the write is tried first.
        ben.read = async function* (...given) {
          const answer = apply().catch((error: unknown) => error)
          meanwhile.push(answer)
          await answer
          stop.abort()
          yield* Reflect.apply(read, ben, given)
        }
      } else {
        ben.write = async (...given) => {
          stop.abort()
          meanwhile.push(apply().catch((error: unknown) => error))
          return Reflect.apply(write, ben, given)
        }
      }
      const cancelled = await world.run({}, stop.signal)
      ;[ben.read, ben.write] = [read, write]
      t.equal(cancelled.report.result, 'cancelled')
      t.match(await Promise.all(meanwhile), [{ code: 'PLH_CONFLICT', wire: 'busy' }])
      t.ok(ben.has('watchlist', gone), 'what was refused was not written')

      t.match(await apply(), [{ key: gone.title, outcome: 'applied' }])
      for (let run = 0; run < 3; run += 1) await world.run()
      for (const account of [ann, ben]) {
        t.notOk(account.has('watchlist', gone), `it went from ${account.id}`)
        for (const work of fresh) t.ok(account.has('watchlist', work), `${work.name} was added to ${account.id}`)
        t.equal(account.of('watchlist').length, 22)
      }
      t.same((await world.run()).writes, [])
    },
  )
}

t.test('an item that a cancelled run wrote, and the tool removed before it was seen, stays removed', async (t) => {
  const { world, ann, ben } = await settled({ count: 20 })
  await using _world = world
  const heat = workNamed('heat')
  ann.put(entryOf('watchlist', heat, 1))
  const stop = new AbortController()
  const { write } = ben
  ben.write = async (...given) => {
    const result = await Reflect.apply(write, ben, given)
    stop.abort()
    return result
  }
  await world.run({}, stop.signal)
  ben.write = write
  t.ok(ben.has('watchlist', heat))
  await world.change({ ...BEN, op: 'remove', items: [itemOf(heat)] })
  for (let run = 0; run < 3; run += 1) await world.run()
  t.notOk(ben.has('watchlist', heat))
})

t.test('a plan lists the changes and writes nothing', async (t) => {
  const { world, ben, films } = await settled({ count: 20 })
  await using _world = world
  const { planChanges, applyChanges } = world.engine
  const [first, second] = films as [Work, Work]
  const writes = ben.writes.length
  const nameless = { op: 'add' as const, key: 'nameless', item: { type: 'movie' as const, title: 'Heat', ids: {} } }
  const plan = await planChanges(
    {
      ...removalOf(first, second),
      changes: [...removalOf(first, second).changes, { op: 'add', ...itemOf(workNamed('heat')) }, nameless],
    },
    world.settings,
  )
  t.match(plan, {
    ready: { add: 1, update: 0, remove: 2 },
    held: null,
    leftOut: [{ key: 'nameless', op: 'add', reason: 'missing_ids' }],
  })
  const { items } = await world.engine.plans.items(plan.planId)
  t.ok(items[0]!.current, 'what the account has now is kept with it')
  t.equal(ben.writes.length, writes)

  const outcomes = await applyChanges({ planId: plan.planId, approved: false }, world.settings)
  t.same(
    outcomes.map(({ op, outcome }) => [op, outcome]),
    [
      ['remove', 'applied'],
      ['remove', 'applied'],
      ['add', 'applied'],
      ['add', 'filtered'],
    ],
  )
  await t.rejects(applyChanges({ planId: plan.planId, approved: false }, world.settings), {
    code: 'PLH_CONFLICT',
    wire: 'plan_applied',
  })
})

t.test('a large number of removals waits for an approval', async (t) => {
  const { world, ben, films } = await settled({ count: 20 })
  await using _world = world
  const { planChanges, applyChanges } = world.engine
  const request = removalOf(...films.slice(0, 11))
  const held = await planChanges(request, world.settings)
  t.match(held, { ready: { remove: 0 }, held: { count: 11, reason: 'mass_delete' } })
  const outcomes = await applyChanges({ planId: held.planId, approved: false }, world.settings)
  t.ok(outcomes.every(({ outcome, reason }) => outcome === 'held' && reason === 'mass_delete'))
  t.equal(ben.of('watchlist').length, 20)
  const approved = await planChanges(request, world.settings)
  await applyChanges({ planId: approved.planId, approved: true }, world.settings)
  t.equal(ben.of('watchlist').length, 9)
})

t.test('changes are undone, except where the row was changed again', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 20 })
  await using _world = world
  const { planChanges, applyChanges, undo, previewUndo } = world.engine
  const [first, second] = films as [Work, Work]
  const heat = workNamed('heat')
  const { planId } = await planChanges(
    { ...removalOf(first, second), changes: [...removalOf(first, second).changes, { op: 'add', ...itemOf(heat) }] },
    world.settings,
  )
  await applyChanges({ planId, approved: false }, world.settings)
  ben.put(entryOf('watchlist', second, 1))
  t.match(await previewUndo(planId), { reversible: 3, by_op: { add: 1, remove: 2 } })
  const report = await undo(
    { runId: 'undo-1', settings: world.settings, startedAtMs: world.nowMs, pairs: [] },
    { event() {} },
    new AbortController().signal,
    planId,
  )
  t.match(report, {
    result: 'ok',
    undone: 2,
    not_undone: {},
    left_to_undo: 0,
    skipped: [{ key: second.title, reason: 'already_there' }],
  })
  t.ok(ben.has('watchlist', first))
  t.notOk(ben.has('watchlist', heat))
  for (let run = 0; run < 3; run += 1) await world.run()
  for (const account of [ann, ben]) {
    t.equal(account.of('watchlist').length, 20, account.id)
    t.notOk(account.has('watchlist', heat), account.id)
  }
})

for (const at of ['sent', 'answered'] as const) {
  t.test(`a process that ends when a removal was ${at} restores nothing`, async (t) => {
    const { world, ann, ben, films } = await settled({ count: 20 })
    await using _world = world
    const [gone] = films as [Work]
    const { planChanges, applyChanges } = world.engine
    const { planId } = await planChanges(removalOf(gone), world.settings)
    const { write } = ben
    ben.write = async (...given) => {
      if (at === 'answered') await Reflect.apply(write, ben, given)
      world.crashAfter(0)
      return { outcomes: [] }
    }
    await t.rejects(applyChanges({ planId, approved: false }, world.settings))
    ben.write = write
    await world.restart()
    await world.engine.recover()
    t.equal((await world.engine.plans.get(planId))?.state, 'done')
    for (let run = 0; run < 4; run += 1) await world.run()
    const left = at === 'answered' ? 19 : 20
    for (const account of [ann, ben]) t.equal(account.of('watchlist').length, left, account.id)
  })
}

t.test('an error while a removal is applied restores nothing, without a restart', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 20 })
  await using _world = world
  const [gone] = films as [Work]
  const { planChanges, applyChanges } = world.engine
  const heat = workNamed('heat')
  const { planId } = await planChanges(
    { ...removalOf(gone), changes: [...removalOf(gone).changes, { op: 'add', ...itemOf(heat) }] },
    world.settings,
  )
  const { db } = world
  const { write } = ben
  ben.write = async (...given) => {
    const { transaction } = db
    db.transaction = () => {
      db.transaction = transaction
      throw new Error('disk I/O error')
    }
    return Reflect.apply(write, ben, given)
  }
  await t.rejects(applyChanges({ planId, approved: false }, world.settings), { message: 'disk I/O error' })
  ben.write = write
  t.equal((await world.engine.plans.get(planId))?.state, 'done')
  const { items } = await world.engine.plans.items(planId)
  t.same(
    items.map(({ op, state, reason }) => [op, state, reason]),
    [
      ['remove', 'unknown', 'interrupted'],
      ['add', 'deferred', 'not_attempted'],
    ],
  )
  for (let run = 0; run < 4; run += 1) await world.run()
  for (const account of [ann, ben]) t.notOk(account.has('watchlist', gone), account.id)
  await t.rejects(applyChanges({ planId, approved: false }, world.settings), {
    code: 'PLH_CONFLICT',
    wire: 'plan_applied',
  })
})
