// slow: the whole service, or very many cases
// The manual policy of an account in random lives: adds that appear at the account by themselves or are removed, blocks in
// every notation, profiles, dry runs.
import assert from 'node:assert/strict'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature, Item } from '@playhead/sdk'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { FakeAccount } from '../sync/world/account.ts'
import { begin, entryOf, type Life, NAMES, supports } from '../sync/world/scenario.ts'
import { createWorld, pairOf, type Ran, START_MS, type World } from '../sync/world/world.ts'
import { toItem, type Work, workNamed, WORKS } from '../sync/world/works.ts'
import { settled } from './support.ts'

const RUNS = { numRuns: runsOf(20) }
const HOUR_MS = 3_600_000
const KNOWN = WORKS.filter(({ ids, showIds }) => Object.keys({ ...ids, ...showIds }).length > 0)
const FEATURES_OF = ['watchlist', 'history', 'ratings', 'progress'] as const

type Mode = 'one_way' | 'two_way'

const scopeOf = (provider: string, feature: Feature, instance = 'default') => ({ provider, instance, feature })

/** An add in the format of the editor. */
function addOf(feature: Feature, work: Work, value: number, atMs: number): Record<string, unknown> {
  const at = new Date(atMs).toISOString()
  return {
    ...toItem(work, ['tmdb', 'imdb', 'tvdb']),
    note: 'kept, though nothing reads it',
    ...(feature === 'history' ? { watched: true, watched_at: at } : {}),
    ...(feature === 'ratings' ? { rating: value } : {}),
    ...(feature === 'progress'
      ? { progress_ms: value * 600_000, duration_ms: 7_200_000, progress_at: new Date(atMs).toISOString() }
      : {}),
  }
}

async function setAdd(world: World, provider: string, feature: Feature, work: Work, value = 5): Promise<void> {
  await world.policy.change(scopeOf(provider, feature), { setAdds: [addOf(feature, work, value, world.nowMs)] })
}

async function withdraw(world: World, provider: string, feature: Feature, work: Work): Promise<void> {
  const scope = scopeOf(provider, feature)
  const keys: string[] = []
  for await (const page of world.policy.adds(scope))
    keys.push(...page.filter(({ item }) => isOf(item, work)).map(({ key }) => key))
  await world.policy.change(scope, { removeAdds: keys })
}

function isOf(item: Item, work: Work): boolean {
  const own = toItem(work, ['tmdb', 'imdb', 'tvdb'])
  return (
    item.type === own.type &&
    item.season === own.season &&
    item.episode === own.episode &&
    JSON.stringify(sortedIds(item.ids)) === JSON.stringify(sortedIds(own.ids))
  )
}

const sortedIds = (ids: Item['ids']) => Object.entries(ids).toSorted()

/** Every notation of a work. */
function spellings(work: Work): string[] {
  const part = work.type === 'episode' ? `#s${two(work.season!)}e${two(work.episode!)}` : ''
  const ids = Object.entries(work.showIds ?? work.ids).filter(([scheme]) => ['tmdb', 'imdb', 'tvdb'].includes(scheme))
  const kind = work.type === 'episode' ? 'show' : work.type
  return [
    ...ids.flatMap(([scheme, id]) => [`${scheme}:${id}${part}`, `${kind}:${scheme}:${id}${part}`]),
    ...(work.type === 'episode'
      ? Object.entries(work.ids).map(([scheme, id]) => `${scheme}:${id}`)
      : [
          `title:${work.title.toLowerCase()}|year:${work.year}`,
          `${kind}|title:${work.title.toLowerCase()}|year:${work.year}`,
        ]),
  ]
}

const refute = (value: boolean, message: string) => assert.ok(!value, message)
const two = (number: number) => String(number).padStart(2, '0')
const inSomeCase = (text: string, value: number) =>
  value % 3 === 0
    ? text
    : value % 3 === 1
      ? text.toUpperCase()
      : text.replace(/\b\w/g, (letter) => letter.toUpperCase())

