// A plan of changes to one account that is reviewed, waits while people and services continue, and runs: it applies only
// changes that are still valid, even when reads and writes fail or the process dies, and its undo restores the rest.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature } from '@playhead/sdk'
import type { ItemOutcome } from '../../../plugins/services/sync/contract.ts'
import type { FakeAccount, ReadFault, WriteFault } from '../sync/world/account.ts'
import type { World } from '../sync/world/world.ts'
import { numberedWork, toItem, type Work } from '../sync/world/works.ts'
import { settled } from './support.ts'

const BEN = { provider: 'BEN', instance: 'default' }
const film = (index: number): Work => numberedWork(index)
const itemOf = (work: Work, rating?: number) => ({
  ...toItem(work, ['tmdb', 'imdb']),
  ...(rating === undefined ? {} : { rating }),
})

async function house(count = 12) {
  const own = await settled({ count, runs: 0 })
  const { world, ben } = own
  let runs = 0
  return {
    ...own,
    put: (index: number, rating: number) => ben.put({ work: film(index), feature: 'ratings', rating }),
    ratingOf: (index: number) => ratingOf(ben, index),
    plan: (changes: readonly Change[]) => planOf(world, changes),
    async run(planId: string, { approved = false, signal = new AbortController().signal } = {}) {
      const outcomes: ItemOutcome[] = []
      world.advance(60_000)
      const runId = `apply-${++runs}`
      const report = await world.engine.runAccountPlan(
        {
          runId,
          pairs: [],
          request: { plan_id: planId, ...(approved ? { allow_mass_delete: true } : {}) },
          settings: world.settings,
          startedAtMs: world.nowMs,
        },
        { event: (fact) => void (fact.type === 'item' && outcomes.push(fact.item)) },
        signal,
      )
      return { runId, report, outcomes, feature: report.pairs[0]!.features[0]! }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

interface Change {
  readonly op: 'add' | 'update' | 'remove'
  readonly index: number
  readonly rating: number
}

async function planOf(world: World, changes: readonly Change[], feature: Feature = 'ratings') {
  return world.engine.planChanges(
    {
      ...BEN,
      feature,
      cause: 'capture_restore',
      changes: changes.map(({ op, index, rating }) => ({
        op,
        key: film(index).title,
        item: itemOf(film(index), op === 'remove' ? undefined : rating),
      })),
    },
    world.settings,
  )
}

function ratingOf(ben: FakeAccount, index: number): number | undefined {
  return ben.of('ratings').find(({ work }) => work.name === film(index).name)?.rating
}

const INDEX = fc.nat({ max: 11 })
const RATING = fc.integer({ min: 1, max: 10 })

t.test('changes by people since the plan was made are never reverted by it, for any failure', async () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        start: fc.uniqueArray(fc.tuple(INDEX, RATING), { selector: ([index]) => index, maxLength: 12 }),
        changes: fc.uniqueArray(
          fc.record({ op: fc.constantFrom('add', 'update', 'remove'), index: INDEX, rating: RATING }),
          { selector: ({ index }) => index, minLength: 1, maxLength: 8 },
        ),
        /** Rating 0: the person removes it. */
        meanwhile: fc.array(fc.tuple(INDEX, fc.integer({ min: 0, max: 10 })), { maxLength: 6 }),
        readFault: fc.option(fc.constantFrom<ReadFault>('throw', 'partial', 'empty', 'malformed', 'not_configured'), {
          nil: undefined,
          freq: 3,
        }),
        writeFault: fc.option(
          fc.constantFrom<WriteFault>('throws', 'applied_then_throws', 'partial_then_throws', 'too_few_outcomes'),
          { nil: undefined, freq: 3 },
        ),
        again: fc.boolean(),
      }),
      async ({ start, changes, meanwhile, readFault, writeFault, again }) => {
        await using home = await house()
        const { world, ben } = home
        for (const [index, rating] of start) home.put(index, rating)
        await world.engine.refresh({ ...BEN, feature: 'ratings' }, world.settings, new AbortController().signal)
        const planned = new Map(start)
        const { planId } = await home.plan(changes)
        for (const [index, rating] of meanwhile) {
          if (rating === 0) ben.drop('ratings', film(index))
          else home.put(index, rating)
        }
        const before = new Map(Array.from({ length: 12 }, (_, index) => [index, home.ratingOf(index)]))
        ben.readFault = readFault
        ben.writeFault = writeFault
        const first = await home.run(planId)
        ben.readFault = ben.writeFault = undefined
        const left = again
          ? await home.run(planId, { approved: true }).then(
              ({ report }) => report,
              () => undefined,
            )
          : undefined
        for (const [index, was] of before) {
          const now = home.ratingOf(index)
          const change = changes.find((one) => one.index === index)
          const wanted = change === undefined ? was : change.op === 'remove' ? undefined : change.rating
          if (now !== was && now !== wanted) throw new Error(`film ${index} became ${now}`)
          const isTouched = was !== planned.get(index)
          // An empty result for an already empty account cannot be detected as false.
          const isHidden = readFault === 'empty' && start.length === 0
          if (isTouched && now !== was && !isHidden)
            throw new Error(`film ${index} was changed by a person, and is ${now}`)
          const isFaulty = readFault !== undefined || writeFault !== undefined
          if (change === undefined || isTouched || (isFaulty && left === undefined)) continue
          // Nothing was written, because the account cannot be verified.
          if (first.report.pairs[0]!.status === 'skipped' && left?.result !== 'ok') continue
          // An update of a missing item was never possible.
          const isPossible = change.op !== 'update' || was !== undefined
          const isSafe = writeFault === undefined && (readFault === undefined || left !== undefined)
          if (isPossible && isSafe && now !== wanted && (change.op !== 'add' || was === undefined))
            throw new Error(`film ${index} is ${now}, not ${wanted}: ${JSON.stringify(first.report)}`)
        }
        if (new Set(ben.of('ratings').map(({ work }) => work.name)).size !== ben.of('ratings').length)
          throw new Error('a row is there twice')
        if (readFault === 'throw' && first.report.result === 'ok') throw new Error('a failed read is no success')
      },
    ),
    { numRuns: runsOf(120) },
  ),
)

