// Rulesets over random lives: several targets, one-way and two-way. The model contains only films and sets.
import t from 'tap'
import fc, { runsOf } from '../../../fast-check.ts'
import type { Membership, PartitionRules } from '@playhead/sdk'
import { distinct, film, FILMS, live, lives, membership, must, order, shown, type Step } from './lives.ts'
import {
  FREE,
  filmsIn,
  HOUR_MS,
  inputOf,
  listOf,
  NEVER,
  outline,
  planFor,
  policy,
  run,
  setOf,
  shelf,
  sizeOf,
  sorted,
  STRICT,
  type World,
  worldOf,
} from './world.ts'

const ROOM = { perListCapacity: 100, totalCapacity: 1_000 } as const
const setup = fc.record({
  source: distinct,
  targets: fc.array(distinct, { minLength: 1, maxLength: 3 }),
  entryIds: fc.boolean(),
  shown,
})
type Setup = typeof setup extends fc.Arbitrary<infer Value> ? Value : never

function build({ source, targets, entryIds, shown }: Setup): World {
  const there = (n: number) => shown[n]![1]!
  return worldOf(
    listOf('s', source, { shows: (n) => shown[n]![0]! }),
    targets.map((films, index) => listOf(`t${index}`, films, { entryIds, shows: there })),
  )
}

const union = ({ targets }: World): ReadonlySet<number> => new Set(targets.flatMap(filmsIn))
const rulesOf = (
  direction: PartitionRules['direction'],
  membership: Membership,
  order = 'ignore' as 'ignore' | 'preserve',
) => ({ direction, membership, order, ...ROOM }) satisfies PartitionRules

function liveStep(world: World, { here, there }: Step): void {
  for (const one of here) live(world.source, one)
  for (const [index, one] of there.entries()) live(world.targets[index % world.targets.length]!, one)
  world.nowMs += HOUR_MS
}

const same = (a: Iterable<number>, b: Iterable<number>) => `${sorted(a)}` === `${sorted(b)}`

t.test('property 8: a second run right after the first plans nothing', async () => {
  const direction = fc.constantFrom<PartitionRules['direction']>('one_way', 'bidirectional')
  await fc.assert(
    fc.asyncProperty(
      setup,
      direction,
      membership,
      order,
      lives,
      fc.boolean(),
      async (spec, way, membership, order, steps, readsAfter) => {
        const world = { ...build(spec), readsAfter }
        const rules = rulesOf(way, membership, order)
        for (const step of steps) {
          liveStep(world, step)
          const plan = await run(world, rules)
          const again = await run(world, rules)
          must(sizeOf(again) === 0, 'second run', { first: outline(plan), again: outline(again) })
        }
      },
    ),
    { numRuns: runsOf(150) },
  )
})

t.test('property 12: one-way never plans anything for the source', async () => {
  await fc.assert(
    fc.asyncProperty(setup, membership, order, lives, async (spec, membership, order, steps) => {
      const world = build(spec)
      for (const step of steps) {
        liveStep(world, step)
        const { source } = await run(world, rulesOf('one_way', membership, order))
        must(source.adds.length + source.removes.length + source.moves + source.blocked === 0, 'write', source)
        must(source.order === null, 'order')
      }
      must(world.source.calls === 0, 'calls')
    }),
  )
})

const oneFilm: Setup = { source: [9], targets: [[]], entryIds: false, shown: Array(FILMS).fill([7, 7]) }
/** The source dropped the film and has it again when it is removed from the target. */
const droppedAndBack: readonly Step[] = [
  { here: [], there: [] },
  { here: [['clear', 0]], there: [] },
  { here: [['add', 19]], there: [['remove', 0]] },
]