const planned = async (world: World, { report }: Ran, feature: Feature) => {
  const id = report.pairs[0]?.features.find((each) => each.feature === feature)?.plan_id
  return id == null ? [] : (await world.engine.plans.items(id, { limit: 1_000 })).items
}
const lifeWith = (start: Life['start'], seed = 1): Life => ({ accounts: 2, seed, incremental: false, start, steps: [] })
const action = fc.record({
  account: fc.nat({ max: 1 }),
  feature: fc.constant<Feature>('watchlist'),
  work: fc.nat({ max: WORKS.length - 1 }),
  op: fc.constant<'put'>('put'),
  value: fc.integer({ min: 1, max: 10 }),
})

for (const feature of FEATURES_OF)
  t.test(`property 27: an add is planned exactly once, removing it ends that, and so does a block (${feature})`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 10 }),
        fc.constantFrom<Mode>('one_way', 'two_way'),
        fc.nat({ max: KNOWN.length - 1 }),
        fc.integer({ min: 1, max: 10 }),
        async (start, mode, index, value) => {
          const work = KNOWN[index]!
          fc.pre(supports(feature, work))
          const lived = await begin(lifeWith(start.map((each) => ({ ...each, feature }))), {
            mode,
            features: { [feature]: {} },
          })
          await using world = lived.world
          for (const account of world.accounts)
            account.entries = account.entries.filter((entry) => entry.work.name !== work.name)
          for (let run = 0; run < 2; run += 1) await world.run()
          const ofWork = async () =>
            (await planned(world, await world.run({ dry_run: true }), feature)).filter(({ item }) => isOf(item, work))
          assert.deepEqual(await ofWork(), [])

          await setAdd(world, 'ANN', feature, work, value)
          const ops = await ofWork()
          assert.deepEqual(
            ops.map(({ side, op, state }) => [side, op, state]),
            [['b', 'add', 'ready']],
          )

          const blocking = mode === 'one_way' ? 'ANN' : 'BEN'
          const texts = spellings(work)
          const text = inSomeCase(texts[value % texts.length]!, value)
          await world.policy.change(scopeOf(blocking, feature), { blocks: [text] })
          assert.deepEqual(
            (await ofWork()).map(({ state, reason }) => [state, reason]),
            [['filtered', 'manual_block']],
            text,
          )
          await world.policy.change(scopeOf(blocking, feature), { removeBlocks: [text.toLowerCase()] })
          assert.equal((await ofWork()).length, 1)

          await withdraw(world, 'ANN', feature, work)
          assert.deepEqual(await ofWork(), [])
          assert.deepEqual((await world.run()).writes, [])
        },
      ),
      RUNS,
    ),
  )

t.test('property 27: an add of an item that the other side has with another id is no second item', async (t) => {
  const { world, ann, ben } = await settled({ count: 5 })
  await using _world = world
  const heat = workNamed('heat')
  ben.schemes = ['imdb']
  ben.put(entryOf('watchlist', heat, 1))
  await world.policy.change(scopeOf('ANN', 'watchlist'), { setAdds: [{ type: 'movie', ids: heat.ids }] })
  t.same((await world.run()).writes, [], 'both have it')
  t.notOk(ann.has('watchlist', heat), 'the account itself was not touched')
})

t.test(
  'property 27: a block removes matching adds and removals from the plan of a two-way pair, and no updates',
  async (t) => {
    const { world, ann, ben, films } = await settled({ count: 12, features: { ratings: {} } })
    await using _world = world
    await world.policy.change(scopeOf('BEN', 'ratings'), {
      blocks: [`TITLE:${films[0]!.title}|YEAR:${films[0]!.year}`, `imdb:${films[1]!.ids.imdb}`, 'tmdb:949'],
    })
    ann.drop('ratings', films[0]!)
    ann.put(entryOf('ratings', films[1]!, 9))
    ann.put(entryOf('ratings', workNamed('heat'), 8))
    for (let run = 0; run < 3; run += 1) await world.run()
    t.ok(ben.has('ratings', films[0]!))
    t.equal(ben.of('ratings').find(({ work }) => work === films[1])?.rating, 9)
    t.notOk(ben.has('ratings', workNamed('heat')))
  },
)