t.test('held removals wait in the plan until they are approved', async (t) => {
  await using home = await house(30)
  const { world } = home
  for (let index = 0; index < 30; index += 1) home.put(index, 5)
  await world.engine.refresh({ ...BEN, feature: 'ratings' }, world.settings, new AbortController().signal)
  const changes: readonly Change[] = [
    { op: 'update', index: 0, rating: 9 },
    ...Array.from({ length: 20 }, (_, index): Change => ({ op: 'remove', index: index + 5, rating: 0 })),
  ]
  const { planId, held } = await home.plan(changes)
  t.match(held, { count: 20, reason: 'mass_delete' })
  const first = await home.run(planId)
  t.match(first.report, { result: 'partial' })
  t.match(first.feature, { applied: 1, updated: 1, held: 20, reason: 'held_mass_delete', plan_id: planId })
  t.equal(first.outcomes.filter(({ outcome }) => outcome === 'held').length, 20)
  t.equal(home.ben.of('ratings').length, 30)
  const plan = await world.engine.plans.get(planId)
  t.match(plan, { state: 'done', run_id: first.runId, cause: 'capture_restore' })
  await t.rejects(world.engine.assertRunnable(plan!, {}), { code: 'PLH_CONFLICT', wire: 'removals_held' })
  const second = await home.run(planId, { approved: true })
  t.match(second.feature, { status: 'ok', planned: 20, removed: 20, held: 0 })
  t.equal(home.ben.of('ratings').length, 10)
  const done = await world.engine.plans.get(planId)
  await t.rejects(world.engine.assertRunnable(done!, { allow_mass_delete: true }), {
    code: 'PLH_CONFLICT',
    wire: 'plan_applied',
  })
  const undone = await world.engine.undo(
    { runId: 'undo-1', settings: world.settings, startedAtMs: world.nowMs, pairs: [] },
    { event() {} },
    new AbortController().signal,
    planId,
  )
  t.match(undone, { result: 'ok', undone: 21 })
  t.equal(home.ben.of('ratings').filter(({ rating }) => rating === 5).length, 30, 'all is as it was')
})

