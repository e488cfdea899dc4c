// An index that followed all changes answers as one that was made at their end.
import { CATALOG, type Item } from '@playhead/sdk'
import { sql } from 'kysely'
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import work from '../../../plugins/services/catalog/index-thread/thread.ts'
import { migrations } from '../../../plugins/services/catalog/tables.ts'
import { film, openCatalog, part, scrobble } from './world.ts'

const NAMES = [
  'PLEX@default history',
  'TRAKT@default history',
  'TRAKT@default ratings',
  'SIMKL@default watchlist',
  'SVC@default history',
] as const

/** Ids that link works, contradict each other, or name an episode alone. */
const item = fc.oneof(
  fc
    .record({
      tmdb: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      imdb: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      title: fc.constantFrom('Heat', 'Alien'),
      hour: fc.integer({ min: 0, max: 60 }),
    })
    .map(({ tmdb, imdb, title, hour }): Item => {
      const ids = {
        ...(tmdb === undefined ? {} : { tmdb: `${tmdb}` }),
        ...(imdb === undefined ? {} : { imdb: `tt${imdb}` }),
      }
      // Of works with ids, the first title is shown, whichever row it was of.
      const isNamed = tmdb === undefined && imdb === undefined
      return { ...film(1, { ids, title: isNamed ? title : 'Heat', year: 1995 }), ...timesOf(hour) }
    }),
  fc
    .record({
      show: fc.integer({ min: 1, max: 2 }),
      own: fc.integer({ min: 0, max: 3 }),
      hour: fc.integer({ min: 0, max: 60 }),
    })
    .map(
      ({ show, own, hour }): Item => ({
        ...part(show, 1, own, own === 0 ? {} : { ids: { tvdb: String(10 * show + own) } }),
        ...timesOf(hour),
      }),
    ),
  fc
    .record({ own: fc.constantFrom('11', '12', '21', '99'), hour: fc.integer({ min: 0, max: 60 }) })
    .map(({ own, hour }): Item => ({ type: 'episode', ids: { tvdb: own }, ...timesOf(hour) })),
)

function timesOf(hour: number): Partial<Item> {
  const text = new Date(Date.UTC(2026, 0, 1, hour)).toISOString().replace('.000Z', 'Z')
  return { watched_at: text, rated_at: text, added_at: text, rating: (hour % 10) + 1 }
}

const rows = fc.array(item, { maxLength: 6 })
const change = fc.record({
  name: fc.constantFrom(...NAMES),
  rows: fc.option(rows, { freq: 6 }),
  isScrobbled: fc.boolean(),
})

type World = Awaited<ReturnType<typeof openCatalog>>

/** Numbers behind keys depend on which title came first. */
const plainKey = (key: string) => key.replace(/~\d+/, '')

function textOfPlay({ key, services, ...play }: any): string {
  return JSON.stringify({
    ...play,
    key: plainKey(key),
    services: services.map((one: object) => JSON.stringify(one)).sort(),
  })
}

async function shownBy(world: World) {
  const { body: library } = await world.get('library?limit=200')
  const { body: history } = await world.get('history?limit=200')
  const { index: _, ...statistics } = (await world.get('statistics')).body
  const titles = []
  for (const { key } of library.items) {
    const { body } = await world.get(`library/${encodeURIComponent(key)}`)
    const { index: __, key: own, says, names, matrix, latest_plays: plays, ...title } = body
    titles.push({
      ...title,
      key: plainKey(own),
      names: [...new Set(names.map(plainKey))].sort(),
      says: says.map((one: object) => JSON.stringify(one)).sort(),
      matrix: matrix.map((one: object) => JSON.stringify(one)).sort(),
      plays: plays.map(textOfPlay).sort(),
    })
  }
  const text = (value: unknown) => JSON.stringify(value)
  return {
    accounts: library.accounts,
    titles: titles.map(text).sort(),
    plays: history.items.map(textOfPlay).sort(),
    statistics: {
      ...statistics,
      top: Object.values(statistics.top).flatMap((all: any) =>
        all.map(({ key, ...one }: any) => text({ ...one, key: plainKey(key) })).sort(),
      ),
    },
  }
}