t.test(
  'property 9: one-way: the targets get the items of the source; add_only respects removals from them',
  async () => {
    await fc.assert(
      fc.asyncProperty(setup, membership, lives, async (spec, membership, steps) => {
        const world = build(spec)
        /** Films that the mapping added and that still exist, and the common films at the end of the last run. */
        let mine = new Set<number>()
        let shared = new Set<number>()
        for (const step of steps) {
          liveStep(world, step)
          const [here, there] = [setOf(world.source), union(world)]
          const returns = (n: number) => membership !== 'add_only' || !shared.has(n)
          const expected = new Set([...there, ...[...here].filter(returns)])
          mine = new Set([...mine].filter((n) => there.has(n)))
          if (membership === 'mirror') for (const n of there) if (!here.has(n)) expected.delete(n)
          if (membership === 'managed_only') for (const n of mine) if (!here.has(n)) expected.delete(n)
          const plan = await run(world, rulesOf('one_way', membership))
          must(same(union(world), expected), 'targets', { plan: outline(plan), expected: [...expected] })
          for (const n of expected) if (!there.has(n)) mine.add(n)
          for (const n of mine) if (!expected.has(n)) mine.delete(n)
          const stays = [...shared].filter((n) => here.has(n))
          shared = new Set([...[...here].filter((n) => expected.has(n)), ...(membership === 'add_only' ? stays : [])])
        }
      }),
      { numRuns: runsOf(200), examples: [[oneFilm, 'add_only', droppedAndBack]] },
    )
  },
)

t.test(
  'property 13: two-way: a removal on one side is removed on both, the rest is on both, unmanaged extras stay',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        setup,
        fc.constantFrom<Membership>('managed_only', 'add_only'),
        order,
        lives,
        async (spec, membership, order, steps) => {
          const world = build(spec)
          let both = new Set<number>()
          let extras: Set<number> | undefined
          for (const step of steps) {
            liveStep(world, step)
            const [here, there] = [setOf(world.source), union(world)]
            extras ??= new Set([...there].filter((n) => !here.has(n)))
            const [left, right] = [new Set(here), new Set(there)]
            for (const n of Array(FILMS).keys()) {
              if (here.has(n) === there.has(n)) continue
              if (both.has(n)) {
                if (membership === 'add_only') continue
                left.delete(n)
                right.delete(n)
              } else if (here.has(n)) right.add(n)
              else if (!extras.has(n)) left.add(n)
            }
            const plan = await run(world, rulesOf('bidirectional', membership, order))
            must(same(setOf(world.source), left), 'source', { plan: outline(plan), left: [...left] })
            must(same(union(world), right), 'targets', { plan: outline(plan), right: [...right] })
            both = new Set([
              ...[...left].filter((n) => right.has(n)),
              ...[...both].filter((n) => left.has(n) || right.has(n)),
            ])
            extras = new Set([...extras].filter((n) => right.has(n) && !left.has(n)))
          }
        },
      ),
      { numRuns: runsOf(250) },
    )
  },
)

t.test(
  'property 13: edits on one side alone make both equal in one run, and without edits nothing is written',
  async () => {
    await fc.assert(
      fc.asyncProperty(distinct, shown, lives, fc.boolean(), async (films, shown, steps, isHere) => {
        const world = build({ source: films, targets: [films.slice(0, 4), films.slice(4)], entryIds: true, shown })
        const rules = rulesOf('bidirectional', 'managed_only')
        must(sizeOf(await run(world, rules)) === 0, 'equal from the start')
        for (const { here, there } of steps) {
          liveStep(world, isHere ? { here, there: [] } : { here: [], there })
          await run(world, rules)
          must(same(setOf(world.source), union(world)), 'equal')
          const calls = world.source.calls + world.targets.reduce((sum, one) => sum + one.calls, 0)
          await run(world, rules)
          must(calls === world.source.calls + world.targets.reduce((sum, one) => sum + one.calls, 0), 'no writes')
        }
      }),
    )
  },
)

