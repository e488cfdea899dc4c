// The SIMKL stand-in stores accounts as SIMKL does: one state per title, side effects of removals, and refusals.
import t from 'tap'
import { type Simkl, startSimkl } from './simkl.ts'

const AT = '2026-02-01T20:00:00Z'

/** Calls as the signed-in user. */
function asUser(simkl: Simkl, name?: string) {
  const token = simkl.signIn(name)
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; json: any; text: string }> => {
    const separator = path.includes('?') ? '&' : '?'
    const response = await fetch(
      `${simkl.url}${path}${separator}client_id=${simkl.clientId}&app-name=tests&app-version=1`,
      {
        method,
        headers: { authorization: `Bearer ${token}`, 'user-agent': 'tests/1', 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      },
    )
    const text = await response.text()
    return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) }
  }
}

t.test('the catalogue has the works of the other stand-ins, and every request must name its client', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  t.equal((await fetch(`${simkl.url}/sync/activities`)).status, 412)
  t.equal(
    (
      await fetch(`${simkl.url}/sync/activities?client_id=${simkl.clientId}&app-name=a&app-version=1`, {
        headers: { 'user-agent': 'a/1' },
      })
    ).status,
    401,
  )
  const ask = asUser(simkl)
  t.match((await ask('POST', '/users/settings')).json, { user: { name: 'ada' }, account: { id: 51, type: 'free' } })
  t.match(simkl.movie(0).ids, { imdb: 'tt9900000', tmdb: '900000' })
})

t.test('an entry is in one list, moves when it is watched, and is removed with its rating', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const ask = asUser(simkl)
  const film = { ids: { imdb: simkl.movie(0).ids['imdb'] } }
  t.match((await ask('POST', '/sync/add-to-list', { movies: [{ ...film, to: 'plantowatch' }] })).json, {
    added: { movies: [{ to: 'plantowatch' }] },
  })
  t.match((await ask('POST', '/sync/history', { movies: [{ ...film, watched_at: AT }] })).json, {
    added: { movies: 1 },
  })
  t.match((await ask('POST', '/sync/ratings', { movies: [{ ...film, rating: 8 }] })).json, { added: { movies: 1 } })
  await ask('GET', '/sync/activities')
  t.match((await ask('GET', '/sync/all-items/movies?extended=full')).json, {
    movies: [{ status: 'completed', last_watched_at: AT, user_rating: 8 }],
  })
  t.match((await ask('POST', '/sync/history/remove', { movies: [film] })).json, { deleted: { movies: 1 } })
  t.match((await ask('GET', '/sync/activities')).json, {
    movies: { removed_from_list: String, rated_at: String },
    tv_shows: { all: null },
  })
  t.equal((await ask('GET', '/sync/all-items/movies')).json, null)
  t.same((await ask('GET', '/sync/ratings/movies')).json, {})
})

t.test('rating a missing work adds it to the library', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  await asUser(simkl)('POST', '/sync/ratings', {
    movies: [{ ids: simkl.movie(0).ids, rating: 8 }],
    shows: [{ ids: simkl.show(0).ids, rating: 7 }],
  })
  t.same([simkl.user.entry(simkl.movie(0))?.status, simkl.user.entry(simkl.show(0))?.status], ['completed', 'watching'])
})

t.test('an anime is numbered by season, and found by the numbers of the show', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const ask = asUser(simkl)
  await ask('POST', '/sync/history', {
    shows: [
      {
        ids: { tvdb: 990200 },
        use_tvdb_anime_seasons: true,
        seasons: [{ number: 2, episodes: [{ number: 1, watched_at: AT }] }],
      },
    ],
  })
  t.match((await ask('GET', '/sync/all-items/anime?extended=full_anime_seasons&episode_watched_at=yes')).json, {
    anime: [
      {
        anime_type: 'tv',
        mapped_tvdb_seasons: [2],
        show: { ids: { simkl: 690_002 } },
        seasons: [{ number: 1, episodes: [{ number: 1, tvdb: { season: 2, episode: 1 } }] }],
      },
    ],
  })
})

