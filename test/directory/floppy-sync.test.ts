// slow: a running service with a plugin on a thread of its own
// Floppy is added from its folder while the service runs, syncs both ways with Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startFloppy } from '../../plugins/directory/floppy/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const PLAYED = '2025-11-02T20:30:00Z'
const PLAYED_MS = Date.parse(PLAYED)
type Shown = Awaited<ReturnType<typeof startTrakt>>['catalogue']['shows'][number]

t.test('a server is added to a running service, syncs both ways, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using floppy = await startFloppy()
  const [ann, bob] = floppy.owners as readonly [(typeof floppy.owners)[number], (typeof floppy.owners)[number]]
  const { catalogue } = trakt
  const films = catalogue.movies.filter(({ ids }) => ids.tmdb != null).slice(0, 5)
  const movies = films.map(({ ids }) => catalogue.find('movie', ids)!)
  const titles = films.map(({ ids, title }) => floppy.movie(String(ids.tmdb), { title }))
  const [show, other] = catalogue.shows.filter(({ ids }) => ids.tmdb != null) as [Shown, Shown]
  const season = show.seasons.find(({ number }) => number === 1)!
  const [first, second] = season.episodes.slice(0, 2).map(({ ids }) => catalogue.find('episode', ids)!)
  const series = floppy.show(String(show.ids.tmdb), { title: show.title })
  const [one] = [1, 2].map((episode) => floppy.episode(series, 1, episode))
  const planned = floppy.show(String(other.ids.tmdb), { title: other.title })
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'floppy') })
  await expectOk(service, '/api/plugins/floppy/enable', {})
  await until('it runs', async () => (await service.plugin('floppy')).state === 'active')
  const login = { server: floppy.url, api_token: [...ann.tokens][0] }
  const wrong = await service.json('/api/floppy/save', { json: { ...login, api_token: 'no' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_token' } })
  await expectOk(service, '/api/floppy/save', login)

  // Each account has titles that the other lacks.
  floppy.enter(ann, titles[0]!, { status: 3, end_date: PLAYED })
  floppy.enter(ann, one!, { status: 3, end_date: PLAYED })
  floppy.enter(ann, titles[1]!, { status: 2, score: 9 })
  const noted = floppy.enter(ann, titles[3]!, { status: 2, notes: 'With Bob' })
  floppy.enter(ann, titles[4]!, { status: 0, created_at: PLAYED })
  floppy.enter(bob, titles[4]!, { status: 3, end_date: PLAYED })
  trakt.user.watch(movies[2]!, PLAYED_MS)
  trakt.user.watch(second!, PLAYED_MS)
  trakt.user.rate(movies[3]!, 4, PLAYED_MS)
  trakt.user.addToWatchlist({ type: 'show', ids: other.ids })
  await expectOk(service, '/api/pairs', {
    ...{ source: 'FLOPPY', target: 'TRACKA', mode: 'two_way', enabled: true },
    features: { watchlist: ON, history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  const plays = () => trakt.user.plays().map(({ key, watchedAtMs }) => [key, watchedAtMs])
  t.same(plays().toSorted(), [movies[0], movies[2], first, second].map((entry) => [entry!.key, PLAYED_MS]).toSorted())
  const seen = () =>
    ann.entries
      .filter(({ status, title }) => status === 3 && title.media_type !== 'tv')
      .map(({ title, end_date: end }) => [title.title, title.episode_number, end])
  t.same(
    seen().toSorted(),
    [
      [titles[0]!.title, null, PLAYED],
      [titles[2]!.title, null, PLAYED],
      ['Episode 1', 1, PLAYED],
      ['Episode 2', 2, PLAYED],
    ].toSorted(),
  )
  t.match(noted, { score: 4, notes: 'With Bob', status: 2 })
  t.equal(trakt.user.account.ratings.get(movies[1]!.key)?.rating, 9)
  const listed = () => trakt.user.account.watchlist.map(({ entry }) => entry.key).toSorted()
  t.same(listed(), [movies[4]!.key, catalogue.find('show', other.ids)!.key].toSorted())
  const isPlanned = () => ann.entries.some(({ title, status }) => title === planned && status === 0)
  t.ok(isPlanned())

  // Nothing is left to do.
  const writes = () => floppy.requests.filter(({ method }) => method !== 'GET').length
  const before = writes()
  await runToEnd(service)
  t.equal(writes(), before)

  // A removal at Trakt reaches Floppy; one of history does not, and neither does one at Floppy reach Trakt.
  trakt.user.rate(movies[3]!, undefined)
  trakt.user.removeFromWatchlist({ type: 'show', ids: other.ids })
  trakt.user.unwatch(movies[2]!)
  ann.entries = ann.entries.filter(({ title }) => title !== titles[0])
  await runToEnd(service)
  await runToEnd(service)
  t.match(noted, { score: null, notes: 'With Bob', status: 2 })
  t.notOk(isPlanned())
  t.ok(seen().some(([title]) => title === titles[2]!.title))
  t.notOk(plays().some(([key]) => key === movies[2]!.key))
  t.ok(plays().some(([key]) => key === movies[0]!.key))

  // A server that is off removes nothing.
  const left = plays().length
  await floppy.close()
  await runToEnd(service)
  t.equal(plays().length, left)
  t.equal(bob.entries.length, 1)

  t.match(await service.json('/api/plugin-folders/floppy', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/floppy')).status === 404)
  t.notMatch(service.log.join('\n'), /flp_of_/)
})
