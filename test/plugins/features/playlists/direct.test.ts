// Direct mappings over random lives.
import t from 'tap'
import fc, { runsOf } from '../../../fast-check.ts'
import type { Membership } from '@playhead/sdk'
import { distinct, films, FILMS, live, lives, membership, must, order, shown, type Step } from './lives.ts'
import {
  filmsIn,
  FREE,
  HOUR_MS,
  listOf,
  NEVER,
  outline,
  run,
  setOf,
  shelf,
  sizeOf,
  sorted,
  STRICT,
  type World,
  worldOf,
} from './world.ts'

const setup = fc.record({ source: films, target: films, duplicates: fc.boolean(), entryIds: fc.boolean(), shown })

function build({ source, target, duplicates, entryIds, shown }: Setup): World {
  return worldOf(listOf('s', source, { duplicates: true, shows: (n) => shown[n]![0]! }), [
    listOf('t', duplicates ? target : [...new Set(target)], { duplicates, entryIds, shows: (n) => shown[n]![1]! }),
  ])
}
type Setup = typeof setup extends fc.Arbitrary<infer Value> ? Value : never

async function eachRun(
  world: World,
  mapping: { readonly membership: Membership; readonly order: 'ignore' | 'preserve' },
  steps: readonly Step[],
  check: (plan: Awaited<ReturnType<typeof run>>, before: World) => void | Promise<void>,
): Promise<void> {
  for (const { here, there } of steps) {
    for (const one of here) live(world.source, one)
    for (const one of there) live(world.targets[0]!, one)
    world.nowMs += HOUR_MS
    const before = structuredClone({ source: filmsIn(world.source), target: filmsIn(world.targets[0]!) })
    const copy = { ...world, source: listOf('s', before.source), targets: [listOf('t', before.target)] }
    await check(await run(world, mapping), copy)
  }
}

t.test(
  "property 8: a second run right after the first plans nothing, with the person's extras in the target",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        setup,
        membership,
        order,
        lives,
        fc.boolean(),
        async (spec, membership, order, steps, readsAfter) => {
          const world = { ...build(spec), readsAfter }
          const mapping = { membership, order }
          await eachRun(world, mapping, steps, async (plan) => {
            const again = await run(world, mapping)
            must(sizeOf(again) === 0, 'second run', { first: outline(plan), again: outline(again) })
          })
        },
      ),
      { numRuns: runsOf(150) },
    )
  },
)

t.test(
  'property 9: add_only never removes, managed_only only its own additions, and a mirror equals the source',
  async () => {
    await fc.assert(
      fc.asyncProperty(setup, membership, order, lives, async (spec, membership, order, steps) => {
        const world = build(spec)
        const target = world.targets[0]!
        // Number of films that the mapping added to the target and that were not lost since; counted, because a list may repeat
        // them.
        const mine = new Map<number, number>()
        await eachRun(world, { membership, order }, steps, (plan, before) => {
          const [{ adds, removes }] = plan.targets as [(typeof plan.targets)[number]]
          const count = (list: readonly number[], n: number) => list.filter((one) => one === n).length
          const filmIds = [...Array(FILMS).keys()]
          for (const n of filmIds) mine.set(n, Math.min(mine.get(n) ?? 0, count(filmsIn(before.targets[0]!), n)))
          const removed = removes.map(({ item }) => Number(item.title!.slice(5)))
          if (membership === 'add_only') must(removes.length === 0, 'removal', outline(plan))
          if (membership === 'managed_only') {
            for (const n of filmIds) must(count(removed, n) <= (mine.get(n) ?? 0), 'not added by it', { n, removed })
            const kept = filmIds.every(
              (n) => count(removed, n) === 0 || !setOf(world.source).has(n) || target.duplicates,
            )
            must(kept, 'removed although the source has it', outline(plan))
          }
          for (const n of removed) mine.set(n, mine.get(n)! - 1)
          for (const { item } of adds) {
            const n = Number(item.title!.slice(5))
            mine.set(n, (mine.get(n) ?? 0) + 1)
          }
          must(
            [...setOf(world.source)].every((n) => setOf(target).has(n)),
            'source in target',
            outline(plan),
          )
          if (membership !== 'mirror') return
          const wanted = target.duplicates ? filmsIn(world.source) : [...setOf(world.source)]
          must(`${sorted(filmsIn(target))}` === `${sorted(wanted)}`, 'mirror', { wanted, seen: filmsIn(target) })
        })
      }),
      { numRuns: runsOf(150) },
    )
  },
)

