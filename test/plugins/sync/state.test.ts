// Dry runs, cancelled runs, crashes, and stored state.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { FakeAccount } from './world/account.ts'
import { begin, entryOf, holdings, lives } from './world/scenario.ts'
import { Crash, createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { numberedWork, WORKS, workNamed } from './world/works.ts'

const RUNS = { numRuns: runsOf(8) }
await featureCapabilities()

const operations = (ran: {
  readonly outcomes: readonly {
    readonly provider: string
    readonly feature: string
    readonly op: string
    readonly key: string
  }[]
}) => ran.outcomes.map(({ provider, feature, op, key }) => `${provider} ${feature} ${op} ${key}`).toSorted()

t.test('P50 P52 a dry run changes no stored data, and sends nothing', () =>
  fc.assert(
    fc.asyncProperty(lives({ faults: true }), async (life) => {
      const lived = await begin(life)
      await using world = lived.world
      for (const step of life.steps) {
        const before = [world.dump(), ...world.accounts.map((account) => holdings(account).join())]
        for (const action of step.actions) lived.act(action)
        const acted = world.accounts.map((account) => holdings(account).join())
        const ran = await world.run({ dry_run: true })
        if (ran.writes.length > 0) throw new Error(`${ran.writes.length} writes`)
        if (world.dump() !== before[0]) throw new Error(`stored before: ${before[0]}\nstored after: ${world.dump()}`)
        if (world.accounts.map((account) => holdings(account).join()).join() !== acted.join())
          throw new Error('an account changed')
        await lived.step({ ...step, actions: [] })
      }
    }),
    RUNS,
  ),
)

t.test('P51 a dry run plans the same as the run after it', () =>
  fc.assert(
    fc.asyncProperty(lives(), async (life) => {
      const lived = await begin(life)
      await using world = lived.world
      for (const step of life.steps) {
        for (const action of step.actions) lived.act(action)
        const dry = await world.run({ dry_run: true })
        const real = await world.run()
        const planned = dry.report.pairs.flatMap(({ features }) =>
          features.map(({ feature, planned: count }) => `${feature} ${count}`),
        )
        const done = real.report.pairs.flatMap(({ features }) =>
          features.map(({ feature, planned: count }) => `${feature} ${count}`),
        )
        if (planned.join() !== done.join()) throw new Error(`planned ${planned}, then ${done}`)
        const written = real.writes
          .map(({ account, feature, op, key }) => `${account} ${feature} ${op} ${key}`)
          .toSorted()
        if (!written.every((one) => operations(real).includes(one)))
          throw new Error(`written ${written}, reported ${operations(real)}`)
      }
    }),
    RUNS,
  ),
)

t.test('P51 a dry run includes plays since the last run', async (t) => {
  for (const incremental of [false, true]) {
    const lived = await begin({ accounts: 2, seed: 1, incremental, start: [], steps: [] })
    await using world = lived.world
    const [ann, ben] = world.accounts as [FakeAccount, FakeAccount]
    const alien = workNamed('alien')
    ben.put(entryOf('progress', alien, 1))
    for (let run = 0; run < 2; run += 1) await world.run()
    ben.drop('progress', alien)
    world.advance(61_000)
    ann.put(entryOf('history', alien, 1))
    const counts: [number, number][] = []
    for (let run = 0; run < 2; run += 1) {
      const before = world.dump()
      const dry = await world.run({ dry_run: true })
      t.equal(world.dump(), before, 'and stores nothing of it')
      const real = await world.run()
      for (const feature of ['history', 'progress'] as const) {
        t.equal(world.feature(dry, feature).planned, world.feature(real, feature).planned, feature)
      }
      counts.push([world.feature(real, 'history').planned, world.feature(real, 'progress').planned])
    }
    t.same(counts[0], [1, 1])
  }
})

t.test('P53 a cancelled run keeps its writes, and counts nothing that it did not try', () =>
  fc.assert(
    fc.asyncProperty(lives({ drops: false, maxSteps: 1 }), fc.integer({ min: 1, max: 4 }), async (life, batches) => {
      const lived = await begin(life)
      await using world = lived.world
      const wanted = await begin(life)
      await using calm = wanted.world
      for (let run = 0; run < 3; run += 1) await calm.run()

      for (let run = 0; run < 5; run += 1) {
        const stop = new AbortController()
        let left = batches
        for (const account of world.accounts) {
          const { write } = account
          account.write = async (instance, request) => {
            left -= 1
            if (left <= 0) stop.abort()
            return Reflect.apply(write, account, [instance, request])
          }
        }
        const ran = await world.run({}, stop.signal)
        if (ran.outcomes.some(({ outcome }) => outcome === 'failed' || outcome === 'rejected'))
          throw new Error('a cancel was counted as a failure')
        for (const account of world.accounts) Reflect.deleteProperty(account, 'write')
      }
      for (let run = 0; run < 3; run += 1) await world.run()
      const ends = [calm, world].map((one) => JSON.stringify(one.accounts.map((account) => holdings(account))))
      if (ends[0] !== ends[1]) throw new Error(ends.join('\n'))
    }),
    RUNS,
  ),
)

t.test(
  'P47 P55 a process that dies at any statement and restarts has the same result as without, with no duplicate play',
  () =>
    fc.assert(
      fc.asyncProperty(
        lives({ maxSteps: 3 }),
        fc.array(fc.integer({ min: 0, max: 160 }), { minLength: 1, maxLength: 3 }),
        async (life, crashes) => {
          const ends: string[] = []
          for (const crashing of [false, true]) {
            const lived = await begin(life)
            await using world = lived.world
            for (const [index, step] of life.steps.entries()) {
              for (const action of step.actions) lived.act(action)
              if (crashing && crashes[index] !== undefined) {
                world.crashAfter(crashes[index])
                await world.run().catch((error: unknown) => {
                  if (!(error instanceof Crash)) throw error
                })
                await world.restart()
              } else world.advance(60_000)
              for (let run = 0; run < 3; run += 1) await world.run()
            }
            for (const account of world.accounts) {
              const plays = account.of('history').map(({ work, atMs }) => `${work.name} ${Math.floor(atMs / 1_000)}`)
              if (new Set(plays).size < plays.length) throw new Error(`${account.id} has a play twice: ${plays}`)
            }
            ends.push(JSON.stringify(world.accounts.map((account) => holdings(account))))
          }
          if (ends[0] !== ends[1]) throw new Error(ends.join('\n'))
        },
      ),
      { numRuns: runsOf(15) },
    ),
)

t.test('P54 held, failed and filtered items are decided again, with the same result', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  await using world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { features: { watchlist: {} } })], clock)
  const [heat, alien] = [workNamed('heat'), workNamed('alien')]
  for (const work of [heat, alien]) ann.put(entryOf('watchlist', work, 1))
  await world.run()
  await world.run()
  ann.drop('watchlist', heat)
  ben.writeFault = 'throws'
  for (let run = 0; run < 3; run += 1) {
    await world.run()
    t.ok(ben.has('watchlist', heat))
    t.notOk(ann.has('watchlist', heat), 'and is not added back')
  }
  ben.writeFault = undefined
  await world.run()
  t.notOk(ben.has('watchlist', heat), 'P62 an outage never quarantines')
})

