// L6: every title that stays different on two sides of a pair is listed once, with a reason that has a text in each language.
// Differences that a setting or a person wants are listed too, but are not problems.
import t from 'tap'
import { isAccepted, isNotInLibrary, reasonLabel, type Feature, type FeatureOptions, type Support } from '@playhead/sdk'
import { listUnresolved, countUnresolved } from '../../../plugins/services/sync/store/unresolved.ts'
import { service as german } from '../../../ui/texts/de/service.ts'
import { type Entry, FakeAccount, FULL_SUPPORT } from '../sync/world/account.ts'
import { createWorld, featureCapabilities, pairOf, START_MS, type World } from '../sync/world/world.ts'
import { workNamed, type Work } from '../sync/world/works.ts'

await featureCapabilities()

const HEAT = workNamed('heat')
const ALIEN = workNamed('alien')
const WIRE = workNamed('wire')
const ANCHORS = ['matrix', 'arrival', 'same-number'].map(workNamed)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Hand {
  readonly world: World
  readonly a: FakeAccount
  readonly b: FakeAccount
  put(at: FakeAccount, work: Work, value?: Partial<Entry>): void
  drop(at: FakeAccount, work: Work): void
  run(times?: number, pauseMs?: number): Promise<void>
  undo(): Promise<void>
  block(instance: 'ANN' | 'BEN', work: Work): Promise<void>
}

interface Case {
  readonly name: string
  readonly feature?: Feature
  readonly mode?: 'one_way'
  readonly options?: Partial<FeatureOptions>
  readonly settings?: object
  readonly support?: object
  readonly isAnchored?: false
  readonly act: (hand: Hand) => Promise<void>
  /** The reasons in the order of titles. */
  readonly listed: readonly string[]
}

