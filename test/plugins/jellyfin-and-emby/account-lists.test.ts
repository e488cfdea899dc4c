// Playlists and collections of both products as lists of the account.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type ListWriteItem } from '@playhead/sdk/provider'
import t from 'tap'
import { itemFor, outcomes, PRODUCTS, signedIn, type SignedIn, type SignedInOptions, type Product } from './support.ts'

async function startLists(product: Product, options: SignedInOptions = {}) {
  const account = await signedIn(product, options)
  const lists = account.provider as unknown as ListProvider
  const write = async (list: List, op: 'add' | 'remove' | 'move', items: readonly ListWriteItem[]) =>
    outcomes((await lists.writeList('default', { list, op, items })).outcomes)
  return {
    ...account,
    lists,
    named: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List) => collectRead(lists.readList('default', { list })),
    change: (list: List, op: 'add' | 'remove', items: readonly Item[]) =>
      write(
        list,
        op,
        items.map((item, index) => ({ key: String(index), item })),
      ),
    move: (list: List, moves: readonly (readonly [Item, string | null])[]) =>
      write(
        list,
        'move',
        moves.map(([item, after], index) => ({ key: String(index), item, after })),
      ),
    [Symbol.asyncDispose]: () => account[Symbol.asyncDispose](),
  }
}

const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )
const idOf = ({ native }: Item) => native?.list_item_id as string
const entryIds = ({ server }: Pick<SignedIn, 'server'>, id: string) =>
  (server.world.items.get(id)?.entries ?? []).map(({ itemId }) => itemId)

