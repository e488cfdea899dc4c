// Every addition or change follows a person's action, once, with that person's values.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { FakeAccount, FULL_SUPPORT } from './world/account.ts'
import { begin, entryOf, holdings, live, lives, withIds } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { type Work, WORKS, workNamed } from './world/works.ts'

const RUNS = { numRuns: runsOf(15) }
await featureCapabilities()

async function pairWorld(
  features: Parameters<typeof pairOf>[2],
  options: { readonly schemes?: readonly (readonly string[])[] } = {},
) {
  const clock = { nowMs: START_MS }
  const [ann, ben] = ['ANN', 'BEN'].map(
    (id, index) =>
      new FakeAccount({
        id,
        now: () => clock.nowMs,
        ...(options.schemes?.[index] === undefined ? {} : { schemes: options.schemes[index] }),
      }),
  ) as [FakeAccount, FakeAccount]
  const world = await createWorld([ann, ben], [pairOf('ANN', 'BEN', features)], clock)
  return { world, ann, ben }
}

t.test('P23 P46 an existing item is not added again, even if ids appear and disappear', () =>
  fc.assert(
    fc.asyncProperty(
      lives({ drops: false, maxSteps: 3 }),
      fc.array(
        fc.constantFrom(['tmdb', 'imdb', 'tvdb'], ['imdb', 'tvdb'], ['tmdb', 'tvdb'], ['tvdb', 'tmdb', 'imdb']),
        { minLength: 3, maxLength: 3 },
      ),
      async (life, drift) => {
        const lived = await begin(life)
        await using world = lived.world
        const added: string[] = []
        for (const [index, step] of life.steps.entries()) {
          world.accounts[index % 2]!.schemes = drift[index]!
          const ran = await lived.step(step)
          added.push(
            ...ran.writes
              .filter(({ op, feature }) => op === 'add' && (feature === 'watchlist' || feature === 'history'))
              .map(({ account, feature, work }) => `${account} ${feature} ${work}`),
          )
        }
        if (new Set(added).size < added.length) throw new Error(`added twice: ${added.join(', ')}`)
      },
    ),
    RUNS,
  ),
)

