// A watchlist that is kept in a playlist or a collection instead of the favourites.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { copiesOf, itemFor, outcomes, PRODUCTS, type Product, signedIn } from './support.ts'

const nativeIds = (items: readonly Item[] | undefined) => (items ?? []).map(({ native }) => native?.item_id).toSorted()
const inMode = (product: Product, mode: string, options: object = {}) =>
  signedIn(product, { movies: 10, shows: 2, ...options, settings: { watchlist: { mode, playlist_name: 'Later' } } })

for (const product of PRODUCTS) {
  for (const mode of ['playlist', 'collections']) {
    t.test(
      `${product}: the ${mode === 'playlist' ? 'playlist' : 'collection'} is created on demand, and accepts films and shows`,
      async (t) => {
        await using account = await inMode(product, mode)
        const { server } = account
        t.match(await account.read('watchlist'), { rows: [], end: { complete: true } })
        const works = [server.items('Movie')[0]!, server.items('Series')[0]!]
        const items = works.map((work) => itemFor(server, work))
        t.same(outcomes(await account.write('watchlist', 'add', items)), ['applied', 'applied'])
        t.same(outcomes(await account.write('watchlist', 'add', items)), ['already', 'already'])
        const lists = server.items(mode === 'playlist' ? 'Playlist' : 'BoxSet')
        t.match(
          lists.map(({ name }) => name),
          ['Later'],
        )
        const { rows } = await account.read('watchlist')
        t.same(nativeIds(rows), works.map(({ id }) => id).toSorted())
        t.match(
          rows.find(({ type }) => type === 'show'),
          itemFor(server, works[1]!),
        )
        const [more] = server.items('Movie').slice(3)
        const further = await account.write('watchlist', 'add', [
          itemFor(server, more!),
          { type: 'movie', ids: { tmdb: '5' } },
        ])
        t.same(outcomes(further), ['applied', 'not_found: not_in_library'])
        t.same(outcomes(await account.write('watchlist', 'remove', rows)), ['applied', 'applied'])
        t.same(nativeIds((await account.read('watchlist')).rows), [more!.id])
        t.same(outcomes(await account.write('watchlist', 'remove', rows)), ['already', 'already'])
      },
    )

    t.test(`${product}: many are added with few requests (${mode})`, async (t) => {
      await using account = await inMode(product, mode, { movies: 300, shows: 0 })
      const { server } = account
      const items = server
        .items('Movie')
        .slice(0, 200)
        .map((movie) => itemFor(server, movie))
        .filter(({ ids }) => ids.imdb !== undefined)
      account.requests()
      const told = await account.write('watchlist', 'add', items)
      t.ok(told.every(({ outcome }) => outcome === 'applied'))
      t.ok(account.requests() <= 12)
      t.equal((await account.read('watchlist')).rows.length, new Set(items.map(({ ids }) => ids.imdb)).size)
    })

    t.test(
      `${product}: a list that was deleted, renamed or recreated removes nothing from the watchlist (${mode})`,
      async (t) => {
        await using account = await inMode(product, mode)
        const { server } = account
        const works = server.items('Movie').slice(0, 2)
        await account.write(
          'watchlist',
          'add',
          works.map((work) => itemFor(server, work)),
        )
        await account.read('watchlist')
        server.actions.removeItem(server.items(mode === 'playlist' ? 'Playlist' : 'BoxSet')[0]!.id)
        const without = await account.read('watchlist')
        t.same([without.rows, nativeIds(without.end.gone)], [[], works.map(({ id }) => id).toSorted()])
        await account.write('watchlist', 'add', [itemFor(server, server.items('Movie')[3]!)])
        t.same(nativeIds((await account.read('watchlist')).end.gone), works.map(({ id }) => id).toSorted())
        await account.host.changeConfig({ watchlist: { mode: 'favorites' } })
        t.equal((await account.read('watchlist')).end.gone?.length, 3, 'nor does another place for it')
      },
    )

    t.test(`${product}: a user without write permission for the list gets an error (${mode})`, async (t) => {
      await using account = await inMode(product, mode, { user: 'kim' })
      const { server } = account
      const id =
        mode === 'playlist'
          ? server.actions.createPlaylist('sam', 'Later', []).id
          : server.actions.createCollection('Later', [server.items('Movie')[1]!.id]).id
      Object.assign(server.world.items.get(id)!, { public: true })
      const told = await account.write('watchlist', 'add', [itemFor(server, server.items('Movie')[0]!)])
      t.match(outcomes(told), [/^rejected/])
    })
  }

  t.test(
    `${product}: an episode in the playlist stands for its show, and removing the show removes all of them`,
    async (t) => {
      await using account = await inMode(product, 'playlist')
      const { server } = account
      const episodes = server
        .items('Episode')
        .filter(({ seriesId }) => seriesId === server.items('Series')[0]!.id)
        .slice(0, 3)
      const movie = server.items('Movie')[0]!
      const list = server.actions.createPlaylist('sam', 'Later', [...episodes.map(({ id }) => id), movie.id, movie.id])
      const { rows, end } = await account.read('watchlist')
      t.same(
        rows.map(({ type }) => type),
        ['show', 'movie'],
      )
      t.equal(end.complete, true)
      t.same(outcomes(await account.write('watchlist', 'remove', rows)), ['applied', 'applied'])
      t.same(server.world.items.get(list.id)?.entries, [])
    },
  )

  t.test(`${product}: only works of the chosen libraries are read from a list`, async (t) => {
    await using account = await inMode(product, 'playlist')
    const { server } = account
    const [movie, show] = [server.items('Movie')[0]!, server.items('Series')[0]!]
    await account.write(
      'watchlist',
      'add',
      [movie, show].map((work) => itemFor(server, work)),
    )
    const shows = server.world.libraries.find(({ name }) => name === 'Shows')!
    const { rows, end } = await account.read('watchlist', { libraries: [shows.id] })
    t.match([nativeIds(rows), end.complete], [[show.id], true])
    const missing = await account.read('watchlist', {
      libraries: [shows.id, product === 'emby' ? '1' : 'f'.repeat(32)],
    })
    t.match(missing.end, { complete: false, reason: 'library_missing' })
  })

  t.test(`${product}: two lists with the same name are an error, not a choice`, async (t) => {
    await using account = await inMode(product, 'playlist')
    const { server } = account
    server.actions.createPlaylist('sam', 'Later', [])
    server.actions.createPlaylist('sam', 'Later', [])
    await t.rejects(account.read('watchlist'), { code: 'PLH_CONFLICT', wire: 'ambiguous_list' })
    t.equal(
      server.count(({ method, path }) => method !== 'GET' && /Playlists/i.test(path)),
      0,
    )
  })

  t.test(`${product}: a lost response is verified, not repeated`, async (t) => {
    await using account = await inMode(product, 'playlist')
    const { server } = account
    server.actions.createPlaylist('sam', 'Later', [])
    const isAdd = ({ method, path }: { method: string; path: string }) => method === 'POST' && /Playlists/i.test(path)
    server.faults.add({ kind: 'reset', match: isAdd, times: 1 })
    t.same(outcomes(await account.write('watchlist', 'add', [itemFor(server, server.items('Movie')[0]!)])), ['applied'])
    server.faults.add({ kind: 'status', status: 503, match: isAdd, times: 1 })
    t.same(outcomes(await account.write('watchlist', 'add', [itemFor(server, server.items('Movie')[1]!)])), [
      'failed: http_503',
    ])
    t.equal(server.count(isAdd), 2)
  })

  t.test(`${product}: a failing page of the list proves nothing`, async (t) => {
    await using account = await inMode(product, 'playlist', { movies: 1_300, shows: 0 })
    const { server } = account
    server.actions.createPlaylist(
      'sam',
      'Later',
      server
        .items('Movie')
        .slice(0, 1_200)
        .map(({ id }) => id),
    )
    t.equal((await account.read('watchlist')).end.complete, true)
    const isSecond = ({ query }: { query: URLSearchParams }) =>
      (query.get('startIndex') ?? query.get('StartIndex')) === '1000'
    server.faults.add({ kind: 'status', status: 500, match: isSecond })
    await t.rejects(account.read('watchlist'), { code: 'PLH_UPSTREAM' })
  })
}

t.test('copies are one title: the first is added to the list', async (t) => {
  await using account = await inMode('jellyfin', 'playlist')
  const { server } = account
  const copies = copiesOf(server)
  await account.write('watchlist', 'add', [itemFor(server, copies[0]!)])
  t.equal(server.items('Playlist')[0]?.entries?.length, 1)
})

t.test('both spellings of the mode are accepted, and one is stored', async (t) => {
  await using account = await signedIn('jellyfin', { movies: 1, shows: 0 })
  await account.provider.saveProfile('MEDIAB-P01', { watchlist: { mode: 'collection' } })
  t.match(account.host.ctx.config, { instances: { 'MEDIAB-P01': { watchlist: { mode: 'collections' } } } })
})
