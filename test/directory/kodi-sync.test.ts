// slow: a running service with a plugin on a thread of its own
// Kodi is added from its folder while the service runs, syncs both ways with Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { type KodiBox, startKodi } from '../../plugins/directory/kodi/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt, type Trakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const PLAYED_MS = Date.parse('2025-11-02T20:30:00Z')

/** The first films and the first show of Trakt's catalogue, as a library. */
function fill(box: KodiBox, { catalogue }: Trakt) {
  const uniqueid = ({ ids }: { readonly ids: object }) =>
    Object.fromEntries(
      Object.entries(ids)
        .filter(([scheme, id]) => ['imdb', 'tmdb', 'tvdb'].includes(scheme) && id != null)
        .map(([scheme, id]) => [scheme, String(id)]),
    )
  const films = catalogue.movies.slice(0, 4)
  const show = catalogue.shows[0]!
  const season = show.seasons.find(({ number }) => number === 1)!
  const { id: tvshowid } = box.addShow({ title: show.title, uniqueid: uniqueid(show) })
  return {
    movies: films.map(({ ids }) => catalogue.find('movie', ids)!),
    videos: films.map((film) => box.addMovie({ title: film.title, year: film.year, uniqueid: uniqueid(film) })),
    episodes: season.episodes.slice(0, 2).map(({ ids }) => catalogue.find('episode', ids)!),
    parts: [1, 2].map((episode) => box.addEpisode({ tvshowid, season: 1, episode })),
  }
}

t.test('a plugin of the directory is added to a running service, syncs, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using box = await startKodi({ zone: 'Europe/Berlin' })
  const { movies, videos, episodes, parts } = fill(box, trakt)
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'kodi') })
  t.match(await service.plugin('kodi'), { state: 'disabled', origin: 'user' })
  await expectOk(service, '/api/plugins/kodi/enable', {})
  await until('it runs', async () => (await service.plugin('kodi')).state === 'active')
  const wrong = await service.json('/api/kodi/login', { json: { server: box.url, username: 'kodi', password: 'no' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_credentials' } })
  const login = { server: box.url, username: box.username, password: box.password }
  t.match(await expectOk(service, '/api/kodi/login', login), { ok: true, time_zone: 'Europe/Berlin' })

  // Each side has a film and a rating that the other lacks; Kodi's time is a local one.
  Object.assign(box.marksOf(videos[0]!.file), { playcount: 1, lastplayed: '2025-11-02 21:30:00' })
  videos[1]!.userrating = 9
  Object.assign(box.marksOf(parts[0]!.file), { playcount: 1, lastplayed: '2025-11-02 21:30:00' })
  trakt.user.watch(movies[2]!, PLAYED_MS)
  trakt.user.rate(movies[3]!, 4, PLAYED_MS)
  trakt.user.watch(episodes[1]!, PLAYED_MS)
  await expectOk(service, '/api/pairs', {
    ...{
      source: 'KODI',
      target: 'TRACKA',
      mode: 'two_way',
      enabled: true,
      features: { history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
    },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  t.same(
    trakt.user
      .plays()
      .map(({ key, watchedAtMs }) => [key, watchedAtMs])
      .toSorted(),
    [movies[0], movies[2], episodes[0], episodes[1]].map((entry) => [entry!.key, PLAYED_MS]).toSorted(),
  )
  t.same(
    [videos[2], parts[1]].map((one) => box.marksOf(one!.file)),
    Array(2).fill({ playcount: 1, lastplayed: '2025-11-02 21:30:00', position: 0, total: 0 }),
  )
  t.same([videos[1]!.userrating, videos[3]!.userrating], [9, 4])

  // Nothing is left to do, and a removal is carried.
  const writes = () =>
    box.calls('VideoLibrary.SetMovieDetails').length + box.calls('VideoLibrary.SetEpisodeDetails').length
  const before = writes()
  await runToEnd(service)
  t.equal(writes(), before)
  box.marksOf(videos[0]!.file).playcount = 0
  await runToEnd(service)
  t.notOk(trakt.user.plays().some(({ key }) => key === movies[0]!.key))

  // A box that is asleep removes nothing.
  const plays = trakt.user.plays().length
  await box.close()
  await runToEnd(service)
  t.equal(trakt.user.plays().length, plays)

  t.match(await service.json('/api/plugin-folders/kodi', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/kodi')).status === 404)
  t.equal((await service.json('/api/kodi/login', { json: login })).status, 404)
  t.notMatch(service.log.join('\n'), box.password)
})
