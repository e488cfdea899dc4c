// Due times over random settings, time zones, clock changes, restarts and saved settings.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { nextRun } from '../../../core/scheduling/timing.ts'
import { takeDue } from '../../../plugins/services/scheduling/plan/due.ts'
import { entriesOf, GRACE_MS, timesOf } from '../../../plugins/services/scheduling/plan/entries.ts'
import { normalizeScheduling } from '../../../plugins/services/scheduling/plan/normalize.ts'
import { emptyState, type State } from '../../../plugins/services/scheduling/run/state.ts'
import { createPlan, DAY, HOUR, MINUTE, slotsByTheClock, START, withJobs } from './support.ts'

const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/Los_Angeles',
  'Australia/Lord_Howe',
  'America/Nuuk',
  'Asia/Kolkata',
  'Africa/Cairo',
] as const
const zone = fc.constantFrom(...ZONES)
const at = fc
  .record({ hour: fc.constantFrom(0, 1, 2, 3, 23, 12), minute: fc.constantFrom(0, 15, 30, 59) })
  .map(({ hour, minute }) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
const days = fc.oneof(fc.constant([]), fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }))
/** Times near clock changes: March and autumn of 2026, and ordinary days. */
const start = fc
  .constantFrom(
    ...['2026-03-07', '2026-03-28', '2026-04-04', '2026-04-23', '2026-10-03', '2026-10-24', '2026-10-31', '2026-07-01'],
  )
  .chain((date) =>
    fc.integer({ min: 0, max: 1_439 }).map((minute) => Date.parse(`${date}T00:00:00Z`) + minute * MINUTE),
  )

/** The plan of the host and the state of the plugin, which go through the database each time. All that is due starts at once. */
function createSchedule(raw: unknown, hostZone: string, startMs: number) {
  const clock = { nowMs: startMs }
  const plan = createPlan(() => clock.nowMs)
  let state = emptyState('salt')
  let config = normalizeScheduling(raw)
  const setTimes = () => plan.job.set(timesOf(config, { ...state, hostZone }))
  setTimes()
  return {
    clock,
    plan,
    look(nowMs: number, changed?: unknown) {
      clock.nowMs = nowMs
      if (changed !== undefined) {
        config = normalizeScheduling(changed)
        setTimes()
      }
      const [{ queue, ...next }] = takeDue(state, { due: plan.take(), config, nowMs })
      const startedMs = queue.some(({ kind }) => kind === 'standard') ? nowMs : next.startedMs
      state = JSON.parse(JSON.stringify({ ...next, queue: [], startedMs })) as State
      setTimes()
      return queue
    },
  }
}

/** Checks the clock until the end, takes due jobs and empties the queue at once. Returns the slots in the order in which
 * they were taken. */
function live(
  raw: unknown,
  {
    zone: hostZone,
    fromMs,
    toMs,
    stepMs = 5 * MINUTE,
    between,
  }: {
    readonly zone: string
    readonly fromMs: number
    readonly toMs: number
    readonly stepMs?: number
    readonly between?: (
      plan: ReturnType<typeof createPlan>,
      nowMs: number,
    ) => { readonly raw?: unknown; readonly skipMs?: number }
  },
): { readonly key: string; readonly slotMs: number; readonly takenMs: number }[] {
  const taken: { key: string; slotMs: number; takenMs: number }[] = []
  const scene = createSchedule(raw, hostZone, fromMs)
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += stepMs) {
    scene.clock.nowMs = nowMs
    const happened = between?.(scene.plan, nowMs) ?? {}
    nowMs += happened.skipMs ?? 0
    for (const { key, slotMs } of scene.look(nowMs, happened.raw)) taken.push({ key, slotMs, takenMs: nowMs })
  }
  return taken
}

t.test(
  'P80 each slot of a daily time is used exactly once, across midnight, clock changes, restarts and saved settings',
  async () => {
    fc.assert(
      fc.property(
        zone,
        at,
        days,
        start,
        fc.boolean(),
        fc.integer({ min: 0, max: 20 }),
        (timezone, time, allowed, fromMs, isStandard, saves) => {
          const raw = isStandard
            ? { enabled: true, mode: 'daily_time', daily_time: time, timezone }
            : { timezone, ...withJobs({ id: 'a', pair_id: 'p1', at: time, days: allowed }) }
          const toMs = fromMs + 5 * DAY
          let n = 0
          const between = () =>
            ++n % 7 < saves % 7 ? { raw: { ...raw, webhooks: { timeout_seconds: 1 + (n % 60) } } } : {}
          const taken = live(raw, { zone: 'UTC', fromMs, toMs, between }).map(({ slotMs }) => slotMs)
          const wanted = slotsByTheClock({
            at: time,
            days: isStandard ? [] : allowed,
            zone: timezone,
            fromMs: fromMs + 1,
            toMs: toMs - 5 * MINUTE,
          })
          if (JSON.stringify(taken.filter((slotMs) => slotMs <= toMs - 5 * MINUTE)) !== JSON.stringify(wanted)) {
            throw new Error(JSON.stringify({ taken: taken.map(iso), wanted: wanted.map(iso) }))
          }
        },
      ),
      { numRuns: runsOf(25) },
    )
  },
)

