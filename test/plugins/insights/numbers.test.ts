// slow: the whole service, or very many cases
// The numbers equal those of a plain scan of all rows, for any number and distribution, and are computed once. Rows are one
// item as on the page of the library.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { compareItems, type Item, parseTime } from '@playhead/sdk/items'
import { CATALOG } from '@playhead/sdk'
import { openCatalog, scrobble } from '../catalog/world.ts'
import { film, openWorld, part, type Held } from './world.ts'

const ACCOUNTS = ['TRACKA@default', 'TRACKA@TRACKA-P01', 'MEDIAA@default', 'ANIMEA@default'] as const

// Few numbers, so that they collide: a film and a show with one number, films with other ids, contradictions.
const small = fc.integer({ min: 1, max: 5 }).map(String)
const ids = fc.record({ tmdb: small, imdb: small.map((n) => `tt${n}`), tvdb: small }, { requiredKeys: [] })
const time = fc.constantFrom('2026-07-01T20:00:00Z', '2026-07-01T20:04:00Z', '2026-07-02T20:00:00Z', undefined)
const item: fc.Arbitrary<Item> = fc
  .tuple(fc.constantFrom('movie', 'show', 'episode', 'anime'), ids, ids, small, fc.integer({ min: 1, max: 9 }), time)
  .map(([type, own, show, title, rating, at]): Item => {
    const base = {
      title: `T${title}`,
      year: 2000,
      rating,
      ...(at === undefined ? {} : { watched_at: at, rated_at: at, progress_at: at }),
    }
    if (type !== 'episode') return { type: type as 'movie', ids: own, ...base }
    return {
      type: 'episode',
      ids: {},
      show_ids: show,
      series_title: `T${title}`,
      series_year: 2000,
      season: 1,
      episode: Number(title),
      ...base,
    }
  })
const held = fc.tuple(...ACCOUNTS.map(() => fc.array(item, { maxLength: 8 })))

interface Row {
  readonly account: string
  readonly item: Item
}

/** The film, or the show of an episode. */
const workOf = ({ type, show_ids: ids = {}, series_title: title, series_year: year, ...own }: Item): Item =>
  type === 'episode' ? { type: 'show', ids, title, year } : { ...own, type }

/**
 * Groups items by comparing the works of every pair of rows: works that share a token are one title, unless any of them
 * contradicts another. Rows of a title with the same numbers are one item.
 */
function plainScan(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups: Row[][] = rows.map((row) => [row])
  const linked = (a: Row, b: Row) => ['same', 'conflict'].includes(compareItems(workOf(a.item), workOf(b.item)))
  for (let changed = true; changed; ) {
    changed = false
    for (let i = 0; i < groups.length; i += 1) {
      for (let j = groups.length - 1; j > i; j -= 1) {
        if (!groups[i]!.some((a) => groups[j]!.some((b) => linked(a, b)))) continue
        groups[i]!.push(...groups.splice(j, 1)[0]!)
        changed = true
      }
    }
  }
  const titles = groups.flatMap((group) => {
    const facts = group.flatMap(({ item: one }) => Object.entries(workOf(one).ids))
    const isConflict = facts.some(([name, id]) => facts.some(([other, another]) => name === other && id !== another))
    // Contradicting works stay separate; identical ones are still one title.
    return isConflict ? groupedBy(group, (one) => sorted(workOf(one).ids)) : [group]
  })
  return titles.flatMap((group) => groupedBy(group, ({ season, episode }) => [season, episode]))
}

function groupedBy(rows: readonly Row[], of: (item: Item) => unknown): readonly (readonly Row[])[] {
  return [...Map.groupBy(rows, ({ item: one }) => JSON.stringify(of(one))).values()]
}

const sorted = (of: object) => Object.entries(of).sort()

