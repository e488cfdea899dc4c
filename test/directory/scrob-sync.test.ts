// slow: a running service with a plugin on a thread of its own
// Scrob is added from its folder while the service runs, syncs both ways with Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startScrob } from '../../plugins/directory/scrob/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const PLAYED = '2025-11-02T20:30:00'
const PLAYED_MS = Date.parse(`${PLAYED}Z`)

t.test('a server is added to a running service, syncs both ways, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using scrob = await startScrob()
  const [ann, bob] = scrob.owners as readonly [(typeof scrob.owners)[number], (typeof scrob.owners)[number]]
  const { catalogue } = trakt
  const films = catalogue.movies.filter(({ ids }) => ids.tmdb != null).slice(0, 5)
  const movies = films.map(({ ids }) => catalogue.find('movie', ids)!)
  const titles = films.map(({ ids, title }) => scrob.movie(ids.tmdb!, title))
  const show = catalogue.shows.find(({ ids }) => ids.tmdb != null)!
  const season = show.seasons.find(({ number }) => number === 1)!
  const [first, second] = season.episodes.slice(0, 2).map(({ ids }) => catalogue.find('episode', ids)!)
  const series = { tmdb: show.ids.tmdb!, tvdb: show.ids.tvdb ?? null, title: show.title }
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'scrob') })
  await expectOk(service, '/api/plugins/scrob/enable', {})
  await until('it runs', async () => (await service.plugin('scrob')).state === 'active')
  const login = { server: scrob.url, username: ann.username, api_key: ann.apiKey }
  const wrong = await service.json('/api/scrob/save', { json: { ...login, api_key: 'no' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_api_key' } })
  await expectOk(service, '/api/scrob/save', login)

  // Each account has titles that the other lacks.
  scrob.watch(ann, titles[0]!, PLAYED)
  scrob.watch(ann, scrob.episode(series, 1, 1, { tmdb_id: season.episodes[0]!.ids.tmdb ?? null }), PLAYED)
  scrob.rate(ann, titles[1]!, 9, PLAYED)
  scrob.list(ann, titles[4]!, PLAYED)
  scrob.watch(bob, titles[4]!, PLAYED)
  trakt.user.watch(movies[2]!, PLAYED_MS)
  trakt.user.watch(second!, PLAYED_MS)
  trakt.user.rate(movies[3]!, 4, PLAYED_MS)
  trakt.user.addToWatchlist(movies[3]!)
  await expectOk(service, '/api/pairs', {
    ...{ source: 'SCROB', target: 'TRACKA', mode: 'two_way', enabled: true },
    features: { watchlist: ON, history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  const plays = () => trakt.user.plays().map(({ key, watchedAtMs }) => [key, watchedAtMs])
  t.same(plays().toSorted(), [movies[0], movies[2], first, second].map((entry) => [entry!.key, PLAYED_MS]).toSorted())
  t.same(
    ann.events.map(({ media, watched_at: at }) => [media.title, media.episode_number, at?.slice(0, 19)]).toSorted(),
    [
      [titles[0]!.title, null, PLAYED],
      [titles[2]!.title, null, PLAYED],
      ['Episode 1', 1, PLAYED],
      ['Episode 2', 2, PLAYED],
    ].toSorted(),
  )
  t.same(
    ann.ratings.map(({ media, rating }) => [media.title, rating]).toSorted(),
    [
      [titles[1]!.title, 9],
      [titles[3]!.title, 4],
    ].toSorted(),
  )
  t.same(
    ann.lists[0]!.items.map(({ media }) => media.title).toSorted(),
    [titles[3]!.title, titles[4]!.title].toSorted(),
  )

  // Nothing is left to do, and a removal is carried once two reads agree.
  const writes = () => scrob.requests.filter(({ method }) => method !== 'GET').length
  const before = writes()
  await runToEnd(service)
  t.equal(writes(), before)
  ann.events.splice(0, 1)
  await runToEnd(service)
  await runToEnd(service)
  t.notOk(plays().some(([key]) => key === movies[0]!.key))

  // A server that is off removes nothing, and neither does a list that is gone.
  ann.lists.length = 0
  await runToEnd(service)
  await runToEnd(service)
  const left = plays().length
  await scrob.close()
  await runToEnd(service)
  t.equal(plays().length, left)
  t.equal(bob.events.length, 1)

  t.match(await service.json('/api/plugin-folders/scrob', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/scrob')).status === 404)
  t.notMatch(service.log.join('\n'), /the-key-of-/)
})
