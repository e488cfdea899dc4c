// slow: the whole service over every combination
// Complete runs of PublicMetaDB with Playhead's own tracker, over HTTP.
import t from 'tap'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startPublicmetadb } from '../upstreams/publicmetadb.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)
const sums = ({ added_last: added, removed_last: removed, updated_last: updated }: any) => ({ added, removed, updated })

t.test('PublicMetaDB and the tracker are synced, and the second run has no changes', async (t) => {
  await using metadb = await startPublicmetadb()
  await using service = await startService({ shipped: true, watch: false })
  const now = Date.now()
  const list = metadb.user.makeList('Watchlist', 'watchlist')
  for (let index = 0; index < 8; index += 1) {
    metadb.user.addToList(list, metadb.movie(20 + index), now - index * DAY_MS)
    metadb.user.watch(metadb.movie(index), now - (index + 2) * DAY_MS)
  }
  for (const number of [1, 2]) metadb.user.watch(metadb.episode(0, 1, number), now - number * DAY_MS)
  metadb.user.pause(metadb.movie(16), 900_000, 6_000_000, now - DAY_MS)
  await expectOk(service, '/api/config', { metaB: { base_url: metadb.url, max_retries: 0 }, svc: { enabled: true } })
  await expectOk(service, '/api/metaB/save', { api_key: metadb.user.apiKey })
  await expectOk(service, '/api/pairs', {
    source: 'METAB',
    target: 'SVC',
    mode: 'two_way',
    enabled: true,
    features: { watchlist: ON, history: ON, progress: ON },
  })

  const first = await runToEnd(service)
  t.match(first, { result: 'ok' })
  t.ok(first.added_last >= 19, `${first.added_last} were added`)
  const before = metadb.count()
  const second = await runToEnd(service)
  t.equal(planned(second), 0)
  t.ok(metadb.count() - before <= 8, `${metadb.count() - before} requests for a run without changes`)

  metadb.user.removeFromList(list, metadb.movie(20))
  metadb.user.watch(metadb.movie(12), now - DAY_MS)
  t.match(
    sums(await runToEnd(service)),
    { added: 1, removed: 0 },
    'a list that is shorter is read once more before it is believed',
  )
  t.match(sums(await runToEnd(service)), { added: 0, removed: 1 })
  const held = metadb.user.account.plays.length
  metadb.faults.add({ kind: 'status', status: 500, match: /\/(?:watched|items|resume)$/ })
  const failed = await runToEnd(service)
  t.not(failed.result, 'ok')
  t.equal(failed.removed_last, 0)
  metadb.faults.clear()
  t.equal(metadb.user.account.plays.length, held)
  t.match((await service.json('/api/status?fresh=1')).body, { metaB_connected: true })
  t.notOk(JSON.stringify(service.log).includes(metadb.user.apiKey))
})
