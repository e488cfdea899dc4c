// Unreadable rows: any item missing from the same read may be one of them.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { FakeAccount } from './world/account.ts'
import { entryOf, live, lives } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, type Ran, SETTINGS, START_MS, type World } from './world/world.ts'
import { numberedWork, type Work, workNamed, WORKS } from './world/works.ts'

await featureCapabilities()

const APPROVE = { pair_id: 'ANN-BEN', allow_mass_delete: true }
const removals = ({ writes }: Ran) => writes.filter(({ op }) => op === 'remove')
const titled = (title?: string) => ({ reason: 'missing_ids', ...(title === undefined ? {} : { title }) })

interface Settled {
  readonly mode?: 'one_way' | 'two_way'
  readonly feature?: 'watchlist' | 'history'
  readonly incremental?: boolean
  readonly prepare?: (ann: FakeAccount, ben: FakeAccount) => void
}

async function settled({ mode = 'two_way', feature = 'watchlist', incremental = false, prepare }: Settled = {}) {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const works = Array.from({ length: 20 }, (_, index) => numberedWork(index))
  const features = { [feature]: feature === 'history' ? { rewatches: true } : {} }
  const world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { mode, features })], clock, [...works, ...WORKS])
  for (const account of [ann, ben]) account.incremental = incremental
  prepare?.(ann, ben)
  for (const work of works) ann.put(entryOf(feature, work, 5))
  for (let run = 0; run < 3; run += 1) await world.run()
  return { world, ann, ben, works, feature }
}

async function planOf(world: World, ran: Ran, feature: 'watchlist' | 'history' = 'watchlist') {
  const id = world.feature(ran, feature).plan_id
  return id === null
    ? undefined
    : { header: await world.engine.plans.get(id), items: (await world.engine.plans.items(id)).items }
}

for (const incremental of [false, true]) {
  for (const feature of ['watchlist', 'history'] as const) {
    t.test(
      `P1 an item whose ids broke is not treated as removed, and new items sync (${feature}${incremental ? ', changes only' : ''})`,
      async (t) => {
        const { world, ann, ben, works } = await settled({ feature, incremental })
        await using _world = world
        ann.unreadable = [works[3]!]
        ann.put(entryOf(feature, workNamed('heat'), 1))
        const ran = await world.run()
        t.same(
          ran.writes.map(({ account, op, work }) => [account, op, work]),
          [['BEN', 'add', 'heat']],
        )
        t.match(world.feature(ran, feature), { status: 'partial', held: 1 })
        const plan = await planOf(world, ran, feature)
        t.match(plan?.header, { sides: { b: { held: 1, held_reason: 'unreadable_rows' } } })
        t.match(
          plan?.items.filter(({ state }) => state === 'held'),
          [{ op: 'remove', side: 'b', reason: 'unreadable_rows' }],
        )

        for (let run = 0; run < 3; run += 1) {
          ann.put(entryOf(feature, numberedWork(5 + run), 1))
          t.same(removals(await world.run()), [], 'nor in a later run')
        }
        ann.unreadable = []
        await world.run()
        t.same((await world.run()).writes, [], 'nothing is left to do when it is readable again')
        t.ok(ben.has(feature, works[3]!))
      },
    )
  }
}

t.test('a row that was always unreadable holds nothing, until another is', async (t) => {
  const { world, ann, ben, works } = await settled({
    prepare: (one) => {
      one.oddities = [titled('Our holidays'), titled('A wedding')]
    },
  })
  await using _world = world
  ann.drop('watchlist', works[0]!)
  t.same(
    removals(await world.run()).map(({ work }) => work),
    ['film 0'],
  )
  t.same(removals(await world.run()), [])
  ann.oddities = [titled('Our holidays'), titled('film.mkv')]
  ann.unreadable = [works[1]!]
  t.same(removals(await world.run()), [], 'as many as before, and not the same')
  ann.oddities = [titled('Our holidays')]
  t.same(removals(await world.run()), [])
  t.ok(ben.has('watchlist', works[1]!))
})

