// The data of an account at the Trakt stand-in, and its responses.
import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import { asUser } from './trakt/ask.ts'
import { startTrakt } from './trakt.ts'

const FREELY = { rateLimits: false } as const
const NOTHING = { movies: 0, shows: 0, seasons: 0, episodes: 0 }

t.test('a list without a limit gives a hundred rows, and never more than 250', async (t) => {
  await using trakt = await startTrakt({ ...FREELY, movies: 300, plan: 'vip' })
  const ask = asUser(trakt)
  for (let index = 0; index < 300; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  const pages = async (query: string) => {
    const { json, headers } = await ask('GET', `/sync/watchlist/movies/rank/asc${query}`)
    return [
      json.length,
      ...['page', 'limit', 'page-count', 'item-count'].map((name) => Number(headers.get(`x-pagination-${name}`))),
    ]
  }
  t.same(await pages(''), [100, 1, 100, 3, 300])
  t.same(await pages('?limit=1000&page=2'), [50, 2, 250, 2, 300])
  t.same(await pages('?limit=250&page=3'), [0, 3, 250, 2, 300])
})

t.test('the pages of any size hold every row once', async (t) => {
  await using trakt = await startTrakt({ ...FREELY, movies: 40 })
  const ask = asUser(trakt)
  for (let index = 0; index < 40; index += 1) trakt.user.rate(trakt.movie(index), 1 + (index % 10), 1_000 * (index % 3))
  await t.resolves(
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 60 }), async (limit) => {
        const ids = new Set<number>()
        let rows = 0
        for (let page = 1, last = 1; page <= last; page += 1) {
          const { json, headers } = await ask('GET', `/sync/ratings/movies?limit=${limit}&page=${page}`)
          last = Number(headers.get('x-pagination-page-count'))
          rows += json.length
          for (const { movie } of json) ids.add(movie.ids.trakt)
        }
        return rows === 40 && ids.size === 40
      }),
      { numRuns: runsOf(15) },
    ),
  )
})

t.test('items added to the watchlist are returned, and unknown ones are echoed', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const [movie, show] = [trakt.catalogue.movies[0], trakt.catalogue.shows[0]]
  const unknown = { ids: { imdb: 'tt0' }, title: 'Nothing' }
  const sent = { movies: [{ ids: { imdb: movie?.ids.imdb } }, unknown], shows: [{ ids: { tmdb: show?.ids.tmdb } }] }
  const added = await ask('POST', '/sync/watchlist', sent)
  t.equal(added.status, 201)
  t.match(added.json, {
    added: { movies: 1, shows: 1, seasons: 0, episodes: 0 },
    existing: NOTHING,
    list: { item_count: 2 },
  })
  t.same(added.json.not_found, { movies: [unknown], shows: [], seasons: [], episodes: [] })
  t.match((await ask('POST', '/sync/watchlist', sent)).json, { added: NOTHING, existing: { movies: 1, shows: 1 } })

  const { json } = await ask('GET', '/sync/watchlist?limit=250')
  t.match(json, [
    { rank: 1, type: 'movie', notes: null, movie: { title: movie?.title, ids: movie?.ids } },
    { rank: 2, type: 'show' },
  ])
  t.equal((await ask('POST', '/sync/watchlist/reorder', { rank: [json[1].id, 7] })).json.skipped_ids[0], 7)
  t.equal((await ask('GET', '/sync/watchlist')).json[0].type, 'show')
  t.match((await ask('POST', '/sync/watchlist/remove', sent)).json, {
    deleted: { movies: 1, shows: 1 },
    list: { item_count: 0 },
  })
})

t.test('a show with seasons means the seasons, and one with episodes the episodes', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const ids = { trakt: trakt.catalogue.shows[0]?.ids.trakt }
  const seasons = [{ number: 1, episodes: [{ number: 1 }, { number: 99 }] }, { number: 77 }]
  const { json } = await ask('POST', '/sync/watchlist', { shows: [{ ids, seasons }] })
  t.same(json.added, { ...NOTHING, episodes: 1 })
  t.same(json.not_found.shows, [
    { ids, seasons: [{ number: 1, episodes: [{ number: 99 }] }] },
    { ids, seasons: [{ number: 77 }] },
  ])
  t.same((await ask('POST', '/sync/watchlist', { shows: [{ ids, seasons: [{ number: 1 }] }] })).json.added, {
    ...NOTHING,
    seasons: 1,
  })
})

