// Lists of the tracker: stored in the chosen order, completely or not at all, with snapshots.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { type Item, TRACKER_STORE } from '@playhead/sdk'
import { collectRead, type List, type ListProvider, type ListWriteItem } from '@playhead/sdk/provider'
import { GAP, newPlaces } from '../../../plugins/providers/tracker/lists/places.ts'
import { alien, episode, heat, startTracker } from './support.ts'

const film = (number: number): Item => ({ type: 'movie', ids: { imdb: `tt${String(number + 1).padStart(7, '0')}` } })
const season: Item = { type: 'season', ids: {}, show_ids: { tvdb: '121361' }, season: 1 }
const show: Item = { type: 'show', ids: { tvdb: '121361' } }

async function startLists(config: object = {}) {
  const tracker = await startTracker(config)
  const lists = tracker.provider as unknown as ListProvider
  const write = async (list: List, op: 'add' | 'remove' | 'move', items: readonly ListWriteItem[]) => {
    const { outcomes } = await lists.writeList('default', { list, op, items })
    return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
  }
  const entries = async (list: Pick<List, 'id' | 'kind'>) =>
    (await collectRead(lists.readList('default', { list }))).rows
  return {
    tracker,
    lists,
    create: (title: string) => lists.createList('default', { kind: 'list', title }),
    named: async (title: string) => (await lists.lists('default')).find((list) => list.title === title) as List,
    entries,
    ids: async (list: Pick<List, 'id' | 'kind'>) => (await entries(list)).map(({ ids }) => ids.imdb),
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
    [Symbol.asyncDispose]: () => tracker[Symbol.asyncDispose](),
  }
}

const entryOf = ({ native }: Item) => native?.list_item_id as string
const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )

t.test('a list accepts any kind of item once, at its end, with the time', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  t.match(list, { kind: 'list', title: 'Weekend', count: 0, ordered: true, duplicates: false })
  t.same(await bench.change(list, 'add', [heat, episode, season, show, alien, heat]), [
    'applied',
    'applied',
    'applied',
    'applied',
    'applied',
    'already',
  ])
  t.same(await bench.change(list, 'add', [{ type: 'movie', title: 'Heat', ids: {} }]), ['unsupported missing_ids'])
  const rows = await bench.entries(list)
  t.same(
    rows.map(({ type, position }) => [type, position]),
    [
      ['movie', 1],
      ['episode', 2],
      ['season', 3],
      ['show', 4],
      ['movie', 5],
    ],
  )
  t.ok(rows.every(({ added_at, native }) => added_at !== undefined && native?.list_item_id !== undefined))
  t.match(await bench.named('Weekend'), { count: 5 })
  const { rows: episodes } = await collectRead(bench.lists.readList('default', { list, kinds: ['episode'] }))
  t.match(episodes, [{ type: 'episode', position: 2 }])
})

t.test('an item is removed by any of its ids, an entry by its own, and only from this list', async (t) => {
  await using bench = await startLists()
  const [one, two] = [await bench.create('One'), await bench.create('Two')]
  await bench.change(one, 'add', [{ ...heat, ids: { imdb: 'tt0113277', tmdb: '949' } }, alien])
  await bench.change(two, 'add', [heat, alien])
  t.same(await bench.change(one, 'remove', [{ type: 'movie', ids: { tmdb: '949' } }]), ['applied'])
  t.same(await bench.change(one, 'remove', [heat, film(1)]), ['already', 'already'])
  const [first] = await bench.entries(two)
  // An entry of another list is not an entry of this one.
  t.same(await bench.change(one, 'remove', [{ type: 'movie', ids: {}, native: { list_item_id: entryOf(first!) } }]), [
    'already',
  ])
  t.same(await bench.ids(two), ['tt0113277', undefined])
  t.same(await bench.change(two, 'remove', [first!]), ['applied'])
  t.same((await bench.entries(two)).length, 1)
  t.same((await bench.entries(one)).length, 1)
})

t.test('ids of two works are never mistaken for one', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  await bench.change(list, 'add', [{ type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }])
  const mixed: Item = { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '348' } }
  t.same(await bench.change(list, 'add', [mixed]), ['rejected ambiguous_ids'])
  t.same(await bench.change(list, 'remove', [mixed]), ['rejected ambiguous_ids'])
  t.equal((await bench.entries(list)).length, 1)
})

