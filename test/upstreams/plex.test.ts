// The Plex stand-in behaves as the real service does, including its quirks.
import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import { type Plex, type PlexOptions, startPlex, type Who } from './plex.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12)
const DAY_S = 86_400
const NOW_S = NOW_MS / 1_000
const LIBRARY = 'identifier=com.plexapp.plugins.library'

type Rows = readonly Record<string, unknown>[]
interface Page {
  size: number
  totalSize?: number
  offset?: number
  Metadata?: Rows
  Account?: Rows
  [name: string]: unknown
}
interface Answer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
  page: Page
}

async function start(test: { teardown(fn: () => Promise<void>): void }, options: PlexOptions = {}) {
  const clock = { nowMs: NOW_MS }
  const plex = await startPlex({ movies: 6, shows: 2, cloudTitles: 40, now: () => clock.nowMs, ...options })
  test.teardown(() => plex.close())
  const by =
    (host: 'cloud' | 'server', who: Who | null) =>
    (method: string, path: string, headers: Record<string, string> = {}) => {
      const token = host === 'cloud' ? plex.accountToken.bind(plex) : plex.serverToken.bind(plex)
      const own: Record<string, string> = who === null ? {} : { 'x-plex-token': token(who) }
      return ask(plex[host].url + path, method, {
        accept: 'application/json',
        'x-plex-client-identifier': 'test-client',
        ...own,
        ...headers,
      })
    }
  return { plex, clock, by, server: by('server', 'owner'), cloud: by('cloud', 'owner') }
}

async function ask(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { method, headers })
  const text = await response.text()
  const json = text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Record<string, unknown>) : {}
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    page: (json['MediaContainer'] ?? {}) as Page,
  }
}

const keys = ({ page }: Answer): unknown[] => (page.Metadata ?? []).map(({ ratingKey }) => ratingKey)
const ofType = (plex: Plex, type: string) => [...plex.state.items.values()].filter((item) => item.type === type)
const movies = (plex: Plex): string[] => ofType(plex, 'movie').map(({ ratingKey }) => ratingKey)
const movie = (plex: Plex, index = 0): string => movies(plex)[index] as string
const row = async (server: Awaited<ReturnType<typeof start>>['server'], key: string) =>
  (await server('GET', `/library/metadata/${key}`)).page.Metadata?.[0] ?? {}

t.test('a PIN is pending until its code is approved, then gives a valid account token', async (t) => {
  const { plex, by } = await start(t)
  const anybody = by('cloud', null)
  const made = await anybody('POST', '/api/v2/pins')
  t.equal(made.status, 201)
  t.match(made.json['code'], /^[A-Z0-9]{4}$/)
  const path = `/api/v2/pins/${made.json['id']}`
  t.equal((await anybody('GET', path)).json['authToken'], null)
  t.equal(
    (await anybody('GET', path, { 'x-plex-client-identifier': 'another' })).status,
    404,
    'only the client that made it sees it',
  )
  plex.actions.approvePin(String(made.json['code']))
  const { authToken } = (await anybody('GET', path)).json
  const user = await anybody('GET', '/api/v2/user', { 'x-plex-token': String(authToken) })
  t.match(user.json, { id: 900_001, username: 'sample_user' })
})

t.test(
  'a strong PIN has a long code, a PIN without a client identifier is refused, and an expired one is gone',
  async (t) => {
    const { clock, by, plex } = await start(t)
    const anybody = by('cloud', null)
    const strong = await anybody('POST', '/api/v2/pins?strong=true')
    t.equal(String(strong.json['code']).length, 25)
    t.equal((await ask(`${plex.cloud.url}/api/v2/pins`, 'POST', {})).status, 400)
    clock.nowMs += 900_000
    const late = await anybody('GET', `/api/v2/pins/${strong.json['id']}`)
    t.equal(late.status, 404)
    t.match(late.json, { errors: [{ code: 1020, status: 404 }] })
    t.throws(() => plex.actions.approvePin(String(strong.json['code'])))
  },
)