t.test("property 27: the source's blocks of a one-way pair stop updates too", async (t) => {
  const { world, ann, ben, films } = await settled({ count: 12, mode: 'one_way', features: { ratings: {} } })
  await using _world = world
  await world.policy.change(scopeOf('ANN', 'ratings'), { blocks: [`imdb:${films[1]!.ids.imdb}`] })
  ann.put(entryOf('ratings', films[1]!, 9))
  await world.run()
  t.equal(ben.of('ratings').find(({ work }) => work === films[1])?.rating, 5)
})

t.test('property 26: the policy of another profile, provider or feature changes nothing', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 2, maxLength: 10 }),
      fc.constantFrom<Mode>('one_way', 'two_way'),
      fc.array(
        fc.record({
          scope: fc.constantFrom(
            scopeOf('ANN', 'watchlist', 'ANN-P02'),
            scopeOf('BEN', 'watchlist', 'BEN-P02'),
            scopeOf('CAT', 'watchlist'),
            scopeOf('ANN', 'ratings'),
            scopeOf('BEN', 'playlists'),
          ),
          work: fc.constantFrom(...KNOWN),
          value: fc.nat({ max: 20 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (start, mode, policies) => {
        const lives = await Promise.all([0, 1].map(() => begin(lifeWith(start), { mode, features: { watchlist: {} } })))
        const [plain, other] = lives.map(({ world }) => world) as [World, World]
        await using _plain = plain
        await using _other = other
        for (const { scope, work, value } of policies)
          await other.policy.change(scope, {
            addBlocks: [inSomeCase(spellings(work)[0]!, value)],
            setAdds: [addOf(scope.feature, work, 5, START_MS)],
          })
        for (let run = 0; run < 3; run += 1)
          assert.deepEqual(
            (await other.run()).writes.map(({ account, op, work }) => [account, op, work]),
            (await plain.run()).writes.map(({ account, op, work }) => [account, op, work]),
          )
      },
    ),
    RUNS,
  ),
)

t.test('property 26: the policy of a named profile applies to that profile alone', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [ann, ben] = accounts as [FakeAccount, FakeAccount]
  await settled({ count: 0, runs: 0 })
  ben.instance = 'BEN-P02'
  const pair = pairOf('ANN', 'BEN', { target_instance: 'BEN-P02', features: { watchlist: {} } })
  await using world = await createWorld(accounts, [pair], clock)
  for (const name of ['heat', 'alien', 'arrival']) ann.put(entryOf('watchlist', workNamed(name), 1))
  await world.policy.change(scopeOf('BEN', 'watchlist'), { blocks: ['tmdb:949'] })
  await world.policy.change(scopeOf('BEN', 'watchlist', 'BEN-P02'), { blocks: ['TMDB:348'] })
  await world.run()
  t.same(
    ben
      .of('watchlist')
      .map(({ work }) => work.name)
      .toSorted(),
    ['arrival', 'heat'],
  )
})

type Act =
  | {
      readonly do: 'put' | 'drop' | 'add' | 'withdraw'
      readonly account: number
      readonly work: number
      readonly value: number
    }
  | { readonly do: 'block' | 'unblock'; readonly account: number; readonly work: number; readonly value: number }

const act = fc.record({
  do: fc.constantFrom<Act['do']>('put', 'put', 'drop', 'add', 'add', 'add', 'withdraw', 'withdraw', 'block', 'unblock'),
  account: fc.nat({ max: 1 }),
  work: fc.nat({ max: KNOWN.length - 1 }),
  value: fc.integer({ min: 1, max: 10 }),
}) as fc.Arbitrary<Act>

for (const feature of FEATURES_OF)
  for (const plays of feature === 'history' ? [false, true] : [false])
    t.test(`27 lives with adds and blocks (${feature}${plays ? ', each play' : ''})`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom<Mode>('one_way', 'two_way'),
          fc.boolean(),
          fc.array(fc.array(act, { maxLength: 6 }), { minLength: 2, maxLength: 7 }),
          async (mode, incremental, steps) => {
            const lived = await begin(
              { ...lifeWith([]), incremental },
              { mode, features: { [feature]: plays ? { rewatches: true } : {} } },
            )
            await using world = lived.world
            // Accounts with many other items, so that no guard and no plausibility check applies.
            for (const account of world.accounts)
              for (const work of WORKS) if (work.name === 'nameless') account.put(entryOf(feature, work, 3))
            const dropped = new Set<string>()
            const adds = new Map<string, Work>()
            const blocks = new Map<string, string>()
            const name = (account: number, work: Work) => `${NAMES[account]} ${work.name}`

            for (const step of steps) {
              for (const { do: what, account, work: index, value } of step) {
                const work = KNOWN[index]!
                if (!supports(feature, work)) continue
                const provider = NAMES[account]!
                world.advance(HOUR_MS)
                if (what === 'put') world.accounts[account]!.put(entryOf(feature, work, value))
                else if (what === 'drop') {
                  if (world.accounts[account]!.drop(feature, work)) dropped.add(work.name)
                } else if (what === 'add') {
                  await setAdd(world, provider, feature, work, value)
                  adds.set(name(account, work), work)
                } else if (what === 'withdraw') {
                  await withdraw(world, provider, feature, work)
                  adds.delete(name(account, work))
                } else if (what === 'block') {
                  const texts = spellings(work)
                  const text = inSomeCase(texts[value % texts.length]!, value)
                  await world.policy.change(scopeOf(provider, feature), { addBlocks: [text] })
                  blocks.set(name(account, work), text)
                } else {
                  const text = blocks.get(name(account, work))
                  blocks.delete(name(account, work))
                  if (text !== undefined)
                    await world.policy.change(scopeOf(provider, feature), { removeBlocks: [text] })
                }
              }
              for (let run = 0; run < 2; run += 1) {
                const before = new Map(world.accounts.map((one) => [one.id, one.entries]))
                const ran = await world.run()
                assert.notEqual(ran.report.result, 'failed')
                for (const { account, op, work } of ran.writes) {
                  const at = NAMES.indexOf(account as (typeof NAMES)[number])
                  const what = `${op} ${work} at ${account}`
                  if (!plays) refute(adds.has(`${account} ${work}`), `${what}: the account has it by hand`)
                  if (op !== 'update') refute(blocks.has(`${account} ${work}`), `${what}: blocked there`)
                  if (mode === 'one_way') refute(blocks.has(`ANN ${work}`), `${what}: blocked at the source`)
                  if (mode === 'one_way') assert.equal(at, 1)
                  if (op === 'remove') assert.ok(dropped.has(work!), `${what}: nobody removed it`)
                  if (op === 'add') {
                    const somewhere =
                      [...before.values()].some((entries) => entries.some((entry) => entry.work.name === work)) ||
                      [...adds.values()].some((one) => one.name === work)
                    assert.ok(somewhere, `${what}: nobody has it`)
                  }
                }
                await inventoriesHoldRowsAlone(world, feature, plays)
              }
            }
            // Manual adds that were never removed or blocked reach the other side.
            for (let run = 0; run < 3; run += 1) await world.run()
            for (const [at, work] of adds) {
              const from = at.startsWith('ANN ') ? 0 : 1
              const twins = KNOWN.filter((one) => spellings(one).some((text) => spellings(work).includes(text)))
              if ((mode === 'one_way' && from === 1) || dropped.has(work.name)) continue
              if (twins.some((one) => blocks.has(name(0, one)) || blocks.has(name(1, one)))) continue
              const there = world.accounts[1 - from]!.has(feature, work) || adds.has(name(1 - from, work))
              assert.ok(there, `${work.name} of ${at}`)
            }
            // No write follows by itself.
            assert.deepEqual((await world.run()).writes, [])
          },
        ),
        RUNS,
      ),
    )

