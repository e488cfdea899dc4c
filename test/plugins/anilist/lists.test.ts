// Custom lists: reading and writing them, without changing other fields of an entry.
import type { Item } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type Loss } from '@playhead/sdk/provider'
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
const wireOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { wire: string }) => error.wire,
  )

t.test(
  'custom lists are returned, including empty ones, and read with entries that no status list shows',
  async (t) => {
    await using bench = await startLists({ movies: 620 })
    const { anilist } = bench
    // Named like a status, which is not a custom list.
    anilist.user.nameLists('Soon', 'Nothing yet', 'Planning')
    const [first, second, third] = anilist.films
    const series = anilist.series[0]!
    anilist.user.save(first!, { status: 'PLANNING', customLists: ['Soon', 'Planning'] })
    anilist.user.save(second!, {
      status: 'COMPLETED',
      scoreRaw: 70,
      customLists: ['Soon'],
      hiddenFromStatusLists: true,
    })
    anilist.user.save(third!, { status: 'PLANNING' })
    for (const film of anilist.films.slice(3, 600)) anilist.user.save(film, { status: 'COMPLETED' })
    anilist.user.save(series, { status: 'CURRENT', customLists: ['Soon'] })

    t.match(await bench.lists.lists('default'), [
      {
        id: 'Soon',
        title: 'Soon',
        kind: 'list',
        can: ['add', 'remove', 'delete', 'clear'],
        ordered: false,
        duplicates: false,
      },
      { title: 'Nothing yet' },
      { title: 'Planning' },
    ])
    const soon = await bench.listNamed('Soon')
    const { rows, end } = await bench.entries(soon)
    t.match(end, { complete: true, semantics: 'present', account: String(anilist.user.account.id) })
    t.match(
      rows.map(({ ids }) => ids.anilist),
      [first!, second!, series].map(({ id }) => String(id)),
      'from every chunk',
    )
    t.notOk(
      rows.some((row) => 'added_at' in row),
      'the time at which it came into the list is not known',
    )
    t.equal((await bench.entries(soon, ['show'])).rows.length, 1)
    t.match((await bench.entries(await bench.listNamed('Planning'))).rows, [{ ids: { anilist: String(first!.id) } }])
    t.match(await bench.entries(await bench.listNamed('Nothing yet')), { rows: [], end: { complete: true } })
    t.equal(
      await codeOf(bench.entries({ ...soon, id: 'Elsewhere' })),
      'PLH_NOT_FOUND',
      'a list that is not there is no empty one',
    )
  },
)

t.test('an account without custom lists has none, and missing lists are not treated as none', async (t) => {
  await using bench = await startLists()
  t.same(await bench.lists.lists('default'), [])
  bench.anilist.breakField('animeList', 400)
  t.match(await codeOf(bench.lists.lists('default')), /^PLH_UPSTREAM/)
})

t.test('an entry is added to a list and removed, and its other fields stay', async (t) => {
  await using bench = await startLists()
  const { anilist } = bench
  anilist.user.nameLists('Soon', 'With friends')
  const [film, other, none] = anilist.films
  const before = { status: 'CURRENT', scoreRaw: 85, progress: 3, notes: 'from Bob' } as const
  anilist.user.save(film!, { ...before, customLists: ['With friends'] })
  anilist.user.save(other!, { status: 'PLANNING' })
  const soon = await bench.listNamed('Soon')
  const items = [itemOf(film!), { ...itemOf(other!), ids: { mal: String(other!.idMal) } }]

  t.same(await bench.change(soon, 'add', items), ['applied', 'applied'])
  t.match(anilist.user.entry(film!), { ...before, customLists: ['With friends', 'Soon'] })
  t.match(anilist.user.entry(other!), { status: 'PLANNING', customLists: ['Soon'] })
  t.equal((await bench.entries(soon)).rows.length, 2)
  t.same(await bench.change(soon, 'add', items), ['already', 'already'])
  t.same(
    await bench.change(soon, 'add', [itemOf(none!)]),
    ['rejected:not_on_list'],
    'nobody said in which state it would be',
  )
  t.equal(anilist.user.entry(none!), undefined)

  t.same(await bench.change(soon, 'remove', [...items, itemOf(none!)]), ['applied', 'applied', 'already'])
  t.match(anilist.user.entry(film!), { ...before, customLists: ['With friends'] })
  t.same(anilist.user.entry(other!)?.customLists, [])
  t.same(await bench.change(soon, 'remove', items), ['already', 'already'])
})

