// Playlists of the media server: ordered entries with their own ids, and duplicates.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type ListWriteItem } from '@playhead/sdk/provider'
import t from 'tap'
import type { Item as LibraryItem, Playlist } from '../../upstreams/plex/state.ts'
import { asItem, startWorld, type World } from './world.ts'

const ACCOUNT = 1

function makeList({ plex }: World, title: string, keys: readonly string[], more: Partial<Playlist> = {}): Playlist {
  const { accounts, playlists } = plex.state
  const owner = accounts.find(({ role }) => role === 'owner')
  const ratingKey = String(90_000 + playlists.size)
  const entries = keys.map((key, index) => ({ id: 7_000 + playlists.size * 1_000 + index, ratingKey: key }))
  const list: Playlist = {
    ratingKey,
    accountId: owner?.id ?? ACCOUNT,
    title,
    summary: '',
    smart: false,
    addedAtMs: plex.state.now(),
    updatedAtMs: plex.state.now(),
    entries,
    ...more,
  }
  playlists.set(ratingKey, list)
  return list
}

function listsOf({ provider }: World) {
  const lists = provider as unknown as ListProvider
  const write = async (list: List, op: 'add' | 'remove' | 'move', items: readonly ListWriteItem[]) => {
    const { outcomes } = await lists.writeList('default', { list, op, items })
    return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
  }
  return {
    lists,
    named: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List) => collectRead(lists.readList('default', { list })),
    change: (list: List, op: 'add' | 'remove', items: readonly Item[]) =>
      write(
        list,
        op,
        items.map((item, index) => ({ key: `${index}`, item })),
      ),
    move: (list: List, moves: readonly (readonly [Item, string | null])[]) =>
      write(
        list,
        'move',
        moves.map(([item, after], index) => ({ key: `${index}`, item, after })),
      ),
  }
}

const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )
const idOf = ({ native }: Item) => native?.list_item_id as string

t.test('playlists are listed and read in order, the same item twice with two ids', async (t) => {
  const world = await startWorld(t)
  const { entries, lists, named } = listsOf(world)
  const [first, second] = world.ofType('movie') as [LibraryItem, LibraryItem]
  const [episode] = world.ofType('episode') as [LibraryItem]
  makeList(world, 'Weekend', [second.ratingKey, episode.ratingKey, second.ratingKey, first.ratingKey])
  makeList(world, 'Unseen', [first.ratingKey], { smart: true })
  makeList(world, 'Not mine', [first.ratingKey], { accountId: 999_999 })
  t.match(await lists.lists('default'), [
    {
      title: 'Weekend',
      kind: 'playlist',
      count: 4,
      ordered: true,
      duplicates: true,
      can: ['add', 'remove', 'move', 'rename', 'delete', 'clear'],
    },
    { title: 'Unseen', readOnly: 'dynamic', can: [] },
  ])
  t.equal((await lists.lists('default')).length, 2)
  const { rows, end } = await entries(await named('Weekend'))
  t.match(end, { complete: true, semantics: 'present' })
  t.same(
    rows.map(({ native }) => native?.item_id),
    [second.ratingKey, episode.ratingKey, second.ratingKey, first.ratingKey],
  )
  t.same(
    rows.map(({ position }) => position),
    [1, 2, 3, 4],
  )
  t.equal(new Set(rows.map(idOf)).size, 4)
  t.match(rows[1], { show_ids: asItem(world.plex, episode).show_ids })
  t.equal((await entries(await named('Unseen'))).rows.length, 1)
})

