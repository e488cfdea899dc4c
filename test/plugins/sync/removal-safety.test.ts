// Nothing is removed unless a person removed it.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature } from '@playhead/sdk'
import { FakeAccount, FULL_SUPPORT, type ReadFault } from './world/account.ts'
import { begin, entryOf, holdings, type Life, live, type Lived, lives } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, type Ran, SETTINGS, START_MS, type World } from './world/world.ts'
import { numberedWork, WORKS, workNamed } from './world/works.ts'

const RUNS = { numRuns: runsOf(15) }
await featureCapabilities()

const removals = ({ writes }: Ran) => writes.filter(({ op }) => op === 'remove')

/** Many films on both sides, synced twice, so that all were seen on both sides. */
async function settled(
  count: number,
  features: readonly Feature[] = ['watchlist'],
  mode: 'one_way' | 'two_way' = 'two_way',
) {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const works = Array.from({ length: count }, (_, index) => numberedWork(index))
  const pair = pairOf('ANN', 'BEN', { mode, features: Object.fromEntries(features.map((feature) => [feature, {}])) })
  const world = await createWorld(accounts, [pair], clock, [...works, ...WORKS])
  for (const work of works) for (const feature of features) accounts[0]!.put(entryOf(feature, work, 5))
  await world.run()
  await world.run()
  return { world, works, ann: accounts[0]!, ben: accounts[1]!, pair, clock }
}

async function livesHold(
  check: (lived: Lived & { readonly runs: readonly Ran[] }, life: Life) => void | Promise<void>,
  options: Parameters<typeof lives>[0],
  worldOptions: Parameters<typeof live>[1] = {},
  parameters = RUNS,
) {
  await fc.assert(
    fc.asyncProperty(lives(options), async (life) => {
      const lived = await live(life, worldOptions)
      await using _world = lived.world
      await check(lived, life)
    }),
    parameters,
  )
}

for (const fault of [
  'throw',
  'partial',
  'empty',
  'not_configured',
  'no_end',
  'malformed',
  'wrong_account',
] as const satisfies readonly ReadFault[]) {
  for (const mode of ['one_way', 'two_way'] as const) {
    t.test(`P1 P2 a read that ends in "${fault}" removes nothing anywhere (${mode})`, async (t) => {
      const { world, ann, ben } = await settled(40, ['watchlist', 'history', 'ratings', 'progress'], mode)
      await using _world = world
      const before = holdings(ben)
      t.equal(before.length, 160, 'everything was synced')

      for (const [account, run] of [
        [ann, 1],
        [ben, 2],
      ] as const) {
        account.readFault = fault
        const ran = await world.run()
        t.same(removals(ran), [], `run ${run}`)
        account.readFault = undefined
      }
      t.same(removals(await world.run()), [], 'also not in the first good run after it')

      t.same(holdings(ben), before)
      t.same(holdings(ann), before)
    })
  }
}

t.test('P1 in random lives no run whose reads failed on a side removes anything that this side missed', () =>
  livesHold(
    ({ runs }) => {
      for (const ran of runs) {
        for (const pair of ran.report.pairs) {
          for (const { feature, status } of pair.features) {
            if (status !== 'failed' && status !== 'skipped') continue
            const own = removals(ran).filter((write) => write.feature === feature)
            if (own.length > 0) throw new Error(`${feature} ${status}, and yet ${own.length} removals`)
          }
        }
      }
    },
    { faults: true },
  ),
)

