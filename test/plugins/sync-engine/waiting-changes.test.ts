// Changes to an account that wait until no run uses it.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { setCatalogue } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { numberedWork, type Work, workNamed } from '../sync/world/works.ts'
import type { World } from '../sync/world/world.ts'
import { settled } from './support.ts'

const BEN = { provider: 'BEN', instance: 'default', feature: 'watchlist' as const, cause: 'webhook' }
const itemOf = ({ ids, title, year }: Work) => ({ key: title, item: { type: 'movie' as const, title, year, ids } })
const HEAT = workNamed('heat')

async function planOf(world: World, op: 'add' | 'remove', ...works: Work[]): Promise<string> {
  const changes = works.map((work) => ({ op, ...itemOf(work) }))
  return (await world.engine.planChanges({ ...BEN, changes }, world.settings)).planId
}

async function applyWhenFree(world: World, planId: string, waitMs: number, approved = false) {
  const { engine } = world
  await engine.queueChange({ planId, approved })
  return engine.applyWaiting(planId, waitMs, world.settings)
}

/** A run that uses the account until it is released. */
async function busy({ world, ben }: Pick<Awaited<ReturnType<typeof settled>>, 'world' | 'ben'>) {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { read } = ben
  ben.read = async function* (...given) {
    ben.read = read
    asked.resolve()
    await gate.promise
    yield* Reflect.apply(read, ben, given)
  }
  const run = world.run()
  await asked.promise
  return {
    async end() {
      gate.resolve()
      return run
    },
  }
}

const stateOf = async (world: World, planId: string) => (await world.engine.plans.get(planId))?.state

async function untilDone(world: World, planId: string) {
  for (;;) {
    const outcomes = await world.engine.outcomes(planId)
    if (outcomes !== null) return outcomes
    await turn()
  }
}

t.test('a free account is changed at once, for any limit', async (t) => {
  const { world, ben } = await settled({ count: 3 })
  await using _world = world
  const planId = await planOf(world, 'add', HEAT)
  t.equal(await world.engine.outcomes(planId), null)
  const outcomes = await applyWhenFree(world, planId, 0)
  t.same(outcomes, [{ key: HEAT.title, op: 'add', outcome: 'applied' }])
  t.same(await world.engine.outcomes(planId), outcomes)
  t.ok(ben.has('watchlist', HEAT))
  await t.rejects(applyWhenFree(world, planId, 0), { code: 'PLH_CONFLICT', wire: 'plan_applied' })
  for (const ask of [applyWhenFree(world, 'change-none', 0), world.engine.outcomes('change-none')])
    await t.rejects(ask, { code: 'PLH_NOT_FOUND', wire: 'plan_not_found' })
})

t.test('changes wait for the run that uses the account', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const planId = await planOf(world, 'add', HEAT)
  const run = await busy(made)
  const outcomes = applyWhenFree(world, planId, 60_000)
  for (let times = 0; times < 20; times += 1) await turn()
  t.notOk(ben.has('watchlist', HEAT))
  t.equal((await run.end()).report.result, 'ok')
  t.same(await outcomes, [{ key: HEAT.title, op: 'add', outcome: 'applied' }])
})

t.test('after the limit they continue to wait, and are shown', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const planId = await planOf(world, 'add', HEAT)
  const run = await busy(made)
  t.equal(await applyWhenFree(world, planId, 0), null)
  t.equal(await stateOf(world, planId), 'waiting')
  t.equal(await world.engine.outcomes(planId), null)
  await t.rejects(applyWhenFree(world, planId, 0), { code: 'PLH_CONFLICT', wire: 'plan_waiting' })
  await t.rejects(world.engine.applyChanges({ planId, approved: false }, world.settings), { code: 'PLH_CONFLICT' })
  await run.end()
  t.same(await untilDone(world, planId), [{ key: HEAT.title, op: 'add', outcome: 'applied' }])
  t.equal(await stateOf(world, planId), 'done')
  t.equal(ben.writes.filter(({ work }) => work === 'heat').length, 1)
})