for (const fault of [
  'applied_then_throws',
  'applied_then_unknown',
  'partial_then_throws',
  'too_few_outcomes',
] as const) {
  t.test(`P24 adds that happened although the response said otherwise are not made twice (${fault})`, async (t) => {
    const { world, ann, ben } = await pairWorld({ features: { history: { rewatches: true }, watchlist: {} } })
    await using _world = world
    for (const name of ['heat', 'matrix', 'alien']) {
      ann.put(entryOf('watchlist', workNamed(name), 1))
      for (const day of [1, 2])
        ann.put({ ...entryOf('history', workNamed(name), 1), atMs: START_MS - day * 86_400_000 })
    }
    ben.writeFaults.push(fault, fault)
    for (let run = 0; run < 4; run += 1) await world.run()

    t.same(holdings(ben), holdings(ann))
    t.equal(ben.of('history').length, 6, 'exactly one play each')
  })
}

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P25 an item that a person removed from an account is not added there again (${mode})`, async (t) => {
    const clock = { nowMs: START_MS }
    const [ann, ben, cat] = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs })) as [
      FakeAccount,
      FakeAccount,
      FakeAccount,
    ]
    const pairs = [
      pairOf('ANN', 'BEN', { mode, features: { watchlist: {} } }),
      pairOf('ANN', 'CAT', { mode, features: { watchlist: {} } }),
    ]
    await using world = await createWorld([ann, ben, cat], pairs, clock)
    const heat = workNamed('heat')
    ann.put(entryOf('watchlist', heat, 1))
    await world.run()
    await world.run()
    ann.drop('watchlist', heat)

    // One pair at a time, as separate jobs would run them.
    for (let day = 0; day < 8; day += 1) {
      await world.run({ pair_id: pairs[day % 2]!.id })
      world.advance(86_400_000)
    }

    t.same(
      [ann, ben, cat].map((account) => account.has('watchlist', heat)),
      [false, false, false],
      'P45 gone everywhere, and it stays so',
    )
  })
}

t.test('P26 an item that is added again after a removal returns everywhere', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { watchlist: {} } })
  await using _world = world
  const heat = workNamed('heat')
  for (const work of [heat, workNamed('alien')]) ann.put(entryOf('watchlist', work, 1))
  await world.run()
  await world.run()
  ann.drop('watchlist', heat)
  await world.run()
  t.notOk(ben.has('watchlist', heat))
  world.advance(3_600_000)
  ann.put(entryOf('watchlist', heat, 1))

  await world.run()

  t.ok(ben.has('watchlist', heat))
})

t.test('P27 kinds never mix: no write of a film comes from a series, nor the other way round', () =>
  fc.assert(
    fc.asyncProperty(lives({ maxSteps: 4 }), async (life) => {
      const lived = await live(life)
      await using _world = lived.world
      const meant = new Set(lived.deeds.map(({ feature, work }) => `${feature} ${work}`))
      for (const write of lived.runs.flatMap(({ writes }) => writes)) {
        if (write.work === undefined || !meant.has(`${write.feature} ${write.work}`))
          throw new Error(`${write.op} ${write.feature} ${write.key} reached ${write.work}`)
        if (write.item.type !== WORKS.find(({ name }) => name === write.work)!.type)
          throw new Error(`${write.key} is a ${write.item.type}`)
      }
    }),
    RUNS,
  ),
)

t.test("P28 P29 every written value is right, and its time is the person's own", () =>
  fc.assert(
    fc.asyncProperty(lives({ faults: true }), async (life) => {
      const lived = await live(life)
      await using _world = lived.world
      for (const { op, feature, item, work } of lived.runs.flatMap(({ writes }) => writes)) {
        if (op === 'remove') continue
        if (feature === 'ratings' && !(Number.isInteger(item.rating) && item.rating! >= 1 && item.rating! <= 10))
          throw new Error(`rating ${item.rating}`)
        if (feature === 'progress' && !(item.progress_ms! >= 0 && item.progress_ms! <= (item.duration_ms ?? Infinity)))
          throw new Error(`position ${item.progress_ms}`)
        if (item.type === 'episode' && (item.season === undefined || item.episode === undefined))
          throw new Error('an episode without numbers')
        if (feature !== 'history') continue
        const times = lived.deeds
          .filter((deed) => deed.feature === 'history' && deed.work === work)
          .map(({ atMs }) => Math.floor(atMs / 1_000))
        if (!times.includes(Math.floor(Date.parse(item.watched_at!) / 1_000)))
          throw new Error(`watched at ${item.watched_at}, which nobody did`)
      }
    }),
    RUNS,
  ),
)

t.test('P28 specials keep their season, which is 0', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { history: {}, ratings: {} } })
  await using _world = world
  ann.put(entryOf('history', workNamed('thrones-special'), 1))
  ann.put(entryOf('ratings', workNamed('thrones-special'), 8))
  const ran = await world.run()
  t.same(
    ran.writes.map(({ item }) => [item.season, item.episode]),
    [
      [0, 1],
      [0, 1],
    ],
  )
  t.equal(ben.entries.length, 2)
})

t.test('P30 a rating that changed on one side reaches the other, for any times', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: -400, max: 400 }),
      async (side, before, after, hours) => {
        fc.pre(before !== after)
        const { world, ann, ben } = await pairWorld({ features: { ratings: {} } })
        await using _world = world
        const heat = workNamed('heat')
        ann.put(entryOf('ratings', heat, before))
        await world.run()
        await world.run()
        ;[ann, ben][side]!.put({ ...entryOf('ratings', heat, after), atMs: world.nowMs + hours * 3_600_000 })
        await world.run()
        for (const account of [ann, ben])
          if (account.of('ratings')[0]!.rating !== after)
            throw new Error(`${account.id} has ${account.of('ratings')[0]!.rating}`)
      },
    ),
    RUNS,
  ),
)

t.test('P31 of two ratings the newer wins on both sides, and a tie goes to the source', async (t) => {
  for (const [annAt, benAt, winner] of [
    [1, 2, 4],
    [2, 1, 9],
    [1, 1, 9],
  ] as const) {
    const { world, ann, ben } = await pairWorld({ features: { ratings: {} } })
    await using _world = world
    const heat = workNamed('heat')
    ann.put(entryOf('ratings', heat, 7))
    await world.run()
    await world.run()
    const base = world.nowMs
    world.advance(10 * 3_600_000)
    ann.put({ ...entryOf('ratings', heat, 9), atMs: base + annAt * 3_600_000 })
    ben.put({ ...entryOf('ratings', heat, 4), atMs: base + benAt * 3_600_000 })
    await world.run()
    t.same(
      [ann, ben].map((account) => account.of('ratings')[0]!.rating),
      [winner, winner],
    )
  }
})

t.test('P30 a change that was made while the other side did not show our write yet is not lost', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { ratings: {} } })
  await using _world = world
  const heat = workNamed('heat')
  for (const name of ['alien', 'matrix']) ann.put(entryOf('ratings', workNamed(name), 3))
  await world.run()
  await world.run()
  ann.put(entryOf('ratings', heat, 5))
  await world.run()
  t.match(
    ben.of('ratings').find(({ work }) => work.name === 'heat'),
    { rating: 5 },
  )
  ben.lag = 1
  ann.put(entryOf('ratings', heat, 8))
  await world.run()
  ben.lag = 0
  for (let run = 0; run < 2; run += 1) await world.run()
  t.same(
    [ann, ben].map((account) => account.of('ratings').find(({ work }) => work.name === 'heat')?.rating),
    [8, 8],
  )
})

t.test('an item that was kept because removals were off is removed when they are turned on', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { watchlist: { remove: false } } })
  await using _world = world
  for (const name of ['heat', 'alien', 'matrix']) ann.put(entryOf('watchlist', workNamed(name), 1))
  for (let run = 0; run < 2; run += 1) await world.run()
  ann.drop('watchlist', workNamed('heat'))
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.ok((await world.engine.unresolved.list({ runId: 'all' })).items.length > 0, 'it is shown meanwhile')
  world.pairs = [pairOf('ANN', 'BEN', { features: { watchlist: { remove: true } } })]

  for (let run = 0; run < 2; run += 1) await world.run()

  t.notOk(ben.has('watchlist', workNamed('heat')))
  t.equal(ben.of('watchlist').length, 2)
})

t.test('a change by a person at the target of a one-way pair is kept, and does not become a removal', async (t) => {
  const { world, ann, ben } = await pairWorld({ mode: 'one_way', features: { ratings: {} } })
  await using _world = world
  const heat = workNamed('heat')
  for (const name of ['heat', 'alien', 'matrix']) ann.put(entryOf('ratings', workNamed(name), 3))
  for (let run = 0; run < 2; run += 1) await world.run()
  world.advance(3_600_000)
  ben.put(entryOf('ratings', heat, 9))
  for (let run = 0; run < 2; run += 1) await world.run()
  world.advance(3_600_000)
  ann.drop('ratings', heat)
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  t.match(
    ben.of('ratings').find(({ work }) => work.name === 'heat'),
    { rating: 9 },
  )
})

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P32 a position never moves back where the later time is (${mode})`, () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 10 }), async (annAt, benAt) => {
        const { world, ann, ben } = await pairWorld({ mode, features: { progress: {} } })
        await using _world = world
        const heat = workNamed('heat')
        ann.put(entryOf('progress', heat, annAt))
        world.advance(3_600_000)
        ben.put(entryOf('progress', heat, benAt))
        await world.run()
        const ben2 = ben.of('progress')[0]!.positionMs!
        if (ben2 < benAt * 600_000) throw new Error(`from ${benAt * 600_000} back to ${ben2}`)
      }),
      RUNS,
    ),
  )
}

