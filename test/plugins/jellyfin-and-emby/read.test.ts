// Reads: the values of a row, and completeness only with proof.
import t from 'tap'
import { keyOf, formatKey, type Item } from '@playhead/sdk/items'
import { copiesOf, itemFor, PRODUCTS, type Product, ROUTES, signedIn, type SignedInOptions } from './support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15)
// The two products spell query names differently.
const queryValue = (query: URLSearchParams, name: string) => [...query].find(([key]) => key.toLowerCase() === name)?.[1]
const pageOf =
  (start: number) =>
  ({ query }: { query: URLSearchParams }) =>
    queryValue(query, 'filters') !== undefined && Number(queryValue(query, 'startindex')) === start
const nameOf = (item: Item) => {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : '?'
}

for (const product of PRODUCTS) {
  t.test(`${product}: a film and an episode are read with their ids, numbers and times`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 1 })
    const { server } = account
    const movie = server.items('Movie')[1]!
    const episode = server.items('Episode')[2]!
    server.actions.markPlayed('sam', movie.id, AT_MS)
    server.actions.markPlayed('sam', episode.id, AT_MS + 1_000)
    const { rows, end } = await account.read('history')
    const user = server.world.users[0]!
    const { checkpoint, ...told } = end
    t.strictSame(told, {
      account: `${server.world.serverId}/${user.id}`,
      semantics: 'present',
      complete: true,
      provesAbsence: true,
      repeatsUnreadable: true,
    })
    t.type(checkpoint, 'string')
    t.match(rows, [
      {
        ...itemFor(server, episode),
        type: 'episode',
        series_title: server.items('Series')[0]!.name,
        watched: true,
        watched_at: '2026-07-01T20:15:01Z',
        native: { item_id: episode.id },
      },
      {
        ...itemFor(server, movie),
        title: movie.name,
        year: movie.year,
        duration_ms: movie.runtimeTicks! / 10_000,
        watched_at: '2026-07-01T20:15:00Z',
      },
    ])
  })

  t.test(`${product}: a position is read in milliseconds with its time`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const movie = account.server.items('Movie')[0]!
    account.server.actions.setPosition('sam', movie.id, 640_000, AT_MS)
    const position = { progress_ms: 640_000, progress_at: '2026-07-01T20:15:00Z' }
    t.match((await account.read('progress')).rows, [{ ...itemFor(account.server, movie), ...position }])
    t.same((await account.read('history')).rows, [])
  })

  t.test(`${product}: no time is invented for a work that is being watched again`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const movie = account.server.items('Movie')[0]!
    account.server.actions.markPlayed('sam', movie.id, AT_MS)
    account.server.actions.setPosition('sam', movie.id, 640_000, AT_MS + 86_400_000)
    const [row] = (await account.read('history')).rows
    t.match(row, { watched: true })
    t.equal(row?.watched_at, undefined)
    t.match((await account.read('progress')).rows, [{ progress_at: '2026-07-02T20:15:00Z' }])
  })

  t.test(`${product}: favourites are films and shows, never episodes`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 2 })
    const { server } = account
    const liked = [server.items('Movie')[0]!, server.items('Series')[1]!, server.items('Episode')[0]!]
    for (const { id } of liked) server.actions.setFavourite('sam', id, true)
    const { rows } = await account.read('watchlist')
    t.same(rows.map(({ type }) => type).toSorted(), ['movie', 'show'])
    t.match(
      rows.find(({ type }) => type === 'show'),
      itemFor(server, server.items('Series')[1]!),
    )
    t.ok(
      rows.every((row) => row.added_at === undefined),
      'the servers keep no time of it',
    )
    t.match((await account.read('watchlist', { kinds: ['show'] })).rows, [{ type: 'show' }])
  })

  t.test(
    `${product}: copies are one row with the latest time, and items without ids are reported, not read`,
    async (t) => {
      await using account = await signedIn(product, { movies: 45, shows: 0 })
      const { server } = account
      const [copied, copy] = copiesOf(server)
      const nameless = server
        .items('Movie')
        .find(({ providerIds }) => Object.values(providerIds).every((id) => id === ''))!
      server.actions.markPlayed('sam', copied!.id, AT_MS)
      server.actions.markPlayed('sam', copy!.id, AT_MS + 5_000)
      server.actions.markPlayed('sam', nameless.id, AT_MS)
      const { rows, end } = await account.read('history')
      t.match(rows, [{ watched_at: '2026-07-01T20:15:05Z', native: { item_id: copy!.id } }])
      t.equal(rows.length, 1)
      t.same([end.complete, end.unreadable], [true, [{ reason: 'missing_ids', title: nameless.name }]])
    },
  )

  t.test(`${product}: every spelling of an id is read, and empty ones are ignored`, async (t) => {
    await using account = await signedIn(product, { movies: 60, shows: 0 })
    const { server } = account
    for (const { id } of server.items('Movie')) server.actions.markPlayed('sam', id, AT_MS)
    const { rows } = await account.read('history')
    const expected = server
      .items('Movie')
      .map((movie) => itemFor(server, movie))
      .filter(({ ids }) => Object.keys(ids).length > 0)
    t.same(new Set(rows.map(nameOf)), new Set(expected.map(nameOf)))
  })

  t.test(`${product}: only a chosen library is read, and a missing one makes the read incomplete`, async (t) => {
    await using account = await signedIn(product, { movies: 10, shows: 1 })
    const { server } = account
    for (const item of [server.items('Movie')[0]!, server.items('Episode')[0]!])
      server.actions.markPlayed('sam', item.id, AT_MS)
    const shows = server.world.libraries.find(({ name }) => name === 'Shows')!
    const { rows, end } = await account.read('history', { libraries: [shows.id] })
    t.match([rows, end.complete], [[{ type: 'episode', library_id: shows.id }], true])
    const gone = await account.read('history', { libraries: [shows.id, product === 'emby' ? '1' : 'f'.repeat(32)] })
    t.match(gone, { rows: [{ type: 'episode' }], end: { complete: false, reason: 'library_missing' } })
  })

  t.test(`${product}: two profiles each see their own data`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { host, server } = account
    const id = await account.provider.createProfile({ copyFrom: 'default' })
    await t.rejects(account.read('history', {}, id), { code: 'PLH_NOT_READY', wire: 'not_configured' })
    const route = ROUTES[product]
    const payload = { server: server.url, username: 'kim', password: 'secret' }
    await host.inject({ method: 'POST', url: `${route}/login?instance=${id}`, payload })
    const [first, second] = server.items('Movie')
    server.actions.markPlayed('sam', first!.id, AT_MS)
    server.actions.markPlayed('kim', second!.id, AT_MS)
    t.match((await account.read('history')).rows, [{ native: { item_id: first!.id } }])
    t.match((await account.read('history', {}, id)).rows, [{ native: { item_id: second!.id } }])
    t.not((await account.read('history')).end.account, (await account.read('history', {}, id)).end.account)
    t.equal(server.world.tokens.size, 2, 'each profile is a device of its own')
  })

  t.test(`${product}: nothing watched is a complete read of nothing`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    for (const feature of ['history', 'progress', 'watchlist'] as const) {
      t.match(await account.read(feature), { rows: [], end: { complete: true } }, feature)
    }
    await t.rejects(account.read('ratings'), { code: 'PLH_UNSUPPORTED' })
    await t.rejects(account.read('history', { plays: true }), { code: 'PLH_UNSUPPORTED' })
  })

  t.test(`${product}: a read that fails midway throws, for any failure`, async (t) => {
    await using account = await large(product)
    const { server } = account
    for (const [name, fault, code] of [
      ['the third page', { kind: 'status', status: 500, match: pageOf(5_000) }, 'PLH_UPSTREAM'],
      ['a truncated page', { kind: 'truncate', match: pageOf(2_500) }, 'PLH_UPSTREAM'],
      ['an empty body', { kind: 'empty', match: pageOf(2_500) }, 'PLH_UPSTREAM_INVALID'],
      ["a proxy's page", { kind: 'html', status: 200, match: pageOf(0) }, 'PLH_UPSTREAM_INVALID'],
      ['a lost connection', { kind: 'reset', match: pageOf(5_000) }, 'PLH_UPSTREAM'],
    ] as const) {
      server.faults.add(fault)
      await t.rejects(account.read('history'), { code }, name)
      server.faults.clear()
    }
    server.faults.add({ kind: 'status', status: 503, match: pageOf(2_500), times: 1 })
    t.equal((await account.read('history')).end.complete, true, 'what passes is tried again')
    server.faults.add({ kind: 'status', status: 401, match: pageOf(2_500) })
    await t.rejects(account.read('history'), { code: 'PLH_AUTH_FAILED' }, 'a token that was taken away on the way')
  })

  t.test(`${product}: a read during changes is not called complete`, async (t) => {
    await using account = await large(product)
    const { server } = account
    const items = server.items('Movie')
    server.faults.add({
      kind: 'slow',
      delayMs: 1,
      match: (request) => {
        if (pageOf(2_500)(request)) server.actions.markUnplayed('sam', items[5]!.id)
        return false
      },
    })
    t.match((await account.read('history')).end, { complete: false, reason: 'changed_while_reading' })
    server.faults.clear()
    t.match((await account.read('history')).end, { complete: true })
    // An item moves from the end to the front: the count stays, one row is returned twice and another is missing.
    server.faults.add({
      kind: 'slow',
      delayMs: 1,
      match: (request) => {
        if (pageOf(2_500)(request)) server.actions.markPlayed('sam', items[6]!.id, AT_MS + 9_000_000)
        return false
      },
    })
    t.match((await account.read('history')).end, { complete: false, reason: 'changed_while_reading' })
  })

  t.test(`${product}: a read before writes begins to read the index that these need, once`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server, provider } = account
    const indexReads = () =>
      server.count(({ query }: { query: URLSearchParams }) => queryValue(query, 'sortby') === 'DateCreated,SortName')
    await account.read('history')
    t.equal(indexReads(), 0)
    await Array.fromAsync(provider.read('default', { feature: 'history', beforeWrites: true }))
    while (indexReads() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const [film] = server.items('Movie')
    t.match(await account.write('history', 'add', [{ ...itemFor(server, film!), watched: true }]), [
      { outcome: 'applied' },
    ])
    t.equal(indexReads(), 1)
  })

  t.test(`${product}: a read waits for a restarted server`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    account.server.actions.restart({ startingRequests: 1 })
    t.equal((await account.read('history')).end.complete, true)
  })
}

async function large(product: Product, options: SignedInOptions = {}) {
  const account = await signedIn(product, { movies: 6_000, shows: 0, ...options })
  const { server } = account
  for (const [index, { id }] of server.items('Movie').entries())
    server.actions.markPlayed('sam', id, AT_MS + index * 1_000)
  return account
}