t.test(
  'property 9: an item that the target lost while the source did not have it returns with the source',
  async (t) => {
    for (const membership of ['add_only', 'managed_only', 'mirror'] as const)
      for (const runs of [0, 1, 2])
        for (const duplicates of [false, true]) {
          const mapping = { membership, order: 'ignore' } as const
          const world = worldOf(listOf('s', [1, 2], { duplicates }), [listOf('t', [], { duplicates })])
          const again = async (times: number) => {
            for (let time = 0; time < times; time += 1) {
              await run(world, mapping)
              world.nowMs += HOUR_MS
            }
          }
          await again(2)
          world.source.shelves = [shelf(2)]
          await again(runs)
          world.targets[0]!.shelves = [shelf(2)]
          await again(runs)
          world.source.shelves = [2, 1].map(shelf)
          await again(1)
          t.same(sorted(setOf(world.targets[0]!)), [1, 2], `${membership}, ${runs} runs between, copies: ${duplicates}`)
        }
  },
)

t.test('property 9: a film that the mapping added is removed with the source, for any ids there', async () => {
  await fc.assert(
    fc.asyncProperty(distinct, distinct, shown, fc.boolean(), async (before, later, shown, entryIds) => {
      const world = build({ source: before, target: [], duplicates: false, entryIds, shown })
      await run(world, { membership: 'managed_only', order: 'ignore' })
      world.source.shelves = later.map(shelf)
      await run(world, { membership: 'managed_only', order: 'ignore' })
      must(`${sorted(setOf(world.targets[0]!))}` === `${sorted(new Set(later))}`, 'follows', { before, later })
    }),
  )
})

t.test('property 11: an emptied source removes nothing, and simultaneous additions still go through', async () => {
  await fc.assert(
    fc.asyncProperty(setup, membership, order, async (spec, membership, order) => {
      const world = { ...build(spec), guard: STRICT }
      await run(world, { membership, order })
      await run(world, { membership, order })
      const before = filmsIn(world.targets[0]!)
      world.source.shelves = []
      const plan = await run(world, { membership, order })
      must(plan.targets[0]!.removes.length === 0, 'removal', outline(plan))
      must(`${filmsIn(world.targets[0]!)}` === `${before}`, 'unchanged', outline(plan))
    }),
  )
})

t.test(
  'property 11: removals beyond the guard are blocked at every size, all of them, until they are approved',
  async (t) => {
    for (const [size, lost, blocked] of [
      [4, 3, 0],
      [5, 4, 4],
      [10, 3, 0],
      [10, 4, 4],
      [40, 4, 0],
      [40, 5, 5],
    ] as const) {
      const all = [...Array(size).keys()]
      const world = worldOf(listOf('s', all), [listOf('t', [])], { guard: STRICT })
      const mapping = { membership: 'managed_only', order: 'ignore' } as const
      await run(world, mapping)
      world.source.shelves = [...all.slice(lost), 900].map(shelf)
      const plan = await run(world, mapping)
      t.equal(plan.targets[0]!.blocked, blocked, `${lost} of ${size}`)
      t.equal(plan.targets[0]!.removes.length, blocked === 0 ? lost : 0)
      t.same(plan.warnings, blocked === 0 ? [] : ['mass_delete_blocked'])
      t.ok(setOf(world.targets[0]!).has(900), 'the add went through')
      world.guard = { ...STRICT, approved: true }
      await run(world, mapping)
      t.same(sorted(setOf(world.targets[0]!)), sorted([...all.slice(lost), 900]))
    }
  },
)

