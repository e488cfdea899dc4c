// Held removals and their approval.
import t from 'tap'
import { FULL_SUPPORT, settled } from './support.ts'

const APPROVE = { pair_id: 'ANN-BEN', allow_mass_delete: true }
const removed = ({ writes }: { readonly writes: readonly { readonly op: string }[] }) =>
  writes.filter(({ op }) => op === 'remove').length

t.test('P8 more removals than the guard allows are held, listed, and made once they are approved', async (t) => {
  const { world, ann, ben, films, watchlist, open } = await settled({ count: 60 })
  await using _world = world
  for (const film of films.slice(0, 11)) ann.drop('watchlist', film)
  const ran = await world.run()
  t.equal(removed(ran), 0)
  t.match(watchlist(ran), { status: 'partial', reason: 'held_mass_delete', held: 11, planned: 11 })
  t.equal(ran.outcomes.filter(({ outcome }) => outcome === 'held').length, 11)
  t.match(
    ran.events.find(({ event }) => event === 'plan:held'),
    { pair_id: 'ANN-BEN', feature: 'watchlist', side: 'b', count: 11, reason: 'mass_delete' },
  )
  t.equal((await open()).filter(({ reason_code: code }) => code === 'held_mass_delete').length, 11)
  const plan = await world.engine.plans.get(watchlist(ran).plan_id!)
  t.match(plan, {
    pair_id: 'ANN-BEN',
    feature: 'watchlist',
    sides: { b: { remove: 0, held: 11, held_reason: 'mass_delete' } },
  })
  t.equal((await world.engine.plans.items(plan!.id, { state: 'held', limit: 5 })).total, 11)
  t.equal(removed(await world.run({ allow_mass_delete: true })), 0, 'an approval is for one pair')
  t.equal(removed(await world.run(APPROVE)), 11)
  t.equal(ben.of('watchlist').length, 49)
  t.equal(removed(await world.run()), 0)
  await world.run()
  t.same(await open(), [], 'and nothing is open any more')
})

t.test('a read that lost a quarter of the known items is not believed, for any guard', async (t) => {
  const { world, ann, films, watchlist } = await settled({ count: 60 })
  await using _world = world
  world.settings = { ...world.settings, removal_min: 1000 }
  for (const film of films.slice(0, 16)) ann.drop('watchlist', film)
  const ran = await world.run()
  t.equal(removed(ran), 0)
  t.equal(watchlist(ran).held, 16)
  t.match(
    ran.events.find(({ event }) => event === 'plan:held'),
    { reason: 'shrunk_read' },
  )
  t.equal(removed(await world.run()), 0, 'not the second time either')
  t.equal(removed(await world.run(APPROVE)), 16)
})

t.test('a small account that is empty in three reads over six hours is believed, a large one never', async (t) => {
  for (const [count, expected] of [
    [5, 5],
    [30, 0],
  ] as const) {
    const { world, ann, films } = await settled({ count })
    await using _world = world
    world.settings = { ...world.settings, removal_min: 1000 }
    for (const film of films) ann.drop('watchlist', film)
    t.equal(removed(await world.run()), 0, 'P2 never in the same run')
    t.equal(removed(await world.run()), 0, 'nor an hour later')
    world.advance(6 * 3_600_000)
    t.equal(removed(await world.run()), expected)
  }
})

t.test('P8 removals are counted per account and day, in all its pairs, without approved ones', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({ count: 60 })
  await using _world = world
  let held = 0
  for (let hour = 0; hour < 8; hour += 1) {
    for (const film of films.slice(hour * 7, hour * 7 + 7)) ann.drop('watchlist', film)
    world.advance(3_600_000)
    held += watchlist(await world.run()).held
  }
  t.equal(ben.of('watchlist').length, 53, 'seven in the first run, and no more that day')
  t.ok(held > 0)
  world.settings = { ...world.settings, removal_min: 10 }
  const before = ben.of('watchlist').length
  await world.run(APPROVE)
  t.ok(ben.of('watchlist').length < before)
})

t.test('what was approved does not count for the day', async (t) => {
  const { world, ann, films } = await settled({ count: 60 })
  await using _world = world
  for (const film of films.slice(0, 12)) ann.drop('watchlist', film)
  world.advance(3_600_000)
  t.equal(removed(await world.run()), 0)
  t.equal(removed(await world.run(APPROVE)), 12)
  ann.drop('watchlist', films[58]!)
  world.advance(3_600_000)
  t.equal(removed(await world.run()), 1)
})

