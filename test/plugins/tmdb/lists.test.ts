// Custom lists: films can be written, entries of all kinds are read.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider } from '@playhead/sdk/provider'
import { createTestClock } from '@playhead/sdk/testing'
import t from 'tap'
import { itemOf, startBench } from './support.ts'

async function startLists(options: Parameters<typeof startBench>[0] = {}) {
  const bench = await startBench(options)
  const lists = bench.provider as unknown as ListProvider
  return {
    ...bench,
    lists,
    listNamed: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries: (list: List) => collectRead(lists.readList('default', { list })),
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

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )

t.test('lists and their entries come page by page, films and shows of one number separately', async (t) => {
  await using bench = await startLists({ movies: 80 })
  const { tmdb } = bench
  const works = [...tmdb.works.movies.slice(0, 30), tmdb.work('tv', 0)]
  tmdb.actions.makeList('Weekend', works)
  for (let index = 0; index < 22; index += 1) tmdb.actions.makeList(`List ${index}`)
  const all = await bench.lists.lists('default')
  t.equal(all.length, 23)
  t.match(all[0], {
    title: 'Weekend',
    count: 31,
    kinds: ['movie'],
    can: ['add', 'remove', 'delete', 'clear'],
    ordered: false,
  })
  const { rows, end } = await bench.entries(await bench.listNamed('Weekend'))
  t.match(end, { complete: true, semantics: 'present', account: '548' })
  t.same(
    rows.map(({ type, ids }) => `${type} ${ids.tmdb}`),
    works.map(({ namespace, id }) => `${namespace === 'movie' ? 'movie' : 'show'} ${id}`),
  )
})

t.test('rows that move between pages are detected', async (t) => {
  await using bench = await startLists()
  const { tmdb } = bench
  const id = tmdb.actions.makeList('Weekend', tmdb.works.movies.slice(0, 30))
  const list = await bench.listNamed('Weekend')
  let isChanged = false
  tmdb.onAnswer(({ request }) => {
    if (isChanged || request.path !== `/3/list/${id}`) return
    isChanged = true
    tmdb.actions.takeFromList(id, tmdb.work('movie', 0))
  })
  t.match((await bench.entries(list)).end, { complete: false })
  t.match((await bench.entries(list)).end, { complete: true })
  for (const fault of [{ kind: 'status', status: 500 }, { kind: 'html', status: 200 }, { kind: 'empty' }] as const) {
    tmdb.faults.add({ ...fault, match: ({ query, path }) => path.includes('/list') && query.get('page') === '2' })
    t.match(await codeOf(bench.entries(list)), /^PLH_UPSTREAM/, fault.kind)
    tmdb.faults.clear()
  }
})

t.test('films are added once and removed again', async (t) => {
  await using bench = await startLists()
  const { tmdb } = bench
  tmdb.actions.makeList('Weekend')
  const list = await bench.listNamed('Weekend')
  const [film, other] = [tmdb.work('movie', 0), tmdb.work('movie', 1)]
  t.same(
    await bench.change(list, 'add', [
      itemOf(film),
      { type: 'movie', ids: { imdb: other.imdb! } },
      { type: 'movie', ids: { tmdb: '5' } },
    ]),
    ['applied', 'applied', 'not_found:not_found'],
  )
  t.same(
    await bench.change(list, 'add', [
      itemOf(film),
      itemOf(tmdb.work('tv', 0)),
      { type: 'movie', title: film.title, ids: {} },
    ]),
    ['already', 'unsupported:unsupported_type', 'unsupported:missing_ids'],
  )
  t.same(await bench.change(list, 'remove', [itemOf(film), itemOf(tmdb.work('movie', 5))]), ['applied', 'already'])
  t.same(tmdb.ownLists(), { Weekend: [`movie/${other.id}`] })
})

t.test('a film whose number is also a show in the list is left alone', async (t) => {
  await using bench = await startLists()
  const { tmdb } = bench
  const film = tmdb.works.movies.find(({ id }) => tmdb.works.get('tv', id) !== undefined)!
  tmdb.actions.makeList('Weekend', [tmdb.works.get('tv', film.id)!, film])
  const list = await bench.listNamed('Weekend')
  t.same(await bench.change(list, 'remove', [itemOf(film)]), ['rejected:ambiguous'])
  t.equal(tmdb.ownLists()['Weekend']?.length, 2)
})

t.test('reads that lag behind writes prove nothing, and cause no duplicate write', async (t) => {
  const clock = createTestClock(Date.now())
  await using bench = await startLists({ clock, lagMs: 0 })
  const { tmdb } = bench
  const film = tmdb.work('movie', 0)
  tmdb.actions.makeList('Weekend')
  const list = await bench.listNamed('Weekend')
  tmdb.setLag(5_000)
  t.same(await bench.change(list, 'add', [itemOf(film)]), ['applied'])
  t.match((await bench.entries(list)).end, { complete: false, reason: 'not_settled' })
  t.same(await bench.change(list, 'remove', [itemOf(film)]), ['applied'], 'although the read does not show it yet')
  t.same(await bench.change(list, 'remove', [itemOf(film)]), ['already'])
  tmdb.setLag(0)
  t.match((await bench.entries(list)).end, { complete: true })
})

t.test('lists are created, and deleted with all their entries', async (t) => {
  await using bench = await startLists()
  const { tmdb, lists } = bench
  const list = await lists.createList('default', { kind: 'list', title: 'Weekend' })
  t.same(await bench.change(list, 'add', [itemOf(tmdb.work('movie', 0))]), ['applied'])
  bench.asked()
  t.equal(
    await codeOf(lists.deleteList('default', { list, count: 1, confirm: [] })),
    'PLH_CONFLICT confirmation_required',
  )
  t.equal(await codeOf(lists.renameList('default', list, 'Other')), 'PLH_UNSUPPORTED unsupported')
  t.equal(bench.asked(), 0)
  t.equal(
    await codeOf(lists.deleteList('default', { list, count: 0, confirm: ['list', 'entries'] })),
    'PLH_CONFLICT changed_since_read',
  )
  t.equal(await codeOf(lists.deleteList('default', { list, count: 1, confirm: ['list', 'entries'] })), 'done')
  t.same(tmdb.ownLists(), {})
  t.match(await codeOf(bench.entries(list)), /^PLH_NOT_FOUND/)
})
