// slow: the whole service, or very many cases
// The capability `lists` in a real host: plans are executed completely, even when servers fail and people edit the list
// meanwhile, and undo restores the previous list.
import fc, { runsOf } from '../../../fast-check.ts'
import t from 'tap'
import type { ListChange, ListEntry, ListRead } from '@playhead/sdk'
import { filmItem, type ListWriteFault, worksOf } from './fake-lists.ts'
import { openLists } from './house.ts'

/** Edits of a person: by position, with films that may already be in the list. */
const edits = fc.record({
  works: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 14 }),
  removes: fc.array(fc.nat({ max: 13 }), { maxLength: 6 }),
  adds: fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 7 }),
  shuffle: fc.option(fc.array(fc.nat({ max: 100 }), { minLength: 30, maxLength: 30 }), { nil: null }),
})
type Edits = typeof edits extends fc.Arbitrary<infer Value> ? Value : never

function changesOf({ removes, adds, shuffle }: Edits, { readId }: ListRead, entries: readonly ListEntry[]) {
  const removed = [...new Set(removes)].flatMap((at) => (entries[at] === undefined ? [] : [entries[at].key]))
  const changes: ListChange[] = [
    ...removed.map((key) => ({ op: 'remove', key }) as const),
    ...adds.map((work) => ({ op: 'add', key: `add:${work}`, item: filmItem(work) }) as const),
  ]
  const kept = entries.filter(({ key }) => !removed.includes(key))
  const final = [...kept.map(({ key }) => key), ...adds.map((work) => `add:${work}`)]
  const order =
    shuffle === null
      ? undefined
      : final.map((key, at) => ({ key, by: shuffle[at % shuffle.length]! })).toSorted((a, b) => a.by - b.by)
  const wanted = order?.map(({ key }) => key)
  const workOf = (key: string) =>
    key.startsWith('add:') ? Number(key.slice(4)) : Number(entries.find((one) => one.key === key)!.item.ids.tmdb) - 1000
  return {
    request: { readId, changes, ...(wanted === undefined ? {} : { order: wanted }), cause: 'test' },
    expected: (wanted ?? final).map(workOf),
    moves: wanted === undefined ? 0 : undefined,
  }
}

t.test('a plan is executed in order, and undoing it restores everything', async (t) => {
  await using home = await openLists()
  const { ann, lists, library } = home
  await fc.assert(
    fc.asyncProperty(edits, async (edit) => {
      const list = ann.make('playlist', edit.works)
      const { read, entries } = await home.read(list.list.id)
      const { request, expected } = changesOf(edit, read, entries)
      const plan = await lists.plan(request)
      t.same(worksOf(list), edit.works, 'planning writes nothing')
      await library.apply(plan.planId, { approved: true })
      t.same(worksOf(list), expected)
      const outcomes = await library.outcomes(plan.planId)
      t.ok(outcomes!.every(({ outcome }) => outcome === 'applied'))
      t.equal(outcomes!.filter(({ op }) => op === 'update').length, plan.ready.update, 'as many moves as planned')
      if (plan.ready.add + plan.ready.remove + plan.ready.update + (plan.held?.count ?? 0) === 0) return
      await home.undo(plan.planId)
      t.same(worksOf(list), edit.works)
    }),
    { numRuns: runsOf(30) },
  )
})

const FAULTS: readonly ListWriteFault[] = ['throws', 'lost_answer', 'half', 'some_fail', 'unknown', 'rate_limited']
t.test('outcomes are correct for any server behaviour, and only planned entries are changed', async (t) => {
  await using home = await openLists()
  const { ann, lists, library } = home
  await fc.assert(
    fc.asyncProperty(
      edits,
      fc.constantFrom(...FAULTS),
      fc.nat({ max: 5 }),
      fc.boolean(),
      async (edit, fault, after, readsFail) => {
        const list = ann.make('playlist', edit.works)
        const { read, entries } = await home.read(list.list.id)
        const { request } = changesOf(edit, read, entries)
        const plan = await lists.plan(request)
        const before = [...list.entries]
        let writes = 0
        ann.beforeWrite = () => {
          ann.writeFault = writes === after ? fault : undefined
          if (writes === after && readsFail) ann.readFault = 'throws'
          writes += 1
        }
        const outcomes = await library.apply(plan.planId, { approved: true })
        ann.beforeWrite = ann.writeFault = ann.readFault = undefined
        const now = new Set(list.entries.map(({ id }) => id))
        const idOf = (key: string) => entries.find((one) => one.key === key)!.item.native!.list_item_id!
        const planned = new Set(request.changes.flatMap(({ op, key }) => (op === 'remove' ? [idOf(key)] : [])))
        for (const { id } of before) if (!planned.has(id)) t.ok(now.has(id), 'other entries stay')
        const added = list.entries.filter(({ id }) => !before.some((one) => one.id === id))
        for (const { key, op, outcome } of outcomes) {
          if (op === 'update') continue
          const isDone =
            op === 'remove' ? !now.has(idOf(key)) : added.filter(({ work }) => `add:${work}` === key).length === 1
          if (outcome === 'applied') t.ok(isDone, `${op} ${key} was done`)
          else if (outcome !== 'unknown') t.notOk(isDone, `${op} ${key} is ${outcome}`)
        }
        t.ok(added.length <= edit.adds.length, 'nothing is added twice')
        t.equal(outcomes.filter(({ op }) => op !== 'update').length, request.changes.length, 'one outcome for each')
      },
    ),
    { numRuns: runsOf(60) },
  )
})

