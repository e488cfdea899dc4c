// Reads of Nuvio: the meaning of rows, the proof of completeness, and the cost of reading changes.
import t from 'tap'
import { codeOf, startBench, tokensOf } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)
const ISO = '2026-07-01T20:15:00Z'

t.test(
  'rows of the library are films and shows with their id; other formats are reported and left alone',
  async (t) => {
    await using bench = await startBench()
    const { user } = bench.nuvio
    user.put('library', {
      content_id: 'tmdb:900001',
      content_type: 'movie',
      name: 'Harbor',
      release_info: '2019',
      added_at: AT_MS,
    })
    user.put('library', {
      content_id: 'tt9900002',
      content_type: 'series',
      name: 'Signal',
      release_info: null,
      added_at: 0,
    })
    user.put('library', { content_id: 'kitsu:12', content_type: 'series', name: 'Anime', added_at: 1 })
    user.put('library', { content_id: 'tt9900003', content_type: 'channel', name: 'News', added_at: 1 })
    const { rows, end } = await bench.read('watchlist')
    t.strictSame(rows, [
      {
        type: 'movie',
        title: 'Harbor',
        year: 2019,
        ids: { tmdb: '900001' },
        added_at: ISO,
        native: { item_id: 'movie tmdb:900001' },
      },
      { type: 'show', title: 'Signal', ids: { imdb: 'tt9900002' }, native: { item_id: 'series tt9900002' } },
    ])
    t.match(end, { complete: true, semantics: 'present', account: 'user-of-ada/1', checkpoint: String })
    t.strictSame(end.unreadable, [
      { reason: 'unknown_id', title: 'Anime' },
      { reason: 'unknown_type', title: 'News' },
    ])
  },
)

t.test(
  'watched items are films and episodes; the mark of a whole series implies nothing for its episodes',
  async (t) => {
    await using bench = await startBench()
    const { user } = bench.nuvio
    user.put('watched', { content_id: 'tmdb:900001', content_type: 'movie', title: 'Harbor', watched_at: AT_MS })
    user.put('watched', {
      content_id: 'tmdb:900100',
      content_type: 'series',
      title: 'Signal - S01E03',
      season: 1,
      episode: 3,
      watched_at: AT_MS,
    })
    user.put('watched', {
      content_id: 'tmdb:900100',
      content_type: 'series',
      title: 'Signal',
      season: null,
      episode: null,
      watched_at: AT_MS,
    })
    user.put('watched', {
      content_id: 'tmdb:900100',
      content_type: 'series',
      title: 'x',
      season: 1,
      episode: 0,
      watched_at: AT_MS,
    })
    user.put('watched', { content_id: 'tmdb:900002', content_type: 'movie', title: 'No time', watched_at: 0 })
    const { rows, end } = await bench.read('history')
    t.strictSame(
      rows.map(({ native, ...row }) => row),
      [
        { type: 'movie', title: 'Harbor', ids: { tmdb: '900001' }, watched: true, watched_at: ISO },
        {
          type: 'episode',
          series_title: 'Signal',
          ids: {},
          show_ids: { tmdb: '900100' },
          season: 1,
          episode: 3,
          watched: true,
          watched_at: ISO,
        },
        { type: 'movie', title: 'No time', ids: { tmdb: '900002' }, watched: true },
      ],
    )
    t.match(end, { complete: true, unreadable: [{ reason: 'episode_missing' }] })
  },
)

t.test(
  'positions come with their length and time; the copy that older apps store of an episode counts only without another',
  async (t) => {
    await using bench = await startBench()
    const { user } = bench.nuvio
    const episode = {
      content_type: 'series',
      season: 1,
      episode: 3,
      position: 640_000,
      duration: 2_700_000,
      last_watched: AT_MS,
    }
    user.put('progress', { ...episode, content_id: 'tmdb:900100', progress_key: 'tmdb:900100_s1e3' })
    user.put('progress', { ...episode, content_id: 'tmdb:900100', progress_key: 'tmdb:900100', position: 1 })
    user.put('progress', { ...episode, content_id: 'tmdb:900101', progress_key: 'tmdb:900101', position: 2 })
    const { rows, end } = await bench.read('progress')
    t.strictSame(
      rows.map(({ show_ids: ids, progress_ms: at, native }) => [ids?.tmdb, at, native?.item_id]),
      [
        ['900100', 640_000, 'tmdb:900100_s1e3'],
        ['900101', 2, 'tmdb:900101'],
      ],
    )
    t.match(rows[0], { type: 'episode', duration_ms: 2_700_000, progress_at: ISO, season: 1, episode: 3 })
    t.match(end, { complete: true })
  },
)

t.test('more rows than a page contains are all read, and the older half of 400 positions is not missing', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  for (let index = 0; index < 1_001; index += 1)
    user.put('library', { content_id: `tmdb:${index + 1}`, content_type: 'movie', added_at: index })
  for (let index = 0; index < 400; index += 1) {
    user.put('progress', {
      content_id: `tmdb:${index + 1}`,
      content_type: 'movie',
      position: 60_000,
      duration: 600_000,
      last_watched: AT_MS + index,
    })
  }
  bench.asked()
  const library = await bench.read('watchlist')
  t.match([library.rows.length, library.end.complete], [1_001, true])
  t.ok(bench.asked() <= 7, 'three pages, the profile, the overview, the cursor twice')
  t.match((await bench.read('progress')).rows.length, 400)
})

