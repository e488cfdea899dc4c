import t from 'tap'
import { startJellyfin } from './jellyfin.ts'
import { signIn } from './media-browser/ask.ts'

const idsOf = (body: { Items: { Id: string }[] }): string[] => body.Items.map(({ Id }) => Id)

t.test('a playlist is created, filled without copies, reordered, emptied and deleted', async (t) => {
  await using server = await startJellyfin()
  const { ask, userId } = await signIn(server, 'kim')
  const [a, b, c] = server.items('Movie').map(({ id }) => id) as [string, string, string]
  const { Id: list } = (
    await ask('POST', '/Playlists', { Name: 'Weekend', UserId: userId, Ids: [a], MediaType: 'Video' })
  ).body
  t.equal((await ask('POST', `/Playlists/${list}/Items?ids=${a},${b},${c}`)).status, 204)
  const items = async (query = '') => (await ask('GET', `/Playlists/${list}/Items${query}`)).body
  t.same(idsOf(await items()), [a, b, c])
  t.match(await items('?startIndex=1&limit=1'), { Items: [{ Id: b }], TotalRecordCount: 3, StartIndex: 1 })
  const entries = (await items()).Items.map(({ PlaylistItemId }: { PlaylistItemId: string }) => PlaylistItemId)
  t.equal((await items('?startIndex=1&limit=1')).Items[0].PlaylistItemId, entries[1])
  t.equal((await ask('POST', `/Playlists/${list}/Items/${entries[2]}/Move/0`)).status, 204)
  t.same(idsOf(await items()), [c, a, b])
  t.equal((await ask('DELETE', `/Playlists/${list}/Items?entryIds=${entries[0]},${entries[1]}`)).status, 204)
  t.same(idsOf(await items()), [c])
  t.equal((await ask('POST', `/Playlists/${list}`, { Name: 'Later', Ids: [b] })).status, 204)
  t.same(idsOf(await items()), [b])
  t.match((await ask('GET', '/Items?IncludeItemTypes=Playlist&Recursive=true')).body.Items, [
    { Name: 'Later', Id: list, Type: 'Playlist' },
  ])
  t.equal((await ask('DELETE', `/Items/${list}`)).status, 204)
  t.equal((await ask('GET', `/Playlists/${list}/Items`)).status, 404)
})

t.test('a show in a playlist is replaced by its episodes', async (t) => {
  await using server = await startJellyfin()
  const { ask } = await signIn(server)
  const show = server.items('Series')[0]?.id
  const { Id: list } = (await ask('POST', '/Playlists', { Name: 'Marathon', Ids: [show] })).body
  const { Items } = (await ask('GET', `/Playlists/${list}/Items`)).body
  t.ok(Items.length > 1)
  t.ok(Items.every(({ Type, SeriesId }: { Type: string; SeriesId: string }) => Type === 'Episode' && SeriesId === show))
})

t.test('a private playlist is hidden from others, and a public one is read-only for them', async (t) => {
  await using server = await startJellyfin()
  const sam = await signIn(server)
  const kim = await signIn(server, 'kim')
  const [movie] = server.items('Movie')
  const hidden = server.actions.createPlaylist('sam', 'Mine', [])
  t.equal((await kim.ask('GET', `/Playlists/${hidden.id}/Items`)).status, 404)
  const { Id: shared } = (await sam.ask('POST', '/Playlists', { Name: 'Ours', IsPublic: true })).body
  t.equal((await kim.ask('GET', `/Playlists/${shared}/Items`)).status, 200)
  t.equal((await kim.ask('POST', `/Playlists/${shared}/Items?ids=${movie?.id}`)).status, 403)
  t.equal((await kim.ask('DELETE', `/Items/${shared}`)).status, 401)
})

t.test('collections are visible to all and changed by users with the permission', async (t) => {
  await using server = await startJellyfin()
  const sam = await signIn(server)
  const kim = await signIn(server, 'kim')
  const [a, b] = server.items('Movie').map(({ id }) => id) as [string, string]
  const { Id: box } = (await sam.ask('POST', `/Collections?name=Favourites&ids=${a}`)).body
  t.equal((await sam.ask('POST', `/Collections/${box}/Items?ids=${a},${b}`)).status, 204)
  const items = async () => idsOf((await kim.ask('GET', `/Items?ParentId=${box}`)).body)
  t.same(await items(), [a, b])
  t.equal((await kim.ask('POST', '/Collections?name=Other')).status, 403)
  t.equal((await kim.ask('DELETE', `/Collections/${box}/Items?ids=${a}`)).status, 403)
  t.equal((await sam.ask('DELETE', `/Collections/${box}/Items?ids=${a}`)).status, 204)
  t.same(await items(), [b])
  server.actions.removeItem(b)
  t.same(await items(), [])
})