t.test(
  'P33 a position that disappeared because the work was finished does not clear the other side before the play arrived there',
  async (t) => {
    const { world, ann, ben } = await pairWorld({ features: { history: {}, progress: {} } })
    await using _world = world
    const heat = workNamed('heat')
    ann.put(entryOf('progress', heat, 5))
    await world.run()
    await world.run()
    t.ok(ben.has('progress', heat))
    world.advance(3_600_000)
    ann.drop('progress', heat)
    ann.put(entryOf('history', heat, 1))
    ben.writeFault = 'throws'
    await world.run()
    t.ok(ben.has('progress', heat), 'the play did not arrive, so the position stays')
    ben.writeFault = undefined
    await world.run()
    t.ok(ben.has('history', heat))
  },
)

t.test(
  'P33 without history in the pair, a finished title keeps its position, and a cleared one does not',
  async (t) => {
    const { world, ann, ben } = await pairWorld({ features: { progress: {} } })
    await using _world = world
    const [heat, alien, matrix] = ['heat', 'alien', 'matrix'].map(workNamed) as [Work, Work, Work]
    for (const work of [heat, alien, matrix]) ann.put(entryOf('progress', work, 5))
    await world.run()
    await world.run()
    world.advance(3_600_000)
    ann.drop('progress', heat)
    ann.put(entryOf('history', heat, 1))
    ann.drop('progress', alien)
    const reads: string[] = []
    for (let run = 0; run < 4; run += 1) {
      world.advance(3_600_000)
      const before = ann.reads.filter(({ feature }) => feature === 'history').length
      await world.run()
      reads.push(String(ann.reads.filter(({ feature }) => feature === 'history').length - before))
    }
    t.ok(ben.has('progress', heat), 'it was finished')
    t.notOk(ben.has('progress', alien), 'it was cleared')
    t.notOk(ben.has('history', heat), 'the pair syncs no history')
    t.equal(reads.at(-1), '0', 'its history is not read again')
  },
)