t.test('P8 a small account has a lower limit: ten films that go at once are held, five are not', async (t) => {
  for (const count of [11, 20, 40]) {
    const { world, ann, ben, films, watchlist } = await settled({ count })
    await using _world = world
    world.advance(3_600_000)
    for (const film of films.slice(0, 10)) ann.drop('watchlist', film)
    t.equal(watchlist(await world.run()).held, 10)
    t.equal(ben.of('watchlist').length, count)
    for (const film of films.slice(5, 10)) ann.put({ work: film, feature: 'watchlist' })
    world.advance(3_600_000)
    t.equal(removed(await world.run()), 5)
  }
})

t.test('a person may remove a few each day', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 60 })
  await using _world = world
  for (let day = 0; day < 5; day += 1) {
    for (const film of films.slice(day * 7, day * 7 + 7)) ann.drop('watchlist', film)
    world.advance(25 * 3_600_000)
    await world.run()
  }
  t.equal(ben.of('watchlist').length, 25)
})

t.test('P8 many updates at once, or in a day, are held, listed, and made once they are approved', async (t) => {
  for (const { count, atOnce, kept } of [
    { count: 50, atOnce: 50, kept: 0 },
    { count: 50, atOnce: 8, kept: 8 },
    { count: 5, atOnce: 5, kept: 0 },
  ]) {
    const { world, ann, ben, films, open } = await settled({ count, features: { ratings: {} } })
    await using _world = world
    for (let at = 0; at < count && at < 3 * atOnce; at += atOnce) {
      world.advance(3_600_000)
      for (const work of films.slice(at, at + atOnce)) ben.put({ work, feature: 'ratings', rating: 2 })
      await world.run()
    }
    const changed = () => ann.of('ratings').filter(({ rating }) => rating === 2).length
    t.equal(changed(), kept)
    const listed = await open()
    t.ok(listed.length > 0)
    t.ok(listed.every(({ op, reason_code: reason }) => op === 'update' && reason === 'held_mass_delete'))
    await world.run(APPROVE)
    t.equal(changed(), Math.min(count, 3 * atOnce))
    t.same(await open(), [])
  }
})

t.test('P97 an update is approved with its value', async (t) => {
  const { world, ann, ben, films, open } = await settled({ count: 5, features: { ratings: {} } })
  await using _world = world
  const rate = (rating: number) => {
    world.advance(3_600_000)
    for (const work of films) ben.put({ work, feature: 'ratings', rating })
  }
  rate(2)
  await world.run()
  t.equal((await open()).length, 5)
  rate(1)
  await world.run(APPROVE)
  t.ok(
    ann.of('ratings').every(({ rating }) => rating === 5),
    'a later value was not shown',
  )
  t.equal((await open()).length, 5)
  await world.run(APPROVE)
  t.ok(ann.of('ratings').every(({ rating }) => rating === 1))
})

t.test('a first run makes all updates', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 30, runs: 0, features: { ratings: {} } })
  await using _world = world
  world.advance(3_600_000)
  for (const work of films) ben.put({ work, feature: 'ratings', rating: 2 })
  await world.run()
  t.equal(ann.of('ratings').filter(({ rating }) => rating === 2).length, 30)
})

t.test('removals that delete other data are held unless that data is synced as well', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({
    prepare(_, ben) {
      ben.support = {
        ...FULL_SUPPORT,
        watchlist: { ...FULL_SUPPORT.watchlist!, removalSideEffects: ['history', 'ratings'] },
      }
    },
  })
  await using _world = world
  ann.drop('watchlist', films[0]!)
  const ran = await world.run()
  t.equal(removed(ran), 0)
  t.equal(watchlist(ran).held, 1)
  const reads = ben.reads.length
  t.equal(removed(await world.run(APPROVE)), 1)
  t.equal(ben.reads.length - reads, 3, 'P21 the row was looked at again right before, and after it was removed')
})

t.test('a pair that did not run for a month holds its removals once', async (t) => {
  const { world, ann, films, watchlist } = await settled()
  await using _world = world
  ann.drop('watchlist', films[0]!)
  world.advance(40 * 86_400_000)
  const ran = await world.run()
  t.equal(removed(ran), 0)
  t.equal(watchlist(ran).held, 1)
  t.equal(removed(await world.run()), 1)
})

t.test('with observed deletes off nothing is removed, and nothing is added back', async (t) => {
  const { world, ann, films } = await settled()
  await using _world = world
  world.settings = { ...world.settings, include_observed_deletes: false }
  for (const film of films) ann.drop('watchlist', film)
  t.equal(removed(await world.run()), 0)
})

t.test('P56 the first complete read after a failed one proves no absence, the second does', async (t) => {
  const { world, ann, ben, films } = await settled()
  await using _world = world
  ann.readFaults.push('throw')
  await world.run()
  ann.drop('watchlist', films[0]!)
  const ran = await world.run()
  t.same(ran.writes, [], 'neither removed there nor added here')
  t.equal(removed(await world.run()), 1)
  t.notOk(ben.has('watchlist', films[0]!))
})
