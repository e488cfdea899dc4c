// Dates and times as people and clients send them: time zones, daylight saving time, dates that do not exist, wrong clocks.
import fc from '../../fast-check.ts'
import t from 'tap'
import { type PlayheadError, Type } from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'
import { NO_LOCAL_TIME, readWatchedOn } from '../../../plugins/services/manual/request/dates.ts'

const NOW = Date.UTC(2026, 10, 24, 18, 30, 15, 250)
const MINUTE = 60_000
const DAY = 86_400_000
const at = (text: string | null, nowMs = NOW) => readWatchedOn(text, nowMs)
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const localDay = (ms: number, offsetMinutes: number) => isoDay(ms + offsetMinutes * MINUTE)
const Body = Type.String({ pattern: NO_LOCAL_TIME })

function codeOf(text: string | null, nowMs = NOW): string | undefined {
  try {
    at(text, nowMs)
    return undefined
  } catch (error) {
    return (error as PlayheadError).wire
  }
}

const pastDay = fc
  .integer({ min: Date.UTC(1874, 0, 1) / DAY, max: Math.floor(NOW / DAY) - 1 })
  .map((days) => isoDay(days * DAY))

t.test(
  'property 29: a past date is that day from UTC-12:00 to UTC+11:59, the next one beyond, and kept as given',
  async () =>
    fc.assert(
      fc.property(pastDay, fc.integer({ min: -12 * 60, max: 14 * 60 }), (day, offset) => {
        const { atMs, date, isDay } = at(day)
        const expected = offset < 12 * 60 ? day : isoDay(Date.parse(day) + DAY)
        return localDay(atMs, offset) === expected && date === day && isDay && atMs === Date.parse(day) + DAY / 2
      }),
    ),
)

t.test('property 29: today is a valid day wherever it has started, and never in the future', async () =>
  fc.assert(
    fc.property(
      fc.integer({ min: NOW - 400 * DAY, max: NOW }),
      fc.integer({ min: -12 * 60, max: 14 * 60 }),
      (nowMs, offset) => {
        const day = localDay(nowMs, offset)
        const { atMs, date } = at(day, nowMs)
        return atMs <= nowMs && nowMs - atMs < DAY + 14 * 60 * MINUTE && date === day
      },
    ),
  ),
)

t.test('a time with an offset is that instant, in any notation', async () =>
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1900, 0, 1) / 1_000, max: Math.floor(NOW / 1_000) - 60 }),
      fc.integer({ min: -12 * 60, max: 14 * 60 }),
      fc.constantFrom('T', ' ', 't'),
      fc.boolean(),
      (seconds, offset, between, withColon) => {
        const ms = Math.floor(seconds) * 1_000
        const local = new Date(ms + offset * MINUTE).toISOString().slice(0, 19).replace('T', between)
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
          String(part).padStart(2, '0'),
        )
        const text = `${local}${offset < 0 ? '-' : '+'}${hours}${withColon ? ':' : ''}${minutes}`
        const { atMs, date, isDay } = at(text)
        return atMs === ms && date === local.slice(0, 10) && !isDay && Value.Check(Body, text)
      },
    ),
  ),
)

t.test('the hour that daylight saving skips or repeats is determined by its offset', async (t) => {
  // In Vienna, 2026-03-29 02:30 does not exist, and 2026-10-25 02:30 exists twice.
  t.equal(at('2026-03-29T02:30:00+01:00').atMs, Date.UTC(2026, 2, 29, 1, 30))
  t.equal(at('2026-10-25T02:30:00+02:00').atMs, Date.UTC(2026, 9, 25, 0, 30))
  t.equal(at('2026-10-25T02:30:00+01:00').atMs, Date.UTC(2026, 9, 25, 1, 30))
  t.equal(at('2026-10-25T02:30:00Z').atMs, Date.UTC(2026, 9, 25, 2, 30))
  t.equal(at('2026-10-25T02:30+01:00').atMs, Date.UTC(2026, 9, 25, 1, 30), 'seconds may be missing')
  t.equal(at('2026-07-01T23:59:59.123456Z').atMs, Date.UTC(2026, 6, 1, 23, 59, 59, 123))
})

t.test('a time without an offset is malformed, and nothing else is', async (t) => {
  for (const text of [
    '2026-07-01T20:15:00',
    '2026-07-01 20:15',
    '2026-07-01T20',
    '2026-07-01T20:15:00.123',
    ' 2026-07-01T2015 ',
  ])
    t.notOk(Value.Check(Body, text), text)
  for (const text of ['2026-07-01', '2026-07-01T20:15:00Z', '2026-07-01T20:15:00+0200', 'yesterday', ''])
    t.ok(Value.Check(Body, text), text)
})

t.test('nonexistent days, nonsense and impossible times are refused, with their own codes', async (t) => {
  for (const text of [
    null,
    '',
    'yesterday',
    '2026-02-29',
    '2025-02-30',
    '2026-13-01',
    '2026-00-10',
    '26-07-01',
    '2026-7-1',
    '01.07.2026',
    '2026-07-01T24:00:00Z',
    '2026-07-01T23:60:00Z',
    '2026-07-01T12:00:00+15:00',
    '2026-07-01T12:00:00-13:00',
    '2026-02-30T12:00:00Z',
    '20260701',
    '1751328000',
    '+002026-07-01',
  ])
    t.equal(codeOf(text), 'invalid_custom_date', String(text))
  for (const text of [
    '1873-12-31',
    '0000-01-01',
    '2027-01-01',
    '2026-11-26',
    '2026-11-24T18:32:00Z',
    '9999-12-31T00:00:00Z',
  ])
    t.equal(codeOf(text), 'date_out_of_range', text)
  for (const text of ['1874-01-01', '2024-02-29', '2026-11-24', '2026-11-25', '2026-11-24T18:31:10Z'])
    t.equal(codeOf(text), undefined, text)
  t.equal(at('1874-01-01').atMs, Date.UTC(1874, 0, 1, 12))
})
