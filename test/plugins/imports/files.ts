// Handmade files in the formats of the services: see docs/reference/formats.md.
export const TRAKT = {
  'watched-history-1.json': JSON.stringify([
    {
      id: 11,
      watched_at: '2024-01-01T10:00:00.000Z',
      action: 'watch',
      type: 'movie',
      movie: { title: 'Heat', year: 1995, ids: { trakt: 1, slug: 'heat-1995', imdb: 'tt0113277', tmdb: 949 } },
    },
    {
      id: 12,
      watched_at: '2024-02-01T10:00:00.000Z',
      action: 'scrobble',
      type: 'movie',
      movie: { title: 'Heat', year: 1995, ids: { trakt: 1, slug: 'heat-1995', imdb: 'tt0113277', tmdb: 949 } },
    },
  ]),
  'watched-history-2.json': JSON.stringify([
    {
      id: 13,
      watched_at: '2024-01-02T10:00:00.000Z',
      action: 'checkin',
      type: 'episode',
      episode: {
        season: 1,
        number: 2,
        title: 'The Detail',
        ids: { trakt: 73, tvdb: 300, imdb: 'tt0749419', tmdb: 972 },
      },
      show: {
        title: 'The Wire',
        year: 2002,
        ids: { trakt: 9, slug: 'the-wire', tvdb: 79126, imdb: 'tt0306414', tmdb: 1438 },
      },
    },
  ]),
  'watched-movies.json': JSON.stringify([
    {
      plays: 2,
      last_watched_at: '2024-02-01T10:00:00.000Z',
      movie: { title: 'Heat', year: 1995, ids: { trakt: 1, slug: 'heat-1995', imdb: 'tt0113277', tmdb: 949 } },
    },
  ]),
  'ratings-movies.json': JSON.stringify([
    {
      rated_at: '2024-01-01T11:00:00.000Z',
      rating: 9,
      type: 'movie',
      movie: { title: 'Heat', year: 1995, ids: { trakt: 1, imdb: 'tt0113277', tmdb: 949 } },
    },
  ]),
  'ratings-shows.json': '[]',
  'ratings-seasons.json': JSON.stringify([
    {
      rated_at: '2024-01-03T11:00:00.000Z',
      rating: 7,
      type: 'season',
      season: { number: 2, ids: { trakt: 33, tvdb: 55 } },
      show: { title: 'The Wire', year: 2002, ids: { trakt: 9, tmdb: 1438 } },
    },
  ]),
  'lists-watchlist.json': JSON.stringify([
    {
      rank: 1,
      listed_at: '2023-05-05T00:00:00.000Z',
      notes: null,
      type: 'show',
      show: { title: 'Deadwood', year: 2004, ids: { trakt: 44, tvdb: 72023, tmdb: 1406 } },
    },
  ]),
  'lists-lists.json': '[]',
  'user-profile.json': '{"username":"ann","email":"ann@example.org"}',
}

/** Without a VIP account: watched titles, without single plays. */
export const TRAKT_FREE = {
  'trakt/watched-movies.json': TRAKT['watched-movies.json'],
  'trakt/watched-shows.json': JSON.stringify([
    {
      plays: 1,
      last_watched_at: '2024-01-02T10:00:00.000Z',
      show: { title: 'The Wire', year: 2002, ids: { trakt: 9, tvdb: 79126, tmdb: 1438 } },
      seasons: [{ number: 1, episodes: [{ number: 2, plays: 1, last_watched_at: '2024-01-02T10:00:00.000Z' }] }],
    },
  ]),
  'trakt/lists-watchlist.json': TRAKT['lists-watchlist.json'],
}

