// slow: the whole service, or very many cases
// A pair of Jellyfin and Emby in the whole service: the costs of a run, and data that it must not sync.
import t from 'tap'
import { type Service, startService, until } from '../../harness.ts'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { startServer } from './support.ts'

const SIZE = { movies: 400, shows: 25 }
const FEATURES = Object.fromEntries(
  ['history', 'progress', 'watchlist'].map((name) => [name, { enabled: true, add: true, remove: true }]),
)
const isWrite = ({ method }: { method: string }) => method !== 'GET'
const imdbOf = ({ providerIds }: { readonly providerIds: Readonly<Record<string, string>> }) =>
  Object.entries(providerIds).find(([name]) => name.toLowerCase() === 'imdb')?.[1]

async function run(service: Service, servers: readonly MediaServer[]) {
  const before = servers.map((server) => [server.count(), server.count(isWrite)] as const)
  const {
    body: { run_id: id },
  } = await service.json('/api/run', { json: {} })
  if (typeof id !== 'string') throw new Error('the run was not accepted')
  const summary = await until(
    'the run ends',
    async () => {
      const { body } = await service.json('/api/run/summary')
      return body.run_id === id && body.running === false ? body : undefined
    },
    60_000,
  )
  const costs = servers.map((server, index) => {
    const writes = server.count(isWrite) - before[index]![1]
    return { writes, reads: server.count() - before[index]![0] - writes }
  })
  return { summary, costs }
}

t.test(
  'history, positions and favourites are synced with one request each, and a second run writes nothing',
  async (t) => {
    await using jellyfin = await startServer('jellyfin', { ...SIZE, activity: 0.5 })
    await using emby = await startServer('emby', SIZE)
    await using service = await startService({ shipped: true, watch: false })
    const servers = [jellyfin, emby]
    for (const [path, { url }] of [
      ['mediaB', jellyfin],
      ['mediaC', emby],
    ] as const) {
      await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
    }
    const pair = { source: 'MEDIAB', target: 'MEDIAC', mode: 'two-way', enabled: true, features: FEATURES }
    t.equal((await service.json('/api/pairs', { json: pair })).status, 200)

    const first = await run(service, servers)
    t.match(first.summary, { result: 'ok', errors: 0 })
    t.ok(first.summary.features.history.added > 200)
    t.equal(first.costs[0]!.writes, 0)
    t.ok(first.costs[1]!.reads <= 20)
    const watched = (server: MediaServer) =>
      new Set(
        server.items().flatMap((item) => {
          return server.actions.userData('sam', item.id)?.played === true ? (imdbOf(item) ?? []) : []
        }),
      )
    t.same(watched(emby), watched(jellyfin))

    const second = await run(service, servers)
    t.match(second.costs, [{ writes: 0 }, { writes: 0 }])
    t.ok(second.costs.every(({ reads }) => reads <= 10))

    const [unmarked, deleted] = jellyfin
      .items('Movie')
      .filter((movie) => imdbOf(movie) && jellyfin.actions.userData('sam', movie.id)?.played)
    jellyfin.actions.markUnplayed('sam', unmarked!.id)
    jellyfin.actions.removeItem(deleted!.id)
    const third = await run(service, servers)
    t.match(third.summary.features.history, { added: 0, removed: 1 })
    t.notOk(watched(emby).has(imdbOf(unmarked!)!), 'what the person unmarked goes')
    t.ok(watched(emby).has(imdbOf(deleted!)!), 'what left the library stays watched')
  },
)

t.test('a plan is reviewed in pages and run exactly, and the result of each item is found again', async (t) => {
  await using jellyfin = await startServer('jellyfin', { ...SIZE, activity: 0.5 })
  await using emby = await startServer('emby', SIZE)
  await using service = await startService({ shipped: true, watch: false })
  for (const [path, { url }] of [
    ['mediaB', jellyfin],
    ['mediaC', emby],
  ] as const) {
    await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
  }
  const { body: pair } = await service.json('/api/pairs', {
    json: { source: 'MEDIAB', target: 'MEDIAC', mode: 'two-way', enabled: true, features: FEATURES },
  })
  const ended = async (json: object) => {
    const {
      body: { run_id: id },
    } = await service.json('/api/run', { json })
    return until(
      'the run ends',
      async () => {
        const { body } = await service.json(`/api/runs/${id}`)
        return body.run?.running === false ? body : undefined
      },
      60_000,
    )
  }
  const dry = await ended({ pair_id: pair.id, dry_run: true })
  t.match(dry, { run: { dry_run: true, pair_ids: [pair.id] }, undoable: false })
  const planned = dry.pairs[0].features.find(({ feature }: any) => feature === 'history')
  t.equal(planned.sides.b.add, planned.planned)

  const plan = (query: string) => service.json(`/api/run/plan/${planned.plan_id}?${query}`).then(({ body }) => body)
  const all = await plan('limit=1000')
  t.equal(all.total, planned.planned)
  t.equal(
    all.facets.causes.reduce((sum: number, { count }: any) => sum + count, 0),
    all.total,
  )
  const some = all.items[5]
  const found = await plan(`q=${encodeURIComponent(some.display_title.toUpperCase())}`)
  t.ok(found.total >= 1 && found.total < all.total && found.items.some(({ n }: any) => n === some.n))
  t.same(
    (await plan('limit=3&offset=4')).items.map(({ n }: any) => n),
    all.items.slice(4, 7).map(({ n }: any) => n),
  )
  t.equal((await plan('side=a')).total, 0)
  t.equal(
    (await plan(`cause=${some.cause}`)).total,
    all.facets.causes
      .filter(({ cause }: any) => cause === some.cause)
      .reduce((sum: number, { count }: any) => sum + count, 0),
  )

  t.equal((await plan('state=ready,held')).total, all.total)
  t.equal((await plan('state=held,sent')).total, 0)
  t.same((await plan('facets=false')).facets.causes, [])

  t.match(
    (await service.json('/api/pairs/status')).body.pairs,
    [{ id: pair.id, last_run_id: null }],
    'a dry run says nothing of how a pair stands',
  )
  const real = await ended({ plan_id: planned.plan_id })
  t.match(real, { run: { dry_run: false, result: 'ok', added: planned.planned }, undoable: true })
  const items = (await service.json(`/api/runs/${real.run.run_id}/items?outcome=applied&limit=10`)).body
  t.equal(items.total, planned.planned)
  t.match(items.items[0], { feature: 'history', pair_id: pair.id, side: 'b', outcome: 'applied', undone: false })
  t.match((await service.json('/api/runs?dry_run=false')).body, { total: 1, runs: [{ run_id: real.run.run_id }] })
  t.match((await service.json(`/api/plans?pair_id=${pair.id}&feature=history`)).body.plans[0], { feature: 'history' })
  const {
    body: {
      pairs: [status],
    },
  } = await service.json('/api/pairs/status')
  t.match(
    status.features.find(({ feature }: any) => feature === 'history'),
    { status: 'ok', in_step: true, open: 0 },
  )
  t.match((await service.json(`/api/run/${real.run.run_id}/undo`, { json: {} })).body, {
    dry_run: true,
    reversible: planned.planned,
  })
})
