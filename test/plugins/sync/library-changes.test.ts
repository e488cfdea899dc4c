// The capability `library` as other plugins use it during runs and reloads of the sync.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { LIBRARY, type LibraryService, SYNC, type SyncService } from '@playhead/sdk'
import plugin from '../../../plugins/services/sync/index.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'
import { numberedWork, toItem } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)
const [FILM, ...WORKS] = Array.from({ length: 6 }, (_, index) => numberedWork(index))

async function household() {
  setCatalogue([FILM!, ...WORKS])
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: Date.now })) as [FakeAccount, FakeAccount]
  for (const work of WORKS) accounts[0].put(entryOf('history', work, 1))
  const recorded: object[] = []
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: {
      accounts: directoryOf(accounts),
      'provider:ANN': accounts[0],
      'provider:BEN': accounts[1],
      events: { record: async (events: readonly object[]) => void recorded.push(...events) },
      ...Object.fromEntries(await featureCapabilities()),
    },
  })
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) =>
    (await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })).json()
  await call('POST', '/api/pairs', {
    source: 'ANN',
    target: 'BEN',
    mode: 'two_way',
    enabled: true,
    features: { history: { enabled: true, add: true, remove: true, rewatches: true } },
  })
  const library = host.capability<LibraryService>(LIBRARY)
  const sync = host.capability<SyncService>(SYNC)
  return {
    host,
    ann: accounts[0],
    ben: accounts[1],
    call,
    library,
    recorded,
    async plan() {
      const item = { type: 'movie' as const, title: FILM!.title, year: FILM!.year, ids: FILM!.ids }
      const { planId } = await library.plan({
        provider: 'BEN',
        instance: 'default',
        feature: 'watchlist',
        cause: 'webhook',
        changes: [{ op: 'add', key: 'film', item }],
      })
      return planId
    },
    async run() {
      const { run_id: runId } = await call('POST', '/api/run', {})
      return sync.finished(runId)
    },
  }
}

/** Blocks the next write of the account until the gate opens. */
function holdWrite(account: FakeAccount) {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { write } = account
  account.write = async (...given) => {
    account.write = write
    asked.resolve()
    await gate.promise
    return Reflect.apply(write, account, given)
  }
  return { asked: asked.promise, open: gate.resolve }
}

async function untilApplied(library: Pick<LibraryService, 'outcomes'>, planId: string) {
  for (;;) {
    const outcomes = await library.outcomes(planId)
    if (outcomes !== null) return outcomes
    await turn()
  }
}

for (const reloads of [false, true]) {
  t.test(`changes wait for a run${reloads ? ', even of a version that is replaced meanwhile' : ''}`, async (t) => {
    const { host, ben, library, recorded, plan, run, call } = await household()
    await using _host = host
    const planId = await plan()
    const held = holdWrite(ben)
    const ended = run()
    await held.asked
    t.equal(await library.applyWhenFree(planId, { waitMs: 0 }), null)
    t.match(await call('GET', `/api/run/plan/${planId}`), { plan_id: planId, state: 'waiting' })
    await t.rejects(library.applyWhenFree(planId, { waitMs: 0 }), { code: 'PLH_CONFLICT', wire: 'plan_waiting' })
    const reloading = reloads ? host.reload() : undefined
    const settling = reloads ? host.runDelayed() : undefined
    const another = reloads ? await plan() : undefined
    if (another !== undefined) t.equal(await library.applyWhenFree(another, { waitMs: 0 }), null)
    t.notOk(ben.has('watchlist', FILM!))
    held.open()
    await Promise.all([ended, reloading, settling])
    // The first call may have used the old version.
    if (reloads) await host.runDelayed()
    t.same(await untilApplied(library, planId), [{ key: 'film', op: 'add', outcome: 'applied' }])
    t.match(await call('GET', `/api/run/plan/${planId}`), { state: 'done' })
    if (another !== undefined) t.match(await untilApplied(library, another), [{ outcome: 'already' }])
    t.equal(ben.writes.filter(({ feature, stored }) => feature === 'watchlist' && stored).length, 1)
    await t.rejects(library.applyWhenFree(planId, { waitMs: 0 }), { code: 'PLH_CONFLICT', wire: 'plan_applied' })
    await t.rejects(library.outcomes('change-none'), { code: 'PLH_NOT_FOUND' })
    const changes = () => recorded.filter((event) => 'source_kind' in event && event.source_kind === 'app')
    while (changes().length < (reloads ? 2 : 1)) await turn()
    t.equal(changes().length, reloads ? 2 : 1, 'each change is recorded once')
  })
}

t.test('a play that is recorded through the capability is one play', async (t) => {
  const { host, ann, ben, library, run } = await household()
  await using _host = host
  await run()
  const endedAtMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
  const startedAtMs = endedAtMs - 7_200_000
  ann.put({ work: FILM!, feature: 'history', atMs: startedAtMs })
  ben.put({ work: FILM!, feature: 'history', atMs: endedAtMs })
  await library.recordPlays([
    {
      provider: 'BEN',
      instance: 'default',
      item: toItem(FILM!, ['imdb']),
      watchedAtMs: endedAtMs,
      startedAtMs,
      endedAtMs,
    },
  ])
  for (let times = 0; times < 3; times += 1) t.match(await run(), { result: 'ok', added_last: 0 })
  for (const account of [ann, ben]) t.equal(account.of('history').filter(({ work }) => work === FILM).length, 1)
})
