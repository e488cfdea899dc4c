// Run times, in particular at daylight saving changes.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { checkTiming, nextRun } from '../../../core/scheduling/timing.ts'

/** The next runs, as local time with offset. */
function runs(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = []
  for (let afterMs = Date.parse(after); found.length < count; ) {
    const next = nextRun({ cron, timeZone }, afterMs)
    if (next === null) break
    const local = Temporal.Instant.fromEpochMilliseconds(next).toZonedDateTimeISO(timeZone)
    found.push(local.toString({ timeZoneName: 'never', smallestUnit: 'minute' }))
    afterMs = next
  }
  return found
}

const tables: readonly (readonly [
  promise: string,
  cron: string,
  zone: string,
  after: string,
  expected: readonly string[],
])[] = [
  [
    'a daily time that the spring day lacks runs once, when the clocks jump',
    '30 2 * * *',
    'Europe/Paris',
    '2026-03-28T00:00:00Z',
    ['2026-03-28T02:30+01:00', '2026-03-29T03:00+02:00', '2026-03-30T02:30+02:00'],
  ],
  [
    'a daily time that the autumn day has twice runs the first time',
    '30 2 * * *',
    'Europe/Paris',
    '2026-10-24T00:00:00Z',
    ['2026-10-24T02:30+02:00', '2026-10-25T02:30+02:00', '2026-10-26T02:30+01:00'],
  ],
  [
    'the same across the ocean in spring',
    '30 2 * * *',
    'America/New_York',
    '2026-03-07T00:00:00Z',
    ['2026-03-07T02:30-05:00', '2026-03-08T03:00-04:00', '2026-03-09T02:30-04:00'],
  ],
  [
    'the same across the ocean in autumn',
    '30 1 * * *',
    'America/New_York',
    '2026-10-31T00:00:00Z',
    ['2026-10-31T01:30-04:00', '2026-11-01T01:30-04:00', '2026-11-02T01:30-05:00'],
  ],
  [
    'a jump of half an hour forward',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-02T20:00:00Z',
    ['2026-10-04T02:30+11:00', '2026-10-05T02:15+11:00'],
  ],
  [
    'a jump of half an hour back',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-03T20:00:00Z',
    ['2026-04-05T01:45+11:00', '2026-04-06T01:45+10:30'],
  ],
  [
    'a zone without changes',
    '30 2 * * *',
    'UTC',
    '2026-03-28T00:00:00Z',
    ['2026-03-28T02:30+00:00', '2026-03-29T02:30+00:00', '2026-03-30T02:30+00:00'],
  ],
  [
    'a jump across midnight moves a late evening run to midnight',
    '30 23 * * *',
    'America/Nuuk',
    '2026-03-28T00:00:00Z',
    ['2026-03-27T23:30-02:00', '2026-03-29T00:00-01:00', '2026-03-29T23:30-01:00'],
  ],
  [
    'midnight itself missing',
    '0 0 * * *',
    'Africa/Cairo',
    '2026-04-22T12:00:00Z',
    ['2026-04-23T00:00+02:00', '2026-04-24T01:00+03:00', '2026-04-25T00:00+03:00'],
  ],
  [
    'a day that a country left out is left out',
    '59 23 * * *',
    'Pacific/Apia',
    '2011-12-29T12:00:00Z',
    ['2011-12-29T23:59-10:00', '2011-12-31T23:59+14:00'],
  ],
  [
    'several times inside the jump run once together',
    '15,45 2 * * *',
    'Europe/Paris',
    '2026-03-29T00:00:00Z',
    ['2026-03-29T03:00+02:00', '2026-03-30T02:15+02:00', '2026-03-30T02:45+02:00'],
  ],
  [
    'several fixed times a day are fixed times too',
    '30 2,14 * * *',
    'Europe/Paris',
    '2026-10-24T20:00:00Z',
    ['2026-10-25T02:30+02:00', '2026-10-25T14:30+01:00', '2026-10-26T02:30+01:00'],
  ],
  [
    'an hourly pattern runs through the repeated hour',
    '0 * * * *',
    'Europe/Paris',
    '2026-10-24T23:30:00Z',
    ['2026-10-25T02:00+02:00', '2026-10-25T02:00+01:00', '2026-10-25T03:00+01:00'],
  ],
  [
    'an hourly pattern runs on through the jump',
    '0 * * * *',
    'Europe/Paris',
    '2026-03-28T23:30:00Z',
    ['2026-03-29T01:00+01:00', '2026-03-29T03:00+02:00', '2026-03-29T04:00+02:00'],
  ],
  [
    'days of the week are those of the zone',
    '0 1 * * 1',
    'Asia/Tokyo',
    '2026-01-03T00:00:00Z',
    ['2026-01-05T01:00+09:00', '2026-01-12T01:00+09:00'],
  ],
  [
    'a leap day comes every four years',
    '0 0 29 2 *',
    'Europe/Paris',
    '2026-01-01T00:00:00Z',
    ['2028-02-29T00:00+01:00', '2032-02-29T00:00+01:00'],
  ],
]

for (const [promise, cron, zone, after, expected] of tables) {
  t.test(`${promise} (${cron}, ${zone})`, async (t) => {
    t.same(runs(cron, zone, after, expected.length), expected)
  })
}

/** Zones with changes of a whole hour, half an hour, two hours and at midnight, and one without. */
const ZONES = [
  'Europe/Paris',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Nuuk',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Antarctica/Troll',
  'UTC',
]
const DAYS = fc.integer({ min: 0, max: 38 * 365 }).map((days) => Temporal.PlainDate.from('2000-01-01').add({ days }))

