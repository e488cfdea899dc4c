// Writes to Nuvio: existing rows are found by any of their ids, newer values are kept, and only requested items are removed.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { codeOf, startBench } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)
const EARLIER_MS = AT_MS - 3_600_000
const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '')
const movie = (tmdb: string | undefined, imdb?: string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  ids: { ...(tmdb === undefined ? {} : { tmdb }), ...(imdb === undefined ? {} : { imdb }) },
  ...more,
})
const episode = (ids: Item['ids'], number: number, more: Partial<Item> = {}): Item => ({
  type: 'episode',
  ids: {},
  show_ids: ids,
  season: 1,
  episode: number,
  ...more,
})
const WATCHED = { watched: true, watched_at: iso(AT_MS) }
const at = (position: number, more: Partial<Item> = {}) => ({
  progress_ms: position,
  duration_ms: 6_000_000,
  progress_at: iso(AT_MS),
  ...more,
})

t.test(
  'a saved item becomes a row with its known fields, and one that exists with its other id stays one row',
  async (t) => {
    await using bench = await startBench()
    const { user } = bench.nuvio
    user.put('library', { content_id: 'tt9900002', content_type: 'movie', name: 'There', added_at: 5 })
    const items = [
      movie('1', 'tt1', { title: 'Heat', year: 1995, added_at: iso(AT_MS) }),
      movie('2', 'tt9900002'),
      { ...movie('2', 'tt9900002'), type: 'show' as const },
    ]
    t.strictSame(await bench.write('watchlist', 'add', items), ['applied', 'already', 'applied'])
    t.match(
      user
        .rows('library')
        .map(({ content_id, content_type, name, added_at }) => [content_id, content_type, name, added_at]),
      [
        ['tt9900002', 'movie', 'There', 5],
        ['tmdb:1', 'movie', 'Heat', AT_MS],
        ['tmdb:2', 'series', '', 0],
      ],
    )
    t.match(user.rows('library')[1], { release_info: '1995', poster_shape: 'POSTER' })
    t.equal(bench.nuvio.origins.size, 1, 'the apps can tell our changes')
    bench.asked()
    t.strictSame(await bench.write('watchlist', 'add', items), ['already', 'already', 'already'])
    t.equal(bench.asked(), 2, 'what changed meanwhile is all that is read')
  },
)

t.test('an item is removed from the library with all of its ids, and nothing else is', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  for (const [id, type] of [
    ['tmdb:1', 'movie'],
    ['tt1', 'movie'],
    ['tmdb:1', 'series'],
    ['kitsu:1', 'series'],
  ])
    user.put('library', { content_id: id, content_type: type, added_at: 1 })
  t.strictSame(await bench.write('watchlist', 'remove', [movie('1', 'tt1'), movie('9')]), ['applied', 'already'])
  t.strictSame(
    user.rows('library').map(({ content_id, content_type }) => `${content_type} ${content_id}`),
    ['series tmdb:1', 'series kitsu:1'],
  )
})

t.test('a service without single rows gets the whole library, with all existing rows', async (t) => {
  await using bench = await startBench({ abilities: { singleRows: false, deltas: false, origin: false } })
  const { user } = bench.nuvio
  for (let index = 0; index < 700; index += 1)
    user.put('library', {
      content_id: index % 7 === 0 ? `kitsu:${index}` : `tmdb:${index}`,
      content_type: 'series',
      name: `Show ${index}`,
      poster: `https://p/${index}`,
      added_at: index,
      mystery: index,
    })
  const before = user.rows('library').map((row) => ({ ...row }))
  t.strictSame(await bench.write('watchlist', 'add', [movie('900001')]), ['applied'])
  t.strictSame(
    user
      .rows('library')
      .slice(0, 700)
      .map((row) => ({ ...row })),
    before,
    'as they were',
  )
  t.strictSame(await bench.write('watchlist', 'remove', [{ type: 'show', ids: { tmdb: '1' } }]), ['applied'])
  t.equal(user.rows('library').length, 700)
  t.notOk(user.rows('library').some(({ content_id: id }) => id === 'tmdb:1'))
  const [, copy] =
    (await Array.fromAsync(bench.host.store.entries<{ rows: unknown[] }>())).find(([key]) =>
      key.endsWith('library_backup'),
    ) ?? []
  t.equal(copy?.rows.length, 701, 'what was there before is kept')
})

t.test('a library that cannot be read completely is not replaced', async (t) => {
  for (const change of [{ overview: false }, { mostRows: 2 }, { mostRows: 0 }]) {
    await using bench = await startBench({ abilities: { singleRows: false, deltas: false } })
    const { user, abilities } = bench.nuvio
    for (const id of [1, 2, 3]) user.put('library', { content_id: `tmdb:${id}`, content_type: 'movie', added_at: id })
    Object.assign(abilities, change)
    t.match(
      await codeOf(bench.write('watchlist', 'add', [movie('9')])),
      'PLH_UPSTREAM_INVALID read_incomplete',
      JSON.stringify(change),
    )
    t.equal(bench.nuvio.count(/sync_push_library/), 0)
    t.equal(user.rows('library').length, 3)
  }
})

