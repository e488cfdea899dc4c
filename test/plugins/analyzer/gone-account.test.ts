// slow: the whole service, or very many cases
// A fix for a pair that was removed with its account after the preview: nothing is written, and the response states why.
import t from 'tap'
import { expectOk, signInToTrakt } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

t.setTimeout(900_000)

t.test('a rating is not written to an account that has been signed out', async (t) => {
  await using trakt = await startTrakt({ movies: 2, plan: 'vip', rateLimits: false })
  trakt.user.rate(trakt.movie(0), 7, Date.UTC(2025, 0, 1))
  await using service = await startService({ shipped: true, watch: false })
  await signInToTrakt(service, trakt)
  await service.json('/api/config', { json: { runtime: { debug: true } } })
  const read = (provider: string) =>
    expectOk(service, '/api/editor/state/import', { provider, features: ['ratings'], force: true })
  await read('TRACKA')
  const { items } = (await service.json('/api/analyzer/state')).body
  const { title, year, ids, key } = items[0]
  const mine = { type: 'movie', title, year, ids, rating: 3, rated_at: '2026-01-01T00:00:00Z' }
  await expectOk(service, '/api/editor', { source: 'tracker', kind: 'ratings', items: [mine] })
  await read('SVC')
  await expectOk(service, '/api/pairs', {
    ...{ source: 'SVC', target: 'TRACKA', mode: 'two-way', enabled: true },
    features: { ratings: { enabled: true, add: true, mode: 'all' } },
  })
  const body = { provider: 'SVC', feature: 'ratings', key, type: 'rating_conflict' }
  const fix = (more: object = {}) => service.json('/api/analyzer/fix', { json: { ...body, ...more } })
  const looked = await fix({ dry_run: true })
  t.match(looked, { status: 200, body: { plan: { provider: 'TRACKA' } } }, JSON.stringify(looked.body))
  const signOut = () => service.json('/api/trackA/token/delete', { method: 'POST', json: {} })
  t.match(await signOut(), { status: 409, body: { error: 'provider_in_use' } }, 'a pair holds its accounts')
  const { body: listed } = await service.json('/api/pairs')
  const { status: gone } = await service.json(`/api/pairs/${(listed.pairs ?? listed)[0].id}`, { method: 'DELETE' })
  t.equal(gone, 200)
  t.equal((await signOut()).status, 200)
  const { status, body: answer } = await fix({ changes: looked.body.changes })
  t.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(answer)}`)
  t.equal(answer.ok, false)
  t.equal([...trakt.user.account.ratings.values()].length, 1)
  t.notMatch(JSON.stringify([...trakt.user.account.ratings.values()]), /"rating":3/)
  t.same((await service.json('/api/analyzer/changes')).body.changes, [], 'nothing is on record as changed')
  t.equal((await service.json('/api/analyzer/problems')).status, 200)
})
