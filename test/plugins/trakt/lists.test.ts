// Custom lists: read in order, written in batches within the plan's limits, reordered.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type ListWriteItem } from '@playhead/sdk/provider'
import t from 'tap'
import { codeOf, episodeItem, movieItem, startBench } from './support.ts'

async function startLists(options: Parameters<typeof startBench>[0] = {}) {
  // The last change is a while ago, as in practice.
  const bench = await startBench({ nowMs: () => Date.now() - 60_000, settings: { max_retries: 0 }, ...options })
  const lists = bench.provider as unknown as ListProvider
  const write = async (list: List, op: 'add' | 'remove' | 'move', items: readonly ListWriteItem[]) => {
    const { outcomes } = await lists.writeList('default', { list, op, items })
    return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
  }
  return {
    ...bench,
    lists,
    listNamed: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List) => collectRead(lists.readList('default', { list })),
    change: (list: List, op: 'add' | 'remove', items: readonly Item[]) =>
      write(
        list,
        op,
        items.map((item, index) => ({ key: `k${index}`, item })),
      ),
    move: (list: List, moves: readonly (readonly [Item, string | null])[]) =>
      write(
        list,
        'move',
        moves.map(([item, after], index) => ({ key: `k${index}`, item, after })),
      ),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )
const nameOf = ({ native }: Item) => native?.list_item_id as string

t.test('lists are returned with their permitted changes, and read by rank with the ids of their rows', async (t) => {
  await using bench = await startLists({ movies: 300, plan: 'vip' })
  const { trakt } = bench
  const items = [
    ...Array.from({ length: 260 }, (_, index) => trakt.movie(299 - index)),
    trakt.show(0),
    trakt.episode(0, 1, 2),
  ]
  const own = trakt.user.makeList('Weekend', items, { privacy: 'public' })
  trakt.user.makeList('Computed', [trakt.movie(0)], { type: 'smart' })
  t.match(await bench.lists.lists('default'), [
    {
      id: String(own.id),
      kind: 'list',
      title: 'Weekend',
      count: 262,
      shared: true,
      ordered: true,
      duplicates: false,
      can: ['add', 'remove', 'move', 'rename', 'delete', 'clear'],
    },
    { title: 'Computed', readOnly: 'dynamic', shared: false, can: [] },
  ])
  const { rows, end } = await bench.entries(await bench.listNamed('Weekend'))
  t.match(end, { complete: true, semantics: 'present', account: 'uuid-of-ada' })
  t.same(
    rows.map(({ position }) => position),
    rows.map((_, index) => index + 1),
  )
  t.same(
    rows.map(nameOf),
    own.rows.map(({ id }) => String(id)),
  )
  t.same([rows.at(-2)?.type, rows.at(-1)?.type, rows.at(-1)?.episode], ['show', 'episode', 2])
  t.match(rows[0], { added_at: /T/ })
})

t.test('a list that changes between its pages is not complete, and no fault looks like a short one', async (t) => {
  await using bench = await startLists({ movies: 300, plan: 'vip' })
  const { trakt } = bench
  const own = trakt.user.makeList(
    'Weekend',
    Array.from({ length: 260 }, (_, index) => trakt.movie(index)),
  )
  const list = await bench.listNamed('Weekend')
  let isChanged = false
  trakt.onAnswer(({ request }) => {
    if (isChanged || !request.path.includes('/items')) return
    isChanged = true
    trakt.user.removeFromList(own, trakt.movie(3))
  })
  t.match((await bench.entries(list)).end, { complete: false })
  for (const fault of [{ kind: 'status', status: 500 }, { kind: 'html', status: 200 }, { kind: 'empty' }] as const) {
    trakt.faults.add({ ...fault, match: ({ path, query }) => path.includes('/items') && query.get('page') === '2' })
    t.match(await codeOf(bench.entries(list)), /^PLH_UPSTREAM/, fault.kind)
    trakt.faults.clear()
    trakt.faults.add({ ...fault, match: '/users/me/lists' })
    t.match(await codeOf(bench.lists.lists('default')), /^PLH_UPSTREAM/, fault.kind)
    trakt.faults.clear()
  }
  t.equal(await codeOf(bench.entries({ ...list, id: '1' })), 'PLH_NOT_FOUND')
})

t.test('items are added once, in one request after a check of the size, and removed again', async (t) => {
  await using bench = await startLists()
  const { trakt } = bench
  const own = trakt.user.makeList('Weekend')
  const list = await bench.listNamed('Weekend')
  const works = [movieItem(trakt, 0), episodeItem(trakt, 0, 1, 2), movieItem(trakt, 1)]
  bench.asked()
  t.same(
    await bench.change(list, 'add', [
      ...works,
      { type: 'movie', ids: { imdb: 'tt1' } },
      { type: 'movie', title: 'Heat', ids: {} },
    ]),
    ['applied', 'applied', 'applied', 'not_found:not_found', 'unsupported:missing_ids'],
  )
  t.equal(bench.asked().writes, 1)
  t.same(await bench.change(list, 'add', works.slice(0, 1)), ['already'])
  t.same(await bench.change(list, 'remove', works.slice(0, 2)), ['applied', 'applied'])
  t.same(
    own.rows.map(({ entry }) => entry.key),
    [trakt.movie(1).key],
  )
  t.same(await bench.change(list, 'remove', works.slice(0, 1)), ['already'])
})