t.test('a failed or partial read stores nothing', async (t) => {
  await using home = await openLists()
  const { ann, lists } = home
  const { list } = ann.make('playlist', [1, 2, 3])
  const name = { provider: 'ANN', instance: 'default', kind: 'playlist', id: list.id } as const
  t.equal(await lists.last(name), null)
  const { read } = await home.read(list.id)
  for (const fault of ['partial', 'throws', 'throws_midway'] as const) {
    ann.readFault = fault
    await t.rejects(
      lists.read(name),
      fault === 'partial' ? { code: 'PLH_CONFLICT', wire: 'incomplete_read' } : { code: 'PLH_UPSTREAM' },
    )
    t.same(await lists.last(name), read)
  }
  ann.readFault = undefined
  t.equal((await home.read(list.id)).read.readId, read.readId, 'unchanged entries keep the read')
  await t.rejects(lists.read({ ...name, id: 'other' }), { code: 'PLH_NOT_FOUND', wire: 'list_missing' })
  await t.rejects(lists.read({ ...name, provider: 'BEN' }), { code: 'PLH_NOT_FOUND' })
})

t.test('items that the list does not accept are skipped, a possible excess is held', async (t) => {
  await using home = await openLists()
  const { ann, lists, library, recorded } = home
  const made = ann.make(
    'playlist',
    Array.from({ length: 40 }, (_, work) => work),
  )
  const { read, entries } = await home.read(made.list.id)
  const plan = await lists.plan({
    readId: read.readId,
    changes: [
      ...entries.map(({ key }) => ({ op: 'remove' as const, key })),
      { op: 'add', key: 'show', item: { type: 'show', title: 'A show', ids: { tmdb: '1' } } },
      { op: 'add', key: 'name', item: { type: 'movie', title: 'A title', year: 2001, ids: {} } },
      { op: 'add', key: 'film', item: filmItem(99) },
    ],
    cause: 'test',
  })
  t.match(plan, { ready: { add: 1, remove: 0 }, held: { count: 40, reason: 'mass_delete' } })
  t.same(
    plan.leftOut.map(({ key, reason }) => [key, reason]),
    [
      ['show', 'unsupported_type'],
      ['name', 'missing_ids'],
    ],
  )
  await library.apply(plan.planId)
  t.equal(made.entries.length, 41)
  t.match(recorded, [{ feature: 'playlists', operation: 'add', destination: { provider: 'ANN' } }])
  await t.rejects(library.apply(plan.planId), { code: 'PLH_CONFLICT', wire: 'plan_applied' })
  await t.rejects(lists.plan({ readId: read.readId, changes: [], cause: 'test' }), {
    code: 'PLH_NOT_FOUND',
    wire: 'list_read_not_found',
  })
})

t.test('wrong requests are refused, and read-only lists are never written', async (t) => {
  await using home = await openLists()
  const { ann, lists } = home
  const { list } = ann.make('playlist', [1])
  const { read, entries } = await home.read(list.id)
  const [{ key }] = entries as [ListEntry]
  const plan = (changes: readonly ListChange[], order?: readonly string[]) =>
    lists.plan({ readId: read.readId, changes, ...(order === undefined ? {} : { order }), cause: 'test' })
  const invalid = { code: 'PLH_INVALID', wire: 'invalid_list_change' } as const
  await t.rejects(plan([{ op: 'remove', key: 'other' }]), invalid)
  await t.rejects(
    plan([
      { op: 'remove', key },
      { op: 'remove', key },
    ]),
    invalid,
  )
  await t.rejects(plan([{ op: 'add', key: 'x' }]), invalid)
  await t.rejects(plan([], [key, key]), invalid)
  await t.rejects(plan([], ['nowhere']), invalid)
  const smart = ann.make('playlist', [1], { readOnly: 'dynamic', can: [] })
  const of = await home.read(smart.list.id)
  await t.rejects(
    lists.plan({ readId: of.read.readId, changes: [{ op: 'add', key: 'a', item: filmItem(2) }], cause: 'test' }),
    { code: 'PLH_UNSUPPORTED', wire: 'list_read_only' },
  )
  const group = ann.make('collection', [1, 2])
  const { read: other, entries: two } = await home.read(group.list.id, 'collection')
  await t.rejects(lists.plan({ readId: other.readId, changes: [], order: two.map((one) => one.key), cause: 'test' }), {
    code: 'PLH_UNSUPPORTED',
  })
  t.notOk(ann.requests.some((request) => ['add', 'remove', 'move'].includes(request)))
})

t.test('a list is created once, even if the response is lost', async (t) => {
  await using home = await openLists()
  const { ann, lists } = home
  const request = (title: string) => ({
    provider: 'ANN',
    instance: 'default',
    list: { kind: 'playlist' as const, title },
    cause: 'test',
  })
  t.match(await lists.create(request('One')), { id: 'playlist-0', title: 'One' })
  ann.writeFault = 'lost_answer'
  t.match(await lists.create(request('Two')), { id: 'playlist-1', title: 'Two' })
  t.equal(ann.lists_.length, 2)
  t.equal((await lists.all({ provider: 'ANN', instance: 'default' })).length, 2)
})