t.test('a read without proof of completeness says so', async (t) => {
  await using bench = await startBench()
  const { user, abilities, faults } = bench.nuvio
  user.put('library', { content_id: 'tmdb:1', content_type: 'movie', added_at: 1 })
  abilities.overview = false
  t.match((await bench.read('watchlist')).end, { complete: false, reason: 'total_unknown' })
  abilities.overview = true
  for (const [index, feature] of (['watchlist', 'history', 'progress'] as const).entries()) {
    const table = (['library', 'watched', 'progress'] as const)[index] as 'library'
    for (const id of ['tmdb:1', 'tmdb:2', 'tmdb:3']) {
      user.put(table, {
        content_id: id,
        content_type: 'movie',
        added_at: 1,
        watched_at: AT_MS,
        position: 1,
        duration: 2,
        last_watched: AT_MS,
      })
    }
    abilities.mostRows = 2
    t.match(
      (await bench.read(feature)).end,
      { complete: false, reason: 'total_mismatch' },
      `${feature}: pages shorter than asked for`,
    )
    abilities.mostRows = 0
    t.match(
      await bench.read(feature),
      { rows: [], end: { complete: false } },
      `${feature}: an empty answer is no empty list`,
    )
    abilities.mostRows = Infinity
  }
  for (const [kind, code] of [
    ['status', 'PLH_UPSTREAM'],
    ['empty', 'PLH_UPSTREAM_INVALID'],
    ['html', 'PLH_UPSTREAM'],
  ] as const) {
    faults.add({ match: /sync_pull_library$/, kind })
    t.match(await codeOf(bench.read('watchlist')), code, kind)
    faults.clear()
  }
  faults.add({ match: /sync_pull_library$/, kind: 'truncate', times: 1 })
  t.match((await bench.read('watchlist')).end, { complete: true }, 'a body that broke off is read again')
})

t.test('two profiles of one account stay separate', async (t) => {
  await using bench = await startBench()
  for (let index = 0; index < 501; index += 1)
    bench.nuvio.user.put('library', { content_id: `tmdb:${index + 1}`, content_type: 'movie', added_at: 5 })
  bench.nuvio.user.setPeople([
    { index: 1, name: 'Main', locked: false },
    { index: 2, name: 'Kids', locked: false },
  ])
  const second = await bench.provider.createProfile({})
  await bench.provider.saveProfile(second, { base_url: bench.nuvio.url, ...tokensOf(bench.nuvio, 'ada', 2) })
  t.match(await bench.read('watchlist', {}, second), { rows: [], end: { complete: true, account: 'user-of-ada/2' } })
  t.equal((await bench.read('watchlist')).rows.length, 501)
})

t.test('a function that the service no longer has is an error, never an empty list', async (t) => {
  await using bench = await startBench()
  bench.nuvio.faults.add({ match: /sync_pull_watched_items$/, kind: 'status', status: 404 })
  t.match(await codeOf(bench.read('history')), 'PLH_NOT_FOUND')
})

t.test('two requests prove that nothing changed, and otherwise only changes are read', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  for (let index = 1; index <= 30; index += 1)
    user.put('watched', { content_id: `tmdb:${index}`, content_type: 'movie', watched_at: AT_MS + index })
  const first = await bench.read('history')
  bench.asked()
  const second = await bench.read('history', { since: first.end.checkpoint as string })
  t.match(second, { rows: [], end: { semantics: 'unchanged', complete: true } })
  t.ok(bench.asked() <= 2)
  user.put('watched', { content_id: 'tmdb:31', content_type: 'movie', watched_at: AT_MS })
  user.drop('watched', { content_id: 'tmdb:7', content_type: 'movie' })
  user.put('watched', { content_id: 'tmdb:8', content_type: 'movie', watched_at: AT_MS })
  user.drop('watched', { content_id: 'tmdb:8', content_type: 'movie' })
  const third = await bench.read('history', { since: second.end.checkpoint as string })
  t.strictSame(
    third.rows.map(({ ids }) => ids.tmdb),
    ['31'],
  )
  t.match(third.end, { semantics: 'delta', complete: true })
  t.strictSame(
    third.end.deleted?.map(({ type, ids, native }) => [type, ids.tmdb, native?.item_id]),
    [
      ['movie', '7', 'tmdb:7'],
      ['movie', '8', 'tmdb:8'],
    ],
  )
  t.match((await bench.read('history', { since: third.end.checkpoint as string })).end, { semantics: 'unchanged' })
})

t.test('everything is read again without a log of changes, for another account, and after a day', async (t) => {
  await using bench = await startBench()
  bench.nuvio.user.put('library', { content_id: 'tmdb:1', content_type: 'movie', added_at: 1 })
  const {
    end: { checkpoint },
  } = await bench.read('watchlist')
  const point = JSON.parse(checkpoint as string) as Record<string, unknown>
  const since = (change: object) => bench.read('watchlist', { since: JSON.stringify({ ...point, ...change }) })
  for (const change of [
    { account: 'somebody/1' },
    { fullAtMs: Date.now() - 90_000_000 },
    { cursor: 1e9 },
    { cursor: 'x' },
    { v: 9 },
  ]) {
    t.match((await since(change)).end, { semantics: 'present', complete: true }, JSON.stringify(change))
  }
  bench.nuvio.abilities.deltas = false
  const without = await since({})
  t.match(without.end, { semantics: 'present', complete: true })
  t.equal(without.end.checkpoint, undefined)
})

t.test('only the requested kinds are returned', async (t) => {
  await using bench = await startBench()
  bench.nuvio.user.put('library', { content_id: 'tmdb:1', content_type: 'movie', added_at: 1 })
  bench.nuvio.user.put('library', { content_id: 'tmdb:1', content_type: 'series', added_at: 1 })
  t.strictSame(
    (await bench.read('watchlist', { kinds: ['show'] })).rows.map(({ type }) => type),
    ['show'],
  )
  t.match(await codeOf(bench.read('ratings')), 'PLH_UNSUPPORTED')
})
