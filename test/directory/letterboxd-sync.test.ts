// slow: a running service with a plugin on a thread of its own
// Letterboxd is added from its folder while the service runs, is synced to Trakt, and is removed again.
import { join } from 'node:path'
import t from 'tap'
import { startLetterboxd } from '../../plugins/directory/letterboxd/stand-in.ts'
import { expectOk, runToEnd, saveSettings, signInToTrakt } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }
const MEMBER = 'ann_films'

t.test('a diary is added to a running service, is synced one way, and is removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using letterboxd = await startLetterboxd()
  const films = trakt.catalogue.movies.filter(({ ids }) => ids.tmdb != null).slice(0, 3)
  const movies = films.map(({ ids }) => trakt.catalogue.find('movie', ids)!)
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)

  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, 'letterboxd') })
  await expectOk(service, '/api/plugins/letterboxd/enable', {})
  await until('it runs', async () => (await service.plugin('letterboxd')).state === 'active')
  await saveSettings(service, 'letterboxd', { base_url: letterboxd.url })
  const wrong = await service.json('/api/letterboxd/save', { json: { username: 'no_such_member' } })
  t.match(wrong, { status: 404, body: { error: 'unknown_member' } })
  await expectOk(service, '/api/letterboxd/save', { username: MEMBER })

  const log = (n: number, watched: string, halfStars?: number) => {
    const { title, year, ids } = films[n]!
    const rating = halfStars === undefined ? {} : { halfStars }
    letterboxd.log(MEMBER, { title, year: year!, movieId: Number(ids.tmdb), watched, ...rating })
  }
  log(0, '2025-11-02', 7)
  log(1, '2025-11-03')
  trakt.user.watch(movies[2]!, Date.parse('2025-10-01T10:00:00Z'))
  await expectOk(service, '/api/pairs', {
    ...{ source: 'LETTERBOXD', target: 'TRACKA', mode: 'one_way', enabled: true },
    features: { history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
  })
  t.match(await runToEnd(service), { result: 'ok' })
  const plays = () =>
    trakt.user
      .plays()
      .map(({ key, watchedAtMs }) => `${key} ${new Date(watchedAtMs).toISOString().slice(0, 10)}`)
      .toSorted()
  const expected = [
    `${movies[0]!.key} 2025-11-02`,
    `${movies[1]!.key} 2025-11-03`,
    `${movies[2]!.key} 2025-10-01`,
  ].toSorted()
  t.same(plays(), expected)
  t.match(
    [...trakt.user.account.ratings.values()].map(({ entry, rating }) => [entry.key, rating]),
    [[movies[0]!.key, 7]],
  )

  // An entry that leaves the feed, and a feed that cannot be read, remove nothing.
  letterboxd.diaries.get(MEMBER)!.pop()
  await runToEnd(service)
  letterboxd.faults.add({ kind: 'html', status: 503 })
  await runToEnd(service)
  t.same(plays(), expected)

  t.match(await service.json('/api/plugin-folders/letterboxd', { method: 'DELETE' }), { status: 200 })
  await until('it is gone', async () => (await service.json('/api/plugins/letterboxd')).status === 404)
})
