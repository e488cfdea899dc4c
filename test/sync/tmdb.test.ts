// slow: the whole service over every combination
// Complete runs between the TMDB stand-in, Playhead's own tracker and the Trakt stand-in, over HTTP.
import t from 'tap'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, type Service } from '../harness.ts'
import { serviceClient } from '../stands/client.ts'
import { signInBy } from '../stands/flows.ts'
import { tmdbPage } from '../stands/tmdb.ts'
import { startTmdb, type Tmdb } from '../upstreams/tmdb.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const ON = { enabled: true, add: true, remove: true }
const FEATURES = { watchlist: ON, ratings: { ...ON, mode: 'all', types: ['movies', 'shows', 'episodes'] } }

const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)
const statuses = (summary: any): string[] => summary.pairs[0].features.map(({ status }: { status: string }) => status)

async function signIn(service: Service, tmdb: Tmdb): Promise<void> {
  await expectOk(service, '/api/config', { metaA_sync: { api_url: tmdb.apiUrl } })
  await signInBy(serviceClient(service, 'metaA_sync'), tmdbPage(tmdb))
}

async function withTracker() {
  const stack = new AsyncDisposableStack()
  const tmdb = stack.use(await startTmdb())
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signIn(service, tmdb)
  await expectOk(service, '/api/pairs', {
    source: 'METAA',
    target: 'SVC',
    mode: 'two_way',
    enabled: true,
    features: FEATURES,
  })
  for (const work of [...tmdb.works.movies.slice(0, 25), ...tmdb.works.shows.slice(0, 3)]) tmdb.actions.list(work)
  for (const [index, work] of tmdb.works.movies.slice(30, 34).entries()) tmdb.actions.rate(work, 6.5 + index)
  tmdb.actions.rate(tmdb.work('tv', 5), 9, 'ada', tmdb.work('tv', 5).episodes[2])
  return { stack, tmdb, service }
}

t.test('the first run syncs TMDB and the tracker, the second has no changes', async (t) => {
  const { stack, tmdb, service } = await withTracker()
  await using _stack = stack
  t.match((await service.json('/api/status?fresh=1')).body, { metaA_connected: true })

  const first = await runToEnd(service)
  t.match(first, { result: 'ok', exit_code: 0, added_last: 25 + 3 + 4 + 1 })
  const before = tmdb.count()
  const second = await runToEnd(service)

  t.equal(planned(second), 0)
  t.match(second, { result: 'ok', added_last: 0, removed_last: 0, updated_last: 0 })
  t.ok(tmdb.count() - before <= 9, `${tmdb.count() - before} requests`)
})

t.test(
  'a change by a person at TMDB reaches the tracker, and an emptied or failing account removes nothing there',
  async (t) => {
    const { stack, tmdb, service } = await withTracker()
    await using _stack = stack
    await runToEnd(service)
    await runToEnd(service)
    tmdb.actions.list(tmdb.works.movies[50]!)
    tmdb.actions.unlist(tmdb.works.movies[3]!)
    tmdb.actions.rate(tmdb.works.movies[30]!, 2)
    t.match(
      await runToEnd(service),
      { result: 'ok', added_last: 1, removed_last: 0, updated_last: 1 },
      'a list that is shorter is read once more before it is believed',
    )
    t.match(await runToEnd(service), { result: 'ok', removed_last: 1 })
    t.equal(planned(await runToEnd(service)), 0)

    tmdb.faults.add({ kind: 'status', status: 500, match: /watchlist/ })
    const failing = await runToEnd(service)
    t.not(failing.result, 'ok')
    t.equal(failing.removed_last, 0)
    tmdb.faults.clear()
    tmdb.actions.emptyWatchlist()
    t.equal((await runToEnd(service)).removed_last, 0, 'so many removals are held')
    tmdb.actions.endSessions()
    t.same(statuses(await runToEnd(service)), ['skipped', 'skipped'])
  },
)

t.test('TMDB and Trakt converge, regardless of the ids that they know', async (t) => {
  await using tmdb = await startTmdb()
  await using trakt = await startTrakt({ rateLimits: false })
  await using service = await startService({ shipped: true, watch: false })
  await signIn(service, tmdb)
  await expectOk(service, '/api/config', { trackA: { rate_limit: { get_per_sec: 0, post_per_sec: 0 } } })
  await signInToTrakt(service, trakt)
  await expectOk(service, '/api/pairs', {
    source: 'METAA',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features: FEATURES,
  })
  for (let index = 0; index < 6; index += 1) tmdb.actions.list(tmdb.work('movie', index))
  for (let index = 4; index < 10; index += 1) trakt.user.addToWatchlist(trakt.movie(index))
  trakt.user.rate(trakt.show(1), 7)
  trakt.user.rate(trakt.episode(2, 1, 3), 4)
  tmdb.actions.rate(tmdb.work('movie', 12), 3)

  t.match(await runToEnd(service), { result: 'ok' })

  t.equal(tmdb.watchlist().length, 10)
  t.same(tmdb.ratings(), {
    [`movie/${tmdb.work('movie', 12).id}`]: 3,
    [`tv/${tmdb.work('tv', 1).id}`]: 7,
    [`tv/${tmdb.work('tv', 2).id}/1/3`]: 4,
  })
  t.equal(planned(await runToEnd(service)), 0)
})
