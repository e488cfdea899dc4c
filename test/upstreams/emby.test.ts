import t from 'tap'
import { startEmby } from './emby.ts'
import { ask as askUrl, askWith, CLIENT, signIn } from './media-browser/ask.ts'
import { startJellyfin } from './jellyfin.ts'

t.test('sign-in takes a form, and there is neither Quick Connect nor a route for the own user', async (t) => {
  await using server = await startEmby()
  const answer = await fetch(`${server.url}/emby/Users/AuthenticateByName`, {
    method: 'POST',
    headers: { 'x-emby-authorization': CLIENT },
    body: new URLSearchParams({ Username: 'kim', Pw: 'secret' }),
  })
  t.equal(answer.status, 200)
  const { AccessToken, User } = (await answer.json()) as { AccessToken: string; User: { Id: string } }
  t.equal((await askUrl(`${server.url}/Users/${User.Id}?api_key=${AccessToken}`, 'GET', {})).body.Name, 'kim')
  t.equal((await askWith(server, AccessToken)('GET', '/Users/Me')).status, 404)
  t.equal((await askWith(server)('GET', '/QuickConnect/Enabled')).status, 404)
  t.equal((await askWith(server)('GET', '/System/Info/Public')).body.ProductName, undefined)
})

t.test('paths work with and without the prefix unless it is turned off', async (t) => {
  await using server = await startEmby()
  await using bare = await startEmby({ prefix: false })
  const status = async (url: string) => (await askUrl(url, 'GET', {})).status
  t.equal(await status(`${server.url}/emby/System/Info/Public`), 200)
  t.equal(await status(`${server.url}/System/Info/Public`), 200)
  t.equal(await status(`${bare.url}/emby/System/Info/Public`), 404)
})

t.test('users come in pages, to administrators only', async (t) => {
  await using server = await startEmby()
  const sam = await signIn(server)
  t.match((await sam.ask('GET', '/Users/Query?StartIndex=1&Limit=1')).body, {
    Items: [{ Name: 'kim' }],
    TotalRecordCount: 2,
  })
  const kim = await signIn(server, 'kim')
  t.equal((await kim.ask('GET', '/Users/Query')).status, 403)
  t.equal((await kim.ask('GET', `/Users/${sam.userId}/Items`)).status, 403)
  t.equal((await askWith(server)('GET', `/Users/${kim.userId}/Items`)).status, 401)
})

t.test('items are found by the ids of other services, in any spelling', async (t) => {
  await using server = await startEmby({ movies: 60 })
  const { ask, userId } = await signIn(server)
  const odd = server.items('Movie').find(({ providerIds }) => 'TMDB' in providerIds)
  const query = `Recursive=true&IncludeItemTypes=Movie&AnyProviderIdEquals=imdb.tt0,tmdb.${odd?.providerIds['TMDB']}`
  const { body } = await ask('GET', `/Users/${userId}/Items?${query}`)
  t.same(
    body.Items.map(({ Id }: { Id: string }) => Id),
    [odd?.id],
  )
  t.match(odd?.id, /^\d+$/)
})

t.test('one number may identify a film and a show', async (t) => {
  await using server = await startEmby()
  const { ask, userId } = await signIn(server)
  const tmdb = server.items('Series')[0]?.providerIds['Tmdb']
  const { body } = await ask('GET', `/Users/${userId}/Items?Recursive=true&AnyProviderIdEquals=tmdb.${tmdb}`)
  t.same(body.Items.map(({ Type }: { Type: string }) => Type).toSorted(), ['Movie', 'Series'])
})

t.test('items without a user have no user data', async (t) => {
  await using server = await startEmby()
  const key = askWith(server, server.actions.createApiKey())
  const { body } = await key('GET', '/Items?Recursive=true&IncludeItemTypes=Movie&Limit=1')
  t.equal(body.Items.length, 1)
  t.equal(body.Items[0].UserData, undefined)
})

t.test('the date of a play must be digits; ISO is refused unless the server is lenient', async (t) => {
  await using strict = await startEmby()
  await using lenient = await startEmby({ strictDates: false })
  for (const [server, status] of [
    [strict, 400],
    [lenient, 200],
  ] as const) {
    const { ask, userId } = await signIn(server)
    const path = `/Users/${userId}/PlayedItems/${server.items('Movie')[0]?.id}`
    t.match((await ask('POST', `${path}?DatePlayed=20260701201500`)).body, {
      LastPlayedDate: '2026-07-01T20:15:00.0000000Z',
      PlayCount: 1,
    })
    t.equal((await ask('POST', `${path}?DatePlayed=2026-07-01T20:15:00Z`)).status, status)
    t.equal((await ask('POST', `${path}?DatePlayed=20261301000000`)).status, 400)
    t.match((await ask('POST', `${path}/Delete`)).body, { Played: false, PlayCount: 0 })
  }
})

