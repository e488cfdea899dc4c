// slow: every request of every provider
// The lookup of titles and pictures while the responses of the service are invalid.
import t from 'tap'
import { createTestClock, startServer } from '@playhead/sdk/testing'
import { startBench } from '../plugins/metadata/support.ts'
import { A_WHILE_MS } from './asking.ts'
import { spoilsOf } from './spoils.ts'
import { seed } from '../fast-check.ts'

const STATUSES = new Set([200, 400, 401, 404, 422, 429, 502, 503, 504])
const TURNS = 3

t.test('every route answers, states its errors, and keeps the key', async (t) => {
  await using elsewhere = await startServer(() => ({ json: {} }))
  const clock = createTestClock(Date.now())
  await using bench = await startBench({ movies: 60, shows: 4, clock })
  const { tmdb, host } = bench
  const [film, show] = [tmdb.works.movies[0]!, tmdb.works.shows[0]!]
  let turn = 0
  // Use a different title for each lookup, so that no result is cached.
  const next = () => tmdb.works.movies[turn++ % tmdb.works.movies.length]!
  const questions: readonly (readonly [method: 'GET' | 'POST', url: () => string, payload?: () => object])[] = [
    ['GET', () => `/api/metadata/search?q=${encodeURIComponent(`${film.title} ${turn++}`)}&typ=movie`],
    ['POST', () => '/api/metadata/resolve', () => ({ entity: 'movie', ids: { tmdb: String(next().id) } })],
    [
      'POST',
      () => '/api/metadata/bulk',
      () => ({
        items: [
          { type: 'movie', tmdb: next().id },
          { type: 'show', tmdb: show.id },
        ],
      }),
    ],
    ['GET', () => `/art/metaA/movie/${next().id}?size=w342`],
    ['POST', () => '/api/metaA/verify', () => ({ api_key: tmdb.apiKey })],
    ['POST', () => '/api/metaA/save', () => ({ api_key: '0'.repeat(32) })],
  ]
  let asked = 0

  for (const [method, url, payload] of questions) {
    const problems: string[] = []
    for (let round = 0; round < TURNS; round += 1) {
      for (const { name, instead, send, mayPass } of spoilsOf(seed + round, elsewhere.url)) {
        const before = tmdb.requests.length
        tmdb.faults.add({ kind: 'spoil', instead, send })
        const address = url()
        const { statusCode, body } = await host.inject({
          method,
          url: address,
          ...(payload === undefined ? {} : { payload: payload() }),
        })
        tmdb.faults.clear()
        clock.advance(A_WHILE_MS)
        asked += tmdb.requests.length - before
        if (!STATUSES.has(statusCode))
          problems.push(`${name}: ${address} answered ${statusCode}: ${body.slice(0, 200)}`)
        if (body.includes(tmdb.apiKey)) problems.push(`${name}: ${address} shows the key`)
        const isTaken =
          address.endsWith('/save') &&
          mayPass !== true &&
          (host.ctx.config as { metaA: { api_key: string } }).metaA.api_key !== tmdb.apiKey
        if (isTaken) problems.push(`${name}: a key was stored that nobody could confirm`)
      }
    }
    t.strictSame(problems, [], url())
  }
  t.strictSame(
    host.failures.map(({ what, error }) => `${what}: ${error instanceof Error ? error.stack : String(error)}`),
    [],
  )
  t.ok(asked > 50, `${asked} requests were spoilt`)
  t.equal(elsewhere.requests.length, 0, 'no redirect to another host is followed')
})
