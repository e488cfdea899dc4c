// slow: a running service with a plugin on a thread of its own
// Tracearr is added while the service runs: each play of one person reaches Trakt once, and it is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startTracearr } from '../../plugins/directory/tracearr/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const at = (text: string) => Date.parse(text)

t.test('plays that Tracearr recorded reach a tracker, each once, and only those of the person', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using tracearr = await startTracearr()
  const [ann, bob] = [tracearr.addPerson('Ann'), tracearr.addPerson('Bob')]
  const [film, other] = trakt.catalogue.movies
  const show = trakt.catalogue.shows[0]!
  const media = [film!, other!].map(({ ids, title }) =>
    tracearr.addMedia({ title, imdb_id: ids.imdb!, tmdb_id: ids.tmdb! }),
  )
  const series = tracearr.addMedia({ title: show.title, tvdb_id: show.ids.tvdb! })
  const movie = (index: number) => ({ media_type: 'movie', media: media[index]! })
  tracearr.play(ann.id, at('2025-03-01T21:00:00Z'), movie(0))
  tracearr.play(ann.id, at('2025-05-02T20:00:00Z'), movie(0))
  const part = { media_type: 'episode', media: tracearr.addMedia({}), show: series, season: 1, episode: 1 }
  tracearr.play(ann.id, at('2025-05-03T20:00:00Z'), part)
  tracearr.play(ann.id, at('2025-05-04T20:00:00Z'), { ...movie(1), watched: false })
  tracearr.play(bob.id, at('2025-05-05T20:00:00Z'), movie(1))
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'tracearr') })
  await expectOk(service, '/api/plugins/tracearr/enable', {})
  await until('it runs', async () => (await service.plugin('tracearr')).state === 'active')
  const login = { server: tracearr.url, api_key: tracearr.apiKey, user: 'Ann' }
  t.match(await expectOk(service, '/api/tracearr/save', login), { ok: true, user: 'Ann' })
  await expectOk(service, '/api/pairs', {
    ...{ source: 'TRACEARR', target: 'TRACKA', mode: 'one_way', enabled: true },
    features: { history: { enabled: true, add: true, remove: true, rewatches: true } },
  })
  const plays = () => trakt.user.plays().map(({ key, watchedAtMs }) => `${key} ${new Date(watchedAtMs).toISOString()}`)
  const keyOf = (type: 'movie' | 'episode', ids: unknown) => trakt.catalogue.find(type, ids)!.key
  const first = show.seasons.find(({ number }) => number === 1)!.episodes[0]!
  t.match(await runToEnd(service), { result: 'ok' })
  t.same(
    plays().toSorted(),
    [
      `${keyOf('movie', film!.ids)} 2025-03-01T21:00:00.000Z`,
      `${keyOf('movie', film!.ids)} 2025-05-02T20:00:00.000Z`,
      `${keyOf('episode', first.ids)} 2025-05-03T20:00:00.000Z`,
    ].toSorted(),
  )

  // Nothing is left to do, and a cleaned log removes nothing.
  await runToEnd(service)
  tracearr.plays = []
  await runToEnd(service)
  t.equal(plays().length, 3)

  t.match(await service.json('/api/plugin-folders/tracearr', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/tracearr')).status === 404)
  t.equal((await service.json('/api/tracearr/save', { json: login })).status, 404)
  t.notMatch(service.log.join('\n'), tracearr.apiKey)
})