t.test('every sent play is stored, including exact duplicates', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const play = { ids: trakt.catalogue.movies[0]?.ids, watched_at: '2026-06-30T19:00:00.000Z' }
  const added = await ask('POST', '/sync/history', { movies: [play, play] })
  t.equal(added.status, 201)
  t.same(added.json.added, { movies: 2, episodes: 0 })
  const rows = (await ask('GET', '/sync/history/movies')).json
  t.same(
    rows.map((row: any) => row.watched_at),
    [play.watched_at, play.watched_at],
  )
  t.ok(rows.every((row: any) => row.id > 2 ** 32))

  const removed = await ask('POST', '/sync/history/remove', { ids: [rows[0].id, 5] })
  t.same(removed.json.deleted, { movies: 1, episodes: 0 })
  t.same(removed.json.not_found.ids, [5])
  t.same((await ask('POST', '/sync/history/remove', { movies: [{ ids: play.ids }] })).json.deleted, {
    movies: 1,
    episodes: 0,
  })
  t.same((await ask('GET', '/sync/history')).json, [])
})

t.test('the time of a play is the sent time, now, the release, or unknown', async (t) => {
  const nowMs = Date.UTC(2026, 6, 1)
  await using trakt = await startTrakt({ ...FREELY, nowMs: () => nowMs })
  const ask = asUser(trakt)
  const [first, second, third] = trakt.catalogue.movies
  await ask('POST', '/sync/history', {
    movies: [
      { ids: first?.ids },
      { ids: second?.ids, watched_at: 'released' },
      { ids: third?.ids, watched_at: 'unknown' },
    ],
  })
  const moments = trakt.user.account.plays.map(({ watchedAtMs }) => watchedAtMs)
  t.same(moments, [nowMs, second?.releasedAtMs, 0])
  t.equal((await ask('POST', '/sync/history', { movies: [{ ids: first?.ids, watched_at: 'yesterday' }] })).status, 422)
})

t.test('the time of a show applies to its episodes without one', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const watchedAt = '2026-01-02T03:04:05.000Z'
  const seasons = [{ number: 1, episodes: [{ number: 1 }, { number: 2, watched_at: '2026-02-02T03:04:05.000Z' }] }]
  await ask('POST', '/sync/history', {
    shows: [{ ids: trakt.catalogue.shows[0]?.ids, watched_at: watchedAt, seasons }],
  })
  const rows = (await ask('GET', '/sync/history/episodes')).json
  t.match(rows, [
    { episode: { season: 1, number: 2 } },
    { watched_at: watchedAt, episode: { number: 1 }, show: { title: String } },
  ])
})

t.test('a show without seasons marks its aired episodes, and its watched state aggregates them', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const show = trakt.catalogue.shows[0]
  const aired = (show?.seasons ?? [])
    .flatMap(({ episodes }) => episodes)
    .filter(({ airedAtMs }) => airedAtMs <= trakt.nowMs())
  const added = await ask('POST', '/sync/history', { shows: [{ ids: show?.ids }] })
  t.equal(added.json.added.episodes, aired.length)
  trakt.user.watch(trakt.episode(0, 1, 1))
  const { json } = await ask('GET', '/sync/watched/shows')
  t.match(json, [
    {
      plays: aired.length + 1,
      reset_at: null,
      seasons: [{ number: 1, episodes: [{ number: 1, plays: 2 }, { plays: 1 }] }],
    },
  ])
  t.notOk('seasons' in (await ask('GET', '/sync/watched/shows?extended=noseasons')).json[0])
})

