// Current playback: the sessions of all users that the token can see, with their users and only known values.
import t from 'tap'
import { CAPABILITIES, PRODUCTS, ROUTES, signedIn, startHost, startServer } from './support.ts'
import type { Provider } from '@playhead/sdk'

const MINUTE_MS = 60_000

for (const product of PRODUCTS) {
  t.test(`${product}: a film and an episode are reported with ids, position, state, person and player`, async (t) => {
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

  t.test(
    `${product}: all users that the token sees are reported, and which of them is the profile's user`,
    async (t) => {
      await using account = await signedIn(product, { movies: 4, shows: 0 })
      const { server } = account
      const [sam, kim] = server.world.users
      const [own, other, shared] = server.items('Movie')
      const tv = { deviceId: 'tv', deviceName: 'TV' }
      await server.playback.start({ ...tv, userId: 'kim', item: other! })
      await server.playback.start({ ...tv, userId: 'sam', item: own! })
      const together = await server.playback.start({
        ...tv,
        userId: 'kim',
        item: shared!,
        along: ['sam', 'sam', 'kim'],
      })
      const who = (told: Awaited<ReturnType<NonNullable<Provider['playing']>>>) =>
        told.map(({ item, account: { id, name, relation } }) => [item.native?.item_id, id, name, relation])
      const asSam = await account.provider.playing!('default')
      t.same(who(asSam), [
        [other!.id, kim!.id, 'kim', 'other'],
        [own!.id, sam!.id, 'sam', 'own'],
        [shared!.id, kim!.id, 'kim', 'other'],
        [shared!.id, sam!.id, 'sam', 'own'],
      ])
      t.equal(new Set(asSam.map(({ key }) => key)).size, 4)
      t.ok(asSam.every(({ deviceId, device }) => deviceId === 'tv' && device === 'TV'))

      await using host = await startHost(product, {
        server: server.url,
        api_key: server.actions.createApiKey(),
        user_id: kim!.id,
      })
      const byKey = host.capability<Provider>(CAPABILITIES[product]) as unknown as Provider
      t.same(
        (await byKey.playing!('default')).map(({ account }) => account.relation),
        ['own', 'other', 'own', 'other'],
        'a key sees everybody, too',
      )

      await using asKim = await signedIn(product, { movies: 4, shows: 0, user: 'kim' })
      const [theirs, ours] = asKim.server.items('Movie')
      await asKim.server.playback.start({ ...tv, userId: 'sam', item: theirs! })
      t.same(await asKim.provider.playing!('default'), [], 'who is no administrator does not see others')
      await asKim.server.playback.start({ ...tv, userId: 'sam', item: ours!, along: ['kim'] })
      t.match(await asKim.provider.playing!('default'), [
        { account: { name: 'sam', relation: 'other' } },
        { account: { name: 'kim', relation: 'own' } },
      ])
      t.same(who(await account.provider.playing!('default')), who(asSam))
      await together.stop()
      t.equal((await account.provider.playing!('default')).length, 2)
    },
  )

  t.test(`${product}: a session without a user belongs to no one`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { server } = account
    for (const UserId of [undefined, '', '00000000000000000000000000000000', '00000000-0000-0000-0000-000000000000']) {
      const row = { Id: 's1', UserId, NowPlayingItem: { Id: '1', Type: 'Movie', Name: 'Static' }, PlayState: {} }
      server.faults.add({
        match: '/Sessions',
        times: 1,
        kind: 'spoil',
        send: (response) => response.end(JSON.stringify([row])),
      })
      const [told] = await account.provider.playing!('default')
      t.same(told?.account, { relation: 'unknown' })
    }
  })

  t.test(`${product}: trailers, extras, placeholders, television and music are omitted`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const rows = [
      { Type: 'Movie', ExtraType: 'Trailer' },
      { Type: 'Movie', IsPlaceHolder: true },
      { Type: 'Episode', ExtraType: 'BehindTheScenes' },
      ...['Trailer', 'TvChannel', 'Program', 'Recording', 'Audio', 'MusicVideo', 'Video', 'Series', ''].map((Type) => ({
        Type,
      })),
      { Type: undefined },
      { Type: 'Movie', Name: 'Kept', ExtraType: null, IsPlaceHolder: false },
      { Type: 'Episode', Name: 'Live', IsLive: true },
      { Type: 'Movie', Name: 'Recorded', SourceType: 'LiveTV' },
      { Type: 'Episode', Name: 'Recording', TimerId: 't1' },
    ].map((item, index) => ({
      Id: `s${index}`,
      UserId: 'u',
      NowPlayingItem: { Id: String(index), ...item },
      PlayState: {},
    }))
    account.server.faults.add({
      match: '/Sessions',
      kind: 'spoil',
      send: (response) => response.end(JSON.stringify(rows)),
    })
    t.same(
      (await account.provider.playing!('default')).map(({ item, live }) => [item.title, live]),
      [
        ['Kept', undefined],
        ['Live', true],
        ['Recorded', true],
        ['Recording', true],
      ],
    )
  })

  t.test(`${product}: libraries and files are reported on request, and requested once`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server, provider } = account
    const [film, episode] = [server.items('Movie')[0]!, server.items('Episode')[0]!]
    const tv = { userId: 'sam', deviceId: 'tv', deviceName: 'TV' }
    const play = await server.playback.start({ ...tv, item: film })
    await server.playback.start({ ...tv, item: episode })
    for (const told of await provider.playing!('default')) {
      t.notOk('libraries' in told)
      t.notOk('files' in told)
    }
    const all = { libraries: true, files: true }
    const told = await provider.playing!('default', all)
    t.same(
      told.map(({ libraries, files }) => ({ libraries, files })),
      [film, episode].map(({ libraryId, path, name }) => ({
        libraries: [libraryId],
        files: { paths: [path], editions: [name], trusted: true },
      })),
    )
    account.requests()
    await provider.playing!('default', all)
    t.equal(account.requests(), 1, 'the sessions alone')
    await play.stop()
    const other = server.items('Movie')[1]!
    await server.playback.start({ ...tv, item: other })
    server.faults.add({ match: ({ path }) => /Ancestors|Items$/.test(path), kind: 'status', status: 500 })
    const without = (await provider.playing!('default', all)).find(({ item }) => item.native?.item_id === other.id)
    t.notOk(without === undefined || 'libraries' in without || 'files' in without, 'unknown, and not none')
    server.faults.clear()
    const known = (await provider.playing!('default', all)).find(({ item }) => item.native?.item_id === other.id)
    t.match(known, { libraries: [other.libraryId], files: { paths: [other.path] } })
  })

  t.test(
    `${product}: impossible sessions, and those of neither film nor episode, are omitted; a title without ids is reported`,
    async (t) => {
      await using account = await signedIn(product, { movies: 3, shows: 1 })
      const { server, provider } = account
      const film = server.items('Movie')[0]!
      const id = server.actions.startPlaying('sam', film.id, film.runtimeTicks! / 10_000 + 5_000)
      server.actions.startPlaying('sam', server.items('Season')[0]!.id, 0)
      t.same(await provider.playing!('default'), [])
      server.actions.reportPlaying(id, { positionMs: film.runtimeTicks! / 10_000 })
      t.equal((await provider.playing!('default')).length, 1, 'the very end is a place')
      server.actions.reportPlaying(id, { positionMs: film.runtimeTicks! / 10_000 + 40 })
      t.match(
        await provider.playing!('default'),
        [{ positionMs: film.runtimeTicks! / 10_000 }],
        'players are a little behind the end',
      )
      server.actions.stopPlaying(id)
      const homeMade = server.actions.addItem({ type: 'movie', title: 'Our holidays', year: 2024 })
      server.actions.startPlaying('sam', homeMade.id, 0)
      t.match(await provider.playing!('default'), [
        { positionMs: 0, item: { title: 'Our holidays', year: 2024, ids: {} } },
      ])
    },
  )

  t.test(
    `${product}: the ids of a session are requested once, and a session without a response is reported without them`,
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

  t.test(`${product}: a failing server always gives an error, and so does a missing sign-in`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    await using host = await startHost(product)
    const provider = host.capability<Provider>(CAPABILITIES[product]) as unknown as Provider
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
