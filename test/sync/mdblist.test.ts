// slow: the whole service over every combination
// Complete runs of MDBList with Jellyfin and Playhead's own tracker, over HTTP.
import t from 'tap'
import { expectOk, runToEnd, signInToJellyfin } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { serviceClient } from '../stands/client.ts'
import { signInBy } from '../stands/flows.ts'
import { mdblistDevice } from '../stands/mdblist.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startMdblist } from '../upstreams/mdblist.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)
const sums = ({ added_last: added, removed_last: removed, updated_last: updated }: any) => ({ added, removed, updated })

/** Adds data of every kind, dated weeks ago. */
function fill(mdblist: Awaited<ReturnType<typeof startMdblist>>): void {
  const now = Date.now()
  for (let index = 0; index < 10; index += 1) {
    mdblist.user.watch(mdblist.movie(index * 2), now - (index + 2) * DAY_MS)
    if (index % 2 === 0) mdblist.user.rate(mdblist.movie(index), 1 + (index % 10), now - index * DAY_MS)
    mdblist.user.addToWatchlist(mdblist.movie(30 + index), now - index * DAY_MS)
  }
  for (const number of [1, 2, 3]) mdblist.user.watch(mdblist.episode(0, 1, number), now - number * DAY_MS)
  mdblist.user.rate(mdblist.show(0), 8, now - DAY_MS)
  mdblist.user.pause(mdblist.movie(20), 30, now - DAY_MS)
}

t.test(
  'MDBList is signed in to with a code, synced with the tracker, and the second run has nothing to do',
  async (t) => {
    await using mdblist = await startMdblist({ nowMs: () => Date.now() - 60_000 })
    await using service = await startService({ shipped: true, watch: false })
    fill(mdblist)
    await expectOk(service, '/api/config', {
      listA: { api_url: mdblist.url, client_id: mdblist.clientId, max_retries: 0 },
    })
    await signInBy(serviceClient(service, 'listA'), mdblistDevice(mdblist))
    await expectOk(service, '/api/config', { svc: { enabled: true } })
    await expectOk(service, '/api/pairs', {
      source: 'LISTA',
      target: 'SVC',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: ON, history: ON, ratings: { ...ON, types: 'all', mode: 'all' }, progress: ON },
    })

    const first = await runToEnd(service)
    t.match(first, { result: 'ok' })
    t.ok(first.added_last >= 28, `${first.added_last} were added`)
    const before = mdblist.count()
    const second = await runToEnd(service)
    t.equal(planned(second), 0)
    t.match(sums(second), { added: 0, removed: 0, updated: 0 })
    t.ok(mdblist.count() - before <= 6, `${mdblist.count() - before} requests for a run without changes`)

    mdblist.advance(5_000)
    mdblist.user.removeFromWatchlist(mdblist.movie(30))
    mdblist.user.watch(mdblist.movie(1), Date.now() - DAY_MS)
    t.match(
      sums(await runToEnd(service)),
      { added: 1, removed: 0 },
      'a list that is shorter is read once more before it is believed',
    )
    t.match(sums(await runToEnd(service)), { added: 0, removed: 1 })
    t.match((await service.json('/api/status?fresh=1')).body, {
      listA_connected: true,
      providers: { LISTA: { connected: true, vip: false, limits: { api_requests: 1_000 } } },
    })

    const held = JSON.stringify([...mdblist.user.account.watchlist.keys(), mdblist.user.account.plays.length])
    mdblist.faults.add({ kind: 'truncate', match: '/sync/watched' })
    mdblist.faults.add({ kind: 'status', status: 500, match: '/watchlist/items' })
    mdblist.advance(5_000)
    mdblist.user.rate(mdblist.movie(40), 5)
    mdblist.user.addToWatchlist(mdblist.movie(41))
    const failed = await runToEnd(service)
    t.not(failed.result, 'ok')
    t.equal(failed.removed_last, 0)
    mdblist.user.removeFromWatchlist(mdblist.movie(41))
    t.equal(JSON.stringify([...mdblist.user.account.watchlist.keys(), mdblist.user.account.plays.length]), held)
    const secrets = [...mdblist.requests].flatMap(({ query }) => query.get('apikey') ?? [])
    t.same(secrets, [], 'with tokens no key is in any address')
  },
)

t.test('MDBList with a key and Jellyfin are synced, and no key is in any log', async (t) => {
  await using mdblist = await startMdblist({ nowMs: () => Date.now() - 60_000 })
  await using jellyfin = await startJellyfin({ movies: 60, shows: 4 })
  await using service = await startService({ shipped: true, watch: false })
  fill(mdblist)
  await signInToJellyfin(service, jellyfin)
  await expectOk(service, '/api/config', { listA: { api_url: mdblist.url } })
  await expectOk(service, '/api/listA/save', { api_key: mdblist.user.apiKey })
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'LISTA',
    mode: 'two_way',
    enabled: true,
    features: { watchlist: ON, history: ON },
  })
  const first = await runToEnd(service)
  t.ok(first.added_last >= 20, `${first.added_last} were added`)
  await runToEnd(service)
  t.match(sums(await runToEnd(service)), { added: 0, removed: 0, updated: 0 })
  const shown = JSON.stringify([
    service.log,
    (await service.json('/api/config')).body,
    (await service.json('/api/status?fresh=1')).body,
  ])
  t.notOk(shown.includes(mdblist.user.apiKey))
})