for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const) {
  t.test(`${feature}: the numbers are those of a plain scan`, async (t) => {
    await fc.assert(
      fc.asyncProperty(held, async (lists) => {
        const all: Held = Object.fromEntries(ACCOUNTS.map((name, index) => [name, { [feature]: lists[index]! }]))
        await using world = await openWorld({ held: all })
        const { body } = await world.get('/api/insights')
        const counted = ACCOUNTS.flatMap((account, index) =>
          lists[index]!.filter((one) => feature !== 'history' || parseTime(one.watched_at) !== undefined).map(
            (one) => ({ account, item: one }),
          ),
        )
        const groups = plainScan(counted)
        const holders = groups.map((group) => new Set(group.map(({ account }) => account)))
        const ofProvider = (provider: string) =>
          holders.filter((accounts) => [...accounts].some((account) => account.startsWith(provider))).length
        const shown = body.features[feature]
        const providers = Object.fromEntries(
          ['TRACKA', 'MEDIAA', 'ANIMEA'].map((provider) => [provider, ofProvider(provider)]),
        )
        if (shown.now !== groups.length) throw new Error(`${shown.now} instead of ${groups.length}`)
        assertSame(shown.providers, providers)
        for (const account of ACCOUNTS) {
          const [provider, instance] = account.split('@') as [string, string]
          assertSame(
            shown.providers_instances[provider][instance],
            holders.filter((accounts) => accounts.has(account)).length,
          )
        }
        const kinds = Object.values<number>(feature === 'history' ? shown.breakdown : { now: groups.length })
        assertSame(
          kinds.reduce((sum, count) => sum + count, 0),
          groups.length,
        )
        if (feature !== 'watchlist') return
        const { body: stats } = await world.get('/api/stats')
        assertSame(stats.now, groups.length)
        const of = holders.map((accounts) => new Set([...accounts].map((account) => account.split('@')[0]!)))
        assertSame(stats.by_source.both, of.filter((names) => names.size > 1).length)
        for (const provider of ['TRACKA', 'MEDIAA', 'ANIMEA']) {
          assertSame(
            stats.by_source[provider.toLowerCase()],
            of.filter((names) => names.size === 1 && names.has(provider)).length,
          )
          assertSame(stats.by_source[`${provider.toLowerCase()}_total`], providers[provider])
        }
      }),
      { numRuns: runsOf(60) },
    )
    t.pass('for all inventories')
  })
}

function assertSame(found: unknown, wanted: unknown): void {
  const text = (value: unknown) =>
    JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).sort() : value)
  if (text(found) !== text(wanted)) throw new Error(`${text(found)} instead of ${text(wanted)}`)
}

/** The catalog of the same rows. */
const catalogOf = (held: Held, options?: Parameters<typeof openCatalog>[1]) =>
  openCatalog(
    Object.fromEntries(Object.entries(held).map(([name, { history = [] }]) => [`${name} history`, history])),
    options,
  )

t.test('kinds are counted once each: anime wherever an account marks it, seasons as shows', async (t) => {
  const held: Held = {
    'TRACKA@default': {
      history: [
        film(1, { watched_at: '2026-07-01T20:00:00Z' }),
        film(1, { watched_at: '2026-07-09T20:00:00Z' }),
        part(5, 1, 1, { watched_at: '2026-07-01T20:00:00Z' }),
        part(6, 1, 1, { watched_at: '2026-07-01T20:00:00Z' }),
        { type: 'season', ids: {}, show_ids: { tmdb: '7' }, season: 2, watched_at: '2026-07-01T20:00:00Z' },
        film(9),
      ],
    },
    'ANIMEA@default': {
      history: [part(6, 1, 1, { show_ids: { tmdb: '6', anilist: '60' }, watched_at: '2026-07-01T20:00:00Z' })],
    },
  }
  await using catalog = await catalogOf(held)
  await using world = await openWorld({ held, capabilities: { catalog: catalog.host.capability(CATALOG) } })
  const { body } = await world.get('/api/insights')
  t.strictSame(body.features.history.breakdown, { movies: 1, shows: 1, anime: 1, episodes: 1 })
  t.strictSame(body.features.history.providers_instances_mse, {
    TRACKA: { default: { movies: 1, shows: 1, anime: 1, episodes: 1 } },
    ANIMEA: { default: { movies: 0, shows: 0, anime: 1, episodes: 0 } },
  })
  t.strictSame(
    body.watchtime,
    { movies: 2, shows: 2, minutes: 320, hours: 5.3, days: 0.2, method: 'estimate' },
    'each time of watching takes its time',
  )
})