t.test('a show has one position, whose id exceeds a safe integer, and it expires after a week', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const ask = asUser(simkl)
  for (const number of [1, 2]) {
    t.equal(
      (
        await ask('POST', '/scrobble/pause', {
          show: { ids: simkl.show(0).ids },
          episode: { season: 1, number },
          progress: 40,
        })
      ).status,
      201,
    )
  }
  const { text } = await ask('GET', '/sync/playback')
  t.match(text, /^\[\{"id":1123000000000000002,/)
  t.equal(
    (await ask('POST', '/scrobble/pause', { movie: { ids: simkl.movie(0).ids }, progress: 85 })).json.action,
    'scrobble',
  )
  t.equal((await ask('POST', '/scrobble/pause', { movie: { ids: simkl.movie(0).ids }, progress: 20 })).status, 409)
  simkl.advance(8 * 86_400_000)
  t.equal((await asUser(simkl)('GET', '/sync/playback')).text, '[]')
})

t.test(
  'a client that reads full libraries repeatedly without activities, or writes too fast, is suspended',
  async (t) => {
    await using simkl = await startSimkl({ nowMs: () => 1_780_000_000_000 })
    const ask = asUser(simkl)
    const written = await Promise.all(Array.from({ length: 4 }, () => ask('POST', '/sync/history', {})))
    t.ok(written.some(({ status }) => status === 429))
    t.equal((await ask('POST', '/sync/history', {})).status, 429, 'and stays so for a while')
    for (let time = 0; time < 3; time += 1) t.equal((await ask('GET', '/sync/all-items/movies')).status, 200)
    t.equal((await ask('GET', '/sync/all-items/movies')).status, 412)
    t.equal((await ask('GET', '/sync/activities')).status, 412)
  },
)

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const HERE = 'http://here/callback'

/** Calls the AUTH V2 endpoints as its application. */
async function oauth(simkl: Simkl, path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(`${simkl.url}/oauth2/${path}?app-name=tests&app-version=1`, {
    method: 'POST',
    headers: { 'user-agent': 'tests/1' },
    body: new URLSearchParams({
      client_id: simkl.clientId,
      ...(simkl.clientSecret === '' ? {} : { client_secret: simkl.clientSecret }),
      ...form,
    }),
  })
  const json: any = await response.json()
  return { status: response.status, json }
}

const pageOf = (simkl: Simkl, more: Readonly<Record<string, string>> = {}) =>
  `https://simkl.com/oauth2/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: simkl.clientId,
    redirect_uri: HERE,
    state: 's',
    scope: 'media:read media:write',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  })}`

t.test('AUTH V2: a browser code works once, for its address, and with the verifier', async (t) => {
  for (const application of ['public', 'server'] as const) {
    await using simkl = await startSimkl({ limits: false, application })
    const codeOf = () => simkl.authorize(pageOf(simkl)).searchParams.get('code') as string
    const exchange = (code: string, more: Readonly<Record<string, string>> = {}) =>
      oauth(simkl, 'token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: HERE,
        code_verifier: VERIFIER,
        ...more,
      })
    const code = codeOf()
    t.match(await exchange(code), {
      status: 200,
      json: {
        access_token: /^simkl_at_/,
        refresh_token: /^simkl_rt_/,
        expires_in: 604_800,
        scope: 'media:read media:write',
      },
    })
    const spent = { status: 400, json: { error: 'invalid_grant' } }
    t.match(await exchange(code), spent, 'once')
    t.match(await exchange(codeOf(), { redirect_uri: `${HERE}/` }), spent, 'another address')
    t.match(await exchange(codeOf(), { code_verifier: 'guessed' }), spent, 'no proof')
    t.match(await exchange(codeOf(), { client_secret: 'guessed' }), { status: 401, json: { error: 'invalid_client' } })
    t.throws(() => simkl.authorize(pageOf(simkl, { code_challenge_method: 'plain' })))
    t.equal(simkl.authorize(pageOf(simkl)).searchParams.get('iss'), 'https://simkl.com')
  }
})

