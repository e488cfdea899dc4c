// Problems of items, paged and filtered.
import t from 'tap'
import { film, openWorld, pair } from './world.ts'

t.test('an item that the other account lacks is a problem of the account that has it', async (t) => {
  await using world = await openWorld({
    rows: { 'MEDIAA@default watchlist': [film(1), film(2)], 'TRACKA@default watchlist': [film(1), film(3)] },
    pairs: [pair('MEDIAA', 'TRACKA', { features: ['watchlist'] })],
  })
  const { status, body } = await world.get('/api/analyzer/problems')
  t.equal(status, 200, JSON.stringify(body))
  t.same(body.failed_rules, [])
  t.match(
    body.problems.map(({ type, provider, key, targets, severity }: any) => [type, provider, key, targets, severity]),
    [
      ['missing_peer', 'MEDIAA', 'movie:tmdb:2', ['TRACKA'], 'warn'],
      ['missing_peer', 'TRACKA', 'movie:tmdb:3', ['MEDIAA'], 'info'],
    ],
  )
  t.match(body.summary, { total: 2, by_severity: { error: 0, warn: 1, info: 1 }, by_type: { missing_peer: 2 } })
  t.match(body.pair_stats, [
    { source: 'MEDIAA', target: 'TRACKA', feature: 'watchlist', total: 2, synced: 1, unsynced: 1 },
    { source: 'TRACKA', target: 'MEDIAA', feature: 'watchlist', total: 2, synced: 1, unsynced: 1 },
  ])
  t.match(body.attention.counts, { current_mismatch: 2, total: 2 })
  t.equal(body.timings_ms.cache_hit, false)
  t.equal((await world.get('/api/analyzer/problems')).body.timings_ms.cache_hit, true)
})
