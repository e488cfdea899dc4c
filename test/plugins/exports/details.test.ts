// slow: the whole service, or very many cases
// An export in detail: names, defaults, aliases, every cell of every table, every warning.
import { parse } from 'csv-parse/sync'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { openExports } from './world.ts'

const KINDS = ['movie', 'show', 'season', 'episode']
const ALL = `media_types=${KINDS.join()}`
const table = (text: string): readonly Record<string, string>[] => parse(text, { columns: true })
/** Only the cells that are not empty. */
const filled = (text: string) =>
  table(text).map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '')))

const film: Item = {
  type: 'movie',
  title: 'Heat',
  year: 1995,
  ids: { tmdb: '949', imdb: 'tt0113277', tvdb: '11', tracka: '1', trackb: '53992' },
}
const show: Item = {
  type: 'show',
  title: 'The Wire',
  year: 2002,
  ids: { tmdb: '1438', imdb: 'tt0306414', tvdb: '79126' },
}
const anime: Item = { type: 'anime', title: 'Mushishi', year: 2005, ids: { mal: '457', tmdb: '29' } }
const ofShow = {
  show_ids: { tmdb: '1438', imdb: 'tt0306414', tvdb: '79126', tracka: '9' },
  series_title: 'The Wire',
  series_year: 2002,
} satisfies Partial<Item>
const season: Item = { type: 'season', ids: { tvdb: '55' }, season: 2, ...ofShow }
const episode: Item = {
  type: 'episode',
  title: 'The Detail',
  ids: { imdb: 'tt0749419', tmdb: '972', tvdb: '300', tracka: '73' },
  season: 1,
  episode: 2,
  ...ofShow,
}

t.test('the options list accounts, formats and their limits', async (t) => {
  await using world = await openExports({
    'TRACKA@default history': [film],
    'TRACKA@TRACKA-P01 history': [film],
    'MEDIAB@default ratings': [film],
  })
  const { body } = await world.get('options')
  t.same(body.provider_labels, { MEDIAB: 'The MEDIAB', TRACKA: 'The TRACKA' })
  t.same(body.rewatches, { MEDIAB: false, TRACKA: true })
  t.same([body.media_types, body.default_media_types], [KINDS, KINDS])
  t.same(body.instances.TRACKA[1], { id: 'TRACKA-P01', label: 'TRACKA-P01 - Kim' })
  const of = (media_types: readonly string[], extension = 'csv', max_bytes: number | null = null) => ({
    media_types,
    extension,
    max_bytes,
  })
  const limits = Object.fromEntries(
    Object.entries<any>(body.capabilities).map(([id, { features: _, ...rest }]) => [id, rest]),
  )
  t.same(limits, {
    letterboxd: of(['movie'], 'csv', 1_000_000),
    imdb: of(KINDS),
    justwatch: of(KINDS),
    yamtrack: of(KINDS),
    metaA: of(KINDS),
    trackA: of(KINDS),
    trackB: of(['movie', 'show']),
    json: of(KINDS, 'json'),
    ics: of(KINDS, 'ics'),
  })
  const features = Object.fromEntries(Object.entries<any>(body.capabilities).map(([id, one]) => [id, one.features]))
  t.match(features, {
    letterboxd: ['watchlist', 'history', 'ratings', 'combined'],
    imdb: ['watchlist'],
    justwatch: ['watchlist', 'history', 'ratings'],
    yamtrack: ['watchlist', 'history', 'combined'],
    metaA: ['watchlist', 'ratings'],
  })
  t.equal(body.labels.justwatch, 'Generic list', 'no service of that name documents an import')
})

t.test('defaults, aliases and names in any case are accepted', async (t) => {
  await using world = await openExports({
    'TRACKA@default watchlist': [film, show, season, episode],
    'TRACKA@TRACKA-P01 watchlist': [{ ...film, ids: { tmdb: '2' }, title: 'Other' }],
    'TRACKA@default history': [film],
  })
  const sample = async (query: string) => (await world.get(`sample?provider=TRACKA&${query}`)).body
  const first = await sample('')
  t.match(first, { total: 2, media_types: KINDS, columns: ['imdbID', 'tmdbID', 'Title', 'Year'] })
  for (const all of ['all', 'any', '*', 'ALL']) t.equal((await sample(`provider_instance=${all}`)).total, 2, all)
  for (const [alias, kinds] of Object.entries({
    ...{ 'movies,show': 'movie show', 'film,show': 'movie show', 'films,tv': 'movie show', Movies: 'movie' },
    ...{ series: 'show', shows: 'show', 'seasons,episodes': 'season episode', ' tv , ': 'show' },
    ...Object.fromEntries(['', ',', 'all', 'movie,*'].map((name) => [name, KINDS.join(' ')])),
  }))
    t.same((await sample(`format=json&media_types=${alias}`)).media_types, kinds.split(' '), alias)
  const token = await world.file('provider=trackA&format=LETTERBOXD')
  t.match(token.headers['content-disposition'], /"letterboxd_watchlist_TRACKA_\d{8}\.csv"/)
  const tmdb = await world.file('provider=TRACKA&format=tmdb')
  t.match(tmdb.headers['content-disposition'], /"metaA_watchlist_TRACKA_\d{8}\.csv"/, 'in columns of another format')
  const chosen = await world.file('provider=TRACKA&format=json&media_types=movie&ids=movie:tmdb:949,show:tmdb:1438')
  t.equal(JSON.parse(chosen.text).count, 1, 'chosen rows are limited to the media types')
  const [one, both] = await Promise.all(
    ['provider_instance=default', ''].map((query) => world.file(`provider=TRACKA&format=json&${query}`)),
  )
  t.same([JSON.parse(one!.text).instance, JSON.parse(both!.text).instance], ['default', 'all'])
})

