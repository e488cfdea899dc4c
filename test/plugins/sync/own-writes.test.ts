// Playhead's own writes are not evidence of a person's action, for any clock of a service. Later actions of a person are.
import t from 'tap'
import type { Feature, Item } from '@playhead/sdk'
import { FakeAccount, FULL_SUPPORT, type Traits } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS, type World } from './world/world.ts'
import { numberedWork, type Work } from './world/works.ts'

await featureCapabilities()

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const works = Array.from({ length: 9 }, (_, index) => numberedWork(index))
const [film, ...rest] = works as [Work, ...Work[]]

/** Assigns times from its own clock, as Plex and Trakt do in some features. */
function stamping(options: ConstructorParameters<typeof FakeAccount>[0], traits: Traits = {}): FakeAccount {
  const account = new FakeAccount(options)
  account.traits = { stamps: true, stampsPlays: true, writeMs: 5_000, ...traits }
  return account
}

interface Home {
  readonly feature: Feature
  readonly mode?: 'one_way' | 'two_way'
  readonly verified?: boolean
  readonly isUndated?: boolean
  readonly isListOnly?: boolean
  readonly traits?: Traits
}

/** ANN, and BEN with its own clock, with some rows that were synced long before. */
async function settled({ feature, mode = 'two_way', verified = false, isUndated, isListOnly, traits }: Home) {
  const clock = { nowMs: START_MS }
  const now = () => clock.nowMs
  const features = verified
    ? Object.fromEntries(Object.entries(FULL_SUPPORT).map(([name, one]) => [name, { ...one, verifyAfterWrite: true }]))
    : FULL_SUPPORT
  const ann = new FakeAccount({ id: 'ANN', now })
  const ben = stamping({ id: 'BEN', now, features }, traits)
  ann.undated = isUndated === true
  ann.tellsListsOnly = ben.tellsListsOnly = isListOnly === true
  const world = await createWorld(
    [ann, ben],
    [pairOf('ANN', 'BEN', { mode, features: { [feature]: {} } })],
    clock,
    works,
  )
  for (const work of rest) ann.put(entryOf(feature, work, 5))
  for (let run = 0; run < 2; run += 1) {
    await world.run()
    world.advance(HOUR_MS)
  }
  return { world, ann, ben }
}

async function untilQuiet(world: World): Promise<void> {
  for (let run = 0; run < 4; run += 1) {
    world.advance(DAY_MS)
    await world.run()
  }
}

const FEW: readonly string[] = ['its own clock', 'five stars']
const SERVICES: Readonly<Record<string, Traits>> = {
  'its own clock': {},
  'a clock ten minutes ahead': { aheadMs: 10 * MINUTE_MS },
  'a clock ten minutes behind': { aheadMs: -10 * MINUTE_MS },
  'days of another time zone': { isDated: true, zoneMs: 10 * HOUR_MS },
  'an answer of two minutes ago': { cacheMs: 2 * MINUTE_MS },
  'five stars': { ratingStep: 2 },
}

for (const feature of ['watchlist', 'ratings', 'progress', 'history'] as const)
  for (const mode of ['two_way', 'one_way'] as const)
    t.test(
      `P98 an item removed before the next run stays removed, and is removed at the other side (${feature}, ${mode})`,
      async (t) => {
        for (const [service, traits] of Object.entries(SERVICES))
          for (const verified of [false, true])
            for (const isListOnly of [verified]) {
              if ((verified || mode === 'one_way') && !FEW.includes(service)) continue
              const isUndated = isListOnly
              const home = await settled({ feature, mode, verified, isListOnly, isUndated, traits })
              await using world = home.world
              const { ann, ben } = home
              const what = `${service}${verified ? ', verified' : ''}${isListOnly ? ', lists only' : ''}`
              ann.put(entryOf(feature, film, 5))
              world.advance(5 * MINUTE_MS)
              await world.run()
              t.ok(ben.has(feature, film), `${what}: copied`)
              world.advance(10 * MINUTE_MS)
              ann.drop(feature, film)
              await untilQuiet(world)
              t.notOk(ann.has(feature, film), `${what}: off`)
              t.notOk(ben.has(feature, film), `${what}: and there too`)
            }
      },
    )