t.test("P3 P7 every removal that is sent follows a person's removal, after the item was seen on both sides", () =>
  livesHold(
    ({ runs, deeds }) => {
      for (const ran of runs) {
        for (const write of removals(ran)) {
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
      }
    },
    { faults: true, maxSteps: 6 },
  ),
)

t.test('P4 the first run of a pair removes nothing, for any history', () =>
  livesHold(
    ({ runs }) => {
      const first = removals(runs[0]!)
      if (first.length > 0) throw new Error(`${first.length} removals`)
    },
    { maxSteps: 1 },
  ),
)

t.test('P4 a new pair on an old account removes nothing on its first run', async (t) => {
  const { world, ann } = await settled(5)
  await using _world = world
  const cat = new FakeAccount({ id: 'CAT', now: () => world.nowMs })
  ;(world.accounts as FakeAccount[]).push(cat)
  const work = numberedWork(0)
  cat.put(entryOf('watchlist', work, 1))
  ann.drop('watchlist', work)
  world.pairs = [pairOf('ANN', 'CAT', { features: { watchlist: {} } })]

  t.same(removals(await world.run()), [])

  t.ok(cat.has('watchlist', work))
})

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P5 with removals turned off nothing is ever removed (${mode})`, () =>
    livesHold(
      ({ runs }) => {
        if (runs.some((ran) => removals(ran).length > 0)) throw new Error('a removal')
      },
      { faults: true, maxSteps: 5 },
      {
        mode,
        features: {
          watchlist: { remove: false },
          history: { remove: false },
          ratings: { remove: false },
          progress: { remove: false },
        },
      },
    ),
  )
}

t.test('P6 with observed deletions turned off nothing is removed', async (t) => {
  const { world, ann, works } = await settled(20, ['watchlist', 'ratings'])
  await using _world = world
  world.settings = { ...SETTINGS, include_observed_deletes: false }
  for (const work of works.slice(0, 3)) ann.drop('watchlist', work)

  t.same(removals(await world.run()), [])
})

t.test('P6 an account whose absences mean nothing causes no removals', async (t) => {
  const { world, ann, works } = await settled(20)
  await using _world = world
  ann.support = { ...FULL_SUPPORT, watchlist: { ...FULL_SUPPORT.watchlist!, observedDeletes: false } }
  ann.drop('watchlist', works[0]!)

  t.same(removals(await world.run()), [])
})

for (const showsAll of [undefined, true] as const) {
  t.test(
    `P6 the oldest title that makes room for a new one is ${showsAll ? 'removed elsewhere by a person' : 'pushed out'} if the service ${showsAll ? 'shows all' : 'may show the newest only'}`,
    async (t) => {
      const { world, ann, ben, works, clock } = await settled(20)
      await using _world = world
      ann.tellsListsOnly = true
      ann.support = { ...FULL_SUPPORT, watchlist: { ...FULL_SUPPORT.watchlist!, ...(showsAll ? { showsAll } : {}) } }
      clock.nowMs += 3_600_000
      ann.drop('watchlist', works[0]!)
      ann.put(entryOf('watchlist', WORKS[0]!, 0))
      await world.run()
      clock.nowMs += 3_600_000
      await world.run()

      t.equal(holdings(ben).includes(`watchlist|${works[0]!.name}||`), showsAll === undefined)
    },
  )
}

t.test('P6 rows of a limit that was assumed need the usual proof once the service is known to show all', async (t) => {
  const { world, ann, ben, works, clock } = await settled(20)
  await using _world = world
  ann.tellsListsOnly = true
  clock.nowMs += 3_600_000
  ann.drop('watchlist', works[0]!)
  ann.put(entryOf('watchlist', WORKS[0]!, 0))
  const isKept = async () => {
    await world.run()
    clock.nowMs += 3_600_000
    return holdings(ben).includes(`watchlist|${works[0]!.name}||`)
  }
  t.same([await isKept(), await isKept()], [true, true], 'pushed out')

  ann.support = { ...FULL_SUPPORT, watchlist: { ...FULL_SUPPORT.watchlist!, showsAll: true } }
  t.equal(await isKept(), true, 'one read is no proof')
  const kept = [await isKept(), await isKept(), await isKept()]
  t.equal(kept.at(-1), false, 'a person took it off')
})

/** Everything but the proof that the pair was unchanged, which a skipped run ends. */
function stored(world: World): string {
  return JSON.stringify((JSON.parse(world.dump()) as [string, unknown][]).filter(([table]) => table !== 'sync__rest'))
}

for (const status of ['down', 'auth_failed', 'unknown', 'not_configured'] as const) {
  t.test(
    `P6 an account that is ${status} is neither read nor written, and changes nothing but that the next read proves no absence`,
    async (t) => {
      const { world, ann, ben, works } = await settled(20)
      await using _world = world
      ann.drop('watchlist', works[0]!)
      for (const account of [ann, ben]) {
        account.status = status
        const [reads, before] = [ann.reads.length + ben.reads.length, stored(world)]
        const ran = await world.run()
        t.match(world.feature(ran, 'watchlist'), { status: 'skipped', reason: status })
        t.same(ran.writes, [])
        t.equal(ann.reads.length + ben.reads.length, reads)
        t.equal(stored(world), before.replaceAll('\\"armed\\":true', '\\"armed\\":false'))
        account.status = 'ok'
      }
      t.same(removals(await world.run()), [], 'what comes back may be less than it was')
      t.equal(removals(await world.run()).length, 1, 'afterwards the same decision is made again')
    },
  )
}

t.test('P8 more removals than the guard allows are held, shown, and made only when approved', async (t) => {
  const { world, ann, ben, works, pair } = await settled(60)
  await using _world = world
  for (const work of works.slice(0, 12)) ann.drop('watchlist', work)

  const held = await world.run()
  t.same(removals(held), [])
  t.match(world.feature(held, 'watchlist'), { status: 'partial', held: 12 })
  t.equal(held.report.result, 'partial')
  t.same(removals(await world.run()), [], 'held again')
  t.equal(ben.of('watchlist').length, 60)

  const approved = await world.run({ pair_id: pair.id, allow_mass_delete: true })
  t.equal(removals(approved).length, 12, 'P9 exactly once')
  t.equal(ben.of('watchlist').length, 48)
  const after = await world.run()
  t.same(after.writes, [])
  t.equal(ann.of('watchlist').length, 48, 'P9 nothing came back')
})

t.test('P9 held removals stay held for months, and are never reverted by adding back', async (t) => {
  const { world, ann, works } = await settled(60)
  await using _world = world
  for (const work of works.slice(0, 12)) ann.drop('watchlist', work)
  for (let month = 0; month < 4; month += 1) {
    const ran = await world.run()
    t.same(ran.writes, [])
    world.advance(31 * 86_400_000)
  }
  t.equal(ann.of('watchlist').length, 48)
})

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P10 a confirmed write that never becomes visible is not treated as a deletion (${mode})`, async (t) => {
    const clock = { nowMs: START_MS }
    const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
      FakeAccount,
      FakeAccount,
    ]
    await using world = await createWorld(
      [ann, ben],
      [pairOf('ANN', 'BEN', { mode, features: { watchlist: {}, ratings: {} } })],
      clock,
    )
    for (const name of ['heat', 'matrix', 'alien'])
      for (const feature of ['watchlist', 'ratings'] as const) ann.put(entryOf(feature, workNamed(name), 7))
    const before = holdings(ann)
    ben.writeFault = 'silent_drop'

    const attempts: number[] = []
    for (let day = 0; day < 12; day += 1) {
      const ran = await world.run()
      t.same(removals(ran), [])
      attempts.push(ran.writes.length)
      world.advance(86_400_000)
    }

    t.same(holdings(ann), before)
    t.equal(attempts.at(-1), 0, 'P12 it ends in quarantine and is not written for ever')
  })
}

