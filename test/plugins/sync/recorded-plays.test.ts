// Plays that a scrobble recorded at a tracker: media servers store their own time of the same play.
import fc, { runsOf, stepOf } from '../../fast-check.ts'
import t, { type Test } from 'tap'
import type { FeatureOptions, Item } from '@playhead/sdk'
import { FakeAccount, FULL_SUPPORT } from './world/account.ts'
import './world/scenario.ts'
import { toItem, type Work, workNamed } from './world/works.ts'
import { Crash, createWorld, featureCapabilities, pairOf, type Ran, START_MS, type World } from './world/world.ts'

await featureCapabilities()

/** Of the statements at which a run is killed. */
const { step: STEP, first: FIRST } = stepOf(5)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const HEAT = workNamed('heat')
const EPISODE = workNamed('thrones-1-1')
const PLEX = 'ANN'
const TRAKT = 'BEN'
const THIRD = 'CAT'

type Mode = 'one_way' | 'two_way'

interface Setting {
  readonly mode?: Mode
  readonly history?: Partial<FeatureOptions>
  readonly accounts?: readonly string[]
  readonly pairs?: readonly (readonly [string, string])[]
  readonly prepare?: (accounts: readonly FakeAccount[]) => void
}

async function household({
  mode = 'two_way',
  history = { rewatches: true },
  accounts: names = [PLEX, TRAKT],
  pairs = [[PLEX, TRAKT]],
  prepare,
}: Setting = {}) {
  const clock = { nowMs: START_MS }
  const accounts = names.map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  prepare?.(accounts)
  const world = await createWorld(
    accounts,
    pairs.map(([from, to]) => pairOf(from, to, { mode, features: { history } })),
    clock,
  )
  return world
}

/** A viewing: the server stores its own time of it. */
function watch(world: World, atMs: number, work: Work = HEAT, server = PLEX): void {
  world.account(server).put({ work, feature: 'history', atMs })
}

interface Scrobble {
  readonly storedMs: number
  readonly startMs: number
  readonly endMs: number
  readonly work?: Work
  readonly tracker?: string
  /** The tracker does not return the time that it stored. */
  readonly silent?: boolean
  /** The tracker has no row of it. */
  readonly lost?: boolean
  readonly item?: Item
}

async function scrobble(
  world: World,
  { storedMs, startMs, endMs, work = HEAT, tracker = TRAKT, silent = false, lost = false, item }: Scrobble,
): Promise<void> {
  if (!lost) world.account(tracker).put({ work, feature: 'history', atMs: storedMs })
  await world.engine.recordPlays([
    {
      provider: tracker,
      instance: 'default',
      item: item ?? toItem(work, ['imdb', 'tmdb', 'tvdb']),
      watchedAtMs: silent ? null : storedMs,
      startedAtMs: startMs,
      endedAtMs: endMs,
    },
  ])
}

/** The session has started, or its scrobble waits. */
async function expectPlay(
  world: World,
  { startMs, endMs, untilMs, work = HEAT }: Pick<Scrobble, 'startMs' | 'endMs' | 'work'> & { readonly untilMs: number },
): Promise<void> {
  const item = toItem(work, ['imdb', 'tmdb', 'tvdb'])
  const account = { provider: TRAKT, instance: 'default' }
  await world.engine.expectPlays([{ ...account, item, startedAtMs: startMs, endedAtMs: endMs, untilMs }])
}

const timesOf = (world: World, id: string, work: Work = HEAT) =>
  world
    .account(id)
    .of('history')
    .filter((entry) => entry.work === work)
    .map(({ atMs }) => atMs)
    .toSorted((x, y) => x - y)

const written = ({ writes }: Ran) => writes.map(({ account, op, key }) => `${account} ${op} ${key}`)

/** Runs several times and expects no writes. */
async function isCalm(test: Test, world: World, runs = 3): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const ran = await world.run()
    test.same(written(ran), [], `run ${run + 1} writes nothing`)
    const [report] = ran.report.pairs[0]!.features
    if (run > 0) test.equal(report!.planned, 0, `run ${run + 1} plans nothing`)
    world.advance(HOUR)
  }
}

