// The process is killed at any statement of a run, or the run is interrupted or cancelled, and people change their minds before
// the next one: the run's writes are not treated as actions of people.
import t from 'tap'
import { stepOf } from '../../fast-check.ts'
import type { Feature } from '@playhead/sdk'
import type { FakeAccount } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { Crash } from '../sync/world/world.ts'
import { toItem, type Work, WORKS } from '../sync/world/works.ts'
import { settled } from './support.ts'

// 1: at each statement.
/** Of the statements at which it is killed. */
const { step: STEP, first: FIRST } = stepOf(5)
let killedAfterWrites = 0
const ON = { enabled: true, add: true, remove: true }

interface Life {
  readonly name: string
  readonly feature: Feature
  /** The initial state. */
  readonly begins: 'held' | 'nothing'
  /** Before the killed run, and before the next one. */
  readonly first: (account: FakeAccount, film: Work) => void
  readonly afterwards: (account: FakeAccount, film: Work) => void
  /** The final data of both. */
  readonly ends: (account: FakeAccount, film: Work) => unknown
  readonly wanted: unknown
}

const holds =
  (feature: Feature) =>
  (account: FakeAccount, film: Work): unknown =>
    account.of(feature).filter(({ work }) => work === film).length
const rated = (account: FakeAccount, film: Work): unknown =>
  account.of('ratings').find(({ work }) => work === film)?.rating ?? null
const rate = (rating: number) => (account: FakeAccount, film: Work) => {
  account.drop('ratings', film)
  account.put({ ...entryOf('ratings', film, 5), rating })
}
const put = (feature: Feature) => (account: FakeAccount, film: Work) => void account.put(entryOf(feature, film, 5))
const drop = (feature: Feature) => (account: FakeAccount, film: Work) => void account.drop(feature, film)

const LIVES: readonly Life[] = [
  ...(['watchlist', 'history'] as const).flatMap((feature): Life[] => [
    {
      name: `${feature}: added, and taken off again`,
      feature,
      begins: 'nothing',
      first: put(feature),
      afterwards: drop(feature),
      ends: holds(feature),
      wanted: 0,
    },
    {
      name: `${feature}: taken off, and put back`,
      feature,
      begins: 'held',
      first: drop(feature),
      afterwards: put(feature),
      ends: holds(feature),
      wanted: 1,
    },
  ]),
  {
    name: 'ratings: changed, and changed back',
    feature: 'ratings',
    begins: 'held',
    first: rate(9),
    afterwards: rate(4),
    ends: rated,
    wanted: 4,
  },
  {
    name: 'ratings: rated, and the rating taken off',
    feature: 'ratings',
    begins: 'nothing',
    first: rate(9),
    afterwards: drop('ratings'),
    ends: rated,
    wanted: null,
  },
]

/** A world in which `film` has the initial state of the life. */
async function begun({ feature, begins }: Life, undated: boolean, mode: 'one_way' | 'two_way' = 'two_way') {
  const { world, ann, ben, films } = await settled({
    count: 4,
    mode,
    features: { [feature]: ON },
    prepare(...both) {
      for (const account of both) account.undated = undated
    },
  })
  world.settings = { ...world.settings, enable_remove: true, removal_ratio: 1 }
  const film = films[1]!
  if (begins === 'nothing') {
    ann.drop(feature, film)
    for (let run = 0; run < 2; run += 1) await world.run()
  }
  return { world, ann, ben, film }
}

for (const undated of [false, true])
  for (const life of LIVES) {
    const { first, afterwards, ends, wanted } = life
    for (const goesOn of [false, true])
      t.test(`P96 ${goesOn ? 'interrupted' : 'killed'}; ${life.name}${undated ? ', without dates' : ''}`, async (t) => {
        const wrong: string[] = []
        let wrote = 0
        for (let statements = FIRST; ; statements += STEP) {
          const { world, ann, ben, film } = await begun(life, undated)
          await using _world = world
          const before = ends(ben, film)
          first(ann, film)
          world.crashAfter(statements)
          const ran = await world.run().catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error
          })
          // Without a restart: the result of the run could not be stored, as on a full disk, and the process continues.
          if (goesOn) world.recoverDatabase()
          else await world.restart()
          if (ran?.report.result === 'ok') break
          if (ends(ben, film) !== before) wrote += 1
          afterwards(ann, film)
          for (let run = 0; run < 4; run += 1) await world.run()
          const found = [ann, ben].map((account) => ends(account, film))
          if (found.some((each) => each !== wanted)) wrong.push(`after ${statements}: ${JSON.stringify(found)}`)
        }
        killedAfterWrites += wrote
        t.same(wrong, [])
      })
    t.test(`P96 cancelled; ${life.name}${undated ? ', without dates' : ''}`, async (t) => {
      const { world, ann, ben, film } = await begun(life, undated)
      await using _world = world
      const before = ends(ben, film)
      first(ann, film)
      const stop = new AbortController()
      const { write } = ben
      ben.write = async (...args: Parameters<typeof write>) => {
        const answer = await Reflect.apply(write, ben, args)
        stop.abort()
        return answer
      }
      // Items that can no longer be sent make it a cancelled run.
      for (const work of WORKS.filter(({ type, ids }) => type === 'movie' && Object.keys(ids).length > 0))
        ann.put(entryOf(life.feature, work, 5))
      const ran = await world.run({}, stop.signal)
      t.equal(ran.report.result, 'cancelled')
      t.not(ends(ben, film), before)
      ben.write = write
      afterwards(ann, film)
      for (let run = 0; run < 4; run += 1) await world.run()
      t.same(
        [ann, ben].map((account) => ends(account, film)),
        [wanted, wanted],
      )
      const open = world.db.selectFrom('sync__plan').select('id').where('state', '=', 'applying')
      t.same(await open.execute(), [], 'no plan waits for its end')
    })
  }

