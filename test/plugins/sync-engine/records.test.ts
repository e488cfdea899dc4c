// Data about runs and holdings that other plugins can query.
import t from 'tap'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { appliedOf } from '../../../plugins/services/sync/record/lookups.ts'
import { settled } from './support.ts'

t.test('an applied operation is reported once, with its source and its target', async (t) => {
  const { world, films } = await settled({ count: 600, runs: 0 })
  await using _closing = world
  const { report } = await world.run()
  const pages = await Array.fromAsync(appliedOf(world.db, report.run_id))
  const applied = pages.flat()
  t.ok(pages.length > 1)
  t.equal(applied.length, films.length)
  t.equal(new Set(applied.map(({ key }) => key)).size, films.length)
  t.ok(
    applied.every(
      ({ feature, op, source, target, item, atMs }) =>
        feature === 'watchlist' &&
        op === 'add' &&
        source.provider === 'ANN' &&
        target.provider === 'BEN' &&
        !('native' in item) &&
        atMs > 0,
    ),
  )
  t.strictSame(await Array.fromAsync(appliedOf(world.db, 'no-such-run')), [])
})

t.test('refused operations are not among the applied ones', async (t) => {
  const { world, films } = await settled({
    count: 5,
    runs: 0,
    prepare: (_ann, ben) => {
      ben.writeFaults.push('not_found')
    },
  })
  await using _closing = world
  const { report } = await world.run()
  t.ok(films.length > 0)
  t.strictSame(await Array.fromAsync(appliedOf(world.db, report.run_id)), [])
})

t.test('rows of an inventory are found by their keys', async (t) => {
  const { world } = await settled({ count: 12 })
  await using _closing = world
  const holdings = createHoldings(world.db)
  const { provider, instance } = (await holdings.holdings('watchlist'))[0]!
  const rows = (await Array.fromAsync(holdings.rows(provider, instance, 'watchlist'))).flat()
  t.equal(rows.length, 12)
  const wanted = rows.slice(3, 6)
  t.same(await holdings.items(provider, instance, 'watchlist', [...wanted.map(({ key }) => key), 'none']), wanted)
  t.strictSame(await holdings.items('NOBODY', 'default', 'watchlist', ['x']), [])
})