t.test('history is read by window, by type and by item, newest first', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  for (const day of [1, 2, 3]) trakt.user.watch(trakt.movie(day), Date.UTC(2026, 0, day))
  trakt.user.watch(trakt.episode(0, 1, 2), Date.UTC(2026, 0, 4))
  const days = async (path: string) =>
    (await ask('GET', path)).json.map((row: any) => new Date(row.watched_at).getUTCDate())
  t.same(await days('/sync/history'), [4, 3, 2, 1])
  t.same(await days('/sync/history/movies?start_at=2026-01-02T00:00:00.000Z&end_at=2026-01-03T00:00:00.000Z'), [3, 2])
  t.same(await days(`/sync/history/movies/${trakt.catalogue.movies[1]?.ids.trakt}`), [1])
  t.same(await days(`/sync/history/shows/${trakt.catalogue.shows[0]?.ids.trakt}`), [4])
  t.same(await days(`/sync/history/shows/${trakt.catalogue.shows[1]?.ids.trakt}`), [])
})

t.test('watched items leave the watchlist: a movie at once, a show when all that aired is watched', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const { user } = trakt
  const listed = () => user.account.watchlist.map(({ entry }) => entry.type)
  for (const item of [trakt.movie(0), trakt.show(0)]) user.addToWatchlist(item)
  user.watch(trakt.movie(0))
  user.watch(trakt.episode(0, 1, 1))
  t.same(listed(), ['show'])
  await asUser(trakt)('POST', '/sync/history', { shows: [{ ids: trakt.catalogue.shows[0]?.ids }] })
  t.same(listed(), [])
  user.changeBrowsing({ removeWatched: 'never' })
  user.addToWatchlist(trakt.movie(1))
  user.watch(trakt.movie(1))
  t.same(listed(), ['movie'])
})

t.test('movies, shows, seasons and episodes are rated from 1 to 10, and the last rating counts', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const [movie, show] = [trakt.catalogue.movies[0], trakt.catalogue.shows[0]]
  const shows = [
    { ids: show?.ids, rating: 6, seasons: [{ number: 1, rating: 7, episodes: [{ number: 2, rating: 9 }] }] },
  ]
  const movies = [{ ids: movie?.ids, rating: 8, rated_at: '2026-06-01T00:00:00.000Z' }]
  const added = await ask('POST', '/sync/ratings', { movies, shows })
  t.equal(added.status, 201)
  t.same(added.json.added, { movies: 1, shows: 1, seasons: 1, episodes: 1 })
  const episodes = (await ask('GET', '/sync/ratings/episodes')).json
  t.match(episodes, [{ rating: 9, type: 'episode', episode: { number: 2 }, show: { title: show?.title } }])
  t.match((await ask('GET', '/sync/ratings/movies/8')).json, [{ rating: 8, rated_at: '2026-06-01T00:00:00.000Z' }])
  await ask('POST', '/sync/ratings', { movies: [{ ids: movie?.ids, rating: 3 }] })
  t.same(
    (await ask('GET', '/sync/ratings/movies')).json.map((row: any) => row.rating),
    [3],
  )
  for (const rating of [0, 11, 7.5, '8', undefined]) {
    t.equal((await ask('POST', '/sync/ratings', { movies: [{ ids: movie?.ids, rating }] })).status, 422)
  }
  t.same((await ask('POST', '/sync/ratings/remove', { movies: [{ ids: movie?.ids }] })).json.deleted, {
    ...NOTHING,
    movies: 1,
  })
  t.equal((await ask('GET', '/sync/ratings/all')).json.length, 3)
})

t.test('a paused item can be read and removed once, and watching to the end clears it', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const movie = { ids: trakt.catalogue.movies[0]?.ids }
  t.equal((await ask('POST', '/scrobble/pause', { movie, progress: 42.5 })).status, 201)
  const rows = (await ask('GET', '/sync/playback/movies')).json
  t.match(rows, [{ progress: 42.5, type: 'movie', movie: { title: String } }])
  t.equal((await ask('DELETE', `/sync/playback/${rows[0].id}`)).status, 204)
  t.equal((await ask('DELETE', `/sync/playback/${rows[0].id}`)).status, 404)

  await ask('POST', '/scrobble/pause', { movie, progress: 50 })
  t.match((await ask('POST', '/scrobble/stop', { movie, progress: 79 })).json, { id: 0, action: 'pause' })
  const done = await ask('POST', '/scrobble/stop', { movie, progress: 80 })
  t.match(done.json, { action: 'scrobble', id: trakt.user.account.plays[0]?.id })
  t.same((await ask('GET', '/sync/playback')).json, [])
  const again = await ask('POST', '/scrobble/stop', { movie, progress: 95 })
  t.match([again.status, again.json], [409, { watched_at: String, expires_at: String }])
  trakt.advance(200 * 60_000)
  t.equal((await ask('POST', '/scrobble/stop', { movie, progress: 95 })).status, 201)
})

