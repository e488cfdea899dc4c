// Reads: the whole list once, every value unchanged, and no uncertain value.
import { createTestClock } from '@playhead/sdk/testing'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { EntryChange, Media } from '../../upstreams/anilist.ts'
import { codeOf, startBench, type Bench } from './support.ts'

const A_DAY_AGO = Date.now() - 86_400_000

function plan({ anilist }: Bench, count: number): void {
  for (const media of anilist.catalogue.slice(0, count)) anilist.user.save(media, { status: 'PLANNING' }, A_DAY_AGO)
}

/** Enough films that a list needs several chunks. */
const longCatalogue = (count: number): Media[] =>
  Array.from(
    { length: count },
    (_, index): Media => ({
      id: index + 1,
      idMal: null,
      format: 'MOVIE',
      episodes: 1,
      season: null,
      seasonYear: 2020,
      startDate: { year: 2020, month: null, day: null },
      title: { romaji: `Film ${index}`, english: null, native: null },
    }),
  )

t.test('planned entries are the watchlist, scored ones are ratings, each with its type', async (t) => {
  await using bench = await startBench()
  const { anilist, read } = bench
  const [film, other] = [anilist.films[1]!, anilist.films[3]!]
  const [series] = anilist.series
  anilist.user.save(film, { status: 'PLANNING' }, A_DAY_AGO)
  anilist.user.save(series!, { status: 'PLANNING', scoreRaw: 75 }, A_DAY_AGO)
  anilist.user.save(other, { status: 'COMPLETED', scoreRaw: 94 }, A_DAY_AGO)
  anilist.user.save(anilist.films[5]!, { status: 'CURRENT' })

  const watchlist = await read('watchlist')
  const ratings = await read('ratings')

  t.match(watchlist.end, { complete: true, semantics: 'present', account: '5001' })
  t.strictSame(watchlist.rows, [
    {
      type: 'anime',
      title: film.title.english,
      year: film.startDate.year,
      ids: { anilist: String(film.id), mal: String(film.idMal) },
      film: true,
      native: { item_id: String(anilist.user.entry(film)?.id) },
      added_at: `${new Date(A_DAY_AGO).toISOString().slice(0, 19)}Z`,
    },
    {
      type: 'anime',
      title: series!.title.english,
      year: series!.seasonYear,
      ids: { anilist: String(series!.id), mal: String(series!.idMal) },
      native: { item_id: String(anilist.user.entry(series!)?.id) },
      added_at: `${new Date(A_DAY_AGO).toISOString().slice(0, 19)}Z`,
    },
  ])
  t.same(
    ratings.rows.map(({ ids, rating, rated_at: at }) => [ids.anilist, rating, at]),
    [
      [String(series!.id), 8, undefined],
      [String(other.id), 9, undefined],
    ],
  )
})

t.test('an entry in several lists is one row, and a hidden one is included', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  anilist.user.account.splitCompleted = true
  anilist.user.nameLists('Soon', 'With friends')
  anilist.user.save(anilist.films[0]!, { status: 'PLANNING', customLists: ['Soon', 'With friends'] })
  anilist.user.save(anilist.films[1]!, { status: 'PLANNING', customLists: ['Soon'], hiddenFromStatusLists: true })
  anilist.user.save(anilist.films[2]!, { status: 'COMPLETED', scoreRaw: 50, customLists: ['Soon'] })
  t.same(
    (await bench.read('watchlist')).rows.map(({ ids }) => ids.anilist).toSorted(),
    [anilist.films[0]!, anilist.films[1]!].map(({ id }) => String(id)).toSorted(),
  )
  t.equal((await bench.read('ratings')).rows.length, 1)
})

t.test('the rating is the same for every score format', async (t) => {
  await using bench = await startBench()
  const { anilist } = bench
  anilist.user.save(anilist.films[0]!, { status: 'COMPLETED', scoreRaw: 75 })
  for (const format of ['POINT_100', 'POINT_10_DECIMAL', 'POINT_10', 'POINT_5', 'POINT_3'] as const) {
    anilist.user.account.scoreFormat = format
    await bench.provider.probe('default')
    t.same(
      (await bench.read('ratings')).rows.map(({ rating }) => rating),
      [8],
      format,
    )
  }
})

t.test('one read of the list serves both features, and a probe starts again', async (t) => {
  await using bench = await startBench()
  plan(bench, 5)
  await bench.read('watchlist')
  await bench.read('ratings')
  t.equal(bench.asked(), 1)
  bench.anilist.user.save(bench.anilist.films[20]!, { status: 'PLANNING' })
  await bench.provider.probe('default')
  t.equal((await bench.read('watchlist')).rows.length, 6)
  t.ok(bench.asked() <= 2)
})

t.test('long lists come in chunks of five hundred, all of them', async (t) => {
  await using bench = await startBench({ catalogue: longCatalogue(1_201) })
  plan(bench, 1_201)
  const { rows, end } = await bench.read('watchlist')
  t.match(end, { complete: true })
  t.equal(new Set(rows.map(({ ids }) => ids.anilist)).size, 1_201)
  t.ok(bench.asked() <= 3)
})