t.test('a full list accepts what fits and reports the rest; a plan has a limited number of lists', async (t) => {
  for (const overLimit of ['refuse', 'partial'] as const) {
    await using bench = await startLists({
      overLimit,
      plan: { vip: false, watchlist: 250, lists: 1, listItems: 3, history: 100, ratings: 100 },
    })
    const { trakt } = bench
    const own = trakt.user.makeList('Weekend', [trakt.movie(0)])
    const list = await bench.listNamed('Weekend')
    const wanted = [1, 2, 3, 4].map((index) => movieItem(trakt, index))
    t.same(await bench.change(list, 'add', wanted), [
      'applied',
      'applied',
      'rejected:provider_limit',
      'rejected:provider_limit',
    ])
    t.equal(own.rows.length, 3)
    bench.asked()
    t.same(await bench.change(list, 'add', wanted.slice(3)), ['rejected:provider_limit'])
    t.equal(bench.asked().writes, 0, 'it is known to be full')
    t.equal(
      await wireOf(bench.lists.createList('default', { kind: 'list', title: 'More' })),
      'PLH_CONFLICT provider_limit',
    )
  }
})

t.test('a limit that the settings lack is determined without a guess', async (t) => {
  await using bench = await startLists({
    plan: { vip: false, watchlist: 250, lists: 5, listItems: 3, history: 100, ratings: 100 },
  })
  const { trakt } = bench
  const own = trakt.user.makeList('Weekend', [trakt.movie(0), trakt.movie(1)])
  const list = await bench.listNamed('Weekend')
  // The settings still have the limits of a larger plan.
  trakt.user.changePlan({ listItems: 100 })
  await bench.provider.probe('default')
  await bench.change(list, 'remove', [movieItem(trakt, 5)])
  trakt.user.changePlan({ listItems: 3 })
  const outcomes = await bench.change(
    list,
    'add',
    [2, 3].map((index) => movieItem(trakt, index)),
  )
  t.equal(
    own.rows.length,
    outcomes.filter((outcome) => outcome === 'applied').length + 2,
    'what is said to be there is there',
  )
  t.same(outcomes, ['applied', 'rejected:provider_limit'])
})

t.test('entries are moved with one request, and the rest keeps its order', async (t) => {
  await using bench = await startLists()
  const { trakt } = bench
  const own = trakt.user.makeList(
    'Weekend',
    [0, 1, 2, 3, 4].map((index) => trakt.movie(index)),
  )
  const list = await bench.listNamed('Weekend')
  const { rows } = await bench.entries(list)
  const [a, b, c, d, e] = rows as [Item, Item, Item, Item, Item]
  const order = () => own.rows.map(({ id }) => 'abcde'[rows.findIndex((row) => nameOf(row) === String(id))]).join('')
  bench.asked()
  t.same(
    await bench.move(list, [
      [e, null],
      [a, nameOf(c)],
    ]),
    ['applied', 'applied'],
  )
  t.equal(order(), 'ebcad')
  t.equal(bench.asked().writes, 1)
  t.same(
    await bench.move(list, [
      [e, null],
      [d, nameOf(a)],
    ]),
    ['already', 'already'],
  )
  t.equal(bench.asked().writes, 0)
  t.same(
    await bench.move(list, [
      [{ ...a, native: { list_item_id: '7' } }, null],
      [b, '7'],
      [b, nameOf(b)],
      [movieItem(trakt, 0), null],
    ]),
    ['not_found:entry_unknown', 'rejected:place_unknown', 'rejected:place_unknown', 'unsupported:entry_unknown'],
  )
  t.equal(order(), 'ebcad')
  trakt.faults.add({ kind: 'reset', match: ({ method }) => method === 'POST' })
  t.match(await bench.move(list, [[d, null]]), [/^unknown/])
})

t.test('lists are created, renamed and deleted', async (t) => {
  await using bench = await startLists()
  const { trakt, lists } = bench
  const list = await lists.createList('default', { kind: 'list', title: 'Weekend' })
  t.match(trakt.user.account.lists, [{ name: 'Weekend', privacy: 'private' }])
  t.same(await bench.change(list, 'add', [movieItem(trakt, 0)]), ['applied'])
  await lists.renameList('default', list, 'Evenings')
  const renamed = await bench.listNamed('Evenings')
  t.match(renamed, { id: list.id, count: 1 })
  const confirm = ['list', 'entries', 'order', 'added_at'] as const
  t.equal(
    await wireOf(lists.deleteList('default', { list: renamed, count: 1, confirm: ['list'] })),
    'PLH_CONFLICT confirmation_required',
  )
  t.equal(
    await wireOf(lists.deleteList('default', { list, count: 1, confirm })),
    'PLH_CONFLICT changed_since_read',
    'it has another title by now',
  )
  t.equal(
    await wireOf(lists.deleteList('default', { list: renamed, count: 0, confirm })),
    'PLH_CONFLICT changed_since_read',
  )
  t.same((await lists.clearList('default', { list: renamed, count: 1, confirm })).outcomes, [
    { key: '1', outcome: 'applied' },
  ])
  t.equal(await wireOf(lists.deleteList('default', { list: renamed, count: 0, confirm })), 'done')
  t.same(trakt.user.account.lists, [])
  t.equal(await wireOf(lists.deleteList('default', { list: renamed, count: 0, confirm })), 'PLH_NOT_FOUND list_missing')
})