t.test('an expired token and a signed-out token are refused by the cloud and by the server', async (t) => {
  const { plex, cloud, server, by } = await start(t)
  const token = { 'x-plex-token': plex.accountToken() }
  t.equal(
    (await server('GET', '/library/sections', token)).status,
    200,
    'the owner comes in with the account token too',
  )
  t.equal((await cloud('DELETE', '/api/v2/users/signout', token)).status, 204)
  t.match(await by('cloud', null)('GET', '/api/v2/user', token), { status: 401, json: { errors: [{ code: 1001 }] } })
  const kid = { 'x-plex-token': plex.serverToken('managed') }
  plex.actions.expireTokens('managed')
  const refused = await server('GET', '/library/sections', kid)
  t.equal(refused.status, 401)
  t.match(refused.text, /<h1>401 Unauthorized/)
})

t.test('resources list the server with its address and a valid token for each account', async (t) => {
  const { plex, by } = await start(t)
  const tokens = new Set<string>()
  for (const who of ['owner', 'managed', 'friend'] as const) {
    const rows = (await by('cloud', who)('GET', '/api/v2/resources?includeHttps=1&includeRelay=1')).json as unknown as {
      clientIdentifier: string
      accessToken: string
      owned: boolean
      connections: { uri: string; relay: boolean }[]
    }[]
    const attic = rows.find(({ clientIdentifier }) => clientIdentifier === plex.state.machineIdentifier)
    t.equal(attic?.owned, who === 'owner')
    t.same(attic?.connections.filter(({ relay }) => relay).length, 1)
    const uri = attic?.connections.find(({ uri: candidate }) => candidate.startsWith('http://'))?.uri ?? ''
    const headers = { accept: 'application/json', 'x-plex-token': attic?.accessToken ?? '' }
    t.equal((await ask(`${uri}/library/sections`, 'GET', headers)).status, 200)
    tokens.add(attic?.accessToken ?? '')
  }
  t.equal(tokens.size, 3)
})

t.test('switching to a home user needs the right PIN', async (t) => {
  const { cloud, by } = await start(t)
  const { users } = (await cloud('GET', '/api/v2/home/users')).json as {
    users: { uuid: string; title: string; protected: boolean }[]
  }
  const kid = users.find(({ title }) => title === 'Kid')
  t.equal(kid?.protected, true)
  t.equal((await cloud('POST', `/api/v2/home/users/${kid?.uuid}/switch?pin=9999`)).status, 403)
  const entered = await cloud('POST', `/api/v2/home/users/${kid?.uuid}/switch?pin=1234`)
  const token = { 'x-plex-token': String(entered.json['authToken']) }
  t.match((await by('cloud', null)('GET', '/api/v2/user', token)).json, { title: 'Kid', restricted: true })
})

t.test('friends are always XML, and containers are XML unless JSON is requested', async (t) => {
  const { plex, cloud, server } = await start(t)
  t.match((await cloud('GET', '/api/users')).text, /<User id="900003" title="neighbour".*<Server name="Attic"/)
  const xml = await server('GET', '/library/sections/1/all?X-Plex-Container-Size=1', { accept: '*/*' })
  t.match(xml.headers.get('content-type'), /xml/)
  t.match(xml.text, /<MediaContainer size="1".*><Video ratingKey="/)
  const unsigned = await ask(`${plex.server.url}/identity`, 'GET', { accept: 'application/json' })
  t.equal(unsigned.page['machineIdentifier'], plex.state.machineIdentifier)
})

t.test('the pages of a section contain each item once, for any page size', async (t) => {
  const { plex, server } = await start(t)
  const expected = movies(plex).sort()
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), async (size) => {
      const seen: unknown[] = []
      for (let offset = 0; offset < expected.length; offset += size) {
        const page = await server(
          'GET',
          `/library/sections/1/all?type=1&X-Plex-Container-Start=${offset}&X-Plex-Container-Size=${size}`,
        )
        if (page.page.totalSize !== expected.length || page.page.offset !== offset) return false
        seen.push(...keys(page))
      }
      return JSON.stringify(seen.sort()) === JSON.stringify(expected)
    }),
    { numRuns: runsOf(8) },
  )
  const byHeader = await server('GET', '/library/sections/1/all', { 'x-plex-container-size': '0' })
  t.match(byHeader.page, { size: 0, totalSize: 6 })
  t.notOk('Metadata' in byHeader.page, 'an empty page has no list')
})