t.test('an id of any anime service makes an anime, as in the library', async (t) => {
  const held: Held = {
    'TRACKA@default': {
      history: ['mal', 'anilist', 'anidb', 'kitsu'].map((scheme, id) =>
        film(id + 1, { ids: { tmdb: `${id + 1}`, [scheme]: '7' }, watched_at: '2026-07-01T20:00:00Z' }),
      ),
    },
  }
  await using catalog = await catalogOf(held)
  await using world = await openWorld({ held })
  const { body } = await world.get('/api/insights')
  t.strictSame(body.features.history.breakdown, { movies: 0, shows: 0, anime: 4, episodes: 0 })
  t.equal((await catalog.get('library?kind=anime')).body.total, 4)
})

t.test('cached lengths are used where they are requested', async (t) => {
  const at = (day: number) => ({ watched_at: `2026-07-0${day}T20:00:00Z` })
  const held: Held = {
    'TRACKA@default': {
      history: [film(1, at(1)), film(1, at(2)), film(2, at(1)), part(1, 1, 1, at(1)), part(1, 1, 2, at(1))],
    },
  }
  const watchtime = async (lengths: Readonly<Record<string, number>>, query: string) => {
    await using catalog = await catalogOf(held, { lengths })
    await using world = await openWorld({ held, capabilities: { catalog: catalog.host.capability(CATALOG) } })
    return (await world.get(`/api/insights?${query}`)).body.watchtime
  }
  t.match(await watchtime({ 'movie/1': 100 }, 'runtime=0'), { minutes: 3 * 115 + 2 * 45, method: 'estimate' })
  t.match(await watchtime({ 'movie/1': 100 }, 'runtime=1'), {
    movies: 3,
    shows: 2,
    minutes: 200 + 115 + 90,
    method: 'mixed',
  })
  t.match(await watchtime({ 'movie/1': 100, 'movie/2': 60, 'show/1': 50 }, 'runtime=1'), {
    minutes: 360,
    hours: 6,
    method: 'tmdb',
  })
  t.match(await watchtime({}, 'runtime=1'), { minutes: 435, method: 'estimate' })
  await using none = await openWorld({ held })
  t.match((await none.get('/api/insights')).body.watchtime, { movies: 0, minutes: 0, method: 'estimate' })
})

t.test(
  'the plays are those of the statistics, to the play: also a scrobble that no account has shown yet',
  async (t) => {
    const held: Held = {
      'TRACKA@default': {
        history: [
          film(1, { watched_at: '2026-07-01T20:00:00Z' }),
          film(2, { watched_at: '2026-07-02', duration_ms: 90 * 60_000 }),
        ],
      },
      'MEDIAA@default': { history: [film(1, { watched_at: '2026-07-01T20:04:00Z' }), part(5, 1, 1)] },
    }
    const seconds = (time: string) => Date.parse(time) / 1_000
    await using catalog = await catalogOf(held, {
      scrobbles: [
        // The play of the accounts, and one of another day.
        scrobble({ title: 'Film 1', ids: { tmdb: '1' }, watched_at: seconds('2026-07-01T20:50:00Z') }),
        scrobble({ title: 'Film 1', ids: { tmdb: '1' }, watched_at: seconds('2026-07-05T20:00:00Z') }),
      ],
    })
    await using world = await openWorld({ held, capabilities: { catalog: catalog.host.capability(CATALOG) } })
    const { totals } = (await catalog.get('statistics?tz=UTC')).body
    const { watchtime } = (await world.get('/api/insights?runtime=1')).body
    t.match(totals, { plays: 3, movies: 3, episodes: 0, minutes: 2 * 115 + 90 })
    t.strictSame(
      [watchtime.movies, watchtime.shows, watchtime.minutes],
      [totals.movies, totals.episodes, totals.minutes],
    )
  },
)

