// Changes that a plugin planned for one account, as people see them: the plan with held and skipped items, its run, the run in
// the history, and its undo. The same for rows and for lists.
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { LIBRARY, type LibraryService, LISTS, type ListService, SYNC, type SyncService } from '@playhead/sdk'
import plugin from '../../../plugins/services/sync/index.ts'
import { directoryOf as listDirectory, FakeLists, filmItem, worksOf } from './lists/fake-lists.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'
import { numberedWork, toItem } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)
const WORKS = Array.from({ length: 30 }, (_, index) => numberedWork(index))
const ANN = { provider: 'ANN', instance: 'default' } as const

async function house(config: object = {}) {
  setCatalogue(WORKS)
  const ann = new FakeAccount({ id: 'ANN', now: Date.now })
  for (const work of WORKS.slice(0, 25)) ann.put(entryOf('watchlist', work, 1))
  const recorded: Record<string, any>[] = []
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    config: { sync: config },
    capabilities: {
      accounts: directoryOf([ann]),
      'provider:ANN': ann,
      events: { record: async (events: readonly object[]) => void recorded.push(...events) },
      ...Object.fromEntries(await featureCapabilities()),
    },
  })
  const library = host.capability<LibraryService>(LIBRARY)
  const sync = host.capability<SyncService>(SYNC)
  await library.refresh(ANN, 'watchlist')
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    ann,
    library,
    recorded,
    call,
    /** Starts a run that is accepted. */
    async run(payload: object) {
      const { body } = await call('POST', '/api/run', payload)
      t.equal(body.status, 'accepted', JSON.stringify(body))
      await sync.finished(body.run_id)
      return body.run_id as string
    },
    async finished(runId: string) {
      await sync.finished(runId)
      return (await call('GET', `/api/runs/${runId}`)).body
    },
    restore: () =>
      library.plan({
        ...ANN,
        feature: 'watchlist',
        cause: 'capture_restore',
        changes: [
          ...WORKS.slice(5, 25).map((work) => ({
            op: 'remove' as const,
            key: work.name,
            item: toItem(work, ['tmdb']),
          })),
          ...WORKS.slice(25).map((work) => ({ op: 'add' as const, key: work.name, item: toItem(work, ['tmdb']) })),
          { op: 'add' as const, key: 'nameless', item: { type: 'movie' as const, title: 'Nameless', ids: {} } },
        ],
      }),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

t.test('a plan of a plugin is shown, run, approved, listed and undone like that of a run', async (t) => {
  await using home = await house()
  const { ann, call } = home
  const { planId } = await home.restore()

  const listed = (await call('GET', '/api/plans?kind=account&state=planned')).body
  t.match(listed, { total: 1, plans: [{ plan_id: planId, pair_id: '', state: 'planned', cause: 'capture_restore' }] })
  t.match(listed.plans[0].sides.b, { ...ANN, add: 5, remove: 0, held: 20, held_reason: 'mass_delete', filtered: 1 })
  t.equal((await call('GET', '/api/plans?kind=pair')).body.total, 0)
  const plan = (await call('GET', `/api/run/plan/${planId}?limit=200`)).body
  t.match(plan, { total: 26, state: 'planned', cause: 'capture_restore' })
  t.match(plan.facets.causes.map(({ op, state, count }: any) => `${op} ${state} ${count}`).toSorted(), [
    'add filtered 1',
    'add ready 5',
    'remove held 20',
  ])
  t.match(
    plan.items.find(({ key }: any) => key === 'nameless'),
    { state: 'filtered', reason: 'missing_ids', display_title: 'Nameless' },
  )
  t.equal(ann.writes.length, 0)

  const first = await home.run({ plan_id: planId, source: 'ui' })
  t.equal(ann.of('watchlist').length, 30, 'what is held is still there')
  t.match(await home.finished(first), {
    run: { run_id: first, result: 'partial', added: 5, held: 20, plan_id: planId, pair_ids: [], source: 'ui' },
    pairs: [{ pair_id: '', features: [{ feature: 'watchlist', plan_id: planId, reason: 'held_mass_delete' }] }],
    undoable: true,
  })
  t.match((await call('GET', '/api/runs')).body.runs[0], { run_id: first, plan_id: planId })
  const items = (await call('GET', `/api/runs/${first}/items?outcome=applied`)).body
  t.match(items, { total: 5, items: [{ plan_id: planId, cause: 'capture_restore', op: 'add' }] })
  const events = home.recorded.filter(({ type, run_id: of }) => type === 'write_succeeded' && of === first)
  t.equal(events.length, 5)
  t.match(events[0], { destination: ANN, feature: 'watchlist', operation: 'add', reason_code: 'capture_restore' })

  t.match(await call('POST', '/api/run', { plan_id: planId }), { status: 409, body: { error: 'removals_held' } })
  const second = await home.run({ plan_id: planId, allow_mass_delete: true })
  t.match(await home.finished(second), { run: { result: 'ok', removed: 20, held: 0 } })
  t.equal(ann.of('watchlist').length, 10)
  t.match(await call('POST', '/api/run', { plan_id: planId, allow_mass_delete: true }), {
    status: 409,
    body: { error: 'plan_applied' },
  })
  const outcomes = await home.library.outcomes(planId)
  t.equal(outcomes?.filter(({ outcome }) => outcome === 'applied').length, 25, 'the plugin learns of it')

  for (const id of [first, second, planId])
    t.match((await call('POST', `/api/run/${id}/undo`)).body, { reversible: 25 }, 'by the plan and by its runs')
  const undo = (await call('POST', `/api/run/${second}/undo`, { dry_run: false })).body
  await home.finished(undo.run_id)
  t.same(
    ann
      .of('watchlist')
      .map(({ work }) => work.name)
      .toSorted(),
    WORKS.slice(0, 25)
      .map(({ name }) => name)
      .toSorted(),
  )
  const ofUndo = (await call('GET', `/api/plans?run_id=${undo.run_id}`)).body.plans[0]
  t.match(ofUndo, { cause: 'undo', state: 'done' })
  t.equal((await call('GET', `/api/run/plan/${ofUndo.plan_id}`)).status, 200)
})