t.test('entries are added in order, removed by their own id, and moved', async (t) => {
  const world = await startWorld(t)
  const { change, entries, move, named } = listsOf(world)
  const [first, second, third] = world.ofType('movie').map((item) => asItem(world.plex, item)) as [Item, Item, Item]
  const [episode] = world.ofType('episode').map((item) => asItem(world.plex, item)) as [Item]
  const [show] = world.ofType('show').map((item) => asItem(world.plex, item)) as [Item]
  const stored = makeList(world, 'Weekend', [])
  const list = await named('Weekend')
  t.same(
    await change(list, 'add', [
      first,
      episode,
      second,
      first,
      show,
      { type: 'movie', ids: { imdb: 'tt9999999' } },
      { type: 'movie', title: 'Heat', ids: {} },
    ]),
    [
      'applied',
      'applied',
      'applied',
      'applied',
      'unsupported unsupported_type',
      'not_found not_in_library',
      'unsupported missing_ids',
    ],
  )
  const { rows } = await entries(list)
  const [a, b, c, d] = rows as [Item, Item, Item, Item]
  t.same(
    [a, d].map(({ native }) => native?.item_id),
    [a.native?.item_id, a.native?.item_id],
  )
  const order = () => stored.entries.map(({ id }) => 'abcd'[rows.findIndex((row) => idOf(row) === String(id))]).join('')
  t.same(
    await move(list, [
      [d, null],
      [a, idOf(c)],
    ]),
    ['applied', 'applied'],
  )
  t.equal(order(), 'dbca')
  t.same(
    await move(list, [
      [b, '1'],
      [{ ...b, native: { list_item_id: '1' } }, null],
    ]),
    ['not_found entry_unknown', 'not_found entry_unknown'],
  )
  t.same(await change(list, 'remove', [d]), ['applied'])
  t.equal(order(), 'bca', 'the other entry of the same film stays')
  t.same(await change(list, 'remove', [d, third]), ['already', 'unsupported entry_unknown'])
})

t.test('an entry with a lost response is not added again', async (t) => {
  const world = await startWorld(t, { config: { max_retries: 3 } })
  const { change, named } = listsOf(world)
  const [film] = world.ofType('movie').map((item) => asItem(world.plex, item)) as [Item]
  const stored = makeList(world, 'Weekend', [])
  const list = await named('Weekend')
  world.plex.server.faults.add({ kind: 'reset', times: 1, match: ({ method }) => method === 'PUT' })
  t.match(await change(list, 'add', [film]), [/^unknown/])
  t.equal(stored.entries.length, 1)
})

t.test('no fault of the server looks like a short playlist', async (t) => {
  const world = await startWorld(t)
  const { entries, lists, named } = listsOf(world)
  makeList(
    world,
    'Weekend',
    world.ofType('movie').map(({ ratingKey }) => ratingKey),
  )
  const list = await named('Weekend')
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'html', status: 200 },
    { kind: 'empty' },
    { kind: 'truncate' },
  ] as const) {
    world.plex.server.faults.add({ ...fault, match: /\/items$/ })
    t.match(await wireOf(entries(list)), /^PLH_UPSTREAM/, fault.kind)
    world.plex.server.faults.clear()
    world.plex.server.faults.add({ ...fault, match: '/playlists' })
    t.match(await wireOf(lists.lists('default')), /^PLH_UPSTREAM/, fault.kind)
    world.plex.server.faults.clear()
  }
  t.match(await wireOf(entries({ ...list, id: '1' })), /^PLH_NOT_FOUND/)
})

