// Without further changes all accounts converge to the same state, after any history.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Ran } from './world/world.ts'
import { begin, holdings, type Life, type Lived, lives, withIds } from './world/scenario.ts'

const RUNS = { numRuns: runsOf(8) }
/** Lives of a dozen runs each. */
const LONG_RUNS = { numRuns: runsOf(4) }

async function calm(lived: Lived, most = 6): Promise<Ran[]> {
  const ran: Ran[] = []
  for (let run = 0; run < most; run += 1) {
    ran.push(await lived.world.run())
    if (run > 0 && ran.at(-1)!.writes.length === 0) break
  }
  return ran
}

for (const mode of ['one_way', 'two_way'] as const) {
  t.test(`P40 without changes, the run after a run plans nothing (${mode})`, () =>
    fc.assert(
      fc.asyncProperty(lives(), async (life) => {
        const lived = await begin(life, { mode })
        await using world = lived.world
        for (const step of life.steps) {
          await lived.step({ ...step, days: 0 })
          // A write counts after it was seen, and an empty account after it was empty twice: one run later.
          await world.run()
          const again = await world.run()
          const planned = again.report.pairs
            .flatMap(({ features }) => features)
            // Held removals are planned until they are approved.
            .reduce((sum, { planned: count, held }) => sum + count - held, 0)
          if (planned > 0 || again.writes.length > 0) {
            throw new Error(
              `${planned} planned, written: ${again.writes.map(({ account, op, feature, key }) => `${account} ${op} ${feature} ${key}`).join(', ')}`,
            )
          }
        }
      }),
      RUNS,
    ),
  )
}

t.test('P41 two-way partners converge, and a one-way target has everything of its source', () =>
  fc.assert(
    fc.asyncProperty(lives({ faults: true }), fc.constantFrom('one_way', 'two_way'), async (life, mode) => {
      const lived = await begin(life, { mode })
      await using world = lived.world
      const ran: Ran[] = []
      for (const step of life.steps) ran.push(await lived.step(step))
      world.settings = { ...world.settings, allow_mass_delete: true }
      // Longer than quarantine and tombstones last.
      for (let month = 0; month < 3; month += 1) {
        ran.push(...(await calm(lived)))
        world.advance(40 * 86_400_000)
      }
      ran.push(...(await calm(lived)))
      // A removal that is confirmed and not made is not repeated: a person may have added the item again.
      const undecided = ran.flatMap(({ writes }) =>
        writes
          .filter(({ op, dropped }) => op === 'remove' && dropped)
          .map(({ feature, work }) => `${feature}|${work}|`),
      )
      const isDecided = (text: string) =>
        !text.startsWith('progress') && !undecided.some((begin) => text.startsWith(begin))
      const [ann, ben] = world.accounts.map((account) => withIds(holdings(account).filter(isDecided)))
      const missing = ann!.filter((text) => !ben!.includes(text))
      const extra = ben!.filter((text) => !ann!.includes(text))
      if (mode === 'two_way' && (missing.length > 0 || extra.length > 0))
        throw new Error(`BEN lacks ${missing}; ANN lacks ${extra}`)
      const absent = ann!.map(withoutValue).filter((text) => !ben!.map(withoutValue).includes(text))
      if (absent.length > 0) throw new Error(`BEN lacks ${absent}`)
    }),
    RUNS,
  ),
)

t.test(
  'P41 an update that a service confirms and does not store is sent again, and shown until it is there',
  async (t) => {
    const rate = (value: number) => [{ account: 0, feature: 'ratings', work: 0, op: 'put', value } as const]
    const steps = [
      { actions: [], readFaults: [], writeFaults: [], days: 0 },
      { actions: rate(2), readFaults: [], writeFaults: [{ account: 1, fault: 'silent_drop' } as const], days: 0 },
    ]
    const lived = await begin({ accounts: 2, seed: 0, incremental: false, start: rate(1), steps }, { mode: 'two_way' })
    await using world = lived.world
    for (const step of steps) await lived.step(step)
    const both = () => world.accounts.map((account) => withIds(holdings(account)))
    t.same(both(), [['ratings|heat|2|'], ['ratings|heat|1|']])
    await world.run()
    world.advance(2 * 86_400_000)
    const ran = await calm(lived)
    t.same(both(), [['ratings|heat|2|'], ['ratings|heat|2|']])
    t.match(
      ran[0]?.report.pairs[0]?.features.find(({ feature }) => feature === 'ratings'),
      { unresolved: 1 },
    )
  },
)

