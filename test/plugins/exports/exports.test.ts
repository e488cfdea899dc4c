// The exports over HTTP: options, samples and files agree for any rows.
import fc, { runsOf } from '../../fast-check.ts'
import { unzipSync } from 'fflate'
import { parse } from 'csv-parse/sync'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { openExports } from './world.ts'

const film = (id: number, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${id}`,
  year: 2000 + (id % 20),
  ids: { tmdb: String(id), imdb: `tt${String(id).padStart(7, '0')}` },
  ...more,
})
const episode = (show: number, season: number, number: number, more: Partial<Item> = {}): Item => ({
  type: 'episode',
  title: `Part ${number}`,
  ids: {},
  show_ids: { tmdb: String(show) },
  series_title: `Show ${show}`,
  season,
  episode: number,
  ...more,
})
const ALL = 'media_types=movie,show,season,episode'
const table = (text: string): readonly Record<string, string>[] => parse(text, { columns: true })

t.test('the options come from the accounts and the exporters', async (t) => {
  await using world = await openExports({
    'TRACKA@default history': [film(1, { watched_at: '2026-01-01' }), film(1, { watched_at: '2026-01-03' })],
    'TRACKA@default ratings': [film(1, { rating: 8 }), film(2, { rating: 3 })],
    'TRACKA@TRACKA-P01 ratings': [film(2, { rating: 3 }), film(3, { rating: 4 })],
    'MEDIAB@default watchlist': [],
    'SVC@default watchlist': [film(9)],
  })
  const { status, body } = await world.get('options')
  t.equal(status, 200)
  t.match(body, {
    providers: ['SVC', 'TRACKA'],
    counts: {
      TRACKA: { watchlist: 0, history: 2, ratings: 3, combined: 4 },
      SVC: { watchlist: 1, history: 0, ratings: 0, combined: 0 },
    },
    counts_instances: { TRACKA: { default: { ratings: 2, combined: 3 }, 'TRACKA-P01': { ratings: 2, combined: 2 } } },
    instances: {
      TRACKA: [
        { id: 'default', label: 'Default' },
        { id: 'TRACKA-P01', label: 'TRACKA-P01 - Kim' },
      ],
    },
    rewatches: { TRACKA: true },
    labels: { letterboxd: 'Letterboxd', metaA: 'TMDB', trackA: 'Trakt' },
    default_media_types: ['movie', 'show', 'season', 'episode'],
  })
  for (const [feature, ids] of Object.entries<string[]>(body.formats))
    for (const id of ids) t.ok(body.capabilities[id].features.includes(feature), `${id} ${feature}`)
})

// The columns that the importing services read, in order.
const IMDB_DETAILS = 'Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors'
const YAMTRACK =
  'media_id,source,media_type,title,image,season_number,episode_number,score,progress,status,start_date,end_date,notes,progressed_at'
const TRAKT =
  'type,title,year,trakt_rating,trakt_id,imdb_id,tmdb_id,tvdb_id,season,episode,show_title,show_year,show_trakt_id,show_imdb_id,show_tmdb_id,show_tvdb_id,episode_imdb_id,episode_tmdb_id,episode_tvdb_id,genres,rating'
const SIMKL = 'SIMKL_ID,Title,Type,Year,Watchlist,LastEpWatched,WatchedDate,Rating,Memo,TVDB,TMDB,IMDB'
const HEADERS: Readonly<Record<string, string>> = {
  'letterboxd watchlist': 'imdbID,tmdbID,Title,Year',
  'letterboxd history': 'imdbID,tmdbID,Title,Year,WatchedDate,Rewatch',
  'letterboxd ratings': 'imdbID,tmdbID,Title,Year,Rating10',
  'letterboxd combined': 'imdbID,tmdbID,Title,Year,Rating10,WatchedDate,Rewatch',
  'imdb watchlist': 'const',
  'justwatch watchlist': 'tmdbID,imdbID,Title,Year,Type',
  'justwatch history': 'tmdbID,imdbID,Title,Year,Type,WatchedDate,Rating,Season,Episode',
  'justwatch ratings': 'tmdbID,imdbID,Title,Year,Type,Rating,Season,Episode',
  'yamtrack watchlist': YAMTRACK,
  'yamtrack history': YAMTRACK,
  'yamtrack combined': YAMTRACK,
  'metaA watchlist': `Position,Const,Created,Modified,Description,${IMDB_DETAILS},Your Rating,Date Rated`,
  'metaA ratings': `Const,Your Rating,Date Rated,${IMDB_DETAILS}`,
  'trackA watchlist': `rated_at,${TRAKT}`,
  'trackA history': `watched_at,${TRAKT}`,
  'trackA ratings': `rated_at,${TRAKT}`,
  'trackB watchlist': SIMKL,
  'trackB history': SIMKL,
  'trackB ratings': SIMKL,
}

t.test(
  'every table has the columns that its service reads, also without rows, and TMDB those of the source',
  async (t) => {
    await using world = await openExports({
      'MEDIAB@default watchlist': [film(1)],
      'TRACKA@default ratings': [film(1, { rating: 8 })],
      'TRACKB@default ratings': [film(1, { rating: 8 })],
    })
    const { body } = await world.get('options')
    const offered = Object.entries<string[]>(body.formats).flatMap(([feature, ids]) =>
      ids.map((id) => `${id} ${feature}`),
    )
    t.same(
      offered.filter((name) => !/^(?:json|ics) /.test(name)).sort(),
      Object.keys(HEADERS).sort(),
      'no table is forgotten here',
    )
    const headerOf = async (provider: string, name: string) => {
      const [format, feature] = name.split(' ')
      const { text, headers } = await world.file(`provider=${provider}&format=${format}&feature=${feature}&q=nothing`)
      t.equal(headers['content-type'], 'text/csv; charset=utf-8')
      t.ok(text.endsWith('\n') && !/[\r\ufeff]/.test(text))
      return text.slice(0, -1)
    }
    for (const [name, header] of Object.entries(HEADERS)) t.equal(await headerOf('MEDIAB', name), header, name)
    t.equal(await headerOf('TRACKA', 'metaA ratings'), `rated_at,${TRAKT}`)
    t.equal(await headerOf('TRACKB', 'metaA watchlist'), SIMKL)
  },
)

t.test('ambiguous options are never guessed', async (t) => {
  await using world = await openExports({ 'TRACKA@default watchlist': [film(1)] })
  const refused: readonly (readonly [query: string, status: number, error: string])[] = [
    ['', 422, 'provider_required'],
    ['provider=', 422, 'provider_required'],
    ['provider=NOPE', 404, 'unknown_provider'],
    ['provider=TRACKA&provider_instance=TRACKA-P09', 404, 'unknown_instance'],
    ['provider=TRACKA&format=word', 422, 'unknown_format'],
    ['provider=TRACKA&format=__proto__', 422, 'unknown_format'],
    ['provider=TRACKA&feature=likes', 422, 'unknown_feature'],
    ['provider=TRACKA&format=imdb&feature=history', 400, 'unsupported_feature'],
    ['provider=TRACKA&format=ics&feature=watchlist', 400, 'unsupported_feature'],
  ]
  for (const [query, status, error] of refused)
    for (const route of ['sample', 'file'])
      t.match(await world.get(`${route}?${query}`), { status, body: { ok: false, error } }, `${route} ${query}`)
  t.match((await world.get('sample?provider=TRACKA&format=word')).body.detail[0].msg, /There are [^.]*\bletterboxd\b/)
  for (const query of ['limit=0', 'limit=251', 'limit=x', 'include_rewatches=perhaps'])
    t.equal((await world.get(`sample?provider=TRACKA&${query}`)).status, 422, query)
  const { headers, text } = await world.file('provider=tracka&provider_instance=default&q=nothing%20like%20this')
  t.equal(text, 'imdbID,tmdbID,Title,Year\n', 'an empty selection has the header alone')
  t.match(headers, {
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    'content-disposition': /^attachment; filename="letterboxd_watchlist_TRACKA_\d{8}\.csv"$/,
  })
})

t.test('Letterboxd: ratings on its own scale, dates without times, rewatches, and only films', async (t) => {
  await using world = await openExports({
    'TRACKA@default history': [
      film(1, { watched_at: '2026-02-03T23:30:00Z' }),
      episode(5, 1, 1, { watched_at: '2026-01-01T00:00:00Z' }),
      film(1, { watched_at: '2026-01-02' }),
      film(2, { title: 'Say "Cheese", Bob\nand go', watched_at: '2026-01-05T10:00:00Z' }),
    ],
    'TRACKA@default ratings': [film(1, { rating: 8, rated_at: '2026-01-04' }), film(7, { rating: 10 })],
  })
  const history = await world.file('provider=TRACKA&feature=history')
  t.strictSame(table(history.text), [
    { imdbID: 'tt0000001', tmdbID: '1', Title: 'Film 1', Year: '2001', WatchedDate: '2026-02-03', Rewatch: 'true' },
    { imdbID: 'tt0000001', tmdbID: '1', Title: 'Film 1', Year: '2001', WatchedDate: '2026-01-02', Rewatch: '' },
    {
      imdbID: 'tt0000002',
      tmdbID: '2',
      Title: 'Say "Cheese", Bob\nand go',
      Year: '2002',
      WatchedDate: '2026-01-05',
      Rewatch: '',
    },
  ])
  const once = await world.file('provider=TRACKA&feature=history&include_rewatches=false&include_watched_date=false')
  t.match(once.text, /^imdbID,tmdbID,Title,Year,Rewatch\n/)
  t.equal(table(once.text).length, 2)
  const combined = table((await world.file('provider=TRACKA&feature=combined')).text)
  t.strictSame(
    combined.map((row) => [row['tmdbID'], row['Rating10'], row['WatchedDate']]),
    [
      ['1', '8', '2026-02-03'],
      ['1', '8', '2026-01-02'],
      ['2', '', '2026-01-05'],
      ['7', '10', ''],
    ],
  )
  t.notMatch((await world.file('provider=TRACKA&feature=ratings')).text, /[,\n]Rating[,\n]/)
})

t.test('Yamtrack: shows and seasons come before their episodes, and are added where they are missing', async (t) => {
  await using world = await openExports({
    'SVC@default history': [
      episode(2, 1, 2, { watched_at: '2026-01-02T03:04:05Z' }),
      film(1, { watched_at: '2026-01-01' }),
      episode(3, 1, 1, { watched_at: '2026-01-02T03:04:05Z' }),
      { type: 'show', title: 'Show 2', ids: { tmdb: '2' }, watched_at: '2026-01-09T00:00:00Z' },
      episode(2, 1, 1, { watched_at: '2026-01-02T02:00:00Z' }),
      episode(2, 2, 1, { watched_at: '2026-01-03T02:00:00Z' }),
      episode(4, 1, 1, { show_ids: { tvdb: '4' }, watched_at: '2026-01-03T02:00:00Z' }),
    ],
  })
  const query = `provider=SVC&feature=history&format=yamtrack&${ALL}`
  const rows = table((await world.file(query)).text)
  t.strictSame(
    rows.map((row) =>
      [row['media_id'], row['media_type'], row['season_number'], row['episode_number'], row['status']].join(' ').trim(),
    ),
    [
      '1 movie   Completed',
      '2 tv   Completed',
      '2 season 1  In progress',
      '2 episode 1 1',
      '2 episode 1 2',
      '2 season 2  In progress',
      '2 episode 2 1',
      '3 tv   In progress',
      '3 season 1  In progress',
      '3 episode 1 1',
    ],
  )
  t.same([...new Set(rows.map(({ source }) => source))], ['tmdb'])
  t.match(rows[0], { end_date: '2026-01-01', progressed_at: '2026-01-01' }, 'no time is made up')
  t.match(rows[3], { end_date: '2026-01-02 02:00:00+00:00' })
  const { body } = await world.get(`sample?${query}`)
  t.match(body, {
    total: 10,
    row_total: 6,
    matched_total: 7,
    dropped_total: 1,
    validation: { missing_required_id_total: 1 },
  })
})

t.test('TMDB: each provider in the table that TMDB knows it by', async (t) => {
  const rated = [film(1, { rating: 7, rated_at: '2026-01-02T10:00:00Z' }), film(2, { ids: { tmdb: '2' }, rating: 3 })]
  await using world = await openExports({
    'TRACKA@default ratings': [...rated, episode(9, 2, 3, { ids: { imdb: 'tt0000099' }, rating: 5 })],
    'TRACKB@default ratings': rated,
    'MEDIAB@default ratings': rated,
    'MEDIAB@default watchlist': [film(4), film(5)],
  })
  const get = async (provider: string, feature = 'ratings') =>
    table((await world.file(`provider=${provider}&feature=${feature}&format=metaA&${ALL}`)).text)
  t.match(await get('MEDIAB'), [
    { Const: 'tt0000001', 'Your Rating': '7', 'Date Rated': '2026-01-02', 'Title Type': 'movie' },
  ])
  t.equal((await get('MEDIAB')).length, 1, 'without an IMDb id there is no row')
  t.strictSame(
    (await get('MEDIAB', 'watchlist')).map(({ Position, Const }) => [Position, Const]),
    [
      ['1', 'tt0000004'],
      ['2', 'tt0000005'],
    ],
  )
  t.match(await get('TRACKA'), [
    { type: 'movie', rating: '7', rated_at: '2026-01-02T10:00:00Z', tmdb_id: '1' },
    { type: 'movie', tmdb_id: '2' },
    { type: 'episode', season: '2', episode: '3', show_tmdb_id: '9', episode_imdb_id: 'tt0000099', rating: '5' },
  ])
  t.match(await get('TRACKB'), [{ Type: 'Movie', Rating: '7', WatchedDate: '2026-01-02', TMDB: '1' }, { TMDB: '2' }])
})

t.test('IMDb accepts ids only, and the generic list every kind with its numbers', async (t) => {
  await using world = await openExports({
    'SVC@default watchlist': [film(1), film(2, { ids: { tmdb: '2' } }), { type: 'season', ids: {}, season: 1 }],
    'SVC@default history': [
      film(3, { watched_at: '2026-01-02T23:59:59Z' }),
      episode(4, 2, 3, { watched_at: '2026-01-03' }),
      film(5),
    ],
  })
  const imdb = `provider=SVC&format=imdb&${ALL}`
  t.equal((await world.file(imdb)).text, 'const\ntt0000001\n')
  t.match((await world.get(`sample?${imdb}`)).body, {
    total: 1,
    matched_total: 3,
    dropped_total: 2,
    validation: { missing_required_id_total: 1, missing_identity_total: 1 },
  })
  const history = `provider=SVC&format=justwatch&feature=history&${ALL}`
  t.equal(
    (await world.file(history)).text,
    [
      'tmdbID,imdbID,Title,Year,Type,WatchedDate,Rating,Season,Episode',
      '3,tt0000003,Film 3,2003,movie,2026-01-02,,,',
      '4,,Show 4,,episode,2026-01-03,,2,3',
      '5,tt0000005,Film 5,2005,movie,,,,',
      '',
    ].join('\n'),
  )
  t.match((await world.get(`sample?${history}`)).body, { total: 3, validation: { invalid_watched_date_total: 1 } })
})

t.test('the calendar contains plays with their times, and folds and escapes its lines', async (t) => {
  await using world = await openExports({
    'SVC@default history': [
      film(1, { title: `Née; ${'ö'.repeat(60)}, \\ and\nmore`, watched_at: '2026-02-03T23:30:00Z' }),
      episode(3, 1, 2, { watched_at: '2026-01-02' }),
      film(4),
    ],
  })
  const { text } = await world.file(`provider=SVC&feature=history&format=ics&${ALL}`)
  const lines = text.split('\r\n')
  t.ok(lines.every((line) => Buffer.byteLength(line) <= 75))
  t.equal(lines.filter((line) => line === 'BEGIN:VEVENT').length, 2)
  const unfolded = text.replaceAll('\r\n ', '')
  t.match(unfolded, /SUMMARY:Née\\; ö{60}\\, \\\\ and\\nmore \(2001\)\r\n/)
  t.match(unfolded, 'DTSTART:20260203T233000Z')
  t.match(unfolded, 'DTSTART;VALUE=DATE:20260102')
  t.match(unfolded, 'SUMMARY:Show 3 S01E02 Part 2')
})

t.test('rows of several profiles are merged: the one with more ids wins, the other fills its gaps', async (t) => {
  await using world = await openExports({
    'TRACKA@default ratings': [film(1, { ids: { tmdb: '1' }, title: 'Poor', rating: 3, rated_at: '2026-01-01' })],
    'TRACKA@TRACKA-P01 ratings': [film(1, { title: 'Rich', rating: 9 }), film(2, { rating: 5 })],
  })
  const rows = table((await world.file('provider=TRACKA&provider_instance=all&feature=ratings&format=letterboxd')).text)
  t.match(rows, [{ imdbID: 'tt0000001', Title: 'Rich', Rating10: '9' }, { Title: 'Film 2' }])
  t.equal(rows.length, 2)
  const one = table((await world.file('provider=TRACKA&provider_instance=default&feature=ratings')).text)
  t.match(one, [{ Title: 'Poor', Rating10: '3' }])
})

t.test('selected rows: by words, by keys with commas, and by lists that are too long for an address', async (t) => {
  const all = Array.from({ length: 2_500 }, (_, index) => film(index + 1, index === 0 ? { title: 'Née Straße' } : {}))
  await using world = await openExports({ 'TRACKA@default watchlist': all, 'SVC@default watchlist': [film(1)] })
  const count = async (query: string) => table((await world.file(`provider=TRACKA&${query}`)).text).length
  t.equal(await count('q=film%2025%20tmdb:250'), 2)
  t.equal(await count('q=tmdb:2500'), 1)
  t.equal(await count('q=STRASSE%20nee'), 1)
  t.equal(await count('ids=movie:tmdb:3,movie:tmdb:7,movie:tmdb:99999&q=nothing'), 2)
  t.equal(await count('ids=movie:tmdb:3&ids=movie:tmdb:4'), 2)
  const ids = all.slice(0, 2_000).map(({ ids: { tmdb } }) => `movie:tmdb:${tmdb}`)
  const { payload, statusCode } = await world.host.inject({
    method: 'POST',
    url: '/api/export/file',
    payload: { provider: 'TRACKA', ids },
  })
  t.strictSame([statusCode, table(payload).length], [200, 2_000])
  const { body } = await world.get('sample?provider=TRACKA&limit=250')
  t.match([body.total, body.items.length], [2_500, 250])
  t.equal(body.preview_csv.split('\n').length, 12)
  const before = world.state.reads
  await world.get('sample?provider=TRACKA&q=film%201')
  t.equal(world.state.reads, before, 'the rows are collected once for each state')
  world.change({ 'TRACKA@default watchlist': all.slice(0, 5) })
  t.equal((await world.get('sample?provider=TRACKA')).body.total, 5)
})

t.test('a file that is too large is split into whole files', async (t) => {
  const all = Array.from({ length: 30_000 }, (_, index) =>
    film(index + 1, { title: `A film with the number ${index}, "quoted"` }),
  )
  await using world = await openExports({ 'TRACKA@default watchlist': all })
  const { body } = await world.get('sample?provider=TRACKA')
  t.match(body.warnings.join(), 'split=true')
  const whole = await world.file('provider=TRACKA')
  t.equal(whole.bytes.length, body.size_bytes)
  const { bytes, headers } = await world.file('provider=TRACKA&split=true')
  t.match(headers['content-disposition'], /\.zip"$/)
  const parts = Object.entries(unzipSync(new Uint8Array(bytes)))
  t.ok(parts.length > 1 && parts.every(([name, part]) => /_part\d+\.csv$/.test(name) && part.length <= 1_000_000))
  const texts = parts.map(([, part]) => new TextDecoder().decode(part))
  t.ok(texts.every((text) => text.startsWith('imdbID,tmdbID,Title,Year\n')))
  t.equal('imdbID,tmdbID,Title,Year\n' + texts.map((text) => text.replace(/^.*\n/, '')).join(''), whole.text)
})

t.test('titles that spreadsheets treat as formulas are named, and quoted only on request', async (t) => {
  await using world = await openExports({
    'TRACKA@default watchlist': [film(1, { title: '=HYPERLINK("x")' }), film(2)],
  })
  t.match((await world.get('sample?provider=TRACKA')).body, {
    validation: { formula_title_total: 1 },
    warnings: [/formula|begins? with =/],
  })
  t.match((await world.file('provider=TRACKA')).text, ',"=HYPERLINK(""x"")",')
  t.match((await world.file('provider=TRACKA&spreadsheet=true')).text, `,"'=HYPERLINK(""x"")",`)
})

// Realistic rows: without titles, ids or times, parts of shows, unusual texts, duplicate plays.
const text = fc.oneof(
  fc.constantFrom('', ' ', '"', 'a,b', 'line\nbreak', 'carriage\rreturn', '=1+1', "'", 'שלום', '東京', '😀', '\ud800'),
  fc.string({ maxLength: 12 }),
)
const items: fc.Arbitrary<Item> = fc
  .record({
    type: fc.constantFrom('movie' as const, 'show' as const, 'season' as const, 'episode' as const, 'anime' as const),
    title: fc.option(text, { nil: undefined }),
    series_title: fc.option(text, { nil: undefined }),
    year: fc.option(fc.integer({ min: 1900, max: 2030 }), { nil: undefined }),
    tmdb: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    imdb: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    show: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    season: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    episode: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    rating: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
    at: fc.option(fc.constantFrom('2026-01-01', '2026-01-01T10:00:00Z', '2026-01-02T10:00:00.123Z'), {
      nil: undefined,
    }),
  })
  .map(({ type, title, series_title, year, tmdb, imdb, show, season, episode: number, rating, at }) => {
    const isPart = type === 'season' || type === 'episode'
    const set = Object.entries({
      title,
      year,
      rating,
      watched_at: at,
      rated_at: rating === undefined ? undefined : at,
      ...(isPart ? { series_title, season, ...(type === 'episode' ? { episode: number } : {}) } : {}),
    }).filter(([, value]) => value !== undefined)
    return {
      type,
      ids: {
        ...(tmdb === undefined ? {} : { tmdb: String(tmdb) }),
        ...(imdb === undefined ? {} : { imdb: `tt${imdb}` }),
      },
      ...(isPart && show !== undefined ? { show_ids: { tmdb: String(show) } } : {}),
      ...Object.fromEntries(set),
    } as Item
  })

t.test('a file has every kind unless kinds are named, and an unknown parameter is refused', async (t) => {
  await using world = await openExports({
    'SVC@default history': [
      film(1, { watched_at: '2026-01-01T10:00:00Z' }),
      episode(2, 1, 1, { watched_at: '2026-01-02T10:00:00Z' }),
      { type: 'season', ids: {}, show_ids: { tmdb: '3' }, season: 1, watched_at: '2026-01-03T10:00:00Z' },
      { type: 'show', ids: { tmdb: '4' }, watched_at: '2026-01-04T10:00:00Z' },
    ],
  })
  const query = 'provider=SVC&feature=history&format=json'
  const post = (body: object) =>
    world.host.inject({
      method: 'POST',
      url: '/api/export/file',
      payload: { provider: 'SVC', feature: 'history', format: 'json', ...body },
    })
  t.equal(JSON.parse((await world.file(query)).text).count, 4, 'as the guide says')
  t.equal(JSON.parse((await post({})).payload).count, 4)
  t.equal((await world.get(`sample?${query}`)).body.total, 4)
  t.match((await world.get('sample?provider=SVC&feature=history&format=letterboxd')).body, {
    total: 1,
    validation: { unsupported_media_total: 3 },
    warnings: [/cannot hold shows, seasons, episodes/],
  })
  t.equal(JSON.parse((await world.file(`${query}&media_types=movie`)).text).count, 1)
  for (const wrong of ['types=movie,episode', 'media_type=episode', 'media_types=episods', 'media_types=movie,x']) {
    const [name] = wrong.split('=') as [string]
    t.match(await world.get(`sample?${query}&${wrong}`), { status: 422, body: { detail: [{ loc: ['query', name] }] } })
    t.equal((await world.file(`${query}&${wrong}`)).status, 422, wrong)
  }
  t.equal((await post({ types: ['movie'] })).statusCode, 422)
  t.equal((await post({ media_types: ['episods'] })).statusCode, 422)
})

t.test('days are in the time zone of the request, otherwise of the setting', async (t) => {
  const evening = film(1, { watched_at: '2026-09-21T05:30:00Z', rated_at: '2026-09-21T05:30:00Z', rating: 8 })
  const day = film(2, { watched_at: '2026-09-21', rated_at: '2026-09-21', rating: 8 })
  // From the summer in which Germany's clocks were two hours ahead.
  const old = film(3, { watched_at: '1949-05-31T22:30:00Z', rated_at: '1949-05-31T22:30:00Z', rating: 8 })
  const stored = { 'SVC@default history': [evening, day, old], 'SVC@default ratings': [evening, day, old] }
  await using world = await openExports(stored, { time_zone: 'Asia/Tokyo' })
  t.equal((await world.get('options')).body.time_zone, 'Asia/Tokyo')
  for (const [format, feature, column] of [
    ['letterboxd', 'history', 'WatchedDate'],
    ['letterboxd', 'combined', 'WatchedDate'],
    ['justwatch', 'history', 'WatchedDate'],
    ['trackB', 'history', 'WatchedDate'],
    ['trackB', 'ratings', 'WatchedDate'],
    ['metaA', 'ratings', 'Date Rated'],
    ['yamtrack', 'history', 'end_date'],
  ] as const)
    for (const [tz, days] of Object.entries({
      '': ['2026-09-21', '2026-09-21', '1949-06-01'],
      'America/Los_Angeles': ['2026-09-20', '2026-09-21', '1949-05-31'],
      'Europe/Berlin': ['2026-09-21', '2026-09-21', '1949-06-01'],
      'Pacific/Kiritimati': ['2026-09-21', '2026-09-21', '1949-05-31'],
      UTC: ['2026-09-21', '2026-09-21', '1949-05-31'],
    })) {
      const query = `provider=SVC&feature=${feature}&format=${format}${tz === '' ? '' : `&tz=${tz}`}`
      const { text } = await world.file(query)
      t.same(
        table(text)
          .map((row) => row[column]!.slice(0, 10))
          .sort(),
        [...days].sort(),
        `${format} ${feature} ${tz}`,
      )
      t.equal((await world.get(`sample?${query}`)).body.preview_csv, text)
    }
  const times = table((await world.file('provider=SVC&feature=history&format=yamtrack&tz=America/Los_Angeles')).text)
  t.match(times.map((row) => row['end_date']).sort()[1], '2026-09-20 22:30:00-07:00', 'the same moment')
  const post = await world.host.inject({
    method: 'POST',
    url: '/api/export/file',
    payload: { provider: 'SVC', feature: 'history', tz: 'America/Los_Angeles' },
  })
  t.match(post.payload, '2026-09-20')
  for (const zone of ['Mars/Olympus', '2026-01-01T00:00Z', 'Europe', '%20x'])
    for (const path of ['sample', 'file'])
      t.match(await world.get(`${path}?provider=SVC&feature=history&tz=${zone}`), {
        status: 422,
        body: { detail: [{ loc: ['query', 'tz'] }] },
      })
  await using other = await openExports(stored, { time_zone: 'no zone' })
  t.equal((await other.file('provider=SVC&feature=history')).status, 200)
})

t.test('every format has the times of films that were watched long ago', async (t) => {
  const old = film(1, { watched_at: '1942-11-26T00:00:00Z', rated_at: '1942-11-26T00:00:00Z', rating: 8 })
  await using world = await openExports({ 'SVC@default history': [old], 'SVC@default ratings': [old] })
  for (const exporter of world.exporters.values()) {
    const { id, features } = exporter.describe()
    const feature = (['history', 'ratings'] as const).find((one) => features.includes(one))
    if (feature === undefined) continue
    const { text } = await world.file(`provider=SVC&format=${id}&feature=${feature}`)
    t.match(text, /1942-?11-?26/, `${id} ${feature}`)
  }
  t.match((await world.get('sample?provider=SVC&feature=history&format=letterboxd')).body, { warnings: [] })
})

t.test('sample and file agree row by row, for every format, feature and selection', async (t) => {
  await using world = await openExports()
  const offered = [...world.exporters.values()].flatMap((exporter) => {
    const { id, features } = exporter.describe()
    return features.map((feature) => ({ id, feature }))
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(items, { maxLength: 25 }),
      fc.array(items, { maxLength: 10 }),
      fc.constantFrom('SVC', 'TRACKA', 'TRACKB'),
      fc.constantFrom(ALL, 'media_types=movie', 'media_types=episode,season', 'media_types='),
      fc.constantFrom('', '&q=a', '&include_rewatches=false', '&include_watched_date=false'),
      async (one, two, provider, kinds, more) => {
        world.change({
          [`${provider}@default history`]: one,
          [`${provider}@P01 history`]: two,
          [`${provider}@default ratings`]: two,
          [`${provider}@default watchlist`]: [...one, ...two],
          [`${provider}@default progress`]: two,
        })
        for (const { id, feature } of offered) {
          const query = `provider=${provider}&format=${id}&feature=${feature}&${kinds}${more}`
          const [{ status, body }, file] = [await world.get(`sample?${query}&limit=250`), await world.file(query)]
          const about = `${query}\n${JSON.stringify(body)}\n${file.text}`
          if (status !== 200 || file.status !== 200) throw new Error(about)
          const lines = linesOf(id, file.text)
          const { total, row_total: rows, dropped_total: dropped, matched_total: matched, items: shown } = body
          if (lines !== total || shown.length !== rows || rows + dropped !== matched || rows > total)
            throw new Error(about)
          if (Buffer.byteLength(file.text) !== body.size_bytes) throw new Error(about)
          if (rows <= 10 && id !== 'json' && id !== 'ics' && body.preview_csv !== file.text) throw new Error(about)
        }
      },
    ),
    { numRuns: runsOf(12), endOnFailure: true },
  )
  t.same(world.host.failures, [])
})

function linesOf(format: string, text: string): number {
  if (format === 'json') return (JSON.parse(text) as { rows: object[] }).rows.length
  if (format === 'ics') return text.split('BEGIN:VEVENT').length - 1
  return table(text).length
}
