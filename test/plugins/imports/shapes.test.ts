// Variants of the services' files: renamed columns, other column orders, unusual rows. The files are handmade, see
// docs/reference/formats.md.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { linesIn } from './lines.ts'
import { bytesOf, openImports } from './world.ts'

const world = await openImports()
atEndOfFile(() => world.host.close())
const linesOf = linesIn(world)

// Since 2025 the ids are ordered by length, with Plex's in between.
const traktIds = (trakt: number, tmdb: number, imdb: string | null = null) => ({
  imdb,
  plex: { guid: imdb === null ? null : '5d77', slug: 'x' },
  slug: `work-${trakt}`,
  tmdb,
  tvdb: null,
  trakt,
})

t.test('Trakt, ids in their new order; a short history is one file without a number', async (t) => {
  const history = [
    {
      id: 12,
      watched_at: '2026-04-01T11:10:00.000Z',
      action: 'watch',
      type: 'episode',
      episode: { ids: traktIds(73, 972), title: 'The Detail', number: 2, season: 0 },
      show: { ids: traktIds(9, 1438, 'tt0306414'), year: 2002, title: 'The Wire', aired_episodes: 60 },
    },
    {
      id: 11,
      watched_at: '1970-01-01T00:00:00.000Z',
      action: 'watch',
      type: 'movie',
      movie: { ids: traktIds(1, 949), year: 1995, title: 'Heat' },
    },
  ]
  // Without seasons: only the history has the episodes.
  const shows = [
    { show: { ids: traktIds(9, 1438), title: 'The Wire' }, plays: 1, last_watched_at: '2026-04-01T11:10:00Z' },
  ]
  const listed = [
    {
      type: 'movie',
      movie: { ids: traktIds(5, 11645), year: 1985, title: 'Ran' },
      rank: 1,
      listed_at: '2024-09-11T07:45:03.000Z',
      notes: null,
      my_rating: null,
    },
  ]
  const { body, lines } = await linesOf({
    'watched-history.json': JSON.stringify(history),
    'watched-shows.json': JSON.stringify(shows),
    'ratings-movies.json': '[]',
    'lists-watchlist-1.json': JSON.stringify(listed),
    'lists-list-4242-rewatch-soon.json': JSON.stringify(listed),
    'user-settings.json': '{}',
  })
  t.equal(body.format, 'trakt')
  t.strictSame(lines, [
    'history episode tmdb:1438 s0e2 2026-04-01T11:10:00Z',
    'history movie tmdb:949 no time',
    'watchlist movie tmdb:11645',
  ])
  const single = await linesOf(JSON.stringify(listed), 'lists-watchlist.json')
  t.match([single.body.format, single.lines], ['trakt', ['watchlist movie tmdb:11645']])
})

const TRACKING_V2 =
  'episode_number,user_id,ep_no,gsi,created_at,episode_id,s_no,series_name,bulk_type,ep_id,runtime,key,s_id,season_number,movie_watch_count,series_follow_count,updated_at,ep_watch_count,total_movies_runtime,total_series_runtime,most_recent_ep_watched,is_for_later,uuid,is_archived,is_followed,followed_at,rewatch_count,is_unitary,is_special'
const v2 = (values: Readonly<Record<string, string | number>>) =>
  TRACKING_V2.split(',')
    .map((column) => values[column] ?? '')
    .join()
const play = (key: string, at: string, more = {}) =>
  v2({
    key: `${key}-00aa`,
    s_id: 79126,
    series_name: 'The Wire',
    season_number: 1,
    episode_number: 1,
    created_at: at,
    updated_at: at,
    ...more,
  })
const show = (tvdb: number, name: string, more = {}) =>
  v2({ key: `user-series-${tvdb}`, s_id: tvdb, series_name: name, is_followed: 'true', ...more })

const TRACKING_V1 =
  'type-uuid-n,created_at,watch_count,series_name,type,user_id,series_id,uuid,updated_at,watches,release_date_range_key,release_date,entity_type,follow_date_range_key,runtime,movie_name,alpha_range_key,rewatch_count,episode_number,series_uuid,episode_id,season_number,watch_date'
const v1 = (values: Readonly<Record<string, string | number>>) =>
  TRACKING_V1.split(',')
    .map((column) => values[column] ?? '')
    .join()