t.test('external ids are returned on request, or with the single item', async (t) => {
  const { plex, server } = await start(t)
  const bare = await server('GET', '/library/sections/1/all')
  t.ok(bare.page.Metadata?.every((item) => !('Guid' in item)))
  const full = await server('GET', '/library/sections/1/all?includeGuids=1')
  t.match(full.page.Metadata?.[0]?.['Guid'], [{ id: /^imdb:\/\/tt\d+/ }])
  t.ok('Guid' in (await row(server, movie(plex))))
})

t.test('filters compare as Plex does, and an unknown one is refused', async (t) => {
  const { plex, server } = await start(t)
  plex.actions.watch('owner', movie(plex, 0), NOW_MS - DAY_S * 1_000)
  plex.actions.watch('owner', movie(plex, 1), NOW_MS)
  plex.actions.rate('owner', movie(plex, 2), 7.5)
  plex.actions.setOffset('owner', movie(plex, 3), 600_000)
  const found = async (query: string) => keys(await server('GET', `/library/sections/1/all?type=1&${query}`)).sort()
  const some = (...indexes: number[]) => indexes.map((index) => movie(plex, index)).sort()
  t.same(await found('unwatched=0'), some(0, 1))
  t.same(await found('unwatched=1'), some(2, 3, 4, 5))
  t.same(await found('viewCount>=1'), some(0, 1))
  t.same(await found(`lastViewedAt>=${NOW_S}&unwatched=0`), some(1))
  t.same(await found(`lastViewedAt>>=${NOW_S - DAY_S}&unwatched=0`), some(1))
  t.same(await found(`lastViewedAt<=${NOW_S - DAY_S}`), some(0))
  t.same(await found('userRating>>=0'), some(2))
  t.same(await found('viewOffset>>=0'), some(3))
  const guid = encodeURIComponent(String((await row(server, movie(plex, 4)))['guid']))
  t.same(keys(await server('GET', `/library/all?guid=${guid}`)), some(4))
  const byDate = await server('GET', '/library/sections/1/all?unwatched=0&sort=lastViewedAt:desc')
  t.same(keys(byDate), [movie(plex, 1), movie(plex, 0)])
  t.equal((await server('GET', '/library/sections/1/all?viewedSince>=1')).status, 400)
})

t.test('the episodes of a show are in order with their season numbers', async (t) => {
  const { plex, server } = await start(t)
  const show = ofType(plex, 'show')[0]?.ratingKey ?? ''
  const leaves = await server('GET', `/library/metadata/${show}/allLeaves?includeGuids=1`)
  const numbers = (leaves.page.Metadata ?? []).map(
    ({ parentIndex, index }) => Number(parentIndex) * 100 + Number(index),
  )
  t.ok(numbers.length >= 4)
  t.same(
    numbers,
    numbers.toSorted((a, b) => a - b),
  )
  t.ok(leaves.page.Metadata?.every((item) => item['grandparentRatingKey'] === show))
})

t.test(
  'scrobbling marks as played at the current time, for any sent date, clears the offset and adds no log row',
  async (t) => {
    const { plex, server } = await start(t)
    plex.actions.setOffset('owner', movie(plex), 600_000, NOW_MS - DAY_S * 1_000)
    t.equal((await server('PUT', `/:/scrobble?${LIBRARY}&key=${movie(plex)}&viewedAt=1000`)).status, 200)
    const played = await row(server, movie(plex))
    t.match(played, { viewCount: 1, lastViewedAt: NOW_S })
    t.notOk('viewOffset' in played)
    t.equal((await server('GET', '/status/sessions/history/all')).page.size, 0)
    await server('PUT', `/:/unscrobble?${LIBRARY}&key=${movie(plex)}`)
    t.notOk('viewCount' in (await row(server, movie(plex))))
    t.equal((await server('PUT', `/:/scrobble?${LIBRARY}&key=99999`)).status, 404)
    t.equal((await server('PUT', `/:/scrobble?${LIBRARY}&key=none`)).status, 400)
  },
)

t.test('scrobbling a show marks every episode', async (t) => {
  const { plex, server } = await start(t)
  const show = ofType(plex, 'show')[0]?.ratingKey ?? ''
  await server('PUT', `/:/scrobble?${LIBRARY}&key=${show}`)
  const { leafCount, viewedLeafCount } = await row(server, show)
  t.ok(Number(leafCount) > 0)
  t.equal(viewedLeafCount, leafCount)
})

