// Pairs of an anime service with others, while the mapping data is wrong, is corrected, is off, and returns.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { AnimeMapping, Coordinates, Enriched, Ids, Item } from '@playhead/sdk'
import { FakeAccount, FULL_SUPPORT } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import type { Work } from './world/works.ts'

const COUNT = 6
/** Each is an entry at one account and a show at the other; the last two are seasons of one show. */
const ENTRIES: readonly Work[] = Array.from({ length: COUNT }, (_, n) => ({
  name: `entry ${n}`,
  type: 'show',
  title: `Entry ${n}`,
  year: 2010 + n,
  ids: { anilist: String(100 + n), mal: String(200 + n) },
}))
const SHOWS: readonly Work[] = Array.from({ length: COUNT - 1 }, (_, n) => ({
  name: `show ${n}`,
  type: 'show',
  title: `Show ${n}`,
  year: 2010 + n,
  ids: { tvdb: String(300 + n), tmdb: String(400 + n) },
}))
const OTHER: Work = { name: 'other', type: 'show', title: 'Not anime', year: 2000, ids: { tvdb: '999', tmdb: '998' } }
const showOf = (entry: number) => Math.min(entry, COUNT - 2)

/** Maps entries to shows, as in the data. */
class Mapping implements Pick<AnimeMapping, 'revision' | 'scope' | 'enrich'> {
  links = new Map(ENTRIES.map((_, n) => [100 + n, 300 + showOf(n)]))
  isOn = true
  #revision = 1

  change(links: ReadonlyMap<number, number>): void {
    this.links = new Map(links)
    this.#revision += 1
  }

  async revision() {
    return this.isOn ? `r${this.#revision}` : null
  }

  async scope() {
    return this.isOn
      ? { providers: ['ANI'], features: ['watchlist', 'ratings'] as const }
      : { providers: [], features: [] }
  }

  async enrich(items: readonly Item[]): Promise<readonly Enriched[]> {
    return items.map((item): Enriched => {
      const none = { added: [], replaced: [], shared: [], ambiguous: [], basis: null }
      const { anilist, tvdb } = item.ids
      if (anilist !== undefined) {
        const show = this.links.get(Number(anilist))
        if (show === undefined) return { ...none, ids: item.ids, reason: 'no_mapping' }
        const isShared = [...this.links.values()].filter((one) => one === show).length > 1
        const ids: Ids = { ...item.ids, tvdb: String(show) }
        return { ...none, ids, added: ['tvdb'], shared: isShared ? ['tvdb'] : [], basis: 'anibridge' }
      }
      const entries = [...this.links].filter(([, show]) => String(show) === tvdb)
      if (entries.length === 0) return { ...none, ids: item.ids, reason: 'no_mapping' }
      if (entries.length > 1) return { ...none, ids: item.ids, ambiguous: ['anilist'], reason: 'ambiguous' }
      return { ...none, ids: { ...item.ids, anilist: String(entries[0]![0]) }, added: ['anilist'], basis: 'anibridge' }
    })
  }
}

async function house(mode: 'one_way' | 'two_way', options = {}) {
  const clock = { nowMs: START_MS }
  const now = () => clock.nowMs
  const anime = ['anilist', 'mal']
  const { watchlist } = FULL_SUPPORT
  const ani = new FakeAccount({
    id: 'ANI',
    now,
    schemes: anime,
    knows: anime,
    features: { watchlist: { ...watchlist!, needsAnyId: ['anilist', 'mal'] } },
  })
  const trk = new FakeAccount({ id: 'TRK', now, schemes: ['tvdb', 'tmdb'] })
  const mapping = new Mapping()
  const capabilities = (await featureCapabilities()) as Map<string, object>
  capabilities.set('anime-mapping', mapping)
  const features = { watchlist: { remove: true, ...options } }
  const world = await createWorld([ani, trk], [pairOf('ANI', 'TRK', { mode, features })], clock, [
    ...ENTRIES,
    ...SHOWS,
    OTHER,
  ])
  const names = (account: FakeAccount) =>
    account
      .of('watchlist')
      .map(({ work }) => work.name)
      .sort()
  return { world, ani, trk, mapping, names }
}