t.test('items that a television saves while the library is being replaced are not lost', async (t) => {
  await using bench = await startBench({ abilities: { singleRows: false, deltas: false, origin: false } })
  const { user, faults } = bench.nuvio
  user.put('library', { content_id: 'tmdb:1', content_type: 'movie', added_at: 1 })
  let pulls = 0
  const interfere = ({ path }: { readonly path: string }) => {
    // Between the read for the plan and the last read before the write.
    if (path.endsWith('sync_pull_library') && (pulls += 1) === 3)
      user.put('library', { content_id: 'tmdb:2', content_type: 'movie', added_at: 2 })
    return false
  }
  faults.add({ match: interfere, kind: 'status' })
  const [outcome] = await bench.write('watchlist', 'add', [movie('9')])
  t.match(outcome, /^failed:library_changing$/)
  t.ok(user.rows('library').some(({ content_id: id }) => id === 'tmdb:2'))
  t.strictSame(await bench.write('watchlist', 'add', [movie('9')]), ['applied'])
  t.equal(user.rows('library').length, 3)
})

t.test('a play is one row; a later time is kept and an earlier one never sent', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  user.put('watched', { content_id: 'tt2', content_type: 'movie', title: 'x', watched_at: AT_MS })
  user.put('watched', {
    content_id: 'tt5',
    content_type: 'series',
    title: 'y',
    season: 1,
    episode: 1,
    watched_at: AT_MS,
  })
  t.strictSame(
    await bench.write('history', 'add', [
      movie('1', undefined, { ...WATCHED, title: 'Heat' }),
      movie('2', 'tt2', { watched: true, watched_at: iso(EARLIER_MS) }),
      episode({ tmdb: '5', imdb: 'tt5' }, 2, { ...WATCHED, series_title: 'Signal' }),
      episode({}, 2, WATCHED),
      movie('4', undefined, { watched: true, watched_at: '2999-07-01T00:00:00Z' }),
      movie('6', undefined, { watched: true }),
    ]),
    [
      'applied',
      'already',
      'applied',
      'unsupported:missing_ids',
      'rejected:watched_in_future',
      'rejected:missing_watched_at',
    ],
  )
  t.match(
    user
      .rows('watched')
      .map(({ content_id, season, episode: number, title, watched_at }) => [
        content_id,
        season ?? null,
        number ?? null,
        title,
        watched_at,
      ]),
    [
      ['tt2', null, null, 'x', AT_MS],
      ['tt5', 1, 1, 'y', AT_MS],
      ['tmdb:1', null, null, 'Heat', AT_MS],
      ['tt5', 1, 2, 'Signal - S01E02', AT_MS],
    ],
    'an episode goes where the others of its show are',
  )
  const later = iso(AT_MS + 60_000)
  t.strictSame(
    await bench.write('history', 'update', [
      movie('2', 'tt2', { watched: true, watched_at: later }),
      movie('1', undefined, { watched: true, watched_at: iso(EARLIER_MS) }),
    ]),
    ['applied', 'rejected:older_than_stored'],
  )
  t.match(user.rows('watched')[0], { watched_at: AT_MS + 60_000, title: 'x' }, 'the name that is there stays')
})

t.test('a film and a show of one number never affect each other', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  user.put('watched', {
    content_id: 'tmdb:1',
    content_type: 'series',
    title: 'whole',
    season: null,
    episode: null,
    watched_at: AT_MS,
  })
  user.put('progress', {
    content_id: 'tmdb:1',
    content_type: 'series',
    season: 1,
    episode: 1,
    progress_key: 'tmdb:1',
    position: 5,
    duration: 6_000_000,
    last_watched: 9,
  })
  t.strictSame(await bench.write('history', 'add', [movie('1', undefined, WATCHED)]), ['rejected:id_in_use'])
  t.strictSame(await bench.write('history', 'add', [movie('1', 'tt1', WATCHED)]), ['applied'])
  t.strictSame(await bench.write('history', 'remove', [movie('1', undefined, WATCHED)]), ['already'])
  t.strictSame(await bench.write('progress', 'add', [movie('1', undefined, at(60_000))]), ['rejected:id_in_use'])
  t.strictSame(
    user.rows('watched').map(({ content_id, content_type }) => `${content_type} ${content_id}`),
    ['series tmdb:1', 'movie tt1'],
  )
})

t.test('watched items are removed one by one', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  for (const number of [1, 2])
    user.put('watched', { content_id: 'tmdb:5', content_type: 'series', season: 1, episode: number, watched_at: AT_MS })
  user.put('watched', { content_id: 'tmdb:5', content_type: 'movie', watched_at: AT_MS })
  t.strictSame(await bench.write('history', 'remove', [episode({ tmdb: '5' }, 2), episode({ tmdb: '5' }, 3)]), [
    'applied',
    'already',
  ])
  t.equal(user.rows('watched').length, 2)
  t.strictSame(await bench.write('history', 'remove', [movie('5')]), ['applied'])
  t.match(user.rows('watched'), [{ season: 1, episode: 1 }])
})

