import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import { startJellyfin } from './jellyfin.ts'
import { askWith, signIn } from './media-browser/ask.ts'

t.test('pages of any size show every item once and the total number', async () => {
  await using server = await startJellyfin({ movies: 30, shows: 2 })
  const { ask } = await signIn(server)
  const expected = server
    .items('Movie')
    .map(({ id }) => id)
    .toSorted()
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (limit) => {
      const seen: string[] = []
      for (let start = 0, total = 1; start < total; start += limit) {
        const { body } = await ask(
          'GET',
          `/Items?recursive=true&includeItemTypes=Movie&startIndex=${start}&limit=${limit}&sortBy=SortName`,
        )
        total = body.TotalRecordCount
        seen.push(...body.Items.map(({ Id }: { Id: string }) => Id))
      }
      return JSON.stringify(seen.toSorted()) === JSON.stringify(expected)
    }),
    { numRuns: runsOf(10) },
  )
})

t.test('the total is omitted on request, and an empty page still has one', async (t) => {
  await using server = await startJellyfin({ movies: 5, shows: 0 })
  const { ask } = await signIn(server)
  const list = async (query: string) => (await ask('GET', `/Items?Recursive=true&${query}`)).body
  t.match(await list('EnableTotalRecordCount=false&Limit=2&StartIndex=4'), {
    Items: { length: 1 },
    TotalRecordCount: 0,
    StartIndex: 4,
  })
  t.match(await list('Limit=0'), { Items: { length: 0 }, TotalRecordCount: 5 })
  t.equal((await ask('GET', '/Items?Recursive=true&Limit=many')).status, 400)
})

t.test('nothing is shown without a token, and unknown and malformed ids have different errors', async (t) => {
  await using server = await startJellyfin()
  const [movie] = server.items('Movie')
  t.equal((await askWith(server)('GET', '/Items')).status, 401)
  t.equal((await askWith(server, 'wrong')('GET', `/Items/${movie?.id}`)).status, 401)
  const { ask } = await signIn(server)
  t.equal((await ask('GET', `/Items/${'0'.repeat(32)}`)).status, 404)
  t.equal((await ask('GET', '/Items/5120')).status, 400)
  t.equal((await ask('GET', '/Nothing')).status, 404)
  const dashed = movie?.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  t.equal((await ask('GET', `/Items/${dashed}`)).body.Id, movie?.id)
})

t.test('fields are shown on request, an episode names its show', async (t) => {
  await using server = await startJellyfin()
  const { ask } = await signIn(server)
  const list = async (query: string) =>
    (await ask('GET', `/Items?Recursive=true&IncludeItemTypes=Episode&Limit=1&${query}`)).body.Items[0]
  const plain = await list('EnableUserData=false')
  t.same([plain.ProviderIds, plain.Path, plain.UserData], [undefined, undefined, undefined])
  const full = await list('Fields=ProviderIds,Path,DateCreated')
  t.match(full, { ProviderIds: { Tmdb: /^\d+$/ }, Path: /^\/media/, DateCreated: /\.\d{7}Z$/ })
  t.match(full, { UserData: { Played: false, PlayCount: 0 } })
  const [series] = server.items('Series')
  t.match(full, { ParentIndexNumber: 1, IndexNumber: 1, SeriesName: series?.name, SeriesId: series?.id })
})

t.test('the library has copies, ids in several spellings, empty ids and missing episodes', async (t) => {
  await using server = await startJellyfin({ movies: 90, shows: 10 })
  const { ask } = await signIn(server)
  const movies: { ProviderIds: Record<string, string> }[] = (
    await ask('GET', '/Items?Recursive=true&IncludeItemTypes=Movie&Fields=ProviderIds')
  ).body.Items
  const keys = new Set(movies.flatMap(({ ProviderIds }) => Object.keys(ProviderIds)))
  t.ok(['Imdb', 'IMDB', 'imdb'].every((key) => keys.has(key)))
  t.ok(movies.some(({ ProviderIds }) => Object.values(ProviderIds).includes('')))
  const imdb = movies.map(({ ProviderIds }) => ProviderIds['Imdb']).filter((id) => id !== undefined)
  t.ok(new Set(imdb).size < imdb.length, 'a copy')
  const episodes = async (query: string) =>
    (await ask('GET', `/Items?Recursive=true&IncludeItemTypes=Episode${query}`)).body.TotalRecordCount
  t.equal(await episodes(''), (await episodes('&isMissing=false')) + (await episodes('&isMissing=true')))
  t.ok((await episodes('&isMissing=true')) > 0)
  const ignored = (await ask('GET', '/Items?Recursive=true&AnyProviderIdEquals=imdb.tt1')).body.TotalRecordCount
  t.equal(ignored, server.items().length, 'no lookup by foreign id')
})