t.test('an index that followed changes equals one that is made at the end', async (t) => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      await using world = await openCatalog({ 'PLEX@default history': [] })
      const scrobbles = []
      for (const [index, { name, rows: own, isScrobbled }] of changes.entries()) {
        if (own === null) {
          const { [name]: ___, ...left } = world.state.stored
          world.state.stored = left
        } else world.change(name, own)
        if (isScrobbled) {
          scrobbles.push(
            scrobble({ title: 'Heat', year: 1995, ids: { tmdb: '1' }, watched_at: 1_767_300_000 + index * 100_000 }),
          )
          world.state.scrobbles = [...scrobbles]
        }
        await world.get('library')
      }
      await using fresh = await openCatalog(world.state.stored, { scrobbles: world.state.scrobbles })
      const [one, other] = [await shownBy(world), await shownBy(fresh)]
      compared += one.titles.length
      if (JSON.stringify(one) !== JSON.stringify(other)) throw new Error(JSON.stringify([one, other]))
    }),
    { numRuns: runsOf(20) },
  )
  t.ok(compared > 0)
})

t.test('only the titles of changed rows are derived again, and equal rows change nothing', async (t) => {
  const films = Array.from({ length: 300 }, (_, index) => film(index + 1, { watched_at: '2026-01-01T20:00:00Z' }))
  await using world = await openCatalog({ 'PLEX@default history': films })
  const total = async () => (await world.get('history')).body.total
  t.equal(await total(), 300)
  const { db } = await world.host.ctx.openDatabase('titles', { migrations })
  const state = async () => {
    const { rows: plays } = await sql<{ id: string }>`select id || ' ' || ref as id from play`.execute(db)
    const { rows: build } = await sql<{ value: string }>`select value from state where name = 'build'`.execute(db)
    return { ids: new Set(plays.map(({ id }) => id)), build: build[0]?.value }
  }
  const before = await state()

  world.change('PLEX@default history', [...films])
  t.equal(await total(), 300)
  t.same(await state(), before, 'another revision of the same rows')

  world.change('PLEX@default history', [
    ...films.slice(0, 299),
    film(300, { watched_at: '2026-01-05T20:00:00Z' }),
    film(301, { watched_at: '2026-01-02T20:00:00Z' }),
  ])
  t.equal(await total(), 301)
  const after = await state()
  t.not(after.build, before.build)
  t.equal(after.ids.intersection(before.ids).size, 299, 'plays of unchanged rows stay as they are')
})

t.test('a work without rows is gone, and what it linked or kept apart is as without it', async (t) => {
  const [imdb, tmdb] = [film(1, { ids: { imdb: 'tt1' } }), film(1, { ids: { tmdb: '1' } })]
  const both = film(1, { ids: { imdb: 'tt1', tmdb: '1' } })
  const other = film(1, { ids: { imdb: 'tt2', tmdb: '1' } })
  await using world = await openCatalog({
    'PLEX@default watchlist': [imdb],
    'TRAKT@default watchlist': [tmdb],
    'SIMKL@default watchlist': [],
  })
  const total = async () => (await world.get('library')).body.total
  const show = async (...rows: readonly Item[]) => {
    world.change('SIMKL@default watchlist', rows)
    return total()
  }
  t.equal(await total(), 2)
  t.equal(await show(both), 1, 'linked')
  t.equal(await show(both, other), 4, 'contradictory')
  t.equal(await show(both), 1)
  t.equal(await show(), 2, 'apart again')
  const { db } = await world.host.ctx.openDatabase('titles', { migrations })
  for (const [table, count] of [
    ['work', 2],
    ['token', 2],
    ['touched', 0],
    ['title', 2],
    ['title_account', 2],
  ] as const) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
    t.equal(rows[0]?.count, count, table)
  }
})