t.test('P56 a lost or unreadable base never causes a removal', async (t) => {
  for (const damage of ['delete', 'corrupt'] as const) {
    const clock = { nowMs: START_MS }
    const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
      FakeAccount,
      FakeAccount,
    ]
    await using world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { features: { watchlist: {} } })], clock)
    for (const name of ['heat', 'alien', 'matrix']) ann.put(entryOf('watchlist', workNamed(name), 1))
    await world.run()
    await world.run()
    ann.drop('watchlist', workNamed('heat'))
    if (damage === 'delete') await world.db.deleteFrom('sync__base').execute()
    else {
      const columns = (await world.db.introspection.getTables())
        .find(({ name }) => name === 'sync__base')!
        .columns.map(({ name }) => name)
      for (const column of columns.filter((name) =>
        /^(a|b|seen_a|seen_b|side_a|side_b|item|body|data|row|identity)$/.test(name),
      )) {
        await world.db
          .updateTable('sync__base')
          .set({ [column]: '{half a' })
          .execute()
      }
    }
    const ran = await world.run()
    t.same(
      ran.writes.filter(({ op }) => op === 'remove'),
      [],
      damage,
    )
  }
})

t.test('P56 the first run after an upgrade from a version that kept no coverage removes nothing', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, ben] = accounts as [FakeAccount, FakeAccount]
  await using world = await createWorld(accounts, [pairOf('ANN', 'BEN', { features: { watchlist: {} } })], clock)
  world.settings = { ...world.settings, enable_remove: true }
  for (const name of ['heat', 'alien', 'matrix']) ann.put(entryOf('watchlist', workNamed(name), 1))
  for (let run = 0; run < 3; run += 1) await world.run()
  const { state } = await world.db.selectFrom('sync__state').select('state').executeTakeFirstOrThrow()
  const { coverage, ...old } = JSON.parse(String(state))
  t.ok(coverage, 'it is kept now')
  await world.db
    .updateTable('sync__state')
    .set({ state: JSON.stringify(old) })
    .execute()
  ann.drop('watchlist', workNamed('heat'))
  clock.nowMs += 86_400_000
  t.same((await world.run()).writes, [], 'the first run')
  t.equal(ben.of('watchlist').length, 3)
  for (let run = 0; run < 3; run += 1) {
    clock.nowMs += 86_400_000
    await world.run()
  }
  t.equal(ben.of('watchlist').length, 2, 'what is still gone then is removed')
})

