// The stand-in for TMDB behaves as the service does.
import t from 'tap'
import { startTmdb, type Tmdb } from './tmdb.ts'

async function ask(
  tmdb: Tmdb,
  path: string,
  { method = 'GET', body, session }: { method?: string; body?: object; session?: string } = {},
) {
  const url = new URL(tmdb.apiUrl + path)
  url.searchParams.set('api_key', tmdb.apiKey)
  if (session !== undefined) url.searchParams.set('session_id', session)
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: answer.status, body: (await answer.json()) as any }
}

t.test('a session is created once from an approved token', async (t) => {
  await using tmdb = await startTmdb()
  const {
    body: { request_token },
  } = await ask(tmdb, '/authentication/token/new')
  const make = () => ask(tmdb, '/authentication/session/new', { method: 'POST', body: { request_token } })
  t.match(await make(), { status: 401, body: { status_code: 17 } })
  tmdb.actions.approve(request_token)
  const {
    body: { session_id: session },
  } = await make()
  t.match(await make(), { status: 401, body: { status_code: 33 } })
  t.match(await ask(tmdb, '/account', { session }), { status: 200, body: { id: 548, username: 'ada' } })
  t.match(await ask(tmdb, '/authentication/session', { method: 'DELETE', body: { session_id: session } }), {
    body: { success: true },
  })
  t.match(await ask(tmdb, '/account', { session }), { status: 401, body: { status_code: 3 } })

  const late = (await ask(tmdb, '/authentication/token/new')).body.request_token
  tmdb.advance(3_600_001)
  t.match(await ask(tmdb, '/authentication/session/new', { method: 'POST', body: { request_token: late } }), {
    body: { status_code: 33 },
  })
})

t.test('a film and a show with the same number are two works, and lists come in pages of twenty', async (t) => {
  await using tmdb = await startTmdb()
  const session = tmdb.signIn()
  const { id } = tmdb.work('movie', 0)
  t.equal(tmdb.work('tv', 0).id, id)
  const list = (media_type: string, media_id: number, watchlist: boolean) =>
    ask(tmdb, '/account/548/watchlist', { method: 'POST', session, body: { media_type, media_id, watchlist } })
  t.match(await list('movie', id, true), { status: 201, body: { status_code: 1 } })
  t.match(await list('movie', id, true), { status: 201, body: { status_code: 12 } })
  t.match((await ask(tmdb, '/account/548/watchlist/tv', { session })).body, { total_results: 0 })
  t.match(await list('tv', id, true), { status: 201 })
  t.match(await list('movie', id, false), { status: 200, body: { status_code: 13 } })
  t.match(await list('movie', 1, true), { status: 404, body: { status_code: 34 } })
  t.same(tmdb.watchlist(), [`tv/${id}`])
  t.equal((await ask(tmdb, '/account/999/watchlist/tv', { session })).status, 401)

  for (const work of tmdb.works.movies.slice(0, 45)) tmdb.actions.list(work)
  const last = (await ask(tmdb, '/account/548/watchlist/movies?page=3', { session })).body
  t.match(last, { page: 3, total_pages: 3, total_results: 45 })
  t.equal(last.results.length, 5)
  t.match(await ask(tmdb, '/account/548/watchlist/movies?page=501', { session }), {
    status: 400,
    body: { status_code: 22 },
  })
})

t.test('ratings are halves up to ten, and a rating may remove the work from the watchlist', async (t) => {
  await using tmdb = await startTmdb()
  const session = tmdb.signIn()
  const work = tmdb.work('movie', 1)
  const rate = (value: number) => ask(tmdb, `/movie/${work.id}/rating`, { method: 'POST', session, body: { value } })
  t.match(await rate(7.5), { status: 201, body: { status_code: 1 } })
  t.match(await rate(8), { body: { status_code: 12 } })
  t.match(await rate(7.3), { status: 400, body: { status_code: 18 } })
  tmdb.actions.list(work)
  tmdb.actions.setRatingLeavesWatchlist(true)
  await rate(9)
  t.same(tmdb.watchlist(), [])
  t.match((await ask(tmdb, `/movie/${work.id}/account_states`, { session })).body, {
    watchlist: false,
    rated: { value: 9 },
  })
  t.match(await ask(tmdb, `/movie/${work.id}/rating`, { method: 'DELETE', session }), {
    status: 200,
    body: { status_code: 13 },
  })
  t.same(tmdb.ratings(), {})
})

t.test('works are found by external ids and by title; too many requests and a wrong key are refused', async (t) => {
  await using tmdb = await startTmdb({ perSecond: 3, nowMs: () => 1_780_000_000_000 })
  const work = tmdb.work('tv', 2)
  t.match((await ask(tmdb, `/find/${work.imdb}?external_source=imdb_id`)).body, {
    movie_results: [],
    tv_results: [{ id: work.id }],
  })
  t.match((await ask(tmdb, `/search/tv?query=${encodeURIComponent(work.title)}`)).body.results, [{ id: work.id }])
  t.match((await ask(tmdb, `/tv/${work.id}?append_to_response=external_ids`)).body, {
    external_ids: { imdb_id: work.imdb, tvdb_id: work.tvdb },
  })
  const refused = await fetch(`${tmdb.apiUrl}/configuration?api_key=${tmdb.apiKey}`)
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(await (await fetch(`${tmdb.apiUrl}/configuration?api_key=no`)).json(), { status_code: 7 })
})

t.test('pictures have fixed sizes, and lists may lag', async (t) => {
  await using tmdb = await startTmdb()
  const image = await fetch(`${tmdb.imageUrl}/w342/movie900000-poster-en.jpg`)
  t.equal(image.headers.get('content-type'), 'image/jpeg')
  t.same([...new Uint8Array(await image.arrayBuffer()).slice(0, 3)], [0xff, 0xd8, 0xff])
  t.equal((await fetch(`${tmdb.imageUrl}/w341/movie900000-poster-en.jpg`)).status, 404)
  tmdb.setLag(5_000)
  tmdb.actions.list(tmdb.work('movie', 0))
  const session = tmdb.signIn()
  t.match((await ask(tmdb, '/account/548/watchlist/movies', { session })).body, { total_results: 0 })
  tmdb.advance(5_001)
  t.match((await ask(tmdb, '/account/548/watchlist/movies', { session })).body, { total_results: 1 })
})