t.test('titles that the mapping has are synced in both directions, others are skipped with a reason', async (t) => {
  const { world, ani, trk, names } = await house('two_way')
  await using _world = world
  for (const work of [ENTRIES[0]!, ENTRIES[1]!]) ani.put(entryOf('watchlist', work, 0))
  for (const work of [SHOWS[1]!, SHOWS[2]!, SHOWS[4]!, OTHER]) trk.put(entryOf('watchlist', work, 0))
  await world.run()
  t.same(names(ani), ['entry 0', 'entry 1', 'entry 2'])
  t.same(names(trk), ['other', 'show 0', 'show 1', 'show 2', 'show 4'])
  const open = (await world.engine.unresolved.list({ runId: 'all', accepted: false })).items
  t.same(
    open.map(({ item, reason_code: reason }) => [item.ids.tvdb, reason]).sort(),
    [
      ['304', 'anime_ambiguous'],
      ['999', 'missing_ids'],
    ],
    'a show of several entries, and a show that is no anime',
  )
  const again = await world.run()
  t.same(again.writes, [])
  ani.drop('watchlist', ENTRIES[0]!)
  trk.drop('watchlist', SHOWS[2]!)
  await world.run()
  await world.run()
  t.same(names(ani), ['entry 1'])
  t.same(names(trk), ['other', 'show 1', 'show 4'])
})

t.test('parts of one show: a single entry represents it, several do not', async (t) => {
  const { world, ani, trk, names } = await house('two_way')
  await using _world = world
  ani.put(entryOf('watchlist', ENTRIES[5]!, 0))
  await world.run()
  t.same(names(trk), ['show 4'])
  ani.put(entryOf('watchlist', ENTRIES[4]!, 0))
  await world.run()
  await world.run()
  t.same(names(trk), ['show 4'])
  t.same(names(ani), ['entry 4', 'entry 5'])
})

t.test(
  'titles that wrong data linked are compared again when the data is corrected, and nothing is removed',
  async (t) => {
    const { world, ani, trk, mapping, names } = await house('two_way')
    await using _world = world
    const right = new Map(mapping.links)
    mapping.change(new Map([...right, [100, 301], [101, 300]]))
    ani.put(entryOf('watchlist', ENTRIES[0]!, 0))
    trk.put(entryOf('watchlist', SHOWS[1]!, 0))
    for (let run = 0; run < 3; run += 1) t.same((await world.run()).writes, [])
    mapping.change(right)
    await world.run()
    await world.run()
    t.same(names(ani), ['entry 0', 'entry 1'])
    t.same(names(trk), ['show 0', 'show 1'])
    t.same((await world.run()).writes, [])
    ani.drop('watchlist', ENTRIES[0]!)
    await world.run()
    t.same(names(trk), ['show 1'])
  },
)

t.test('a new mapping applies to rows that were read before, without reading the accounts again', async (t) => {
  const { world, ani, trk, mapping, names } = await house('two_way')
  await using _world = world
  for (const account of [ani, trk]) account.incremental = true
  const right = new Map(mapping.links)
  mapping.change(new Map([...right].filter(([entry]) => entry !== 100)))
  ani.put(entryOf('watchlist', ENTRIES[0]!, 0))
  ani.put(entryOf('watchlist', ENTRIES[1]!, 0))
  for (let run = 0; run < 3; run += 1) await world.run()
  t.same(names(trk), ['show 1'])
  mapping.change(right)
  const before = [ani.reads.length, trk.reads.length] as const
  const { writes } = await world.run()
  t.same(
    writes.map(({ account, op, work }) => [account, op, work]),
    [['TRK', 'add', 'show 0']],
  )
  const [ofAni, ofTrk] = [ani.reads.slice(before[0]), trk.reads.slice(before[1])]
  t.ok(ofAni.length > 0 && ofTrk.length > 0)
  t.ok(
    [...ofAni, ...ofTrk].every(({ since }) => since),
    'only changes were asked for, and there were none',
  )
  t.same(names(trk), ['show 0', 'show 1'])
})