async function inventoriesHoldRowsAlone(world: World, feature: Feature, plays: boolean): Promise<void> {
  if (plays) return
  const holdings = createHoldings(world.db)
  for (const account of world.accounts) {
    const names: string[] = []
    for await (const page of holdings.rows(account.id, 'default', feature))
      names.push(...page.map(({ item }) => WORKS.find((work) => isSame(item, work))!.name))
    const held = new Set(account.of(feature).map(({ work }) => work.name))
    assert.deepEqual(names.toSorted(), [...held].toSorted(), `the inventory of ${account.id}`)
  }
}

function isSame(item: Item, work: Work): boolean {
  return (
    item.type === work.type &&
    (item.title ?? item.series_title) === work.title &&
    (work.type === 'episode' ? item.season === work.season && item.episode === work.episode : item.year === work.year)
  )
}

t.test('a removed add removes nothing, even if a mirror was confirmed', async (t) => {
  const { world, ben } = await settled({ count: 5, mode: 'one_way' })
  await using _world = world
  world.settings = { ...world.settings, one_way_remove_mode: 'mirror' }
  await world.run({ pair_id: 'ANN-BEN', confirm_mirror: true })
  const heat = workNamed('heat')
  await setAdd(world, 'ANN', 'watchlist', heat)
  await world.run()
  t.ok(ben.has('watchlist', heat))
  await world.run()
  await withdraw(world, 'ANN', 'watchlist', heat)
  for (let run = 0; run < 4; run += 1) {
    world.advance(24 * HOUR_MS)
    t.same((await world.run()).writes, [])
  }
  t.ok(ben.has('watchlist', heat))
})

