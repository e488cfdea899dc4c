// slow: a running service with a plugin on a thread of its own
// MyAnimeList is added from its folder while the service runs, syncs both ways with Trakt by the anime mapping, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { type MalAnime, startMyAnimeList } from '../../plugins/directory/myanimelist/stand-in.ts'
import { expectOk, runToEnd, saveSettings, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startAnimeWorld } from './anime-world.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)

t.test('a plugin of the directory is added to a running service, syncs anime, and is removed', async (t) => {
  await using world = await startAnimeWorld()
  await using mal = await startMyAnimeList()
  const { trakt, films, seasons } = world
  const [ann] = mal.people
  const movies = films.map(({ mal: id }) =>
    mal.addAnime({ id, title: `Film ${id}`, media_type: 'movie', num_episodes: 1 }),
  )
  const series = seasons.map(({ mal: id, episodes }) => mal.addAnime({ id, num_episodes: episodes.length }))
  const [short, first, second] = series as [MalAnime, MalAnime, MalAnime]
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'myanimelist') })
  await expectOk(service, '/api/plugins/myanimelist/enable', {})
  await until('it runs', async () => (await service.plugin('myanimelist')).state === 'active')
  await saveSettings(service, 'myanimelist', {
    ...{ api_url: mal.apiUrl, oauth_url: mal.oauthUrl, rate_limit: { get_per_sec: 0, post_per_sec: 0 } },
  })
  const { authorize_url: address } = await expectOk(service, '/api/myanimelist/authorize', {
    ...{ origin: service.url, client_id: mal.clientId },
  })
  t.equal((await service.json(mal.approve(String(address)).slice(service.url.length))).status, 200)
  await world.map(service, 'MYANIMELIST')
  await world.pair(service, 'MYANIMELIST')

  // Each side has what the other lacks. The episodes of the first season have no times.
  mal.put(ann!, movies[0]!, { status: 'completed', num_episodes_watched: 1, score: 9, finish_date: '2025-11-02' })
  mal.put(ann!, movies[1]!, { status: 'plan_to_watch' })
  mal.put(ann!, movies[2]!, { status: 'dropped' })
  mal.put(ann!, first, { status: 'on_hold', num_episodes_watched: 2 })
  trakt.user.watch(films[3]!.entry, world.playedMs)
  for (const episode of seasons[2]!.entries.slice(0, 2)) trakt.user.watch(episode, world.playedMs)
  trakt.user.rate(films[2]!.entry, 7, world.playedMs)
  trakt.user.addToWatchlist(seasons[0]!.show, world.playedMs)
  t.match(await runToEnd(service), { result: 'ok' })

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
  t.match(ann!.list.get(movies[3]!.id), { status: 'completed', finish_date: '2025-11-03' })
  t.match(ann!.list.get(second.id), { status: 'watching', num_episodes_watched: 2, start_date: '2025-11-03' })
  t.match(ann!.list.get(first.id), { status: 'on_hold', num_episodes_watched: 2 })
  t.match(ann!.list.get(short.id), { status: 'plan_to_watch' })
  t.match(ann!.list.get(movies[2]!.id), { status: 'dropped', score: 7 })

  // Nothing is left to do. A removal at Trakt is carried; one at MyAnimeList could be a change of the status.
  const before = mal.changes().length
  await runToEnd(service)
  t.equal(mal.changes().length, before)
  trakt.user.unwatch(films[3]!.entry)
  ann!.list.delete(movies[1]!.id)
  for (let run = 0; run < 2; run += 1) await runToEnd(service)
  t.match(ann!.list.get(movies[3]!.id), { status: 'watching', num_episodes_watched: 0 })
  t.ok(world.planned().includes(films[1]!.entry.key))

  // A service that is down removes nothing.
  const plays = world.plays()
  mal.faults.add({ kind: 'status', status: 503 })
  await runToEnd(service)
  t.same(world.plays(), plays)

  t.match(await service.json('/api/plugin-folders/myanimelist', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/myanimelist')).status === 404)
  t.equal((await service.json('/api/myanimelist/authorize', { json: {} })).status, 404)
  for (const token of mal.tokens()) t.notOk(service.log.join('\n').includes(token))
})