t.test('a library shows its own items, and only to permitted users', async (t) => {
  await using server = await startJellyfin({ users: [{ name: 'sam', password: 'secret', libraries: ['Shows'] }] })
  const { ask } = await signIn(server)
  const views = (await ask('GET', '/UserViews')).body.Items
  t.match(views, [{ Name: 'Shows', CollectionType: 'tvshows' }])
  t.equal((await ask('GET', `/Items?ParentId=${views[0].Id}`)).body.TotalRecordCount, 5)
  t.equal((await ask('GET', '/Items?Recursive=true&IncludeItemTypes=Movie')).body.TotalRecordCount, 0)
  t.equal((await ask('GET', `/Items/${server.items('Movie')[0]?.id}`)).status, 404)
})

t.test('a play with a date counts again, one without does not, and unmarking clears all', async (t) => {
  await using server = await startJellyfin({ nowMs: () => Date.UTC(2026, 6, 2) })
  const { ask } = await signIn(server)
  const path = `/UserPlayedItems/${server.items('Movie')[0]?.id}`
  t.match((await ask('POST', path)).body, {
    Played: true,
    PlayCount: 1,
    LastPlayedDate: '2026-07-02T00:00:00.0000000Z',
  })
  t.match((await ask('POST', path)).body, { PlayCount: 1 })
  const dated = `${path}?datePlayed=2026-07-01T20:15:00Z`
  t.match((await ask('POST', dated)).body, { PlayCount: 2, LastPlayedDate: '2026-07-01T20:15:00.0000000Z' })
  t.match((await ask('POST', dated)).body, { PlayCount: 3 })
  t.match((await ask('DELETE', path)).body, {
    Played: false,
    PlayCount: 0,
    LastPlayedDate: undefined,
    PlaybackPositionTicks: 0,
  })
  t.equal((await ask('POST', `${path}?datePlayed=20260701201500`)).status, 400)
})

t.test('a show is played once all its episodes are', async (t) => {
  await using server = await startJellyfin({ shows: 5 })
  const { ask } = await signIn(server)
  const series = server.items('Series')[4]
  t.match((await ask('POST', `/UserPlayedItems/${series?.id}`)).body, { Played: true, UnplayedItemCount: 0 })
  const played = (await ask('GET', '/Items?Recursive=true&IncludeItemTypes=Episode&Filters=IsPlayed')).body
  const there = server.items('Episode').filter(({ seriesId, virtual }) => seriesId === series?.id && virtual !== true)
  t.equal(played.TotalRecordCount, there.length)
  await ask('DELETE', `/UserPlayedItems/${there[0]?.id}`)
  t.match((await ask('GET', `/Items/${series?.id}`)).body.UserData, { Played: false, UnplayedItemCount: 1 })
})

t.test('user data is merged: null changes nothing, and only a separate call clears the rating', async (t) => {
  await using server = await startJellyfin()
  const { ask } = await signIn(server)
  const id = server.items('Movie')[0]?.id
  const write = async (body: unknown) => ask('POST', `/UserItems/${id}/UserData`, body)
  const first = await write({ Rating: 8, PlaybackPositionTicks: 600_000_000 })
  t.match(first.body, { Rating: 8, Likes: true, PlaybackPositionTicks: 600_000_000 })
  t.match((await write({ Rating: null, IsFavorite: true })).body, {
    Rating: 8,
    IsFavorite: true,
    PlaybackPositionTicks: 600_000_000,
  })
  t.match((await write({ Rating: 6 })).body, { Likes: false })
  t.equal((await write({ Rating: 11 })).status, 500)
  t.equal((await write({ Rating: 'high' })).status, 400)
  t.match((await ask('DELETE', `/UserItems/${id}/Rating`)).body, { Rating: undefined, Likes: undefined })
  t.match((await ask('POST', `/UserItems/${id}/Rating?likes=true`)).body, { Rating: 10, Likes: true })
  t.match((await ask('POST', `/UserItems/${id}/Rating?likes=false`)).body, { Rating: 1, Likes: false })
})