t.test('P11 reads that lag behind the writes neither remove nor add twice', () =>
  fc.assert(
    fc.asyncProperty(
      lives({ features: ['watchlist', 'ratings'], drops: false, maxSteps: 3 }),
      fc.integer({ min: 1, max: 12 }),
      async (life, lag) => {
        const lived = await begin(life)
        await using world = lived.world
        const writes: string[] = []
        for (const step of life.steps) {
          for (const account of world.accounts) account.lag = lag
          const ran = await lived.step({ ...step, days: 0 })
          if (removals(ran).length > 0) throw new Error('a removal')
          writes.push(
            ...ran.writes
              .filter(({ op, stored }) => op === 'add' && stored)
              .map(({ account, feature, key }) => `${account} ${feature} ${key}`),
          )
        }
        if (new Set(writes).size < writes.length) throw new Error(`added twice: ${writes.join(', ')}`)
      },
    ),
    RUNS,
  ),
)

t.test('P13 an item that was rated or watched again after the other side removed it survives', async (t) => {
  const { world, ann, ben, works } = await settled(20, ['ratings', 'history'])
  await using _world = world
  const [first, second] = works as [(typeof works)[0], (typeof works)[0]]
  world.advance(3_600_000)
  ben.drop('ratings', first)
  ben.drop('history', second)
  world.advance(3_600_000)
  ann.put(entryOf('ratings', first, 10))
  ann.put(entryOf('history', second, 1))

  const ran = await world.run()

  t.same(removals(ran), [])
  t.match(
    ann.of('ratings').find(({ work }) => work.name === first.name),
    { rating: 10 },
  )
  t.match(
    ben.of('ratings').find(({ work }) => work.name === first.name),
    { rating: 10 },
    'P26 and is brought back',
  )
  t.ok(ben.has('history', second))
})