t.test('P95 changes that wait for one account are applied in order', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const plans = [
    await planOf(world, 'add', HEAT),
    await planOf(world, 'remove', HEAT),
    await planOf(world, 'add', HEAT),
    await planOf(world, 'remove', HEAT),
    await planOf(world, 'add', HEAT, workNamed('alien')),
  ]
  const run = await busy(made)
  for (const planId of plans) t.equal(await applyWhenFree(world, planId, 0), null)
  await run.end()
  for (const planId of plans) await untilDone(world, planId)
  t.same(
    ben.writes.slice(-6).map(({ op, work, stored }) => [op, work, stored]),
    [
      ['add', 'heat', true],
      ['remove', 'heat', true],
      ['add', 'heat', true],
      ['remove', 'heat', true],
      ['add', 'heat', true],
      ['add', 'alien', true],
    ],
  )
  for (let again = 0; again < 3; again += 1) await world.run()
  t.ok(ben.has('watchlist', HEAT), 'the last one counts')
})

t.test('an approval waits with the plan', async (t) => {
  for (const approved of [true, false]) {
    const made = await settled({ count: 20 })
    const { world, ben, films } = made
    await using _world = world
    const planId = await planOf(world, 'remove', ...films.slice(0, 12))
    const run = await busy(made)
    await applyWhenFree(world, planId, 0, approved)
    await run.end()
    const outcomes = await untilDone(world, planId)
    t.ok(outcomes.every(({ outcome }) => outcome === (approved ? 'applied' : 'held')))
    t.equal(ben.of('watchlist').length, approved ? 8 : 20)
  }
})

t.test(
  'P95 a process that ends at any statement applies waiting changes once, and all that it had not started',
  async (t) => {
    const works = Array.from({ length: 9 }, (_, index) => numberedWork(50 + index))
    let crashes = 0
    for (let statements = 0; ; statements += 1) {
      const made = await settled({ count: 2, runs: 1 })
      const { world, ben } = made
      await using _world = world
      setCatalogue([...made.films, ...works, HEAT])
      const first = await planOf(world, 'add', ...works)
      const second = await planOf(world, 'add', HEAT)
      const before = ben.writes.length
      world.crashAfter(statements)
      const ended = await Promise.allSettled([applyWhenFree(world, first, 0), applyWhenFree(world, second, 0)])
      for (let times = 0; times < 50; times += 1) await turn()
      const crashed = ended.some(({ status }) => status === 'rejected') || (await isLeft(world, [first, second]))
      if (crashed) crashes += 1
      await world.restart()
      await world.engine.resumeWaiting(world.settings)
      const sent = () => ben.writes.slice(before).map(({ work }) => work)
      for (const planId of [first, second]) {
        // The waiting state was not stored, and the caller got an error.
        if ((await stateOf(world, planId)) === 'planned') continue
        const outcomes = await untilDone(world, planId)
        const rest = outcomes.filter(({ outcome }) => outcome !== 'applied')
        if (rest.some(({ outcome }) => outcome !== 'unknown')) t.fail(`${statements}: ${JSON.stringify(rest)}`)
        for (const { key, outcome } of outcomes)
          if (outcome === 'applied' && !ben.of('watchlist').some(({ work }) => work.title === key))
            t.fail(`${statements}: ${key} is missing`)
      }
      const twice = sent().filter((work, index, all) => all.indexOf(work) !== index)
      if (twice.length > 0) t.fail(`${statements}: written twice: ${twice.join()}`)
      if (!crashed) break
    }
    t.ok(crashes > 20, `${crashes} crashes`)
  },
)

async function isLeft(world: World, plans: readonly string[]): Promise<boolean> {
  try {
    for (const planId of plans) if ((await world.engine.outcomes(planId)) === null) return true
    return false
  } catch {
    return true
  }
}

t.test('P95 two generations that continue with the same plans apply each change once', async (t) => {
  const made = await settled({ count: 2, runs: 1 })
  const { world, ben } = made
  await using _world = world
  // More than fit into one batch.
  const works = Array.from({ length: 9 }, (_, index) => numberedWork(50 + index))
  setCatalogue([...made.films, ...works, HEAT])
  const plans = [await planOf(world, 'add', ...works), await planOf(world, 'add', HEAT)]
  for (const planId of plans) await world.engine.queueChange({ planId, approved: false })
  const before = ben.writes.length
  const one = world.engine
  const { write } = ben
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  ben.write = async (...given) => {
    ben.write = write
    asked.resolve()
    await gate.promise
    return Reflect.apply(write, ben, given)
  }
  await one.resumeWaiting(world.settings)
  await asked.promise
  await world.restart()
  await world.engine.resumeWaiting(world.settings)
  for (let times = 0; times < 50; times += 1) await turn()
  gate.resolve()
  for (const planId of plans) await untilDone(world, planId)
  for (let times = 0; times < 50; times += 1) await turn()
  t.same(
    ben.writes
      .slice(before)
      .map(({ work }) => work)
      .toSorted(),
    [...works.map(({ name }) => name), 'heat'].toSorted(),
  )
})