t.test('lists are renamed, cleared and deleted, and deleted ones are reported', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  const other = await bench.create('Weekend')
  t.not(list.id, other.id, 'titles are not unique')
  await bench.change(
    list,
    'add',
    Array.from({ length: 250 }, (_, index) => film(index)),
  )
  await bench.change(list, 'add', [heat])
  await bench.change(other, 'add', [heat])
  await bench.lists.renameList('default', list, 'Evenings')
  const renamed = await bench.named('Evenings')
  t.match(renamed, { id: list.id, count: 251 })
  const confirm = ['list', 'entries', 'order'] as const
  t.equal(
    await wireOf(bench.lists.deleteList('default', { list: renamed, count: 250, confirm })),
    'PLH_CONFLICT changed_since_read',
  )
  t.equal(
    await wireOf(bench.lists.clearList('default', { list: renamed, count: 251, confirm: [] })),
    'PLH_CONFLICT confirmation_required',
  )
  const { outcomes } = await bench.lists.clearList('default', { list: renamed, count: 251, confirm })
  t.equal(outcomes.filter(({ outcome }) => outcome === 'applied').length, 251)
  t.same(await bench.entries(list), [])
  await bench.lists.deleteList('default', { list: renamed, count: 0, confirm })
  t.same(
    (await bench.lists.lists('default')).map(({ id, count }) => [id, count]),
    [[other.id, 1]],
  )
  t.equal(await wireOf(bench.entries(list)), 'PLH_NOT_FOUND list_missing')
  t.equal(await wireOf(bench.change(list, 'add', [heat])), 'PLH_NOT_FOUND list_missing')
  t.equal(await wireOf(bench.lists.renameList('default', list, 'Mornings')), 'PLH_NOT_FOUND list_missing')
  t.equal(
    await wireOf(bench.lists.deleteList('default', { list: renamed, count: 0, confirm })),
    'PLH_NOT_FOUND list_missing',
  )
})

t.test('a profile has its own lists, and none of another', async (t) => {
  await using bench = await startLists({ instances: { 'SVC-P01': {} } })
  const list = await bench.create('Weekend')
  await bench.change(list, 'add', [heat])
  t.same(await bench.lists.lists('SVC-P01'), [])
  t.equal(await wireOf(collectRead(bench.lists.readList('SVC-P01', { list }))), 'PLH_NOT_FOUND list_missing')
  t.equal(
    await wireOf(bench.lists.writeList('SVC-P01', { list, op: 'add', items: [{ key: '0', item: alien }] })),
    'PLH_NOT_FOUND list_missing',
  )
  await bench.tracker.provider.removeProfile('SVC-P01')
  t.equal((await bench.entries(list)).length, 1)
})

t.test('a read returns the list as of its start, for any concurrent writes', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  const films = Array.from({ length: 1_100 }, (_, index) => film(index))
  for (let from = 0; from < films.length; from += 250) await bench.change(list, 'add', films.slice(from, from + 250))
  const parts = bench.lists.readList('default', { list })[Symbol.asyncIterator]()
  const first = await parts.next()
  await bench.change(list, 'remove', films.slice(1_000, 1_100))
  const rows = first.value?.type === 'rows' ? [...first.value.rows] : []
  for (let part = await parts.next(); part.done !== true; part = await parts.next())
    if (part.value.type === 'rows') rows.push(...part.value.rows)
  t.same(
    rows.map(({ ids }) => ids),
    films.map(({ ids }) => ids),
  )
  t.equal((await bench.entries(list)).length, 1_000)
})

t.test('an invalid write is not written partially', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  await bench.change(list, 'add', [heat])
  const { db } = bench.tracker.host
  await db.schema.alterTable('tracker__tokens').renameTo('tracker__gone').execute()
  t.same(await bench.change(list, 'add', [alien, film(1)]), ['failed state_unwritable', 'failed state_unwritable'])
  t.equal((await bench.entries(list)).length, 1)
  await db.schema.alterTable('tracker__gone').renameTo('tracker__tokens').execute()
  await db.schema.alterTable('tracker__lists').renameTo('tracker__gone').execute()
  t.equal(await wireOf(bench.lists.lists('default')), 'PLH_UPSTREAM_INVALID state_unreadable')
  t.equal(await wireOf(bench.entries(list)), 'PLH_UPSTREAM_INVALID state_unreadable')
})