t.test('P14 narrowing the scope of a pair removes nothing', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pairWith = (
    features: Parameters<typeof pairOf>[2] extends infer Options
      ? NonNullable<Options> extends { features?: infer Features }
        ? Features
        : never
      : never,
  ) => pairOf('ANN', 'BEN', { features: features as never })
  await using world = await createWorld([ann, ben], [pairWith({ ratings: { types: 'all' }, history: {} })], clock)
  for (const [index, work] of WORKS.filter(({ name }) => name !== 'nameless').entries()) {
    ann.put({ ...entryOf('ratings', work, 5), library: index % 2 === 0 ? 'one' : 'two' })
    if (work.type !== 'show') ann.put({ ...entryOf('history', work, 5), library: index % 2 === 0 ? 'one' : 'two' })
  }
  await world.run()
  await world.run()
  const before = holdings(ben)

  for (const narrow of [
    { ratings: { types: ['movies'] }, history: {} },
    { ratings: { types: ['movies'], mode: 'from_date', from_date: '2026-05-30' }, history: {} },
    { ratings: { types: 'all' }, history: { libraries: { ANN: ['one'] } } },
    { ratings: { enabled: false }, history: {} },
    { ratings: { types: 'all' }, history: {} },
  ]) {
    world.pairs = [pairWith(narrow as never)]
    t.same(removals(await world.run()), [])
    t.same(removals(await world.run()), [])
  }
  t.same(holdings(ben), before)
})

t.test('P15 another account behind the same profile removes nothing', async (t) => {
  const { world, ann, ben } = await settled(30)
  await using _world = world
  ann.identity = 'another-server/another-user'
  ann.entries = ann.entries.slice(0, 20)

  for (let run = 0; run < 3; run += 1) t.same(removals(await world.run()), [])
  t.equal(ben.of('watchlist').length, 30)
})

t.test("P17 a mirror removes nothing of the target's own until a person confirmed it", async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  const pair = pairOf('ANN', 'BEN', { mode: 'one_way', features: { watchlist: {} } })
  await using world = await createWorld([ann, ben], [pair], clock)
  world.settings = { ...SETTINGS, one_way_remove_mode: 'mirror' }
  for (const name of ['heat', 'alien']) ann.put(entryOf('watchlist', workNamed(name), 1))
  for (const name of ['matrix', 'arrival', 'nameless']) ben.put(entryOf('watchlist', workNamed(name), 1))

  for (let run = 0; run < 3; run += 1) t.same(removals(await world.run()), [])
  await world.run({ pair_id: pair.id, confirm_mirror: true })
  await world.run()

  t.same(
    holdings(ben, 'watchlist').map((text) => text.split('|')[1]),
    ['alien', 'heat', 'nameless'],
    'P19 what has no id stays',
  )
})

t.test('P16 a deletion of one person never touches the accounts of another', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN', 'CAT', 'DAN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, , cat, dan] = accounts as [FakeAccount, FakeAccount, FakeAccount, FakeAccount]
  const pairs = [
    pairOf('ANN', 'BEN', { features: { watchlist: {} } }),
    pairOf('CAT', 'DAN', { features: { watchlist: {} } }),
  ]
  await using world = await createWorld(accounts, pairs, clock)
  const heat = workNamed('heat')
  // A suddenly empty account would be implausible.
  for (const account of [ann, cat]) account.put(entryOf('watchlist', workNamed('alien'), 1))
  ann.put(entryOf('watchlist', heat, 1))
  cat.put(entryOf('watchlist', heat, 1))
  dan.writeFault = 'not_found'
  await world.run()
  await world.run()
  ann.drop('watchlist', heat)

  const ran = await world.run()

  t.same(
    removals(ran).map(({ account }) => account),
    ['BEN'],
  )
  t.ok(cat.has('watchlist', heat))
})

t.test('P18 an item that a person blocked on an account is neither removed from it nor added to it', async (t) => {
  const { world, ann, ben, works } = await settled(20)
  await using _world = world
  const [kept, other, fresh] = [works[0]!, works[1]!, workNamed('heat')]
  await world.policy.change(
    { provider: 'BEN', instance: 'default', feature: 'watchlist' },
    { blocks: [`movie:tmdb:${kept.ids.tmdb}`, `movie:tmdb:${fresh.ids.tmdb}`] },
  )
  for (const work of [kept, other]) ann.drop('watchlist', work)
  ann.put(entryOf('watchlist', fresh, 1))

  await world.run()

  t.ok(ben.has('watchlist', kept))
  t.notOk(ben.has('watchlist', other))
  t.notOk(ben.has('watchlist', fresh))
})

t.test('P21 a removal that would destroy more than requested waits for an approval', async (t) => {
  const { world, ann, ben, works, pair } = await settled(20)
  await using _world = world
  ben.support = {
    ...FULL_SUPPORT,
    watchlist: { ...FULL_SUPPORT.watchlist!, removalSideEffects: ['history', 'ratings'] },
  }
  ann.drop('watchlist', works[0]!)

  const held = await world.run()
  t.same(removals(held), [])
  t.match(world.feature(held, 'watchlist'), { held: 1 })

  t.equal(removals(await world.run({ pair_id: pair.id, allow_mass_delete: true })).length, 1)
})