t.test('TV Time, all files of 2026: each play once, to the second, and totals are skipped', async (t) => {
  const { body, lines } = await linesOf({
    'gdpr-data/tracking-prod-records-v2.csv': [
      TRACKING_V2,
      play('watch-episode', '2021-07-11 13:14:10'),
      play('rewatch-episode', '2023-01-01 20:00:00'),
      play('count-week', '2021-07-11 13:14:10', { episode_number: '', season_number: '' }),
      play('last-episode-watched', '2021-07-12 09:00:00'),
      show(72023, 'Deadwood', { is_for_later: 'true', created_at: '2020-01-01 10:00:00' }),
      show(1, 'Followed, never watched', { is_archived: 'false' }).replace(
        'Followed, never watched',
        '"Followed, never watched"',
      ),
      show(2, 'Given up', { is_archived: 'true' }),
      show(3, 'Counted', { ep_watch_count: 5 }),
      show(79126, 'The Wire', { ep_watch_count: 1 }),
    ].join('\r\n'),
    'gdpr-data/tracking-prod-records.csv': [
      TRACKING_V1,
      v1({ type: 'watch', entity_type: 'episode', series_id: 79126, series_name: 'The Wire', season_number: 1 }),
      v1({
        type: 'watch',
        entity_type: 'episode',
        series_id: 79126,
        series_name: 'The Wire',
        season_number: 1,
        episode_number: 1,
        created_at: '2021-07-11 13:14:10',
        watch_date: 1_626_009_250,
      }),
      v1({ type: 'rewatch_count', entity_type: 'episode', series_id: 79126, season_number: 1, episode_number: 1 }),
      v1({
        type: 'watch',
        entity_type: 'movie',
        movie_name: 'Heat',
        release_date: '0001-01-01',
        created_at: '2020-05-01 20:00:00',
      }),
      v1({ type: 'rewatch_count', entity_type: 'movie', movie_name: 'Heat', rewatch_count: 2 }),
      v1({ type: 'follow', entity_type: 'movie', alpha_range_key: 'follow-alpha-no-hard-feelings' }),
    ].join('\n'),
    'gdpr-data/watched_on_episode.csv':
      'user_id,episode_id,watched_on_source_id,created_at,updated_at,tv_show_name,episode_season_number,episode_number\n' +
      '7,300,1,2021-07-11 13:14:10,2021-07-11 13:14:10,The Wire,1,1\n',
    'gdpr-data/seen_episode_source.csv':
      'source,created_at,updated_at,tv_show_name,episode_season_number,episode_number\n' +
      'web,2021-07-11 13:14:10,2021-07-11 13:14:10,The Wire,1,1\n' +
      'web,2016-02-03 10:00:00,2016-02-03 10:00:00,The Wire,1,2\n',
    'gdpr-data/tv_show_rate.csv':
      'tv_show_id,tv_show_name,rating,created_at,updated_at\n' +
      '79126,The Wire,4.5,2020-01-01 00:00:00,2020-01-02 00:00:00\n' +
      '72023,Deadwood,0,2020-01-01 00:00:00,2020-01-02 00:00:00\n',
    'gdpr-data/ratings-live-votes.csv': 'uuid,episode_id,movie_name,vote_key\nx,0,Heat,movie-29\n',
    'gdpr-data/ip_address.csv': 'ip\n192.0.2.7\n',
  })
  t.equal(body.format, 'tvtime')
  t.strictSame(lines, [
    'history episode tvdb:79126 s1e1 2021-07-11T13:14:10Z',
    'history episode tvdb:79126 s1e1 2023-01-01T20:00:00Z',
    'history episode tvdb:79126 s1e2 2016-02-03T10:00:00Z',
    'history movie "Heat" 2020-05-01T20:00:00Z',
    'ratings show tvdb:79126 9 2020-01-02T00:00:00Z',
    'watchlist movie "no hard feelings"',
    'watchlist show tvdb:1',
    'watchlist show tvdb:72023',
  ])
  t.strictSame(body.skipped, { not_watched: 4, invalid_value: 2 }, 'and says what it left out')
})

t.test(
  'TV Time without the tracking: names of shows get the ids of the lists, unless two shows have the name',
  async (t) => {
    const { lines } = await linesOf({
      'user_tv_show_data.csv':
        'user_id,tv_show_id,is_followed,is_favorited,nb_episodes_seen,tv_show_name\n' +
        '7,79126,1,0,2,The Wire\n7,10,1,0,0,Twins\n7,11,1,0,1,Twins\n7,12,1,0,0,Planned (2005)\n',
      'followed_tv_show.csv':
        'user_id,tv_show_id,created_at,updated_at,notification_type,active,diffusion,folder_id,archived,notification_offset,tv_show_name\n' +
        '7,79126,2019-01-01 00:00:00,,1,1,x,,0,0,The Wire\n7,12,2019-01-01 00:00:00,,1,1,x,,0,0,Planned (2005)\n' +
        '7,13,2019-01-01 00:00:00,,1,1,x,,1,0,Archived\n',
      'user_show_special_status.csv':
        'user_id,tv_show_id,status,created_at,updated_at,tv_show_name\n' +
        '7,14,for_later,2019-01-01 00:00:00,,Later\n7,15,favorite,2019-01-01 00:00:00,,Loved\n',
      'watched_on_episode.csv':
        'user_id,watched_on_source_id,created_at,tv_show_name,episode_season_number,episode_number\n' +
        '7,1,2021-01-01 10:00:00,The Wire,1,1\n7,1,2021-01-02 10:00:00,Twins,1,1\n',
      'rewatched_episode.csv':
        'user_id,cpt,created_at,tv_show_name,episode_season_number,episode_number\n7,2,2022-01-01 10:00:00,The Wire,1,1\n',
    })
    t.strictSame(lines, [
      'history episode "Twins" s1e1 2021-01-02T10:00:00Z',
      'history episode tvdb:79126 s1e1 2021-01-01T10:00:00Z',
      'history episode tvdb:79126 s1e1 2022-01-01T10:00:00Z',
      'watchlist show tvdb:12',
      'watchlist show tvdb:14',
    ])
  },
)