const CASES: readonly Case[] = [
  {
    name: 'removals are off',
    options: { remove: false },
    async act({ put, drop, run, a }) {
      put(a, HEAT)
      await run(2)
      drop(a, HEAT)
      await run(2)
    },
    listed: ['removals_off'],
  },
  {
    name: 'adds are off, on both sides',
    options: { add: false },
    async act({ put, run, a, b }) {
      put(a, HEAT)
      put(b, ALIEN)
      await run(2)
    },
    listed: ['adds_off', 'adds_off'],
  },
  {
    name: 'adds are off, and the ratings differ',
    feature: 'ratings',
    options: { add: false },
    async act({ put, run, a, b }) {
      put(a, HEAT, { rating: 3 })
      put(b, HEAT, { rating: 9 })
      await run(2)
    },
    listed: ['adds_off'],
  },
  {
    name: 'only the target of one way has it: the mode leaves it apart',
    mode: 'one_way',
    async act({ put, run, b }) {
      put(b, ALIEN)
      await run(2)
    },
    listed: [],
  },
  {
    name: 'a mirror is not confirmed',
    mode: 'one_way',
    options: { remove_mode: 'mirror' },
    async act({ put, run, b }) {
      put(b, ALIEN)
      await run(2)
    },
    listed: ['mirror_not_confirmed'],
  },
  {
    name: 'the target of one way changed',
    mode: 'one_way',
    feature: 'ratings',
    async act({ put, run, a, b }) {
      put(a, ALIEN, { rating: 3 })
      await run(2)
      put(b, ALIEN, { rating: 9 })
      await run(2)
    },
    listed: ['changed_on_b'],
  },
  {
    name: 'ratings of before the pair, with only later changes: the mode leaves them apart',
    feature: 'ratings',
    options: { mode: 'only_new' },
    async act({ put, run, a, b }) {
      put(a, ALIEN, { rating: 3 })
      put(b, HEAT, { rating: 3 })
      put(a, WIRE, { rating: 3 })
      put(b, WIRE, { rating: 8 })
      await run(3)
    },
    listed: [],
  },
  {
    name: 'a person blocked it',
    async act({ put, run, block, a }) {
      await block('BEN', HEAT)
      put(a, HEAT)
      await run(2)
    },
    listed: ['manual_block'],
  },
  {
    name: 'a run was undone',
    async act({ put, run, undo, a }) {
      await run(2)
      put(a, HEAT)
      await run()
      await undo()
      await run(2)
    },
    listed: ['diverged'],
  },
  {
    name: 'the account takes no changes',
    support: { watchlist: { ...FULL_SUPPORT.watchlist, add: false, remove: false } },
    async act({ put, run, a }) {
      put(a, HEAT)
      await run(2)
    },
    listed: ['read_only'],
  },
  {
    name: 'the account takes no updates',
    feature: 'ratings',
    support: { ratings: { ...FULL_SUPPORT.ratings, update: false } },
    async act({ put, run, a }) {
      put(a, HEAT, { rating: 3 })
      await run(2)
      put(a, HEAT, { rating: 8 })
      await run(2)
    },
    listed: ['read_only'],
  },
  {
    name: 'the account lacks the kind',
    support: { watchlist: { ...FULL_SUPPORT.watchlist, kinds: ['movie'] } },
    async act({ put, run, a }) {
      put(a, WIRE)
      await run(2)
    },
    listed: ['unsupported_type'],
  },
  {
    name: 'many removals are held',
    settings: { removal_min: 0, removal_ratio: 0 },
    async act({ put, drop, run, a }) {
      put(a, HEAT)
      put(a, ALIEN)
      await run(2)
      drop(a, HEAT)
      drop(a, ALIEN)
      await run(2)
    },
    listed: ['held_mass_delete', 'held_mass_delete'],
  },
  {
    name: 'an empty read is held',
    isAnchored: false,
    async act({ put, drop, run, a }) {
      put(a, HEAT)
      await run(2)
      drop(a, HEAT)
      await run()
    },
    listed: ['held_mass_delete'],
  },
  {
    name: 'an absence waits for its proof',
    async act({ put, drop, run, a }) {
      a.tellsListsOnly = true
      put(a, HEAT)
      await run(2)
      drop(a, HEAT)
      await run()
    },
    listed: ['absence_unconfirmed'],
  },
  {
    name: 'the account lacks the title',
    async act({ put, run, a, b }) {
      b.missing.add('heat')
      put(a, HEAT)
      await run(3)
    },
    listed: ['not_found'],
  },
  {
    name: 'it failed so often that it is left alone',
    async act({ put, run, a, b }) {
      b.missing.add('heat')
      put(a, HEAT)
      await run(9)
    },
    listed: ['quarantined'],
  },
  {
    name: 'the service asks to wait',
    async act({ put, run, a, b }) {
      await run()
      b.writeFault = 'rate_limited'
      put(a, HEAT)
      put(a, ALIEN)
      await run()
    },
    listed: ['rate_limited', 'rate_limited'],
  },
  {
    name: 'a title without ids',
    async act({ put, run, a }) {
      put(a, workNamed('nameless'))
      await run(2)
    },
    listed: ['missing_ids'],
  },
  {
    name: 'a write does not show yet',
    async act({ put, run, a, b }) {
      put(a, HEAT)
      b.writeFaults.push('silent_drop')
      await run(2)
    },
    listed: ['write_not_visible_yet'],
  },
  {
    name: 'a write never showed',
    async act({ put, run, a, b }) {
      put(a, HEAT)
      b.writeFault = 'silent_drop'
      await run(4, 13 * HOUR_MS)
    },
    listed: ['write_not_visible'],
  },
  {
    name: 'a play that is still to come',
    feature: 'history',
    async act({ world, put, run, a }) {
      put(a, HEAT, { atMs: world.nowMs + 5 * DAY_MS })
      await run(2)
    },
    listed: ['watched_in_future'],
  },
  {
    name: 'a position near the beginning',
    feature: 'progress',
    async act({ put, run, a }) {
      await run()
      put(a, HEAT, { positionMs: 1_000 })
      await run(2)
    },
    listed: ['below_minimum'],
  },
  {
    name: 'a position that only the target of one way changed',
    feature: 'progress',
    mode: 'one_way',
    async act({ put, run, a, b }) {
      put(a, HEAT, { positionMs: 1_200_000 })
      await run(2)
      put(b, HEAT, { positionMs: 3_600_000 })
      await run(2)
    },
    listed: ['unchanged'],
  },
  {
    name: 'it left the library',
    async act({ put, drop, run, a, b }) {
      put(a, HEAT)
      await run(2)
      b.gone = [HEAT]
      drop(b, HEAT)
      await run(2)
    },
    listed: ['left_library'],
  },
  {
    name: 'the service has another number for it',
    async act({ put, run, a, b }) {
      a.schemes = ['tmdb']
      b.schemes = ['tmdb']
      b.tellsListsOnly = true
      a.tellsListsOnly = true
      put(a, HEAT)
      await run(2)
      a.renumber(HEAT, { tmdb: '900949' })
      await run()
    },
    listed: ['renamed', 'renamed'],
  },
  {
    name: 'the service has another number and year for it',
    async act({ put, run, a }) {
      put(a, HEAT)
      await run(2)
      const work = { ...HEAT, year: 1996, ids: { tmdb: '900949' } }
      a.entries = a.entries.map((entry) => (entry.work === HEAT ? { ...entry, work } : entry))
      await run()
    },
    listed: ['renamed', 'renamed'],
  },
]

