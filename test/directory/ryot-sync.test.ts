// slow: a running service with a plugin on a thread of its own
// Ryot is added from its folder while the service runs, syncs both ways with Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startRyot } from '../../plugins/directory/ryot/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const PLAYED = '2025-11-02T20:30:00.000Z'
const PLAYED_MS = Date.parse(PLAYED)

t.test('a server is added to a running service, syncs both ways, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using ryot = await startRyot()
  const [ann] = ryot.owners as readonly [(typeof ryot.owners)[number]]
  const { catalogue } = trakt
  const films = catalogue.movies.filter(({ ids }) => ids.tmdb != null).slice(0, 4)
  const movies = films.map(({ ids }) => catalogue.find('movie', ids)!)
  const titles = films.map(({ ids, title }) => ryot.addTitle('MOVIE', String(ids.tmdb), { title }))
  const show = catalogue.shows.find(({ ids }) => ids.tmdb != null)!
  const season = show.seasons.find(({ number }) => number === 1)!
  const episodes = season.episodes.slice(0, 2).map(({ ids }) => catalogue.find('episode', ids)!)
  const series = ryot.addTitle('SHOW', String(show.ids.tmdb), { title: show.title })
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'ryot') })
  await expectOk(service, '/api/plugins/ryot/enable', {})
  await until('it runs', async () => (await service.plugin('ryot')).state === 'active')
  const login = { server: ryot.url, username: ann.name, password: ann.password }
  const wrong = await service.json('/api/ryot/login', { json: { ...login, password: 'no' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_credentials' } })
  await expectOk(service, '/api/ryot/login', login)

  // Each account has titles that the other lacks.
  ryot.see(ann, titles[0]!.id, PLAYED)
  ryot.see(ann, series.id, PLAYED, { season: 1, episode: 1 })
  ryot.rate(ann, titles[1]!.id, 90, PLAYED)
  trakt.user.watch(movies[2]!, PLAYED_MS)
  trakt.user.watch(episodes[1]!, PLAYED_MS)
  trakt.user.rate(movies[3]!, 4, PLAYED_MS)
  await expectOk(service, '/api/pairs', {
    ...{ source: 'RYOT', target: 'TRACKA', mode: 'two_way', enabled: true },
    features: { history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  const plays = () => trakt.user.plays().map(({ key, watchedAtMs }) => [key, watchedAtMs])
  t.same(
    plays().toSorted(),
    [movies[0], movies[2], episodes[0], episodes[1]].map((entry) => [entry!.key, PLAYED_MS]).toSorted(),
  )
  t.same(
    ann.seen
      .map(({ metadataId, finishedOn, showExtraInformation: part }) => [metadataId, finishedOn, part?.episode])
      .toSorted(),
    [
      [titles[0]!.id, PLAYED, undefined],
      [titles[2]!.id, PLAYED, undefined],
      [series.id, PLAYED, 1],
      [series.id, PLAYED, 2],
    ].toSorted(),
  )
  t.same(ann.reviews.map(({ metadataId, rating }) => [metadataId, rating]).toSorted(), [
    [titles[1]!.id, '90'],
    [titles[3]!.id, '40'],
  ])

  // Nothing is left to do, and a removal is carried once two reads agree.
  const writes = () => ryot.requests.filter(({ body }) => body.includes('"query":"mutation')).length
  const before = writes()
  await runToEnd(service)
  t.equal(writes(), before)
  ann.seen.splice(0, 1)
  await runToEnd(service)
  await runToEnd(service)
  t.notOk(plays().some(([key]) => key === movies[0]!.key))

  // A server that is off removes nothing.
  const left = plays().length
  await ryot.close()
  await runToEnd(service)
  t.equal(plays().length, left)

  t.match(await service.json('/api/plugin-folders/ryot', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/ryot')).status === 404)
  t.notMatch(service.log.join('\n'), /the-password-of|the-token-/)
})