t.test('P57 removing a pair deletes exactly its rows', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const pairs = [
    pairOf('ANN', 'BEN', { id: 'pair', features: { watchlist: {} } }),
    pairOf('BEN', 'CAT', { id: 'pair_2', features: { watchlist: {} } }),
  ]
  await using world = await createWorld(accounts, pairs, clock)
  for (const work of WORKS.filter(({ type }) => type === 'movie')) accounts[0]!.put(entryOf('watchlist', work, 1))
  await world.run()
  await world.run()
  const count = async (id: string) =>
    Number(
      (
        await world.db
          .selectFrom('sync__base')
          .select(world.db.fn.countAll().as('n'))
          .where('pair_id', '=', id)
          .executeTakeFirst()
      )?.['n'],
    )
  const [first, second] = [await count('pair'), await count('pair_2')]
  t.ok(first > 0 && second > 0)

  await world.engine.purgePair('pai')
  t.same([await count('pair'), await count('pair_2')], [first, second], 'an unknown id removes nothing')
  await world.engine.purgePair('pair')
  t.same([await count('pair'), await count('pair_2')], [0, second])
})

t.test('P58 stored data does not grow without changes', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  await using world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { features: { watchlist: {} } })], clock)
  for (let index = 0; index < 30; index += 1) ann.put({ ...entryOf('watchlist', numberedWork(index), 1) })
  for (let index = 0; index < 3; index += 1) await world.run()
  const size = world.dump().length
  for (let index = 0; index < 10; index += 1) await world.run()
  t.ok(world.dump().length < size * 1.2, `${size} characters became ${world.dump().length}`)
})

t.test('P59 no stored state of one pair is used by another, except tombstones of the same account', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pairs = [
    pairOf('ANN', 'BEN', { id: 'one', features: { watchlist: {} } }),
    pairOf('ANN', 'BEN', { id: 'two', features: { watchlist: {} }, enabled: false }),
  ]
  await using world = await createWorld([ann, ben], pairs, clock)
  ann.put(entryOf('watchlist', workNamed('heat'), 1))
  ben.writeFault = 'not_found'
  for (let run = 0; run < 12; run += 1) {
    await world.run()
    world.advance(86_400_000)
  }
  t.same((await world.run()).writes, [], 'quarantined for the one pair')
  ben.writeFault = undefined
  const ran = await world.run({ pair_id: 'two' })
  t.equal(ran.writes.length, 1, 'and tried by the other')
})

t.test('a reviewed plan is run unchanged, and nothing beside it', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pair = pairOf('ANN', 'BEN', { features: { watchlist: {} } })
  await using world = await createWorld([ann, ben], [pair], clock)
  for (const name of ['heat', 'alien']) ann.put(entryOf('watchlist', workNamed(name), 1))
  const dry = await world.run({ dry_run: true })
  const planId = world.feature(dry, 'watchlist').plan_id!
  ann.put(entryOf('watchlist', workNamed('matrix'), 1))
  ann.drop('watchlist', workNamed('alien'))

  const ran = await world.run({ pair_id: pair.id, plan_id: planId })

  t.same(
    ran.writes.map(({ work }) => work),
    ['heat'],
  )
  t.same(
    (await world.run()).writes.map(({ work }) => work),
    ['matrix'],
    'the remaining operations are for the next run',
  )
})