const START = START_MS - 6 * HOUR
const END = START + 2 * HOUR
const AT_90 = START + 108 * MINUTE

for (const mode of ['one_way', 'two_way'] as const) {
  for (const [what, serverMs] of [
    ['at 90 %', AT_90],
    ['at its start', START],
    ['a minute after its end', END + MINUTE],
  ] as const) {
    for (const [when, storedMs] of [
      ['at the end', END + 5_000],
      ['hours later', END + 3 * HOUR],
    ] as const) {
      t.test(`P94 a play that the server stores ${what} and the tracker ${when} stays one (${mode})`, async (t) => {
        await using world = await household({ mode })
        watch(world, serverMs)
        await scrobble(world, { storedMs, startMs: START, endMs: END })
        await isCalm(t, world)
        await world.restart()
        await isCalm(t, world)
        // The base has both times, so the recorded play is no longer needed.
        world.advance(410 * DAY)
        await isCalm(t, world)
        t.same(await world.db.selectFrom('sync__recorded').select('id').execute(), [])
        t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[serverMs], [storedMs]])
      })
    }
  }

  t.test(`without a recorded play the times are two plays (${mode})`, async (t) => {
    await using world = await household({ mode })
    watch(world, AT_90)
    world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END })
    await world.run()
    t.same(timesOf(world, TRAKT), [AT_90, END])
  })

  t.test(
    `P94 a tracker that does not return its stored time has the row between start and end (${mode})`,
    async (t) => {
      await using world = await household({ mode })
      watch(world, START)
      await scrobble(world, { storedMs: END + 8 * MINUTE, startMs: START, endMs: END, silent: true })
      await isCalm(t, world)
      t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[START], [END + 8 * MINUTE]])
    },
  )

  for (const [when, laterMs] of [
    ['two hours later', 2 * HOUR],
    ['right after', 2 * HOUR + 30_000 - (END - START)],
    ['the next day', DAY],
  ] as const) {
    t.test(`P94 a rewatch ${when} is a separate play, scrobbled or not (${mode})`, async (t) => {
      for (const isScrobbled of [true, false]) {
        await using world = await household({ mode })
        const again = END + laterMs
        // The server stores the start, which is close to the end of the previous play.
        watch(world, START)
        watch(world, again)
        await scrobble(world, { storedMs: END + 5_000, startMs: START, endMs: END })
        if (isScrobbled) {
          const endMs = again + 2 * HOUR
          await scrobble(world, { storedMs: endMs + 5_000, startMs: again, endMs })
          await isCalm(t, world)
          t.same(timesOf(world, TRAKT), [END + 5_000, endMs + 5_000])
        } else {
          t.match((await world.run()).writes, [{ account: TRAKT, op: 'add' }], 'the second one is added')
          await isCalm(t, world)
          t.same(
            timesOf(world, TRAKT),
            [END + 5_000, again].toSorted((x, y) => x - y),
          )
        }
        t.same(timesOf(world, PLEX), [START, again])
      }
    })
  }

  t.test(
    `P94 a play that the run does not show yet is not added, and is linked when it is visible (${mode})`,
    async (t) => {
      await using world = await household({ mode })
      watch(world, AT_90)
      await scrobble(world, { storedMs: END, startMs: START, endMs: END, lost: true })
      await isCalm(t, world)
      world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END })
      await isCalm(t, world)
      t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[AT_90], [END]])
    },
  )

  t.test(
    `P94 a play that the person removed at the tracker before a run saw it stays removed, permanently (${mode})`,
    async (t) => {
      await using world = await household({ mode })
      watch(world, AT_90)
      await scrobble(world, { storedMs: END, startMs: START, endMs: END })
      world.account(TRAKT).drop('history', HEAT)
      await isCalm(t, world)
      world.advance(410 * DAY)
      await isCalm(t, world)
      t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[AT_90], []])
      watch(world, world.nowMs)
      await world.run()
      t.equal(timesOf(world, TRAKT).length, 1, 'a new play is added')
    },
  )

  t.test(`P94 a play that is recorded after a run added it twice breaks nothing (${mode})`, async (t) => {
    await using world = await household({ mode })
    watch(world, AT_90)
    world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END })
    for (let run = 0; run < 3; run += 1) await world.run()
    const before = [timesOf(world, PLEX), timesOf(world, TRAKT)]
    await scrobble(world, { storedMs: END, startMs: START, endMs: END, lost: true })
    await isCalm(t, world)
    t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], before)
  })

  t.test(`P94 a second pair does not spread a duplicate play (${mode})`, async (t) => {
    await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD], pairs: [[TRAKT, THIRD]] })
    world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: AT_90 })
    await scrobble(world, { storedMs: END, startMs: START, endMs: END })
    for (let run = 0; run < 3; run += 1) await world.run()
    t.same(timesOf(world, THIRD), [END], 'the row that was recorded stands for the play')
    await isCalm(t, world)
  })

  t.test(`P94 the play is one at a third account that has it from the server (${mode})`, async (t) => {
    await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD], pairs: [[PLEX, THIRD]] })
    watch(world, AT_90)
    await world.run()
    t.same(timesOf(world, THIRD), [AT_90])
    world.pairs.push(pairOf(THIRD, TRAKT, { mode, features: { history: { rewatches: true } } }))
    await scrobble(world, { storedMs: END + 2 * HOUR, startMs: START, endMs: END })
    await isCalm(t, world)
    t.same([timesOf(world, THIRD), timesOf(world, TRAKT)], [[AT_90], [END + 2 * HOUR]])
  })

  t.test(`P94 the play is one at a third account that has it from the tracker (${mode})`, async (t) => {
    await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD], pairs: [[TRAKT, THIRD]] })
    watch(world, AT_90)
    await scrobble(world, { storedMs: END + 2 * HOUR, startMs: START, endMs: END })
    await world.run()
    t.same(timesOf(world, THIRD), [END + 2 * HOUR])
    world.pairs.push(pairOf(PLEX, THIRD, { mode, features: { history: { rewatches: true } } }))
    await isCalm(t, world)
    t.same([timesOf(world, PLEX), timesOf(world, THIRD)], [[AT_90], [END + 2 * HOUR]])
  })

  t.test(`P94 a run that is killed after it copied the play leaves one at a third account (${mode})`, async (t) => {
    for (let statements = FIRST; ; statements += STEP) {
      await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD], pairs: [[TRAKT, THIRD]] })
      watch(world, AT_90)
      await world.run()
      await scrobble(world, { storedMs: END + 2 * HOUR, startMs: START, endMs: END })
      world.crashAfter(statements)
      const ran = await world.run().catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
      await world.restart()
      world.pairs.push(pairOf(PLEX, THIRD, { mode, features: { history: { rewatches: true } } }))
      for (let run = 0; run < 3; run += 1) await world.run()
      const found = [timesOf(world, PLEX), timesOf(world, THIRD)]
      t.same(found, [[AT_90], [END + 2 * HOUR]], `killed after ${statements} statements`)
      if (ran?.report.result === 'ok') break
    }
  })

  t.test(`P94 two trackers that were both scrobbled have one play each (${mode})`, async (t) => {
    await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD], pairs: [[TRAKT, THIRD]] })
    await scrobble(world, { storedMs: END + 5_000, startMs: START, endMs: END, work: EPISODE })
    await scrobble(world, {
      storedMs: END + 5 * HOUR,
      startMs: START + 2_000,
      endMs: END - 2_000,
      work: EPISODE,
      tracker: THIRD,
    })
    await isCalm(t, world)
    t.same([timesOf(world, TRAKT, EPISODE), timesOf(world, THIRD, EPISODE)], [[END + 5_000], [END + 5 * HOUR]])
  })

  for (const rewatches of [true, false]) {
    const how = `${mode}, ${rewatches ? 'by play' : 'by item'}`
    t.test(`P94 a run during playback, or while its scrobble waits, does not add the play (${how})`, async (t) => {
      await using world = await household({ mode, history: { rewatches } })
      // An estimate of the end, which pauses make too early.
      await expectPlay(world, { startMs: START, endMs: END - 5 * MINUTE, untilMs: world.nowMs + DAY })
      watch(world, AT_90)
      for (let run = 0; run < 3; run += 1) t.same(written(await world.run()), [])
      await scrobble(world, { storedMs: world.nowMs, startMs: START, endMs: END })
      await isCalm(t, world)
      await expectPlay(world, { startMs: START, endMs: END, untilMs: world.nowMs + DAY })
      await expectPlay(world, { startMs: START, endMs: END, untilMs: 0 })
      await isCalm(t, world)
      t.match(await world.db.selectFrom('sync__recorded').select('expected_until').execute(), [
        { expected_until: null },
      ])
      t.same([timesOf(world, PLEX).length, timesOf(world, TRAKT).length], [1, 1])
    })

    for (const end of ['is withdrawn', 'expires'] as const)
      t.test(`P94 an expectation that ${end} holds nothing back (${how})`, async (t) => {
        await using world = await household({ mode, history: { rewatches } })
        await expectPlay(world, { startMs: START, endMs: END, untilMs: world.nowMs + DAY })
        watch(world, AT_90)
        for (let run = 0; run < 3; run += 1) t.same(written(await world.run()), [])
        if (end === 'expires') world.advance(DAY)
        else await expectPlay(world, { startMs: START, endMs: END, untilMs: 0 })
        t.match((await world.run()).writes, [{ account: TRAKT, op: 'add' }])
        await isCalm(t, world)
        t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[AT_90], [AT_90]])
        t.same(await world.db.selectFrom('sync__recorded').select('id').execute(), [])
      })
  }

  t.test(`P94 by item, the other time of a recorded play is not newer (${mode})`, async (t) => {
    const history = { update_watched_at: true }
    const prepare = (accounts: readonly FakeAccount[]) => {
      for (const account of accounts)
        account.support = { ...FULL_SUPPORT, history: { ...FULL_SUPPORT.history!, update: true } }
    }
    for (const isRecorded of [true, false]) {
      await using world = await household({ mode, history, prepare })
      // Both have the item from long ago, so a newer time is from after the last run.
      const before = START - 30 * DAY
      for (const id of [PLEX, TRAKT]) world.account(id).put({ work: HEAT, feature: 'history', atMs: before })
      for (let run = 0; run < 2; run += 1) await world.run()
      watch(world, AT_90)
      if (isRecorded) await scrobble(world, { storedMs: END + 3 * HOUR, startMs: START, endMs: END })
      else world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END + 3 * HOUR })
      const wrote = written(await world.run())
      if (isRecorded) {
        t.same(wrote, [])
        await isCalm(t, world)
      } else if (mode === 'two_way') t.match(wrote, [/^ANN update /], 'else it is newer')
    }
  })

  t.test(`P94 by item, a play that was recorded is not added with the server's time (${mode})`, async (t) => {
    await using world = await household({ mode, history: {} })
    watch(world, AT_90)
    await scrobble(world, { storedMs: END, startMs: START, endMs: END, lost: true })
    await isCalm(t, world)
    world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END })
    await isCalm(t, world)
    t.equal(timesOf(world, TRAKT).length, 1)
  })

  t.test(`P94 plays recorded at another person's tracker change nothing (${mode})`, async (t) => {
    await using world = await household({ mode, accounts: [PLEX, TRAKT, THIRD] })
    watch(world, AT_90)
    await scrobble(world, { storedMs: END, startMs: START, endMs: END, tracker: THIRD })
    t.match((await world.run()).writes, [{ account: TRAKT, op: 'add' }])
    await isCalm(t, world)
    t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[AT_90], [AT_90]])
  })

  t.test(`P94 a recorded play is removed and restored like any other (${mode})`, async (t) => {
    await using world = await household({ mode })
    world.account(PLEX).put({ work: workNamed('alien'), feature: 'history', atMs: START - DAY })
    watch(world, AT_90)
    await scrobble(world, { storedMs: END + HOUR, startMs: START, endMs: END })
    for (let run = 0; run < 3; run += 1) await world.run()
    world.account(PLEX).hidden.add('heat')
    for (let run = 0; run < 3; run += 1) await world.run()
    t.same(timesOf(world, TRAKT), [], 'what is gone from the server is removed')
    world.account(PLEX).hidden.clear()
    world.advance(DAY)
    for (let run = 0; run < 3; run += 1) await world.run()
    t.same(timesOf(world, TRAKT), [AT_90], 'and is added with its own time when it is back')
  })
}