t.test('each change moves only the stamps of the changed data, including removals', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const { user } = trakt
  const read = async () => (await ask('GET', '/sync/last_activities')).json
  const moved = async (change: () => void) => {
    const before = await read()
    change()
    const after = await read()
    return Object.keys(after).flatMap((group) =>
      typeof after[group] === 'string'
        ? []
        : Object.keys(after[group])
            .filter((name) => after[group][name] > before[group][name])
            .map((name) => `${group}.${name}`),
    )
  }
  t.same(await moved(() => user.addToWatchlist(trakt.show(0))), ['shows.watchlisted_at', 'watchlist.updated_at'])
  t.same(await moved(() => user.removeFromWatchlist(trakt.show(0))), ['shows.watchlisted_at', 'watchlist.updated_at'])
  t.same(await moved(() => user.watch(trakt.episode(0, 1, 1), 5_000)), ['episodes.watched_at'])
  t.same(await moved(() => user.unwatch(trakt.episode(0, 1, 1))), ['episodes.watched_at'])
  t.same(await moved(() => user.rate(trakt.movie(0), 8)), ['movies.rated_at'])
  t.same(await moved(() => user.rate(trakt.movie(0), undefined)), ['movies.rated_at'])
  t.same(await moved(() => user.pause(trakt.movie(0), 10)), ['movies.paused_at'])
  t.same(await moved(() => user.drop(trakt.show(0))), ['shows.dropped_at'])
  t.same(await moved(() => user.changePlan('vip')), ['account.settings_at'])
})

t.test('dropped shows are listed until they are resumed', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  trakt.user.drop(trakt.show(1))
  const { json } = await ask('GET', '/users/hidden/dropped?type=show')
  t.match(json, [{ hidden_at: String, type: 'show', show: { ids: trakt.catalogue.shows[1]?.ids } }])
  trakt.user.drop(trakt.show(1), false)
  t.same((await ask('GET', '/users/hidden/dropped?type=show')).json, [])
})

t.test('unchanged data answers 304 to a client that has it', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const etag = (await ask('GET', '/sync/watchlist')).headers.get('etag') ?? ''
  t.equal((await ask('GET', '/sync/watchlist', undefined, { 'if-none-match': etag })).status, 304)
  trakt.user.addToWatchlist(trakt.movie(0))
  t.equal((await ask('GET', '/sync/watchlist', undefined, { 'if-none-match': etag })).status, 200)
})

t.test('items are found by external ids, never across types', async (t) => {
  await using trakt = await startTrakt(FREELY)
  const ask = asUser(trakt)
  const [movie, show] = [trakt.catalogue.movies[0], trakt.catalogue.shows[0]]
  const found = await ask('GET', `/search/imdb/${movie?.ids.imdb}`)
  t.match(found.json, [{ type: 'movie', score: null, movie: { ids: movie?.ids } }])
  t.equal(movie?.ids.tmdb, show?.ids.tmdb, 'a movie and a show share the number')
  t.same(
    (await ask('GET', `/search/tmdb/${movie?.ids.tmdb}?type=show`)).json.map((row: any) => row.type),
    ['show'],
  )
  t.same((await ask('GET', '/search/imdb/tt0')).json, [])
  const seasons = (await ask('GET', `/shows/${show?.ids.slug}/seasons?extended=episodes,full`)).json
  t.match(seasons[0], { number: 1, episodes: [{ number: 1, first_aired: String, runtime: Number }] })
})