t.test('ratings take 0 to 10 and halves, are cleared by -1, and are refused with a future time', async (t) => {
  const { plex, server } = await start(t)
  const rating = (query: string) => server('PUT', `/:/rate?${LIBRARY}&key=${movie(plex)}&${query}`)
  t.equal((await rating(`rating=7.5&ratedAt=${NOW_S - 60}`)).status, 200)
  t.match(await row(server, movie(plex)), { userRating: 7.5, lastRatedAt: NOW_S - 60 })
  t.equal((await rating(`rating=8&ratedAt=${NOW_S + 60}`)).status, 400)
  t.equal((await rating('rating=11')).status, 400)
  t.equal((await rating('rating=-1')).status, 200)
  t.notOk('userRating' in (await row(server, movie(plex))))
})

t.test('a timeline stores the offset, ignores a short start, and near the end counts as one play', async (t) => {
  const { plex, server } = await start(t)
  const durationMs = Number((await row(server, movie(plex)))['duration'])
  const at = (timeMs: number, state: string, more = '') =>
    server(
      'POST',
      `/:/timeline?ratingKey=${movie(plex)}&${LIBRARY}&state=${state}&time=${timeMs}&duration=${durationMs}${more}`,
    )
  await at(30_000, 'stopped')
  t.notOk('viewOffset' in (await row(server, movie(plex))))
  await at(1_200_000, 'stopped', `&offline=1&updated=${NOW_S - DAY_S}`)
  t.match(await row(server, movie(plex)), { viewOffset: 1_200_000, lastViewedAt: NOW_S - DAY_S })
  await at(1_300_000, 'playing')
  t.match((await server('GET', '/status/sessions')).page.Metadata, [{ viewOffset: 1_300_000, User: { id: '1' } }])
  await at(durationMs - 1_000, 'playing')
  await at(durationMs, 'stopped')
  t.equal((await server('GET', '/status/sessions')).page.size, 0)
  const played = await row(server, movie(plex))
  t.equal(played['viewCount'], 1)
  t.notOk('viewOffset' in played)
  t.match((await server('GET', '/status/sessions/history/all')).page.Metadata, [
    { ratingKey: movie(plex), accountID: 1, viewedAt: NOW_S },
  ])
})

t.test('a server that restamps late reports uses the current time', async (t) => {
  const { plex, server } = await start(t, { stampsReports: true })
  await server(
    'POST',
    `/:/timeline?ratingKey=${movie(plex)}&${LIBRARY}&state=stopped&time=1200000&offline=1&updated=${NOW_S - DAY_S}`,
  )
  t.match(await row(server, movie(plex)), { viewOffset: 1_200_000, lastViewedAt: NOW_S })
})

t.test('progress zero clears the position and keeps the rest', async (t) => {
  const { plex, server } = await start(t)
  plex.actions.watch('owner', movie(plex), NOW_MS)
  plex.actions.setOffset('owner', movie(plex), 600_000)
  await server('GET', `/:/progress?${LIBRARY}&key=${movie(plex)}&time=0&state=stopped`)
  const after = await row(server, movie(plex))
  t.equal(after['viewCount'], 1)
  t.notOk('viewOffset' in after)
})

t.test(
  'the log is paged, filtered by account and time, and keeps plays of deleted items without their key',
  async (t) => {
    const { plex, server } = await start(t)
    for (let index = 0; index < 4; index += 1)
      plex.actions.watch('owner', movie(plex, index), NOW_MS - index * DAY_S * 1_000)
    plex.actions.watch('managed', movie(plex), NOW_MS)
    const history = (query: string) => server('GET', `/status/sessions/history/all?${query}`)
    t.equal((await history('')).page.size, 5)
    const page = await history('accountID=1&sort=viewedAt:desc&X-Plex-Container-Start=1&X-Plex-Container-Size=2')
    t.match(page.page, { size: 2, totalSize: 4, offset: 1 })
    t.same(keys(page), [movie(plex, 1), movie(plex, 2)])
    t.equal(page.headers.get('x-plex-container-total-size'), '4')
    t.same(keys(await history(`accountID=1&viewedAt>=${NOW_S - DAY_S}&sort=viewedAt:desc`)), [
      movie(plex, 0),
      movie(plex, 1),
    ])
    const gone = movie(plex, 3)
    plex.actions.removeItem(gone)
    const last = (await history('accountID=1&sort=viewedAt')).page.Metadata?.[0] ?? {}
    t.equal(last['viewedAt'], NOW_S - 3 * DAY_S)
    t.notOk('ratingKey' in last || 'key' in last)
    t.equal((await server('DELETE', String(last['historyKey']))).status, 200)
    t.equal((await history('accountID=1')).page.size, 3)
  },
)

