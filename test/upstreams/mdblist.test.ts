// The MDBList stand-in behaves as the service does: access, quotas and results of writes.
import t from 'tap'
import { type Mdblist, startMdblist } from './mdblist.ts'

async function call({ url, user }: Mdblist, path: string, json?: unknown, headers: Record<string, string> = {}) {
  const signed =
    headers['authorization'] === undefined ? `${path}${path.includes('?') ? '&' : '?'}apikey=${user.apiKey}` : path
  const answer = await fetch(
    url + signed,
    json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) },
  )
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

const form = (url: string, path: string, fields: Record<string, string>) =>
  fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) }).then(async (answer) => ({
    status: answer.status,
    body: (await answer.json()) as any,
  }))

t.test('a key or a token gives access, never both, until the daily quota is used up', async (t) => {
  await using mdblist = await startMdblist({ plan: { requests: 3 }, nowMs: () => 1_780_000_000_000 })
  const { access_token: token } = mdblist.signIn()
  t.match((await call(mdblist, '/user')).body, {
    user_id: 77,
    username: 'ada',
    patron_status: 'free',
    api_requests: 3,
    api_requests_count: 1,
  })
  t.equal((await call(mdblist, '/user', undefined, { authorization: `Bearer ${token}` })).status, 200)
  t.equal(
    (await call(mdblist, `/user?apikey=${mdblist.user.apiKey}`, undefined, { authorization: `Bearer ${token}` }))
      .status,
    400,
  )
  t.equal((await call(mdblist, '/user?apikey=wrong', undefined, { authorization: 'Bearer wrong' })).status, 400)
  await call(mdblist, '/user')
  const refused = await call(mdblist, '/user')
  t.equal(refused.status, 429)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  mdblist.advance(86_400_000)
  t.equal((await call(mdblist, '/user')).status, 200)
})

t.test('a code gives tokens, a refusal, or an expiry, and a refresh token works once', async (t) => {
  await using mdblist = await startMdblist()
  const { url, clientId: client_id } = mdblist
  const start = () => form(url, '/oauth/device-authorization/', { client_id, scope: 'write' })
  const poll = (device_code: string) =>
    form(url, '/oauth/token/', { client_id, device_code, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' })
  const [yes, no, late] = [(await start()).body, (await start()).body, (await start()).body]
  t.match(await poll(yes.device_code), { status: 400, body: { error: 'authorization_pending' } })
  t.match(await poll(yes.device_code), { status: 400, body: { error: 'slow_down' } })
  mdblist.approve(yes.user_code)
  mdblist.deny(no.user_code)
  mdblist.advance(5_000)
  const { body } = await poll(yes.device_code)
  t.match(body, { access_token: String, refresh_token: String, expires_in: 36_000, token_type: 'Bearer' })
  t.match(await poll(yes.device_code), { body: { error: 'invalid_grant' } })
  t.match(await poll(no.device_code), { status: 403, body: { error: 'access_denied' } })
  mdblist.advance(300_000)
  t.match(await poll(late.device_code), { body: { error: 'expired_token' } })
  const refresh = () =>
    form(url, '/oauth/token/', { client_id, refresh_token: body.refresh_token, grant_type: 'refresh_token' })
  t.match(await refresh(), { status: 200, body: { access_token: String } })
  t.match(await refresh(), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('plays come one by one or aggregated, with roll-ups of their shows, in pages', async (t) => {
  await using mdblist = await startMdblist({ pageRows: 3, cursors: true })
  const { user } = mdblist
  for (const atMs of [1_700_000_000_000, 1_710_000_000_000]) user.watch(mdblist.movie(0), atMs)
  for (const number of [1, 2]) user.watch(mdblist.episode(0, 1, number), 1_705_000_000_000)
  const first = (await call(mdblist, '/sync/watched?plays=all&limit=1000')).body
  t.match(first, {
    shows: [{ show: { ids: { tmdb: 900_000 } } }],
    pagination: { limit: 3, has_more: true, next_cursor: 'c3' },
  })
  const second = (await call(mdblist, '/sync/watched?plays=all&limit=1000&cursor=c3')).body
  t.match(second, { pagination: { has_more: false, next_cursor: null } })
  t.equal(first.movies.length + first.episodes.length + second.movies.length + second.episodes.length, 4)
  t.equal((await call(mdblist, '/sync/watched?limit=1000')).body.pagination.has_more, true)
})

t.test('writes return their counts by kind, and a full watchlist accepts nothing', async (t) => {
  await using mdblist = await startMdblist({ plan: { watchlist: 2 } })
  const movies = [{ imdb: 'tt9900000' }, { imdb: 'tt1' }]
  t.match((await call(mdblist, '/watchlist/items/add', { movies })).body, {
    added: { movies: 1, shows: 0 },
    existing: { movies: 0 },
    not_found: { movies: 1 },
  })
  t.match((await call(mdblist, '/watchlist/items/add', { movies })).body, {
    added: { movies: 0 },
    existing: { movies: 1 },
  })
  t.equal(
    (await call(mdblist, '/watchlist/items/add', { movies: [{ imdb: 'tt9900001' }, { imdb: 'tt9900002' }] })).status,
    429,
  )
  t.match((await call(mdblist, '/watchlist/items/remove', { movies })).body, { removed: { movies: 1 } })
  t.equal(
    (await call(mdblist, '/sync/watched', { shows: [{ ids: { tmdb: 900_000 }, watched_at: '2026-01-05T20:00:00Z' }] }))
      .status,
    422,
    'a whole show',
  )
  t.match(await call(mdblist, '/sync/ratings', { movies: [{ ids: { tmdb: 900_000 }, rating: 11 }] }), { status: 422 })
})
