// slow: a running service with a plugin on a thread of its own
// Seerr is added while the service runs: a watchlist of Trakt becomes requests of the right person, and back, and it is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startSeerr, type Work } from '../../plugins/directory/seerr/stand-in.ts'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)

t.test('a watchlist becomes requests of the person, and requests become a watchlist', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using seerr = await startSeerr()
  const [ann, bob] = [seerr.addPerson({ jellyfinUsername: 'ann' }), seerr.addPerson({ jellyfinUsername: 'bob' })]
  const films = trakt.catalogue.movies.slice(0, 4)
  const show = trakt.catalogue.shows[0]!
  const works = films.map(({ ids, title }) => seerr.addWork({ kind: 'movie', tmdb: ids.tmdb!, imdb: ids.imdb!, title }))
  const series = seerr.addWork({ kind: 'tv', tmdb: show.ids.tmdb!, tvdb: show.ids.tvdb!, title: show.title })
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'seerr') })
  await expectOk(service, '/api/plugins/seerr/enable', {})
  await until('it runs', async () => (await service.plugin('seerr')).state === 'active')
  const login = { server: seerr.url, api_key: seerr.apiKey, user: 'ann' }
  const wrong = await service.json('/api/seerr/save', { json: { ...login, api_key: 'not-the-key' } })
  t.match(wrong, { status: 401, body: { error: 'invalid_api_key' } })
  t.match(await expectOk(service, '/api/seerr/save', login), { ok: true, user: 'ann' })

  // Two titles of each side; of those of Trakt one was requested by Bob.
  for (const [type, { ids }] of [
    ['movie', films[0]!],
    ['movie', films[1]!],
    ['show', show],
  ] as const)
    trakt.user.addToWatchlist(trakt.catalogue.find(type, ids)!)
  seerr.ask(bob.id, works[1]!)
  seerr.ask(ann.id, works[2]!)
  seerr.ask(ann.id, works[3]!, { status: 2 })
  await expectOk(service, '/api/pairs', {
    source: 'SEERR',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features: { watchlist: { enabled: true, add: true, remove: true } },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  // A film and a show may have the same number.
  const asked = () =>
    seerr.requestsMade
      .filter(({ userId }) => userId === ann.id)
      .map(({ media }) => `${media.kind}/${media.tmdbId}`)
      .toSorted()
  const keys = (...some: readonly Work[]) => some.map(({ kind, tmdb }) => `${kind}/${tmdb}`).toSorted()
  t.same(asked(), keys(works[0]!, works[2]!, works[3]!, series))
  t.same(
    seerr.listed.map(({ userId, tmdbId }) => [userId, tmdbId]),
    [[ann.id, works[1]!.tmdb]],
  )
  t.equal(seerr.requestsMade.filter(({ userId }) => userId === bob.id).length, 1)
  t.equal(trakt.user.account.watchlist.length, 5)

  // Nothing is left to do.
  const writes = () => seerr.requests.filter(({ method }) => method !== 'GET').length
  const before = writes()
  t.match(await runToEnd(service), { result: 'ok' })
  t.equal(writes(), before)

  // Taken off at Trakt: a request that waits is cancelled, one that was approved stays.
  for (const at of [0, 3]) trakt.user.removeFromWatchlist(trakt.catalogue.find('movie', films[at]!.ids)!)
  await runToEnd(service)
  t.equal(asked().length, 4, 'a list that is shorter is read once more before it is believed')
  await runToEnd(service)
  t.same(asked(), keys(works[2]!, works[3]!, series))
  // A request that vanishes at Seerr, and a Seerr that is down, remove nothing.
  seerr.requestsMade = seerr.requestsMade.filter(({ media }) => media.kind !== 'tv')
  await runToEnd(service)
  await seerr.close()
  await runToEnd(service)
  const { key } = trakt.catalogue.find('show', show.ids)!
  t.ok(trakt.user.account.watchlist.some(({ entry }) => entry.key === key))

  t.match(await service.json('/api/plugin-folders/seerr', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/seerr')).status === 404)
  t.equal((await service.json('/api/seerr/save', { json: login })).status, 404)
  t.notMatch(service.log.join('\n'), seerr.apiKey)
})
