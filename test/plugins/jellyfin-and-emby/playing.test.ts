// What plays now: the person's own sessions and nobody else's, with what is known of them and nothing made up.
import t from 'tap'
import { PRODUCTS, ROUTES, signedIn, startHost, startServer } from './support.ts'
import { type Provider, providerCapability } from '@playhead/sdk'

const MINUTE_MS = 60_000

for (const product of PRODUCTS) {
  t.test(`${product}: a film and an episode are told with ids, position, state, person and player`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server, provider } = account
    const film = server.items('Movie')[0]!
    const episode = server.items('Episode')[2]!
    const show = server.items('Series')[0]!
    const first = server.actions.startPlaying('sam', film.id, 10 * MINUTE_MS)
    const second = server.actions.startPlaying('sam', episode.id, undefined, {
      paused: true,
      device: 'Tablet',
      withoutIds: true,
    })
    const user = server.world.users[0]!
    const told = await provider.playing!('default')
    t.equal(told.length, 2, 'and nothing of the devices that are idle')
    t.match(told[0], {
      key: first,
      state: 'playing',
      positionMs: 10 * MINUTE_MS,
      durationMs: film.runtimeTicks! / 10_000,
      device: 'Television',
      account: { id: user.id, name: 'sam', relation: 'own' },
      server: server.world.serverId,
      item: { type: 'movie', title: film.name, native: { item_id: film.id } },
    })
    t.match(told[1], {
      key: second,
      state: 'paused',
      device: 'Tablet',
      item: {
        type: 'episode',
        title: episode.name,
        series_title: show.name,
        season: episode.parentIndex,
        episode: episode.index,
      },
    })
    t.notOk('positionMs' in told[1]!, 'no position is made up')
    for (const [ids, theirs] of [
      [told[0]!.item.ids, film],
      [told[1]!.item.ids, episode],
      [told[1]!.item.show_ids, show],
    ] as const) {
      const known = Object.entries(theirs.providerIds)
        .filter(([, id]) => id !== '')
        .map(([name, id]) => [name.toLowerCase(), id])
      t.same(ids, Object.fromEntries(known))
    }
  })

  t.test(`${product}: neither an administrator nor a key tells what other people play`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [own, other] = server.items('Movie')
    server.actions.startPlaying('kim', other!.id, MINUTE_MS)
    t.same(await account.provider.playing!('default'), [])
    server.actions.startPlaying('sam', own!.id, MINUTE_MS)
    t.match(await account.provider.playing!('default'), [{ item: { native: { item_id: own!.id } } }])

    const kim = server.world.users.find(({ name }) => name === 'kim')!
    await using host = await startHost(product, {
      server: server.url,
      api_key: server.actions.createApiKey(),
      user_id: kim.id,
    })
    const byKey = host.capability<Provider>(
      providerCapability(product === 'jellyfin' ? 'MEDIAB' : 'MEDIAC'),
    ) as unknown as Provider
    t.match(await byKey.playing!('default'), [
      { account: { id: kim.id, name: 'kim', relation: 'own' }, item: { native: { item_id: other!.id } } },
    ])
  })

  t.test(
    `${product}: what cannot be, or is no film and no episode, is left out; a title without ids is told`,
    async (t) => {
      await using account = await signedIn(product, { movies: 3, shows: 1 })
      const { server, provider } = account
      const film = server.items('Movie')[0]!
      const id = server.actions.startPlaying('sam', film.id, film.runtimeTicks! / 10_000 + 1)
      server.actions.startPlaying('sam', server.items('Season')[0]!.id, 0)
      t.same(await provider.playing!('default'), [])
      server.actions.reportPlaying(id, { positionMs: film.runtimeTicks! / 10_000 })
      t.equal((await provider.playing!('default')).length, 1, 'the very end is a place')
      server.actions.stopPlaying(id)
      const homeMade = server.actions.addItem({ type: 'movie', title: 'Our holidays', year: 2024 })
      server.actions.startPlaying('sam', homeMade.id, 0)
      t.match(await provider.playing!('default'), [
        { positionMs: 0, item: { title: 'Our holidays', year: 2024, ids: {} } },
      ])
    },
  )

  t.test(
    `${product}: the ids of what plays are asked for once, and what has no answer is told without them`,
    async (t) => {
      await using account = await signedIn(product, { movies: 1, shows: 2 })
      const { server, provider } = account
      const [first, second] = [
        server.items('Episode')[0]!,
        server.items('Episode').findLast(({ virtual }) => virtual !== true)!,
      ]
      const id = server.actions.startPlaying('sam', first.id, 0, { withoutIds: true })
      await provider.playing!('default')
      account.requests()
      t.match(await provider.playing!('default'), [{ item: { show_ids: Object, ids: Object } }])
      t.equal(account.requests(), 1, 'the sessions alone')
      server.actions.reportPlaying(id, { itemId: second.id })
      server.faults.add({ match: ({ path }) => /Items/.test(path), kind: 'status', status: 500 })
      const [told] = await provider.playing!('default')
      t.match(told, { item: { season: second.parentIndex, episode: second.index, ids: {} } })
      t.notOk(told?.item.show_ids)
      server.faults.clear()
      t.match(await provider.playing!('default'), [{ item: { show_ids: Object } }])
    },
  )

  t.test(`${product}: a server that fails is never silent, and who is not signed in hears so`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    await using host = await startHost(product)
    const provider = host.capability<Provider>(
      providerCapability(product === 'jellyfin' ? 'MEDIAB' : 'MEDIAC'),
    ) as unknown as Provider
    await t.rejects(provider.playing!('default'), { code: 'PLH_NOT_READY', wire: 'not_configured' })
    await host.inject({
      method: 'POST',
      url: `${ROUTES[product]}/login`,
      payload: { server: server.url, username: 'sam', password: 'secret' },
    })
    t.same(await provider.playing!('default'), [])
    server.actions.expireTokens()
    await t.rejects(provider.playing!('default'), { code: 'PLH_AUTH_FAILED' })
    await server.close()
    await t.rejects(provider.playing!('default'), { code: 'PLH_UPSTREAM' })
  })
}