t.test('P94 a removal of a recorded play through the tool stays', async (t) => {
  await using world = await household()
  watch(world, AT_90)
  await scrobble(world, { storedMs: END, startMs: START, endMs: END })
  const [row] = world.account(TRAKT).of('history')
  const item = {
    ...toItem(HEAT, ['imdb', 'tmdb']),
    watched_at: new Date(END).toISOString(),
    native: { event_id: row!.eventId! },
  }
  await world.change({
    provider: TRAKT,
    instance: 'default',
    feature: 'history',
    plays: true,
    op: 'remove',
    items: [{ key: 'heat', item, current: item }],
  })
  t.same(timesOf(world, TRAKT), [])
  world.advance(40 * DAY)
  await isCalm(t, world)
  t.same([timesOf(world, PLEX), timesOf(world, TRAKT)], [[AT_90], []])
})

t.test('P94 an unchanged proof does not hide a play that is recorded later', async (t) => {
  await using world = await household({ mode: 'one_way', history: { rewatches: true, add: false } })
  watch(world, AT_90)
  world.account(TRAKT).put({ work: HEAT, feature: 'history', atMs: END })
  for (let run = 0; run < 3; run += 1) await world.run()
  t.equal((await world.db.selectFrom('sync__rest').select('rest').execute()).length, 1)
  await scrobble(world, { storedMs: END, startMs: START, endMs: END, lost: true })
  await world.run()
  const bases = await world.db.selectFrom('sync__base').select('state').execute()
  t.ok(
    bases.some(({ state }) => Object.keys(JSON.parse(String(state))).join() === 'a,b'),
    'the rows are linked',
  )
  await world.run()
  const asked = t.capture(world.db, 'selectFrom', world.db.selectFrom)
  await world.run()
  t.notOk(
    asked().some(({ args }) => args[0] === 'sync__base'),
    'and the pair is unchanged again',
  )
})

