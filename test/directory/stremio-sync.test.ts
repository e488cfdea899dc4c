// slow: a running service with a plugin on a thread of its own
// Stremio is added from its folder while the service runs, syncs both ways with Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startStremio } from '../../plugins/directory/stremio/stand-in.ts'
import { expectOk, runToEnd, saveSettings, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const PLAYED = '2025-11-02T20:30:00.000Z'
const PLAYED_MS = Date.parse(PLAYED)

t.test('a library is added to a running service, syncs both ways, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using stremio = await startStremio()
  const [ann] = stremio.accounts as readonly [(typeof stremio.accounts)[number]]
  const { catalogue } = trakt
  const films = catalogue.movies.filter(({ ids }) => typeof ids.imdb === 'string').slice(0, 4)
  const movies = films.map(({ ids }) => catalogue.find('movie', ids)!)
  for (const { ids, title } of films) stremio.addMovie(ids.imdb!, title)
  const show = catalogue.shows.find(({ ids }) => typeof ids.imdb === 'string')!
  const season = show.seasons.find(({ number }) => number === 1)!
  const episodes = season.episodes.slice(0, 3).map(({ ids }) => catalogue.find('episode', ids)!)
  const showId = show.ids.imdb!
  stremio.addSeries(showId, [2, season.episodes.length], show.title)
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'stremio') })
  await expectOk(service, '/api/plugins/stremio/enable', {})
  await until('it runs', async () => (await service.plugin('stremio')).state === 'active')
  await saveSettings(service, 'stremio', { api_url: stremio.url, videos_url: stremio.url })
  const wrong = await service.json('/api/stremio/login', { json: { email: ann.email, password: 'no' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_credentials' } })
  await expectOk(service, '/api/stremio/login', { email: ann.email, password: ann.password })

  // Each account has titles that the other lacks.
  stremio.watch(ann, films[0]!.ids.imdb!, PLAYED)
  stremio.mark(ann, showId, 1, 1)
  stremio.play(ann, showId, 1, 3, PLAYED)
  stremio.addToLibrary(ann, films[1]!.ids.imdb!)
  trakt.user.watch(movies[2]!, PLAYED_MS)
  trakt.user.watch(episodes[1]!, PLAYED_MS)
  await expectOk(service, '/api/pairs', {
    ...{
      source: 'STREMIO',
      target: 'TRACKA',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: ON, history: ON },
    },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  const plays = () => trakt.user.plays().map(({ key, watchedAtMs }) => [key, watchedAtMs])
  t.same(
    plays().toSorted(),
    [movies[0], movies[2], episodes[1], episodes[2]].map((entry) => [entry!.key, PLAYED_MS]).toSorted(),
    'an episode without a time is not given one',
  )
  t.same(
    stremio.watchedVideos(ann.titles.get(showId)!),
    [1, 2, 3].map((episode) => `${showId}:1:${episode}`),
  )
  t.match(ann.titles.get(films[2]!.ids.imdb!), { removed: true, state: { timesWatched: 1, lastWatched: PLAYED } })
  t.equal(trakt.user.account.watchlist.length, 1)

  // Nothing is left to do, and a removal is carried.
  const writes = () => stremio.requests.filter(({ path }) => path === '/api/datastorePut').length
  const before = writes()
  await runToEnd(service)
  t.equal(writes(), before)
  const watched = ann.titles.get(films[0]!.ids.imdb!)!
  watched.state.timesWatched = 0
  stremio.change(ann, watched)
  await runToEnd(service)
  t.notOk(plays().some(([key]) => key === movies[0]!.key))

  // A session that ended removes nothing.
  const left = plays().length
  ann.keys.clear()
  await runToEnd(service)
  t.equal(plays().length, left)

  t.match(await service.json('/api/plugin-folders/stremio', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/stremio')).status === 404)
  t.equal((await service.json('/api/stremio/login', { json: {} })).status, 404)
  t.notMatch(service.log.join('\n'), /the-password-of|the-key-/)
})