t.test('a row of the sample matches the row of the account', async (t) => {
  await using world = await openExports({
    'MEDIAB@default history': [
      { ...film, watched_at: '2026-01-02T03:04:05Z' },
      { ...episode, title: null, watched_at: '2026-01-03' },
      { ...show, rated_at: '2026-01-04', rating: 7 },
    ],
  })
  const { body } = await world.get(`sample?provider=MEDIAB&feature=history&format=json&${ALL}&include_rewatches=false`)
  t.match(body, { rewatches_supported: false, include_rewatches: false, media_types: KINDS, dates_optional: false })
  t.match(body.items, [
    { type: 'movie', title: 'Heat', year: '1995', watched_at: '2026-01-02T03:04:05Z', rating: null },
    { type: 'episode', title: 'The Wire', year: '2002', season: 1, episode: 2, series_title: 'The Wire' },
    { type: 'show', watched_at: '2026-01-04', rating: 7 },
  ])
  const dated = await world.get('sample?provider=MEDIAB&feature=history&include_watched_date=false')
  t.match(dated.body, { dates_optional: true, columns: ['imdbID', 'tmdbID', 'Title', 'Year', 'Rewatch'] })
  t.equal((await world.get(`sample?provider=MEDIAB&feature=history&format=json&${ALL}&limit=2`)).body.items.length, 2)
})

t.test('everything that a file omits or leaves empty has a warning', async (t) => {
  await using world = await openExports({
    'SVC@default history': [
      film,
      show,
      { type: 'movie', ids: {} },
      { ...episode, show_ids: {}, watched_at: '2026-01-01' },
    ],
    'SVC@default watchlist': [
      { ...film, title: '=1+1' },
      { ...show, ids: { tmdb: '2' } },
    ],
  })
  const warnings = async (query: string) => (await world.get(`sample?provider=SVC&${query}`)).body
  const letterboxd = await warnings(`feature=history&${ALL}`)
  t.same(letterboxd.warnings, [
    'Letterboxd files cannot hold shows, seasons, episodes; they are left out.',
    'Left out, of other media types: 2.',
    'Left out, without a title and an id: 1.',
    'Without a date, which the file leaves empty: 1.',
  ])
  t.match(letterboxd.validation, {
    matched_total: 4,
    unsupported_media_total: 2,
    missing_identity_total: 1,
    invalid_watched_date_total: 1,
  })
  t.match(await warnings(`feature=history&format=yamtrack&${ALL}`), {
    warnings: ['Left out, without a title and an id: 1.', 'Left out, without the id that Yamtrack needs: 1.'],
    validation: { missing_required_id_total: 1 },
  })
  t.match(await warnings(`feature=history&format=ics&${ALL}`), {
    warnings: ['Left out, without a title and an id: 1.', 'Left out, without a time: 2.'],
    validation: { missing_watched_at_total: 2 },
  })
  t.match((await warnings(`format=imdb&${ALL}`)).warnings, [/needs: 1/, /begin with =/])
  t.notMatch(
    (await warnings('spreadsheet=true')).warnings.join(),
    'begin with',
    'a spreadsheet gets apostrophes instead',
  )
})