t.test('P33 a position stays while the history that would say why it is missing cannot be read', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { progress: {} } })
  await using _world = world
  for (const name of ['heat', 'alien', 'matrix']) ann.put(entryOf('progress', workNamed(name), 5))
  await world.run()
  await world.run()
  ann.drop('progress', workNamed('heat'))
  for (let run = 0; run < 4; run += 1) {
    world.advance(3_600_000)
    ann.readFaults.push(undefined, 'throw')
    await world.run()
  }
  t.ok(ben.has('progress', workNamed('heat')))
  for (let run = 0; run < 3; run += 1) await world.run()
  t.notOk(ben.has('progress', workNamed('heat')), 'it was cleared')
})

t.test(
  'P33 the history of an account is asked a few times for a loss, not in each run, and never that of another account',
  async (t) => {
    const { world, ann, ben } = await pairWorld({ features: { progress: {} } })
    await using _world = world
    const films = WORKS.filter(({ type }) => type === 'movie').slice(0, 4)
    for (const film of films) ann.put(entryOf('progress', film, 5))
    await world.run()
    await world.run()
    // The removal is held, and so is not over.
    world.settings = { ...world.settings, removal_min: 0, removal_ratio: 0 }
    ann.drop('progress', films[0]!)
    const asked = () => ann.reads.filter(({ feature }) => feature === 'history').length
    for (let run = 0; run < 10; run += 1) {
      world.advance(13 * 3_600_000)
      // Without a change nothing is compared.
      ben.put(entryOf('progress', films[3]!, run + 1))
      await world.run()
    }
    t.ok(asked() > 0)
    t.ok(asked() <= 2, `${asked()} times`)
    t.ok(ben.has('progress', films[0]!))

    const { world: other, ann: eve, ben: sam } = await pairWorld({ features: { progress: {} } })
    await using _other = other
    for (const film of films.slice(0, 4)) eve.put(entryOf('progress', film, 5))
    await other.run()
    await other.run()
    eve.drop('progress', films[0]!)
    for (let run = 0; run < 4; run += 1) {
      other.advance(3_600_000)
      eve.readFaults.push(undefined, 'wrong_account')
      await other.run()
    }
    t.ok(sam.has('progress', films[0]!), 'what another account says is no answer')
  },
)