t.test(
  'an add that appears at the account by itself becomes a row of it: a later removal reaches the other side',
  async (t) => {
    const { world, ann, ben } = await settled({ count: 20 })
    await using _world = world
    const heat = workNamed('heat')
    await setAdd(world, 'ANN', 'watchlist', heat)
    for (let run = 0; run < 2; run += 1) await world.run()
    ann.put(entryOf('watchlist', heat, 1))
    for (let run = 0; run < 2; run += 1) await world.run()
    await withdraw(world, 'ANN', 'watchlist', heat)
    for (let run = 0; run < 2; run += 1) await world.run()
    ann.drop('watchlist', heat)
    for (let run = 0; run < 3; run += 1) await world.run()
    t.notOk(ben.has('watchlist', heat))
  },
)

t.test('a removal at the other side stays, and the account with the add is not changed', async (t) => {
  const { world, ann, ben } = await settled({ count: 20 })
  await using _world = world
  const heat = workNamed('heat')
  await setAdd(world, 'ANN', 'watchlist', heat)
  for (let run = 0; run < 2; run += 1) await world.run()
  ben.drop('watchlist', heat)
  for (let run = 0; run < 4; run += 1) t.same((await world.run()).writes, [])
  t.notOk(ann.has('watchlist', heat))
  t.notOk(ben.has('watchlist', heat))
})

t.test('an undone add stays undone', async (t) => {
  for (const mode of ['one_way', 'two_way'] as const) {
    const { world, ben } = await settled({ count: 20, mode })
    await using _world = world
    const heat = workNamed('heat')
    await setAdd(world, 'ANN', 'watchlist', heat)
    const ran = await world.run()
    t.ok(ben.has('watchlist', heat))
    await world.engine.undo(
      { runId: 'undo-1', pairs: world.pairs, settings: world.settings, startedAtMs: world.nowMs } as never,
      { event: () => {} },
      new AbortController().signal,
      ran.report.run_id,
    )
    t.notOk(ben.has('watchlist', heat), mode)
    for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [], mode)
  }
})

t.test('adds do not make an emptied account look full', async (t) => {
  const { world, ann, ben } = await settled({ count: 60 })
  await using _world = world
  for (const name of ['heat', 'alien', 'arrival']) await setAdd(world, 'ANN', 'watchlist', workNamed(name))
  for (let run = 0; run < 2; run += 1) await world.run()
  ann.readFault = 'empty'
  for (let run = 0; run < 4; run += 1) t.same((await world.run()).writes, [])
  t.equal(ben.of('watchlist').length, 63)
})