t.test("a managed user has a separate state and cannot see the owner's", async (t) => {
  const { plex, server, by } = await start(t)
  const kid = by('server', 'managed')
  plex.actions.watch('owner', movie(plex), NOW_MS)
  await kid('PUT', `/:/rate?${LIBRARY}&key=${movie(plex)}&rating=3`)
  t.notOk('viewCount' in (await row(kid, movie(plex))))
  t.notOk('userRating' in (await row(server, movie(plex))))
  t.equal((await kid('GET', '/status/sessions/history/all')).page.size, 0)
  t.equal((await kid('GET', '/status/sessions/history/all?accountID=1')).status, 403)
  for (const path of ['/status/sessions', '/accounts', '/library/all'])
    t.equal((await kid('GET', path)).status, 403, path)
  t.match((await server('GET', '/accounts')).page.Account, [
    { id: 0 },
    { id: 1, name: 'sample_user' },
    { id: 900_002, name: 'Kid' },
    {},
  ])
  const friend = by('server', 'friend')
  t.equal((await friend('GET', '/library/sections')).page.size, 1)
  t.equal((await friend('GET', `/library/metadata/${ofType(plex, 'show')[0]?.ratingKey}`)).status, 404)
})

t.test('a playlist may contain an item twice, and removes and moves entries by their own ids', async (t) => {
  const { plex, server, by } = await start(t)
  const on = (machine: string, list: string) =>
    encodeURIComponent(`server://${machine}/com.plexapp.plugins.library/library/metadata/${list}`)
  const uri = (...list: string[]) => on(plex.state.machineIdentifier, list.join(','))
  const [first, second] = [movie(plex, 0), movie(plex, 1)]
  const made = await server('POST', `/playlists?type=video&title=Weekend&smart=0&uri=${uri(first, second)}`)
  const path = `/playlists/${made.page.Metadata?.[0]?.['ratingKey']}`
  t.match((await server('PUT', `${path}/items?uri=${uri(first)}`)).page, {
    leafCountAdded: 1,
    Metadata: [{ leafCount: 3 }],
  })
  const items = await server('GET', `${path}/items`)
  t.same(keys(items), [first, second, first])
  const ids = (items.page.Metadata ?? []).map(({ playlistItemID }) => playlistItemID)
  t.equal(new Set(ids).size, 3)
  await server('DELETE', `${path}/items/${ids[0]}`)
  t.same(keys(await server('GET', `${path}/items`)), [second, first])
  await server('PUT', `${path}/items/${ids[2]}/move`)
  t.same(keys(await server('GET', `${path}/items`)), [first, second])
  t.match((await server('GET', '/playlists?playlistType=video')).page.Metadata, [
    { title: 'Weekend', leafCount: 2, smart: false },
  ])
  t.equal((await by('server', 'managed')('GET', `${path}/items`)).status, 404)
  t.equal((await server('PUT', `${path}/items?uri=${on('other', first)}`)).status, 400)
  t.equal((await server('DELETE', path)).status, 204)
  t.equal((await server('GET', path)).status, 404)
})

