// slow: the whole service, or very many cases
// Scheduled captures and backups that become due while a restore, a run or an import changes the account: a capture waits and
// names the reason; a backup is created meanwhile, complete and as of one moment.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { until } from '../../harness.ts'
import { numberedWork } from '../sync/world/works.ts'
import { fill, startCaptures } from './world.ts'

t.setTimeout(900_000)

const WORKS = Array.from({ length: 12 }, (_, index) => numberedWork(index))
const world = await startCaptures({ ANN: {}, BEN: {} })
atEndOfFile(() => world[Symbol.asyncDispose]())
const [ann, ben] = [world.account('ANN'), world.account('BEN')]
const call = (path: string, json?: object) =>
  json === undefined ? world.service.json(path) : world.service.json(path, { json })
const due = (json: object) => call('/api/scheduling/trigger_now', json)
const JOB = { id: 'nightly', provider: 'ANN', instance: 'default', feature: 'watchlist', label_template: 'nightly' }

/** Blocks writes to the account until they are released. */
function holdWrites() {
  const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { write } = ann
  ann.write = async (instance, request) => {
    begun.resolve()
    await free.promise
    return write.call(ann, instance, request)
  }
  return {
    begun: begun.promise,
    letGo() {
      ann.write = write
      free.resolve()
    },
  }
}

const restore = async () => {
  const { path } = await world.create()
  ann.entries = []
  return { asked: world.post('/restore', { path, mode: 'merge' }), label: /Restore of ANN/ }
}
const run = async () => {
  ann.entries = []
  fill(ben, WORKS, ['watchlist'])
  const features = { watchlist: { enabled: true, add: true, remove: false } }
  await call('/api/pairs', { source: 'BEN', target: 'ANN', mode: 'one_way', enabled: true, features })
  return { asked: call('/api/run', {}), label: /ANN|BEN/ }
}
const imports = async () => {
  ann.entries = []
  const body = new FormData()
  const rows = WORKS.map(({ ids }) => `${ids['imdb']},${ids['tmdb']},Film,2000,,2024-01-01`)
  body.set('file', new Blob([['imdbID,tmdbID,Title,Year,Rating10,WatchedDate', ...rows].join('\n')]), 'watched.csv')
  const preview = await world.service.json('/api/import/preview', { method: 'POST', body })
  const { import_id } = preview.body
  return { asked: call('/api/import/run', { import_id, provider: 'ANN' }), label: /Import into ANN/ }
}

for (const [what, begin] of Object.entries({ restore, run, import: imports }))
  t.test(`a scheduled capture waits for a ${what} and says so; a scheduled backup is created meanwhile`, async (t) => {
    ann.entries = []
    fill(ann, WORKS, ['watchlist'])
    const writes = holdWrites()
    const { asked, label } = await begin()
    await writes.begun
    const before = (await world.list()).length

    let isCaptured = false
    const captured = due({ capture: JOB }).finally(() => (isCaptured = true))
    const [job] = await until('the capture is on hold', async () => {
      const { jobs } = await world.expect('/list')
      const held = jobs.filter(({ on_hold: hold }: any) => hold != null)
      return held.length > 0 ? held : undefined
    })
    t.match(job, { operation: 'capture', state: 'queued', done: false, provider: 'ANN', message: label })
    t.match(job.on_hold, { reason: 'busy', detail: label, since: Number })

    const backup = await due({ backup: { id: 'b', scope: 'full' } })
    t.match([backup.status, backup.body.triggered], [200, true], JSON.stringify(backup.body))
    const [made] = (await call('/api/backups/list')).body.backups
    t.match(made, { trigger: 'scheduler', valid: true })
    t.match((await call('/api/backups/validate', { path: made.path })).body.validation, {
      ok: true,
      errors: [],
      checks: { hashes: 'ok' },
      manifest: { warnings: [] },
    })
    t.equal(isCaptured, false)
    t.equal((await world.list()).filter(({ trigger }) => trigger === 'schedule').length, before === 0 ? 0 : scheduled)

    writes.letGo()
    await asked
    const { status, body } = await captured
    t.match([status, body.triggered], [200, true], JSON.stringify(body))
    const [newest] = (await world.list()).filter(({ trigger }) => trigger === 'schedule')
    t.match(newest, { label: 'nightly', complete: true, count: ann.of('watchlist').length })
    scheduled += 1
    await until('nothing goes on', async () => (await call('/api/run/summary')).body.running !== true || undefined)
  })
let scheduled = 0

t.test('a waiting capture can be cancelled', async (t) => {
  ann.entries = []
  fill(ann, WORKS, ['watchlist'])
  const writes = holdWrites()
  const { asked } = await restore()
  await writes.begun
  const captured = due({ capture: JOB })
  const id = await until('it waits', async () => (await world.expect('/list')).jobs.find((one: any) => one.on_hold)?.id)
  await world.expect(`/capture-progress/${id}/cancel`, {})
  t.match(await world.ended(id), { state: 'cancelled', on_hold: null })
  t.match(await captured, { status: 409, body: { ok: false, error: 'cancelled' } })
  writes.letGo()
  await asked
})

t.test('a backup that was created during the restore of an account is restored completely', async (t) => {
  ann.entries = []
  fill(ann, WORKS, ['watchlist'])
  const { path } = await world.create()
  ann.entries = []
  const writes = holdWrites()
  const asked = world.post('/restore', { path, mode: 'merge' })
  await writes.begun
  await due({ backup: { id: 'b', scope: 'full' } })
  const [made] = (await call('/api/backups/list')).body.backups
  writes.letGo()
  t.match(await asked, { status: 200, body: { ok: true } })
  const then = (await world.list()).map((one) => one.path).sort()
  const has = ann.of('watchlist').length
  t.match(await call('/api/backups/restore', { path: made.path }), { status: 200, body: { ok: true } })
  await world.restart()
  t.same((await world.list()).map((one) => one.path).sort(), then, 'the captures, that of before included')
  t.match(
    await until('the restore that was cut off is told', async () =>
      (await call('/api/runs')).body.runs.find((one: any) => one.source === 'restore' && one.result === 'failed'),
    ),
    { accounts: [{ provider: 'ANN' }] },
  )
  for (let runs = 0; runs < 2; runs += 1) {
    await call('/api/run', {})
    await until('it ends', async () => (await call('/api/run/summary')).body.running !== true || undefined)
  }
  t.equal(ann.of('watchlist').length, has, 'and no sync removes what it wrote')
})