t.test('an entry that is visible in one list only is not removed from it', async (t) => {
  await using bench = await startLists()
  const { anilist } = bench
  anilist.user.nameLists('Soon')
  anilist.user.save(anilist.films[0]!, { status: 'PLANNING', customLists: ['Soon'], hiddenFromStatusLists: true })
  const soon = await bench.listNamed('Soon')
  t.same(await bench.change(soon, 'remove', [itemOf(anilist.films[0]!)]), ['rejected:would_hide_entry'])
  t.same(anilist.user.entry(anilist.films[0]!)?.customLists, ['Soon'])
})

t.test('a list deleted meanwhile accepts nothing, and an unconfirmed change counts as unknown', async (t) => {
  await using bench = await startLists({ errorsWithPath: true })
  const { anilist } = bench
  anilist.user.nameLists('Soon')
  const [film, other] = anilist.films
  for (const one of [film!, other!]) anilist.user.save(one, { status: 'PLANNING' })
  const soon = await bench.listNamed('Soon')
  anilist.breakField('SaveMediaListEntry', 404, { after: 1 })
  t.same(await bench.change(soon, 'add', [itemOf(film!), itemOf(other!)]), ['applied', 'not_found:not_found'])
  anilist.user.nameLists('Later')
  t.equal(await codeOf(bench.change(soon, 'add', [itemOf(film!)])), 'PLH_NOT_FOUND')

  anilist.user.nameLists('Soon')
  // The person deletes the list between the check and the change.
  let isGone = false
  anilist.onAnswer(({ reply }) => {
    if (isGone || !JSON.stringify(reply).includes('mediaListEntry')) return
    isGone = true
    anilist.user.nameLists()
  })
  t.same(await bench.change(soon, 'add', [itemOf(film!)]), ['unknown:not_confirmed'])
  t.same(anilist.user.entry(film!)?.customLists, [])
})

t.test('a title in a custom list is not removed from the watchlist with its entry', async (t) => {
  await using bench = await startLists()
  const { anilist } = bench
  anilist.user.nameLists('Soon', 'Later')
  const [film, plain] = anilist.films
  anilist.user.save(film!, { status: 'PLANNING', customLists: ['Soon'] })
  anilist.user.save(plain!, { status: 'PLANNING' })
  t.same(await bench.write('watchlist', 'remove', [itemOf(film!), itemOf(plain!)]), [
    'rejected:entry_in_use',
    'applied',
  ])
  t.same(anilist.user.entry(film!)?.customLists, ['Soon'])
})

t.test('lists are created beside the others, and deleted or cleared only in the known state', async (t) => {
  await using bench = await startLists()
  const { anilist, lists } = bench
  anilist.user.nameLists('Soon')
  const list = await lists.createList('default', { kind: 'list', title: 'Weekend' })
  t.same(anilist.user.account.customLists, ['Soon', 'Weekend'])
  t.equal(await wireOf(lists.createList('default', { kind: 'list', title: 'Weekend' })), 'list_exists')
  t.equal(await codeOf(lists.renameList('default', list, 'Sunday')), 'PLH_UNSUPPORTED')
  const films = anilist.films.slice(0, 12)
  for (const film of films) anilist.user.save(film, { status: 'PLANNING', customLists: ['Soon', 'Weekend'] })

  const removal = (count: number, confirm: readonly Loss[]) => ({ list, count, confirm })
  t.equal(await wireOf(lists.deleteList('default', removal(12, ['list']))), 'confirmation_required')
  t.equal(await wireOf(lists.deleteList('default', removal(11, ['list', 'entries']))), 'changed_since_read')
  t.equal(await wireOf(lists.clearList('default', removal(0, ['entries']))), 'changed_since_read')
  const { outcomes } = await lists.clearList('default', removal(12, ['entries']))
  t.same(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['applied']))
  for (const film of films) t.match(anilist.user.entry(film), { status: 'PLANNING', customLists: ['Soon'] })

  await lists.deleteList('default', removal(0, ['list', 'entries']))
  t.same(anilist.user.account.customLists, ['Soon'])
  t.equal(await wireOf(lists.deleteList('default', removal(0, ['list', 'entries']))), 'list_missing')
})
