// slow: the whole service, or very many cases
// Repeated imports: the same file again, after an undo or a manual change, a later file with fewer rows, and one person's
// history from two services. No play is duplicated, no time is invented, and nothing is removed.
import { sql } from 'kysely'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { openImports, type World } from './world.ts'

const HISTORY = 'SVC@default history'
const RATINGS = 'SVC@default ratings'
const DAY_MS = 86_400_000
const works = [{ type: 'movie' as const, tmdb: '949', title: 'Heat', year: 1995, overview: '' }]

const trakt = (...times: readonly string[]) => ({
  'watched-history-1.json': JSON.stringify(
    times.map((at, id) => ({
      id,
      watched_at: at,
      action: 'scrobble',
      type: 'movie',
      movie: { title: 'Heat', year: 1995, ids: { trakt: 706, slug: 'heat-1995', imdb: 'tt0113277', tmdb: 949 } },
    })),
  ),
})
const rated = (...films: readonly (readonly [id: number, rating: number, at: string])[]) => ({
  'ratings-movies.json': JSON.stringify(
    films.map(([id, rating, at]) => ({
      rated_at: at,
      rating,
      type: 'movie',
      movie: { title: `Film ${id}`, year: 2000, ids: { trakt: id, slug: `film-${id}`, tmdb: id } },
    })),
  ),
})
const letterboxd = (...days: readonly string[]) => ({
  'diary.csv': `Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n${days
    .map((day) => `${day},Heat,1995,https://boxd.it/a1,,,,${day}\n`)
    .join('')}`,
  'watched.csv': 'Date,Name,Year,Letterboxd URI\n2025-03-01,Heat,1995,https://boxd.it/2b\n',
})
const simkl = (at: string) =>
  JSON.stringify({
    shows: [],
    anime: [],
    movies: [
      {
        last_watched_at: at,
        status: 'completed',
        user_rating: null,
        movie: { title: 'Heat', year: 1995, ids: { simkl: 53536, imdb: 'tt0113277', tmdb: '949' } },
      },
    ],
  })

async function bring(world: World, data: Parameters<World['upload']>[0], name?: string): Promise<string> {
  const { status, body } = await world.upload(data, name)
  if (status !== 200) throw new Error(JSON.stringify(body))
  const id: string = body.import_id
  const { body: open } = await world.get(`/${id}/titles?open=true`)
  if (open.total > 0) {
    const choices = open.titles.map(({ title }: { title: number }) => ({
      title,
      choice: { type: 'movie', ids: { tmdb: '949' } },
    }))
    const chosen = await world.post(`/${id}/choices`, { choices })
    if (chosen.status !== 200) throw new Error(JSON.stringify(chosen.body))
  }
  await write(world, id)
  return id
}

async function write(world: World, id: string, path = '/run'): Promise<void> {
  const started = await world.post(path, path === '/run' ? { import_id: id, provider: 'SVC' } : {})
  if (started.status >= 300) throw new Error(JSON.stringify(started.body))
  for (;;) {
    const { state } = (await world.get(`/${id}`)).body
    if (['done', 'undone'].includes(state)) return
    if (!['comparing', 'running', 'undoing'].includes(state)) throw new Error(state)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const plays = (world: World) => world.held(HISTORY).map(({ watched_at: at }) => at)

t.test('one import that is started twice at once is written once', async (t) => {
  await using world = await openImports()
  const { body } = await world.upload(trakt('2025-03-01T02:30:00.000Z', '2025-04-01T02:30:00.000Z'))
  const order = { import_id: body.import_id, provider: 'SVC' }
  const both = await Promise.all([world.post('/run', order), world.post('/run', order)])
  t.same(both.map(({ status }) => (status < 300 ? 'taken' : status)).sort(), [409, 'taken'])
  await write(world, body.import_id)
  t.equal(plays(world).length, 2)
})

t.test('a request during the write of an import loses no record of it', async (t) => {
  await using world = await openImports()
  const { body } = await world.upload(trakt('2025-03-01T02:30:00.000Z'))
  const order = { import_id: body.import_id, provider: 'SVC' }
  let isAsked = false
  world.state.whileAsked = async () => {
    world.state.whileAsked = async () => {}
    isAsked = true
    await write(world, body.import_id)
  }
  t.match(await world.post('/run', order), { status: 200, body: { state: 'done' } })
  t.ok(isAsked)
  t.equal(plays(world).length, 1)
  await write(world, body.import_id, `/${body.import_id}/undo`)
  t.same(plays(world), [])
})

t.test('an undone import can be imported again, with the same result', async (t) => {
  await using world = await openImports()
  const file = trakt('2025-03-01T02:30:00.000Z', '2025-04-01T02:30:00.000Z')
  const id = await bring(world, file)
  const first = plays(world)
  await write(world, id, `/${id}/undo`)
  t.same(plays(world), [])
  await write(world, id)
  t.same(plays(world), first, 'the same import')
  await write(world, id, `/${id}/undo`)
  await bring(world, file)
  t.same(plays(world), first, 'and the same file')
})

t.test('a rating that was changed manually in between stays', async (t) => {
  await using world = await openImports()
  const file = rated([1, 8, '2024-05-01T10:00:00.000Z'], [2, 6, '2024-05-01T10:00:00.000Z'])
  await bring(world, file)
  for (const change of [{ rating: 3, rated_at: '2026-01-01T00:00:00Z' }, { rating: 4 }]) {
    const [own, other] = world.held(RATINGS)
    const { rated_at: _at, ...rest } = own!
    world.state.accounts.set(RATINGS, [{ ...rest, ...change }, other!])
    const before = JSON.stringify(world.held(RATINGS))
    await bring(world, file)
    t.equal(JSON.stringify(world.held(RATINGS)), before)
  }
})

t.test('a later file of the person with fewer rows removes nothing', async (t) => {
  await using world = await openImports()
  await bring(world, {
    ...rated([1, 8, '2024-05-01T10:00:00.000Z'], [2, 6, '2024-05-01T10:00:00.000Z']),
    ...trakt('2025-03-01T02:30:00.000Z', '2025-04-01T02:30:00.000Z'),
  })
  await bring(world, {
    ...rated([2, 6, '2024-05-01T10:00:00.000Z'], [3, 9, '2025-05-01T10:00:00.000Z']),
    ...trakt('2025-04-01T02:30:00.000Z'),
  })
  t.same(plays(world), ['2025-03-01T02:30:00Z', '2025-04-01T02:30:00Z'])
  t.same(
    world.held(RATINGS).map(({ ids, rating }) => [ids.tmdb, rating]),
    [
      ['1', 8],
      ['2', 6],
      ['3', 9],
    ],
  )
})

// Evening in America and night in Japan: the person's day differs from the UTC day.
for (const [at, day] of [
  ['2025-03-01T02:30:00.000Z', '2025-02-28'],
  ['2025-03-01T20:00:00.000Z', '2025-03-02'],
  ['2025-03-01T20:00:00.000Z', '2025-03-01'],
] as const)
  t.test(`a play of ${at} at one service and of ${day} at another is one`, async (t) => {
    await using world = await openImports({ works })
    const files = [trakt(at), letterboxd(day)]
    for (const first of [0, 1]) {
      world.state.accounts.clear()
      for (const place of [first, 1 - first, first]) await bring(world, files[place]!)
      t.same(plays(world), [first === 0 ? at.replace('.000', '') : day])
    }
  })

t.test('a second play on another day is separate', async (t) => {
  await using world = await openImports({ works })
  await bring(world, trakt('2025-03-01T20:00:00.000Z'))
  await bring(world, letterboxd('2025-03-01', '2025-03-04'))
  t.same(plays(world).sort(), ['2025-03-01T20:00:00Z', '2025-03-04'])
})

t.test('one viewing has another time at another service, and stays one; two in one file are two', async (t) => {
  await using world = await openImports()
  for (const [later, count] of [
    ['2025-03-01T20:02:00Z', 1],
    ['2025-03-02T02:00:00Z', 1],
    ['2025-03-01T14:00:00Z', 1],
    ['2025-03-02T02:00:01Z', 2],
    ['2025-03-01T13:59:59Z', 2],
  ] as const) {
    world.state.accounts.clear()
    for (const file of [trakt('2025-03-01T20:00:00.000Z'), simkl(later), simkl(later)]) await bring(world, file)
    t.same(plays(world), ['2025-03-01T20:00:00Z', later].slice(0, count))
  }
  world.state.accounts.clear()
  await bring(world, trakt('2025-03-01T20:00:00.000Z'))
  for (let time = 0; time < 2; time += 1) {
    await bring(world, trakt('2025-03-01T20:00:00.000Z', '2025-03-01T23:00:00.000Z'))
    t.same(plays(world).sort(), ['2025-03-01T20:00:00Z', '2025-03-01T23:00:00Z'])
  }
})

t.test('an upload that was not imported is deleted after thirty days, never while it is being written', async (t) => {
  await using world = await openImports()
  const db = world.host.ownTables('imports')
  const age = async (id: string, ms: number) =>
    void (await sql`update import_file set changed_at = ${Date.now() - ms} where id = ${id}`.execute(db))
  const ids = async () => (await world.get('')).body.imports.map((one: { import_id: string }) => one.import_id).sort()
  const read = async (id: number) =>
    (await world.upload(rated([id, 8, '2024-05-01T10:00:00.000Z']))).body.import_id as string
  const [old, fresh, active] = [await read(1), await read(2), await read(3)]
  await age(old, 30 * DAY_MS + 1_000)
  await age(fresh, 30 * DAY_MS - 600_000)
  let during: readonly string[] = []
  world.state.beforeWrite = async () => {
    await age(active, 31 * DAY_MS)
    await world.host.runJob('forget-old')
    during = await ids()
  }
  await write(world, active)
  t.same(during, [fresh, active].sort())
  t.equal((await world.rows(active)).length, 1)
  t.match(world.held(RATINGS), [{ rating: 8 }], 'it was written')
  await age(active, 31 * DAY_MS)
  await world.host.runJob('forget-old')
  t.same(await ids(), [fresh])
  t.match(await world.get(`/${old}/rows`), { status: 404 })
  const { rows } = await sql<{ count: number }>`select count(*) as count from import_row`.execute(db)
  t.equal(Number(rows[0]!.count), 1, 'with its rows')
})

t.test('one film with different ids in two rows of the file is written once, with its later rating', async (t) => {
  const at = '2024-05-01T10:00:00Z'
  const [imdb, tvdb, tmdb] = [{ imdb: 'tt0113277' }, { tvdb: '11' }, { tmdb: '949' }]
  const film = (ids: Item['ids'], more: Partial<Item> = {}): Item => ({ type: 'movie', title: 'Heat', ids, ...more })
  const write = (world: World, feature: string, items: readonly Item[]) => {
    const rows = items.map((item) => ({ feature, item }))
    return bring(world, JSON.stringify({ format: 'playhead', version: 1, rows }), 'export.json')
  }
  const asked = ({ state }: World) =>
    [...state.plans.values()].flatMap(({ request }) => request.changes.map(({ item }) => item))
  for (const [what, names, known] of [
    ['by one with both', [imdb, { ...imdb, ...tmdb }], []],
    ['through others', [tvdb, { ...imdb, ...tvdb }, { ...tmdb, ...imdb }], []],
    ['without TMDB', [imdb, { ...imdb, ...tvdb }, tvdb], []],
    ['through the account', [imdb, tmdb], [film({ ...imdb, ...tmdb }, { watched_at: '2020-01-01T10:00:00Z' })]],
  ] as const)
    for (const order of [names, names.toReversed()]) {
      await using world = await openImports({ held: { [HISTORY]: known } })
      const others = ['2024-06-01', '2024-07-01', '2024-08-01']
      await write(world, 'history', [
        ...order.map((ids) => film(ids, { watched_at: at })),
        ...order.map((ids, index) => film(ids, { watched_at: `${others[index]}T10:00:00Z` })),
      ])
      t.same(
        asked(world)
          .map((item) => item.watched_at)
          .sort(),
        [at, ...order.map((_, index) => `${others[index]}T10:00:00Z`)],
        what,
      )
    }
  await using world = await openImports()
  await write(world, 'history', [
    film({ ...imdb, tmdb: '1' }, { watched_at: at }),
    film({ ...imdb, tmdb: '2' }, { watched_at: at }),
    film(imdb, { watched_at: at }),
  ])
  t.equal(asked(world).length, 2, 'works that contradict each other stay two')
  world.state.plans.clear()
  await write(world, 'ratings', [
    film({ ...imdb, ...tmdb }, { rating: 8, rated_at: '2024-01-01' }),
    film(imdb, { rating: 5, rated_at: '2025-01-01' }),
  ])
  t.same(
    asked(world).map(({ rating }) => rating),
    [5],
  )
})
