// The weekly check of all databases: over restarts, changed settings, clock jumps and failing checks.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { createWeekly } from '../../../plugins/services/maintenance/integrity/weekly.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A service with this plugin, whose scheduler runs due jobs when time passes. */
function openWorld() {
  const stored = new Map<string, unknown>()
  const world = { nowMs: 1_790_000_000_000, days: 7, checks: [] as number[], fails: false, at: null as number | null }
  let weekly: ReturnType<typeof createWeekly>
  const start = async () => {
    weekly = createWeekly({
      job: () => ({ set: (timing) => void (world.at = timing === null ? null : (timing as { at: number }).at) }),
      settings: () => ({ integrity_check_days: world.days }),
      store: { get: async (key) => stored.get(key) as never, set: async (key, value) => void stored.set(key, value) },
      integrity: {
        async check({ quick }) {
          if (quick) throw new Error('not completely')
          if (world.fails) throw new Error('the disk is gone')
          world.checks.push(world.nowMs)
          return []
        },
      },
      startedAtMs: world.nowMs,
      now: () => world.nowMs,
    })
    await weekly.plan()
  }
  return {
    world,
    start,
    set: async (days: number) => {
      world.days = days
      await weekly.plan()
    },
    async pass(ms: number) {
      const endsAt = world.nowMs + ms
      while (world.at !== null && world.at <= endsAt) {
        world.nowMs = Math.max(world.nowMs, world.at)
        const due = world.at
        await weekly.run(new AbortController().signal).catch(() => {})
        if (world.at !== null && world.at <= due) throw new Error('it would run at once again')
      }
      world.nowMs = endsAt
    },
  }
}

t.test('once a week, not right after a start, and over restarts', async (t) => {
  const { world, start, pass } = openWorld()
  await start()
  await pass(20 * 60_000)
  t.same(world.checks, [])
  await pass(HOUR_MS)
  t.equal(world.checks.length, 1)
  await pass(6 * DAY_MS)
  await start()
  await pass(HOUR_MS)
  t.equal(world.checks.length, 1, 'a restart does not begin the week again')
  await pass(DAY_MS)
  t.equal(world.checks.length, 2)
  world.nowMs += 30 * DAY_MS
  await start()
  await pass(HOUR_MS)
  t.equal(world.checks.length, 3, 'what was missed while it was off is made up for, once')
  world.fails = true
  await pass(10 * DAY_MS)
  t.equal(world.checks.length, 3)
  world.fails = false
  await pass(2 * HOUR_MS)
  t.equal(world.checks.length, 4, 'a check that failed is tried again')
})

t.test('a service that started while the clock was ahead checks by the right clock', async (t) => {
  const { world, start, set, pass } = openWorld()
  world.nowMs += 365 * DAY_MS
  await start()
  world.nowMs -= 365 * DAY_MS
  await set(7)
  await pass(HOUR_MS)
  t.equal(world.checks.length, 1)
  await pass(8 * DAY_MS)
  t.equal(world.checks.length, 2)
})

t.test('whatever happens, checks are never closer than the setting says, and not put off for longer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 400 }) }),
          fc.record({ kind: fc.constant('start' as const), hours: fc.integer({ min: 0, max: 400 }) }),
          fc.record({ kind: fc.constant('days' as const), hours: fc.integer({ min: 0, max: 20 }) }),
        ),
        { maxLength: 30 },
      ),
      async (steps) => {
        const { world, start, set, pass } = openWorld()
        await start()
        for (const { kind, hours } of steps) {
          const before = world.checks.length
          if (kind === 'pass') await pass(hours * HOUR_MS)
          if (kind === 'days') await set(hours)
          if (kind === 'start') {
            world.nowMs += hours * HOUR_MS
            await start()
          }
          const made = world.checks.slice(Math.max(0, before - 1))
          for (let index = 1; index < made.length; index += 1)
            if (made[index]! - made[index - 1]! < world.days * DAY_MS) throw new Error('two checks in one period')
          if (world.days === 0 && world.checks.length > before && kind === 'pass') throw new Error('it is off')
        }
        if (world.days === 0) return
        const before = world.checks.length
        await pass(world.days * DAY_MS + HOUR_MS)
        if (world.checks.length === before) throw new Error('no check in a whole period')
      },
    ),
    { numRuns: runsOf(200) },
  )
})
