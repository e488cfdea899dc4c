// Lists: their metadata, their entries, and permitted writes.
import { collectRead, type List, type ListOp, type ListProvider } from '@playhead/sdk/provider'
import t from 'tap'
import { codeOf, itemOf, NOBODY, startBench } from './support.ts'

async function startLists(options: Parameters<typeof startBench>[0] = {}) {
  const bench = await startBench(options)
  const lists = bench.provider as unknown as ListProvider
  return {
    ...bench,
    lists,
    listNamed: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List) => collectRead(lists.readList('default', { list })),
    async change(list: List, op: 'add' | 'remove', items: readonly ReturnType<typeof itemOf>[]) {
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

t.test('lists are returned with their permitted changes, and read in order', async (t) => {
  await using bench = await startLists({ pageRows: 3 })
  const { mdblist } = bench
  const own = mdblist.user.makeList('Weekend', { isPrivate: false })
  for (let index = 0; index < 7; index += 1) own.entries.push({ entry: mdblist.movie(6 - index), atMs: 0 })
  own.entries.push({ entry: mdblist.show(0), atMs: 0 }, { entry: mdblist.episode(0, 1, 2), atMs: 0 })
  mdblist.user.makeList('Best of', { dynamic: true }).entries.push({ entry: mdblist.movie(1), atMs: 0 })

  t.match(await bench.lists.lists('default'), [
    {
      kind: 'list',
      title: 'Weekend',
      count: 9,
      shared: true,
      can: ['add', 'remove', 'rename', 'clear'],
      ordered: true,
      duplicates: false,
    },
    { kind: 'list', title: 'Best of', count: 1, shared: false, can: [], readOnly: 'dynamic' },
  ])
  const { rows, end } = await bench.entries(await bench.listNamed('Weekend'))
  t.match(end, { complete: true, semantics: 'present', account: '77' })
  t.same(
    rows.map(({ position, type }) => `${position} ${type}`),
    [...Array(7).keys()].map((at) => `${at + 1} movie`).concat('8 show', '9 episode'),
  )
  t.same(
    rows.slice(0, 7).map(({ ids }) => ids.imdb),
    [6, 5, 4, 3, 2, 1, 0].map((index) => itemOf(mdblist.movie(index)).ids.imdb),
  )
  t.match((await bench.entries(await bench.listNamed('Best of'))).rows, { length: 1 })
  t.match((await bench.provider.describe()).lists?.list?.can, ['add', 'remove', 'create', 'rename', 'clear'])
})

t.test('a list that changes between its pages is not complete, and a missing one is no empty list', async (t) => {
  await using bench = await startLists({ pageRows: 2 })
  const { mdblist } = bench
  const own = mdblist.user.makeList('Weekend')
  for (let index = 0; index < 5; index += 1) own.entries.push({ entry: mdblist.movie(index), atMs: 0 })
  const list = await bench.listNamed('Weekend')
  let isMoved = false
  mdblist.onAnswer(({ request }) => {
    if (isMoved || request.query.get('offset') !== '2') return
    isMoved = true
    own.entries.shift()
  })
  t.match((await bench.entries(list)).end, { complete: false })
  t.match((await bench.entries(list)).end, { complete: true })
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'html', status: 200 },
    { kind: 'empty' },
    { kind: 'truncate' },
  ] as const) {
    mdblist.faults.add({ ...fault, match: ({ query }) => query.get('offset') === '2' })
    t.match(await codeOf(bench.entries(list)), /^PLH_UPSTREAM/, fault.kind)
    mdblist.faults.clear()
    mdblist.faults.add({ ...fault, match: '/lists/user' })
    t.match(await codeOf(bench.lists.lists('default')), /^PLH_UPSTREAM/, `${fault.kind} of the lists`)
    mdblist.faults.clear()
  }
  t.equal(await codeOf(bench.entries({ ...list, id: '1' })), 'PLH_NOT_FOUND')
})

t.test('items are added once and removed again, with an outcome for each', async (t) => {
  for (const notFound of ['counts', 'echoes'] as const) {
    await using bench = await startLists({ notFound })
    const { mdblist } = bench
    const own = mdblist.user.makeList('Weekend')
    const list = await bench.listNamed('Weekend')
    const [movie, show] = [itemOf(mdblist.movie(0)), itemOf(mdblist.show(0))]
    bench.asked()
    t.same(await bench.change(list, 'add', [movie, show]), ['applied', 'applied'])
    t.equal(bench.asked(), 1)
    t.same(await bench.change(list, 'add', [movie]), ['already'])
    t.same(await bench.change(list, 'add', [NOBODY]), ['not_found:not_found'])
    bench.asked()
    t.same(
      await bench.change(list, 'add', [itemOf(mdblist.episode(0, 1, 1)), { type: 'movie', title: 'Heat', ids: {} }]),
      ['unsupported:unsupported_type', 'unsupported:missing_ids'],
    )
    t.equal(bench.asked(), 0, 'what can never be written is not sent')
    t.same(await bench.change(list, 'remove', [movie]), ['applied'])
    t.same(
      own.entries.map(({ entry }) => entry.key),
      [mdblist.show(0).key],
    )
    t.same(await bench.change(list, 'remove', [movie]), ['already'])
  }
})

