// slow: the whole service, or very many cases
// Restores, clears and their undos in the list of runs, with counts of their writes.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { until } from '../../harness.ts'
import { ALL, fill, startCaptures } from './world.ts'

t.setTimeout(900_000)
const world = await startCaptures({ ANN: {} })
atEndOfFile(() => world[Symbol.asyncDispose]())
const ann = world.account('ANN')
const account = { provider: 'ANN', instance: 'default' }
const WORKS = ALL.slice(-8)
const CONFIRM = ['removals', 'empty', 'incomplete', 'account', 'scope']

const runs = async (): Promise<any[]> => (await world.service.json('/api/runs')).body.runs
const run = async (id: string): Promise<any> => (await world.service.json(`/api/runs/${id}`)).body
const latest = async (): Promise<any> => (await world.service.json('/api/run/summary')).body
const ended = (id: string) =>
  until(
    `the run ${id} ends`,
    async () => (await runs()).find((one) => one.run_id === id && one.finished_at !== null) !== undefined,
  )

t.test('a restore, its undo and a clear are runs with an account and counts', async (t) => {
  fill(ann, WORKS, ['watchlist', 'history'])
  const count = ann.of('watchlist').length
  const rated = ann.of('history').length
  const { path } = await world.create({ feature: 'all' })
  t.same(await runs(), [], 'a capture changes nothing, and is no run')

  ann.entries = ann.entries.slice(1)
  const dry = await world.post('/restore', { path, mode: 'exact', dry_run: true })
  t.equal(dry.status, 200)
  ann.entries = []
  const restored = await world.post('/restore', { path, mode: 'merge' })
  t.equal(restored.status, 200, JSON.stringify(restored.body))
  const id = restored.body.result.run_id
  const listed = (await runs()).filter(({ source }) => source === 'restore')
  t.same(listed.length, 1, 'the dry run is no run')
  t.match(listed[0], {
    ...{ run_id: id, result: 'ok', outcome: 'synced', accounts: [account], pair_ids: [] },
    ...{ added: count + rated, removed: 0, open: 0, running: false, dry_run: false },
  })
  const detail = await run(id)
  t.match(detail, { undoable: true, pairs: [{ account, pair_name: null, outcome: 'synced' }] })
  t.same(
    detail.pairs[0].features
      .map(({ feature, added, done, status }: any) => [feature, added, done?.b.added ?? 0, status])
      .filter(([, added]: any) => added > 0)
      .toSorted(),
    [
      ['history', rated, rated, 'ok'],
      ['watchlist', count, count, 'ok'],
    ],
  )
  const items = (await world.service.json(`/api/runs/${id}/items?limit=500`)).body
  t.equal(items.total, count + rated, 'with the result of each title')
  t.equal((await latest()).run_id, undefined, 'it is not the last sync')

  const undo = (await world.service.json(`/api/run/${id}/undo`, { json: { dry_run: false } })).body
  await ended(undo.run_id)
  t.match(
    (await runs()).find(({ run_id: of }) => of === undo.run_id),
    { source: 'undo', accounts: [account], removed: count + rated },
  )

  fill(ann, WORKS, ['watchlist'])
  const left = ann.of('watchlist').length
  await world.expect('/tools/clear', { provider: 'ANN', features: ['watchlist'], confirm: 'ANN/default' })
  t.match((await runs())[0], { source: 'clear', result: 'ok', accounts: [account], removed: left, added: 0 })
})

t.test('a failed or partial restore says so', async (t) => {
  ann.entries = []
  fill(ann, WORKS, ['watchlist'])
  const { path } = await world.create()
  ann.entries = []
  ann.writeFaults.push('reject_some')
  const partly = await world.post('/restore', { path, mode: 'merge', confirm: CONFIRM })
  const [first] = await runs()
  t.match(first, { run_id: partly.body.result.run_id, source: 'restore', result: 'partial', outcome: 'partly' })
  t.ok(first.added > 0 && first.open > 0, JSON.stringify(first))

  ann.readFault = 'partial'
  const failed = await world.post('/restore', { path, mode: 'merge', confirm: CONFIRM })
  t.ok(failed.status >= 400, String(failed.status))
  ann.readFault = undefined
  const [last] = await runs()
  t.match(last, { source: 'restore', result: 'failed', outcome: 'failed', added: 0 })
  const { pairs } = await run(last.run_id)
  t.ok(pairs[0].features[0].reason_text, 'with a reason in words')
})

t.test('records survive a restart, and are stored once', async (t) => {
  const before = (await runs()).map(({ run_id: id, result }) => [id, result])
  await world.restart()
  t.same(
    (await runs()).map(({ run_id: id, result }) => [id, result]),
    before,
  )
})
