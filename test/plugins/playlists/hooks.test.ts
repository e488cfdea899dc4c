// slow: the whole service, or very many cases
// Plugins judge changes of playlists like other changes, and are notified of writes.
import t from 'tap'
import { AFTER_WRITE, BEFORE_WRITE, FILTER_PLAN, type HookOperation, type OperationBatch } from '@playhead/sdk'
import { worksOf } from './account.ts'
import { openWorld, type World } from './world.ts'

async function build(world: World, source: readonly number[], target: readonly number[], fields: object = {}) {
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  const [mine, theirs] = [ann.make(source), ben.make(target)]
  const [from, to] = [await world.endpoint(ann, mine), await world.endpoint(ben, theirs)]
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [to], ...fields })
  return { ben, source: mine, target: theirs, id }
}

/** A plugin whose judgement the test sets. */
async function judge(world: World, hook: typeof FILTER_PLAN | typeof BEFORE_WRITE) {
  const rule = { mayDo: (_: HookOperation): boolean => true, isBroken: false }
  const asked: OperationBatch[] = []
  await world.engine!.tap(hook, (batch) => {
    asked.push(structuredClone(batch))
    if (rule.isBroken) throw new Error('a bug')
    return batch.operations.filter((one) => !rule.mayDo(one)).map(({ n }) => ({ n, veto: 'Not in this house.' }))
  })
  return { rule, asked }
}

const NOTE = /: Not in this house\.$/
const isFilm = ({ item }: HookOperation, work: number) => item.title === `Film ${work}`

async function planned(world: World, planId: string) {
  const answer = await world.engine!.inject({ method: 'GET', url: `/api/run/plan/${planId}` })
  return answer.json() as any
}

for (const hook of [FILTER_PLAN, BEFORE_WRITE]) {
  t.test(
    `${hook.name}: a veto excludes an add and a removal, the reason is shown, and the next run asks again`,
    async (t) => {
      await using world = await openWorld()
      const { source, target, id } = await build(world, [1, 2, 3, 4, 5, 6], [])
      await world.run(id)
      source.entries = [...source.entries.slice(1), world.account('ANN').entry(7), world.account('ANN').entry(8)]
      const { rule, asked } = await judge(world, hook)
      rule.mayDo = (one) => !isFilm(one, 1) && !isFilm(one, 7)
      for (let turn = 0; turn < 2; turn += 1) {
        const result = await world.run(id)
        t.match(result, { ok: false, partial: true, added: turn === 0 ? 1 : 0, removed: 0, unresolved_count: 2 })
        t.match(
          result.unresolved.toSorted((a: any, b: any) => (a.op < b.op ? -1 : 1)),
          [
            { op: 'add', title: 'Film 7', reason: 'vetoed', note: NOTE },
            { op: 'remove', title: 'Film 1', reason: 'vetoed', note: NOTE },
          ],
        )
        t.same(worksOf(target), [1, 2, 3, 4, 5, 6, 8])
        const { items } = await planned(world, result.plan_ids[0])
        const vetoed = items.filter(({ state }: any) => state === 'filtered')
        t.equal(vetoed.length, 2)
        for (const row of vetoed) t.match(row, { reason: 'vetoed', note: NOTE }, 'in the plan')
      }
      t.match(asked[0], { pairId: null, feature: 'playlists', dryRun: false })
      t.match(asked[0]!.operations.find(({ op }) => op === 'add') ?? asked[1]!.operations[0], {
        ...{ op: 'add', account: { provider: 'BEN', instance: 'default' }, cause: 'playlists', current: null },
        item: { title: /^Film [78]$/ },
      })
      rule.mayDo = () => true
      t.match(
        await world.run(id),
        { ok: true, added: 1, removed: 1 },
        'without a pause: a veto is no refusal of the service',
      )
      t.same(worksOf(target).toSorted(), [2, 3, 4, 5, 6, 7, 8])
    },
  )

  t.test(`${hook.name}: a failing plugin holds everything`, async (t) => {
    await using world = await openWorld()
    const { ben, target, id } = await build(world, [1, 2], [9])
    const { rule } = await judge(world, hook)
    rule.isBroken = true
    const result = await world.run(id)
    t.match(result, {
      ok: false,
      partial: true,
      added: 0,
      unresolved: [{ reason: 'veto_failed' }, { reason: 'veto_failed' }],
    })
    t.same(ben.writes, [])
    t.same(worksOf(target), [9])
    rule.isBroken = false
    t.match(await world.run(id), { ok: true, added: 2 })
  })
}

