// The AniList stand-in conforms to the documented interface.
import t from 'tap'
import { type AniList, type AniListOptions, startAniList } from './anilist.ts'
import { movieCatalogue, showCatalogue } from './base/index.ts'

const COLLECTION = `query ($userId: Int!, $chunk: Int, $perChunk: Int) {
  MediaListCollection(userId: $userId, type: ANIME, chunk: $chunk, perChunk: $perChunk) {
    hasNextChunk
    lists { name isCustomList status entries { id mediaId status score(format: POINT_100) } }
  }
}`
const SAVE =
  'mutation ($mediaId: Int, $status: MediaListStatus, $scoreRaw: Int) {' +
  ' SaveMediaListEntry(mediaId: $mediaId, status: $status, scoreRaw: $scoreRaw) { id status score(format: POINT_100) progress } }'

async function ask({ url }: AniList, query: string, variables: object = {}, token?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

async function open(t: { teardown(end: () => Promise<void>): void }, options: AniListOptions = {}) {
  const anilist = await startAniList({ rateLimits: false, ...options })
  t.teardown(() => anilist.close())
  return { anilist, token: anilist.signIn() }
}

t.test('the catalogue contains the films and shows of the other stand-ins, with one entry per season', async (t) => {
  const { anilist } = await open(t)
  t.same(
    anilist.films.slice(0, 3).map(({ title }) => title.romaji),
    movieCatalogue(1, 3).map(({ title }) => `${title} (romaji)`),
  )
  const [show] = showCatalogue(1, 1)
  const seasons = new Set(show?.episodes.map(({ season }) => season))
  t.equal(anilist.series.filter(({ title }) => title.romaji.startsWith(String(show?.title))).length, seasons.size)
})

t.test(
  'fields, aliases, variables, fragments and enums work; unknown ones are refused before any change',
  async (t) => {
    const { anilist, token } = await open(t)
    const [film, other] = anilist.films
    const { status, body } = await ask(
      anilist,
      `query Two($id: Int = ${film!.id}) {
    a: Media(id: $id, type: ANIME) { ...names } # a comment
    b: Page(perPage: 2) {
      pageInfo { hasNextPage }
      media(id_in: [${film!.id}, ${other!.id}, ${anilist.films[2]!.id}]) { ... on Media { id } }
    }
  } fragment names on Media { id title { romaji } }`,
    )
    t.equal(status, 200)
    t.same(body, {
      data: {
        a: { id: film!.id, title: { romaji: film!.title.romaji } },
        b: { pageInfo: { hasNextPage: true }, media: [{ id: film!.id }, { id: other!.id }] },
      },
    })

    const refused = [
      'query { Viewer { id secret } }',
      'query { Viewer }',
      'query { Viewer { id { x } } }',
      'query ($a: Int) { Media(id: $b) { id } }',
      'query ($a: String) { Media(id: $a) { id } }',
      'query { Media(wrong: 1) { id } }',
      'query { Media(id: "1") { id } }',
      'query { Viewer { id }',
      'subscription { x }',
      'query { Viewer { ...none } }',
      'query { Viewer { id @include(if: true) } }',
      '',
    ]
    for (const query of refused)
      t.match(
        await ask(anilist, query, {}, token),
        { status: 400, body: { data: null, errors: [{ status: 400 }] } },
        query,
      )
    t.match(await ask(anilist, SAVE, { mediaId: film!.id, status: 'SOMETHING' }, token), { status: 400 })
    t.match(await ask(anilist, SAVE, { mediaId: 'x' }, token), { status: 400 })
    t.equal(anilist.user.account.entries.size, 0)
  },
)

t.test('personal data needs a token, and a revoked token is refused for every request', async (t) => {
  const { anilist, token } = await open(t, { names: ['ada', 'bob'], tokenLifetimeS: 60 })
  t.match(await ask(anilist, 'query { Viewer { id name } }', {}, token), {
    body: { data: { Viewer: { name: 'ada' } } },
  })
  t.match(await ask(anilist, 'query { Viewer { id } }'), { status: 401, body: { data: { Viewer: null } } })
  t.match(await ask(anilist, `query { Media(id: ${anilist.films[0]!.id}) { id mediaListEntry { id } } }`), {
    status: 200,
  })
  anilist.userNamed('bob').account.isPrivate = true
  t.match(await ask(anilist, COLLECTION, { userId: anilist.userNamed('bob').account.id }, token), {
    status: 404,
    body: { errors: [{ message: 'Private User' }] },
  })
  anilist.advance(60_000)
  t.match(await ask(anilist, `query { Media(id: ${anilist.films[0]!.id}) { id } }`, {}, token), {
    status: 400,
    body: { errors: [{ message: 'Invalid token' }] },
  })
})

t.test(
  'saving creates an entry once and keeps unnamed fields; completing fills in the progress; deleting removes everything',
  async (t) => {
    const { anilist, token } = await open(t)
    const [series] = anilist.series
    const mediaId = series!.id
    t.match(await ask(anilist, SAVE, { mediaId, status: 'PLANNING' }, token), {
      body: { data: { SaveMediaListEntry: { status: 'PLANNING', score: 0 } } },
    })
    t.match(await ask(anilist, SAVE, { mediaId, scoreRaw: 75 }, token), {
      body: { data: { SaveMediaListEntry: { status: 'PLANNING', score: 75 } } },
    })
    const { body } = await ask(anilist, SAVE, { mediaId, status: 'COMPLETED' }, token)
    t.match(body.data.SaveMediaListEntry, { score: 75, progress: series!.episodes })
    t.equal(anilist.user.account.entries.size, 1)
    t.match(await ask(anilist, SAVE, { mediaId: 1 }, token), {
      status: 404,
      body: { errors: [{ validation: { mediaId: [String] } }] },
    })
    t.match(await ask(anilist, SAVE, { mediaId, scoreRaw: 101 }, token), { status: 400 })
    const remove = 'mutation ($id: Int) { DeleteMediaListEntry(id: $id) { deleted } }'
    const { id } = body.data.SaveMediaListEntry
    t.match(await ask(anilist, remove, { id }, token), { body: { data: { DeleteMediaListEntry: { deleted: true } } } })
    t.match(await ask(anilist, remove, { id }, token), { status: 404 })
    t.equal(anilist.user.entry(series!), undefined)
  },
)

t.test("scores are returned in the requested format, or in the person's own", async (t) => {
  const { anilist, token } = await open(t)
  anilist.user.save(anilist.films[0]!, { status: 'COMPLETED', scoreRaw: 75 })
  const form = 'score(format:'
  const query = `query ($userId: Int, $mediaId: Int) { MediaList(userId: $userId, mediaId: $mediaId) {
    own: score a: ${form} POINT_100) b: ${form} POINT_10_DECIMAL) c: ${form} POINT_5) d: ${form} POINT_3) } }`
  const { body } = await ask(anilist, query, { userId: anilist.user.account.id, mediaId: anilist.films[0]!.id }, token)
  t.same(body.data.MediaList, { own: 8, a: 75, b: 7.5, c: 4, d: 3 })
})

t.test(
  'the collection comes in chunks; an entry is in each of its lists, and a hidden one only in custom lists',
  async (t) => {
    const { anilist, token } = await open(t)
    anilist.user.nameLists('Soon')
    anilist.user.save(anilist.films[0]!, { status: 'PLANNING', customLists: ['Soon'] })
    anilist.user.save(anilist.films[1]!, { status: 'PLANNING', customLists: ['Soon'], hiddenFromStatusLists: true })
    anilist.user.save(anilist.films[2]!, { status: 'CURRENT' })
    const userId = anilist.user.account.id
    const { body } = await ask(anilist, COLLECTION, { userId, chunk: 1, perChunk: 2 }, token)
    t.equal(body.data.MediaListCollection.hasNextChunk, true)
    t.same(
      body.data.MediaListCollection.lists.map((list: any) => [list.name, list.isCustomList, list.entries.length]),
      [
        ['Planning', false, 1],
        ['Soon', true, 2],
      ],
    )
    t.match((await ask(anilist, COLLECTION, { userId, chunk: 2, perChunk: 2 }, token)).body.data, {
      MediaListCollection: { hasNextChunk: false, lists: [{ name: 'Watching' }] },
    })
  },
)

t.test('several changes in one request run one by one: a failing one leaves the others done', async (t) => {
  for (const errorsWith200 of [false, true]) {
    const { anilist, token } = await open(t, { errorsWith200 })
    const first = `a: SaveMediaListEntry(mediaId: ${anilist.films[0]!.id}, status: PLANNING) { id }`
    const query = `mutation { ${first} b: SaveMediaListEntry(mediaId: 1) { id } }`
    const { status, body } = await ask(anilist, query, {}, token)
    t.equal(status, errorsWith200 ? 200 : 404)
    t.match(body, { data: { a: { id: Number }, b: null }, errors: [{ status: 404 }] })
    t.equal(anilist.user.account.entries.size, 1)
  }
  const { anilist, token } = await open(t)
  const many = Array.from(
    { length: 11 },
    (_, index) => `c${index}: SaveMediaListEntry(mediaId: ${anilist.films[0]!.id}) { id }`,
  )
  t.match(await ask(anilist, `mutation { ${many.join(' ')} }`, {}, token), { status: 400 })
})

t.test('a client that exceeds the limit is blocked for the rest of the minute', async (t) => {
  const now = Date.now()
  const { anilist } = await open(t, { rateLimits: { perMinute: 3, perSecond: 100 }, nowMs: () => now })
  const query = `query { Media(id: ${anilist.films[0]!.id}) { id } }`
  const first = await ask(anilist, query)
  t.equal(first.headers.get('x-ratelimit-remaining'), '2')
  await ask(anilist, query)
  await ask(anilist, query)
  const refused = await ask(anilist, query)
  t.match(refused, { status: 429, body: { data: null, errors: [{ message: 'Too Many Requests.', status: 429 }] } })
  t.ok(Number(refused.headers.get('retry-after')) > 50)
  t.ok(Number(refused.headers.get('x-ratelimit-reset')) > now / 1_000)
  anilist.advance(60_000)
  t.equal((await ask(anilist, query)).status, 200)
})

t.test('in maintenance mode every request is refused with a message', async (t) => {
  const { anilist, token } = await open(t)
  anilist.setMaintenance(true)
  t.match(await ask(anilist, 'query { Viewer { id } }', {}, token), {
    status: 403,
    body: { errors: [{ message: /disabled/ }] },
  })
})

t.test('a code works once, for its redirect address, with the right application; as JSON or as a form', async (t) => {
  const { anilist } = await open(t)
  const redirect = 'http://playhead.test/callback/animeA'
  const code = () => {
    const query = new URLSearchParams({
      client_id: anilist.clientId,
      redirect_uri: redirect,
      response_type: 'code',
      state: 's',
    })
    const address = `${anilist.oauthUrl}/oauth/authorize?${query}`
    const back = new URL(anilist.authorize(address))
    t.equal(back.searchParams.get('state'), 's')
    return String(back.searchParams.get('code'))
  }
  const send = async (change: object, isForm = false) => {
    const fields = {
      grant_type: 'authorization_code',
      client_id: anilist.clientId,
      client_secret: anilist.clientSecret,
      redirect_uri: redirect,
      code: '',
      ...change,
    }
    const response = await fetch(`${anilist.oauthUrl}/oauth/token`, {
      method: 'POST',
      ...(isForm
        ? { body: new URLSearchParams(fields) }
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) }),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const used = code()
  t.match(await send({ code: used }), {
    status: 200,
    body: { token_type: 'Bearer', expires_in: 31_536_000, access_token: /\..*\./ },
  })
  t.match(await send({ code: used }), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await send({ code: code() }, true), { status: 200 })
  t.match(await send({ code: code(), redirect_uri: 'http://elsewhere.test' }), { status: 400 })
  t.match(await send({ code: code(), client_secret: 'x' }), { status: 401, body: { error: 'invalid_client' } })
  t.match(await send({ code: code(), grant_type: 'refresh_token' }), { status: 400 })
})

t.test('without a secret the page shows a working token, and no other address', async (t) => {
  const { anilist } = await open(t)
  const page = `${anilist.oauthUrl}/oauth/authorize?client_id=${anilist.clientId}&response_type=token`
  const shown = new URL(anilist.authorize(page))
  t.equal(shown.origin + shown.pathname, `${anilist.oauthUrl}/oauth/pin`)
  const given = new URLSearchParams(shown.hash.slice(1))
  t.match(Object.fromEntries(given), { token_type: 'Bearer', expires_in: '31536000' })
  const { body } = await ask(anilist, '{ Viewer { name } }', {}, given.get('access_token') ?? '')
  t.match(body, { data: { Viewer: { name: 'ada' } } })
  t.match(await (await fetch(shown)).text(), /location\.hash/)
  t.throws(() => anilist.authorize(page.replace(anilist.clientId, 'another')))
})