t.test('AUTH V2: a device code is pending, polled too fast, refused, granted once, and expires', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const begin = async () => (await oauth(simkl, 'device', { scope: 'media:read media:write' })).json
  const poll = (code: string) => oauth(simkl, 'token', { grant_type: GRANT, device_code: code })
  const first = await begin()
  t.match(first, { verification_uri: /^https:/, user_code: /^[0-9A-F]{8}$/, interval: 5, expires_in: 900 })
  t.match(await poll(first.device_code), { status: 400, json: { error: 'authorization_pending' } })
  t.match(await poll(first.device_code), { status: 400, json: { error: 'slow_down' } })
  simkl.advance(5_000)
  simkl.approve(first.user_code)
  t.match(await poll(first.device_code), { status: 200, json: { scope: 'media:read media:write' } })
  t.match(await poll(first.device_code), { status: 400, json: { error: 'invalid_grant' } })
  const second = await begin()
  simkl.deny(second.user_code)
  t.match(await poll(second.device_code), { status: 400, json: { error: 'access_denied' } })
  const third = await begin()
  simkl.advance(900_000)
  t.match(await poll(third.device_code), { status: 400, json: { error: 'expired_token' } })
})

t.test('AUTH V2: a misspelt scope means read-only; a refresh keeps its token and ends the other', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const { device_code, user_code } = (await oauth(simkl, 'device', { scope: 'media:read media:writes' })).json
  simkl.approve(user_code)
  const { json: first } = await oauth(simkl, 'token', { grant_type: GRANT, device_code })
  t.equal(first.scope, 'media:read')
  const as = (token: string, clientId = simkl.clientId) =>
    fetch(`${simkl.url}/sync/add-to-list?client_id=${clientId}&app-name=tests&app-version=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'tests/1', 'content-type': 'application/json' },
      body: '{}',
    }).then(({ status }) => status)
  t.equal(await as(first.access_token), 403)
  const refresh = () => oauth(simkl, 'token', { grant_type: 'refresh_token', refresh_token: first.refresh_token })
  const { json: second } = await refresh()
  t.equal(second.refresh_token, first.refresh_token)
  t.same([await as(first.access_token), await as(second.access_token)], [401, 403])
  simkl.advance(7 * 86_400_000)
  t.equal(await as(second.access_token), 401, 'after seven days')
  const { json: third } = await refresh()
  t.equal(await as(third.access_token, simkl.v1ClientId), 401)
  t.equal(await as(third.access_token), 401, 'a token that came with another application is ended')
  t.match(await refresh(), { status: 400, json: { error: 'invalid_grant' } })
  const token = simkl.credentials().refresh_token
  t.equal((await oauth(simkl, 'revoke', { token })).status, 200)
  t.match(await oauth(simkl, 'token', { grant_type: 'refresh_token', refresh_token: token }), { status: 400 })
})

t.test('the pages of AUTH V1 refuse applications of AUTH V2, and the other way round', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const pin = (id: string) =>
    fetch(`${simkl.url}/oauth/pin?client_id=${id}&app-name=tests&app-version=1`, {
      headers: { 'user-agent': 'tests/1' },
    })
  const refused = await pin(simkl.clientId)
  t.match([refused.status, await refused.json()], [400, { error: 'unauthorized_client' }])
  t.match(await (await pin(simkl.v1ClientId)).json(), { result: 'OK' })
  t.match(await oauth(simkl, 'device', { client_id: simkl.v1ClientId }), {
    status: 401,
    json: { error: 'invalid_client' },
  })
  t.throws(() => simkl.authorize(pageOf(simkl, { client_id: simkl.v1ClientId })))
})