t.test(
  'P80 a slot is used within its grace or not at all, and never twice, however long the service is down',
  async () => {
    fc.assert(
      fc.property(
        zone,
        at,
        start,
        fc.array(fc.record({ after: fc.integer({ min: 1, max: 900 }), down: fc.integer({ min: 1, max: 2_000 }) }), {
          maxLength: 4,
        }),
        fc.integer({ min: 0, max: 3_600 }),
        (timezone, time, fromMs, gaps, jitter) => {
          const raw = { enabled: true, mode: 'daily_time', daily_time: time, timezone, jitter_seconds: jitter }
          let n = 0
          const between = () => {
            const gap = gaps.find(({ after }) => after === n)
            n++
            return gap === undefined ? {} : { skipMs: gap.down * MINUTE }
          }
          const taken = live(raw, { zone: 'UTC', fromMs, toMs: fromMs + 5 * DAY, between })
          for (const { slotMs, takenMs } of taken) {
            if (takenMs < slotMs || takenMs - slotMs > GRACE_MS + jitter * 1_000)
              throw new Error(`${iso(slotMs)} was taken at ${iso(takenMs)}`)
          }
          if (new Set(taken.map(({ slotMs }) => slotMs)).size < taken.length) throw new Error('taken twice')
        },
      ),
      { numRuns: runsOf(25) },
    )
  },
)

t.test('P81 the next run is never in the past, and intervals are never shorter than stated', async () => {
  const mode = fc.constantFrom('hourly', 'every_n_hours', 'custom_interval', 'daily_time')
  fc.assert(
    fc.property(
      mode,
      fc.integer({ min: 2, max: 30 }),
      fc.integer({ min: 15, max: 3_000 }),
      zone,
      start,
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 3_000 }),
      (name, hours, minutes, timezone, fromMs, jitter, gapAt, gap) => {
        const raw = {
          enabled: true,
          mode: name,
          every_n_hours: hours,
          custom_interval_minutes: minutes,
          timezone,
          jitter_seconds: jitter,
        }
        let n = 0
        const between = (plan: ReturnType<typeof createPlan>, nowMs: number) => {
          const [next] = plan.next()
          if (next === undefined) throw new Error(`nothing comes after ${iso(nowMs)}`)
          if (next.dueAtMs < nowMs - GRACE_MS) throw new Error(`the next run of ${iso(nowMs)} is ${iso(next.dueAtMs)}`)
          return n++ === gapAt ? { skipMs: gap * MINUTE } : {}
        }
        const taken = live(raw, { zone: 'UTC', fromMs, toMs: fromMs + 4 * DAY, between })
        const intervalMs = name === 'every_n_hours' ? hours * HOUR : name === 'custom_interval' ? minutes * MINUTE : 0
        for (const [index, { takenMs }] of taken.entries()) {
          const before = taken[index - 1]
          if (before !== undefined && takenMs - before.takenMs < intervalMs)
            throw new Error(`${iso(before.takenMs)} and ${iso(takenMs)}`)
        }
        if (name !== 'daily_time' && gap === 0 && minutes < 2_000 && taken.length === 0)
          throw new Error('nothing was ever started')
      },
    ),
    { numRuns: runsOf(25) },
  )
})

t.test('the next full hour is on the hour, after the instant, with none in between', async () => {
  fc.assert(
    fc.property(zone, start, fc.integer({ min: 0, max: 5 * DAY }), (timezone, fromMs, offsetMs) => {
      const afterMs = fromMs + offsetMs
      const nextMs = nextRun({ cron: '0 * * * *', timeZone: timezone }, afterMs) as number
      const minuteOf = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).minute
      if (nextMs <= afterMs || minuteOf(nextMs) !== 0 || nextMs % MINUTE !== 0) throw new Error(iso(nextMs))
      for (let ms = Math.floor(afterMs / MINUTE + 1) * MINUTE; ms < nextMs; ms += MINUTE) {
        if (minuteOf(ms) === 0) throw new Error(`${iso(ms)} was left out`)
      }
    }),
    { numRuns: runsOf(500) },
  )
})