t.test('Trakt, an archive of shows only: the last plays of their episodes, and no play of a show', async (t) => {
  const show = (trakt: number, more: object) => ({
    plays: 3,
    last_watched_at: '2024-01-03T10:00:00.000Z',
    last_updated_at: '2024-01-03T10:00:05.000Z',
    reset_at: null,
    show: { title: `Show ${trakt}`, year: 2002, ids: traktIds(trakt, trakt) },
    ...more,
  })
  const episode = (number: number) => ({ number, plays: 1, last_watched_at: `2024-01-0${number}T10:00:00.000Z` })
  const seasons = [
    { number: 0, episodes: [episode(1)] },
    { number: 1, episodes: [episode(2), { ...episode(3), last_watched_at: null }] },
  ]
  const { body, lines } = await linesOf({ 'watched-shows.json': JSON.stringify([show(1, { seasons }), show(2, {})]) })
  t.match(body, { format: 'trakt', rows: 3, matched: 2 })
  t.same(lines.toSorted(), [
    'history episode tmdb:1 s0e1 2024-01-01T10:00:00Z',
    'history episode tmdb:1 s1e2 2024-01-02T10:00:00Z',
    'history episode tmdb:1 s1e3 no time',
  ])
})

t.test('an archive with a password is refused with a message', async (t) => {
  const archive = bytesOf({ 'watched-shows.json': '[]' })
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  for (let at = 0; at + 10 < archive.length; at += 1) {
    if (view.getUint32(at, true) === 0x04034b50) archive[at + 6]! |= 1
    if (view.getUint32(at, true) === 0x02014b50) archive[at + 8]! |= 1
  }
  const { status, body } = await world.upload(archive, 'export.zip')
  t.match([status, body.error], [400, 'invalid_archive'])
  t.match(body.message ?? body.detail, /without a password/)
})

t.test('TV Time, a single file: the tracking is read, votes are not treated as plays', async (t) => {
  const { body, lines } = await linesOf(
    [TRACKING_V2, play('watch-episode', '2021-07-11 13:14:10')].join('\n').replaceAll(',', ';'),
    'my export.csv',
  )
  t.match([body.format, lines], ['tvtime', ['history episode tvdb:79126 s1e1 2021-07-11T13:14:10Z']])
  const votes =
    'series_name,season_number,episode_number,vote_key,created_at\nBarry,1,2,episode-3,2018-04-02 09:00:00\n'
  t.match(await world.upload(votes, 'ratings-v2-prod-votes.csv'), { status: 400, body: { error: 'unknown_format' } })
})

const netflix = (dates: readonly string[], header = 'Title,Date') =>
  `${header}\n${dates.map((date, index) => `"Film ${index}","${date}"`).join('\n')}\n`
async function netflixDates(dates: readonly string[]): Promise<readonly string[]> {
  const { rows } = await linesOf(netflix(dates), 'NetflixViewingHistory.csv')
  return rows.map(({ item }) => item.watched_at ?? '-')
}

t.test('Netflix: dates in national formats are read if the whole file allows one order only', async (t) => {
  for (const [country, given, read] of [
    ['United States', ['11/26/24', '1/2/24'], ['2024-11-26', '2024-01-02']],
    ['United Kingdom', ['26/11/2024', '01/02/2024'], ['2024-11-26', '2024-02-01']],
    ['Germany', ['26.11.24', '03.10.21'], ['2024-11-26', '2021-10-03']],
    ['Netherlands', ['26-11-2024', '3-10-2021'], ['2024-11-26', '2021-10-03']],
    ['Sweden', ['2024-11-26', '2021-10-03'], ['2024-11-26', '2021-10-03']],
    ['Japan', ['2024/11/26', '2021/1/3'], ['2024-11-26', '2021-01-03']],
    ['South Korea', ['24. 11. 26.', '2021. 1. 3.'], ['2024-11-26', '2021-01-03']],
    ['China, years of two digits', ['24/11/26', '21/1/3', '19/12/31'], ['2024-11-26', '2021-01-03', '2019-12-31']],
    ['Egypt', ['٢٦\u200f/١١\u200f/٢٠٢٤', '٣\u200f/١٠\u200f/٢٠٢١'], ['2024-11-26', '2021-10-03']],
    ['Thailand, Buddhist years', ['26/11/67', '3/10/64'], ['-', '-']],
    ['no order', ['26/11/24', '11/26/24', '5/5/21'], ['-', '-', '-']],
    ['several orders', ['3/4/21', '5/6/21', '7/7/21'], ['-', '-', '2021-07-07']],
    ['years that could be days', ['10/10/24'], ['-']],
    ['still to come', ['1/2/24', '12/31/24', '12/31/99'], ['2024-01-02', '2024-12-31', '-']],
    [
      'rows that are none',
      ['1/2/24', '12/31/24', '99/99/99', 'gestern', ''],
      ['2024-01-02', '2024-12-31', '-', '-', '-'],
    ],
    ['words', ['26 nov. 2024'], ['-']],
  ] as const)
    t.strictSame(await netflixDates(given), read, country)
})

