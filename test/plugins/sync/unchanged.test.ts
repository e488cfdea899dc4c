// Unchanged proofs: a run with the same inputs skips the comparison, with the same result.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { settled } from '../sync-engine/support.ts'
import { begin, lives } from './world/scenario.ts'
import { featureCapabilities } from './world/world.ts'

const features = await featureCapabilities()

/** Counts the rows that a feature must convert. */
async function shapedRows(feature: string, work: () => Promise<unknown>): Promise<number> {
  const capability = features.get(`feature:${feature}`) as { shape(rows: readonly Item[], ...rest: unknown[]): unknown }
  const { shape } = capability
  let rows = 0
  capability.shape = (given, ...rest) => {
    rows += given.length
    return Reflect.apply(shape, capability, [given, ...rest])
  }
  try {
    await work()
  } finally {
    capability.shape = shape
  }
  return rows
}

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P40 an unchanged proof changes nothing that is written, reported or stored (${mode})`, () =>
    fc.assert(
      fc.asyncProperty(lives({ faults: true, accounts: 2, maxSteps: 2 }), async (life) => {
        const remembering = await begin(life, { mode })
        await using one = remembering.world
        const forgetful = await begin(life, { mode })
        await using other = forgetful.world
        for (const step of life.steps) {
          for (const next of [step, CALM, CALM, CALM, CALM, { ...CALM, days: 31 }]) {
            const ran = await remembering.step(next)
            await other.db.deleteFrom('sync__rest').execute()
            const full = await forgetful.step(next)
            if (JSON.stringify(ran.report) !== JSON.stringify(full.report))
              throw new Error(`${JSON.stringify(ran.report)}\n${JSON.stringify(full.report)}`)
            if (JSON.stringify(ran.writes) !== JSON.stringify(full.writes)) throw new Error('other writes')
            const [remembered, known] = [one.dump(), other.dump()]
            if (remembered !== known) throw new Error(`${remembered}\n${known}`)
          }
        }
      }),
      { numRuns: runsOf(4) },
    ),
  )
}

const CALM = { actions: [], readFaults: [], writeFaults: [], days: 0 }

t.test('a read is one before writes where these may follow, until changes alone are read', async (t) => {
  for (const mode of ['one_way', 'two_way'] as const) {
    const { ann, ben } = await settled({
      mode,
      runs: 3,
      prepare: (...both) => {
        for (const account of both) account.incremental = true
      },
    })
    const isAhead = ({ reads }: typeof ann) => reads.map(({ beforeWrites }) => beforeWrites)
    t.same(isAhead(ben).slice(0, 1), [true], mode)
    t.same(isAhead(ann).slice(0, 1), [mode === 'two_way'], mode)
    for (const { reads } of [ann, ben])
      t.ok(
        reads.every(({ since, beforeWrites }) => !(since && beforeWrites)),
        mode,
      )
  }
})

t.test('a pair is not compared while both services report no changes', async (t) => {
  const { world, ann, ben, films, watchlist } = await settled({
    runs: 3,
    prepare: (...both) => {
      for (const account of both) account.incremental = true
    },
  })
  await using _world = world
  t.equal(await shapedRows('watchlist', () => world.run()), 0)
  await world.restart()
  t.equal(await shapedRows('watchlist', () => world.run()), 0, 'nor after a restart')
  t.match(watchlist(await world.run()), {
    status: 'nothing_to_do',
    planned: 0,
    unresolved: 0,
    read: { a: 40, b: 40 },
    plan_id: null,
  })
  ben.drop('watchlist', films[3]!)
  t.ok((await shapedRows('watchlist', () => world.run())) > 0)
  t.notOk(ann.has('watchlist', films[3]!), 'the removal was seen')
  for (let run = 0; run < 2; run += 1) await world.run()
  t.equal(await shapedRows('watchlist', () => world.run()), 0)
})

t.test('rows of full reads are compared by their digest', async (t) => {
  const { world, ann, films } = await settled({ runs: 3 })
  await using _world = world
  const { db } = world
  const asked = t.capture(db, 'selectFrom', db.selectFrom)
  await world.run()
  t.notOk(
    asked().some(({ args }) => args[0] === 'sync__base'),
    'what is remembered is not even read',
  )
  ann.drop('watchlist', films[0]!)
  t.match((await world.run()).writes, [{ account: 'BEN', op: 'remove' }])
})

t.test('items that wait for a later run are retried in that run', async (t) => {
  const { world, ben, open } = await settled({
    count: 6,
    runs: 0,
    prepare: (_, ben) => {
      ben.writeFault = 'not_found'
    },
  })
  await using _world = world
  const sent = t.capture(ben, 'write', ben.write)
  const tried: number[] = []
  for (let run = 0; run < 14; run += 1) {
    await world.run()
    if (sent().length > 0) tried.push(run)
  }
  t.same(tried, [0, 1, 4], 'with longer and longer pauses')
  t.ok((await open()).every(({ quarantined }) => quarantined))
  ben.writeFault = undefined
  world.advance(31 * 86_400_000)
  await world.run()
  t.equal(ben.of('watchlist').length, 6, 'after the quarantine')
})

t.test('everything that may change the outcome makes a pair be compared again', async (t) => {
  const wakers: Readonly<Record<string, (settledWorld: Awaited<ReturnType<typeof settled>>) => unknown>> = {
    'a setting of the sync': ({ world }) => {
      world.settings = { ...world.settings, removal_ratio: 0.5 }
    },
    'an option of the feature': ({ world }) => {
      world.pairs = world.pairs.map((pair) => ({
        ...pair,
        features: { watchlist: { ...pair.features.watchlist!, add: false } },
      }))
    },
    'a title that is to be left alone': ({ world }) =>
      world.policy.change({ provider: 'BEN', instance: 'default', feature: 'watchlist' }, { blocks: ['tmdb:1'] }),
    'a title that an account is said to have': ({ world }) =>
      world.policy.change(
        { provider: 'ANN', instance: 'default', feature: 'watchlist' },
        { setAdds: [{ type: 'movie', ids: { tmdb: '949' } }] },
      ),
    'the pair is reset': ({ world }) => world.engine.resetPair(world.pairs[0]!.id),
    'what is open is forgotten': ({ world }) => world.engine.unresolved.clear({}),
    'another account behind the profile': ({ ben }) => {
      ben.identity = 'ben-server/other'
    },
    'a tombstone of another pair': ({ world }) =>
      world.db
        .insertInto('sync__tombstone')
        .values({
          account: 'BEN ben-server/user',
          uid: 'uid-BEN',
          feature: 'watchlist',
          token: 'tmdb:1',
          play: '',
          removed_at: world.nowMs,
          proof_at: world.nowMs,
          lost_after: null,
          pair_id: 'other',
          run_id: 'other',
        })
        .execute(),
    'a failed run': async ({ world, ann }) => {
      ann.readFaults.push('throw')
      await world.run()
    },
    'rows that cannot be told': ({ ann }) => {
      ann.oddities = [{ reason: 'unknown_type' }]
    },
    'what the account can do': ({ ben }) => {
      ben.support = { ...ben.support, watchlist: { ...ben.support.watchlist!, remove: false } }
    },
  }
  for (const [what, wake] of Object.entries(wakers)) {
    const made = await settled({ count: 5, runs: 4 })
    await using world = made.world
    const { db } = world
    const asked = t.capture(db, 'selectFrom', db.selectFrom)
    const isCompared = () => asked().some(({ args }) => args[0] === 'sync__base')
    await world.run()
    t.notOk(isCompared(), `${what}: unchanged before`)
    await wake(made)
    asked()
    await world.run()
    t.ok(isCompared() || (await db.selectFrom('sync__state').select('state').execute()).length === 0, what)
  }
})