t.test('a position needs its length and its time, and is never replaced by an older one', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  user.put('progress', {
    content_id: 'tt2',
    content_type: 'movie',
    video_id: 'addon:2',
    position: 100_000,
    duration: 6_000_000,
    last_watched: AT_MS,
    progress_key: 'tt2',
  })
  t.strictSame(
    await bench.write('progress', 'add', [
      movie('1', undefined, at(600_000)),
      episode({ tmdb: '5' }, 3, at(600_000)),
      movie('6', undefined, { progress_ms: 5, progress_at: iso(AT_MS) }),
      movie('7', undefined, { progress_ms: 5, duration_ms: 600_000 }),
      movie('8', undefined, {
        progress_ms: 5,
        duration_ms: 600_000,
        progress_at: iso(AT_MS),
        progress_at_source: 'first_observed',
      }),
    ]),
    ['applied', 'applied', 'rejected:duration_missing', 'rejected:missing_progress_at', 'rejected:missing_progress_at'],
  )
  t.match(user.rows('progress').slice(1), [
    {
      content_id: 'tmdb:1',
      video_id: 'tmdb:1',
      progress_key: 'tmdb:1',
      position: 600_000,
      duration: 6_000_000,
      last_watched: AT_MS,
    },
    { content_id: 'tmdb:5', video_id: 'tmdb:5:1:3', progress_key: 'tmdb:5_s1e3', season: 1, episode: 3 },
  ])
  t.strictSame(
    await bench.write('progress', 'update', [movie('2', 'tt2', at(900_000, { progress_at: iso(EARLIER_MS) }))]),
    ['rejected:older_than_stored'],
  )
  t.strictSame(
    await bench.write('progress', 'update', [movie('2', 'tt2', at(110_000, { progress_at: iso(AT_MS + 1_000) }))]),
    ['already'],
    'the service would not keep it',
  )
  t.strictSame(
    await bench.write('progress', 'update', [movie('2', 'tt2', at(900_000, { progress_at: iso(AT_MS + 1_000) }))]),
    ['applied'],
  )
  t.match(user.rows('progress')[0], { content_id: 'tt2', video_id: 'addon:2', position: 900_000, progress_key: 'tt2' })
})

t.test('the position of an episode is removed together with the copy that older apps store', async (t) => {
  await using bench = await startBench()
  const { user } = bench.nuvio
  const row = {
    content_id: 'tmdb:5',
    content_type: 'series',
    season: 1,
    episode: 3,
    position: 600_000,
    duration: 6_000_000,
    last_watched: AT_MS,
  }
  user.put('progress', { ...row, progress_key: 'tmdb:5_s1e3' })
  user.put('progress', { ...row, progress_key: 'tmdb:5' })
  user.put('progress', { ...row, episode: 4, progress_key: 'tmdb:5_s1e4' })
  const { rows } = await bench.read('progress')
  t.strictSame(await bench.write('progress', 'remove', [rows.find(({ episode: number }) => number === 3) as Item]), [
    'applied',
  ])
  t.strictSame(
    user.rows('progress').map(({ progress_key: key }) => key),
    ['tmdb:5_s1e4'],
  )
})

t.test('one bad row does not fail the others', async (t) => {
  await using bench = await startBench()
  const items = Array.from({ length: 20 }, (_, index) =>
    movie(undefined, index === 7 ? 'tt666007' : `tt${1_000 + index}`),
  )
  const outcomes = await bench.write('watchlist', 'add', items)
  t.strictSame(
    outcomes.map((outcome, index) => (index === 7 ? outcome : outcome === 'applied')),
    items.map((_, index) => (index === 7 ? 'rejected:http_422' : true)),
  )
  t.equal(bench.nuvio.user.rows('library').length, 19)
})

t.test('a batch of 500 is one write', async (t) => {
  await using bench = await startBench()
  const items = Array.from({ length: 500 }, (_, index) => movie(String(index + 1), undefined, WATCHED))
  t.ok((await bench.write('history', 'add', items)).every((outcome) => outcome === 'applied'))
  t.ok(bench.asked() <= 4)
})

t.test('a lost response is verified, and leaves no doubt only if that succeeds', async (t) => {
  await using bench = await startBench()
  const { faults, user } = bench.nuvio
  faults.add({ match: /sync_push_library_items$/, kind: 'reset', times: 1 })
  t.strictSame(await bench.write('watchlist', 'add', [movie('1')]), ['applied'])
  faults.add({ match: /sync_push_library_items$/, kind: 'reset' })
  t.strictSame(await bench.write('watchlist', 'add', [movie('2')]), ['unknown:connection_lost'])
  faults.clear()
  t.strictSame(await bench.write('watchlist', 'add', [movie('2')]), ['already'])
  t.equal(user.rows('library').length, 2)
  faults.add({ match: /sync_push_library_items$/, kind: 'status', status: 429, headers: { 'retry-after': '600' } })
  const { outcomes, retryAfterMs } = await bench.provider.write('default', {
    feature: 'watchlist',
    op: 'add',
    items: [{ key: 'a', item: movie('3') }],
  })
  t.match(outcomes, [{ outcome: 'rate_limited' }])
  t.ok((retryAfterMs ?? 0) > 590_000)
})