t.test('the generation that ends a plan reports it, even one that another generation queued meanwhile', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const film = numberedWork(50)
  setCatalogue([...made.films, film, HEAT])
  const first = await planOf(world, 'add', film)
  const { engine } = world
  await engine.queueChange({ planId: first, approved: false })
  const { write } = ben
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  ben.write = async (...given) => {
    ben.write = write
    asked.resolve()
    await gate.promise
    return Reflect.apply(write, ben, given)
  }
  await engine.resumeWaiting(world.settings)
  await asked.promise
  const second = await planOf(world, 'add', HEAT)
  await world.restart()
  await world.engine.queueChange({ planId: second, approved: false })
  const told: string[] = []
  const listening = (async () => {
    for (;;) {
      const ended = await engine.nextEnded()
      if (ended.length === 0) return
      told.push(...ended)
    }
  })()
  gate.resolve()
  await untilDone(world, second)
  await engine.retireWaiting()
  await listening
  t.same(told, [first, second])
})

t.test('a plan for an account that the profile no longer reaches ends, and the next one is applied', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const planId = await planOf(world, 'add', HEAT)
  const run = await busy(made)
  await applyWhenFree(world, planId, 0)
  const header = await world.db.selectFrom('sync__plan').select('header').where('id', '=', planId).executeTakeFirst()
  // The uid stays that of the lock, so only the profile changes.
  const stored = JSON.parse(String(header!.header)) as { sides: { b: { uid: string } } }
  stored.sides.b.uid = 'uid-GONE'
  await world.db
    .updateTable('sync__plan')
    .set({ header: JSON.stringify(stored) })
    .where('id', '=', planId)
    .execute()
  await run.end()
  await world.engine.resumeWaiting(world.settings)
  t.same(await untilDone(world, planId), [
    { key: HEAT.title, op: 'add', outcome: 'deferred', reason: 'account_changed' },
  ])
  t.notOk(ben.has('watchlist', HEAT))
  t.match(await applyWhenFree(world, await planOf(world, 'add', HEAT), 0), [{ outcome: 'applied' }])
})

t.test('a plan whose account is missing continues to wait, and delays no other account', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ann, ben } = made
  await using _world = world
  const planId = await planOf(world, 'add', HEAT)
  const { profiles } = ben
  ben.profiles = () => []
  t.equal(await applyWhenFree(world, planId, 1_000), null)
  t.equal(await stateOf(world, planId), 'waiting')
  const other = await world.engine.planChanges(
    { ...BEN, provider: 'ANN', changes: [{ op: 'add', ...itemOf(HEAT) }] },
    world.settings,
  )
  t.match(await applyWhenFree(world, other.planId, 0), [{ outcome: 'applied' }])
  t.ok(ann.has('watchlist', HEAT))
  ben.profiles = profiles
  await world.engine.resumeWaiting(world.settings)
  t.match(await untilDone(world, planId), [{ outcome: 'applied' }])
})

t.test('an error of one plan is reported, and the next one is applied', async (t) => {
  const made = await settled({ count: 3 })
  const { world, ben } = made
  await using _world = world
  const { db } = world
  const { write } = ben
  ben.write = async (...given) => {
    ben.write = write
    const { transaction } = db
    db.transaction = () => {
      db.transaction = transaction
      throw new Error('disk I/O error')
    }
    return Reflect.apply(write, ben, given)
  }
  const plans = [await planOf(world, 'add', HEAT), await planOf(world, 'add', workNamed('alien'))]
  const run = await busy(made)
  for (const planId of plans) await applyWhenFree(world, planId, 0)
  await run.end()
  t.match(await untilDone(world, plans[0]!), [{ outcome: 'unknown', reason: 'interrupted' }])
  t.match(await untilDone(world, plans[1]!), [{ outcome: 'applied' }])
  ben.put(entryOf('watchlist', workNamed('arrival'), 1))
  t.equal((await world.run()).report.result, 'ok', 'the account is free')
})