function valueIn(account: FakeAccount, feature: Feature, work: string): string | null {
  const entry = account.of(feature).find((one) => one.work.name === work)
  return entry === undefined ? null : String(entry.rating ?? entry.positionMs ?? '')
}

for (const {
  name,
  feature = 'watchlist',
  mode = 'two_way',
  options = {},
  settings = {},
  support = {},
  ...rest
} of CASES)
  t.test(`listed once with its reason: ${name}`, async (t) => {
    const clock = { nowMs: START_MS }
    const [a, b] = ['ANN', 'BEN'].map(
      (id) =>
        new FakeAccount({
          id,
          now: () => clock.nowMs,
          features: { ...FULL_SUPPORT, ...(id === 'BEN' ? support : {}) } as Support,
        }),
    ) as [FakeAccount, FakeAccount]
    await using world = await createWorld(
      [a, b],
      [pairOf('ANN', 'BEN', { mode, features: { [feature]: options } })],
      clock,
    )
    world.settings = { ...world.settings, enable_remove: true, ...settings }
    if (rest.isAnchored !== false)
      for (const work of ANCHORS)
        for (const account of [a, b])
          account.put({ work, feature, atMs: START_MS - 100 * DAY_MS, rating: 4, positionMs: 600_000 })
    let last: Awaited<ReturnType<World['run']>> | undefined
    await rest.act({
      world,
      a,
      b,
      put(at, work, value = {}) {
        world.advance(61_000)
        at.put({ work, feature, ...value })
      },
      drop(at, work) {
        world.advance(61_000)
        at.drop(feature, work)
      },
      async run(times = 1, pauseMs = 0) {
        for (let run = 0; run < times; run += 1) {
          last = await world.run()
          world.advance(pauseMs)
        }
      },
      async undo() {
        const order = { runId: 'undo', settings: world.settings, startedAtMs: world.nowMs, pairs: world.pairs }
        const listener = { event: () => {} }
        await world.engine.undo(order, listener, new AbortController().signal, last!.report.run_id)
      },
      async block(provider, work) {
        await world.policy.change({ provider, instance: 'default', feature }, {
          addBlocks: [`movie:tmdb:${work.ids.tmdb}`],
        } as never)
      },
    })
    const { items } = await listUnresolved(world.db, { runId: 'all' })
    const works = new Set(
      [...a.entries, ...b.entries].filter((entry) => entry.feature === feature).map(({ work }) => work),
    )
    for (const work of works) {
      if (valueIn(a, feature, work.name) === valueIn(b, feature, work.name)) continue
      const own = items.filter(({ item }) => (item.series_title ?? item.title) === work.title)
      t.equal(own.length, rest.listed.length === 0 ? 0 : 1, `${work.name} is listed once`)
    }
    const reasons = items.map(({ reason_code: code }) => code)
    t.same(reasons, rest.listed)
    for (const reason of reasons) {
      t.not(reasonLabel(reason), reason, `${reason} has a text`)
      t.ok(reasonLabel(reason) in german, `${reason} has a German text`)
    }
    // A quarantined row keeps the class of its failure.
    const open = items.filter(
      ({ reason_code: code, quarantined }) => !quarantined && !isAccepted(code) && !isNotInLibrary(code),
    )
    t.equal((await listUnresolved(world.db, { runId: 'all', accepted: false, notInLibrary: false })).total, open.length)
    t.equal(
      (await countUnresolved(world.db)).reduce((sum, { count }) => sum + count, 0),
      open.length,
    )
    t.equal(
      world.feature(last!, feature, world.pairs[0]!.id).unresolved,
      reasons.filter((reason) => !isAccepted(reason)).length,
    )
  })