for (const feature of ['watchlist', 'ratings', 'progress'] as const)
  t.test(`P98 a person's action at the other side after the write wins (${feature})`, async (t) => {
    for (const [service, traits] of Object.entries(SERVICES)) {
      // A date alone does not determine the order.
      if (service === 'days of another time zone') continue
      for (const verified of [false, true])
        for (const minutes of [5, 25]) {
          // By this service's clock, the action was before the write.
          if (service === 'a clock ten minutes behind' && minutes === 5) continue
          if (verified && !FEW.includes(service)) continue
          const home = await settled({ feature, verified, traits })
          await using world = home.world
          const { ann, ben } = home
          ann.put(entryOf(feature, film, 5))
          await world.run()
          world.advance(4 * MINUTE_MS)
          ann.drop(feature, film)
          world.advance(minutes * MINUTE_MS)
          ben.drop(feature, film)
          ben.put(entryOf(feature, film, 5))
          await untilQuiet(world)
          for (const one of [ann, ben])
            t.ok(
              one.has(feature, film),
              `${service}${verified ? ', verified' : ''}, ${minutes} minutes later: ${one.id}`,
            )
        }
    }
  })

for (const feature of ['ratings', 'progress'] as const)
  t.test(`P98 a change that was written, and is removed before the next run, stays removed (${feature})`, async (t) => {
    for (const verified of [false, true])
      for (const isListOnly of [false, true]) {
        const home = await settled({ feature, verified, isListOnly })
        await using world = home.world
        const { ann, ben } = home
        const [changed] = rest as [Work]
        ann.put(entryOf(feature, changed, 8))
        await world.run()
        world.advance(10 * MINUTE_MS)
        ann.drop(feature, changed)
        await untilQuiet(world)
        for (const one of [ann, ben]) t.notOk(one.has(feature, changed), `${one.id}${verified} ${isListOnly}`)
      }
  })

for (const rewatches of [false, true])
  t.test(`P98 an already existing time is no later change (${rewatches ? 'by play' : 'by item'})`, async (t) => {
    const clock = { nowMs: START_MS }
    const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
    const [ann, ben, cat] = accounts as [FakeAccount, FakeAccount, FakeAccount]
    const features = { history: { rewatches } }
    const pairs = [pairOf('ANN', 'BEN', { features }), pairOf('BEN', 'CAT', { features })]
    await using world = await createWorld(accounts, pairs, clock, works)
    for (const work of rest) ann.put(entryOf('history', work, 5))
    // Runs never write a future play, so each account has its own.
    for (const one of accounts) one.put({ ...entryOf('history', film, 5), atMs: START_MS + 14 * DAY_MS })
    for (let run = 0; run < 3; run += 1) await world.run()
    for (const one of accounts) t.ok(one.has('history', film))
    ann.drop('history', film)
    for (let run = 0; run < 5; run += 1) {
      world.advance(HOUR_MS)
      await world.run()
    }
    for (const one of [ann, ben, cat]) t.notOk(one.has('history', film), one.id)
  })