t.test('Trakt: each kind with its own ids and those of its show', async (t) => {
  await using world = await openExports({
    'SVC@default ratings': [film, season, episode].map((item) => ({ ...item, rating: 8, rated_at: '2026-01-02' })),
    'SVC@default watchlist': [{ ...film, rating: 8, rated_at: '2026-01-02', show_ids: { tmdb: '5' } }],
    'SVC@default history': [{ ...film, watched_at: '2026-01-03T00:00:00Z', rating: 8 }, show],
  })
  const rows = async (feature: string) =>
    filled((await world.file(`provider=SVC&format=trackA&feature=${feature}&${ALL}`)).text)
  const own = { trakt_id: '1', imdb_id: 'tt0113277', tmdb_id: '949', tvdb_id: '11' }
  const ofShows = {
    ...{ show_title: 'The Wire', show_year: '2002', show_trakt_id: '9' },
    ...{ show_imdb_id: 'tt0306414', show_tmdb_id: '1438', show_tvdb_id: '79126' },
  }
  const rated = { rating: '8', rated_at: '2026-01-02' }
  t.strictSame(await rows('ratings'), [
    { ...rated, type: 'movie', title: 'Heat', year: '1995', ...own },
    { ...rated, type: 'season', season: '2', tvdb_id: '55', ...ofShows },
    {
      ...rated,
      ...{ type: 'episode', title: 'The Detail', season: '1', episode: '2' },
      ...{ trakt_id: '73', imdb_id: 'tt0749419', tmdb_id: '972', tvdb_id: '300' },
      ...ofShows,
      ...{ episode_imdb_id: 'tt0749419', episode_tmdb_id: '972', episode_tvdb_id: '300' },
    },
  ])
  t.strictSame(await rows('watchlist'), [{ type: 'movie', title: 'Heat', year: '1995', ...own }])
  t.match(await rows('history'), [{ watched_at: '2026-01-03T00:00:00Z' }, { type: 'show' }])
  t.notMatch(await rows('history'), [{ rating: '8' }])
  const { body } = await world.get(`sample?provider=SVC&format=trackA&feature=history&${ALL}`)
  t.equal(body.validation.invalid_watched_date_total, 1)
})

t.test('SIMKL: films, shows and anime with their lists, and never a single episode', async (t) => {
  const rated = { rating: 7, rated_at: '2026-01-02T10:00:00Z', watched_at: '2026-03-04' }
  await using world = await openExports(
    Object.fromEntries(
      ['watchlist', 'history', 'ratings'].map((feature) => [
        `SVC@default ${feature}`,
        [film, show, anime, episode].map((item) => ({ ...item, ...rated })),
      ]),
    ),
  )
  const rows = async (feature: string) =>
    filled((await world.file(`provider=SVC&format=trackB&feature=${feature}&${ALL}`)).text)
  const known = [
    { SIMKL_ID: '53992', Title: 'Heat', Type: 'Movie', Year: '1995', TVDB: '11', TMDB: '949', IMDB: 'tt0113277' },
    { Title: 'The Wire', Type: 'Show', Year: '2002', TVDB: '79126', TMDB: '1438', IMDB: 'tt0306414' },
    { Title: 'Mushishi', Type: 'Anime', Year: '2005', TMDB: '29' },
  ]
  const each = (more: object) => known.map((one) => ({ ...one, ...more }))
  t.same(await rows('watchlist'), each({ Watchlist: '1' }))
  t.same(await rows('history'), each({ Watchlist: 'completed', WatchedDate: '2026-03-04' }))
  t.same(await rows('ratings'), each({ Rating: '7', WatchedDate: '2026-01-02' }))

  const { watched_at: _at, ...undated } = { ...film, ...rated, added_at: '2026-01-01' }
  await using unknown = await openExports({ 'SVC@default history': [{ ...undated, watched: true }] })
  t.same(
    filled((await unknown.file(`provider=SVC&format=trackB&feature=history&${ALL}`)).text),
    [{ ...known[0], Watchlist: 'completed' }],
    'when it was rated or added is no time at which it was watched',
  )
})

t.test('TMDB, columns of IMDb: every kind by its word, the date of the rating, or of the play', async (t) => {
  await using world = await openExports({
    'SVC@default ratings': [
      { ...film, rating: 8, rated_at: '2026-01-02T10:00:00Z' },
      { ...show, rating: 7, watched_at: '2026-01-03' },
      { ...episode, rating: 6 },
    ],
    'SVC@default watchlist': [{ ...film, rating: 8, rated_at: '2026-01-02' }],
  })
  const rows = async (feature: string) =>
    filled((await world.file(`provider=SVC&format=metaA&feature=${feature}&${ALL}`)).text)
  const cells = (Const: string, Title: string, type: string) => ({
    ...{ Const, Title, 'Title Type': type },
    URL: `https://www.imdb.com/title/${Const}/`,
  })
  const heat = { ...cells('tt0113277', 'Heat', 'movie'), Year: '1995' }
  t.same(await rows('ratings'), [
    { ...heat, 'Your Rating': '8', 'Date Rated': '2026-01-02' },
    { ...cells('tt0306414', 'The Wire', 'tvSeries'), Year: '2002', 'Your Rating': '7', 'Date Rated': '2026-01-03' },
    { ...cells('tt0749419', 'The Detail', 'tvEpisode'), Year: '2002', 'Your Rating': '6' },
  ])
  t.same(await rows('watchlist'), [{ ...heat, Position: '1' }])
})