t.test('P41 a rating that a person gives again after an update was dropped is not overwritten', async (t) => {
  const rate = (account: number, value: number) => [{ account, feature: 'ratings', work: 0, op: 'put', value } as const]
  const dropped = [{ account: 1, fault: 'silent_drop' } as const]
  const steps = [
    { actions: [], readFaults: [], writeFaults: [], days: 0 },
    { actions: rate(0, 2), readFaults: [], writeFaults: dropped, days: 0 },
  ]
  const lived = await begin({ accounts: 2, seed: 0, incremental: false, start: rate(0, 1), steps }, { mode: 'two_way' })
  await using world = lived.world
  for (const step of steps) await lived.step(step)
  world.advance(3_600_000)
  for (const action of rate(1, 1)) lived.act(action)
  await world.run()
  world.advance(2 * 86_400_000)
  await calm(lived)
  t.same(withIds(holdings(world.accounts[1]!)), ['ratings|heat|1|'])
})

const withoutValue = (text: string) => text.split('|').slice(0, 2).join('|')

t.test('P42 the result does not depend on the order of the pairs, nor on running them together', () =>
  fc.assert(
    fc.asyncProperty(lives({ accounts: 3, maxSteps: 3 }), async (life) => {
      const ends: string[] = []
      for (const variant of ['together', 'reversed', 'separately'] as const) {
        const lived = await begin(life, {})
        await using world = lived.world
        if (variant === 'reversed') world.pairs.reverse()
        const [first] = life.steps
        for (const action of first!.actions.filter(({ op }) => op === 'put')) lived.act(action)
        for (let round = 0; round < 4; round += 1) {
          if (variant !== 'separately') await world.run()
          else for (const pair of world.pairs) await world.run({ pair_id: pair.id })
        }
        ends.push(JSON.stringify(world.accounts.map((account) => holdings(account).map(withoutValue))))
      }
      if (new Set(ends).size > 1) throw new Error(ends.join('\n'))
    }),
    LONG_RUNS,
  ),
)

t.test('P43 a ring of pairs converges: nothing is added and removed alternately', () =>
  fc.assert(
    fc.asyncProperty(lives({ accounts: 3 }), fc.constantFrom('one_way', 'two_way'), async (life, mode) => {
      const lived = await begin(life, {
        mode,
        pairs: [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
      })
      await using world = lived.world
      for (const step of life.steps) await lived.step(step)
      let last: Ran | undefined
      for (let run = 0; run < 8; run += 1) {
        world.advance(86_400_000)
        last = await world.run()
      }
      if (last!.writes.length > 0)
        throw new Error(
          last!.writes.map(({ account, op, feature, key }) => `${account} ${op} ${feature} ${key}`).join(', '),
        )
    }),
    LONG_RUNS,
  ),
)

t.test('P44 failing runs in between change when the result is reached, not the result', () =>
  fc.assert(
    fc.asyncProperty(lives({ features: ['watchlist', 'ratings'] }), async (life) => {
      const ends: string[] = []
      for (const disturbed of [false, true]) {
        const lived = await begin(life)
        await using world = lived.world
        for (const step of life.steps) {
          await lived.step({ ...step, days: 0 })
          if (disturbed) {
            for (const account of world.accounts) account.readFault = 'throw'
            await world.run()
            for (const account of world.accounts) account.readFault = undefined
          } else world.advance(60_000)
          await world.run()
          await world.run()
        }
        ends.push(JSON.stringify(world.accounts.map((account) => holdings(account))))
      }
      if (ends[0] !== ends[1]) throw new Error(ends.join('\n'))
    }),
    RUNS,
  ),
)

t.test('P45 an item removed at one of several connected accounts is removed from all and stays removed', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1, 2), fc.constantFrom('watchlist', 'ratings'), async (where, feature) => {
      const life: Life = {
        accounts: 3,
        seed: 1,
        incremental: false,
        start: [{ account: 0, feature, work: 1, op: 'put', value: 5 }],
        steps: [],
      }
      const lived = await begin(life)
      await using world = lived.world
      for (let run = 0; run < 3; run += 1) await world.run()
      if (!world.accounts.every((account) => account.entries.length === 1)) throw new Error('not everywhere')
      lived.act({ account: where, feature, work: 1, op: 'drop', value: 0 })
      for (let run = 0; run < 6; run += 1) {
        await world.run()
        world.advance(8 * 86_400_000)
      }
      if (!world.accounts.every((account) => account.entries.length === 0)) throw new Error('it came back')
    }),
    { numRuns: runsOf(8) },
  ),
)