t.test('data that is replaced during a run leaves no permanent link that the new data lacks', async (t) => {
  const { world, ani, trk, mapping, names } = await house('two_way')
  await using _world = world
  const right = new Map(mapping.links)
  const wrong = new Map([...right, [100, 301], [101, 300]])
  mapping.change(wrong)
  for (const work of [ENTRIES[0]!, ENTRIES[2]!]) ani.put(entryOf('watchlist', work, 0))
  for (const work of [SHOWS[1]!, SHOWS[2]!]) trk.put(entryOf('watchlist', work, 0))
  const { enrich } = mapping
  let calls = 0
  mapping.enrich = async (items) => {
    // The rows of one account use the old data, those of the other the new.
    if (++calls === 2) mapping.change(right)
    return Reflect.apply(enrich, mapping, [items])
  }
  for (let run = 0; run < 4; run += 1) await world.run()
  t.ok(calls > 2)
  t.ok(names(ani).includes('entry 0') && names(ani).includes('entry 1'), 'both are what the new data says')
  t.ok(names(trk).includes('show 0') && names(trk).includes('show 1'))
  t.same((await world.run()).writes, [])
  for (const { op } of [...ani.writes, ...trk.writes]) t.not(op, 'remove', 'nothing is removed')
  ani.drop('watchlist', ENTRIES[0]!)
  await world.run()
  await world.run()
  t.notOk(names(trk).includes('show 0'), 'what a person removes goes from the right one')
  t.ok(names(trk).includes('show 1'))
})

t.test(
  'an entry that the service deleted is reported, and written again only when the data names another',
  async (t) => {
    const { world, ani, trk, mapping, names } = await house('one_way')
    await using _world = world
    world.pairs = [{ ...world.pairs[0]!, source: 'TRK', target: 'ANI' }]
    const right = new Map(mapping.links)
    // The data still contains entry 199.
    mapping.change(new Map([...right].map(([entry, show]) => [entry === 103 ? 199 : entry, show])))
    trk.put(entryOf('watchlist', SHOWS[3]!, 0))
    trk.put(entryOf('watchlist', SHOWS[2]!, 0))
    for (let run = 0; run < 3; run += 1) await world.run()
    t.same(names(ani), ['entry 2'], 'nothing is written by its title')
    const open = (await world.engine.unresolved.list({ runId: 'all', accepted: false })).items
    t.match(open, [{ op: 'add', reason_code: 'not_found', item: { ids: { anilist: '199' } } }])
    mapping.change(right)
    for (let run = 0; run < 4; run += 1) await world.run()
    t.same(names(ani), ['entry 2', 'entry 3'])
    t.same((await world.engine.unresolved.list({ runId: 'all', accepted: false })).items, [])
  },
)

/** Episodes of an entry, which is the second season of a show, and the same episodes as aired. */
const OF_ENTRY: readonly Work[] = Array.from({ length: 4 }, (_, n) => ({
  name: `of entry ${n + 1}`,
  type: 'episode',
  title: 'Entry',
  year: 2012,
  ids: {},
  showIds: { mal: '900' },
  season: 1,
  episode: n + 1,
}))
const AIRED: readonly Work[] = OF_ENTRY.map((work, n) => ({
  ...work,
  name: `aired ${n + 1}`,
  title: 'Show',
  showIds: { tvdb: '950', tmdb: '951' },
  season: 2,
}))
/** The data lacks the last one. */
const POSITIONS: Pick<AnimeMapping, 'coordinates'> = {
  coordinates: async (items) =>
    items.map(({ season, episode, show_ids: showIds = {} }): Coordinates => {
      const isEntry = showIds.mal === '900' && season === 1
      const none = { aired: [], entries: [], ambiguous: [], basis: null }
      if (!isEntry && !(showIds.tvdb === '950' && season === 2)) return { ...none, reason: 'no_mapping' }
      if (episode! > 3) return { ...none, reason: 'outside_ranges' }
      return {
        ...none,
        aired: [{ scheme: 'tvdb', id: '950', season: 2, episode: episode! }],
        entries: [{ scheme: 'mal', id: '900', episode: episode! }],
        basis: 'anibridge',
      }
    }),
}

