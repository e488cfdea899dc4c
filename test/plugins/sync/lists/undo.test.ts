// Undoing a plan of one list: each remaining change has a reason, and retryable ones can be retried.
import t from 'tap'
import { openLists } from './house.ts'
import { filmItem, worksOf } from './fake-lists.ts'

/** A list of the films 0 to 3, from which 0 is removed, 8 and 9 are added, and 3 becomes the first. */
async function changed(home: Awaited<ReturnType<typeof openLists>>, kind: 'playlist' | 'collection' = 'playlist') {
  const list = home.ann.make(kind, [0, 1, 2, 3])
  const { read, entries } = await home.read(list.list.id, kind)
  const keyOf = (at: number) => entries[at]!.key
  const plan = await home.lists.plan({
    readId: read.readId,
    changes: [
      { op: 'remove', key: keyOf(0) },
      { op: 'add', key: 'add:8', item: filmItem(8) },
      { op: 'add', key: 'add:9', item: filmItem(9) },
    ],
    ...(kind === 'playlist' ? { order: [keyOf(3), keyOf(1), keyOf(2), 'add:8', 'add:9'] } : {}),
    cause: 'test',
  })
  await home.library.apply(plan.planId, { approved: true })
  t.same(worksOf(list), kind === 'playlist' ? [3, 1, 2, 8, 9] : [1, 2, 3, 8, 9])
  return { list, planId: plan.planId }
}

t.test('an unreadable list keeps its changes, with that reason, until it is readable', async (t) => {
  await using home = await openLists()
  const { list, planId } = await changed(home)
  const before = worksOf(list)
  for (const [fault, reason] of [
    ['throws', 'upstream_error'],
    ['throws_midway', 'upstream_error'],
    ['partial', 'incomplete_read'],
  ] as const) {
    home.ann.readFault = fault
    const end = await home.undo(planId)
    home.ann.readFault = undefined
    t.match(end, { result: 'partial', left_to_undo: 4 }, fault)
    t.same(end.not_undone, { [reason]: 4 }, fault)
    t.same(worksOf(list), before, 'and nothing is written')
  }
  t.match(await home.undo(planId), { result: 'ok', not_undone: {}, left_to_undo: 0 })
  t.same(worksOf(list), [0, 1, 2, 3])
})

t.test('a missing list is reported', async (t) => {
  await using home = await openLists()
  const { list, planId } = await changed(home)
  home.ann.lists_.splice(home.ann.lists_.indexOf(list), 1)
  t.match(await home.undo(planId), { not_undone: { list_missing: 4 } })
})

t.test('a change that a person already reverted is no failure', async (t) => {
  await using home = await openLists()
  const { list, planId } = await changed(home, 'collection')
  const again = home.ann.make('collection', [0])
  list.entries = [...list.entries.filter(({ work }) => work !== 8), ...again.entries]
  t.match(await home.undo(planId), { result: 'ok', not_undone: {}, left_to_undo: 0 })
  t.same(worksOf(list).toSorted(), [0, 1, 2, 3], 'no second 0, and 9 is gone')
})

t.test('a refused change stays, with its reason, and is retried', async (t) => {
  await using home = await openLists()
  const { list, planId } = await changed(home)
  home.ann.writeFault = 'throws'
  const first = await home.undo(planId)
  home.ann.writeFault = undefined
  t.match(first, { result: 'failed', left_to_undo: 4 })
  t.same(first.not_undone, { unauthorized: 3, not_attempted: 1 })
  t.same(worksOf(list), [3, 1, 2, 8, 9])
  t.match(await home.undo(planId), { result: 'ok', not_undone: {} })
  t.same(worksOf(list), [0, 1, 2, 3])
})

t.test('a single refused change stays alone', async (t) => {
  await using home = await openLists()
  const { list, planId } = await changed(home, 'collection')
  home.ann.writeFault = 'some_fail'
  const first = await home.undo(planId)
  home.ann.writeFault = undefined
  t.match(first, { result: 'partial', not_undone: { nope: 2 }, left_to_undo: 2 })
  t.match(await home.undo(planId), { result: 'ok', not_undone: {} })
  t.same(worksOf(list).toSorted(), [0, 1, 2, 3])
})

t.test('a change without a known result is left alone', async (t) => {
  await using home = await openLists()
  const list = home.ann.make('collection', [1])
  const { read } = await home.read(list.list.id, 'collection')
  const plan = await home.lists.plan({
    readId: read.readId,
    changes: [{ op: 'add', key: 'add:8', item: filmItem(8) }],
    cause: 'test',
  })
  // The result is `unknown`, and the list cannot be read to verify it.
  home.ann.beforeWrite = () => {
    home.ann.writeFault = 'unknown'
    home.ann.readFault = 'throws'
  }
  await home.library.apply(plan.planId, { approved: true })
  home.ann.beforeWrite = home.ann.writeFault = home.ann.readFault = undefined
  t.match(await home.library.outcomes(plan.planId), [{ outcome: 'unknown' }])
  t.match(await home.undo(plan.planId), { not_undone: { outcome_unknown: 1 }, left_to_undo: 0 })
  t.same(worksOf(list), [1, 8])
})

t.test("a list that was read as one person's is not changed as another's", async (t) => {
  await using home = await openLists()
  const list = home.ann.make('collection', [1, 2])
  const { read, entries } = await home.read(list.list.id, 'collection')
  home.ann.person = 'kim'
  const { planId } = await home.lists.plan({
    readId: read.readId,
    changes: [{ op: 'remove', key: entries[0]!.key }],
    cause: 'test',
  })
  await t.rejects(home.library.apply(planId, { approved: true }), { code: 'PLH_CONFLICT', wire: 'account_changed' })
  t.same(worksOf(list), [1, 2])
})