t.test('invalid requests are refused, and nothing is written', async (t) => {
  await using home = await house()
  const { planId } = await home.restore()
  const refused = async (payload: object) => {
    const { status, body } = await home.call('POST', '/api/run', payload)
    return [status, body.error]
  }
  t.same(await refused({ plan_id: 'change-none' }), [404, 'plan_not_found'])
  t.same(await refused({ plan_id: planId, pair_id: 'pair_1' }), [409, 'plan_of_another_pair'])
  t.same(await refused({ plan_id: planId, features: ['ratings'] }), [409, 'plan_of_another_feature'])
  t.same(await refused({ plan_id: planId, dry_run: true }), [409, 'dry_run'])
  t.equal((await home.call('GET', '/api/plans?kind=both')).status, 422)
  t.equal((await home.call('POST', '/api/run', { plan_id: 5 })).status, 422)
  t.same((await home.call('GET', '/api/runs')).body.total, 0)
  t.same(home.ann.writes, [])
  await home.library.apply(planId)
  t.same(await refused({ plan_id: planId }), [409, 'removals_held'])
  t.equal(home.ann.of('watchlist').length, 30)
})

t.test('while dry runs are turned on in the settings, no plan is run', async (t) => {
  await using home = await house({ dry_run: true })
  const { planId } = await home.restore()
  t.match(await home.call('POST', '/api/run', { plan_id: planId }), { status: 409, body: { error: 'dry_run' } })
  t.same(home.ann.writes, [])
})

t.test('two simultaneous starts run a plan once', async (t) => {
  await using home = await house()
  const { planId } = await home.restore()
  const answers = await Promise.all([1, 2, 3].map(() => home.call('POST', '/api/run', { plan_id: planId })))
  t.same(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
  const { run_id: runId } = answers.find(({ status }) => status === 200)!.body
  await home.finished(runId)
  t.equal(home.ann.writes.filter(({ op, stored }) => op === 'add' && stored).length, 5)
})

t.test('changes of a list work in the same way', async (t) => {
  const ann = new FakeLists('ANN')
  const list = ann.make('playlist', [1, 2, 3, 4])
  await using host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: { accounts: listDirectory([ann]), 'provider:ANN': ann, events: { record: async () => {} } },
  })
  const lists = host.capability<ListService>(LISTS)
  const sync = host.capability<SyncService>(SYNC)
  const name = { ...ANN, kind: 'playlist', id: list.list.id } as const
  const post = async (url: string, payload: object) => {
    const answer = await host.inject({ method: 'POST', url, payload })
    const body = answer.json()
    if (answer.statusCode === 200) await sync.finished(body.run_id)
    return body
  }
  const planned = async () => {
    const { readId } = await lists.read(name)
    const entries = (await Array.fromAsync(lists.entries(readId))).flat().map(({ key }) => key)
    return lists.plan({
      readId,
      changes: [
        { op: 'remove', key: entries[0]! },
        { op: 'add', key: 'new', item: filmItem(9) },
      ],
      order: ['new', ...entries.slice(1).toReversed()],
      cause: 'editor',
    })
  }
  const { planId } = await planned()
  const shown = (await host.inject(`/api/run/plan/${planId}`)).json()
  t.match(shown, { feature: 'playlists', cause: 'editor', list: { list: { title: 'List' } }, total: 2 })
  const { run_id: runId } = await post('/api/run', { plan_id: planId })
  t.same(worksOf(list), [9, 4, 3, 2])
  t.match((await host.inject(`/api/runs/${runId}`)).json(), {
    run: { result: 'ok', added: 1, removed: 1, plan_id: planId },
  })
  t.match(await post('/api/run', { plan_id: planId }), { error: 'plan_applied' })
  await post(`/api/run/${runId}/undo`, { dry_run: false })
  t.same(worksOf(list), [1, 2, 3, 4])

  const { readId } = await lists.read(name)
  const keys = (await Array.fromAsync(lists.entries(readId))).flat().map(({ key }) => key)
  const moves = await lists.plan({ readId, changes: [], order: keys.toReversed(), cause: 'editor' })
  await post('/api/run', { plan_id: moves.planId })
  t.same(worksOf(list), [4, 3, 2, 1], 'an order alone is a plan, too')

  const old = await planned()
  for (const work of [20, 21]) {
    list.entries.push({ id: `x${work}`, work })
    await lists.read(name)
  }
  t.match(await post('/api/run', { plan_id: old.planId }), { error: 'plan_outdated' })
  t.same(worksOf(list), [4, 3, 2, 1, 20, 21])
})
