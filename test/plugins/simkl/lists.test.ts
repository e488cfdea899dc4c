// The states of the library as lists: an entry is in one of them, and is removed only together with its data.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type Loss } from '@playhead/sdk/provider'
import t from 'tap'
import { itemOf, startBench } from './support.ts'

async function startLists() {
  const bench = await startBench()
  const lists = bench.provider as unknown as ListProvider
  return {
    ...bench,
    lists,
    listNamed: async (id: string) => (await lists.lists('default')).find((list) => list.id === id) as List,
    entries: async (id: string) => collectRead(lists.readList('default', { list: { id, kind: 'status' } })),
    async change(list: List, op: 'add' | 'remove', items: readonly Item[], confirm?: readonly Loss[]) {
      const { outcomes } = await lists.writeList('default', {
        list,
        op,
        items: items.map((item, index) => ({ key: `k${index}`, item })),
        ...(confirm === undefined ? {} : { confirm }),
      })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ wire }: { wire: string }) => wire,
  )

t.test('the five states are lists that always exist, each with its entries', async (t) => {
  await using bench = await startLists()
  const {
    simkl,
    simkl: { user },
  } = bench
  user.plan(simkl.movie(0))
  user.watch(simkl.movie(1))
  user.move(simkl.movie(2), 'dropped')
  user.move(simkl.show(0), 'hold')
  user.move(simkl.anime(0), 'watching')
  t.match(await bench.lists.lists('default'), [
    { id: 'plantowatch', readOnly: 'watchlist', can: [] },
    { id: 'watching', kinds: ['show'], can: ['add', 'remove'] },
    { id: 'completed', can: ['remove'] },
    { id: 'hold', kinds: ['show'] },
    { id: 'dropped', kinds: ['movie', 'show'], kind: 'status', ordered: false, duplicates: false },
  ])
  const idsIn = async (id: string) => {
    const { rows, end } = await bench.entries(id)
    t.match(end, { complete: true, semantics: 'present' })
    return rows.map((row) => `${row.type} ${row.ids.trackb}`)
  }
  t.same(await idsIn('plantowatch'), [`movie ${simkl.movie(0).simkl}`])
  t.same(await idsIn('completed'), [`movie ${simkl.movie(1).simkl}`])
  t.same(await idsIn('dropped'), [`movie ${simkl.movie(2).simkl}`])
  t.same(await idsIn('hold'), [`show ${simkl.show(0).simkl}`])
  t.same(await idsIn('watching'), [`anime ${simkl.anime(0).simkl}`])
  t.equal(await wireOf(bench.entries('other')), 'list_missing')
})

t.test(
  'a work without a state is added; one with another state is moved only with a confirmed loss of that',
  async (t) => {
    await using bench = await startLists()
    const {
      simkl,
      simkl: { user },
    } = bench
    user.plan(simkl.movie(1))
    user.watchEpisode(simkl.show(1), 1, 1)
    const dropped = await bench.listNamed('dropped')
    const works = [
      itemOf(simkl.movie(0)),
      itemOf(simkl.movie(1)),
      itemOf(simkl.show(1)),
      { type: 'movie', ids: { imdb: 'tt0000009' } },
    ] as const
    t.same(await bench.change(dropped, 'add', works), [
      'applied',
      'rejected:confirmation_required',
      'rejected:confirmation_required',
      'not_found:not_found',
    ])
    t.equal(user.entry(simkl.movie(1))?.status, 'plantowatch')
    t.same(await bench.change(dropped, 'add', works.slice(0, 3), ['status']), ['already', 'applied', 'applied'])
    t.same(
      [simkl.movie(1), simkl.show(1)].map((work) => user.entry(work)?.status),
      ['dropped', 'dropped'],
    )
    bench.later()
    t.equal((await bench.entries('dropped')).rows.length, 3)
    t.equal((await bench.entries('watching')).rows.length, 0)
  },
)

t.test('films are not put on hold, and nothing is completed or planned through a list', async (t) => {
  await using bench = await startLists()
  const { simkl } = bench
  bench.asked()
  t.same(await bench.change(await bench.listNamed('hold'), 'add', [itemOf(simkl.movie(0))]), [
    'unsupported:unsupported_type',
  ])
  t.equal(
    await wireOf(bench.change(await bench.listNamed('completed'), 'add', [itemOf(simkl.movie(0))])),
    'unsupported',
  )
  t.equal(
    await wireOf(
      bench.change(await bench.listNamed('plantowatch'), 'remove', [itemOf(simkl.movie(0))], ['status', 'history']),
    ),
    'list_read_only',
  )
  t.equal(await wireOf(bench.lists.createList('default', { kind: 'status', title: 'Own' })), 'unsupported')
  t.same(bench.asked(), [])
})

t.test(
  'a removal deletes the whole entry: it must be confirmed, and an entry with a rating or in another state stays',
  async (t) => {
    await using bench = await startLists()
    const {
      simkl,
      simkl: { user },
    } = bench
    for (const index of [0, 1, 2]) user.move(simkl.show(index), 'hold')
    user.watchEpisode(simkl.show(0), 1, 1)
    user.move(simkl.show(0), 'hold')
    const hold = await bench.listNamed('hold')
    const { rows } = await bench.entries('hold')
    user.rate(simkl.show(1), 8)
    user.move(simkl.show(1), 'hold')
    user.move(simkl.show(2), 'dropped')
    bench.later()
    bench.asked()
    t.equal(await wireOf(bench.change(hold, 'remove', rows, ['status'])), 'confirmation_required')
    t.same(bench.asked(), [])
    t.same(await bench.change(hold, 'remove', rows, ['status', 'history']), [
      'applied',
      'rejected:would_remove_rating',
      'not_found:status_changed',
    ])
    t.equal(user.entry(simkl.show(0)), undefined)
    t.same([user.entry(simkl.show(1))?.rating, user.entry(simkl.show(2))?.status], [8, 'dropped'])
  },
)