t.test('every day of every year has exactly one daily run, in any zone and at any time', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.nat(23), fc.nat(59), DAYS, (zone, hour, minute, first) => {
      let afterMs = first.toZonedDateTime(zone).epochMilliseconds - 1
      for (let day = 0; day < 30; day++) {
        const next = nextRun({ cron: `${minute} ${hour} * * *`, timeZone: zone }, afterMs)
        if (next === null) return false
        // A skipped time is due at the end of the jump, a repeated time at its first occurrence. Temporal's "compatible" moves
        // a skipped time forward instead, so days with a jump may differ by less than the jump.
        const wanted = first.add({ days: day }).toZonedDateTime({ timeZone: zone, plainTime: { hour, minute } })
        const isMissing = wanted.hour !== hour || wanted.minute !== minute
        const jump = isMissing
          ? wanted.subtract({ hours: 4 }).getTimeZoneTransition('next')?.epochMilliseconds
          : wanted.epochMilliseconds
        if (next !== jump) return false
        afterMs = next
      }
      return true
    }),
    { numRuns: runsOf(150) },
  )
})

t.test('intervals from midnight begin with each local day and stay within it', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), DAYS, fc.integer({ min: 15, max: 1_440 }), (timeZone, day, minutes) => {
      const [fromMs, untilMs] = [0, 1].map((days) => day.add({ days }).toZonedDateTime(timeZone).epochMilliseconds) as [
        number,
        number,
      ]
      let afterMs = fromMs - 1
      for (let n = 0; ; n++) {
        const next = nextRun({ every: `${minutes}m`, from: 'midnight', timeZone }, afterMs)
        const wanted = fromMs + n * minutes * 60_000
        if (wanted >= Math.min(untilMs, fromMs + 24 * 3_600_000)) return next === untilMs
        if (next !== wanted) return false
        afterMs = next
      }
    }),
    { numRuns: runsOf(300) },
  )
})

t.test('the next run is always later than the given time', async () => {
  const crons = [
    '* * * * *',
    '*/7 3-5 * * *',
    '30 2 * * *',
    '0 0 1 * *',
    '*/20 * * * * *',
    '0 12 * * 1-5',
    '15 1,2,3 L * *',
  ]
  const zones = fc.constantFrom('Europe/Paris', 'Australia/Lord_Howe', 'UTC')
  fc.assert(
    fc.property(
      fc.constantFrom(...crons),
      zones,
      fc.nat(2_000_000_000).map((s) => s * 1000 + 7),
      (cron, timeZone, afterMs) => {
        const next = nextRun({ cron, timeZone }, afterMs)
        return next !== null && next > afterMs
      },
    ),
    { numRuns: runsOf(300) },
  )
})

t.test('intervals count from the previous run, and single times run once', async (t) => {
  t.equal(nextRun({ every: '15m' }, 1_000), 901_000)
  t.equal(nextRun({ every: 5_000 }, 1_000), 6_000)
  t.equal(nextRun({ every: 5_000, from: 1_000 }, 999), 1_000)
  t.equal(nextRun({ every: 5_000, from: 1_000 }, 1_000), 6_000)
  t.equal(nextRun({ every: 5_000, from: 101_000 }, 12_000), 16_000, 'an instant of a wrong clock')
  t.equal(nextRun({ at: 5_000 }, 4_999), 5_000)
  t.equal(nextRun({ at: 5_000 }, 5_000), null)
})

t.test("without a zone, wall clock means the host's", async (t) => {
  t.equal(nextRun({ cron: '30 2 * * *' }, 0), nextRun({ cron: '30 2 * * *', timeZone: Temporal.Now.timeZoneId() }, 0))
})

t.test('an invalid timing is refused with a message that names it', async (t) => {
  const refused = [
    [{ cron: 'x' }, /"x" is not a cron expression/],
    [{ cron: '61 * * * *' }, /"61 \* \* \* \*" is not a cron expression: Invalid value for minute/],
    [{ cron: '0 0 1 1 * 2030 x' }, /is not a cron expression/],
    [{ cron: '2026-01-01T00:00:00' }, /is not a cron expression/],
    [{ cron: '@reboot' }, /is not a cron expression/],
    [{ cron: '0 0 31 2 *' }, /never comes/],
    [{ cron: '0 0 * * *', timeZone: 'Mars/Olympus' }, /"Mars\/Olympus" is not a time zone/],
    [{ every: 'often' }, /"often" is not a duration/],
    [{ every: 10 }, /too short/],
    [{ every: '1h', startAfter: 'soon' }, /"soon" is not a duration/],
    [{ every: '1h', from: Number.NaN }, /NaN is not a time/],
    [{ every: '1h', from: 'midnight', timeZone: 'Mars/Olympus' }, /"Mars\/Olympus" is not a time zone/],
    [{ times: { a: { cron: '30 3 * * *' }, b: { every: 'often' } } }, /"often" is not a duration/],
    [{ at: Number.NaN }, /NaN is not a time/],
  ] as const
  for (const [timing, message] of refused) t.throws(() => checkTiming(timing), { code: 'PLH_INVALID', message })
  for (const timing of [
    { cron: '30 3 * * *' },
    { cron: '*/10 * * * * *', timeZone: 'UTC' },
    { cron: '@daily' },
    { every: '1s' },
    { at: 5 },
  ])
    t.doesNotThrow(() => checkTiming(timing))
})