t.test('P98 writes of another pair are no evidence either', async (t) => {
  for (const isUndated of [false, true]) {
    const clock = { nowMs: START_MS }
    const now = () => clock.nowMs
    const [ann, ben, cat] = [
      new FakeAccount({ id: 'ANN', now }),
      stamping({ id: 'BEN', now }),
      new FakeAccount({ id: 'CAT', now }),
    ]
    ann.undated = cat.undated = isUndated
    const features = { watchlist: {} }
    const pairs = [pairOf('ANN', 'BEN', { features }), pairOf('CAT', 'BEN', { mode: 'one_way', features })]
    await using world = await createWorld([ann, ben, cat], pairs, clock, works)
    for (const work of works) for (const one of [ann, cat]) one.put(entryOf('watchlist', work, 5))
    for (let run = 0; run < 3; run += 1) {
      await world.run()
      world.advance(HOUR_MS)
    }
    ben.drop('watchlist', film)
    await world.run({ pair_id: 'CAT-BEN' })
    t.ok(ben.has('watchlist', film), 'the other pair brings it back from its source')
    world.advance(10 * MINUTE_MS)
    ann.drop('watchlist', film)
    await untilQuiet(world)
    t.notOk(ann.has('watchlist', film))
    t.notOk(ben.has('watchlist', film))
    t.ok(cat.has('watchlist', film))
  }
})

t.test(
  'P98 an item that an undo, or a change through Playhead, wrote and a run copied is removed with the other side',
  async (t) => {
    const undone = await settled({ feature: 'ratings' })
    await using first = undone.world
    undone.ann.put(entryOf('ratings', rest[0]!, 8))
    const ran = await first.run()
    first.advance(10 * MINUTE_MS)
    const silent = { event() {} }
    const order = { runId: 'undo', pairs: first.pairs, settings: first.settings, startedAtMs: first.nowMs }
    t.match(await first.engine.undo(order, silent, new AbortController().signal, ran.report.run_id), { undone: 1 })
    first.advance(10 * MINUTE_MS)
    undone.ann.drop('ratings', rest[0]!)
    await untilQuiet(first)
    for (const one of [undone.ann, undone.ben]) t.notOk(one.has('ratings', rest[0]!), `undo ${one.id}`)

    const imported = await settled({ feature: 'watchlist' })
    await using second = imported.world
    const item = { type: 'movie', title: film.title, ids: film.ids } as Item
    await second.change({
      provider: 'ANN',
      instance: 'default',
      feature: 'watchlist',
      op: 'add',
      items: [{ key: `movie:tmdb:${film.ids.tmdb}`, item }],
    })
    await second.run()
    t.ok(imported.ben.has('watchlist', film))
    second.advance(10 * MINUTE_MS)
    imported.ann.drop('watchlist', film)
    await untilQuiet(second)
    for (const one of [imported.ann, imported.ben]) t.notOk(one.has('watchlist', film), `import ${one.id}`)
  },
)

for (const feature of ['ratings', 'progress'] as const)
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const)
    t.test(
      `P98 P31 P32 the last action of a person wins in a chain of pairs (${feature}, ${order.join()})`,
      async (t) => {
        const clock = { nowMs: START_MS }
        const now = () => clock.nowMs
        const [ann, ben, cat] = [
          new FakeAccount({ id: 'ANN', now }),
          stamping({ id: 'BEN', now }),
          new FakeAccount({ id: 'CAT', now }),
        ]
        const features = { [feature]: {} }
        const pairs = [pairOf('ANN', 'BEN', { features }), pairOf('BEN', 'CAT', { features })]
        await using world = await createWorld(
          [ann, ben, cat],
          order.map((index) => pairs[index]!),
          clock,
          works,
        )
        for (const work of works) ann.put(entryOf(feature, work, 2))
        for (let run = 0; run < 3; run += 1) {
          await world.run()
          world.advance(HOUR_MS)
        }
        ann.put(entryOf(feature, film, 3))
        world.advance(30 * MINUTE_MS)
        cat.put(entryOf(feature, film, 7))
        world.advance(10 * MINUTE_MS)
        for (let run = 0; run < 4; run += 1) {
          await world.run()
          world.advance(HOUR_MS)
        }
        const shown = (one: FakeAccount) => {
          const { rating, positionMs } = one.of(feature).find(({ work }) => work === film)!
          return rating ?? positionMs
        }
        const { rating, positionMs } = entryOf(feature, film, 7)
        for (const one of [ann, ben, cat]) t.equal(shown(one), rating ?? positionMs, one.id)
      },
    )