export const LETTERBOXD = {
  'letterboxd-ann-2024/diary.csv':
    'Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n' +
    '2024-01-03,Heat,1995,https://boxd.it/a1,4.5,,,2024-01-02\n' +
    '2024-03-03,Heat,1995,https://boxd.it/a2,,Yes,,2024-03-01\n' +
    '2024-01-05,"Am I OK?",2022,https://boxd.it/a3,,,,2024-01-05\n',
  'letterboxd-ann-2024/watched.csv':
    'Date,Name,Year,Letterboxd URI\n2024-01-03,Heat,1995,https://boxd.it/2b\n2020-01-03,Alien,1979,https://boxd.it/2c\n',
  'letterboxd-ann-2024/ratings.csv':
    'Date,Name,Year,Letterboxd URI,Rating\n2024-01-03,Heat,1995,https://boxd.it/2b,5\n2020-01-03,Alien,1979,https://boxd.it/2c,0.5\n',
  'letterboxd-ann-2024/watchlist.csv': 'Date,Name,Year,Letterboxd URI\n2023-01-01,Ran,1985,https://boxd.it/2d\n',
  'letterboxd-ann-2024/deleted/diary.csv':
    'Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n2019-01-01,Gone,1990,https://boxd.it/x,,,,2019-01-01\n',
  'letterboxd-ann-2024/likes/films.csv': 'Date,Name,Year,Letterboxd URI\n2024-01-03,Liked,1995,https://boxd.it/2b\n',
}

export const IMDB_RATINGS =
  'Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors\n' +
  'tt0113277,9,2024-01-01,Heat,Heat,https://www.imdb.com/title/tt0113277/,Movie,8.3,170,1995,"Crime, Drama",1,1995-12-15,Michael Mann\n' +
  'tt0306414,10,2024-01-02,The Wire,The Wire,https://www.imdb.com/title/tt0306414/,TV Series,9.3,60,2002,Crime,1,2002-06-02,\n' +
  'tt0749451,8,2024-01-02,The Target,The Target,https://www.imdb.com/title/tt0749451/,TV Episode,8,60,2002,Crime,1,2002-06-02,\n' +
  'tt0000001,8,2024-01-02,A Game,A Game,https://www.imdb.com/title/tt0000001/,Video Game,8,,2002,,1,,\n'

export const SIMKL = JSON.stringify({
  movies: [
    {
      added_to_watchlist_at: '2023-01-01T00:00:00Z',
      last_watched_at: '2024-01-01T10:00:00Z',
      user_rated_at: '2024-01-02T00:00:00Z',
      user_rating: 9,
      status: 'completed',
      movie: { title: 'Heat', year: 1995, ids: { simkl: 53992, slug: 'heat', imdb: 'tt0113277', tmdb: '949' } },
    },
    {
      added_to_watchlist_at: '2023-01-01T00:00:00Z',
      last_watched_at: null,
      user_rating: null,
      status: 'plantowatch',
      movie: { title: 'Ran', year: 1985, ids: { simkl: 5, tmdb: '11645' } },
    },
  ],
  shows: [
    {
      status: 'watching',
      user_rating: null,
      show: { title: 'The Wire', year: 2002, ids: { simkl: 9, tmdb: '1438', tvdb: '79126' } },
      seasons: [
        {
          number: 1,
          episodes: [
            { number: 1, watched_at: '2024-01-01T20:00:00Z' },
            { number: 2, watched_at: null },
          ],
        },
      ],
    },
  ],
  anime: [
    {
      status: 'completed',
      anime_type: 'tv',
      show: { title: 'Mushishi', year: 2005, ids: { simkl: 3, mal: '457', anidb: '3463', tvdb: '79250' } },
      seasons: [
        {
          number: 1,
          episodes: [
            { number: 1, watched_at: '2022-01-01T20:00:00Z', tvdb: { season: 1, episode: 1 } },
            { number: 2, watched_at: '2022-01-02T20:00:00Z' },
          ],
        },
      ],
    },
  ],
})

export const TV_TIME = {
  'tracking-prod-records-v2.csv':
    'key,series_name,s_id,episode_id,ep_id,season_number,episode_number,created_at,updated_at,rewatch_count,is_followed,is_for_later,ep_watch_count\n' +
    'watch-episode-1,The Wire,79126,300,300,1,1,2020-05-01 20:15:00,2020-05-01 20:15:00,0,,,\n' +
    'watch-episode-2,The Wire,79126,301,301,1,2,2020-05-02 20:15:00,2020-05-02 20:15:00,1,,,\n' +
    'user-series-79126,The Wire,79126,,,,,2020-05-01 20:15:00,,,true,false,2\n' +
    'user-series-72023,Deadwood,72023,,,,,2020-05-01 20:15:00,,,true,true,0\n',
  'tracking-prod-records.csv':
    'type,entity_type,movie_name,release_date,watch_date,created_at,runtime\n' +
    'watch,movie,Heat,1995-12-15,1588363200,2020-05-01 20:15:00,10200\n' +
    'follow,movie,Heat,1995-12-15,,2020-05-01 20:15:00,10200\n' +
    'towatch,movie,Ran,1985-06-01,,2020-05-01 20:15:00,9600\n',
  'access_token.csv': 'token\nsecret-token\n',
}