for (const isOn of [true, false])
  t.test(
    `episodes of an entry ${isOn ? 'are plays of the aired ones' : 'stay their own without the option'}`,
    async (t) => {
      const clock = { nowMs: START_MS }
      const now = () => clock.nowMs
      const only = (schemes: readonly string[]) => ({ schemes, knows: schemes, now })
      const ani = new FakeAccount({ id: 'ANI', ...only(['mal']) })
      const trk = new FakeAccount({ id: 'TRK', ...only(['tvdb', 'tmdb']) })
      const mapping = { revision: async () => 'r', scope: async () => ({ providers: ['ANI'], features: ['history'] }) }
      const capabilities = (await featureCapabilities()) as Map<string, object>
      capabilities.set('anime-mapping', { ...mapping, ...POSITIONS, enrich: async () => [] })
      const features = { history: { rewatches: true, remove: true, use_anime_mapping: isOn } }
      await using world = await createWorld([ani, trk], [pairOf('ANI', 'TRK', { mode: 'one_way', features })], clock, [
        ...OF_ENTRY,
        ...AIRED,
      ])
      for (const work of OF_ENTRY) ani.put({ work, feature: 'history', atMs: START_MS - 86_400_000 })
      trk.put({ work: AIRED[0]!, feature: 'history', atMs: START_MS - 86_400_000 })
      await world.run()
      const plays = () => trk.of('history').map(({ work }) => work.name)
      t.same(plays(), isOn ? ['aired 1', 'aired 2', 'aired 3'] : ['aired 1'])
      const open = (await world.engine.unresolved.list({ runId: 'all', accepted: false })).items
      t.same(
        open.map(({ item, reason_code: reason }) => [item.episode, reason]),
        isOn ? [[4, 'anime_outside_ranges']] : [1, 2, 3, 4].map((episode) => [episode, 'missing_ids']),
      )
      t.same((await world.run()).writes, [])
      ani.drop('history', OF_ENTRY[1]!)
      await world.run()
      t.same(plays(), isOn ? ['aired 1', 'aired 3'] : ['aired 1'], 'and are removed with them')
    },
  )

t.test('aired episodes reach an account of entries by the numbers of their entries, in both directions', async (t) => {
  const clock = { nowMs: START_MS }
  const now = () => clock.nowMs
  const only = (schemes: readonly string[]) => ({ schemes, knows: schemes, now })
  const history = { ...FULL_SUPPORT.history!, needsAnyId: ['mal'] as const }
  const ani = new FakeAccount({ id: 'ANI', ...only(['mal']), features: { history } })
  const trk = new FakeAccount({ id: 'TRK', ...only(['tvdb', 'tmdb']) })
  const mapping = { revision: async () => 'r', scope: async () => ({ providers: ['ANI'], features: ['history'] }) }
  const capabilities = (await featureCapabilities()) as Map<string, object>
  capabilities.set('anime-mapping', { ...mapping, ...POSITIONS, enrich: async () => [] })
  const features = { history: { remove: true, use_anime_mapping: true } }
  const works = [...OF_ENTRY, ...AIRED]
  await using world = await createWorld([ani, trk], [pairOf('ANI', 'TRK', { mode: 'two_way', features })], clock, works)
  const atMs = START_MS - 86_400_000
  for (const work of AIRED.slice(0, 2)) trk.put({ work, feature: 'history', atMs })
  ani.put({ work: OF_ENTRY[2]!, feature: 'history', atMs })
  await world.run()
  const plays = (account: FakeAccount) =>
    account
      .of('history')
      .map(({ work }) => work.name)
      .sort()
  t.same(plays(ani), ['of entry 1', 'of entry 2', 'of entry 3'])
  t.same(plays(trk), ['aired 1', 'aired 2', 'aired 3'])
  t.same((await world.run()).writes, [])
  trk.drop('history', AIRED[1]!)
  await world.run()
  t.same(plays(ani), ['of entry 1', 'of entry 3'], 'and are removed with them')
  ani.drop('history', OF_ENTRY[2]!)
  await world.run()
  t.same(plays(trk), ['aired 1'])
})