t.test('a user data write resets omitted fields, unless the server merges', async (t) => {
  for (const mergesUserData of [false, true]) {
    await using server = await startEmby({ mergesUserData })
    const { ask, userId } = await signIn(server)
    const id = server.items('Movie')[0]?.id ?? ''
    server.actions.markPlayed('sam', id, 1_000)
    server.actions.setRating('sam', id, 7)
    const answer = await ask('POST', `/Users/${userId}/Items/${id}/UserData`, { PlaybackPositionTicks: 50 })
    t.equal(answer.status, 200)
    const { UserData } = (await ask('GET', `/Users/${userId}/Items/${id}`)).body
    const kept = mergesUserData
      ? { Played: true, PlayCount: 1, Rating: 7 }
      : { Played: false, PlayCount: 0, Rating: undefined }
    t.match(UserData, { PlaybackPositionTicks: 50, ...kept })
    t.equal(UserData.Likes, undefined)
    if (!mergesUserData) t.equal(answer.body, '')
  }
})

t.test('an item can be hidden from the resume list', async (t) => {
  await using server = await startEmby()
  const { ask, userId } = await signIn(server)
  const id = server.items('Movie')[0]?.id ?? ''
  server.actions.setPosition('sam', id, 1_000)
  const total = async () => (await ask('GET', `/Users/${userId}/Items/Resume`)).body.TotalRecordCount
  t.equal(await total(), 1)
  await ask('POST', `/Users/${userId}/Items/${id}/HideFromResume?Hide=true`)
  t.equal(await total(), 0)
})

t.test('"saved since" includes user data', async (t) => {
  let nowMs = Date.UTC(2026, 0, 1)
  await using server = await startEmby({ nowMs: () => nowMs })
  const { ask, userId } = await signIn(server)
  nowMs += 1_000
  const id = server.items('Movie')[3]?.id ?? ''
  server.actions.setFavourite('sam', id, true)
  const { body } = await ask(
    'GET',
    `/Users/${userId}/Items?Recursive=true&MinDateLastSavedForUser=2026-01-01T00:00:01Z`,
  )
  t.same(
    body.Items.map(({ Id }: { Id: string }) => Id),
    [id],
  )
})

t.test('playlists are created from the query and may contain an item twice', async (t) => {
  await using server = await startEmby()
  const { ask, userId } = await signIn(server, 'kim')
  const [a, b] = server.items('Movie').map(({ id }) => id) as [string, string]
  const made = (await ask('POST', `/Playlists?Name=Weekend&Ids=${a}&MediaType=Video&UserId=${userId}`)).body
  t.match(made, { Name: 'Weekend', ItemAddedCount: 1 })
  await ask('POST', `/Playlists/${made.Id}/Items?Ids=${a},${b}&UserId=${userId}`)
  const items = async (): Promise<{ Id: string; PlaylistItemId: string }[]> =>
    (await ask('GET', `/Playlists/${made.Id}/Items?UserId=${userId}`)).body.Items
  t.same(
    (await items()).map(({ Id }) => Id),
    [a, a, b],
  )
  await ask('POST', `/Playlists/${made.Id}/Items/Delete?EntryIds=${(await items())[0]?.PlaylistItemId}`)
  t.same(
    (await items()).map(({ Id }) => Id),
    [a, b],
  )
})

t.test('a collection starts with an item', async (t) => {
  await using server = await startEmby()
  const { ask } = await signIn(server)
  t.equal((await ask('POST', '/Collections?Name=Empty')).status, 400)
  t.match((await ask('POST', `/Collections?Name=One&Ids=${server.items('Movie')[0]?.id}`)).body, {
    Name: 'One',
    Id: /^\d+$/,
  })
})

t.test('the same film has the same external ids on both servers', async (t) => {
  await using emby = await startEmby()
  await using jellyfin = await startJellyfin()
  t.same(
    emby.items('Movie').map(({ providerIds }) => providerIds),
    jellyfin.items('Movie').map(({ providerIds }) => providerIds),
  )
})