t.test('a row that was readable in between is unknown when it breaks again', async (t) => {
  const { world, ann, ben } = await settled({
    prepare: (one) => {
      one.oddities = [titled('film.mkv')]
    },
  })
  await using _world = world
  const fixed = workNamed('heat')
  ann.oddities = []
  ann.put(entryOf('watchlist', fixed, 1))
  for (let run = 0; run < 3; run += 1) await world.run()
  ann.drop('watchlist', fixed)
  ann.oddities = [titled('film.mkv')]
  t.same(removals(await world.run()), [])
  t.ok(ben.has('watchlist', fixed))
})

t.test('a row without a title, or with the title of a missing item, may always be that item', async (t) => {
  for (const title of [undefined, 'Film 2']) {
    const { world, ann, works } = await settled({
      prepare: (one) => {
        one.oddities = [titled(title)]
      },
    })
    await using _world = world
    ann.drop('watchlist', works[2]!)
    const ran = await world.run()
    t.same(removals(ran), [])
    t.equal(world.feature(ran, 'watchlist').held, 1)
    t.equal(removals(await world.run(APPROVE)).length, 1, 'a person may say that it is gone')
    t.same((await world.run()).writes, [])
  }
})

t.test('more unreadable rows than are named may hide any item', async (t) => {
  const { world, ann, works } = await settled({
    prepare: (one) => {
      one.oddities = Array.from({ length: 300 }, (_, index) => titled(`Home ${index}`))
    },
  })
  await using _world = world
  ann.drop('watchlist', works[2]!)
  t.same(removals(await world.run()), [])
})

t.test('a mirror removes nothing while the source has unreadable rows', async (t) => {
  const { world, ann, ben } = await settled({
    mode: 'one_way',
    prepare: (one, two) => {
      one.oddities = [titled('film.mkv')]
      two.put(entryOf('watchlist', workNamed('matrix'), 1))
    },
  })
  await using _world = world
  world.settings = { ...SETTINGS, one_way_remove_mode: 'mirror' }
  t.same(removals(await world.run({ pair_id: 'ANN-BEN', confirm_mirror: true })), [])
  const ran = await world.run()
  t.match((await planOf(world, ran))?.items, [{ cause: 'mirror', state: 'held', reason: 'unreadable_rows' }])
  t.ok(ben.has('watchlist', workNamed('matrix')))
  ann.oddities = []
  t.same(
    removals(await world.run()).map(({ work }) => work),
    ['matrix'],
  )
})

t.test('items that the target no longer identifies are not sent to it again', async (t) => {
  const { world, ben, works } = await settled({ mode: 'one_way', feature: 'history' })
  await using _world = world
  ben.unreadable = [works[4]!]
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  ben.unreadable = []
  t.same((await world.run()).writes, [])
  t.equal(ben.of('history').length, 20)
})

t.test('a row that lost its ids and has only a title removes nothing', async (t) => {
  const { world, ann, ben } = await settled()
  await using _world = world
  ann.readFault = 'title_only'
  for (let run = 0; run < 3; run += 1) t.same(removals(await world.run()), [])
  ann.readFault = undefined
  t.same(removals(await world.run()), [])
  t.equal(ben.of('watchlist').filter(({ work }) => isNumbered(work)).length, 20)
})

t.test("P1 P7 in random lives with unreadable rows every removal follows a person's removal", () =>
  fc.assert(
    fc.asyncProperty(
      lives({
        faults: true,
        readFaults: ['unreadable', 'unreadable', 'title_only', 'partial', 'duplicates'],
        writeFaults: [],
        maxSteps: 6,
      }),
      async (life) => {
        const { runs, deeds, world } = await live(life)
        await using _world = world
        for (const write of runs.flatMap(removals)) {
          const deed = deeds.find(
            (one) =>
              one.op === 'drop' &&
              one.feature === write.feature &&
              one.work === write.work &&
              one.account !== write.account,
          )
          if (deed === undefined)
            throw new Error(
              `${write.feature} of ${write.work} was removed from ${write.account}, and no person had removed it`,
            )
        }
      },
    ),
    { numRuns: runsOf(25) },
  ),
)

function isNumbered({ name }: Work): boolean {
  return name.startsWith('film ')
}