t.test('Yamtrack: status, score and titles by the kind; unsupported rows are omitted', async (t) => {
  const at = { watched_at: '2026-01-02T03:04:05Z' }
  await using world = await openExports({
    'SVC@default history': [
      { ...film, ids: { tmdb: '1438' }, ...at, rating: 9 },
      { ...film, title: 'Without an id', ids: { imdb: 'tt1' }, ...at },
      { ...episode, ...at, rating: 5 },
      { ...season, season: 3, ...at },
      { type: 'episode', ids: {}, ...ofShow, ...at },
    ],
    'SVC@default ratings': [{ ...show, rating: 7 }],
    'SVC@default watchlist': [film, season, episode],
  })
  const rows = async (feature: string) =>
    filled((await world.file(`provider=SVC&format=yamtrack&feature=${feature}&${ALL}`)).text)
  const tmdb = { source: 'tmdb' }
  const wire = { ...tmdb, media_id: '1438', title: 'The Wire' }
  const when = { end_date: '2026-01-02 03:04:05+00:00', progressed_at: '2026-01-02 03:04:05+00:00' }
  const parts = [
    { ...wire, media_type: 'tv', status: 'In progress' },
    { ...wire, media_type: 'season', season_number: '1', status: 'In progress' },
    { ...wire, media_type: 'episode', season_number: '1', episode_number: '2', ...when },
    { ...wire, media_type: 'season', season_number: '3', status: 'Completed', ...when },
  ]
  const films = [
    { ...tmdb, media_type: 'movie', title: 'Without an id', status: 'Completed', ...when },
    { ...tmdb, media_id: '1438', media_type: 'movie', title: 'Heat', score: '9', status: 'Completed', ...when },
  ]
  t.same(await rows('history'), [...films, ...parts], 'a film with the number of the show is no parent')
  t.same(await rows('combined'), [...films, ...parts], 'nothing that was only rated')
  t.same(await rows('watchlist'), [
    { ...tmdb, media_id: '949', media_type: 'movie', title: 'Heat', status: 'Planning' },
    { ...wire, media_type: 'tv', status: 'In progress' },
    { ...wire, media_type: 'season', season_number: '2', status: 'Planning' },
  ])
})

t.test('the generic list has the ids of the show for its parts, and ratings', async (t) => {
  await using world = await openExports({
    'SVC@default ratings': [
      { ...anime, rating: 4 },
      { ...episode, rating: 8 },
    ],
  })
  t.same(filled((await world.file(`provider=SVC&format=justwatch&feature=ratings&${ALL}`)).text), [
    { tmdbID: '29', Title: 'Mushishi', Year: '2005', Type: 'show', Rating: '4' },
    {
      ...{ tmdbID: '1438', imdbID: 'tt0306414', Title: 'The Wire', Year: '2002', Type: 'episode', Rating: '8' },
      ...{ Season: '1', Episode: '2' },
    },
  ])
})

t.test('cells are quoted only where they must be, and a title of spaces is empty', async (t) => {
  await using world = await openExports({
    'SVC@default watchlist': [
      ...['plain', 'a,b', 'say "x"', 'line\nbreak', 'carriage\rreturn', 'Ünï', " '"].map((title, index) => ({
        ...{ type: 'movie' as const, title, ids: { tmdb: String(index) } },
      })),
      { ...episode, title: '  ' },
    ],
  })
  const { text } = await world.file('provider=SVC')
  const quoted = ['plain', '"a,b"', '"say ""x"""', '"line\nbreak"', '"carriage\rreturn"', 'Ünï', "'"]
  t.equal(text, `imdbID,tmdbID,Title,Year\n${quoted.map((title, index) => `,${index},${title},\n`).join('')}`)
  const rows = filled((await world.file('provider=SVC&format=metaA&media_types=episode')).text)
  t.match(rows, [{ Title: 'The Wire' }])
})

t.test('events of the calendar are the same each time, and others at another account', async (t) => {
  const history = [{ ...film, watched_at: '2026-02-03T23:30:00Z' }]
  await using world = await openExports({ 'SVC@default history': history, 'TRACKA@default history': history })
  const uid = async (provider: string) =>
    /UID:(.+)/.exec((await world.file(`provider=${provider}&feature=history&format=ics`)).text)?.[1]
  t.equal(await uid('SVC'), await uid('SVC'))
  t.not(await uid('SVC'), await uid('TRACKA'))
  const { text } = await world.file('provider=SVC&feature=history&format=ics')
  t.match(text, '\r\nTRANSP:TRANSPARENT\r\n', 'nobody is busy because of a film of then')
})