t.test('Netflix: seasons in many languages, and titles that no longer exist', async (t) => {
  const titles = [
    'Dark: Staffel 2: Lügen',
    'Lupin: Partie 1: Chapitre 1',
    'La casa de papel : Saison 2 : Épisode 1',
    'Dark: Temporada 2: Mentiras',
    'Dark: Sesong 2: Løgner',
    'Dark: Sæson 2: Løgne',
    'Dark: 2. évad: Hazugságok',
    'Dark: Сезон 2: Ложь',
    'ダーク: シーズン2: 嘘',
    '暗黑：第 2 季：谎言',
    'Dark: עונה 2: שקרים',
    'Maniac: Limited Series: Windmills',
    'Seasonal: The Film',
  ]
  const { body, rows } = await linesOf(
    `Titel;Datum\r\n${[...titles, ' : Episode 7'].map((title) => `"${title}";"26.11.24"`).join('\r\n')}\r\n`,
    'NetflixViewingHistory (1).csv',
  )
  t.strictSame(
    rows.map(({ item }) => [item.series_title ?? item.title, item.season ?? null]),
    [
      ['Dark', 2],
      ['Lupin', 1],
      ['La casa de papel', 2],
      ['Dark', 2],
      ['Dark', 2],
      ['Dark', 2],
      ['Dark', 2],
      ['Dark', 2],
      ['ダーク', 2],
      ['暗黑', 2],
      ['Dark', 2],
      ['Maniac', null],
      ['Seasonal: The Film', null],
    ],
  )
  t.match(body, { format: 'netflix', skipped: { missing_title: 1 } })
  t.match(await world.upload('Titel,Datum\nx,26.11.24\n', 'other.csv'), { body: { error: 'unknown_format' } })
})

t.test('Netflix, all activity: a title watched in several sittings is one play, and a glance is none', async (t) => {
  const { body, lines } = await linesOf(
    'Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest Bookmark,Country\n' +
      [
        // The rest of the film, its beginning, and the film again.
        'Ann,2023-06-20 18:00:00,02:40:00,,Heat,,TV,02:40:00,02:40:00,DE',
        'Ann,2023-06-02 18:00:00,01:20:00,,Heat,,TV,02:40:00,Not latest view,DE',
        'Ann,2023-06-01 18:00:00,01:20:00,,Heat,,TV,01:20:00,Not latest view,DE',
        'Ben,2023-06-02 19:00:00,02:40:00,,Heat,,TV,02:40:00,02:40:00,DE',
        'Ann,2023-06-03 18:00:00,00:00:40,Autoplayed: user action: None; ,Ran,,TV,00:00:40,00:00:40,DE',
        // A child, twice in a row, and rows of unknown length.
        'Ann,2023-06-04 18:10:00,00:05:00,,Short,,TV,00:05:00,00:05:00,DE',
        'Ann,2023-06-04 18:00:00,00:05:00,,Short,,TV,00:05:00,Not latest view,DE',
        'Ann,2023-06-05 18:00:00,,,Unknown,,TV,,,DE',
      ].join('\n'),
    'ViewingActivity.csv',
  )
  t.strictSame(lines, [
    'history movie "Heat" 2023-06-02T18:00:00Z',
    'history movie "Heat" 2023-06-02T19:00:00Z',
    'history movie "Heat" 2023-06-20T18:00:00Z',
    'history movie "Short" 2023-06-04T18:00:00Z',
    'history movie "Short" 2023-06-04T18:10:00Z',
    'history movie "Unknown" 2023-06-05T18:00:00Z',
  ])
  t.same(body.skipped, { not_watched: 1 })
})