t.test('a pair that is limited to anime leaves other titles alone', async (t) => {
  const { world, ani, trk, names } = await house('one_way', { anime_only_sync: true })
  await using _world = world
  world.pairs = [{ ...world.pairs[0]!, source: 'TRK', target: 'ANI', id: 'TRK-ANI' }]
  for (const work of [SHOWS[0]!, OTHER]) trk.put(entryOf('watchlist', work, 0))
  const ran = await world.run()
  t.same(names(ani), ['entry 0'])
  t.equal(world.feature(ran, 'watchlist', 'TRK-ANI').unresolved, 0)
})

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('put_ani' as const), n: fc.nat({ max: COUNT - 1 }) }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constant('put_trk' as const), n: fc.nat({ max: COUNT - 2 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('drop_ani' as const), n: fc.nat({ max: COUNT - 1 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('drop_trk' as const), n: fc.nat({ max: COUNT - 2 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constantFrom('wrong', 'right', 'off', 'on'), n: fc.nat({ max: 4 }) }),
    },
    { weight: 6, arbitrary: fc.record({ does: fc.constant('run' as const), n: fc.constant(0) }) },
  ),
  { maxLength: 16 },
)

t.test('for any mapping, only items that a person removed are removed', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('one_way', 'two_way'), steps, async (mode, life) => {
      const { world, ani, trk, mapping } = await house(mode)
      await using _world = world
      const right = new Map(mapping.links)
      /** Entries and shows that were ever matched. */
      const linked = new Set([...right].map(([entry, show]) => `${entry}-${show}`))
      const removed = { ani: new Set<number>(), trk: new Set<number>() }
      // Rows that runs added, with the mapping by which they did: another mapping takes them back.
      const written = new Map<number, ReadonlyMap<number, number>>()
      for (const { does, n } of life) {
        if (does === 'put_ani') {
          ani.put(entryOf('watchlist', ENTRIES[n]!, 0))
          written.delete(100 + n)
        } else if (does === 'put_trk') {
          trk.put(entryOf('watchlist', SHOWS[n]!, 0))
          written.delete(300 + n)
        } else if (does === 'drop_ani') {
          if (ani.drop('watchlist', ENTRIES[n]!)) removed.ani.add(100 + n)
        } else if (does === 'drop_trk') {
          if (trk.drop('watchlist', SHOWS[n]!)) removed.trk.add(300 + n)
        } else if (does === 'wrong') {
          mapping.change(
            new Map([...right].map(([entry, show]) => [entry, 300 + ((show - 300 + n + 1) % (COUNT - 1))])),
          )
          for (const [entry, show] of mapping.links) linked.add(`${entry}-${show}`)
        } else if (does === 'right') mapping.change(right)
        else if (does === 'off' || does === 'on') mapping.isOn = does === 'on'
        else {
          const { writes } = await world.run()
          for (const { account, op, item } of writes) {
            const own = Number(account === 'ANI' ? item.ids.anilist : item.ids.tvdb)
            if (op === 'add') written.set(own, mapping.links)
            if (op !== 'remove' || (written.get(own) ?? mapping.links) !== mapping.links) continue
            const why = account === 'ANI' ? removed.trk : removed.ani
            const isMeant = [...why].some((other) =>
              linked.has(account === 'ANI' ? `${own}-${other}` : `${other}-${own}`),
            )
            if (!isMeant) throw new Error(`${account} lost ${own}, which nobody removed`)
          }
          for (const { op, item, account, work } of writes)
            if (op === 'add' && work === undefined && account === 'TRK')
              throw new Error(`unknown ${JSON.stringify(item)}`)
        }
      }
      mapping.change(right)
      mapping.isOn = true
      // A row that was written by the wrong mapping is taken back, and its absence proven, before the right one is added.
      for (let run = 0; run < 4; run += 1) await world.run()
      const last = await world.run()
      if (last.writes.length > 0) throw new Error('it does not come to rest')
    }),
    { numRuns: runsOf(100) },
  )
  t.pass()
})

