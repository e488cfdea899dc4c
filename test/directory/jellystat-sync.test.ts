// slow: a running service with a plugin on a thread of its own
// Jellystat is added while the service runs: each play of one person reaches Trakt once, and it is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startJellystat } from '../../plugins/directory/jellystat/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const at = (text: string) => Date.parse(text)
const [ANN, BOB] = ['0a5e0000000000000000000000000001', '0a5e0000000000000000000000000002']

t.test('plays that Jellystat recorded reach a tracker, each once, and only those of the person', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using jellystat = await startJellystat()
  jellystat.users.set(ANN!, 'Ann').set(BOB!, 'Bob')
  const [film, other] = trakt.catalogue.movies
  const show = trakt.catalogue.shows[0]!
  const movies = [film!, other!].map(({ ids, title }) =>
    jellystat.addItem({ type: 'Movie', name: title, providerIds: { Imdb: ids.imdb! }, length: 6_000 }),
  )
  const series = jellystat.addItem({ type: 'Series', name: show.title, providerIds: { Tvdb: String(show.ids.tvdb) } })
  const episode = jellystat.addItem({
    ...{ type: 'Episode', providerIds: {}, length: 2_700 },
    ...{ series: series.id, season: 1, episode: 1 },
  })
  jellystat.watch(ANN!, movies[0]!, at('2025-03-01T21:00:00Z'))
  jellystat.watch(ANN!, movies[0]!, at('2025-05-01T20:00:00Z'), 3_600)
  jellystat.watch(ANN!, movies[0]!, at('2025-05-02T20:00:00Z'), 2_300)
  jellystat.watch(ANN!, episode, at('2025-05-03T20:00:00Z'))
  jellystat.watch(ANN!, movies[1]!, at('2025-05-04T20:00:00Z'), 400)
  jellystat.watch(BOB!, movies[1]!, at('2025-05-05T20:00:00Z'))
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'jellystat') })
  await expectOk(service, '/api/plugins/jellystat/enable', {})
  await until('it runs', async () => (await service.plugin('jellystat')).state === 'active')
  const login = {
    ...{ server: jellystat.stats.url, api_key: jellystat.apiKey },
    ...{ media_server: jellystat.media.url, media_key: jellystat.mediaKey, user: 'Ann' },
  }
  t.match(await expectOk(service, '/api/jellystat/save', login), { ok: true, user: 'Ann' })
  await expectOk(service, '/api/pairs', {
    ...{ source: 'JELLYSTAT', target: 'TRACKA', mode: 'one_way', enabled: true },
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

  // Nothing is left to do; a cleaned log, and a database that fails, remove nothing.
  await runToEnd(service)
  t.equal(plays().length, 3)
  jellystat.isBroken = true
  await runToEnd(service)
  jellystat.isBroken = false
  jellystat.log = []
  await runToEnd(service)
  t.equal(plays().length, 3)

  t.match(await service.json('/api/plugin-folders/jellystat', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/jellystat')).status === 404)
  t.equal((await service.json('/api/jellystat/save', { json: login })).status, 404)
  t.notMatch(service.log.join('\n'), new RegExp(`${jellystat.apiKey}|${jellystat.mediaKey}`))
})