t.test('a full list and too many requests have different errors', async (t) => {
  await using bench = await startLists({ plan: { listItems: 2, lists: 1 } })
  const { mdblist } = bench
  mdblist.user.makeList('Weekend')
  const list = await bench.listNamed('Weekend')
  t.same(
    await bench.change(
      list,
      'add',
      [0, 1, 2].map((index) => itemOf(mdblist.movie(index))),
    ),
    Array(3).fill('rejected:provider_limit'),
  )
  t.equal(await codeOf(bench.lists.createList('default', { kind: 'list', title: 'More' })), 'PLH_CONFLICT')
  mdblist.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '7' }, times: 2 })
  t.match(
    await bench.lists.writeList('default', { list, op: 'add', items: [{ key: 'a', item: itemOf(mdblist.movie(0)) }] }),
    { outcomes: [{ outcome: 'rate_limited' }], retryAfterMs: 7_000 },
  )
  t.equal(await codeOf(bench.lists.createList('default', { kind: 'list', title: 'More' })), 'PLH_RATE_LIMITED')
})

t.test('undeclared or unconfirmed changes are refused before any request', async (t) => {
  await using bench = await startLists()
  const { mdblist, lists } = bench
  mdblist.user.makeList('Best of', { dynamic: true })
  const own = mdblist.user.makeList('Weekend')
  own.entries.push({ entry: mdblist.movie(0), atMs: 0 })
  const [list, dynamic] = [await bench.listNamed('Weekend'), await bench.listNamed('Best of')]
  bench.asked()
  const wireOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { code: string; wire: string }) => `${error.code} ${error.wire}`,
    )
  t.equal(await wireOf(bench.change(dynamic, 'add', [itemOf(mdblist.movie(0))])), 'PLH_UNSUPPORTED list_read_only')
  t.equal(await wireOf(lists.renameList('default', dynamic, 'Other')), 'PLH_UNSUPPORTED list_read_only')
  t.equal(
    await wireOf(lists.deleteList('default', { list, count: 1, confirm: ['list', 'entries'] })),
    'PLH_UNSUPPORTED unsupported',
  )
  t.equal(await wireOf(bench.change(list, 'move' as ListOp as 'add', [])), 'PLH_UNSUPPORTED unsupported')
  t.equal(
    await wireOf(lists.createList('default', { kind: 'playlist', title: 'Other' })),
    'PLH_UNSUPPORTED unsupported',
  )
  t.equal(await wireOf(lists.createList('default', { kind: 'list', title: ' ' })), 'PLH_INVALID invalid_title')
  t.equal(
    await wireOf(lists.clearList('default', { list, count: 1, confirm: ['entries'] })),
    'PLH_CONFLICT confirmation_required',
  )
  const tooMany = Array.from({ length: 501 }, () => itemOf(mdblist.movie(0)))
  t.equal(await wireOf(bench.change(list, 'add', tooMany)), 'PLH_INVALID batch_too_large')
  t.equal(bench.asked(), 0)

  const confirm = ['entries', 'order', 'added_at'] as const
  own.entries.push({ entry: mdblist.movie(1), atMs: 0 })
  t.equal(
    await wireOf(lists.clearList('default', { list, count: 1, confirm })),
    'PLH_CONFLICT changed_since_read',
    'somebody added something since',
  )
  t.equal(own.entries.length, 2)
  t.same((await lists.clearList('default', { list, count: 2, confirm })).outcomes, [
    { key: '1', outcome: 'applied' },
    { key: '2', outcome: 'applied' },
  ])
  t.same(own.entries, [])
  t.ok(mdblist.user.account.lists.has(own.id), 'the list itself stays')
})

t.test('lists are created and renamed, private by default', async (t) => {
  await using bench = await startLists()
  const { mdblist, lists } = bench
  const made = await lists.createList('default', { kind: 'list', title: '  Weekend ' })
  t.match(made, { kind: 'list', title: 'Weekend', count: 0, shared: false, can: ['add', 'remove', 'rename', 'clear'] })
  t.same(await bench.change(made, 'add', [itemOf(mdblist.movie(0))]), ['applied'])
  await lists.renameList('default', made, 'Evenings')
  t.match(await bench.listNamed('Evenings'), { id: made.id, count: 1, shared: false })
  t.match(await lists.createList('default', { kind: 'list', title: 'Open', shared: true }), { shared: true })
  t.notOk(
    bench.host.logs.some((line) => JSON.stringify(line).includes(mdblist.user.apiKey)),
    'the key is in no line of the log',
  )
})

t.test('a cancelled call returns at once, and a profile without a key has no lists', async (t) => {
  await using bench = await startLists()
  bench.mdblist.user.makeList('Weekend')
  const list = await bench.listNamed('Weekend')
  bench.mdblist.faults.add({ kind: 'hang' })
  const stop = new AbortController()
  const reading = collectRead(bench.lists.readList('default', { list }, stop.signal))
  stop.abort()
  t.match(await codeOf(reading), /^PLH_/)
  bench.mdblist.faults.clear()
  await using empty = await startLists({ by: 'nothing' })
  t.equal(await codeOf(empty.lists.lists('default')), 'PLH_NOT_READY')
  t.equal(await codeOf(empty.entries(list)), 'PLH_NOT_READY')
})