for (const product of PRODUCTS) {
  t.test(`${product}: playlists and collections are listed and read in order`, async (t) => {
    await using account = await startLists(product, {
      movies: 5,
      shows: 1,
      settings: { watchlist: { mode: 'playlist', playlist_name: 'Later' } },
    })
    const { server } = account
    const movies = server.items('Movie')
    const [episode] = server.items('Episode')
    server.actions.createPlaylist('sam', 'Weekend', [movies[2]!.id, episode!.id, movies[0]!.id])
    server.actions.createPlaylist('sam', 'Later', [movies[1]!.id])
    server.actions.createCollection('Best', [movies[1]!.id, server.items('Series')[0]!.id])
    const all = await account.lists.lists('default')
    t.match(
      all.toSorted((a, b) => a.title.localeCompare(b.title)),
      [
        {
          title: 'Best',
          kind: 'collection',
          can: ['add', 'remove', 'clear'],
          kinds: ['movie', 'show'],
          ordered: false,
        },
        { title: 'Later', kind: 'playlist', can: [], readOnly: 'watchlist' },
        {
          title: 'Weekend',
          kind: 'playlist',
          kinds: ['movie', 'episode'],
          ordered: true,
          duplicates: product === 'emby',
        },
      ],
    )
    t.equal((await account.named('Weekend')).can.includes('rename'), product === 'jellyfin')
    const { rows, end } = await account.entries(await account.named('Weekend'))
    t.match(end, { complete: true, semantics: 'present' })
    t.same(
      rows.map(({ native }) => native?.item_id),
      [movies[2]!.id, episode!.id, movies[0]!.id],
    )
    t.same(
      rows.map(({ position }) => position),
      [1, 2, 3],
    )
    t.match(rows[1], { show_ids: itemFor(server, episode!).show_ids, type: 'episode' })
    t.equal(new Set(rows.map(idOf)).size, 3)
    t.same((await account.entries(await account.named('Best'))).rows.map(({ type }) => type).toSorted(), [
      'movie',
      'show',
    ])
  })

  t.test(`${product}: entries of a playlist are added, moved and removed, which a read confirms`, async (t) => {
    await using account = await startLists(product, { movies: 5, shows: 1 })
    const { server } = account
    const [first, second, third] = server.items('Movie') as [
      Parameters<typeof itemFor>[1],
      Parameters<typeof itemFor>[1],
      Parameters<typeof itemFor>[1],
    ]
    const show = server.items('Series')[0]!
    const { id } = server.actions.createPlaylist('sam', 'Weekend', [first.id])
    const list = await account.named('Weekend')
    const items = [second, third].map((one) => itemFor(server, one))
    t.same(
      await account.change(list, 'add', [
        ...items,
        itemFor(server, show),
        { type: 'movie', ids: { imdb: 'tt9999999' } },
      ]),
      ['applied', 'applied', 'unsupported: unsupported_type', 'not_found: not_in_library'],
    )
    t.same(entryIds(account, id), [first.id, second.id, third.id])
    t.same(await account.change(list, 'add', [items[0]!]), [product === 'emby' ? 'applied' : 'already'])
    const { rows } = await account.entries(list)
    t.same(
      await account.move(list, [
        [rows[2]!, null],
        [rows[0]!, idOf(rows[1]!)],
      ]),
      ['applied', 'applied'],
    )
    t.same(entryIds(account, id).slice(0, 3), [third.id, second.id, first.id])
    t.same(
      await account.move(list, [
        [rows[2]!, null],
        [rows[0]!, 'nowhere'],
        [{ ...rows[0]!, native: { list_item_id: 'nowhere' } }, null],
      ]),
      ['already', 'rejected: place_unknown', 'not_found: entry_unknown'],
    )
    t.same(await account.change(list, 'remove', [rows[1]!, items[0]!]), ['applied', 'unsupported: entry_unknown'])
    t.same(
      entryIds(account, id),
      product === 'emby' ? [third.id, first.id, second.id] : [third.id, first.id],
      'the other line of the same film stays',
    )
    t.same(await account.change(list, 'remove', [rows[1]!]), ['already'])
  })

  t.test(`${product}: a collection contains each item once and removes it by its ids`, async (t) => {
    await using account = await startLists(product, { movies: 5, shows: 1 })
    const { server } = account
    const movie = itemFor(server, server.items('Movie')[0]!)
    const show = itemFor(server, server.items('Series')[0]!)
    t.equal(
      await wireOf(account.lists.createList('default', { kind: 'collection', title: 'Best' })),
      'PLH_INVALID first_entry_required',
    )
    const made = await account.lists.createList('default', { kind: 'collection', title: 'Best', first: movie })
    const list = await account.named('Best')
    t.equal(list.id, made.id)
    t.same(await account.change(list, 'add', [movie, show, show]), ['already', 'applied', 'already'])
    t.same(await account.change(list, 'remove', [movie]), ['applied'])
    t.same(await account.change(list, 'remove', [movie]), ['already'])
    t.same(entryIds(account, list.id), [server.items('Series')[0]!.id])
    t.equal(
      await wireOf(account.lists.deleteList('default', { list, count: 1, confirm: ['list', 'entries'] })),
      'PLH_UNSUPPORTED unsupported',
    )
  })

  t.test(`${product}: a playlist is created, emptied and deleted, and nothing unconfirmed is removed`, async (t) => {
    await using account = await startLists(product, { movies: 3 })
    const { lists, server } = account
    const list = await lists.createList('default', {
      kind: 'playlist',
      title: 'Weekend',
      first: itemFor(server, server.items('Movie')[0]!),
    })
    t.same(entryIds(account, list.id), [server.items('Movie')[0]!.id])
    if (product === 'jellyfin') await lists.renameList('default', list, 'Evenings')
    else t.equal(await wireOf(lists.renameList('default', list, 'Evenings')), 'PLH_UNSUPPORTED unsupported')
    const known = await account.named(product === 'jellyfin' ? 'Evenings' : 'Weekend')
    const confirm = ['list', 'entries', 'order'] as const
    t.equal(
      await wireOf(lists.deleteList('default', { list: known, count: 1, confirm: ['list'] })),
      'PLH_CONFLICT confirmation_required',
    )
    t.equal(
      await wireOf(lists.deleteList('default', { list: known, count: 2, confirm })),
      'PLH_CONFLICT changed_since_read',
    )
    t.same((await lists.clearList('default', { list: known, count: 1, confirm })).outcomes, [
      { key: '1', outcome: 'applied' },
    ])
    t.same(entryIds(account, list.id), [])
    t.equal(await wireOf(lists.deleteList('default', { list: known, count: 0, confirm })), 'done')
    t.notOk(server.world.items.has(list.id))
    t.ok(server.items('Movie').length > 0, 'what was in it is still in the library')
  })

  t.test(`${product}: no fault of the server looks like a short list, and a lost response is verified`, async (t) => {
    await using account = await startLists(product, { movies: 5, settings: { max_retries: 0 } })
    const { server } = account
    const { id } = server.actions.createPlaylist(
      'sam',
      'Weekend',
      server
        .items('Movie')
        .slice(0, 2)
        .map((one) => one.id),
    )
    const list = await account.named('Weekend')
    const ofList = {
      match: ({ path, method }: { path: string; method: string }) => path.includes(`/${id}/Items`) && method === 'GET',
    } as const
    for (const fault of [
      { kind: 'status', status: 500 },
      { kind: 'html', status: 200 },
      { kind: 'empty' },
      { kind: 'truncate' },
    ] as const) {
      server.faults.add({ ...fault, ...ofList })
      t.match(await wireOf(account.entries(list)), /^PLH_UPSTREAM/, fault.kind)
      server.faults.clear()
    }
    server.faults.add({
      kind: 'reset',
      times: 1,
      match: ({ path, method }) => path.includes('/Playlists/') && method === 'POST',
    })
    t.same(await account.change(list, 'add', [itemFor(server, server.items('Movie')[2]!)]), ['applied'])
    t.equal(entryIds(account, id).length, 3)
  })
}

t.test('a public playlist of another user is read and never written', async (t) => {
  await using account = await startLists('jellyfin', { movies: 3, user: 'kim' })
  const { server } = account
  const made = server.actions.createPlaylist('sam', 'Theirs', [server.items('Movie')[0]!.id])
  Object.assign(server.world.items.get(made.id)!, { public: true })
  const list = await account.named('Theirs')
  t.match(list, { readOnly: 'foreign', can: [] })
  t.equal((await account.entries(list)).rows.length, 1)
  account.requests()
  t.equal(
    await wireOf(account.change(list, 'add', [itemFor(server, server.items('Movie')[1]!)])),
    'PLH_UNSUPPORTED list_read_only',
  )
  t.equal(account.requests(), 0)
})