t.test('P19 an item with only a title is never removed', () =>
  livesHold(
    ({ runs }) => {
      const wrong = runs.flatMap(removals).filter(({ work }) => work === 'nameless')
      if (wrong.length > 0) throw new Error('the film without an id was removed')
    },
    { features: ['watchlist'], maxSteps: 5 },
  ),
)

t.test('P20 removing one play leaves the other plays alone', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  await using world = await createWorld(
    [ann, ben],
    [pairOf('ANN', 'BEN', { features: { history: { rewatches: true } } })],
    clock,
  )
  const heat = workNamed('heat')
  for (const day of [1, 2, 3]) ann.put({ ...entryOf('history', heat, 1), atMs: START_MS - day * 86_400_000 })
  ann.put(entryOf('history', workNamed('alien'), 1))
  await world.run()
  await world.run()
  t.equal(ben.of('history').length, 4)
  const middle = ann.of('history').find(({ atMs }) => atMs === START_MS - 2 * 86_400_000)!
  ann.drop('history', heat, middle.eventId)

  const ran = await world.run()

  t.equal(removals(ran).length, 1)
  t.same(
    ben
      .of('history')
      .filter(({ work }) => work.name === 'heat')
      .map(({ atMs }) => (START_MS - atMs) / 86_400_000)
      .toSorted(),
    [1, 3],
  )
  t.equal(ben.of('history').length, 3)
})

t.test('P22 a film and a series of one number are different items: neither removes the other', async (t) => {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
    FakeAccount,
    FakeAccount,
  ]
  await using world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', { features: { watchlist: {} } })], clock)
  ann.put(entryOf('watchlist', workNamed('same-number'), 1))
  ben.put(entryOf('watchlist', workNamed('thrones'), 1))
  await world.run()
  t.same(
    [holdings(ann), holdings(ben)].map((texts) => texts.map((text) => text.split('|')[1])),
    [
      ['same-number', 'thrones'],
      ['same-number', 'thrones'],
    ],
  )
  await world.run()
  ann.drop('watchlist', workNamed('same-number'))

  await world.run()

  t.same(
    holdings(ben).map((text) => text.split('|')[1]),
    ['thrones'],
  )
})

t.test('items that left a library, or returned to it, are neither removed elsewhere nor added there', async (t) => {
  const { world, ann, ben, works } = await settled(20, ['watchlist', 'history'])
  await using _world = world
  const left = works.slice(0, 4)
  const kept = ann.entries.filter(({ work }) => left.includes(work))
  ann.entries = ann.entries.filter(({ work }) => !left.includes(work))
  ann.gone = left
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.equal(ben.entries.length, 40)

  ann.gone = []
  ann.entries = [...ann.entries, ...kept]
  t.same((await world.run()).writes, [])
  ann.drop('watchlist', left[0]!)
  t.same(
    removals(await world.run()).map(({ work }) => work),
    [left[0]!.name],
    'and what is removed afterwards is removed',
  )
})

t.test('P71 an item removed through the tool is removed everywhere, and has no other effect', async (t) => {
  const { world, ann, ben, works } = await settled(20)
  await using _world = world
  const [first] = works
  const item = { type: 'movie', title: first!.title, year: first!.year, ids: first!.ids } as const

  const result = await world.change({
    provider: 'BEN',
    instance: 'default',
    feature: 'watchlist',
    op: 'remove',
    items: [{ key: `movie:tmdb:${first!.ids.tmdb}`, item }],
    cause: 'watchlist_tool',
  })
  t.same(
    result.map(({ outcome }) => outcome),
    ['applied'],
  )
  await world.run()

  t.notOk(ben.has('watchlist', first!))
  t.notOk(ann.has('watchlist', first!), 'it went from the other side as well')
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
})

t.test('a single removal reaches the other side, once', async (t) => {
  const { world, ann, ben, works } = await settled(20, ['watchlist', 'history', 'ratings'])
  await using _world = world
  for (const feature of ['watchlist', 'history', 'ratings'] as const) ann.drop(feature, works[3]!)

  const ran = await world.run()

  t.same(
    removals(ran)
      .map(({ account, feature, work }) => [account, feature, work])
      .toSorted(),
    ['history', 'ratings', 'watchlist'].map((feature) => ['BEN', feature, works[3]!.name]),
  )
  t.equal(ben.entries.length, 57)
  t.same((await world.run()).writes, [])
})
