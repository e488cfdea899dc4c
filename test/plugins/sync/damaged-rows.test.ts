// Damaged stored rows: the others are still shown, a read repairs them, and no run treats them as removed.
import t from 'tap'
import { sql } from 'kysely'
import { linesOfText, pageOfText } from '@playhead/sdk'
import { createHoldings } from '../../../plugins/services/sync/library/holdings.ts'
import { createReader } from '../../../plugins/services/sync/library/reader.ts'
import { settled } from '../sync-engine/support.ts'
import type { World } from './world/world.ts'

const damage = (world: World, item: string) =>
  sql`update sync__inventory_row set item = ${item} where id in (
    select row.id from sync__inventory_row row join sync__inventory head on head.id = inventory_id
    where provider = 'ANN' and gone is null order by row.id limit 2)`.execute(world.db)

const given = async (world: World) => {
  const texts = await Array.fromAsync(createHoldings(world.db).texts('ANN', 'default', 'watchlist'))
  const pages = texts.map(pageOfText)
  return {
    rows: pages.flatMap(({ rows }) => rows),
    damaged: pages.flatMap(({ damaged }) => damaged),
    lines: texts.flatMap(linesOfText),
  }
}
const damaged = async (world: World) => (await given(world)).damaged.length

for (const item of ['{"type":"movie","ids":{"tmdb"', '', 'null', '{"ids":{}}'])
  for (const incremental of [false, true])
    t.test(`rows that are ${JSON.stringify(item)}${incremental ? ', with reads of changes' : ''}`, async (t) => {
      const { world, ann, ben, watchlist, films } = await settled({
        runs: 3,
        prepare: (...both) => {
          for (const account of both) account.incremental = incremental
        },
      })
      await using _world = world
      const counts = () => [ann, ben].map((one) => one.of('watchlist').length)
      t.same(counts(), [40, 40])
      await damage(world, item)
      const { rows, damaged: lost, lines } = await given(world)
      t.equal(lines.length, 40, 'a line a row')
      t.equal(rows.length + lost.length, 40, 'all rows are given')
      await t.rejects(
        Array.fromAsync(createHoldings(world.db).rows('ANN', 'default', 'watchlist')),
        { code: 'PLH_NOT_READY', wire: 'damaged_rows' },
        'who needs every row is told',
      )
      t.equal(await damaged(world), 2)
      const dump = world.dump()
      const refresh = (dryRun: boolean) =>
        world.engine.refresh(
          { provider: 'ANN', instance: 'default', feature: 'watchlist', dryRun },
          world.settings,
          new AbortController().signal,
        )
      t.match(await refresh(true), { outcome: 'dry_run', count: 40, added: 2, removed: 0 })
      t.equal(world.dump(), dump)
      t.match(await refresh(false), { outcome: 'stored', count: 40, added: 2, removed: 0 })
      t.equal(await damaged(world), 0, 'a read mends them')
      t.match(await refresh(false), { outcome: 'stored', added: 0, removed: 0, changed: 0 })

      await damage(world, item)
      ben.drop('watchlist', films[30]!)
      for (let run = 0; run < 3; run += 1) t.not(watchlist(await world.run()).status, 'failed')
      t.same(counts(), [39, 39], 'a run removes what was removed, and nothing else')
      t.equal(await damaged(world), 0, 'and mends them')
    })

t.test('a damaged row hides no other from lists', async (t) => {
  const { world } = await settled({ runs: 1 })
  await using _world = world
  const accounts = ['ANN', 'BEN'].map((provider) => ({ provider, instance: 'default' }))
  const reader = () =>
    createReader({ holdings: createHoldings(world.db), trackerRows: nothing, trackerItems: async () => [] })
  const scope = { feature: 'watchlist', accounts } as const
  const listed = async () => (await Array.fromAsync(reader().mergedItems(scope))).flat().length
  t.equal(await listed(), 40)
  for (const item of ['{"type":"movie","ids":{"tmdb"', '{"type":"movie","ids":{"tmdb":7}}', 'null']) {
    await damage(world, item)
    t.equal(await listed(), 40, item)
  }
})

async function* nothing(): AsyncGenerator<never> {}
