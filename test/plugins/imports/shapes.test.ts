// Shapes in which the services' files occur: columns that were renamed, orders that changed, rows that are odd. The files are
// made by us, see docs/reference/formats.md.
import t from 'tap'
import { linesIn } from './lines.ts'
import { openImports } from './world.ts'

const world = await openImports()
t.teardown(() => world.host.close())
const linesOf = linesIn(world)

// Since 2025 the ids are in order of their length, with Plex's in between.
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
  // Without seasons: only the history knows the episodes.
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

t.test('TV Time, all files of 2026: each play once, to the second, and the sums are none', async (t) => {
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
  'TV Time without the tracking: names of shows have the ids of the lists, unless two shows have the name',
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

t.test('TV Time, a single file: the tracking is read, votes are not taken for plays', async (t) => {
  const { body, lines } = await linesOf(
    [TRACKING_V2, play('watch-episode', '2021-07-11 13:14:10')].join('\n').replaceAll(',', ';'),
    'my export.csv',
  )
  t.match([body.format, lines], ['tvtime', ['history episode tvdb:79126 s1e1 2021-07-11T13:14:10Z']])
  const votes =
    'series_name,season_number,episode_number,vote_key,created_at\nBarry,1,2,episode-3,2018-04-02 09:00:00\n'
  t.match(await world.upload(votes, 'ratings-v2-prod-votes.csv'), { status: 400, body: { error: 'unknown_format' } })
})