t.test('an empty list is complete, and only the requested kinds are returned', async (t) => {
  await using bench = await startBench()
  t.match(await bench.read('watchlist'), { rows: [], end: { complete: true } })
  bench.anilist.user.save(bench.anilist.films[0]!, { status: 'PLANNING' })
  bench.anilist.user.save(bench.anilist.series[0]!, { status: 'PLANNING' })
  await bench.provider.probe('default')
  t.same(
    (await bench.read('watchlist', { kinds: ['movie'] })).rows.map(({ film }) => film),
    [true],
  )
  t.equal((await bench.read('watchlist', { kinds: ['show'] })).rows.length, 1)
  t.equal((await bench.read('watchlist', { kinds: ['episode'] })).rows.length, 0)
})

t.test('a missing or partial chunk is never a short list', async (t) => {
  const faults = [
    [{ kind: 'status', status: 500 }, 'PLH_UPSTREAM'],
    [{ kind: 'status', status: 403 }, 'PLH_UPSTREAM'],
    [{ kind: 'status', status: 404 }, 'PLH_UPSTREAM_INVALID'],
    [{ kind: 'truncate' }, 'PLH_UPSTREAM'],
    [{ kind: 'reset' }, 'PLH_UPSTREAM'],
    [{ kind: 'empty' }, 'PLH_UPSTREAM_INVALID'],
    [{ kind: 'html', status: 200 }, 'PLH_UPSTREAM_INVALID'],
  ] as const
  for (const [fault, code] of faults) {
    await using bench = await startBench({ catalogue: longCatalogue(501), clock: createTestClock() })
    plan(bench, 501)
    let chunks = 0
    bench.anilist.faults.add({ ...fault, match: () => (chunks += 1) > 1 })
    t.equal(await codeOf(bench.read('watchlist')), code, JSON.stringify(fault))
    bench.anilist.faults.clear()
    t.equal((await bench.read('watchlist')).rows.length, 501, 'and it is not remembered')
  }
})

t.test('temporary failures are retried', async (t) => {
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'truncate' },
    { kind: 'reset' },
    { kind: 'status', status: 429, headers: { 'retry-after': '30' } },
  ] as const) {
    await using bench = await startBench({ clock: createTestClock() })
    plan(bench, 3)
    bench.anilist.faults.add({ ...fault, times: 1 })
    t.equal((await bench.read('watchlist')).rows.length, 3, JSON.stringify(fault))
  }
})

t.test('errors in a response with status 200 are errors', async (t) => {
  for (const [field, status, code] of [
    ['MediaListCollection', 500, 'PLH_UPSTREAM'],
    ['Viewer', 401, 'PLH_AUTH_FAILED'],
    ['title', 404, 'PLH_NOT_FOUND'],
  ] as const) {
    await using bench = await startBench({ errorsWith200: true })
    plan(bench, 2)
    bench.anilist.breakField(field, status, { times: 9 })
    t.equal(await codeOf(bench.read('watchlist')), code, field)
  }
})

t.test("the list belongs to the token's account, regardless of the settings", async (t) => {
  await using bench = await startBench({ names: ['ada', 'bob'], settings: { user: { id: 5_002, name: 'bob' } } })
  plan(bench, 2)
  bench.anilist.userNamed('bob').save(bench.anilist.films[7]!, { status: 'PLANNING' })
  t.match(await bench.read('watchlist'), { rows: { length: 2 }, end: { account: '5001' } })
  for (const user of [{}, { id: 77, name: 'nobody' }]) {
    await using unnamed = await startBench({ settings: { user } })
    plan(unnamed, 2)
    t.match(await unnamed.read('watchlist'), { rows: { length: 2 }, end: { account: '5001', complete: true } })
  }
})

t.test('a list that changes between two chunks is not complete', async (t) => {
  const catalogue = longCatalogue(600)
  await using bench = await startBench({ catalogue })
  plan(bench, 600)
  const { account } = bench.anilist.user
  const [first] = account.entries.values()
  let requests = 0
  bench.anilist.faults.add({
    kind: 'slow',
    match: () => {
      requests += 1
      // Between the chunks, the first entry is updated and moves to the end.
      if (requests === 2 && first !== undefined) {
        account.entries.delete(first.id)
        account.entries.set(first.id, first)
        first.updatedAtMs += 5_000
      }
      return false
    },
  })
  t.match((await bench.read('watchlist')).end, { complete: false, reason: 'changed_while_reading' })
})

t.test('an entry that cannot be identified is named and skipped', async (t) => {
  const catalogue = longCatalogue(2).map((media, index) =>
    index === 0 ? { ...media, format: null as unknown as Media['format'] } : media,
  )
  await using bench = await startBench({ catalogue })
  plan(bench, 2)
  t.match(await bench.read('watchlist'), {
    rows: { length: 1 },
    end: { complete: true, unreadable: [{ reason: 'unknown_type', title: 'Film 0' }] },
  })
})

t.test('unsupported features are refused', async (t) => {
  await using bench = await startBench()
  for (const feature of ['history', 'progress', 'playlists'] as const)
    t.equal(await codeOf(bench.read(feature)), 'PLH_UNSUPPORTED')
})

t.test('a rating of any score is read back unchanged when it is written', async (t) => {
  await using bench = await startBench()
  const [film] = bench.anilist.films
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (scoreRaw) => {
      bench.anilist.user.save(film!, { status: 'COMPLETED', scoreRaw } satisfies EntryChange)
      await bench.provider.probe('default')
      const {
        rows: [row],
      } = await bench.read('ratings')
      const outcomes = await bench.write('ratings', 'update', [row!])
      t.same(outcomes, ['already'])
      return bench.anilist.user.entry(film!)?.scoreRaw === scoreRaw
    }),
    { numRuns: runsOf(25) },
  )
})
