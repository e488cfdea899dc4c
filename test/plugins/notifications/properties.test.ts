// Quiet hours over clock changes, and the message limit, as properties.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { quietUntil } from '../../../plugins/services/notifications/quiet.ts'
import { openWorld, RULE } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const WEEK_MS = 7 * 24 * HOUR_MS
// With clock changes of an hour, of half an hour, at midnight, over the date line, and without any.
const ZONES = [
  'Europe/Paris',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Cairo',
  'UTC',
]
// Times of clock changes in some of the zones.
const CHANGES = [
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 9, 25, 1),
  Date.UTC(2026, 2, 8, 7),
  Date.UTC(2026, 10, 1, 6),
  Date.UTC(2026, 3, 4, 15),
  Date.UTC(2018, 10, 4, 3),
  Date.UTC(2011, 11, 30, 10),
  Date.UTC(2026, 3, 23, 22),
]

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)

/** Implemented independently of the code: by the formatted local time. */
function isQuietOnTheWall(atMs: number, zone: string, from: string, to: string, days: readonly number[]): boolean {
  const wall = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDateTime()
  const clock = wall.toPlainTime().toString().slice(0, 5)
  const yesterday = wall.toPlainDate().subtract({ days: 1 })
  const begins = (day: Temporal.PlainDate) => days.length === 0 || days.includes(day.dayOfWeek)
  if (from < to) return clock >= from && clock < to && begins(wall.toPlainDate())
  return (clock >= from && begins(wall.toPlainDate())) || (clock < to && begins(yesterday))
}

t.test(
  'a message after quiet hours is sent at the first moment outside them in local time, also when clocks change',
  (t) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...CHANGES),
        fc.integer({ min: -3_000, max: 3_000 }),
        time,
        time,
        fc.subarray([1, 2, 3, 4, 5, 6, 7]),
        (zone, change, minutes, from, to, days) => {
          fc.pre(from !== to)
          const atMs = change + minutes * MINUTE_MS + 12_345
          const endMs = quietUntil(
            { time_zone: zone, quiet: { enabled: true, from, to, days, except_errors: false } },
            atMs,
          )
          if (isQuietOnTheWall(endMs, zone, from, to, days)) return false
          if (!isQuietOnTheWall(atMs, zone, from, to, days)) return endMs === atMs
          if (endMs <= atMs || endMs > atMs + WEEK_MS + 25 * HOUR_MS) return false
          for (let probeMs = atMs; probeMs < endMs; probeMs += 7 * MINUTE_MS)
            if (!isQuietOnTheWall(probeMs, zone, from, to, days)) return false
          return isQuietOnTheWall(endMs - 1, zone, from, to, days)
        },
      ),
      { numRuns: runsOf(1_000) },
    )
    t.pass('held')
    t.end()
  },
)

t.test('never more than the rule allows within any hour, and finally every event was sent, once', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.record({ afterMinutes: fc.integer({ min: 0, max: 25 }), isError: fc.boolean() }), {
        minLength: 1,
        maxLength: 25,
      }),
      async (max, group, steps) => {
        await using world = await openWorld([{ ...RULE, max_per_hour: max, group_minutes: group }])
        let n = 0
        for (const { afterMinutes, isError } of steps) {
          world.clock.nowMs += afterMinutes * MINUTE_MS
          await world.tell(n++, isError ? 'error' : 'info')
          await world.settle()
        }
        for (let later = 0; later < 12; later += 1) {
          world.clock.nowMs += 20 * MINUTE_MS
          await world.settle()
        }
        const times = world.fake.sent.map(({ atMs }) => atMs)
        const isOver = times.some((at) => times.filter((other) => other >= at && other < at + HOUR_MS).length > max)
        const { items } = await world.log()
        const told = items
          .filter(({ state }) => state === 'sent')
          .flatMap(({ messages }) => messages.map(({ title }) => title))
        const wanted = steps.map((_step, index) => `T${index}`)
        return !isOver && [...told].sort().join() === [...wanted].sort().join()
      },
    ),
    { numRuns: runsOf(8) },
  )
  t.pass('held')
})

t.test('errors pass quiet hours if the rule allows it; the rest waits and is sent as one', async (t) => {
  // 23:00 in Paris.
  const startMs = Date.UTC(2026, 0, 5, 22)
  const quiet = { enabled: true, from: '22:00', to: '07:00', days: [], except_errors: true }
  await using world = await openWorld([{ ...RULE, time_zone: 'Europe/Paris', quiet }], startMs)
  await world.tell(1)
  await world.settle()
  t.equal(world.fake.sent.length, 0)
  t.match((await world.log()).items, [{ state: 'queued', due_at: Date.UTC(2026, 0, 6, 6) }])
  await world.tell(2, 'error')
  await world.settle()
  t.match(world.fake.sent, [{ message: { title: '2 messages: T2' } }], 'with what waited already')
  await world.tell(3)
  await world.tell(4)
  world.clock.nowMs = Date.UTC(2026, 0, 6, 6)
  await world.settle()
  t.match(world.fake.sent.slice(1), [{ message: { title: '2 messages: T3' } }])
})