t.test('P94 a play may be recorded again, and a repetition changes no stored data', async (t) => {
  await using world = await household()
  const play = { storedMs: END, startMs: START, endMs: END, lost: true }
  const rows = () => world.db.selectFrom('sync__recorded').selectAll().execute()
  await scrobble(world, { ...play, silent: true })
  await scrobble(world, { ...play, endMs: END - MINUTE })
  const [row, ...others] = await rows()
  t.same(others, [])
  t.match(row, { watched_at: END, started_at: START, ended_at: END })
  await Promise.all([scrobble(world, play), scrobble(world, { ...play, silent: true })])
  t.same(await rows(), [row])
  // Other ids of the same episode, and another episode of the show.
  await scrobble(world, { ...play, work: EPISODE })
  await scrobble(world, { ...play, work: workNamed('thrones-1-2') })
  await scrobble(world, { ...play, item: toItem(EPISODE, ['imdb']) })
  t.equal((await rows()).length, 3)
  await scrobble(world, { ...play, item: { type: 'movie', title: 'Heat', year: 1995, ids: {} } })
  t.equal((await rows()).length, 3, 'a title alone names nothing')
})

t.test('P94 invalid plays are refused, and nothing is stored', async (t) => {
  await using world = await household()
  const play = {
    provider: TRAKT,
    instance: 'default',
    item: toItem(HEAT, ['imdb']),
    watchedAtMs: END,
    startedAtMs: START,
    endedAtMs: END,
  }
  await t.rejects(world.engine.recordPlays([play, { ...play, provider: 'ZOE' }]), { code: 'PLH_NOT_FOUND' })
  await t.rejects(world.engine.recordPlays([play, { ...play, endedAtMs: Number.NaN }]), { code: 'PLH_INVALID' })
  await t.rejects(world.engine.recordPlays([{ ...play, watchedAtMs: 0.5 }]), { code: 'PLH_INVALID' })
  t.same(await world.db.selectFrom('sync__recorded').selectAll().execute(), [])
  await world.engine.recordPlays([{ ...play, startedAtMs: 0 }])
  const [row] = await world.db.selectFrom('sync__recorded').selectAll().execute()
  t.equal(row!['started_at'], END - 2 * DAY, 'a span does not reach over years')
})