t.test('filters combine, and each user has their own state', async (t) => {
  await using server = await startJellyfin()
  const [a, b, c] = server.items('Movie').map(({ id }) => id) as [string, string, string]
  server.actions.markPlayed('sam', a, 1_000)
  server.actions.markPlayed('sam', b, 2_000)
  server.actions.setFavourite('sam', b, true)
  server.actions.setPosition('sam', c, 60_000, 3_000)
  const sam = await signIn(server)
  const kim = await signIn(server, 'kim')
  const list = async ({ ask }: typeof sam, query: string) =>
    (await ask('GET', `/Items?Recursive=true&IncludeItemTypes=Movie&${query}`)).body.Items.map(
      ({ Id }: { Id: string }) => Id,
    )
  t.same(await list(sam, 'Filters=IsPlayed&SortBy=DatePlayed&SortOrder=Descending'), [b, a])
  t.same(await list(sam, 'Filters=IsPlayed,IsFavorite'), [b])
  t.same(await list(sam, 'Filters=IsResumable'), [c])
  t.same(await list(sam, `Ids=${a},${c},${'0'.repeat(32)}`), [a, c])
  t.same(await list(kim, 'Filters=IsPlayed'), [])
  t.match((await sam.ask('GET', '/UserItems/Resume')).body, { Items: [{ Id: c }], TotalRecordCount: 1 })
})

t.test('"saved since" includes new items, but not user data', async (t) => {
  let nowMs = Date.UTC(2026, 0, 1)
  await using server = await startJellyfin({ nowMs: () => nowMs })
  const { ask } = await signIn(server)
  nowMs += 1_000
  server.actions.markPlayed('sam', server.items('Movie')[0]?.id ?? '', nowMs)
  const added = server.actions.addItem({ type: 'movie', title: 'Fresh', year: 2026, ids: { tmdb: 5 } })
  const { body } = await ask('GET', '/Items?Recursive=true&minDateLastSavedForUser=2026-01-01T00:00:01Z')
  t.same(
    body.Items.map(({ Id }: { Id: string }) => Id),
    [added.id],
  )
})

t.test('a removed show takes its episodes with it', async (t) => {
  await using server = await startJellyfin()
  const { ask } = await signIn(server)
  const show = server.actions.addItem({ type: 'show', title: 'Short', year: 2026, episodes: 2 })
  const episodes = server.items('Episode').filter(({ seriesId }) => seriesId === show.id)
  t.equal(episodes.length, 2)
  server.actions.removeItem(show.id)
  for (const { id } of [show, ...episodes]) t.equal((await ask('GET', `/Items/${id}`)).status, 404)
})

t.test('sessions are shown to administrators completely, to others their own, and expire when silent', async (t) => {
  let nowMs = Date.UTC(2026, 0, 5)
  await using server = await startJellyfin({ nowMs: () => nowMs })
  const movie = server.items('Movie')[0]?.id ?? ''
  const id = server.actions.startPlaying('sam', movie, 90_000, { device: 'Tablet', withoutIds: true })
  const sam = await signIn(server)
  const kim = await signIn(server, 'kim')
  const seenBy = async ({ ask }: typeof sam, query = '') =>
    ((await ask('GET', `/Sessions${query}`)).body as { NowPlayingItem?: object }[]).filter(
      ({ NowPlayingItem: item }) => item !== undefined,
    )
  const playing = {
    Id: id,
    UserName: 'sam',
    DeviceName: 'Tablet',
    NowPlayingItem: { Id: movie, ProviderIds: undefined },
    PlayState: { PositionTicks: 900_000_000 },
  }
  t.match(await seenBy(sam), [playing])
  t.same(await seenBy(kim), [])
  t.match(
    (await kim.ask('GET', '/Sessions')).body,
    [{ UserName: 'kim', NowPlayingItem: undefined }],
    'the device that asks',
  )
  server.actions.reportPlaying(id, { positionMs: 100_000, paused: true })
  t.match(await seenBy(sam), [{ PlayState: { PositionTicks: 1_000_000_000, IsPaused: true } }])
  nowMs += 61_000
  t.same(await seenBy(sam, '?activeWithinSeconds=60'), [])
  t.equal((await seenBy(sam, '?activeWithinSeconds=62')).length, 1)
  server.actions.stopPlaying(id)
  t.same(await seenBy(sam), [])
})

t.test('two servers share films with different ids, and one seed gives one server', async (t) => {
  await using a = await startJellyfin({ activity: 0.3 })
  await using b = await startJellyfin({ activity: 0.3 })
  await using other = await startJellyfin({ serverName: 'Cabin' })
  t.same(a.items(), b.items())
  t.same(a.world.users, b.world.users)
  t.same(
    other.items().map(({ name }) => name),
    a.items().map(({ name }) => name),
  )
  t.notSame(other.items()[0]?.id, a.items()[0]?.id)
})
