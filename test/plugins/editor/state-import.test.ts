// Imports of live data: only in debug mode, with one result per feature.
import t from 'tap'
import { PlayheadError, type RefreshReport } from '@playhead/sdk'
import { importsOf } from '../../../plugins/services/editor/state-import.ts'
import { openWorld } from './world.ts'

const IMPORT = '/api/editor/state/import'
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT } as never
const REPORT: RefreshReport = { outcome: 'stored', count: 4, added: 1, removed: 2, changed: 3, readAtMs: 1 }
const NAMED = { provider: 'TRACKA', instance: 'default' } as never
const ORDER = { mode: 'replace', dryRun: false, approved: false, kinds: ['watchlist', 'ratings'] } as const

t.test('without the setting nothing is offered or read', async (t) => {
  let reads = 0
  await using world = await openWorld({
    refresh: () => {
      reads += 1
      return REPORT
    },
  })
  t.same((await world.get(`${IMPORT}/providers`)).body, { enabled: false, providers: [] })
  const { status, body } = await world.post(IMPORT, { provider: 'TRACKA' })
  t.match([status, body.error, reads], [403, 'debug_disabled', 0])
})

t.test('each feature has its own result, and all must be correct', async (t) => {
  const outcomes = {
    watchlist: async () => ({ ...REPORT, outcome: 'dry_run' as const }),
    history: async () => ({ ...REPORT, outcome: 'refused' as const, reason: 'shrunk_read' }),
    ratings: async () => {
      throw new PlayheadError('PLH_UPSTREAM', 'https://service?key=secret')
    },
    progress: async () => {
      throw new PlayheadError('PLH_UNSUPPORTED', 'no', { wire: 'unsupported_feature' })
    },
  }
  const asked: unknown[] = []
  const imports = importsOf({
    library: {
      refresh: async (account, feature, options) => {
        asked.push([account, feature, options])
        return outcomes[feature as 'watchlist']()
      },
      holdings: async () => [],
    },
    log: SILENT,
    isEnabled: () => true,
  })
  const job = await imports.run(NAMED, {
    ...ORDER,
    dryRun: true,
    kinds: ['progress', 'watchlist', 'history', 'ratings'],
  })
  t.equal(job.state, 'done')
  t.match(job.features, {
    watchlist: { ok: true, count: 4, would_add: 1, would_remove: 2, would_change: 3 },
    history: { ok: false, error: 'shrunk_read', would_remove: 2 },
    ratings: { ok: false, error: 'upstream_error' },
    progress: { ok: false, skipped: true, reason: 'unsupported_feature' },
  })
  t.notMatch(JSON.stringify(job), 'secret')
  t.same(asked[0], [NAMED, 'progress', { mode: 'replace', dryRun: true, approved: false }])
})

t.test('a long import continues after the response, one per account at a time', async (t) => {
  const { promise, resolve } = Promise.withResolvers<RefreshReport>()
  const imports = importsOf({
    library: { refresh: () => promise, holdings: async () => [] },
    log: SILENT,
    isEnabled: () => true,
    waitMs: 1,
  })
  const job = await imports.run(NAMED, ORDER)
  t.match([job.state, job.pending], ['running', ['watchlist', 'ratings']])
  await t.rejects(imports.run(NAMED, ORDER), { code: 'PLH_CONFLICT', wire: 'busy' })
  resolve(REPORT)
  while (imports.jobs()[0]?.state !== 'done') await new Promise((next) => setImmediate(next))
  t.match(imports.jobs()[0], { job_id: job.job_id, pending: [], features: { ratings: { ok: true } } })
  t.equal((await imports.run(NAMED, ORDER)).state, 'done')
})