t.test('P48 order, repeated rows and the size of batches change nothing in a plan', () =>
  fc.assert(
    fc.asyncProperty(lives(), async (life) => {
      const plans: string[] = []
      for (const variant of ['plain', 'shuffle', 'duplicates', 'batch'] as const) {
        const lived = await begin({ ...life, incremental: false })
        await using world = lived.world
        if (variant === 'batch') {
          for (const account of world.accounts)
            account.support = Object.fromEntries(
              Object.entries(account.support).map(([feature, support]) => [feature, { ...support, maxBatch: 2 }]),
            )
        } else if (variant !== 'plain') for (const account of world.accounts) account.readFault = variant
        const written: string[] = []
        for (const step of life.steps)
          written.push(
            ...(await lived.step(step)).writes
              .map(
                ({ account, op, feature, work, item }) =>
                  `${account} ${op} ${feature} ${work} ${item.rating ?? ''}${item.progress_ms ?? ''}`,
              )
              .toSorted(),
          )
        plans.push(written.join('\n'))
      }
      if (new Set(plans).size > 1) throw new Error(plans.join('\n---\n'))
    }),
    RUNS,
  ),
)

t.test('P49 the same reads, base, settings and time give the same plan', () =>
  fc.assert(
    fc.asyncProperty(lives({ faults: true }), async (life) => {
      const results: string[] = []
      for (let time = 0; time < 2; time += 1) {
        const lived = await begin(life)
        await using _world = lived.world
        const runs: unknown[] = []
        for (const step of life.steps) {
          const ran = await lived.step(step)
          runs.push(
            ran.outcomes,
            ran.report.pairs.map(({ features }) => features.map((feature) => ({ ...feature, plan_id: null }))),
          )
        }
        results.push(JSON.stringify(runs))
      }
      if (results[0] !== results[1]) throw new Error(results.join('\n'))
    }),
    RUNS,
  ),
)

t.test('swapping the sides of a two-way pair mirrors the writes', () =>
  fc.assert(
    fc.asyncProperty(lives({ features: ['watchlist', 'history'], maxSteps: 3 }), async (life) => {
      const results: string[] = []
      for (const swapped of [false, true]) {
        const lived = await begin(life, { pairs: [swapped ? [1, 0] : [0, 1]] })
        await using _world = lived.world
        const written: string[] = []
        for (const step of life.steps)
          written.push(
            ...(await lived.step(step)).writes
              .map(({ account, op, feature, work }) => `${account} ${op} ${feature} ${work}`)
              .toSorted(),
          )
        results.push(written.join('\n'))
      }
      if (results[0] !== results[1]) throw new Error(results.join('\n---\n'))
    }),
    RUNS,
  ),
)

t.test('an unrelated item adds nothing else to a plan', () =>
  fc.assert(
    fc.asyncProperty(lives({ features: ['watchlist'], maxSteps: 2 }), async (life) => {
      const unrelated = { account: 0, feature: 'watchlist', work: 5, op: 'put', value: 1 } as const
      const clean: Life = {
        ...life,
        start: life.start.filter(({ work }) => work !== 5),
        steps: life.steps.map((step) => ({ ...step, days: 0, actions: step.actions.filter(({ work }) => work !== 5) })),
      }
      const results: string[] = []
      for (const with5 of [false, true]) {
        const lived = await begin(with5 ? { ...clean, start: [...clean.start, unrelated] } : clean)
        await using _world = lived.world
        const written: string[] = []
        for (const step of clean.steps)
          written.push(
            ...(await lived.step(step)).writes
              .filter(({ work }) => work !== 'alien')
              .map(({ account, op, feature, work }) => `${account} ${op} ${feature} ${work}`)
              .toSorted(),
          )
        results.push(written.join('\n'))
      }
      if (results[0] !== results[1]) throw new Error(results.join('\n---\n'))
    }),
    RUNS,
  ),
)

t.test('one pair with all features gives the same as a pair for each feature', () =>
  fc.assert(
    fc.asyncProperty(lives({ features: ['watchlist', 'ratings'], maxSteps: 3 }), async (life) => {
      const ends: string[] = []
      for (const split of [false, true]) {
        const lived = await begin(life, { features: { watchlist: {}, ratings: {} } })
        await using world = lived.world
        if (split) {
          const [pair] = world.pairs
          world.pairs = (['watchlist', 'ratings'] as const).map((feature) => ({
            ...pair!,
            id: `${pair!.id}-${feature}`,
            features: { [feature]: pair!.features[feature]! },
          }))
        }
        for (const step of life.steps) await lived.step(step)
        ends.push(JSON.stringify(world.accounts.map((account) => holdings(account))))
      }
      if (ends[0] !== ends[1]) throw new Error(ends.join('\n'))
    }),
    RUNS,
  ),
)