t.test('a changed identity of an entry holds it: entries have no values', async (t) => {
  await using world = await openWorld()
  const { ben, id } = await build(world, [1], [])
  await world.engine!.tap(FILTER_PLAN, ({ operations }) =>
    operations.map(({ n }) => ({ n, change: { rating: 3 }, reason: 'A three.' })),
  )
  t.match(await world.run(id), { added: 0, unresolved: [{ reason: 'veto_failed' }] })
  t.same(ben.writes, [])
})

t.test('a move is judged when it is sent, and the rest of the order is kept where possible', async (t) => {
  await using world = await openWorld()
  const { target, id } = await build(world, [3, 1, 2], [1, 2, 3], { order: 'preserve' })
  const { rule, asked } = await judge(world, BEFORE_WRITE)
  rule.mayDo = ({ op }) => op !== 'update'
  const result = await world.run(id)
  t.match(result, { reordered: 0 })
  t.same(worksOf(target), [1, 2, 3])
  t.match(asked.flatMap(({ operations }) => operations)[0], { op: 'update', cause: 'order' })
  const { items } = await planned(world, result.plan_ids[0])
  t.match(items, [{ op: 'update', state: 'filtered', reason: 'vetoed', note: NOTE }])
  rule.mayDo = () => true
  await world.run(id)
  t.same(worksOf(target), [3, 1, 2])
})

t.test('the first item of a list that is created with it is judged too', async (t) => {
  await using world = await openWorld()
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  ben.needsFirst = true
  const from = await world.endpoint(ann, ann.make([1, 2, 3]))
  const { endpoint } = (await world.post('endpoints', { name: 'New', provider: 'BEN', create: true })).body
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [endpoint.id] })
  const { rule, asked } = await judge(world, FILTER_PLAN)
  rule.isBroken = true
  t.match(await world.run(id), { ok: false, added: 0, warnings: ['list_not_created'] })
  t.match(asked[0]!.operations, [{ n: 0, op: 'add', key: String, item: { title: /^Film/ }, cause: 'playlists' }])
  t.equal(ben.lists_.length, 0, 'a plugin that fails holds it')
  Object.assign(rule, { isBroken: false, mayDo: (one: HookOperation) => !isFilm(one, 1) })
  t.match(await world.run(id), { added: 2, unresolved: [{ title: 'Film 1', reason: 'vetoed', note: NOTE }] })
  t.same(worksOf(ben.lists_[0]!).toSorted(), [2, 3])
  rule.mayDo = () => true
  t.match(await world.run(id), { ok: true, added: 1 })
})

t.test('plugins are notified of each batch that was sent to a list', async (t) => {
  await using world = await openWorld()
  const told: any[] = []
  await world.engine!.tap(AFTER_WRITE, (input) => void told.push(input))
  const { id } = await build(world, [1, 2, 3, 4, 5, 6], [])
  world.account('BEN').lacks.add(2)
  const result = await world.run(id)
  t.equal(told.length, 2, 'four at a time')
  for (const one of told)
    t.match(one, {
      ...{ pairId: null, feature: 'playlists', planId: result.plan_ids[0], op: 'add' },
      account: { provider: 'BEN', instance: 'default' },
    })
  t.same(
    told.flatMap(({ outcomes }) => outcomes.map(({ item, outcome }: any) => `${item.title} ${outcome}`)),
    [1, 2, 3, 4, 5, 6].map((work) => `Film ${work} ${work === 2 ? 'not_found' : 'applied'}`),
  )
})

t.test('a run and its undo through the library are judged', async (t) => {
  await using world = await openWorld()
  const { target, id } = await build(world, [1, 2], [])
  const result = await world.run(id)
  const { rule } = await judge(world, BEFORE_WRITE)
  rule.mayDo = (one) => !isFilm(one, 1)
  const start = await world.library().undo(result.plan_ids[0])
  if (start.status !== 'accepted') throw new Error(start.status)
  await world.sync().finished(start.run_id)
  t.same(worksOf(target), [1])
})
