// Lists: all except the watchlist are writable, through the rows that the service created.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider } from '@playhead/sdk/provider'
import t from 'tap'
import { codeOf, itemOf, startBench } from './support.ts'

async function startLists(options: Parameters<typeof startBench>[0] = {}) {
  const bench = await startBench(options)
  const lists = bench.provider as unknown as ListProvider
  return {
    ...bench,
    lists,
    listNamed: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List, kinds?: readonly ('movie' | 'show')[]) =>
      collectRead(lists.readList('default', { list, ...(kinds === undefined ? {} : { kinds }) })),
    async change(list: List, op: 'add' | 'remove', items: readonly Item[]) {
      const { outcomes } = await lists.writeList('default', {
        list,
        op,
        items: items.map((item, index) => ({ key: `k${index}`, item })),
      })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

t.test('all lists are returned, and the watchlist is left to its feature', async (t) => {
  await using bench = await startLists({ pageRows: 2 })
  const { metadb } = bench
  metadb.user.makeList('Watchlist', 'watchlist')
  const id = metadb.user.makeList('Weekend')
  metadb.user.makeList('Others')
  metadb.user.addToList(id, metadb.movie(0), Date.parse('2026-01-05T20:00:00Z'))
  metadb.user.addToList(id, metadb.show(0))
  metadb.user.addToList(id, metadb.movie(1))

  t.match(await bench.lists.lists('default'), [
    { title: 'Watchlist', can: [], readOnly: 'watchlist' },
    { id, title: 'Weekend', kind: 'list', shared: false, can: ['add', 'remove', 'delete', 'clear'], ordered: false },
    { title: 'Others' },
  ])
  const list = await bench.listNamed('Weekend')
  const { rows, end } = await bench.entries(list)
  t.match(end, { complete: true, semantics: 'present' })
  t.match(rows, [
    { ...itemOf(metadb.movie(0)), added_at: '2026-01-05T20:00:00Z' },
    itemOf(metadb.show(0)),
    itemOf(metadb.movie(1)),
  ])
  t.same(
    rows.map(({ native }) => native?.list_item_id),
    metadb.user.account.lists[1]?.rows.map((row) => row.id),
  )
  t.same((await bench.entries(list, ['show'])).rows.length, 1)
  await bench.read('watchlist')
  t.match(await bench.listNamed('Watchlist'), { readOnly: 'watchlist' }, 'also when the choice is remembered')
})

t.test('the list in the settings is the watchlist, and no other', async (t) => {
  await using bench = await startLists({ settings: { watchlist_list_id: 'elsewhere' } })
  bench.metadb.user.makeList('Watchlist', 'watchlist')
  t.match(
    (await bench.lists.lists('default')).map(({ can }) => can),
    [['add', 'remove', 'delete', 'clear']],
  )
})

t.test('items are added once and removed by their rows', async (t) => {
  for (const conflicts of ['status', 'words'] as const) {
    await using bench = await startLists({ conflicts })
    const { metadb } = bench
    const id = metadb.user.makeList('Weekend')
    const list = await bench.listNamed('Weekend')
    const works = [itemOf(metadb.movie(0)), itemOf(metadb.show(0))]
    t.same(await bench.change(list, 'add', works), ['applied', 'applied'])
    t.same(
      await bench.change(list, 'add', [
        works[0]!,
        { type: 'movie', ids: { tmdb: '1' } },
        { type: 'movie', ids: { imdb: 'tt0113277' } },
      ]),
      ['already', 'not_found:not_found', 'unsupported:missing_ids'],
    )
    t.same(
      await bench.change(list, 'remove', works),
      Array(2).fill('unsupported:entry_unknown'),
      'a row that is not named stays',
    )
    const { rows } = await bench.entries(list)
    t.same(await bench.change(list, 'remove', [rows[0]!]), ['applied'])
    t.same(await bench.change(list, 'remove', [rows[0]!]), ['already'])
    t.equal(metadb.user.account.lists.find((one) => one.id === id)?.rows.length, 1)
  }
})

t.test('a list is created private, and deleted only in its known state and with all confirmed losses', async (t) => {
  await using bench = await startLists()
  const { metadb, lists } = bench
  metadb.user.makeList('Watchlist', 'watchlist')
  const list = await lists.createList('default', { kind: 'list', title: 'Weekend' })
  t.match(metadb.user.account.lists[1], { id: list.id, type: 'custom', isPublic: false })
  metadb.user.addToList(list.id, metadb.movie(0))
  const wireOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { wire: string }) => error.wire,
    )
  const losses = ['list', 'entries', 'added_at'] as const
  bench.asked()
  t.equal(await wireOf(lists.deleteList('default', { list, count: 1, confirm: ['list'] })), 'confirmation_required')
  t.equal(
    await wireOf(lists.deleteList('default', { list: await bench.listNamed('Watchlist'), count: 0, confirm: losses })),
    'list_read_only',
  )
  t.equal(await wireOf(lists.renameList('default', list, 'Other')), 'unsupported')
  t.equal(bench.asked(), 1, 'nothing but the look at the lists')
  t.equal(
    await wireOf(lists.deleteList('default', { list: { ...list, title: 'Another' }, count: 1, confirm: losses })),
    'changed_since_read',
  )
  t.equal(
    await wireOf(lists.deleteList('default', { list, count: 4, confirm: losses })),
    'changed_since_read',
    'counted, since the service does not say',
  )
  t.equal(await wireOf(lists.clearList('default', { list, count: 4, confirm: losses })), 'changed_since_read')
  t.equal(metadb.user.account.lists.length, 2)
  t.match((await lists.clearList('default', { list, count: 1, confirm: losses })).outcomes, [
    { key: '1', outcome: 'applied' },
  ])
  t.equal(await wireOf(lists.deleteList('default', { list, count: 0, confirm: losses })), 'done')
  t.same(
    metadb.user.account.lists.map(({ name }) => name),
    ['Watchlist'],
  )
  t.equal(await wireOf(lists.deleteList('default', { list, count: 0, confirm: losses })), 'list_missing')
})

t.test('no fault of the service looks like a short list, or like no lists', async (t) => {
  await using bench = await startLists({ pageRows: 2 })
  const { metadb } = bench
  const id = metadb.user.makeList('Weekend')
  for (let index = 0; index < 3; index += 1) metadb.user.addToList(id, metadb.movie(index))
  const list = await bench.listNamed('Weekend')
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'html', status: 200 },
    { kind: 'empty' },
    { kind: 'truncate' },
    { kind: 'reset' },
  ] as const) {
    metadb.faults.add({ ...fault, match: ({ query, path }) => path.endsWith('/items') && query.get('page') === '2' })
    t.match(await codeOf(bench.entries(list)), /^PLH_UPSTREAM/, fault.kind)
    metadb.faults.clear()
    metadb.faults.add({ ...fault, match: /\/lists$/ })
    t.match(await codeOf(bench.lists.lists('default')), /^PLH_UPSTREAM/, fault.kind)
    metadb.faults.clear()
  }
})