t.test('an episode loses its show with the row that named it, and finds another', async (t) => {
  const own = { ids: { tvdb: '11' } }
  const orphan: Item = { type: 'episode', ...own, watched_at: '2026-01-01T20:00:00Z' }
  await using world = await openCatalog({ 'TRAKT@default history': [orphan] })
  const shows = async () =>
    (await world.get('library')).body.items.map(({ title, plays }: any) => `${title} ${plays}`).sort()
  t.strictSame(await shows(), [' 1'])
  world.change('PLEX@default history', [part(9, 1, 1, own)])
  t.strictSame(await shows(), ['Series 9 1'])
  world.state.reads = []
  world.change('PLEX@default history', [part(8, 1, 1, own)])
  t.strictSame(await shows(), ['Series 8 1'])
  world.change('PLEX@default history', [])
  t.strictSame(await shows(), [' 1'])
})

t.test('a title is an anime as long as any row says so', async (t) => {
  const marked = part(6, 1, 1, { show_ids: { tmdb: '6', mal: '60' } })
  await using world = await openCatalog({ 'PLEX@default history': [part(6, 1, 1)], 'TRAKT@default history': [marked] })
  const isAnime = async () => (await world.get('library')).body.items[0].anime
  t.equal(await isAnime(), true)
  world.change('TRAKT@default history', [])
  t.equal(await isAnime(), false)
  world.change('PLEX@default history', [part(6, 1, 1), marked])
  t.equal(await isAnime(), true)
})

t.test('of a title whose works all lose their rows nothing is left, however many other works change', async (t) => {
  // More works than are derived in one step are between the two.
  const others = Array.from({ length: 150 }, (_, index) => film(index + 10))
  const [first, last] = [film(1), film(1, { ids: { tmdb: '1', imdb: 'tt1' } })]
  await using world = await openCatalog({ 'PLEX@default watchlist': [first, ...others, last] })
  t.equal((await world.get('library')).body.total, 151)
  world.change('PLEX@default watchlist', [])
  t.same((await world.get('library')).body.items, [])
})

t.test(
  'titles that share an id and contradict each other have different keys, whichever of them changes',
  async (t) => {
    let rows = ['tt1', 'tt2', 'tt3'].map((imdb) => film(1, { ids: { tmdb: '1', imdb } }))
    await using world = await openCatalog({ 'PLEX@default history': rows })
    const keys = async () => (await world.get('library')).body.items.map(({ key }: any) => key).sort()
    const before = await keys()
    t.equal(new Set(before).size, 3)
    for (const kept of [0, 1, 2]) {
      const watched = { watched_at: `2026-01-0${kept + 1}T20:00:00Z` }
      rows = rows.map((item, index) => (index === kept ? item : { ...item, ...watched }))
      world.change('PLEX@default history', rows)
      t.same(await keys(), before, `all but number ${kept + 1}`)
    }
  },
)

t.test('two threads that read one account at once store each of its rows once', async (t) => {
  await using world = await openCatalog({ 'PLEX@default history': [] })
  await world.get('library')
  const { db } = await world.host.ctx.openDatabase('titles', { migrations })
  const lines = Array.from({ length: 3 }, (_, index) => JSON.stringify([`k${index}`, film(index + 1)]))
  const library = {
    async *texts() {
      yield `[${lines.join(',\n')}]`
    },
  }
  const thread = () => work({ openDatabase: () => db, use: () => library } as any)
  const source = { provider: 'PLEX', instance: 'default', feature: 'history', revision: 'r9', readAt: 0 } as const
  const order = { sources: [source], facts: false }
  await Promise.all([thread().refresh(order), thread().refresh(order)])
  const { rows } = await sql<{ count: number }>`select count(*) as count from entry`.execute(db)
  t.equal(rows[0]?.count, 3)
})

t.test('an account that just left is not counted before its titles are derived again', async (t) => {
  await using world = await openCatalog({ 'PLEX@default watchlist': [film(1)], 'TRAKT@default watchlist': [film(1)] })
  await world.get('library')
  const { db } = await world.host.ctx.openDatabase('titles', { migrations })
  await sql`delete from source where account = (select id from account where provider = 'TRAKT')`.execute(db)
  const { now, only, providers } = await world.host.capability(CATALOG).numbers('watchlist')
  t.same({ now, only, providers }, { now: 1, only: { PLEX: 1 }, providers: { PLEX: 1 } })
})