t.test('P94 a profile that reaches another account later does not inherit its recorded plays', async (t) => {
  await using world = await household({ mode: 'one_way' })
  await world.run()
  await scrobble(world, { storedMs: END, startMs: START, endMs: END })
  const tracker = world.account(TRAKT)
  tracker.identity = 'ben-server/other'
  tracker.entries = []
  watch(world, AT_90)
  for (let run = 0; run < 3; run += 1) await world.run()
  t.same(timesOf(world, TRAKT), [AT_90])
})

interface Viewing {
  readonly work: number
  /** Minutes since the end of the previous viewing. */
  readonly pause: number
  readonly length: number
  /** Percent of the length. */
  readonly serverAt: number
  /** Minutes after the end; null: it was not scrobbled. */
  readonly storedAfter: number | null
  readonly silent: boolean
  readonly runBetween: boolean
  readonly runAfter: boolean
}

const viewing = fc.record<Viewing>({
  work: fc.nat({ max: 1 }),
  pause: fc.oneof(fc.integer({ min: 3, max: 30 }), fc.integer({ min: 60, max: 3_000 })),
  length: fc.integer({ min: 20, max: 180 }),
  serverAt: fc.constantFrom(0, 0, 90, 100),
  storedAfter: fc.oneof(fc.constant(null), fc.constantFrom(0, 1), fc.integer({ min: 5, max: 600 })),
  silent: fc.boolean(),
  runBetween: fc.boolean(),
  runAfter: fc.boolean(),
})

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P94 in random lives every viewing is one play at both accounts (${mode})`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(viewing, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (viewings, incremental) => {
          await using world = await household({
            mode,
            prepare: (accounts) => {
              for (const account of accounts) account.incremental = incremental
            },
          })
          const works = [HEAT, EPISODE]
          const deliveries: { readonly atMs: number; readonly act: () => Promise<void> }[] = []
          const deliver = async () => {
            for (const one of deliveries.toSorted((x, y) => x.atMs - y.atMs)) {
              if (one.atMs > world.nowMs) continue
              deliveries.splice(deliveries.indexOf(one), 1)
              await one.act()
            }
          }
          for (const { work: at, pause, length, serverAt, storedAfter, silent, runBetween, runAfter } of viewings) {
            const work = works[at]!
            world.advance(pause * MINUTE)
            await deliver()
            const startMs = Math.floor(world.nowMs / 1_000) * 1_000
            const endMs = startMs + length * MINUTE
            if (storedAfter !== null) await expectPlay(world, { work, startMs, endMs, untilMs: endMs + 24 * HOUR })
            // The server may show the play before it ends.
            const serverMs = startMs + Math.floor((length * serverAt) / 100) * MINUTE
            const early = serverAt === 90 ? endMs - serverMs : 0
            world.advance(length * MINUTE - early)
            watch(world, serverMs, work)
            if (runBetween) await world.run()
            world.nowMs = Math.max(world.nowMs, endMs)
            await deliver()
            // Not at a full minute, so that no other play has the same second.
            const storedMs = endMs + (storedAfter ?? 0) * MINUTE + 37_000
            // The time of a late delivery is known only if the tracker returns it.
            const isSilent = silent && (storedAfter ?? 0) <= 1
            if (storedAfter !== null)
              deliveries.push({
                atMs: storedMs,
                act: () => scrobble(world, { work, storedMs, startMs, endMs, silent: isSilent }),
              })
            await deliver()
            if (runAfter) await world.run()
          }
          world.advance(12 * HOUR)
          await deliver()
          for (let run = 0; run < 3; run += 1) await world.run()
          for (const work of works) {
            const wanted = viewings.filter((each) => works[each.work] === work).length
            for (const id of [PLEX, TRAKT]) {
              const has = timesOf(world, id, work).length
              if (has !== wanted) throw new Error(`${id} has ${has} plays of ${work.name}, not ${wanted}`)
            }
          }
          const again = await world.run()
          if (again.writes.length > 0) throw new Error(written(again).join('\n'))
        },
      ),
      { numRuns: runsOf(60) },
    ),
  )
}