t.test('property 12: nothing is ever planned for the source of a direct mapping', async () => {
  await fc.assert(
    fc.asyncProperty(setup, membership, order, lives, async (spec, membership, order, steps) => {
      const world = build(spec)
      await eachRun(world, { membership, order }, steps, ({ source }) => {
        must(source.adds.length + source.removes.length + source.moves + source.blocked === 0, 'write', source)
        must(source.order === null, 'order')
      })
      must(world.source.calls === 0, 'calls')
    }),
  )
})

t.test(
  'property 16: failures are retried and existing items are not: calls end, and the lists finally agree',
  async () => {
    const luck = fc.array(fc.constantFrom('done', 'lost', 'lost_but_done'), { minLength: 1, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(setup, membership, luck, fc.boolean(), async (spec, membership, fate, readsAfter) => {
        const world = { ...build({ ...spec, duplicates: false }), readsAfter }
        const target = world.targets[0]!
        await run(world, { membership, order: 'ignore' })
        target.luck = (n) => fate[n % fate.length]!
        live(world.source, ['add', 3])
        live(world.source, ['remove', 2])
        let calls = target.calls
        let last = Infinity
        for (let turn = 0; turn < 4; turn++) {
          world.nowMs += HOUR_MS
          const plan = await run(world, { membership, order: 'ignore' })
          const spent = target.calls - calls
          calls = target.calls
          must(spent <= last, 'more calls than before', outline(plan))
          must(spent === plan.targets[0]!.adds.length + plan.targets[0]!.removes.length, 'calls')
          last = spent
        }
        target.luck = () => 'done'
        world.nowMs += 48 * HOUR_MS
        await run(world, { membership, order: 'ignore' })
        must(
          [...setOf(world.source)].every((n) => setOf(target).has(n)),
          'in the target',
        )
        must(sizeOf(await run(world, { membership, order: 'ignore' })) === 0, 'nothing left')
      }),
      { numRuns: runsOf(100) },
    )
  },
)

t.test('property 16: an add with a lost response is recorded as added by the mapping', async (t) => {
  const world = worldOf(listOf('s', [1, 2]), [listOf('t', [], { luck: () => 'lost_but_done' })])
  const mapping = { membership: 'managed_only', order: 'ignore' } as const
  await run(world, mapping)
  world.targets[0]!.luck = () => 'done'
  world.source.shelves = [shelf(1)]
  await run(world, mapping)
  t.same(filmsIn(world.targets[0]!), [1])
})

t.test(
  'property 16: refused films are retried at growing intervals up to a day, and are reported meanwhile',
  async (t) => {
    const world = worldOf(listOf('s', [1, 2]), [listOf('t', [], { refuses: new Map([[2, 'not_in_library']]) })])
    const mapping = { membership: 'managed_only', order: 'preserve' } as const
    const tried: number[] = []
    for (let quarter = 0; quarter < 4 * 24 * 5; quarter++) {
      const plan = await run(world, mapping)
      if (plan.targets[0]!.adds.length > 0) tried.push(quarter / 4)
      else
        t.same(
          plan.targets[0]!.leftOut.map(({ reason }) => reason),
          ['not_in_library'],
        )
      world.nowMs += HOUR_MS / 4
    }
    t.same(tried, [0, 0.25, 1.25, 5.25, 21.25, 45.25, 69.25, 93.25, 117.25])
    world.targets[0]!.refuses.clear()
    world.nowMs += 24 * HOUR_MS
    await run(world, mapping)
    t.same(filmsIn(world.targets[0]!), [1, 2])
    t.same(world.state.refused, [])
  },
)

t.test('property 17: a deleted and recreated mapping removes nothing in its first run', async () => {
  await fc.assert(
    fc.asyncProperty(setup, membership, order, lives, lives, async (spec, membership, order, before, after) => {
      const world = build(spec)
      await eachRun(world, { membership, order }, before, () => {})
      world.state = NEVER
      world.guard = { ...FREE, approved: false }
      let isFirst = true
      await eachRun(world, { membership, order }, after, (plan) => {
        must(plan.initial === isFirst, 'initial')
        if (isFirst) must(plan.targets[0]!.removes.length === 0, 'removal', outline(plan))
        isFirst = false
      })
    }),
  )
})

t.test("property 17: additions of an earlier mapping count as the target's own for its successor", async (t) => {
  const world = worldOf(listOf('s', [1, 2]), [listOf('t', [])])
  const mapping = { membership: 'managed_only', order: 'ignore' } as const
  await run(world, mapping)
  world.state = NEVER
  await run(world, mapping)
  world.source.shelves = [shelf(1)]
  await run(world, mapping)
  t.same(filmsIn(world.targets[0]!), [1, 2])
})

t.test('property 17: the first run of a mirror keeps existing items unless it is approved', async (t) => {
  const mapping = { membership: 'mirror', order: 'ignore' } as const
  const world = worldOf(listOf('s', [1]), [listOf('t', [1, 2])], { guard: STRICT })
  const plan = await run(world, mapping)
  t.match(plan, { initial: true, warnings: ['first_run_keeps'], targets: [{ blocked: 1, removes: [] }] })
  await run(world, mapping)
  t.same(filmsIn(world.targets[0]!), [1])
  const approved = worldOf(listOf('s', [1]), [listOf('t', [1, 2])], { guard: FREE })
  await run(approved, mapping)
  t.same(filmsIn(approved.targets[0]!), [1])
})

t.test(
  'property 20: the target has the order of the source, extras keep theirs, and the fewest entries move',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        setup,
        fc.constantFrom<Membership>('add_only', 'managed_only'),
        lives,
        async (spec, membership, steps) => {
          const world = build({
            ...spec,
            source: [...new Set(spec.source)],
            target: [...new Set(spec.target)],
            duplicates: false,
          })
          world.source.duplicates = false
          const target = world.targets[0]!
          await eachRun(world, { membership, order: 'preserve' }, steps, (plan, before) => {
            const wanted = filmsIn(world.source).filter((n) => setOf(target).has(n))
            const isWanted = new Set(wanted)
            const now = filmsIn(target)
            must(`${now.filter((n) => isWanted.has(n))}` === `${wanted}`, 'order', { now, wanted })
            const removed = new Set(plan.targets[0]!.removes.map(({ item }) => Number(item.title!.slice(5))))
            const added = plan.targets[0]!.adds.map(({ item }) => Number(item.title!.slice(5)))
            const unmoved = [...filmsIn(before.targets[0]!).filter((n) => !removed.has(n)), ...added]
            const extras = (list: readonly number[]) => list.filter((n) => !isWanted.has(n))
            must(`${extras(now)}` === `${extras(unmoved)}`, 'extras', { now, unmoved })
            must(
              plan.targets[0]!.moves === wanted.length - longest(unmoved.flatMap((n) => ranks(wanted, n))),
              'fewest',
              { unmoved, wanted },
            )
          })
        },
      ),
      { numRuns: runsOf(150) },
    )
  },
)

const ranks = (wanted: readonly number[], n: number) => (wanted.includes(n) ? [wanted.indexOf(n)] : [])

/** Length of the longest increasing subsequence, by a slow algorithm. */
function longest(list: readonly number[]): number {
  const ends: number[] = []
  for (const [at, value] of list.entries())
    ends.push(1 + Math.max(0, ...list.slice(0, at).map((other, index) => (other < value ? ends[index]! : 0))))
  return Math.max(0, ...ends)
}