t.test('an episode without a number is identified by its own id', async (t) => {
  const tv = await linesOf(
    {
      'tracking-prod-records-v2.csv':
        'key,s_id,series_name,ep_id,season_number,episode_number,created_at\n' +
        'watch-episode-1,73244,The Office (US),2001,0,0,2020-01-06 20:00:00\n' +
        'watch-episode-2,73244,The Office (US),2002,0,0,2020-01-06 20:00:00\n' +
        'watch-episode-3,73244,The Office (US),2003,6,0,2020-01-08 20:00:00\n' +
        'watch-episode-4,,,2005,1,1,2020-01-10 20:00:00\n' +
        'watch-episode-5,73244,The Office (US),,0,0,2020-01-11 20:00:00\n' +
        'watch-episode-6,,,,1,1,2020-01-11 20:00:00\n',
    },
    'gdpr.zip',
  )
  t.same(
    tv.rows.map(({ item, state }) => [item.ids.tvdb, item.season, item.episode, item.watched_at, state]),
    [
      ['2001', undefined, undefined, '2020-01-06T20:00:00Z', 'matched'],
      ['2002', undefined, undefined, '2020-01-06T20:00:00Z', 'matched'],
      ['2003', undefined, undefined, '2020-01-08T20:00:00Z', 'matched'],
      ['2005', 1, 1, '2020-01-10T20:00:00Z', 'matched'],
    ],
  )
  t.same(tv.body.skipped, { invalid_value: 1, missing_title: 1 })
  const episode = (ids: object, number: number) => ({
    ...{ id: 1, watched_at: '2024-01-01T10:00:00.000Z', type: 'episode', episode: { season: 1, number, ids } },
    show: { title: 'S', year: 2000, ids: { trakt: 5, tmdb: 50 } },
  })
  const trakt = await linesOf(JSON.stringify([episode({ trakt: 9, tvdb: 90 }, 0), episode({}, 0)]), 'history.json')
  t.match(trakt.rows, [{ item: { ids: { tvdb: '90' }, show_ids: { tmdb: '50' } }, state: 'matched' }])
  t.equal(trakt.rows[0]!.item.episode, undefined)
  t.same(trakt.body.skipped, { unsupported_type: 1 })
  const csv = await linesOf(
    'watched_at,type,title,trakt_id,tvdb_id,season,episode,show_tmdb_id\n' +
      '2024-01-01T00:00:00Z,episode,A,9,90,1,0,50\n2024-01-01T00:00:00Z,episode,A,,,1,0,50\n',
    'trakt.csv',
  )
  t.match(csv.rows, [{ item: { ids: { tvdb: '90' } }, state: 'matched' }])
  t.same(csv.body.skipped, { invalid_value: 1 })
})

t.test('Trakt: a watched show without its episodes is reported', async (t) => {
  const show = (plays: number) => ({
    plays,
    last_watched_at: plays > 0 ? '2024-01-01T10:00:00.000Z' : null,
    show: { title: 'S', year: 2000, ids: { trakt: plays + 1, tmdb: plays + 1 } },
  })
  const { body } = await linesOf({ 'watched-shows.json': JSON.stringify([show(20), show(0)]) }, 'trakt.zip')
  t.same(body.skipped, { missing_episodes: 1, not_watched: 1 })
})

t.test('IMDb ids whose zeros a spreadsheet dropped have seven digits again, in every format', async (t) => {
  const imdb = await linesOf(
    'Const,Your Rating,Title,Title Type,Year\n133093,9,A,movie,1999\ntt133093,8,A,movie,1999\ntt32129834,7,B,movie,1999\nTT0000001,6,C,movie,1894\n',
    'ratings.csv',
  )
  t.strictSame(
    imdb.rows.map(({ item }) => item.ids.imdb),
    ['tt0133093', 'tt0133093', 'tt32129834', 'tt0000001'],
  )
  const list = await linesOf('tmdbID,imdbID,Title,Year,Type\n,tt133093,A,1999,movie\n,133093,A,1999,movie\n')
  t.ok(list.rows.every(({ item }) => item.ids.imdb === 'tt0133093'))
})

