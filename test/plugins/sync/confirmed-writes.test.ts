// A confirmed write that is visible in the next run is stored without a decision of its feature, with the same result.
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { settled } from '../sync-engine/support.ts'
import { begin, lives } from './world/scenario.ts'
import type { World } from './world/world.ts'

const CALM = { actions: [], readFaults: [], writeFaults: [], days: 0 }

/** Without fingerprints every group is decided. */
async function forgetFingerprints({ db }: World): Promise<void> {
  await sql`update sync__base set state = json_remove(state, '$.a.h', '$.b.h')`.execute(db)
}

async function bases({ db }: World): Promise<readonly object[]> {
  const { rows } = await sql<{ item: string; state: string }>`
    select id, pair_id, feature, key, item, json_remove(state, '$.a.h', '$.b.h') as state from sync__base order by id`.execute(
    db,
  )
  return rows.map(({ item, state, ...row }) => ({ ...row, item: JSON.parse(item), state: JSON.parse(state) }))
}

for (const mode of ['one_way', 'two_way'] as const)
  t.test(`P40 a confirmed write is stored as if its group had been decided (${mode})`, () =>
    fc.assert(
      fc.asyncProperty(lives({ faults: true, accounts: 2, maxSteps: 3 }), async (life) => {
        const quick = await begin(life, { mode })
        await using one = quick.world
        const thorough = await begin(life, { mode })
        await using other = thorough.world
        for (const step of life.steps) {
          for (const next of [step, CALM, CALM]) {
            await forgetFingerprints(other)
            const [ran, full] = [await quick.step(next), await thorough.step(next)]
            if (JSON.stringify(ran.writes) !== JSON.stringify(full.writes)) throw new Error('other writes')
            if (JSON.stringify(ran.report) !== JSON.stringify(full.report))
              throw new Error(`${JSON.stringify(ran.report)}\n${JSON.stringify(full.report)}`)
            const [remembered, known] = [await bases(one), await bases(other)]
            if (!isDeepStrictEqual(remembered, known))
              throw new Error(`${JSON.stringify(remembered)}\n${JSON.stringify(known)}`)
          }
        }
      }),
      { numRuns: runsOf(8) },
    ),
  )

t.test('rows that a run added and the next one finds are not compared one by one', async (t) => {
  const { world, watchlist } = await settled({ runs: 1 })
  await using _world = world
  const { db } = world
  const selects = t.capture(db, 'selectFrom', db.selectFrom)
  t.match(watchlist(await world.run()), { status: 'nothing_to_do', planned: 0, read: { a: 40, b: 40 } })
  t.equal(
    selects().filter(({ args }) => args[0] === 'sync__base').length,
    2,
    'the base is read once; the other query is for the next id',
  )
  const { rows } = await sql<{ state: string }>`select state from sync__base`.execute(db)
  t.ok(
    rows.length === 40 && rows.every(({ state }) => Object.keys(JSON.parse(state)).join() === 'a,b'),
    'and they were seen',
  )
})

t.test('another value, and an unknown id, are decided', async (t) => {
  const { world, ben, films } = await settled({ count: 3, runs: 1, features: { ratings: {} } })
  await using _world = world
  ben.put({ work: films[0]!, feature: 'ratings', rating: 9 })
  ben.entries = ben.entries.map((entry) =>
    entry.work.name === films[1]!.name
      ? { ...entry, work: { ...entry.work, ids: { ...entry.work.ids, tvdb: '77' } } }
      : entry,
  )
  await world.run()
  const { rows } = await sql<{ key: string; item: string; a: string; b: string }>`
    select key, item, state ->> '$.a.v' as a, state ->> '$.b.v' as b from sync__base order by id`.execute(world.db)
  t.match(JSON.parse(rows[1]!.item), { ids: { tvdb: '77' } })
  t.same(
    rows.map(({ a, b }) => a === b),
    [false, true, true],
    'a value that was rated meanwhile is seen as it is',
  )
})
