// Times, plays, ratings and positions: no value is invented, and conversions round-trip.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { markOf, pairPlays, playOf, playToleranceMs } from '../../../sdk/items/play.ts'
import { compareProgress, positionMsOf, progressOf } from '../../../sdk/items/progress.ts'
import { holdsRating, RATING_SCALES, ratingFrom, ratingTo, shownRating } from '../../../sdk/items/rating.ts'
import { distanceMs, formatTime, parseTime, sameTime, type Time } from '../../../sdk/items/time.ts'
import { movie } from './support.ts'

const DAY_MS = 86_400_000
const PLACEHOLDERS = [0, Date.UTC(1900) / DAY_MS]
const atMs = fc
  .integer({ min: Date.UTC(1870, 0), max: Date.UTC(2200, 0) })
  .filter((at) => !PLACEHOLDERS.includes(Math.floor(at / DAY_MS)))
const scale = fc.constantFrom(...Object.values(RATING_SCALES))
const rating = fc.integer({ min: 1, max: 10 })
const seconds = (...values: number[]): Time[] =>
  values.map((value) => ({ atMs: 1_782_936_900_000 + value * 1_000, precision: 'second' }))

const twoDigits = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'))
const year = fc
  .oneof(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 1969, max: 2027 }))
  .map((number) => String(number).padStart(4, '0'))
const likely = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'))
const part = (most: number) =>
  fc.oneof(
    { weight: 6, arbitrary: likely(most) },
    { weight: 1, arbitrary: twoDigits },
    { weight: 1, arbitrary: fc.string({ minLength: 2, maxLength: 2 }) },
  )

const fraction = fc.oneof(
  fc.constant(''),
  fc
    .integer({ min: 0, max: 9 })
    .chain((length) =>
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
        .map((digits) => `.${digits.join('')}`),
    ),
  fc.string({ minLength: 1, maxLength: 10 }),
)

t.test('the usual forms of a time are read like any other form', async () =>
  fc.assert(
    fc.property(
      year,
      part(13),
      part(32),
      part(25),
      part(61),
      part(61),
      fraction,
      (y, month, day, hour, minute, second, more) => {
        const usual = parseTime(`${y}-${month}-${day}T${hour}:${minute}:${second}${more}Z`)
        const other = parseTime(`${y}-${month}-${day} ${hour}:${minute}:${second}${more}UTC`)
        return JSON.stringify(usual) === JSON.stringify(other)
      },
    ),
    { numRuns: runsOf(3_000) },
  ),
)

t.test('P28: times are read in all forms that providers use, and never invented', async (t) => {
  for (const value of [
    '2026-07-01T20:15:00Z',
    '2026-07-01T20:15:00.0000000Z',
    '2026-07-01 20:15:00 UTC',
    '2026-07-01T22:15:00+02:00',
    1_782_936_900,
    '1782936900',
    1_782_936_900_000,
  ]) {
    t.strictSame(parseTime(value), { atMs: 1_782_936_900_000, precision: 'second' }, String(value))
  }
  t.strictSame(parseTime('2026-07-01T20:15:00.1239999Z'), { atMs: 1_782_936_900_123, precision: 'millisecond' })
  t.strictSame(parseTime('2026-07-01'), { atMs: Date.UTC(2026, 6, 1), precision: 'date' })
  for (const value of [
    '',
    'yesterday',
    '2026-02-30',
    '2026-07-01T20:15:00',
    '2026-07-01T25:00:00Z',
    ...['0001-01-01T00:00:00Z', '0001-01-01', '0000-00-00', '0000-01-01T00:00:00Z', '0001-05-05', '1869-12-31'],
    ...['1970-01-01', '1970-01-01T00:00:00.000Z', '1970-01-01T23:59:59Z', '1970-01-01T00:00:00+02:00'],
    ...['1969-12-31T19:00:00-05:00', '1900-01-01', '1900-01-01T00:00:00Z', '1900-01-01T00:00:00+14:00'],
    // 1970, a count, the day of a spreadsheet, 1900 and the year 1 in seconds and milliseconds.
    ...[0, -1, -5, 86_399, 45_296, '45296.75', -2_208_988_800, -62_135_596_800, -62_135_596_800_000],
    Number.NaN,
    Infinity,
    null,
    true,
    '2026',
  ]) {
    t.equal(parseTime(value), undefined, String(value))
  }
})

