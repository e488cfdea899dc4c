// Failing items are retried, then quarantined, and always listed.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { FakeAccount } from './world/account.ts'
import { entryOf, holdings, live, lives, withIds } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { WORKS, workNamed } from './world/works.ts'

const RUNS = { numRuns: runsOf(20) }
const DAY_MS = 86_400_000
await featureCapabilities()

async function small(names: readonly string[] = ['heat', 'matrix', 'alien']) {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pair = pairOf('ANN', 'BEN', { features: { watchlist: {} } })
  const world = await createWorld([ann, ben], [pair], clock)
  for (const name of names) ann.put(entryOf('watchlist', workNamed(name), 1))
  return { world, ann, ben, pair }
}

t.test('P60 a failing item does not keep the others of its batch from arriving', async (t) => {
  const { world, ann, ben } = await small(
    WORKS.filter(({ type, name }) => type === 'movie' && name !== 'nameless').map(({ name }) => name),
  )
  await using _world = world
  for (let run = 0; run < 4; run += 1) {
    ben.writeFaults.push('reject_some')
    await world.run()
    world.advance(DAY_MS)
  }
  for (let run = 0; run < 8; run += 1) {
    await world.run()
    world.advance(12 * DAY_MS)
  }
  t.same(withIds(holdings(ben)), withIds(holdings(ann)))
})

t.test(
  'P61 after enough consecutive failures an item is quarantined; a new id or the end of the cooldown ends that',
  async (t) => {
    const { world, ann, ben } = await small(['heat'])
    await using _world = world
    ben.writeFault = 'not_found'
    const attempts: number[] = []
    for (let run = 0; run < 24; run += 1)
      attempts.push((await world.run()).outcomes.filter(({ outcome }) => outcome === 'not_found').length)
    t.equal(
      attempts.reduce((sum, count) => sum + count),
      3,
      `attempts: ${attempts}`,
    )
    const { items: unresolved } = await world.engine.unresolved.list({ runId: 'all' })
    t.ok(
      unresolved.some((one) => one.quarantined && one.reason_code === 'quarantined'),
      'P63 and is shown',
    )

    ben.writeFault = undefined
    world.advance(31 * DAY_MS)
    await world.run()
    t.same(holdings(ben), holdings(ann))
  },
)

for (const fault of ['throws', 'rate_limited'] as const) {
  t.test(`P62 an outage (${fault}) never leads to quarantine`, async (t) => {
    const { world, ann, ben } = await small()
    await using _world = world
    ben.writeFault = fault
    for (let run = 0; run < 10; run += 1) await world.run()
    ben.writeFault = undefined
    await world.run()
    t.same(holdings(ben), holdings(ann))
  })
}

t.test('P63 held, ambiguous and unresolved items are listed with a reason', async (t) => {
  const { world, ann, ben } = await small()
  await using _world = world
  ben.writeFault = 'not_found'
  await world.run()
  const { items: rows } = await world.engine.unresolved.list({ runId: 'all' })
  t.equal(rows.length, 3)
  for (const row of rows) {
    t.match(row, { reason_code: /\w+/, feature: 'watchlist', provider: 'BEN', pair_id: 'ANN-BEN', op: 'add' })
    t.ok(row.attempts >= 1)
  }
  ben.writeFault = undefined
  for (let run = 0; run < 4; run += 1) await world.run()
  t.same(holdings(ben), holdings(ann))
  t.same((await world.engine.unresolved.list({ runId: 'all' })).items, [], 'what was settled leaves the list')
})