export const YAMTRACK =
  'media_id,source,media_type,title,image,season_number,episode_number,score,status,notes,start_date,end_date,progress,created_at,progressed_at\n' +
  '949,tmdb,movie,Heat,,,,9.0,Completed,,,2024-01-01 10:00:00+00:00,1,2024-01-01 10:00:00+00:00,2024-01-01 10:00:00+00:00\n' +
  '1438,tmdb,tv,The Wire,,,,,Completed,,,,,2024-01-01 10:00:00+00:00,\n' +
  '1438,tmdb,season,The Wire,,1,,8,Completed,,,,,2024-01-01 10:00:00+00:00,\n' +
  '1438,tmdb,episode,The Wire,,1,1,,,,,2024-01-02 10:00:00+00:00,,,\n' +
  '11645,tmdb,movie,Ran,,,,,Planning,,,,0,,\n' +
  '5,igdb,game,A Game,,,,,Completed,,,,,,\n'

export const NETFLIX =
  'Title,Date\n' +
  '"The Wire: Season 1: The Target","31/12/23"\n' +
  '"The Wire: Season 1: Nowhere","30/12/23"\n' +
  '"Heat","01/02/23"\n'

export const NETFLIX_ACTIVITY =
  'Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest Bookmark,Country\n' +
  'Ann,2023-06-01 18:30:00,01:23:45,,Heat,,TV,01:23:45,01:23:45,DE (Germany)\n' +
  'Ben,2023-06-02 18:30:00,00:43:45,,The Wire: Season 1: The Target,,TV,00:43:45,00:43:45,DE (Germany)\n' +
  'Ann,2023-06-01 18:29:00,00:00:45,,Heat_hook_primary,HOOK,TV,00:00:45,00:00:45,DE (Germany)\n'

export const CROSSWATCH = {
  '.cw_provider/history.json': JSON.stringify({
    ts: 1700000000,
    items: {
      'tmdb:949@1704103200': {
        type: 'movie',
        title: 'Heat',
        year: 1995,
        ids: { tmdb: '949', imdb: 'tt0113277' },
        watched: true,
        watched_at: '2024-01-01T10:00:00Z',
      },
      'tmdb:1438#s01e01': {
        type: 'episode',
        title: 'S01E01',
        ids: {},
        show_ids: { tmdb: '1438' },
        series_title: 'The Wire',
        season: 1,
        episode: 1,
        watched_at: '2024-01-02T10:00:00Z',
      },
    },
  }),
  '.cw_provider/ratings.json': JSON.stringify({
    ts: 1700000000,
    items: {
      'tmdb:949': { type: 'movie', title: 'Heat', ids: { tmdb: '949' }, rating: 9, rated_at: '2024-01-01T10:00:00Z' },
    },
  }),
  '.cw_provider/watchlist.json': JSON.stringify({
    ts: 1700000000,
    items: { 'tmdb:11645': { type: 'movie', title: 'Ran', year: 1985, ids: { tmdb: '11645' } } },
  }),
  '.cw_provider/snapshots/20240101-watchlist.json': JSON.stringify({
    ts: 1,
    items: { x: { type: 'movie', ids: { tmdb: '5' } } },
  }),
}

export const ALL = {
  trakt: TRAKT,
  letterboxd: LETTERBOXD,
  imdb: IMDB_RATINGS,
  simkl: SIMKL,
  tvtime: TV_TIME,
  yamtrack: YAMTRACK,
  netflix: NETFLIX,
  crosswatch: CROSSWATCH,
} as const