t.test('a snapshot restores lists, entries and their order', async (t) => {
  await using bench = await startLists()
  const store = bench.tracker.host.capability(TRACKER_STORE) as unknown as {
    snapshots(instance: string, feature: string): Promise<readonly { readonly name: string }[]>
    restore(instance: string, feature: string, name: string): Promise<void>
    stats(instance: string): Promise<readonly object[]>
  }
  const list = await bench.create('Weekend')
  await bench.change(list, 'add', [film(0), film(1), film(2)])
  await bench.change(list, 'remove', [film(0)])
  const [start] = await store.snapshots('default', 'playlists')
  await store.restore('default', 'playlists', start!.name)
  t.same(await bench.entries(list), [], 'as it was before the first entry')
  await store.restore('default', 'playlists', 'latest')
  t.same(await bench.ids(list), [film(1).ids.imdb, film(2).ids.imdb])

  const [, second] = await bench.entries(list)
  await bench.move(list, [[second!, null]])
  await bench.lists.renameList('default', list, 'Evenings')
  const evenings = await bench.named('Evenings')
  // Restores take a snapshot of the state that they replace.
  await store.restore('default', 'playlists', start!.name)
  t.same(
    (await bench.lists.lists('default')).map(({ title, count }) => [title, count]),
    [['Weekend', 0]],
  )
  await store.restore('default', 'playlists', 'latest')
  t.same(await bench.ids(list), [film(2).ids.imdb, film(1).ids.imdb])
  await bench.lists.deleteList('default', { list: evenings, count: 2, confirm: ['list', 'entries', 'order'] })
  t.same(await bench.lists.lists('default'), [])
  await store.restore('default', 'playlists', 'latest')
  t.match(await store.stats('default'), [{}, {}, {}, {}, { feature: 'playlists' }])
})

t.test('positions are ascending in the requested order, and few entries get new ones', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1, 7, GAP),
      (values, scale) => {
        const order = values.map((value) => ({ key: String(value), place: value * scale }))
        const places = newPlaces(order)
        const after = order.map(({ key, place }) => places.get(key) ?? place)
        return after.every((place, index) => index === 0 || place > (after[index - 1] as number))
      },
    ),
  )
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ key: String(index), place: (index + 1) * GAP }))
  t.equal(newPlaces(rows).size, 0)
  const moved = [rows.at(-1)!, ...rows.slice(0, -1)]
  t.same([...newPlaces(moved).keys()], ['999'], 'one moved entry is one changed row')
  t.end()
})

t.test('entries that are moved repeatedly to the same position stay in order', async (t) => {
  await using bench = await startLists()
  const list = await bench.create('Weekend')
  const films = Array.from({ length: 6 }, (_, index) => film(index))
  await bench.change(list, 'add', films)
  const [first] = await bench.entries(list)
  let wanted = films.map(({ ids }) => ids.imdb)
  for (let turn = 0; turn < 80; turn += 1) {
    const last = (await bench.entries(list)).at(-1)!
    t.same(await bench.move(list, [[last, entryOf(first!)]]), ['applied'])
    wanted = [wanted[0], wanted.at(-1), ...wanted.slice(1, -1)]
  }
  t.same(await bench.ids(list), wanted)
})

t.test('any sequence of writes equals a plain model of the list', async (t) => {
  await using bench = await startLists()
  const number = fc.nat({ max: 11 })
  const step = fc.oneof(
    fc.record({ op: fc.constant('add' as const), films: fc.array(number, { maxLength: 4 }) }),
    fc.record({ op: fc.constant('remove' as const), films: fc.array(number, { maxLength: 3 }) }),
    fc.record({
      op: fc.constant('move' as const),
      moves: fc.array(fc.tuple(number, fc.option(number)), { maxLength: 4 }),
    }),
    fc.record({ op: fc.constant('reload' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const list = await bench.create('Model')
      let model: number[] = []
      for (const one of steps) {
        if (one.op === 'reload') await bench.tracker.host.reload()
        else if (one.op === 'add') {
          await bench.change(list, 'add', one.films.map(film))
          for (const id of one.films) if (!model.includes(id)) model.push(id)
        } else if (one.op === 'remove') {
          await bench.change(list, 'remove', one.films.map(film))
          model = model.filter((id) => !one.films.includes(id))
        } else {
          const rows = await bench.entries(list)
          const entry = (id: number) => rows.find(({ ids }) => ids.imdb === film(id).ids.imdb)
          const moves = one.moves.filter(([id]) => model.includes(id))
          await bench.move(
            list,
            moves.map(([id, after]) => [
              entry(id)!,
              after === null ? null : entryOf(entry(after) ?? { ...film(0), native: { list_item_id: 'none' } }),
            ]),
          )
          for (const [id, after] of moves) {
            if (after !== null && (after === id || !model.includes(after))) continue
            model = model.filter((other) => other !== id)
            model.splice(after === null ? 0 : model.indexOf(after) + 1, 0, id)
          }
        }
      }
      const rows = await bench.entries(list)
      t.same(
        rows.map(({ ids }) => ids.imdb),
        model.map((id) => film(id).ids.imdb),
      )
    }),
    { numRuns: runsOf(40) },
  )
})
