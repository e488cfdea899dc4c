// An item that the person unmarked and an item that left the library look the same in a list, and must be distinguished.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { copiesOf, PRODUCTS, itemFor, signedIn } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)
const nativeIds = (items: readonly Item[] | undefined) => (items ?? []).map(({ native }) => native?.item_id).toSorted()

for (const product of PRODUCTS) {
  t.test(
    `${product}: a film that left the library is named as gone until it is back, an unmarked one is not`,
    async (t) => {
      await using account = await signedIn(product, { movies: 5, shows: 0 })
      const { server } = account
      const [a, b, c] = server.items('Movie')
      for (const { id } of [a!, b!, c!]) server.actions.markPlayed('sam', id, AT_MS)
      t.equal((await account.read('history')).end.gone, undefined)
      const item = itemFor(server, b!)
      server.actions.markUnplayed('sam', a!.id)
      server.actions.removeItem(b!.id)
      const after = await account.read('history')
      t.same(nativeIds(after.rows), [c!.id])
      t.match(after.end, { complete: true, gone: [{ ...item, native: { item_id: b!.id } }] })
      t.equal(after.end.gone?.length, 1)
      t.same(nativeIds((await account.read('history')).end.gone), [b!.id], 'it is not forgotten')
      const { Tmdb: tmdb, Imdb: imdb, Tvdb: tvdb } = b!.providerIds as { Tmdb: string; Imdb: string; Tvdb: string }
      const ids = { tmdb: Number(tmdb), imdb, tvdb: Number(tvdb) }
      const again = server.actions.addItem({ type: 'movie', title: b!.name, year: b!.year!, ids })
      t.same(nativeIds((await account.read('history')).end.gone), [b!.id], 'nor while it is back and unwatched')
      server.actions.markPlayed('sam', again.id, AT_MS)
      t.equal((await account.read('history')).end.gone, undefined)
    },
  )

  t.test(`${product}: an item that is being watched again is not removed`, async (t) => {
    await using account = await signedIn(product, { movies: 5, shows: 0 })
    const { server } = account
    const [a, b, c] = server.items('Movie')
    for (const { id } of [a!, b!, c!]) server.actions.markPlayed('sam', id, AT_MS)
    await account.read('history')
    const tv = { userId: 'sam', deviceId: 'tv', deviceName: 'TV' }
    const play = await server.playback.start({ ...tv, item: a! })
    const begun = await account.read('history')
    // Jellyfin clears the mark while an item is played again.
    const isKept = product === 'emby'
    t.same(nativeIds(begun.rows), (isKept ? [a!.id, b!.id, c!.id] : [b!.id, c!.id]).toSorted())
    t.same(nativeIds(begun.end.gone), isKept ? [] : [a!.id])
    await play.stop((a!.runtimeTicks! / 10_000) * 0.4)
    t.same(nativeIds((await account.read('history')).end.gone), isKept ? [] : [a!.id], 'nor when it was stopped midway')
    await (await server.playback.start({ ...tv, item: a! })).finish()
    const after = await account.read('history')
    t.same([after.rows.length, nativeIds(after.end.gone)], [3, []])
    server.actions.markUnplayed('sam', b!.id)
    t.same(nativeIds((await account.read('history')).end.gone), [], 'what the person unmarks is')
  })

  t.test(`${product}: a library that disappeared removes nothing`, async (t) => {
    await using account = await signedIn(product, { movies: 5, shows: 2 })
    const { server } = account
    for (const type of ['Movie', 'Series'] as const)
      for (const { id } of server.items(type)) server.actions.markPlayed('sam', id, AT_MS)
    const before = await account.read('history')
    server.world.users[0]!.libraries = ['Movies']
    const { rows, end } = await account.read('history')
    t.ok(rows.every(({ type }) => type === 'movie'))
    t.same(nativeIds(end.gone), nativeIds(before.rows.filter(({ type }) => type === 'episode')))
    server.world.users[0]!.libraries = undefined
    t.strictSame((await account.read('history')).rows, before.rows)
  })

  t.test(`${product}: one copy less is not gone while another is watched`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 0 })
    const { server } = account
    const copies = copiesOf(server)
    for (const { id } of copies) server.actions.markPlayed('sam', id, AT_MS)
    await account.read('history')
    server.actions.removeItem(copies[0]!.id)
    const { rows, end } = await account.read('history')
    t.same([rows.length, end.gone], [1, undefined])
  })

  t.test(`${product}: an incomplete read changes none of the stored rows`, async (t) => {
    await using account = await signedIn(product, { movies: 5, shows: 0 })
    const { server } = account
    const [a] = server.items('Movie')
    server.actions.markPlayed('sam', a!.id, AT_MS)
    await account.read('history')
    server.actions.removeItem(a!.id)
    server.faults.add({ kind: 'status', status: 500 })
    await t.rejects(account.read('history'))
    server.faults.clear()
    t.same(nativeIds((await account.read('history')).end.gone), [a!.id])
  })

  t.test(`${product}: positions and favourites are stored in the same way, each separately`, async (t) => {
    await using account = await signedIn(product, { movies: 5, shows: 1 })
    const { server } = account
    const [a, b] = server.items('Movie')
    const [show] = server.items('Series')
    server.actions.setPosition('sam', a!.id, 60_000)
    server.actions.setPosition('sam', b!.id, 60_000)
    server.actions.setFavourite('sam', show!.id, true)
    await account.read('progress')
    await account.read('watchlist')
    server.actions.setPosition('sam', b!.id, 0)
    server.actions.removeItem(a!.id)
    server.actions.removeItem(show!.id)
    t.same(nativeIds((await account.read('progress')).end.gone), [a!.id])
    t.same(nativeIds((await account.read('watchlist')).end.gone), [show!.id])
    t.equal((await account.read('history')).end.gone, undefined)
  })
}
