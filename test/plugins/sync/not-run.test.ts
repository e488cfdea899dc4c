// slow: the whole service, or very many cases
// Failed runs are reported with the same words and numbers by attention, pairs, runs and their pages.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'

const ON = { enabled: true, add: true, remove: true }

const jellyfin = await startJellyfin({ movies: 30, shows: 1, activity: 0.5 })
atEndOfFile(() => jellyfin.close())
// Some films exist only here, so that some items stay unresolved.
const emby = await startEmby({ movies: 24, shows: 1 })
atEndOfFile(() => emby.close())
const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
await signInToJellyfin(service, jellyfin)
await signInToEmby(service, emby)
const { id } = await expectOk(service, '/api/pairs', {
  name: 'Attic and cellar',
  source: 'MEDIAB',
  target: 'MEDIAC',
  mode: 'two_way',
  enabled: true,
  features: { history: ON, progress: ON },
})

const get = async (path: string) => (await service.json(path)).body
const statusOf = async () => (await get('/api/pairs/status')).pairs[0]
const attention = async () =>
  (await get('/api/attention')).items as {
    kind: string
    pair_id: string | null
    provider: string | null
    title: string
    detail: string
  }[]

t.test('a run has one result and one count, even if it finds nothing new', async (t) => {
  for (const _ of [1, 2, 3]) {
    const summary = await runToEnd(service)
    const { run, pairs } = await get(`/api/runs/${summary.run_id}`)
    const {
      runs: [listed],
    } = await get('/api/runs')
    const { reason_text: _text, ...shown } = run
    t.same(shown, listed)
    const features = pairs.flatMap((pair: any) => pair.features)
    const sum = (name: string) => features.reduce((total: number, feature: any) => total + feature[name], 0)
    const pair = await statusOf()
    const open = pair.features.reduce((total: number, feature: any) => total + feature.open, 0)
    const missing = pair.features.reduce((total: number, feature: any) => total + feature.not_in_library, 0)
    t.ok(missing > 0, 'films that are not in the library')
    t.equal(run.not_in_library, missing, 'the run and the pair name the same number')
    t.equal(run.open, open)
    t.same([run.outcome, pair.outcome, pairs[0].outcome], ['synced', 'synced', 'synced'], 'they are no problem')
    t.equal(summary.unresolved, run.unresolved)
    for (const name of ['added', 'updated', 'removed'] as const) {
      t.equal(run[name], sum(name))
      t.equal(
        run[name],
        features.reduce((total: number, { done }: any) => total + (done === null ? 0 : done.a[name] + done.b[name]), 0),
        'the sides add up to it',
      )
    }
    t.equal(pair.last_run_id, run.run_id)
  }
})

t.test('an unreachable service is named, with the pair that was not synced', async (t) => {
  emby.faults.add({ kind: 'html', status: 503 })
  const { run_id: runId, result } = await runToEnd(service)
  t.equal(result, 'failed')
  const {
    items: [event],
  } = await get('/api/events/tree')
  t.match(event, { run_id: runId, summary: /^Run failed/ })
  const items = await attention()
  t.match(
    items.find(({ kind }) => kind === 'unreachable'),
    { provider: 'MEDIAC', title: 'Cannot reach Emby' },
  )
  t.match(
    items.find(({ kind }) => kind === 'not_synced'),
    {
      pair_id: id,
      provider: 'MEDIAC',
      title: 'Cannot reach Emby: Attic and cellar',
      detail: 'History, Progress: Could not reach Emby.',
    },
  )
  const about = [{ provider: 'MEDIAC', instance: 'default' }]
  const {
    pairs: [pair],
  } = await get(`/api/runs/${runId}`)
  t.match(pair, {
    status: 'skipped',
    features: [
      { status: 'skipped', reason: 'down', reason_text: 'Could not reach Emby.', about },
      { status: 'skipped', about },
    ],
  })
  const status = await statusOf()
  t.match(status, {
    last_run_id: runId,
    features: [{ status: 'skipped', reason_text: 'Could not reach Emby.', about, in_step: false }, {}],
  })

  await expectOk(service, `/api/pairs/${id}`, { enabled: false }, 'PUT')
  t.notOk(
    (await attention()).some(({ kind }) => kind === 'not_synced'),
    'a pair that is off is not meant to be synced',
  )
  await expectOk(service, `/api/pairs/${id}`, { enabled: true }, 'PUT')
})

t.test(
  'a web page instead of a response means a service that blocks programs, no reason to sign in again',
  async (t) => {
    emby.faults.clear()
    emby.faults.add({ kind: 'html', status: 403 })
    const { run_id: runId, result } = await runToEnd(service)
    t.equal(result, 'failed')
    t.match(await get(`/api/runs/${runId}`), { pairs: [{ features: [{ status: 'skipped', reason: 'down' }] }] })
    const items = await attention()
    t.notOk(
      items.some(({ kind }) => kind === 'sign_in'),
      'nobody is asked to sign in',
    )
    t.match(
      items.find(({ kind }) => kind === 'unreachable'),
      { provider: 'MEDIAC', title: 'Cannot reach Emby', detail: /^Emby is blocking Playhead/ },
    )
  },
)

t.test('a read that fails during a run names the service, too', async (t) => {
  emby.faults.clear()
  jellyfin.faults.add({ kind: 'html', status: 500, match: ({ path }) => /Items/i.test(path) })
  const { run_id: runId, result } = await runToEnd(service)
  jellyfin.faults.clear()
  t.equal(result, 'failed')
  const {
    pairs: [{ features }],
  } = await get(`/api/runs/${runId}`)
  t.match(features[0], {
    status: 'failed',
    about: [{ provider: 'MEDIAB', instance: 'default' }],
    reason_text: /Jellyfin/,
  })
  t.match(
    (await attention()).find(({ kind }) => kind === 'run_failed'),
    { pair_id: id, provider: 'MEDIAB', detail: /Jellyfin/ },
  )
  await runToEnd(service)
  t.notOk(
    (await attention()).some(({ kind }) => ['run_failed', 'not_synced', 'unreachable'].includes(kind)),
    'a good run settles it',
  )
})

t.test('the preview of an undo counts all of it, beyond the titles that it names', async (t) => {
  const { runs } = await get('/api/runs?limit=100')
  const first = runs.at(-1)
  t.ok(first.added > 8)
  const { body } = await service.json(`/api/run/${first.run_id}/undo`, { json: { dry_run: true } })
  const irreversible = body.irreversible_by_reason.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  t.equal(body.reversible + irreversible, first.added + first.updated + first.removed)
  t.equal(body.titles.length, 8)
  const undone = await expectOk(service, `/api/run/${first.run_id}/undo`, { dry_run: false })
  t.match(await get(`/api/runs/${undone.run_id}`), { run: { source: 'undo' } })
})