t.test('the watchlist is paged and sorted by the newest, and too large a page times out', async (t) => {
  const { plex, cloud, by } = await start(t, { cloudTitles: 130 })
  const titles = [...plex.state.cloud.keys()]
  titles.forEach((hex, index) => plex.actions.addToWatchlist('owner', hex, NOW_MS - index * 1_000))
  const list = (query: string) => cloud('GET', `/library/sections/watchlist/all?${query}`)
  const seen: unknown[] = []
  for (let start = 0; start < 260; start += 100) {
    const page = await list(`X-Plex-Container-Start=${start}&X-Plex-Container-Size=100`)
    t.equal(page.page.totalSize, 260)
    seen.push(...keys(page))
  }
  t.same(seen, titles)
  t.equal((await list('')).page.size, 20, 'a page that names no size is small')
  t.equal((await list('type=2&X-Plex-Container-Size=1')).page.totalSize, 130)
  t.same(keys(await list('sort=watchlistedAt&X-Plex-Container-Size=1')), titles.slice(-1))
  t.equal((await list('X-Plex-Container-Size=201')).status, 504)
  t.equal((await by('cloud', 'managed')('GET', '/library/sections/watchlist/all')).page.totalSize, 0)
})

t.test(
  'adding twice and removing a missing item are reported, and rows without external ids can be looked up',
  async (t) => {
    const { plex, cloud } = await start(t)
    const { hex, guids } = [...plex.state.cloud.values()].find(({ bareInLists }) => bareInLists) as {
      hex: string
      guids: readonly string[]
    }
    t.equal((await cloud('PUT', `/actions/addToWatchlist?ratingKey=${hex}`)).status, 200)
    t.match(await cloud('PUT', `/actions/addToWatchlist?ratingKey=${hex}`), {
      status: 409,
      text: /already on the watchlist/,
    })
    const listed = (await cloud('GET', '/library/sections/watchlist/all')).page.Metadata?.[0] ?? {}
    t.equal(listed['watchlistedAt'], NOW_S)
    t.notOk('Guid' in listed)
    const looked = await cloud('GET', `/library/metadata/${hex}?includeGuids=1`)
    t.same(
      looked.page.Metadata?.[0]?.['Guid'],
      guids.map((id) => ({ id })),
    )
    t.match((await cloud('GET', `/library/metadata/${hex}/userState`)).page['UserState'], { watchlistedAt: NOW_S })
    const title = (guids[0] as string).replace('://', '-')
    t.same(keys(await cloud('GET', `/library/metadata/matches?type=movie&title=${title}`)), [hex])
    t.same(
      keys(await cloud('GET', `/library/metadata/matches?type=show&title=${title}`)),
      [],
      'ids of films are no ids of shows',
    )
    t.equal((await cloud('PUT', `/actions/removeFromWatchlist?ratingKey=${hex}`)).status, 200)
    t.match(await cloud('PUT', `/actions/removeFromWatchlist?ratingKey=${hex}`), {
      status: 404,
      text: /not on the watchlist/,
    })
  },
)

t.test('a search finds titles by their words and only of the requested kinds', async (t) => {
  const { plex, cloud } = await start(t)
  const known = [...plex.state.cloud.values()].find(({ type }) => type === 'show')
  const query = encodeURIComponent(known?.title ?? '')
  const results = async (types: string) => {
    const { page } = await cloud(
      'GET',
      `/library/search?query=${query}&limit=25&searchTypes=${types}&searchProviders=discover`,
    )
    const lists = page['SearchResults'] as { SearchResult: { Metadata: { ratingKey: string; type: string } }[] }[]
    return lists.flatMap(({ SearchResult }) => SearchResult.map(({ Metadata }) => Metadata))
  }
  t.ok((await results('tv')).some(({ ratingKey }) => ratingKey === known?.hex))
  t.notOk((await results('movies')).some(({ type }) => type === 'show'))
})

t.test('a throttled cloud returns the wait time, and then answers again', async (t) => {
  const { plex, cloud } = await start(t)
  plex.actions.throttle(1, 7)
  const refused = await cloud('GET', '/api/v2/user')
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '7')
  t.equal((await cloud('GET', '/api/v2/user')).status, 200)
})

t.test('the same seed gives the same library, and added items get new keys', async (t) => {
  const { plex, server } = await start(t)
  const again = await start(t)
  t.same([...plex.state.items], [...again.plex.state.items])
  const guid = 'com.plexapp.agents.imdb://tt9900001?lang=en'
  const added = plex.actions.addItem({ type: 'movie', sectionKey: '1', guid, guids: [], title: 'Harbor of Glass' })
  t.match(await row(server, added.ratingKey), { guid, addedAt: NOW_S, title: 'Harbor of Glass' })
  t.equal((await again.server('GET', `/library/metadata/${added.ratingKey}`)).status, 404)
})