t.test('times before 1970, and before 1900, are times', async (t) => {
  const at = (text: string) => ({ atMs: Date.parse(text), precision: 'second' })
  for (const [value, text] of [
    ['1942-11-26T00:00:00.000Z', '1942-11-26T00:00:00Z'],
    ['1969-07-20T22:17:00+02:00', '1969-07-20T20:17:00Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['1970-01-02T00:00:00Z', '1970-01-02T00:00:00Z'],
    ['1895-12-28T20:00:00Z', '1895-12-28T20:00:00Z'],
    [-14_182_980, '1969-07-20T20:17:00Z'],
    ['-14182980', '1969-07-20T20:17:00Z'],
    [-855_273_600_000, '1942-11-25T00:00:00Z'],
  ] as const) {
    t.strictSame(parseTime(value), at(text), String(value))
    t.equal(formatTime(parseTime(value)!), text)
  }
  for (const date of ['1895-12-28', '1942-11-26', '1970-01-05', '1899-12-31'])
    t.strictSame(parseTime(date), { atMs: Date.parse(date), precision: 'date' }, date)
})

t.test('a written time is read back unchanged, with its precision', async () => {
  fc.assert(
    fc.property(atMs, (value) => {
      const time = parseTime(value >= 1e11 ? value : new Date(value).toISOString())
      if (time === undefined || time.atMs !== value) return false
      const date: Time = { atMs: Math.floor(value / 86_400_000) * 86_400_000, precision: 'date' }
      return [time, date].every((each) => JSON.stringify(parseTime(formatTime(each))) === JSON.stringify(each))
    }),
  )
})

t.test(
  'P29: times are equal exactly when they differ by no more than the tolerance, in either direction',
  async (t) => {
    fc.assert(
      fc.property(
        atMs,
        fc.integer({ min: -90_000, max: 90_000 }),
        fc.constantFrom(1_000, 60_000),
        (value, apart, tolerance) => {
          const [a, b]: [Time, Time] = [
            { atMs: value, precision: 'millisecond' },
            { atMs: value + apart, precision: 'millisecond' },
          ]
          return (
            sameTime(a, b, tolerance) === Math.abs(apart) <= tolerance &&
            sameTime(b, a, tolerance) === sameTime(a, b, tolerance)
          )
        },
      ),
    )
    t.equal(
      sameTime(parseTime('2026-07-01T12:00:59Z')!, parseTime('2026-07-01T12:01:00Z')!, 1_000),
      true,
      'on both sides of a minute',
    )
    t.equal(distanceMs(parseTime('2026-07-01')!, parseTime('2026-07-01T23:59:59Z')!), 0, 'a date is its whole day')
    t.equal(distanceMs(parseTime('2026-07-01T23:59:59Z')!, parseTime('2026-07-01')!), 0)
    t.equal(sameTime(parseTime('2026-07-01')!, parseTime('2026-07-02T00:05:00Z')!, 60_000), false)
  },
)

t.test('P29: a play needs a time, and is identified by its second, its event or its day', async (t) => {
  const play = (rest: object) => playOf(movie({ tmdb: '1' }, rest))
  t.match(play({ watched: true }), { ok: false, reason: 'missing_watched_at' })
  const marks = [
    { watched_at: '2026-07-01T20:15:00.500Z', native: { event_id: '9' } },
    { watched_at: '2026-07-01', native: { event_id: '9' } },
    { watched_at: '2026-07-01' },
  ].map((rest) => {
    const found = play(rest)
    return found.ok && markOf(found.value)
  })
  t.strictSame(marks, [{ epochSeconds: 1_782_936_900 }, { eventId: '9' }, { date: '2026-07-01' }])
  t.equal(playToleranceMs({}, { roundsToMinutes: true }), 60_000)
  t.equal(playToleranceMs({}, {}), 1_000)
})

t.test('plays are paired one to one, the nearest first', async (t) => {
  const [a, b] = [seconds(0, 50), seconds(45, 300)]
  t.strictSame(pairPlays(a, b, 60_000), { pairs: [[a[1], b[0]]], onlyA: [a[0]], onlyB: [b[1]] })
  const offsets = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 8 })
  fc.assert(
    fc.property(offsets, offsets, (x, y) => {
      const { pairs, onlyA, onlyB } = pairPlays(seconds(...x), seconds(...y), 60_000)
      return (
        pairs.length + onlyA.length === x.length &&
        pairs.length + onlyB.length === y.length &&
        pairs.every(([one, other]) => sameTime(one, other, 60_000)) &&
        onlyA.every((one) => onlyB.every((other) => !sameTime(one, other, 60_000)))
      )
    }),
  )
})

t.test('P28: a rating is an integer from 1 to 10 or none', async (t) => {
  const { tenPoints, tenPointsHalves, hundredPoints, fiveStarsHalves } = RATING_SCALES
  t.strictSame(
    [
      ratingFrom(7.5, tenPointsHalves),
      ratingFrom(0.5, tenPointsHalves),
      ratingFrom(75, hundredPoints),
      ratingFrom(74, hundredPoints),
      ratingFrom('3.5', fiveStarsHalves),
      ratingFrom(1, hundredPoints),
    ],
    [8, 1, 8, 7, 7, 1],
  )
  for (const value of [0, -1, 10.4, 11, Number.NaN, '', 'good', null, undefined])
    t.equal(ratingFrom(value, tenPoints), undefined, String(value))
  for (const value of [0, 11, 5.5, Number.NaN]) t.throws(() => ratingTo(value, tenPoints), RangeError)
})