t.test(
  'property 14: a removed item is removed from all targets that contain it, and from both sides without a call',
  async (t) => {
    const world = worldOf(listOf('s', [1, 2, 3]), [listOf('a', [1, 2]), listOf('b', [2, 3])])
    const rules = rulesOf('bidirectional', 'managed_only')
    const first = await run(world, rules)
    t.same(first.duplicates, [{ key: 'movie:tmdb:102', lists: ['a', 'b'] }])
    world.source.shelves = [1].map(shelf)
    world.targets[1]!.shelves = [2].map(shelf)
    const plan = await run(world, rules)
    t.match(outline(plan), {
      lists: [
        { adds: [], removes: [] },
        { adds: [], removes: [2] },
        { adds: [], removes: [2] },
      ],
    })
    t.same(
      world.state.managed.map(({ key }) => key),
      ['movie:tmdb:101'],
    )
  },
)

t.test(
  'property 14: an item removed and added again between runs is there; one that returned later is new',
  async (t) => {
    const world = worldOf(listOf('s', [1, 2]), [listOf('a', [])])
    const rules = rulesOf('bidirectional', 'managed_only')
    await run(world, rules)
    world.targets[0]!.shelves = [shelf(2)]
    await run(world, rules)
    t.same(filmsIn(world.source), [2])
    world.targets[0]!.shelves = [...world.targets[0]!.shelves, shelf(1)]
    await run(world, rules)
    t.same(filmsIn(world.source), [2, 1])
  },
)

t.test('property 14: a two-way mirror removes the extras of the targets only if that is approved', async (t) => {
  for (const [guard, expected] of [
    [STRICT, [1, 2]],
    [FREE, [1]],
  ] as const) {
    const world = worldOf(listOf('s', [1]), [listOf('a', [1, 2])], { guard })
    await run(world, rulesOf('bidirectional', 'mirror'))
    await run(world, rulesOf('bidirectional', 'mirror'))
    t.same(sorted(union(world)), expected)
    t.same(filmsIn(world.source), [1])
  }
})

t.test('property 11: an emptied side removes nothing at the other, and new items still go through', async () => {
  await fc.assert(
    fc.asyncProperty(setup, order, fc.boolean(), film, async (spec, order, isSource, n) => {
      const world = { ...build(spec), guard: STRICT }
      const rules = rulesOf('bidirectional', 'managed_only', order)
      await run(world, rules)
      for (const list of isSource ? [world.source] : world.targets) list.shelves = []
      const [before, news] = isSource ? [union(world), world.targets[0]!] : [setOf(world.source), world.source]
      news.shelves = [...news.shelves, ...(before.has(n) ? [] : [shelf(n)])]
      const plan = await run(world, rules)
      must(
        [plan.source, ...plan.targets].every(({ removes }) => removes.length === 0),
        'removal',
        outline(plan),
      )
      must(
        [...before].every((one) => (isSource ? union(world) : setOf(world.source)).has(one)),
        'kept',
      )
      must(setOf(isSource ? world.source : world.targets[0]!).has(n) || before.has(n), 'new item', outline(plan))
    }),
  )
})