t.test('P34 kinds and ids that a provider does not accept are not sent to it', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { ratings: {}, watchlist: {} } })
  await using _world = world
  ben.support = {
    ratings: { ...FULL_SUPPORT.ratings!, kinds: ['movie'], needsAnyId: ['tvdb'] },
    watchlist: { ...FULL_SUPPORT.watchlist!, add: false, update: false, remove: false },
  }
  for (const work of WORKS) ann.put(entryOf('ratings', work, 5))
  for (const work of WORKS.filter(({ type }) => type !== 'episode')) ann.put(entryOf('watchlist', work, 5))

  const ran = await world.run()

  t.same(
    ran.writes.map(({ feature, work }) => [feature, work]),
    [['ratings', 'matrix']],
    'the one film with a tvdb id',
  )
})

t.test('P35 with additions turned off nothing is added and nothing changed', () =>
  fc.assert(
    fc.asyncProperty(lives({ maxSteps: 4 }), async (life) => {
      const off = { add: false }
      const lived = await live(life, { features: { watchlist: off, history: off, ratings: off, progress: off } })
      await using _world = lived.world
      const wrong = lived.runs.flatMap(({ writes }) => writes).filter(({ op }) => op !== 'remove')
      if (wrong.length > 0) throw new Error(`${wrong.length} writes`)
    }),
    RUNS,
  ),
)

t.test('a chain of pairs syncs an item through in one run', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  await using world = await createWorld(
    accounts,
    [pairOf('ANN', 'BEN', { features: { watchlist: {} } }), pairOf('BEN', 'CAT', { features: { watchlist: {} } })],
    clock,
  )
  for (const work of WORKS.filter(({ type }) => type === 'movie')) accounts[0]!.put(entryOf('watchlist', work, 1))
  await world.run()
  t.same(withIds(holdings(accounts[2]!)), withIds(holdings(accounts[0]!)))
})

t.test('two rows that only share a title are held as ambiguous, not written', async (t) => {
  const { world, ann, ben } = await pairWorld({ features: { watchlist: {} } }, { schemes: [['imdb'], ['tmdb']] })
  await using _world = world
  ann.put(entryOf('watchlist', workNamed('heat'), 1))
  ben.put(entryOf('watchlist', workNamed('heat'), 1))
  const ran = await world.run()
  t.same(ran.writes, [])
  t.ok(
    ran.outcomes.some(({ reason }) => reason === 'ambiguous_identity') ||
      world.feature(ran, 'watchlist').unresolved > 0,
  )
})

t.test('an item that a doubtful read does not show is not watched a second time there', async (t) => {
  const { world, ann, ben } = await pairWorld({ mode: 'two_way', features: { history: {} } })
  await using _world = world
  const played = (name: string, day = 9) => ({
    ...entryOf('history', workNamed(name), 1),
    atMs: START_MS - day * 86_400_000,
  })
  for (const account of [ann, ben]) for (const name of ['heat', 'matrix']) account.put(played(name))
  await world.run()
  await world.run()
  ben.put(played('alien'))
  ann.put(played('alien', 2))
  ben.readFault = 'empty'
  await world.run()
  ben.readFault = undefined
  // Services that store every play would have two plays of it.
  t.same(
    ben.writes.filter(({ work }) => work === workNamed('alien').name),
    [],
    'its read did not say that it has it',
  )
  for (let run = 0; run < 3; run += 1) await world.run()
  t.same(
    ben.writes.filter(({ work }) => work === workNamed('alien').name),
    [],
  )

  ann.put(played('thrones-1-1', 1))
  ben.readFault = 'empty'
  await world.run()
  ben.readFault = undefined
  for (let run = 0; run < 3; run += 1) await world.run()
  t.equal(ben.of('history').length, 4, 'what it lacks is added once it is read again')
})
