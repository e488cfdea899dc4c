// Unreadable entries: a missing item may be one of them.
import t from 'tap'
import fc, { runsOf } from '../../../fast-check.ts'
import { distinct, film, membership, must } from './lives.ts'
import { filmsIn, HOUR_MS, listOf, outline, run, setOf, shelf, sorted, STRICT, worldOf } from './world.ts'

const LOOSE = { min: 100, ratio: 1, approved: false }
const DIRECT = { membership: 'managed_only', order: 'ignore' } as const
const BOTH = {
  direction: 'bidirectional',
  membership: 'managed_only',
  order: 'ignore',
  perListCapacity: 100,
  totalCapacity: 100,
} as const

t.test('property 11: items that a service no longer shows are not removed from the other side', async () => {
  await fc.assert(
    fc.asyncProperty(
      distinct,
      distinct,
      fc.array(film),
      membership,
      fc.boolean(),
      async (films, extras, hidden, membership, isTwoWay) => {
        const world = worldOf(listOf('s', films), [listOf('t', [...new Set([...films, ...extras])])], { guard: LOOSE })
        const mapping = isTwoWay ? { ...BOTH, membership } : { membership, order: 'preserve' as const }
        await run(world, mapping)
        await run(world, mapping)
        const before = [setOf(world.source), setOf(world.targets[0]!)] as const
        for (const list of isTwoWay ? [world.source, world.targets[0]!] : [world.source]) list.hides = new Set(hidden)
        for (let turn = 0; turn < 3; turn++) {
          world.nowMs += HOUR_MS
          const plan = await run(world, mapping)
          must(
            [...before[0]].every((n) => setOf(world.source).has(n)),
            'source',
            outline(plan),
          )
          must(
            [...before[1]].every((n) => setOf(world.targets[0]!).has(n)),
            'target',
            outline(plan),
          )
        }
        for (const list of [world.source, ...world.targets]) list.hides = new Set()
        await run(world, mapping)
        must(`${sorted(before[0])}` === `${sorted(setOf(world.source))}`, 'source as before')
        must(`${sorted(before[1])}` === `${sorted(setOf(world.targets[0]!))}`, 'target as before')
      },
    ),
    { numRuns: runsOf(150) },
  )
})

t.test('an entry that was never readable does not block removals of readable ones', async (t) => {
  const world = worldOf(listOf('s', [1, 2, 99], { hides: new Set([99]) }), [listOf('t', [])], { guard: STRICT })
  await run(world, DIRECT)
  world.source.shelves = [1, 99].map(shelf)
  await run(world, DIRECT)
  t.same(filmsIn(world.targets[0]!), [1])
})

t.test('a new unreadable entry blocks removals until it is gone, or a person approves them', async (t) => {
  const world = worldOf(listOf('s', [1, 2, 3]), [listOf('t', [])], { guard: STRICT })
  await run(world, DIRECT)
  world.source.hides.add(99)
  world.source.shelves = [1, 3, 99].map(shelf)
  for (let turn = 0; turn < 3; turn++) {
    const plan = await run(world, DIRECT)
    t.match(plan, { warnings: ['unreadable_entries'], targets: [{ blocked: 1, removes: [] }] })
  }
  world.guard = { ...STRICT, approved: true }
  await run(world, DIRECT)
  t.same(filmsIn(world.targets[0]!), [1, 3])
  world.guard = STRICT
  world.source.shelves = [1, 99].map(shelf)
  await run(world, DIRECT)
  t.same(filmsIn(world.targets[0]!), [1], 'the entry is known now')
})
