// Runs that may not start yet: held before they start, shown as held, and resumed automatically.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { ATTENTION, LIBRARY, type LibraryService, RUN_FINISHED, RUN_STARTED } from '@playhead/sdk'
import plugin from '../../../plugins/services/sync/index.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'
import { numberedWork } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)

async function open(t: Test) {
  const works = Array.from({ length: 3 }, (_, index) => numberedWork(index))
  setCatalogue(works)
  const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: Date.now })) as [FakeAccount, FakeAccount]
  for (const work of works) ann.put(entryOf('watchlist', work, 1))
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    hooks: [ATTENTION],
    capabilities: {
      accounts: directoryOf([ann, ben]),
      'provider:ANN': ann,
      'provider:BEN': ben,
      ...Object.fromEntries(await featureCapabilities()),
    },
  })
  t.teardown(() => host.close())
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) =>
    (await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })).json()
  await call('POST', '/api/pairs', {
    source: 'ANN',
    target: 'BEN',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: true },
  })
  const requests = () => ann.reads.length + ben.reads.length
  const until = async (is: (summary: Record<string, unknown>) => boolean) => {
    for (;;) {
      const summary = await call('GET', '/api/run/summary')
      if (is(summary)) return summary
      await sleep(5)
    }
  }
  return { host, ann, ben, call, requests, until }
}

t.test('a blocked run sends no request, is shown as on hold, and starts when the block ends', async (t) => {
  const { host, call, requests, until, ben } = await open(t)
  const release = host.work.block({ code: 'disk_low', message: 'The disk is almost full.', kinds: ['sync'] })
  const before = requests()
  const { run_id: runId } = await call('POST', '/api/run', {})
  const held = await until(({ on_hold: why }) => why !== undefined)
  t.match(held, { run_id: runId, running: true, on_hold: { reason: 'disk_low', detail: 'The disk is almost full.' } })
  t.match((await call('GET', '/api/runs')).runs[0], { run_id: runId, running: true, on_hold: { reason: 'disk_low' } })
  t.match((await host.callHook(ATTENTION, {})).flat(), [{ kind: 'on_hold', detail: 'The disk is almost full.' }])
  t.match(await call('POST', '/api/run', {}), { error: 'already_running', run_id: runId })
  await sleep(30)
  t.equal(requests(), before, 'nothing was read')
  t.match(host.events.recent({ name: 'run.on_hold' }), [{ data: { run_id: runId, reason: 'disk_low' } }])
  t.same(host.events.recent({ name: 'run.started' }), [])
  await release()
  const done = await until(({ running }) => running === false)
  t.match(done, { run_id: runId, result: 'ok', added_last: 3 })
  t.equal(done['on_hold'], undefined)
  t.equal(ben.entries.length, 3)
})

t.test('a run on hold can be cancelled, and the next one starts', async (t) => {
  const { host, call, requests, until } = await open(t)
  const hold = host.work.begin({ kind: 'maintenance', label: 'Maintenance', exclusive: true })
  const before = requests()
  await call('POST', '/api/run', {})
  await until(({ on_hold: why }) => why !== undefined)
  await call('POST', '/api/run/cancel')
  t.match(await until(({ running }) => running === false), { result: 'cancelled', cancelled: true })
  t.equal(requests(), before)
  hold.release()
  await call('POST', '/api/run', {})
  t.match(await until(({ running }) => running === false), { result: 'ok' })
})

t.test('an account held by other work is not changed, and the response names the work and since when', async (t) => {
  const { host } = await open(t)
  const library = host.capability<LibraryService>(LIBRARY)
  const account = { provider: 'BEN', instance: 'default' }
  const work = numberedWork(1)
  const item = { type: 'movie' as const, title: work.title, year: work.year, ids: work.ids }
  const { planId } = await library.plan({
    ...account,
    feature: 'watchlist',
    cause: 'test',
    changes: [{ op: 'add', key: 'film', item }],
  })
  const hold = host.work.begin({ kind: 'capture', label: 'Capture of Ben', accounts: [account] })
  const sinceMs = host.work.current()[0]!.startedAtMs
  await t.rejects(library.apply(planId), {
    wire: 'busy',
    status: 409,
    details: { holder: 'capture', since: Math.floor(sinceMs / 1_000) },
  } as never)
  const waiting = library.applyWhenFree(planId, { waitMs: 10_000 })
  await sleep(20)
  hold.release()
  t.match(await waiting, [{ key: 'film', outcome: 'applied' }])
})

t.test('plugins are notified of a run when it starts and when it ended, and not while it is on hold', async (t) => {
  const { host, call, until } = await open(t)
  const told: unknown[] = []
  await host.tap(RUN_STARTED, (input) => void told.push(['started', input]))
  await host.tap(RUN_FINISHED, (input) => void told.push(['finished', input]))
  const [{ id: pairId }] = await call('GET', '/api/pairs')
  const counts = { updated: 0, removed: 0, unresolved: 0, errors: 0, held: 0 }
  for (const dry of [true, false]) {
    told.length = 0
    const release = host.work.block({ code: 'disk_low', message: 'The disk is almost full.', kinds: ['sync'] })
    const { run_id: runId } = await call('POST', '/api/run', { dry_run: dry })
    await until(({ on_hold: why }) => why !== undefined)
    t.same(told, [])
    await release()
    await until(({ run_id: id, running }) => id === runId && running === false)
    while (told.length < 2) await sleep(5)
    const about = { runId, dryRun: dry, pairIds: [pairId] }
    t.same(told, [
      ['started', { ...about, source: 'api' }],
      ['finished', { ...about, result: 'ok', added: dry ? 0 : 3, ...counts }],
    ])
  }
})