t.test('a playlist is created with its first entry, renamed, emptied and deleted', async (t) => {
  const world = await startWorld(t)
  const { entries, lists, named } = listsOf(world)
  const [first] = world.ofType('movie').map((item) => asItem(world.plex, item)) as [Item]
  t.equal(
    await wireOf(lists.createList('default', { kind: 'playlist', title: 'Weekend' })),
    'PLH_INVALID first_entry_required',
  )
  const missing: Item = { type: 'movie', ids: { imdb: 'tt9999999' } }
  t.equal(
    await wireOf(lists.createList('default', { kind: 'playlist', title: 'Weekend', first: missing })),
    'PLH_NOT_FOUND not_in_library',
  )
  t.equal(world.plex.state.playlists.size, 0)
  const made = await lists.createList('default', { kind: 'playlist', title: 'Weekend', first })
  t.match(made, { kind: 'playlist', title: 'Weekend', count: 1 })
  await lists.renameList('default', made, 'Evenings')
  const list = await named('Evenings')
  t.equal(list.id, made.id)
  t.equal((await entries(list)).rows.length, 1)
  const confirm = ['list', 'entries', 'order'] as const
  t.equal(
    await wireOf(lists.deleteList('default', { list, count: 1, confirm: ['list'] })),
    'PLH_CONFLICT confirmation_required',
  )
  t.equal(await wireOf(lists.deleteList('default', { list, count: 2, confirm })), 'PLH_CONFLICT changed_since_read')
  t.same((await lists.clearList('default', { list, count: 1, confirm })).outcomes, [{ key: '1', outcome: 'applied' }])
  t.equal(await wireOf(lists.deleteList('default', { list, count: 0, confirm })), 'done')
  t.equal(world.plex.state.playlists.size, 0)
})

t.test(
  'collections are listed with their library, filled and emptied by the owner, and left alone by others',
  async (t) => {
    const world = await startWorld(t)
    const { change, entries, lists, named } = listsOf(world)
    const [first, second] = world.ofType('movie').map((item) => asItem(world.plex, item)) as [Item, Item]
    const [show] = world.ofType('show').map((item) => asItem(world.plex, item)) as [Item]
    const [episode] = world.ofType('episode').map((item) => asItem(world.plex, item)) as [Item]
    t.equal(
      await wireOf(lists.createList('default', { kind: 'collection', title: 'Best' })),
      'PLH_INVALID first_entry_required',
    )
    t.equal(
      await wireOf(lists.createList('default', { kind: 'collection', title: 'Best', first: episode })),
      'PLH_INVALID unsupported_type',
    )
    const made = await lists.createList('default', { kind: 'collection', title: 'Best', first })
    const list = await named('Best')
    t.match(list, {
      id: made.id,
      kind: 'collection',
      library: '1',
      kinds: ['movie'],
      count: 1,
      shared: true,
      ordered: false,
      can: ['add', 'remove', 'clear'],
    })
    t.same(await change(list, 'add', [first, second, show, { type: 'movie', ids: { imdb: 'tt9999999' } }]), [
      'already',
      'applied',
      'unsupported unsupported_type',
      'not_found not_in_library',
    ])
    const { rows, end } = await entries(list)
    t.match(end, { complete: true })
    t.same(
      rows.map(({ ids: { imdb } }) => imdb),
      [first.ids.imdb, second.ids.imdb],
    )
    t.same(await change(list, 'remove', [first]), ['applied'])
    t.same(await change(list, 'remove', [first]), ['already'])
    t.equal(
      await wireOf(lists.deleteList('default', { list, count: 1, confirm: ['list', 'entries'] })),
      'PLH_UNSUPPORTED unsupported',
    )
    t.same((await lists.clearList('default', { list: await named('Best'), count: 1, confirm: ['entries'] })).outcomes, [
      { key: '1', outcome: 'applied' },
    ])
    t.same(world.plex.state.collections.get(list.id)?.items, [])
    world.plex.server.faults.add({ kind: 'reset', times: 1, match: ({ method }) => method === 'PUT' })
    t.same(await change(list, 'add', [first]), ['applied'], 'a lost answer is looked into')

    const other = await startWorld(t, { who: 'friend' })
    const [film] = other.ofType('movie') as [LibraryItem]
    const { sectionKey, ratingKey } = film
    other.plex.state.collections.set('77', {
      ratingKey: '77',
      sectionKey,
      title: 'Best',
      smart: false,
      addedAtMs: 0,
      updatedAtMs: 0,
      items: [ratingKey],
    })
    t.match(await listsOf(other).named('Best'), { readOnly: 'foreign', can: [] })
    t.equal((await listsOf(other).entries(await listsOf(other).named('Best'))).rows.length, 1)
  },
)
