// Number of full reads that must miss a row before its absence counts, for services that only return lists.
import t from 'tap'
import { FakeAccount } from './world/account.ts'
import { entryOf, holdings } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, type Ran, START_MS } from './world/world.ts'
import { numberedWork } from './world/works.ts'

const HOUR_MS = 3_600_000
await featureCapabilities()

const removals = ({ writes }: Ran) => writes.filter(({ op }) => op === 'remove')

async function settled(
  count: number,
  { incremental = false, mode = 'two_way' }: { incremental?: boolean; mode?: 'one_way' | 'two_way' } = {},
) {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, ben] = accounts as [FakeAccount, FakeAccount]
  Object.assign(ann, { tellsListsOnly: true, incremental })
  const works = Array.from({ length: count }, (_, index) => numberedWork(index))
  const pair = pairOf('ANN', 'BEN', { mode, features: { ratings: {} } })
  const world = await createWorld(accounts, [pair], clock, works)
  for (const work of works) ann.put(entryOf('ratings', work, 5))
  await world.run()
  await world.run()
  return { world, ann, ben, works, pair, report: (ran: Ran) => world.feature(ran, 'ratings') }
}

for (const incremental of [false, true]) {
  t.test(
    `P93 a single removal is made by the run after the next, when it is missing from a second full read (${incremental ? 'changes' : 'lists'})`,
    async (t) => {
      const { world, ann, ben, works, report } = await settled(40, { incremental })
      await using _world = world
      ann.drop('ratings', works[3]!)

      const first = await world.run()
      t.same(removals(first), [])
      t.match(report(first), { planned: 1, deferred: 1, held: 0 })
      t.same(
        first.outcomes.map(({ outcome, reason }) => [outcome, reason]),
        [['deferred', 'absence_unconfirmed']],
      )
      const reads = ann.reads.length
      t.equal(removals(await world.run()).length, 1)
      t.same(
        ann.reads.slice(reads).map(({ since }) => since),
        [false],
        'the second read was a whole one',
      )
      t.notOk(ben.has('ratings', works[3]!))
      t.same((await world.run()).writes, [])
    },
  )
}

t.test(
  'P93 a consistent short list is not believed, however often it is read, until a person confirms it',
  async (t) => {
    const { world, ann, ben, works, report, pair } = await settled(20)
    await using _world = world
    const before = holdings(ben)
    for (const work of works.slice(0, 10)) ann.hidden.add(work.name)

    for (let run = 0; run < 6; run += 1) {
      const ran = await world.run()
      t.same(removals(ran), [])
      t.match(report(ran), { status: 'partial', held: 10 })
      world.advance(30 * HOUR_MS)
    }
    t.same(holdings(ben), before)

    ann.hidden.clear()
    t.same((await world.run()).writes, [], 'what is there again was never gone')

    for (const work of works.slice(0, 10)) ann.drop('ratings', work)
    t.same(removals(await world.run()), [])
    t.equal(removals(await world.run({ pair_id: pair.id, allow_mass_delete: true })).length, 10, 'approved')
  },
)

t.test(
  'P93 several simultaneous removals wait for three full reads over hours; a few do not wait for them',
  async (t) => {
    const { world, ann, ben, works } = await settled(100)
    await using _world = world
    for (const work of works.slice(0, 6)) ann.drop('ratings', work)
    t.same(removals(await world.run()), [])
    ann.drop('ratings', works[50]!)
    t.same(removals(await world.run()), [])
    t.same(
      removals(await world.run()).map(({ work }) => work),
      [works[50]!.name],
      'the single one went at another time',
    )
    t.same(removals(await world.run()), [], 'enough reads, and too soon after each other')
    world.advance(7 * HOUR_MS)
    t.equal(removals(await world.run()).length, 6)
    t.equal(ben.of('ratings').length, 93)
  },
)

t.test('P93 an item that was hidden for too few reads is removed from nowhere', async (t) => {
  const { world, ann, ben, works } = await settled(100, { mode: 'one_way' })
  await using _world = world
  const before = holdings(ben)
  for (let day = 0; day < 5; day += 1) {
    for (const work of works.slice(0, 8)) ann.hidden.add(work.name)
    for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
    ann.hidden.clear()
    for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [])
    world.advance(24 * HOUR_MS)
  }
  t.same(holdings(ben), before)
})

t.test('P93 failed or incomplete reads prove nothing', async (t) => {
  const { world, ann, works } = await settled(40)
  await using _world = world
  ann.drop('ratings', works[3]!)
  await world.run()
  for (const fault of ['partial', 'throw', 'empty'] as const) {
    ann.readFault = fault
    t.same(removals(await world.run()), [])
  }
  ann.readFault = undefined
  t.equal(removals(await world.run()).length, 1)
})