t.test(
  'P40: a rating that was written and read changes no more, and on scales of ten or more steps not at all',
  async () => {
    fc.assert(
      fc.property(rating, scale, (value, to) => {
        const read = ratingFrom(ratingTo(value, to), to)
        if (read === undefined || (to.max / to.step >= 10 && read !== value)) return false
        return ratingTo(read, to) === ratingTo(value, to) && holdsRating(ratingTo(value, to), value, to)
      }),
    )
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 5, noNaN: true }), scale, (wire, from) => {
        const value = ratingFrom(wire, from)
        return (
          value !== undefined &&
          ratingFrom(ratingTo(value, from), from) ===
            ratingFrom(ratingTo(ratingFrom(ratingTo(value, from), from)!, from), from)
        )
      }),
    )
  },
)

t.test('a value that already represents the rating needs no write', async (t) => {
  t.equal(holdsRating(7.5, 8, RATING_SCALES.tenPointsHalves), true)
  t.equal(holdsRating(4, 7, RATING_SCALES.fiveStars), true)
  t.equal(holdsRating(3, 7, RATING_SCALES.fiveStars), false)
  t.equal(holdsRating(0, 1, RATING_SCALES.tenPoints), false)
})

t.test('P32: a position with a real time beats one with an estimated time', async (t) => {
  const real = progressOf(movie({}, { progress_ms: 1_000, progress_at: '2020-01-01T00:00:00Z' }))
  const later = progressOf(movie({}, { progress_ms: 1_000, progress_at: '2021-01-01T00:00:00Z' }))
  const synthetic = progressOf(
    movie({}, { progress_ms: 9_000, progress_at: '2026-01-01T00:00:00Z', progress_at_source: 'first_observed' }),
  )
  t.ok(compareProgress(real, synthetic) > 0)
  t.ok(compareProgress(synthetic, real) < 0)
  t.ok(compareProgress(later, real) > 0)
  t.equal(compareProgress(synthetic, synthetic), 0)
})

t.test('percent and milliseconds are converted by the duration, and never exceed the end', async (t) => {
  t.equal(progressOf(movie({}, { progress_ms: 1, duration_ms: 3 })).percent, 33.333)
  t.equal(positionMsOf({ percent: 50 }, 7_200_000), 3_600_000)
  t.equal(positionMsOf({ percent: 50 }), undefined)
  t.equal(positionMsOf({ positionMs: 9_000 }, 8_000), 8_000)
})

t.test("among ratings of several accounts the tracker's counts, else the newest that is no copy", async (t) => {
  const shown = (...rows: [rating: number, atMs: number | null, isTracker?: boolean][]) =>
    shownRating(rows, ([rating, atMs, isTracker = false]) => ({ rating, atMs, isTracker }))
  t.equal(shown(), undefined)
  t.same(shown([7, 10], [8, 20]), [8, 20])
  t.same(shown([8, 20], [7, 10], [7, 30]), [8, 20], 'the second 7 is a copy of the first')
  t.same(shown([7, null], [7, 30]), [7, 30], 'a time counts more than none')
  t.same(shown([6, null], [7, 30]), [7, 30])
  t.same(shown([9, 40], [5, 10, true]), [5, 10, true], 'the person corrected it')
})

t.test('the plays of an item with thousands are paired, equal ones first and days last', (t) => {
  let compared = 0
  const counted = (atMs: number, precision: 'second' | 'date' = 'second') => ({
    precision,
    get atMs() {
      compared += 1
      return atMs
    },
  })
  const COUNT = 3_000
  const start = Date.parse('2014-01-01T00:00:00Z')
  const many = (offMs: number) =>
    Array.from({ length: COUNT }, (_, index) => counted(start + index * 7_200_000 + offMs))
  t.equal(pairPlays(many(0), many(1_000), 1_000).pairs.length, COUNT)
  t.ok(compared < 200 * COUNT, `times were looked at ${compared} times`)
  const same = pairPlays(
    Array.from({ length: COUNT }, () => counted(start)),
    Array.from({ length: COUNT + 1 }, () => counted(start)),
    1_000,
  )
  t.match({ pairs: same.pairs.length, onlyB: same.onlyB.length }, { pairs: COUNT, onlyB: 1 })

  const day = { atMs: Date.parse('2026-03-01T00:00:00Z'), precision: 'date' } as const
  const at = (time: string) => ({ atMs: Date.parse(`2026-03-01T${time}Z`), precision: 'second' }) as const
  const [evening, noon] = [at('20:00:00'), at('12:00:00')]
  t.strictSame(pairPlays([day, evening], [evening, noon], 1_000).pairs, [
    [evening, evening],
    [day, noon],
  ])
  t.strictSame(pairPlays([day], [evening, noon], 1_000).pairs, [[day, noon]], 'a day is written as its noon')
  const next = { ...day, atMs: day.atMs + 86_400_000 }
  t.strictSame(pairPlays([day], [next], 1_000).pairs, [], 'two days are two plays')
  t.end()
})