t.test(
  '100,000 items on two accounts: everything else continues meanwhile, all requests share one scan, and the second time nothing is read',
  async (t) => {
    const many = (name: string): Item[] =>
      Array.from({ length: 50_000 }, (_, index) =>
        index % 2 === 0
          ? film(index, {
              ids: { tmdb: String(index + 1), imdb: `tt${index + 1}` },
              watched_at: new Date(1.7e12 + index * 600_000).toISOString().slice(0, 19) + 'Z',
            })
          : part(Math.floor(index / 20) + 1, 1, (index % 20) + 1, {
              title: `${name} ${index}`,
              watched_at: new Date(1.7e12 + index * 600_000).toISOString().slice(0, 19) + 'Z',
            }),
      )
    await using world = await openWorld({
      held: { 'TRACKA@default': { history: many('A') }, 'MEDIAA@default': { history: many('B') } },
    })
    const answers = await Promise.all([
      world.get('/api/dashboard/widgets?include=history'),
      world.get('/api/insights'),
      world.get('/api/dashboard/widgets?include=history'),
    ])
    t.equal(world.count.rows, 100_000, 'one look for all three')
    t.equal(answers[1].body.features.history.now, 50_000)
    t.equal(answers[0].body.recent_history.total, 50_000)
    t.equal(answers[0].body.recent_history.items[0].sources.length, 2)

    await world.get('/api/dashboard/widgets?include=history')
    t.equal(world.count.rows, 100_000, 'nothing was read again')
    world.readAgain('MEDIAA@default')
    t.equal((await world.get('/api/insights')).body.features.history.now, 50_000)
    t.equal(world.count.rows, 100_000, 'nor what was read anew and is the same')
    world.read('MEDIAA@default', { history: [film(7_777_777, { watched_at: '2026-07-01T20:00:00Z' })] })
    t.equal((await world.get('/api/insights')).body.features.history.now, 50_001)
    t.equal(world.count.rows, 100_001, 'what changed is looked at again')
  },
)

t.test('each of forty accounts is counted', async (t) => {
  const accounts = Array.from({ length: 40 }, (_, index) => `TRACKA@TRACKA-P${index}`)
  const held: Held = Object.fromEntries(
    accounts.map((name, index) => [name, { watchlist: [film(1), ...(index % 31 === 1 ? [film(2)] : [])] }]),
  )
  await using world = await openWorld({ held })
  const { body } = await world.get('/api/insights')
  t.match(body.features.watchlist, { now: 2, providers: { TRACKA: 2 } })
  t.strictSame(
    body.features.watchlist.providers_instances.TRACKA,
    Object.fromEntries(
      accounts.map((name, index) => [name.slice('TRACKA@'.length), index === 1 || index === 32 ? 2 : 1]),
    ),
  )
})

t.test('rows that are replaced during the scan are scanned, too', async (t) => {
  const held: Held = { 'TRACKA@default': { watchlist: [film(1), film(2)] } }
  let changes = 1
  await using world = await openWorld({
    held,
    onPage: () => {
      if (changes-- > 0) world.read('TRACKA@default', { watchlist: [film(1), film(2), film(3)] })
    },
  })
  t.equal((await world.get('/api/stats')).body.now, 3)
})

t.test('a failed scan is not cached', async (t) => {
  let isBroken = true
  await using world = await openWorld({
    held: { 'TRACKA@default': { watchlist: [film(1)] } },
    onPage: () => {
      if (isBroken) throw new Error('the database is busy')
    },
  })
  t.equal((await world.get('/api/stats')).status, 500)
  isBroken = false
  t.equal((await world.get('/api/stats')).body.now, 1)
})

t.test('the tracker is counted live, and missing accounts are not counted', async (t) => {
  await using world = await openWorld({
    held: { 'TRACKA@default': { watchlist: [film(1)] } },
    tracker: { watchlist: [film(1), film(2)] },
  })
  t.match((await world.get('/api/stats')).body, {
    now: 2,
    by_source: { tracka: 0, tracka_total: 1, svc: 1, svc_total: 2, both: 1 },
  })
  world.changeTracker('watchlist', [film(2)])
  t.match((await world.get('/api/stats')).body, { now: 2, by_source: { svc: 1, both: 0 } })
})

t.test('without accounts, a sync engine or anything else there are zeros and no failures', async (t) => {
  await using world = await openWorld({ without: ['sync', 'watchlist'] })
  t.match((await world.get('/api/stats')).body, {
    ok: true,
    now: 0,
    week: 0,
    month: 0,
    added: 0,
    by_source: { both: 0 },
  })
  const { status, body } = await world.get('/api/insights')
  t.equal(status, 200)
  t.match(body, { now: 0, history: [], events: [], providers: {}, svc_snapshots: { _profiles: [] } })
  t.match((await world.get('/api/stats/raw')).body, {
    events: [],
    samples: [],
    current: {},
    counters: { added: 0, removed: 0 },
  })
  t.match((await world.get('/api/state/wall')).body, { ok: true, items: [], total: 0 })
  t.match((await world.get('/api/dashboard/widgets')).body, {
    recent_history: { ok: true, items: [] },
    recent_scrobble: { scrobble_total: 0 },
  })
})