t.test(
  'workflows are counted from local midnight, and a longer or shorter day makes no two of them coincide',
  async (t) => {
    const slots = (timezone: string, from: string, hours: number, count: number) => {
      const found = []
      for (let ms = Date.parse(from); found.length < count; )
        found.push(iso((ms = nextRun({ every: `${hours}h`, from: 'midnight', timeZone: timezone }, ms) as number)))
      return found
    }
    t.same(slots('UTC', '2026-07-01T03:00:00Z', 5, 6), [
      '2026-07-01T05:00',
      '2026-07-01T10:00',
      '2026-07-01T15:00',
      '2026-07-01T20:00',
      '2026-07-02T00:00',
      '2026-07-02T05:00',
    ])
    t.same(slots('Europe/Paris', '2026-10-24T20:00:00Z', 8, 5), [
      '2026-10-24T22:00',
      '2026-10-25T06:00',
      '2026-10-25T14:00',
      '2026-10-25T23:00',
      '2026-10-26T07:00',
    ])
  },
)

t.test('a start is delayed by a jitter that is chosen once', async (t) => {
  const config = normalizeScheduling({ enabled: true, mode: 'daily_time', daily_time: '03:30', jitter_seconds: 600 })
  const dues = Array.from({ length: 30 }, (_, n) => {
    const nowMs = START + n * DAY
    const look = (ms: number) => {
      const plan = createPlan(() => ms)
      plan.job.set(timesOf(config, { hostZone: 'UTC', salt: 'x', startedMs: null }))
      return plan.next()[0]!
    }
    const [first, again] = [look(nowMs), look(nowMs + 3 * HOUR)]
    t.same(again, first)
    return first.dueAtMs - first.slotMs
  })
  t.ok(dues.every((ms) => ms >= 0 && ms <= 600_000))
  t.ok(new Set(dues).size > 20)
})

t.test('at midnight a job runs, and a job that is created after its time waits for the next day', async (t) => {
  const raw = withJobs({ id: 'a', pair_id: 'p1', at: '00:00' })
  const midnight = Date.UTC(2026, 2, 11)
  t.same(
    live(raw, { zone: 'UTC', fromMs: START, toMs: START + 2 * DAY }).map(({ slotMs }) => slotMs),
    [midnight, midnight + DAY],
  )
  t.same(live(raw, { zone: 'UTC', fromMs: midnight + MINUTE, toMs: midnight + HOUR }), [])
})

t.test('incomplete or disabled jobs are skipped', async (t) => {
  const keys = (raw: unknown) => entriesOf(normalizeScheduling(raw)).map(({ key }) => key)
  t.same(keys({}), [])
  t.same(keys({ enabled: true }), ['standard'])
  t.same(keys({ enabled: true, mode: 'disabled' }), [])
  t.same(keys({ enabled: true, ...withJobs() }), [], 'advanced replaces the standard schedule')
  t.same(
    keys(
      withJobs(
        { pair_id: 'p1', at: '01:00' },
        { pair_id: 'p1' },
        { at: '02:00' },
        { pair_id: 'p1', at: '03:00', active: false },
      ),
    ),
    ['job:job_1'],
  )
  t.same(
    keys({
      advanced: {
        enabled: true,
        workflows: [{ steps: [{ pair_id: 'p1', active: false }] }, { id: 'w', steps: [{ pair_id: 'p1' }] }],
        capture_jobs: [{ provider: 'mediaA', at: '01:00' }, { at: '01:00' }],
        backup_jobs: [{ at: '01:00' }],
      },
    }).sort(),
    ['backup:backup_1', 'capture:capture_1', 'workflow:w'],
  )
})

t.test('a clock that was wrong by a year, even while the schedule was saved or fired, stops no schedule', (t) => {
  const YEAR = 365 * DAY
  const raws = [
    { enabled: true, mode: 'hourly' },
    { enabled: true, mode: 'every_n_hours', every_n_hours: 4 },
    { enabled: true, mode: 'custom_interval', custom_interval_minutes: 45 },
    { enabled: true, mode: 'daily_time', daily_time: '12:30' },
    { advanced: { enabled: true, backup_jobs: [{ at: '03:00', catch_up: true }] } },
  ]
  for (const raw of raws)
    for (const isSavedMeanwhile of [true, false]) {
      const taken: number[] = []
      const scene = createSchedule(isSavedMeanwhile ? {} : raw, 'UTC', START)
      const look = (nowMs: number, realMs: number, changed?: unknown) => {
        for (const _ of scene.look(nowMs, changed)) taken.push(realMs)
      }
      if (!isSavedMeanwhile) look(START, START)
      look(START + YEAR, START, raw)
      for (let n = 0; n < 40; n += 1) look(START + YEAR + n * HOUR, START)
      taken.length = 0
      for (let nowMs = START; nowMs < START + 3 * DAY; nowMs += 5 * MINUTE) look(nowMs, nowMs)
      const days = new Set(taken.map((ms) => Math.floor((ms - START) / DAY)))
      t.equal(days.size, 3, `${JSON.stringify(raw)}, saved meanwhile: ${isSavedMeanwhile}: ${taken.map(iso)}`)
      t.ok(taken.length <= (3 * DAY) / (45 * MINUTE) + 2, 'and not more often')
    }
  t.end()
})

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16)
}