t.test('P96 writes of a failed run are forgotten after a reset', async (t) => {
  const life = LIVES[0]!
  let open = 0
  for (let statements = 0; ; statements += 5) {
    const { world, ann, film } = await begun(life, false)
    await using _world = world
    life.first(ann, film)
    const { pair_id: pair } = await world.db.selectFrom('sync__state').select('pair_id').executeTakeFirstOrThrow()
    world.crashAfter(statements)
    const ran = await world.run().catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error
    })
    if (ran?.report.result === 'ok') break
    // The result of the run could not be stored, and the process continued.
    world.recoverDatabase()
    open += (await world.db.selectFrom('sync__plan').select('id').where('state', '=', 'applying').execute()).length
    await world.engine.resetPair(pair)
    await world.restart()
    for (const table of ['sync__state', 'sync__base'] as const)
      t.same(await world.db.selectFrom(table).selectAll().execute(), [], `${table} after ${statements}`)
  }
  t.ok(open > 0)
})

for (const isUndone of [false, true])
  t.test(`P96 interrupted; ${isUndone ? 'the undo of an add' : 'a removal'} at the target alone`, async (t) => {
    const wrong: string[] = []
    let wrote = 0
    for (let statements = FIRST; ; statements += STEP) {
      const { world, ann, ben, film } = await begun(LIVES[isUndone ? 0 : 1]!, false, 'one_way')
      await using _world = world
      const { planChanges, applyChanges, undo } = world.engine
      const plan = async (op: 'add' | 'remove') => {
        const account = { provider: 'BEN', instance: 'default', feature: 'watchlist', cause: 'editor' } as const
        const items = [{ op, key: 'x', item: toItem(film, ['tmdb']) }]
        return (await planChanges({ ...account, changes: items }, world.settings)).planId
      }
      const apply = (planId: string) => applyChanges({ planId, approved: true }, world.settings)
      const planId = await plan(isUndone ? 'add' : 'remove')
      if (isUndone) {
        await apply(planId)
        ann.put(entryOf('watchlist', film, 5))
        for (let run = 0; run < 2; run += 1) await world.run()
      }
      const order = { runId: 'undo-1', pairs: world.pairs, settings: world.settings, startedAtMs: world.nowMs }
      const work = isUndone
        ? () => undo(order, { event() {} }, new AbortController().signal, planId).then(({ result }) => result === 'ok')
        : () => apply(planId).then(() => true)
      world.crashAfter(statements)
      const hasEnded = await work().catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
        return false
      })
      world.recoverDatabase()
      const has = ben.has('watchlist', film)
      if (!has) wrote += 1
      for (let run = 0; run < 4; run += 1) await world.run()
      if (ben.has('watchlist', film) !== has) wrong.push(`after ${statements}`)
      t.ok(ann.has('watchlist', film))
      if (hasEnded) break
    }
    killedAfterWrites += wrote
    t.same(wrong, [])
  })

t.test('P96 changes that a run is still applying are left to it by another run of the pair', async (t) => {
  const { world, ann, ben, film } = await begun(LIVES[0]!, true)
  await using _world = world
  ann.put(entryOf('watchlist', film, 5))
  const { write } = ben
  let other: ReturnType<typeof world.run> | undefined
  ben.write = async (...args: Parameters<typeof write>) => {
    const answer = await Reflect.apply(write, ben, args)
    other ??= world.run()
    // Enough turns of the event loop to reach the plans.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    const plans = await world.db.selectFrom('sync__plan').select('state').where('state', '=', 'applying').execute()
    t.equal(plans.length, 1)
    return answer
  }
  t.match((await world.run()).report, { result: 'ok' })
  t.match((await other)?.report, { result: 'ok' })
  t.same(
    (await world.engine.plans.last()).map(({ state }) => state).filter((state) => state !== 'done'),
    [],
  )
})

t.test('P96 many were killed after they had written', async (t) => t.ok(killedAfterWrites > 100 / STEP))
