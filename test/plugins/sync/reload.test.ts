// The sync plugin is reloaded during a run.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { LIBRARY, type LibraryService, type SyncService, SYNC } from '@playhead/sdk'
import plugin from '../../../plugins/services/sync/index.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'
import { numberedWork } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)

t.test(
  'the new version waits for the run of the old one, writes nothing meanwhile, and keeps its results',
  async (t) => {
    const works = Array.from({ length: 20 }, (_, index) => numberedWork(index))
    setCatalogue(works)
    const [ann, ben] = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: Date.now })) as [FakeAccount, FakeAccount]
    for (const work of works) ann.put(entryOf('history', work, 1))
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { write } = ben
    const cancelled = Promise.withResolvers<void>()
    ben.write = async (...args: Parameters<typeof write>) => {
      const [, , signal] = args as readonly unknown[] as readonly [unknown, unknown, AbortSignal | undefined]
      signal?.addEventListener('abort', () => cancelled.resolve(), { once: true })
      asked.resolve()
      await gate.promise
      return Reflect.apply(write, ben, args)
    }
    await using host = await createTestHost({
      plugin,
      manifest: MANIFEST,
      capabilities: {
        accounts: directoryOf([ann, ben]),
        'provider:ANN': ann,
        'provider:BEN': ben,
        ...Object.fromEntries(await featureCapabilities()),
      },
    })
    const call = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      (await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })).json()
    const sync = host.capability<SyncService>(SYNC)
    await call('POST', '/api/pairs', {
      source: 'ANN',
      target: 'BEN',
      mode: 'two_way',
      enabled: true,
      features: { history: true },
    })
    const { run_id: first } = await call('POST', '/api/run', {})
    await asked.promise

    const reloading = host.reload()
    const settling = host.runDelayed()
    t.match(await call('POST', '/api/run', {}), { ok: false, error: 'already_running', run_id: first })
    t.match(await call('GET', '/api/run/summary'), { run_id: first, running: true }, 'the summary is there meanwhile')
    const library = host.capability<LibraryService>(LIBRARY)
    const account = { provider: 'BEN', instance: 'default', feature: 'watchlist' as const, cause: 'test' }
    const { planId } = await library.plan({ ...account, changes: [] })
    await t.rejects(library.apply(planId), { wire: 'busy' } as never)
    const ended = sync.finished(first)
    await cancelled.promise
    gate.resolve()
    await Promise.all([reloading, settling])
    t.match(await ended, { run_id: first, running: false, result: 'cancelled' })

    const rows = await host.ownTables('library').selectFrom('sync__base').select('id').execute()
    t.equal(rows.length, ben.of('history').length, 'what had been sent is remembered')
    t.ok(rows.length > 0 && rows.length <= 14, 'two batches at most were open')
    t.same(await host.ownTables('library').selectFrom('sync__stage').select('id').execute(), [])
    const [film] = works
    const added = {
      key: 'film',
      item: { type: 'movie' as const, title: film!.title, year: film!.year, ids: film!.ids },
    }
    const change = await library.plan({ ...account, changes: [{ op: 'add', ...added }] })
    t.match(
      await library.apply(change.planId),
      [{ key: 'film', outcome: 'applied' }],
      'other writes are accepted again',
    )
    t.ok(ben.has('watchlist', film!))
    const undoing = await library.undo(change.planId)
    t.equal(undoing.status, 'accepted')
    if (undoing.status === 'accepted') t.match(await sync.finished(undoing.run_id), { result: 'ok', removed_last: 1 })
    t.notOk(ben.has('watchlist', film!), 'and what it changed is taken back')
    for (const result of ['ok', 'ok']) {
      const { run_id: next } = await call('POST', '/api/run', {})
      t.match(await sync.finished(next), { result })
    }
    t.equal(ben.of('history').length, 20)
    t.equal(ben.writes.filter(({ stored, feature }) => stored && feature === 'history').length, 20, 'every play once')
  },
)

t.test('a run may be started as soon as the previous one is reported as ended', async (t) => {
  const works = Array.from({ length: 5 }, (_, index) => numberedWork(index))
  setCatalogue(works)
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: Date.now }))
  await using host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: {
      accounts: directoryOf(accounts),
      'provider:ANN': accounts[0]!,
      'provider:BEN': accounts[1]!,
      ...Object.fromEntries(await featureCapabilities()),
    },
  })
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) =>
    (await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })).json()
  const ends = { source: 'ANN', target: 'BEN', mode: 'two_way', enabled: true }
  await call('POST', '/api/pairs', { ...ends, features: { watchlist: true } })
  for (let run = 0; run < 8; run += 1) {
    t.match(await call('POST', '/api/run', {}), { ok: true })
    while ((await call('GET', '/api/run/summary')).running === true) await turn()
  }
})
