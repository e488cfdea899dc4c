// slow: a running service with a plugin on a thread of its own
// Kitsu is added from its folder while the service runs, syncs both ways with Trakt by the anime mapping, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { type KitsuAnime, startKitsu } from '../../plugins/directory/kitsu/stand-in.ts'
import { expectOk, runToEnd, saveSettings, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startAnimeWorld } from './anime-world.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)

t.test('a plugin of the directory is added to a running service, syncs anime, and is removed', async (t) => {
  await using world = await startAnimeWorld()
  await using kitsu = await startKitsu()
  const { trakt, films, seasons } = world
  const [ann] = kitsu.people
  const mapped = (mal: number) => ({ mappings: { 'myanimelist/anime': String(mal) } })
  const movies = films.map(({ mal }) => kitsu.addAnime({ ...mapped(mal), subtype: 'movie', episodeCount: 1 }))
  const series = seasons.map(({ mal, episodes }) => kitsu.addAnime({ ...mapped(mal), episodeCount: episodes.length }))
  const [short, first, second] = series as [KitsuAnime, KitsuAnime, KitsuAnime]
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'kitsu') })
  await expectOk(service, '/api/plugins/kitsu/enable', {})
  await until('it runs', async () => (await service.plugin('kitsu')).state === 'active')
  await saveSettings(service, 'kitsu', { server: kitsu.url, rate_limit: { get_per_sec: 0, post_per_sec: 0 } })
  const login = { username: ann!.email, password: ann!.password }
  t.match(await expectOk(service, '/api/kitsu/login', login), { ok: true, name: 'ANN' })
  await world.map(service, 'KITSU')
  await world.pair(service, 'KITSU')

  // Each side has what the other lacks. The episodes of the first season have no times.
  kitsu.put(ann!, movies[0]!, { status: 'completed', progress: 1, rating: 18, finishedAt: '2025-11-02T00:00:00.000Z' })
  kitsu.put(ann!, movies[1]!, { status: 'planned' })
  kitsu.put(ann!, movies[2]!, { status: 'dropped' })
  kitsu.put(ann!, first, { status: 'on_hold', progress: 2 })
  trakt.user.watch(films[3]!.entry, world.playedMs)
  for (const episode of seasons[2]!.entries.slice(0, 2)) trakt.user.watch(episode, world.playedMs)
  trakt.user.rate(films[2]!.entry, 7, world.playedMs)
  trakt.user.addToWatchlist(seasons[0]!.show, world.playedMs)
  t.match(await runToEnd(service), { result: 'ok' })

  const played = new Date(world.playedMs).toISOString()
  t.same(
    world.plays().sort(),
    [
      ...[
        [films[0]!.entry.key, '2025-11-02'],
        [films[3]!.entry.key, '2025-11-03'],
      ],
      ...seasons[2]!.entries.slice(0, 2).map(({ key }) => [key, '2025-11-03']),
    ].sort(),
    'no play without a time is written to Trakt',
  )
  t.same(world.planned(), [films[1]!.entry.key, seasons[0]!.show.key].sort())
  const entryOf = (anime: KitsuAnime) => kitsu.entryOf(ann!, anime)
  t.match(entryOf(movies[3]!), { status: 'completed', finishedAt: played })
  t.match(entryOf(second), { status: 'current', progress: 2, startedAt: played, finishedAt: null })
  t.match(entryOf(first), { status: 'on_hold', progress: 2 })
  t.match(entryOf(short), { status: 'planned' })
  t.match(entryOf(movies[2]!), { status: 'dropped', rating: 14 })

  // Nothing is left to do. A removal at Trakt is carried; one at Kitsu could be a change of the status.
  const before = kitsu.changes().length
  await runToEnd(service)
  t.equal(kitsu.changes().length, before)
  trakt.user.unwatch(films[3]!.entry)
  kitsu.entries.delete(entryOf(movies[1]!)!.id)
  for (let run = 0; run < 2; run += 1) await runToEnd(service)
  t.match(entryOf(movies[3]!), { status: 'current', progress: 0, finishedAt: null })
  trakt.user.unwatch(seasons[2]!.entries[1]!)
  for (let run = 0; run < 2; run += 1) await runToEnd(service)
  t.match(entryOf(second), { status: 'current', progress: 2 }, 'an episode without a time is no play to take back')
  t.ok(world.planned().includes(films[1]!.entry.key))

  // A service that is down, or forgot the token, removes nothing.
  const plays = world.plays()
  kitsu.forget(ann!)
  await runToEnd(service)
  kitsu.faults.add({ kind: 'status', status: 503 })
  await runToEnd(service)
  t.same(world.plays(), plays)

  t.match(await service.json('/api/plugin-folders/kitsu', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/kitsu')).status === 404)
  t.equal((await service.json('/api/kitsu/login', { json: login })).status, 404)
  for (const secret of [ann!.password, ...kitsu.tokens()]) t.notOk(service.log.join('\n').includes(secret))
})