t.test('many simultaneously removed adds do not look like an emptied account', async (t) => {
  const { world, ann, ben, films } = await settled({ count: 20 })
  await using _world = world
  const scope = scopeOf('ANN', 'watchlist')
  await world.policy.change(scope, {
    adds: Array.from({ length: 90 }, (_, index) => ({
      type: 'movie',
      title: `Added ${index}`,
      year: 2000,
      ids: { tmdb: String(500_000 + index) },
    })),
  })
  for (let run = 0; run < 2; run += 1) await world.run()
  await world.policy.change(scope, { adds: [] })
  ann.drop('watchlist', films[0]!)
  for (let run = 0; run < 3; run += 1) await world.run()
  t.notOk(ben.has('watchlist', films[0]!), "the person's own removal is carried out")
})

t.test('a changed policy makes an unchanged pair run, and blocked items sync when the block is removed', async (t) => {
  const { world, ann, ben } = await settled({ count: 5, runs: 4 })
  await using _world = world
  const heat = workNamed('heat')
  await world.policy.change(scopeOf('BEN', 'watchlist'), { blocks: ['IMDB:TT0113277'] })
  ann.put(entryOf('watchlist', heat, 1))
  for (let run = 0; run < 3; run += 1) await world.run()
  t.notOk(ben.has('watchlist', heat))
  await world.policy.change(scopeOf('BEN', 'watchlist'), { blocks: [] })
  await world.run()
  t.ok(ben.has('watchlist', heat))
})

t.test('a write that was pending when its item was blocked completes as usual', async (t) => {
  const { world, ann, ben } = await settled({ count: 20 })
  await using _world = world
  const heat = workNamed('heat')
  world.settings = { ...world.settings, verify_after_write: false }
  ann.put(entryOf('watchlist', heat, 1))
  await world.run()
  // The service does not show it yet.
  ben.lag = 1
  await world.policy.change(scopeOf('BEN', 'watchlist'), { blocks: ['tmdb:949'] })
  t.same((await world.run()).writes, [])
  ben.lag = 0
  for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
  ann.drop('watchlist', heat)
  for (let run = 0; run < 4; run += 1) t.same((await world.run()).writes, [])
  t.ok(ben.has('watchlist', heat))
})

t.test('a play that was added by hand, and that the account also has, is one play', async (t) => {
  const { world, ann, ben } = await settled({ count: 5, features: { history: { rewatches: true } } })
  await using _world = world
  const heat = workNamed('heat')
  ann.put({ ...entryOf('history', heat, 1), atMs: START_MS - HOUR_MS })
  for (const atMs of [START_MS - HOUR_MS, START_MS - 30 * HOUR_MS])
    await world.policy.change(scopeOf('ANN', 'history'), { setAdds: [addOf('history', heat, 1, atMs)] })
  for (let run = 0; run < 3; run += 1) await world.run()
  t.same(
    ben
      .of('history')
      .filter(({ work }) => work === heat)
      .map(({ atMs }) => atMs)
      .toSorted(),
    [START_MS - 30 * HOUR_MS, START_MS - HOUR_MS],
  )
})

t.test('an add of an item that another add already brought to the account is sent like any other', async (t) => {
  const { world, ann, ben } = await settled({ count: 20 })
  await using _world = world
  const heat = workNamed('heat')
  await setAdd(world, 'ANN', 'watchlist', heat)
  for (let run = 0; run < 2; run += 1) await world.run()
  await withdraw(world, 'ANN', 'watchlist', heat)
  for (let run = 0; run < 2; run += 1) t.same((await world.run()).writes, [], 'both sides stay as they are')
  await setAdd(world, 'BEN', 'watchlist', heat)
  await world.run()
  t.ok(ann.has('watchlist', heat))
  t.ok(ben.has('watchlist', heat))
})