t.test('TV Time, the files of browser extensions: JSON or CSV, with ids', async (t) => {
  const watched = (at: string) => ({ is_watched: true, watched_at: at, rewatch_count: 2 })
  const never = { is_watched: false, watched_at: null, rewatch_count: 0 }
  const id = (tvdb: number, imdb = '-1') => ({ tvdb, imdb })
  const shows = [
    {
      ...{
        id: id(79126, 'tt0306414'),
        uuid: 'u1',
        title: 'The Wire',
        status: 'continuing',
        created_at: '2020-01-01 10:00:00',
      },
      seasons: [
        {
          number: 1,
          episodes: [
            { id: id(300), number: 1, special: false, rating: null, ...watched('2020-05-01T20:15:00Z') },
            { id: id(301), number: 2, special: false, rating: 4, ...never },
            { id: id(302), number: 0, special: true, rating: null, ...watched('2020-05-03 20:15:00') },
          ],
        },
      ],
    },
    {
      id: id(72023),
      uuid: 'u2',
      title: 'Deadwood (2004)',
      status: 'not_started_yet',
      created_at: '2020-01-02T10:00:00Z',
      seasons: [],
    },
  ]
  const movies = [
    {
      id: id(5, 'tt0113277'),
      uuid: 'u3',
      title: 'Heat',
      created_at: '2020-01-01T00:00:00Z',
      ...watched('2020-05-02T20:15:00Z'),
    },
    { id: id(6), uuid: 'u4', title: 'Ran', created_at: '2020-01-01T00:00:00Z', ...never },
  ]
  const lists = [{ id: 'l', name: 'Best', items: [{ type: 'movie', uuid: 'u3' }] }]
  const expected = [
    'history episode tvdb:79126 s1e1 2020-05-01T20:15:00Z',
    'history episode tvdb:79126 s?e? 2020-05-03T20:15:00Z',
    'history movie tvdb:5 2020-05-02T20:15:00Z',
    'watchlist movie tvdb:6',
    'watchlist show tvdb:72023',
  ]
  for (const [series, films] of [
    ['shows.json', 'movies.json'],
    ['tvtime-series-2026-07-10.json', 'tvtime-movies-2026-07-10.json'],
  ] as const) {
    const { body, lines } = await linesOf(
      { [series]: JSON.stringify(shows), [films]: JSON.stringify(movies), 'lists.json': JSON.stringify(lists) },
      'tv-time-export.zip',
    )
    t.match(body, { format: 'tvtime', persons: [], matched: 5, skipped: {} })
    t.strictSame(lines, expected)
  }
  t.match(await linesOf(JSON.stringify(movies), 'movies.json'), { body: { format: 'tvtime', matched: 2 } })
  const csv = await linesOf(
    {
      'tvtime-series-2026-07-10.csv':
        'uuid,tvdb_id,imdb_id,title,status,created_at\nu1,79126,tt0306414,The Wire,continuing,\nu2,72023,-1,Deadwood,not_started_yet,2020-01-02T10:00:00Z\n',
      'tvtime-episodes-2026-07-10.csv':
        'show_uuid,show_title,season_number,episode_number,episode_tvdb_id,is_special,is_watched,watched_at,rewatch_count\n' +
        'u1,The Wire,1,1,300,false,true,2020-05-01T20:15:00Z,2\nu1,The Wire,1,2,301,false,false,,0\n',
      'tvtime-movies-2026-07-10.csv':
        'uuid,tvdb_id,imdb_id,title,created_at,watched_at,is_watched,rewatch_count\nu3,5,tt0113277,Heat,2020-01-01T00:00:00Z,2020-05-02T20:15:00Z,true,0\n',
      'tvtime-failed-2026-07-10.csv': 'title,tvdbId\nX,1\n',
    },
    'all.zip',
  )
  t.same(csv.rows.map(({ feature, item, state }) => [feature, item.ids.tvdb, item.watched_at, state]).sort(), [
    ['history', '300', '2020-05-01T20:15:00Z', 'matched'],
    ['history', '5', '2020-05-02T20:15:00Z', 'matched'],
    ['watchlist', '72023', undefined, 'matched'],
  ])
})

t.test('a list of Letterboxd is recognised as a list', async (t) => {
  const list =
    'Letterboxd list export v7\nDate,Name,Tags,URL,Description\n2024-01-05,"Best",,https://boxd.it/abc,"x"\n\n' +
    'Position,Name,Year,URL,Description\n1,"Up",2009,https://boxd.it/2a9Y,\n'
  for (const [name, data] of [
    ['list.csv', list],
    ['list.csv', `\ufeff${list}`],
    ['lists.zip', { 'lists/best.csv': list }],
  ] as const)
    t.match(await world.upload(data, name), {
      status: 400,
      body: { error: 'unknown_format', detail: /list of Letterboxd/ },
    })
  t.match(await world.upload(list, 'list.csv', '?format=letterboxd'), {
    body: { error: 'wrong_format', detail: /list of Letterboxd/ },
  })
})

t.test('films that were watched at their release keep their times; placeholders are dropped', async (t) => {
  const play = (at: string, id: number) => ({
    ...{ id, watched_at: at, action: 'watch', type: 'movie' },
    movie: { title: 'A', year: 1942, ids: { trakt: id, tmdb: id } },
  })
  const trakt = await linesOf(
    JSON.stringify([
      play('1942-11-26T00:00:00.000Z', 1),
      play('1969-07-20T20:17:00.000Z', 2),
      play('1970-01-01T00:00:00.000Z', 3),
    ]),
    'history.json',
  )
  t.strictSame(trakt.lines, [
    'history movie tmdb:1 1942-11-26T00:00:00Z',
    'history movie tmdb:2 1969-07-20T20:17:00Z',
    'history movie tmdb:3 no time',
  ])
  t.match(trakt.body, { matched: 2, unmatched: 1, reasons: { missing_time: 1 } })
  const list = await linesOf(
    `tmdbID,imdbID,Title,Year,Type,WatchedDate\n${[
      '1969-07-20T20:17:00Z',
      '1895-12-28',
      '28.12.1895',
      '18951228',
      '1900-01-01',
      '0001-01-01',
      '0000-00-00',
      '0',
      '45296',
      '01/01/1970',
    ]
      .map((date, at) => `${at + 1},,T,1900,movie,${date}`)
      .join('\n')}\n`,
  )
  t.strictSame(
    list.rows.map(({ item }) => item.watched_at ?? null),
    ['1969-07-20T20:17:00Z', '1895-12-28', '1895-12-28', '1895-12-28', null, null, null, null, null, null],
  )
})