/** The first season as aired, with the numbers of the entry, which is the second season. */
const FIRST_SEASON: readonly Work[] = AIRED.map((work, n) => ({ ...work, name: `first ${n + 1}`, season: 1 }))
const playSteps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('put_ani' as const), n: fc.nat({ max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('put_trk' as const), n: fc.nat({ max: 7 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('drop_ani' as const), n: fc.nat({ max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('drop_trk' as const), n: fc.nat({ max: 7 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constantFrom('wrong', 'right', 'off', 'on'), n: fc.nat({ max: 3 }) }),
    },
    { weight: 6, arbitrary: fc.record({ does: fc.constant('run' as const), n: fc.constant(0) }) },
  ),
  { maxLength: 16 },
)

t.test('plays of episodes: for any mapping, only plays that a person removed are removed', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('one_way', 'two_way'), playSteps, async (mode, life) => {
      const clock = { nowMs: START_MS }
      const only = (schemes: readonly string[]) => ({ schemes, knows: schemes, now: () => clock.nowMs })
      const ani = new FakeAccount({ id: 'ANI', ...only(['mal']) })
      const trk = new FakeAccount({ id: 'TRK', ...only(['tvdb', 'tmdb']) })
      const works = [...AIRED, ...FIRST_SEASON]
      const data = { shift: 0, isOn: true, revision: 1 }
      /** Index of an entry's episode in `works`. */
      const placeOf = (n: number) => (n + data.shift) % works.length
      const mapping = {
        revision: async () => (data.isOn ? `r${data.revision}` : null),
        scope: async () =>
          data.isOn ? { providers: ['ANI'], features: ['history'] } : { providers: [], features: [] },
        enrich: async () => [],
        coordinates: async (items: readonly Item[]): Promise<readonly Coordinates[]> =>
          items.map(({ show_ids: showIds = {}, season, episode }) => {
            const n =
              showIds.mal === undefined
                ? OF_ENTRY.findIndex((_, own) => {
                    const work = works[placeOf(own)]!
                    return work.season === season && work.episode === episode
                  })
                : episode! - 1
            const none = { aired: [], entries: [], ambiguous: [], basis: null }
            if (n < 0) return { ...none, reason: 'no_mapping' }
            const work = works[placeOf(n)]!
            return {
              ...none,
              aired: [{ scheme: 'tvdb', id: '950', season: work.season!, episode: work.episode! }],
              entries: [{ scheme: 'mal', id: '900', episode: n + 1 }],
              basis: 'anibridge',
            }
          }),
      }
      const capabilities = (await featureCapabilities()) as Map<string, object>
      capabilities.set('anime-mapping', mapping)
      const features = { history: { rewatches: true, remove: true, use_anime_mapping: true } }
      await using world = await createWorld([ani, trk], [pairOf('ANI', 'TRK', { mode, features })], clock, [
        ...OF_ENTRY,
        ...works,
      ])
      const linked = new Set<string>()
      const removed = { ani: new Set<string>(), trk: new Set<string>() }
      const link = () => OF_ENTRY.forEach((work, n) => linked.add(`${work.name} ${works[placeOf(n)]!.name}`))
      link()
      const put = (account: FakeAccount, work: Work) => {
        if (!account.has('history', work)) account.put({ work, feature: 'history', atMs: START_MS - 86_400_000 })
      }
      for (const { does, n } of life) {
        if (does === 'put_ani') put(ani, OF_ENTRY[n]!)
        else if (does === 'put_trk') put(trk, works[n]!)
        else if (does === 'drop_ani') {
          if (ani.drop('history', OF_ENTRY[n]!)) removed.ani.add(OF_ENTRY[n]!.name)
        } else if (does === 'drop_trk') {
          if (trk.drop('history', works[n]!)) removed.trk.add(works[n]!.name)
        } else if (does === 'wrong' || does === 'right') {
          data.shift = does === 'right' ? 0 : n + 1
          data.revision += 1
          link()
        } else if (does === 'off' || does === 'on') data.isOn = does === 'on'
        else {
          const before = { ani: ani.of('history'), trk: trk.of('history') }
          await world.run()
          for (const [account, other] of [
            ['ani', 'trk'],
            ['trk', 'ani'],
          ] as const) {
            const now = new Set((account === 'ani' ? ani : trk).of('history').map(({ work }) => work.name))
            for (const { work } of before[account]) {
              if (now.has(work.name)) continue
              const isMeant = [...removed[other]].some((name) =>
                linked.has(account === 'ani' ? `${work.name} ${name}` : `${name} ${work.name}`),
              )
              if (!isMeant) throw new Error(`${account} lost ${work.name}, which nobody removed`)
            }
          }
        }
      }
      data.isOn = true
      for (let run = 0; run < 3; run += 1) await world.run()
      const last = await world.run()
      if (last.writes.some(({ stored }) => stored)) throw new Error('it does not come to rest')
    }),
    { numRuns: runsOf(100) },
  )
  t.pass()
})
