// The data of accounts, as shown between two runs.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Feature } from '@playhead/sdk'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { settled } from '../sync-engine/support.ts'
import { ALL_FEATURES, begin, entryOf, lives } from './world/scenario.ts'
import { WORKS } from './world/works.ts'
import type { World } from './world/world.ts'

const ratingOf = ({ rating }: { readonly rating?: number | null }) => rating ?? 0

/** All rows; their number must equal the count, and each must be found by its key. */
async function shown({ db }: World, provider: string, feature: Feature) {
  const holdings = createHoldings(db)
  const inventory = (await holdings.holdings(feature)).find((one) => one.provider === provider)
  const rows = (await Array.fromAsync(holdings.rows(provider, 'default', feature))).flat()
  const found = await holdings.items(
    provider,
    'default',
    feature,
    rows.map(({ key }) => key),
  )
  if ((inventory?.count ?? 0) !== rows.length) throw new Error(`${rows.length} rows, and ${inventory?.count} counted`)
  if (JSON.stringify(found.map(({ key }) => key).toSorted()) !== JSON.stringify(rows.map(({ key }) => key).toSorted()))
    throw new Error('not all rows are found by their keys')
  return { rows, revision: inventory?.revision }
}

t.test('after a run the lists match the accounts as they are now, and not as they were read', () =>
  fc.assert(
    fc.asyncProperty(
      lives({ accounts: 3 }),
      fc.constantFrom('one_way' as const, 'two_way' as const),
      async (life, mode) => {
        const lived = await begin(life, { mode })
        await using world = lived.world
        for (const step of life.steps) {
          await lived.step(step)
          for (const account of world.accounts) {
            for (const feature of ALL_FEATURES) {
              const entries = account.of(feature)
              const { rows } = await shown(world, account.id, feature)
              const about = `${feature} of ${account.id}: ${JSON.stringify(rows)}`
              if (rows.length !== new Set(entries.map(({ work }) => work)).size)
                throw new Error(`${entries.length} entries in ${about}`)
              const [listed, real] = [rows.map(({ item }) => ratingOf(item)), entries.map(ratingOf)].map((all) =>
                all.toSorted().join(),
              )
              if (feature === 'ratings' && listed !== real) throw new Error(`rated ${real}, not ${listed}, in ${about}`)
            }
          }
        }
      },
    ),
    { numRuns: runsOf(8) },
  ),
)

t.test('undone and manually removed items are no longer shown', async (t) => {
  const { world, ben, films } = await settled({ count: 4, runs: 1 })
  await using _world = world
  const first = await shown(world, 'BEN', 'watchlist')
  t.equal(first.rows.length, 4)

  const gone = first.rows[0]!
  await world.change({
    provider: 'BEN',
    instance: 'default',
    feature: 'watchlist',
    op: 'remove',
    cause: 'watchlist_tool',
    items: [gone],
  })
  const second = await shown(world, 'BEN', 'watchlist')
  t.same(
    second.rows.map(({ key }) => key).toSorted(),
    first.rows
      .slice(1)
      .map(({ key }) => key)
      .toSorted(),
  )
  t.not(second.revision, first.revision)

  world.advance(1_000)
  const { run_id: runId } = (await world.engine.plans.last()).find(({ cause }) => cause !== 'watchlist_tool')!
  const order = { runId: 'undo', settings: world.settings, startedAtMs: world.nowMs, request: {}, pairs: world.pairs }
  await world.engine.undo(order, { event() {} }, new AbortController().signal, runId)
  t.equal(ben.of('watchlist').length, 0)
  t.same((await shown(world, 'BEN', 'watchlist')).rows, [])
  t.equal((await shown(world, 'ANN', 'watchlist')).rows.length, films.length, 'the other account is as it was')
})

t.test('a list without writes keeps its revision', async (t) => {
  const { world } = await settled({ count: 3, runs: 2 })
  await using _world = world
  const before = await shown(world, 'BEN', 'watchlist')
  await world.run()
  t.same(await shown(world, 'BEN', 'watchlist'), before)
})

t.test('a list that was looked at while a run wrote has what it wrote at its end', async (t) => {
  const { world, ann, ben } = await settled({ count: 3, runs: 1 })
  await using _world = world
  const holdings = createHoldings(world.db)
  const countAtBen = async () =>
    (await holdings.holdings('watchlist')).find(({ provider }) => provider === 'BEN')?.count
  const write = ben.write.bind(ben)
  let during: number | undefined
  ben.write = async (...request) => {
    during = await countAtBen()
    return await write(...request)
  }
  ann.put(entryOf('watchlist', WORKS[0]!, 5))
  await world.run()
  t.strictSame([during, await countAtBen()], [3, 4])
  t.equal((await Array.fromAsync(holdings.rows('BEN', 'default', 'watchlist'))).flat().length, 4)
})