t.test('Yamtrack, files of all years: the time of a mark is not the time of watching', async (t) => {
  const columns = 'media_id,source,media_type,title,image,season_number,episode_number,score,progress,status'
  const old = await linesOf(
    `"${`${columns},repeats,start_date,end_date,notes,watch_date`.replaceAll(',', '","')}"\n` +
      '"10494","tmdb","movie","Perfect Blue","x","","","9.0","1","Completed","0","","2024-02-09","",""\n' +
      '"1668","tmdb","episode","Friends","x","1","24","","","","0","","","","2024-02-10"\n',
    'yamtrack.csv',
  )
  t.strictSame(old.lines, [
    'history episode tmdb:1668 s1e24 2024-02-10',
    'history movie tmdb:10494 2024-02-09',
    'ratings movie tmdb:10494 9',
  ])
  const marked = await linesOf(
    `${columns},start_date,end_date,notes,progressed_at\n` +
      '949,tmdb,movie,Heat,,,,,1,Completed,,,,2026-08-18 10:00:00+00:00\n',
    'yamtrack.csv',
  )
  t.strictSame(marked.lines, ['history movie tmdb:949 no time'])
})

t.test('Yamtrack: manually added titles have separate numbers', async (t) => {
  const { lines } = await linesOf(
    'media_id,source,media_type,title,season_number,episode_number,status,end_date\n' +
      '1438,manual,episode,Home videos,1,1,,2024-01-01\n1438,tmdb,tv,The Wire,,,Completed,2024-02-01\n',
    'yamtrack.csv',
  )
  t.strictSame(lines, ['history episode "Home videos" s1e1 2024-01-01', 'history show tmdb:1438 2024-02-01'])
})

t.test('a rating row with an empty rating is not added to the watchlist', async (t) => {
  for (const [name, text] of [
    [
      'trakt.csv',
      'rated_at,type,title,year,trakt_id,tmdb_id,rating\n2024-01-01T00:00:00Z,movie,A,1995,1,1,0\n' +
        '2024-01-01T00:00:00Z,movie,B,1995,2,2,\n,movie,C,1995,3,3,11\n,movie,Listed,1995,949,949,\n',
    ],
    [
      'imdb.csv',
      'Const,Your Rating,Date Rated,Title,Title Type,Year\ntt1,0,2024-01-01,A,Movie,1995\ntt2,,2024-01-01,B,Movie,1995\n' +
        'tt3,11,,C,Movie,1995\ntt949,,,Listed,Movie,1995\n',
    ],
  ] as const) {
    const { body, rows } = await linesOf(text, name)
    t.same(
      rows.map(({ feature, item }) => `${feature} ${item.title}`),
      ['watchlist Listed'],
      name,
    )
    t.same(body.skipped, { invalid_value: 3 }, name)
  }
})

t.test('empty lines before the header are no header', async (t) => {
  const { lines } = await linesOf('\r\n\n"imdbID";"tmdbID";"Title";"Year";"WatchedDate"\n;949;Heat;1995;2024-01-01\n')
  t.strictSame(lines, ['history movie tmdb:949 2024-01-01'])
})

t.test('a line before the header that names the delimiter, as spreadsheets read it', async (t) => {
  const { lines } = await linesOf(
    'sep=;\r\nimdbID;tmdbID;Title;Year;WatchedDate\r\n;949;Heat, a film;1995;2024-01-01\r\n',
  )
  t.strictSame(lines, ['history movie tmdb:949 2024-01-01'])
})

t.test('IMDb, files until 2017 and current lists', async (t) => {
  const old = await linesOf(
    Buffer.from(
      '"position","const","created","modified","description","Title","Title type","Directors","You rated","IMDb Rating","Runtime (mins)","Year","Genres","Num. Votes","Release Date (month/day/year)","URL"\r\n' +
        '"1","tt0113277","Sat Mar 12 00:00:00 2011","","","Heat","Feature Film","Michael Mann","9","8.2","170","1995","crime","1","1995-12-15","http://www.imdb.com/title/tt0113277/"\r\n' +
        '"2","tt0306414","Sat Mar 12 00:00:00 2011","","","Am\xe9lie","Mini-Series","","","8.2","","2002","crime","1","","http://www.imdb.com/title/tt0306414/"\r\n',
      'latin1',
    ),
    'ratings.csv',
  )
  t.strictSame(old.lines, ['ratings movie tt0113277 9', 'watchlist show tt0306414'])
  t.ok(old.rows.some(({ item }) => item.title === 'Amélie'))
  const { body, lines } = await linesOf(
    'Position,Const,Created,Modified,Description,Title,Original Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors,Your Rating,Date Rated\n' +
      [
        ['tt0468569', 'Movie', '8', '2025-02-02'],
        ['16968450', 'Short', '', ''],
        ['tt7366338', 'TV Mini Series', '', ''],
        ['tt13623136', 'TV Special', '', ''],
        ['tt0088263', 'Music Video', '', ''],
        ['tt11959186', 'Podcast Series', '', ''],
        ['nm0000199', 'Movie', '', ''],
      ]
        .map(([id, type, rating, rated]) => `1,${id},2023-07-09,,,T,T,,${type},9,,2008,,,,,${rating},${rated}`)
        .join('\n'),
    'list.csv',
  )
  t.strictSame(lines, [
    'ratings movie tt0468569 8 2025-02-02',
    'watchlist movie tt13623136',
    'watchlist movie tt16968450',
    'watchlist show tt7366338',
  ])
  t.match(body.skipped, { unsupported_type: 2, invalid_value: 1 })
})