t.test('P64 P73 every operation has exactly one outcome, and the reports add up', () =>
  fc.assert(
    fc.asyncProperty(lives({ faults: true }), async (life) => {
      const lived = await live(life)
      await using _world = lived.world
      for (const { report, outcomes } of lived.runs) {
        const names = outcomes.map(({ pair_id, feature, provider, op, key }) =>
          [pair_id, feature, provider, op, key].join(' '),
        )
        if (new Set(names).size < names.length) throw new Error(`two outcomes for one operation: ${names}`)
        for (const pair of report.pairs) {
          for (const feature of pair.features) {
            const own = outcomes.filter((one) => one.pair_id === pair.pair_id && one.feature === feature.feature)
            const applied = own.filter(({ outcome }) => outcome === 'applied').length
            if (feature.applied !== applied)
              throw new Error(`${feature.feature}: ${feature.applied} applied, reported ${applied}`)
            if (feature.added + feature.updated + feature.removed !== applied)
              throw new Error(
                `${feature.feature}: ${feature.added}+${feature.updated}+${feature.removed} is not ${applied}`,
              )
            if (feature.held !== own.filter(({ outcome }) => outcome === 'held').length) throw new Error('held')
          }
        }
      }
    }),
    RUNS,
  ),
)

t.test('P65 a specific reason is not replaced by a general one', async (t) => {
  const { world, ben } = await small(['heat'])
  await using _world = world
  ben.write = async (_instance, request) => ({
    outcomes: request.items.map(({ key }) => ({ key, outcome: 'rejected', reason: 'episode_missing' })),
  })
  await world.run()
  Reflect.deleteProperty(ben, 'write')
  ben.writeFault = 'not_found'
  await world.run()
  const [row] = (await world.engine.unresolved.list({ runId: 'all' })).items
  t.match(row, { reason_code: 'episode_missing' })
})

t.test('P65 a failure after a block was lifted is listed, not taken for the block', async (t) => {
  const { world, ben } = await small(['heat'])
  await using _world = world
  const scope = { provider: 'BEN', instance: 'default', feature: 'watchlist' } as const
  await world.policy.change(scope, { blocks: ['movie:tmdb:949'] })
  await world.run()
  await world.policy.change(scope, { blocks: [] })
  ben.writeFault = 'not_found'
  await world.run()
  const [row] = (await world.engine.unresolved.list({ runId: 'all', accepted: false })).items
  t.match(row, { reason_code: 'not_found' })
})

t.test('P74 a run is ok only when every feature of every pair was', () =>
  fc.assert(
    fc.asyncProperty(lives({ accounts: 3, faults: true }), async (life) => {
      const lived = await live(life)
      await using _world = lived.world
      for (const { report } of lived.runs) {
        const statuses = report.pairs.flatMap(({ features }) => features.map(({ status }) => status))
        const good = statuses.every((status) => status === 'ok' || status === 'nothing_to_do')
        if ((report.result === 'ok') !== good) throw new Error(`${report.result} with ${statuses}`)
      }
    }),
    RUNS,
  ),
)

t.test('P75 the failure of one feature does not affect the others', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  await using world = await createWorld(
    [ann, ben],
    [pairOf('ANN', 'BEN', { features: { watchlist: {}, ratings: {} } })],
    clock,
  )
  for (const feature of ['watchlist', 'ratings'] as const) ann.put(entryOf(feature, workNamed('heat'), 5))
  const { read } = ann
  ann.read = (instance, request) => {
    if (request.feature === 'watchlist') throw new Error('broken')
    return Reflect.apply(read, ann, [instance, request])
  }
  const ran = await world.run()
  t.equal(world.feature(ran, 'watchlist').status, 'failed')
  t.equal(world.feature(ran, 'ratings').status, 'ok')
  t.ok(ben.has('ratings', workNamed('heat')))
})

t.test(
  'P77 a provider that returns nonsense or never answers is a failed read or write, not a failed engine',
  async (t) => {
    const { world, ann, ben } = await small()
    await using _world = world
    for (const nonsense of [
      () => undefined,
      () => ({ outcomes: 'many' }),
      () => ({ outcomes: [{ key: 'unknown', outcome: 'applied' }] }),
      () => ({ outcomes: [null] }),
      () => {
        throw new TypeError('broken')
      },
    ]) {
      ben.write = nonsense as never
      const ran = await world.run()
      t.equal(ran.outcomes.filter(({ outcome }) => outcome === 'applied').length, 0)
      t.equal(ran.writes.length, 0)
    }
    Reflect.deleteProperty(ben, 'write')
    await world.run()
    t.same(holdings(ben), holdings(ann))
  },
)