t.test('an incomplete read consumes nothing: undecided changes are made by the next run', async (t) => {
  await using home = await house()
  home.put(0, 5)
  await home.world.engine.refresh({ ...BEN, feature: 'ratings' }, home.world.settings, new AbortController().signal)
  const { planId } = await home.plan([{ op: 'add', index: 3, rating: 8 }])
  home.ben.readFault = 'partial'
  t.match((await home.run(planId)).feature, { status: 'partial', reason: 'read_incomplete', deferred: 1, applied: 0 })
  home.ben.readFault = undefined
  t.match((await home.run(planId)).feature, { status: 'ok', added: 1 })
  t.equal(home.ratingOf(3), 8)
})

t.test('an unverifiable account is not changed, and the plan stays', async (t) => {
  await using home = await house()
  for (let index = 0; index < 12; index += 1) if (index !== 3) home.put(index, 5)
  await home.world.engine.refresh({ ...BEN, feature: 'ratings' }, home.world.settings, new AbortController().signal)
  const { planId } = await home.plan([{ op: 'add', index: 3, rating: 8 }])
  home.ben.readFault = 'wrong_account'
  t.match((await home.run(planId)).feature, { status: 'skipped', reason: 'account_changed' })
  home.ben.readFault = 'empty'
  t.match((await home.run(planId)).feature, { status: 'skipped', reason: 'empty_read' })
  home.ben.readFault = undefined
  home.ben.status = 'auth_failed'
  t.match((await home.run(planId)).feature, { status: 'skipped', reason: 'auth_failed' })
  home.ben.status = 'ok'
  t.match(await home.world.engine.plans.get(planId), { state: 'planned' }, 'it can be run later')
  t.same(home.ben.writes, [])
  t.match((await home.run(planId)).feature, { status: 'ok', added: 1 })
})

t.test('a cancelled run leaves the rest of the plan for another run', async (t) => {
  await using home = await house()
  const { planId } = await home.plan(
    Array.from({ length: 12 }, (_, index) => ({ op: 'add', index, rating: 7 }) as const),
  )
  const stop = new AbortController()
  const { write } = home.ben
  home.ben.write = async (...given) => {
    stop.abort()
    return Reflect.apply(write, home.ben, given)
  }
  const first = await home.run(planId, { signal: stop.signal })
  home.ben.write = write
  t.match(first.report, { result: 'cancelled' })
  const written = home.ben.of('ratings').length
  t.ok(written > 0 && written < 12)
  t.match((await home.run(planId)).feature, { status: 'ok', added: 12 - written })
  t.equal(home.ben.of('ratings').length, 12)
})

for (const at of ['sent', 'answered'] as const) {
  t.test(`a process that ends when a batch was ${at} does nothing twice, and the rest is run again`, async (t) => {
    await using home = await house()
    const { world, ben } = home
    const { planId } = await home.plan(
      Array.from({ length: 12 }, (_, index) => ({ op: 'add', index, rating: 7 }) as const),
    )
    const { write } = ben
    ben.write = async (...given) => {
      if (at === 'answered') await Reflect.apply(write, ben, given)
      world.crashAfter(0)
      return { outcomes: [] }
    }
    await home.run(planId).catch(() => {})
    ben.write = write
    await world.restart()
    const sent = ben.of('ratings').length
    t.equal((await world.engine.plans.get(planId))?.state, 'done')
    t.match((await home.run(planId)).feature, { status: 'ok', added: 5 }, 'of twelve, seven may have been sent')
    t.equal(ben.of('ratings').length, sent + 5)
  })
}