t.test('SIMKL, a backup without episodes: completed titles are watched, and unread lists are counted', async (t) => {
  const entry = (simkl: number, status: string) => ({
    status,
    last_watched_at: '2024-01-01T10:00:00Z',
    user_rating: null,
    watched_episodes_count: 3,
    show: { title: `Show ${simkl}`, year: 2002, ids: { simkl, slug: 'x', tmdb: String(simkl) } },
  })
  const { body, lines } = await linesOf(
    JSON.stringify({ shows: ['completed', 'watching', 'dropped', 'hold'].map((status, at) => entry(at + 1, status)) }),
    'SimklBackup.json',
  )
  t.strictSame(lines, ['history show tmdb:1 2024-01-01T10:00:00Z'])
  t.strictSame(body.skipped, { unsupported_list: 3 })
})

t.test('Letterboxd: likes and lists are not watched films, in any folder', async (t) => {
  const films = 'Date,Name,Year,Letterboxd URI\n2024-01-03,Liked,1995,https://boxd.it/2b\n'
  const diary =
    '\ufeffDate,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\r\n2026-08-18,Filipiñana,2026,https://boxd.it/a,3.5,Yes,"a, b",2026-08-13\r\n'
  const list =
    'Letterboxd list export v7\nDate,Name,Tags,URL,Description\n2024-01-01,Best,,https://boxd.it/x,\n\nPosition,Name,Year,URL,Description\n1,Listed,1990,https://boxd.it/y,\n'
  const { body, lines } = await linesOf({
    'letterboxd/diary.csv': diary,
    'letterboxd/watched.csv': 'Date,Name,Year,Letterboxd URI\n',
    'letterboxd/reviews.csv':
      'Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date\n2026-08-18,Filipiñana,2026,https://boxd.it/a,3.5,Yes,"one\n\ntwo",,2026-08-13\n',
    'letterboxd/likes/films.csv': films,
    'letterboxd/lists/best.csv': list,
    'letterboxd/orphaned/diary.csv': diary.replace('Filipiñana', 'Orphan'),
    '__MACOSX/letterboxd/._diary.csv': new Uint8Array([0, 5, 22, 7, 0, 2, 0, 0]),
  })
  t.match([body.format, body.warnings], ['letterboxd', []])
  t.strictSame(lines, ['history movie "Filipiñana" 2026-08-13', 'ratings movie "Filipiñana" 7 2026-08-18'])
  for (const [name, text] of [
    ['films.csv', films],
    ['best.csv', list],
  ] as const)
    t.match(await world.upload(text, name), { status: 400, body: { error: 'unknown_format' } }, name)
  const watchlist = await linesOf(films, 'watchlist (2).csv')
  t.strictSame(watchlist.lines, ['watchlist movie "Liked"'])
})

t.test('an archive inside an archive, in its folder, is read', async (t) => {
  const inner = bytesOf({
    'ratings.csv': 'Date,Name,Year,Letterboxd URI,Rating\n2024-01-03,Heat,1995,https://boxd.it/2b,5\n',
  })
  const { body, lines } = await linesOf(
    { 'downloads/letterboxd-ann.zip': inner, 'downloads/cover.jpg': 'x' },
    'all.zip',
  )
  t.match([body.format, lines], ['letterboxd', ['ratings movie "Heat" 10 2024-01-03']])
})

t.test('a file without rows is shown as empty, and cannot be written', async (t) => {
  for (const [name, data] of [
    ['list.csv', 'tmdbID,imdbID,Title,Year,Type\n'],
    ['export.zip', { 'watched-history.json': '[]', 'ratings-movies.json': '[]', 'lists-watchlist.json': '[]' }],
  ] as const) {
    const { body } = await linesOf(data, name)
    t.match(body, { rows: 0, warnings: [], state: 'previewed' }, name)
    t.match(
      await world.post('/run', { import_id: body.import_id, provider: 'SVC' }),
      { status: 400, body: { error: 'nothing_to_import' } },
      name,
    )
  }
})
