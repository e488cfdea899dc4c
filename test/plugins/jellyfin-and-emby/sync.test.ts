// A pair of Jellyfin and Emby in the whole service: what a run costs, and what it must not carry over.
import t from 'tap'
import { type Service, startService, until } from '../../harness.ts'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { startServer } from './support.ts'

const SIZE = { movies: 400, shows: 25 }
const FEATURES = Object.fromEntries(['history', 'progress', 'watchlist'].map((name) => [name, { enabled: true, add: true, remove: true }]))
const isWrite = ({ method }: { method: string }) => method !== 'GET'
const imdbOf = ({ providerIds }: { readonly providerIds: Readonly<Record<string, string>> }) =>
  Object.entries(providerIds).find(([name]) => name.toLowerCase() === 'imdb')?.[1]

async function run(service: Service, servers: readonly MediaServer[]) {
  const before = servers.map((server) => [server.count(), server.count(isWrite)] as const)
  const { body: { run_id: id } } = await service.json('/api/run', { json: {} })
  if (typeof id !== 'string') throw new Error('the run was not accepted')
  const summary = await until('the run ends', async () => {
    const { body } = await service.json('/api/run/summary')
    return body.run_id === id && body.running === false ? body : undefined
  }, 60_000)
  const costs = servers.map((server, index) => {
    const writes = server.count(isWrite) - before[index]![1]
    return { writes, reads: server.count() - before[index]![0] - writes }
  })
  return { summary, costs }
}

t.test('history, positions and favourites go over with a request each, and a second run writes nothing', async (t) => {
  await using jellyfin = await startServer('jellyfin', { ...SIZE, activity: 0.5 })
  await using emby = await startServer('emby', SIZE)
  await using service = await startService({ shipped: true, watch: false })
  const servers = [jellyfin, emby]
  for (const [path, { url }] of [['mediaB', jellyfin], ['mediaC', emby]] as const) {
    await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
  }
  const pair = { source: 'MEDIAB', target: 'MEDIAC', mode: 'two-way', enabled: true, features: FEATURES }
  t.equal((await service.json('/api/pairs', { json: pair })).status, 200)

  const first = await run(service, servers)
  t.match(first.summary, { result: 'ok', errors: 0 })
  t.ok(first.summary.features.history.added > 200)
  t.equal(first.costs[0]!.writes, 0)
  t.ok(first.costs[1]!.reads <= 20)
  const watched = (server: MediaServer) => new Set(server.items().flatMap((item) => {
    return server.actions.userData('sam', item.id)?.played === true ? imdbOf(item) ?? [] : []
  }))
  t.same(watched(emby), watched(jellyfin))

  const second = await run(service, servers)
  t.match(second.costs, [{ writes: 0 }, { writes: 0 }])
  t.ok(second.costs.every(({ reads }) => reads <= 10))

  const [unmarked, deleted] = jellyfin.items('Movie').filter((movie) => imdbOf(movie) && jellyfin.actions.userData('sam', movie.id)?.played)
  jellyfin.actions.markUnplayed('sam', unmarked!.id)
  jellyfin.actions.removeItem(deleted!.id)
  const third = await run(service, servers)
  t.match(third.summary.features.history, { added: 0, removed: 1 })
  t.notOk(watched(emby).has(imdbOf(unmarked!)!), 'what the person unmarked goes')
  t.ok(watched(emby).has(imdbOf(deleted!)!), 'what left the library stays watched')
})