t.test(
  'property 15: no list and not all together exceed their capacity; items are placed last; every item is placed or counted',
  async () => {
    const capacity = fc.record({
      perListCapacity: fc.integer({ min: 1, max: 6 }),
      totalCapacity: fc.integer({ min: 1, max: 15 }),
    })
    await fc.assert(
      fc.asyncProperty(setup, capacity, lives, fc.boolean(), async (spec, capacity, steps, isTwoWay) => {
        const world = build(spec)
        const rules = { ...rulesOf(isTwoWay ? 'bidirectional' : 'one_way', 'managed_only'), ...capacity }
        for (const step of steps) {
          liveStep(world, step)
          const before = world.targets.map(setOf)
          const sizes = world.targets.map(filmsIn).map((list) => list.length)
          const wanted = (await planFor(inputOf(world, { ...rules, perListCapacity: 1e5, totalCapacity: 1e6 }))).targets
          const plan = await run(world, rules)
          const added = plan.targets.reduce((sum, { adds }) => sum + adds.length, 0)
          const total = wanted.reduce((sum, { adds }) => sum + adds.length, 0)
          must(added + plan.counts.overflow === total, 'placed or counted', outline(plan))
          must(plan.counts.overflow > 0 === (plan.refused !== null), 'refused', outline(plan))
          must(added <= plan.counts.available!, 'available', plan.counts)
          for (const [index, list] of world.targets.entries()) {
            const now = filmsIn(list)
            must(now.length <= Math.max(capacity.perListCapacity, sizes[index]!), 'capacity of a list')
            const kept = [...before[index]!].filter((n) => union(world).has(n))
            must(
              kept.every((n) => now.includes(n)),
              'moved to another list',
            )
          }
          const all = world.targets.flatMap(filmsIn).length
          const limit = Math.min(capacity.totalCapacity, capacity.perListCapacity * world.targets.length)
          must(
            all <=
              Math.max(
                limit,
                sizes.reduce((sum, size) => sum + size, 0),
              ),
            'capacity',
          )
        }
      }),
      { numRuns: runsOf(150) },
    )
  },
)

t.test('property 15: an item returns to its previous list while that has room', async (t) => {
  const rules = { ...rulesOf('one_way', 'managed_only'), perListCapacity: 2, totalCapacity: 10 }
  const world = worldOf(listOf('s', [1, 2, 3, 4, 5]), [listOf('a', []), listOf('b', []), listOf('c', [])])
  await run(world, rules)
  t.same(world.targets.map(filmsIn), [[1, 2], [3, 4], [5]])
  world.targets[0]!.shelves = world.targets[0]!.shelves.slice(1)
  world.targets[1]!.shelves = world.targets[1]!.shelves.slice(0, 1)
  await run(world, rules)
  t.same(world.targets.map(filmsIn), [[2, 1], [3, 4], [5]])
  world.targets[1]!.shelves = [shelf(3), shelf(90)]
  await run(world, rules)
  t.same(world.targets.map(filmsIn), [
    [2, 1],
    [3, 90],
    [5, 4],
  ])
})

t.test(
  'property 15: an overflow refuses everything, including removals and the source, and keeps the state',
  async (t) => {
    const rules = { ...rulesOf('bidirectional', 'managed_only'), perListCapacity: 3, totalCapacity: 3 }
    const world = worldOf(listOf('s', [1, 2]), [listOf('a', [])])
    await run(world, rules)
    const state = world.state
    world.source.shelves = [shelf(1), shelf(3), shelf(4), shelf(5)]
    world.targets[0]!.shelves.push(shelf(6))
    const plan = await run(world, rules)
    t.match(plan, { refused: 'capacity_exceeded', counts: { capacity: 3, available: 1, overflow: 2 } })
    t.same(filmsIn(world.targets[0]!), [1, 2, 6])
    t.same(world.state, state)
  },
)

t.test('property 10: read-only lists refuse the run', async (t) => {
  const cases = [
    ['target_read_only', 'one_way', 'managed_only', {}, { canAdd: false }],
    ['source_read_only', 'bidirectional', 'managed_only', { canAdd: false }, {}],
    ['source_read_only', 'bidirectional', 'managed_only', { canRemove: false }, {}],
    [null, 'bidirectional', 'add_only', { canRemove: false }, {}],
    [null, 'one_way', 'managed_only', { canAdd: false, canRemove: false }, {}],
  ] as const
  for (const [refused, direction, membership, source, target] of cases) {
    const world = worldOf(listOf('s', [1], source), [listOf('a', [2]), listOf('b', [], target)])
    t.equal((await run(world, rulesOf(direction, membership))).refused, refused)
    if (refused !== null) t.same(world.state, NEVER)
  }
  const none = worldOf(listOf('s', [1]), [])
  t.equal((await run(none, rulesOf('one_way', 'managed_only'))).refused, 'target_read_only')
  const direct = worldOf(listOf('s', [1]), [listOf('a', [], { canAdd: false })])
  t.equal((await run(direct, { membership: 'mirror', order: 'ignore' })).refused, 'target_read_only')
})

