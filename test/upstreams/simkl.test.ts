// The stand-in for SIMKL keeps accounts as SIMKL does: one state per title, what goes along with a removal, and its
// refusals.
import t from 'tap'
import { type Simkl, startSimkl } from './simkl.ts'

const AT = '2026-02-01T20:00:00Z'

/** Asks as the signed-in user. */
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

t.test('it knows the works of the other stand-ins, and every request has to say who asks', async (t) => {
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

t.test('an entry is in one list, moves with what is watched, and leaves with its rating', async (t) => {
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

t.test('rating what is not in the library takes it in', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  await asUser(simkl)('POST', '/sync/ratings', {
    movies: [{ ids: simkl.movie(0).ids, rating: 8 }],
    shows: [{ ids: simkl.show(0).ids, rating: 7 }],
  })
  t.same([simkl.user.entry(simkl.movie(0))?.status, simkl.user.entry(simkl.show(0))?.status], ['completed', 'watching'])
})

t.test('an anime is counted by season, and found by the numbers of the show', async (t) => {
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

t.test(
  'a show has one position, its number is larger than a number can be, and it is forgotten after a week',
  async (t) => {
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
    t.equal((await ask('GET', '/sync/playback')).text, '[]')
  },
)

t.test(
  'whoever reads the library again and again without asking what changed, or writes too fast, is shut out',
  async (t) => {
    await using simkl = await startSimkl()
    const ask = asUser(simkl)
    const written = await Promise.all(Array.from({ length: 4 }, () => ask('POST', '/sync/history', {})))
    t.ok(written.some(({ status }) => status === 429))
    t.equal((await ask('POST', '/sync/history', {})).status, 429, 'and stays so for a while')
    for (let time = 0; time < 3; time += 1) t.equal((await ask('GET', '/sync/all-items/movies')).status, 200)
    t.equal((await ask('GET', '/sync/all-items/movies')).status, 412)
    t.equal((await ask('GET', '/sync/activities')).status, 412)
  },
)

t.test('a code of the browser sign-in works once, and only for the address that it was given to', async (t) => {
  await using simkl = await startSimkl({ limits: false })
  const address = `https://simkl.com/oauth/authorize?response_type=code&client_id=${simkl.clientId}&redirect_uri=http%3A%2F%2Fhere%2Fcallback&state=s`
  const exchange = (code: string | null, uri: string) =>
    asUser(simkl)('POST', '/oauth/token', {
      code,
      redirect_uri: uri,
      client_id: simkl.clientId,
      client_secret: simkl.clientSecret,
      grant_type: 'authorization_code',
    })
  const code = simkl.authorize(address).searchParams.get('code')
  t.match(await exchange(code, 'http://here/callback'), { status: 200, json: { access_token: String } })
  t.match(await exchange(code, 'http://here/callback'), { status: 401, json: { error: 'grant_error' } })
  t.match(await exchange(simkl.authorize(address).searchParams.get('code'), 'http://here/callback/'), { status: 401 })
})