t.test(
  'property 16: two-way with failing services: nothing is lost, calls end, and the sides finally agree',
  async () => {
    const luck = fc.array(fc.constantFrom('done', 'lost', 'lost_but_done'), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(setup, luck, luck, lives, fc.boolean(), async (spec, mine, theirs, steps, readsAfter) => {
        const world = { ...build(spec), readsAfter }
        const rules = rulesOf('bidirectional', 'managed_only')
        world.source.luck = (n) => mine[n % mine.length]!
        for (const target of world.targets) target.luck = (n) => theirs[n % theirs.length]!
        const removed = new Set<number>()
        for (const step of steps) {
          const before = new Set([...setOf(world.source), ...union(world)])
          liveStep(world, step)
          const kept = [...before].filter((n) => setOf(world.source).has(n) && union(world).has(n))
          for (const n of before) if (!kept.includes(n)) removed.add(n)
          await run(world, rules)
          // Only films that a person removed somewhere, or that had not arrived everywhere, may be missing.
          must(
            kept.every((n) => setOf(world.source).has(n) && union(world).has(n)),
            'lost',
          )
        }
        world.source.luck = () => 'done'
        for (const target of world.targets) target.luck = () => 'done'
        world.nowMs += 48 * HOUR_MS
        await run(world, rules)
        must(sizeOf(await run(world, rules)) === 0, 'nothing left')
        must(
          [...setOf(world.source)].every((n) => union(world).has(n)),
          'source in targets',
        )
      }),
      { numRuns: runsOf(100) },
    )
  },
)

t.test('property 17: without its state the first run removes nothing, two-way and with a strict guard', async () => {
  await fc.assert(
    fc.asyncProperty(setup, membership, lives, lives, async (spec, membership, before, after) => {
      const world = build(spec)
      const rules = rulesOf('bidirectional', membership)
      for (const step of before) {
        liveStep(world, step)
        await run(world, rules)
      }
      world.state = NEVER
      world.guard = { ...FREE, approved: false }
      liveStep(world, after[0]!)
      const plan = await run(world, rules)
      must(plan.initial && [plan.source, ...plan.targets].every(({ removes }) => removes.length === 0), 'removal')
    }),
  )
})

t.test('property 20: each target has the order of the source', async () => {
  await fc.assert(
    fc.asyncProperty(setup, lives, fc.boolean(), async (spec, steps, isTwoWay) => {
      const world = build(spec)
      for (const step of steps) {
        liveStep(world, step)
        await run(world, rulesOf(isTwoWay ? 'bidirectional' : 'one_way', 'managed_only', 'preserve'))
        for (const target of world.targets) {
          const there = filmsIn(target).filter((n) => setOf(world.source).has(n))
          must(`${there}` === `${filmsIn(world.source).filter((n) => there.includes(n))}`, 'order')
        }
      }
    }),
  )
})

t.test('the rules of a ruleset may change without items counting as new or lost', async (t) => {
  const world = worldOf(listOf('s', [1, 2]), [listOf('a', [2, 3])])
  await run(world, rulesOf('one_way', 'managed_only'))
  const plan = await run(world, rulesOf('bidirectional', 'managed_only'))
  t.equal(sizeOf(plan), 0)
  world.targets[0]!.shelves.push(shelf(4))
  await run(world, rulesOf('bidirectional', 'managed_only'))
  t.same(sorted(setOf(world.source)), [1, 2, 4])
  t.equal(sizeOf(await run(world, rulesOf('one_way', 'managed_only'))), 0)
  t.equal((await policy.describe()).feature, 'playlists')
})
