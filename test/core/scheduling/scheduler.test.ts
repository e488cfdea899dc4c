// The scheduler on one host.
import { CompiledQuery } from 'kysely'
import t, { type Test } from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { sql } from 'kysely'
import type { JobOptions, JobTimes, JobTiming } from '@playhead/sdk'
import type { OwnTime, Scheduler } from '../../../core/scheduling/scheduler.ts'
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  START_MS,
  createGate,
  createVirtualTime,
  recorder,
  setUp,
  settle,
} from './virtual-time.ts'

t.test('an interval starts when the job appears and counts from one start to the next', async (t) => {
  const { scheduler, time } = await setUp(t)
  const hourly = recorder({ name: 'hourly', timing: { every: '1h' } })
  const soon = recorder({ name: 'soon', timing: { every: '1h', startAfter: '10s' } })
  scheduler.setJobs([hourly, soon])
  await time.advance(HOUR)
  t.same(hourly.ran, [], 'nothing runs before the start')

  scheduler.start()
  await time.advance(3 * HOUR + MINUTE)
  t.same(
    hourly.ran.map((atMs) => atMs - START_MS),
    [2 * HOUR, 3 * HOUR, 4 * HOUR],
  )
  t.same(
    soon.ran.map((atMs) => atMs - START_MS),
    [HOUR + 10 * SECOND, 2 * HOUR + 10 * SECOND, 3 * HOUR + 10 * SECOND, 4 * HOUR + 10 * SECOND],
  )
})

t.test('cron jobs run at their times, which the state contains', async (t) => {
  const { scheduler, time } = await setUp(t)
  const job = recorder({ timing: { cron: '30 13 * * *', timeZone: 'UTC' } })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(2 * HOUR)
  const slot = START_MS + 1.5 * HOUR
  t.same(job.ran, [slot])
  t.same(scheduler.jobs('demo'), [
    {
      name: 'job',
      nextAtMs: slot + DAY,
      lastStartedAtMs: slot,
      lastFinishedAtMs: slot,
      lastOutcome: 'done',
      running: false,
    },
  ])
  t.same(scheduler.jobs('other'), [])
  t.match(scheduler.all(), [{ owner: 'demo', name: 'job' }])
})

t.test('a single future time runs once, also after restarts', async (t) => {
  const { scheduler, newScheduler, time } = await setUp(t)
  const job = recorder({ timing: { at: START_MS + HOUR } })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(2 * HOUR)
  scheduler.stop()
  const again = newScheduler()
  again.setJobs([job])
  again.start()
  await time.advance(2 * HOUR)
  again.stop()
  t.same(job.ran, [START_MS + HOUR])
})

t.test('a restart does not restart an interval', async (t) => {
  const { scheduler, newScheduler, time } = await setUp(t)
  const job = recorder({ timing: { every: '6h' } })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(4 * HOUR)
  scheduler.stop()
  const again = newScheduler()
  t.teardown(() => again.stop())
  again.setJobs([job])
  again.start()
  await time.advance(3 * HOUR)
  t.same(job.ran, [START_MS + 6 * HOUR])
})

t.test('a start writes no plan that is stored already, and notes its jobs once a day', async (t) => {
  const { db, scheduler, newScheduler, time } = await setUp(t)
  const jobs = [recorder({ timing: { cron: '0 5 1 * *' } }), recorder({ name: 'other', timing: { every: '300d' } })]
  const changes = async () => {
    const { rows } = await db.executeQuery<{ n: number }>(CompiledQuery.raw('select total_changes() as n'))
    return Number(rows[0]?.n)
  }
  const startOf = async (one: typeof scheduler) => {
    t.teardown(() => one.stop())
    one.setJobs(jobs)
    const before = await changes()
    one.start()
    await time.advance(1_000)
    one.stop()
    return (await changes()) - before
  }
  t.equal(await startOf(scheduler), 2)
  const planned = scheduler.all().map(({ name, nextAtMs }) => ({ name, nextAtMs }))

  const again = newScheduler()
  t.equal(await startOf(again), 0, 'each write waits for the disk')
  t.same(
    again.all().map(({ name, nextAtMs }) => ({ name, nextAtMs })),
    planned,
  )

  await time.advance(25 * HOUR)
  t.equal(await startOf(newScheduler()), 2, 'states of jobs that exist are not forgotten')
})

// Down from 13:00 to 20:00, or for a few minutes over the slot; the slot of the first row is 14:00.
type Missed = readonly [
  promise: string,
  timing: JobTiming,
  options: JobOptions,
  downMs: number,
  ranHours: readonly number[],
]
const missed: readonly Missed[] = [
  ['an interval that was missed waits for its next turn', { every: '2h' }, {}, 7 * HOUR, [10]],
  [
    'an interval that is to be caught up on runs once, and counts from there',
    { every: '2h' },
    { missed: 'once' },
    7 * HOUR,
    [2, 10],
  ],
  ['a cron time that was missed is caught up on once', { cron: '0 14-18 * * *', timeZone: 'UTC' }, {}, 7 * HOUR, [2]],
  [
    'a cron time that is to be skipped is',
    { cron: '0 14,22 * * *', timeZone: 'UTC' },
    { missed: 'skip' },
    7 * HOUR,
    [10],
  ],
  ['a single time that was missed is caught up on', { at: START_MS + 2 * HOUR }, {}, 7 * HOUR, [2]],
  ['a single time that is to be skipped is', { at: START_MS + 2 * HOUR }, { missed: 'skip' }, 7 * HOUR, []],
  [
    'a slot only minutes ago is late, not missed',
    { cron: '0 14 * * *', timeZone: 'UTC' },
    { missed: 'skip' },
    HOUR + 5 * MINUTE,
    [2],
  ],
  ['an interval only minutes ago is late, not missed', { every: '2h' }, {}, HOUR + 5 * MINUTE, [2]],
]

for (const [promise, timing, options, downMs, ranHours] of missed) {
  t.test(promise, async (t) => {
    const { scheduler, newScheduler, time } = await setUp(t)
    const job = recorder({ timing, options })
    scheduler.setJobs([job])
    scheduler.start()
    await time.advance(HOUR)
    scheduler.stop()

    await time.advance(downMs)
    const again = newScheduler()
    t.teardown(() => again.stop())
    again.setJobs([job])
    again.start()
    const restMs = START_MS + 8 * HOUR - time.clock.now()
    await time.advance(Math.min(MINUTE, restMs + MINUTE))
    if (ranHours.includes(10)) await time.advance(START_MS + 10 * HOUR + MINUTE - time.clock.now())
    t.same(
      job.ran.map((atMs) => (atMs - START_MS) / HOUR),
      ranHours,
    )
  })
}

t.test('a suspended computer is detected soon after it wakes', async (t) => {
  const { scheduler, time } = await setUp(t)
  const skipped = recorder({ name: 'interval', timing: { every: '2h' } })
  const caughtUp = recorder({ name: 'cron', timing: { cron: '0 14 * * *', timeZone: 'UTC' } })
  scheduler.setJobs([skipped, caughtUp])
  scheduler.start()
  await time.advance(MINUTE)
  time.setClock(5 * HOUR)
  await time.advance(MINUTE)
  t.same(skipped.ran, [])
  t.same(caughtUp.ran, [START_MS + 2 * HOUR])
  t.ok(
    time.delays.every((delayMs) => delayMs <= HOUR),
    'no sleep is longer than a timer can take',
  )
})

t.test('a clock that is set back neither repeats a slot nor delays a job for years', async (t) => {
  const { scheduler, time } = await setUp(t)
  const cron = recorder({ name: 'cron', timing: { cron: '0 13 * * *', timeZone: 'UTC' } })
  const interval = recorder({ name: 'interval', timing: { every: '30m' } })
  scheduler.setJobs([cron, interval])
  scheduler.start()
  await time.advance(HOUR + SECOND)
  time.setClock(-10 * MINUTE)
  await time.advance(20 * MINUTE)
  t.same(cron.ran, [START_MS + HOUR])

  time.setClock(4 * 365 * DAY)
  await time.advance(MINUTE)
  time.setClock(-4 * 365 * DAY)
  cron.ran.length = interval.ran.length = 0
  await time.advance(2 * DAY)
  t.same(cron.ran, [START_MS + HOUR + 2 * DAY], 'the slot in between was caught up on when it seemed to be missed')
  t.equal(interval.ran.length, 95)
})

t.test('a job never overlaps with itself; interval slots that pass meanwhile are skipped', async (t) => {
  const { scheduler, time } = await setUp(t)
  const gate = createGate()
  const job = recorder({ timing: { every: '10m' }, run: gate.work })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(35 * MINUTE)
  t.equal(job.ran.length, 1)
  t.equal(scheduler.jobs('demo')[0]?.running, true)

  gate.open()
  await time.advance(6 * MINUTE)
  t.same(
    job.ran.map((atMs) => (atMs - START_MS) / MINUTE),
    [10, 40],
  )
})

t.test('a cron job that was busy at its time runs once afterwards', async (t) => {
  const { scheduler, time } = await setUp(t)
  const gate = createGate()
  const job = recorder({ timing: { cron: '0 * * * *', timeZone: 'UTC' }, options: { timeoutMs: DAY }, run: gate.work })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(3 * HOUR + 30 * MINUTE)
  gate.open()
  await time.advance(10 * MINUTE)
  t.same(
    job.ran.map((atMs) => (atMs - START_MS) / HOUR),
    [1, 2],
  )
})

t.test('the result of a run is stored: done, failed, or stopped after its time', async (t) => {
  const { scheduler, newScheduler, time, lines } = await setUp(t)
  let reason: unknown
  scheduler.setJobs([
    recorder({
      name: 'fails',
      timing: { every: '1h' },
      run: async () => {
        throw new Error('broken')
      },
    }),
    recorder({
      name: 'throws',
      timing: { every: '1h' },
      run: () => {
        throw new Error('at once')
      },
    }),
    recorder({ name: 'slow', timing: { every: '1h' }, options: { timeoutMs: 5 * MINUTE }, run: createGate().work }),
    recorder({
      name: 'polite',
      timing: { every: '1h' },
      options: { timeoutMs: 5 * MINUTE },
      run: (signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason
            resolve()
          }),
        ),
    }),
  ])
  scheduler.start()
  await time.advance(HOUR + 4 * MINUTE)
  t.match(scheduler.jobs('demo'), [
    { lastOutcome: 'failed' },
    { lastOutcome: 'failed' },
    { lastOutcome: null, running: true },
    { running: true },
  ])
  await time.advance(2 * MINUTE)
  const ended = [
    { lastOutcome: 'failed', running: false },
    { lastOutcome: 'failed' },
    { lastOutcome: 'aborted', running: false },
    { lastOutcome: 'aborted' },
  ]
  t.match(scheduler.jobs('demo'), ended)
  t.match(reason, { code: 'PLH_ABORTED' })
  t.match(
    lines.find((line) => JSON.stringify(line).includes('"fails"')),
    ['error', 'a job failed', { owner: 'demo', job: 'fails', err: { message: 'broken' } }],
  )
  scheduler.stop()

  const again = newScheduler()
  t.teardown(() => again.stop())
  again.setJobs(['fails', 'throws', 'slow', 'polite'].map((name) => recorder({ name, timing: { every: '1h' } })))
  again.start()
  await time.advance(SECOND)
  t.match(again.jobs('demo'), ended, 'also over a restart')
})

t.test('a new list keeps plans and running work, uses the new code, and drops missing jobs', async (t) => {
  const { scheduler, time } = await setUp(t)
  const gate = createGate()
  const old = recorder({ timing: { every: '1h' }, run: gate.work })
  const gone = recorder({ name: 'gone', timing: { every: '1h' } })
  scheduler.setJobs([old, gone])
  scheduler.start()
  await time.advance(HOUR + MINUTE)
  const replacement = recorder({ timing: { every: '1h' } })
  scheduler.setJobs([replacement])
  t.match(scheduler.jobs('demo'), [{ name: 'job', running: true }])
  await time.advance(40 * MINUTE)
  gate.open()
  await time.advance(HOUR)
  t.equal(old.ran.length, 1)
  t.same(replacement.ran, [START_MS + 2 * HOUR])
  t.equal(gone.ran.length, 1)

  scheduler.setJobs([replacement, gone])
  await time.advance(HOUR)
  t.equal(gone.ran.length, 2, 'a job that comes back takes up its plan')
})

t.test('the old run of a job that was removed and added again still counts as running', async (t) => {
  const { scheduler, time } = await setUp(t)
  const gate = createGate()
  scheduler.setJobs([recorder({ timing: { every: '1h' }, run: gate.work })])
  scheduler.start()
  await time.advance(HOUR + MINUTE)
  scheduler.setJobs([])
  await time.advance(MINUTE)
  const back = recorder({ timing: { every: '1h' } })
  scheduler.setJobs([back])
  await time.advance(3 * MINUTE)
  t.equal(scheduler.jobs('demo')[0]?.running, true)
  t.equal(await scheduler.trigger('demo', 'job'), false)
  gate.open()
  await time.advance(HOUR)
  t.same(back.ran, [START_MS + 2 * HOUR])
})

t.test('a changed timing is planned again, an interval from the last start', async (t) => {
  const { scheduler, time } = await setUp(t)
  const before = recorder({ timing: { every: '1h' } })
  scheduler.setJobs([before])
  scheduler.start()
  await time.advance(HOUR + MINUTE)
  const after = recorder({ timing: { every: '3h' } })
  scheduler.setJobs([after])
  await time.advance(SECOND)
  t.equal(scheduler.jobs('demo')[0]?.nextAtMs, START_MS + 4 * HOUR)
  scheduler.setJobs([recorder({ timing: { cron: '0 18 * * *', timeZone: 'UTC' } })])
  await time.advance(SECOND)
  t.equal(scheduler.jobs('demo')[0]?.nextAtMs, START_MS + 6 * HOUR)
})

/** A job whose timing the test sets, like a plugin with a handle. */
function settable(scheduler: () => Scheduler, run?: (set: (timing: JobTiming | JobTimes | null) => void) => unknown) {
  const timing: OwnTime = { latest: undefined }
  const set = (next: JobTiming | JobTimes | null) => {
    timing.latest = { timing: next }
    scheduler().retime('demo', 'job')
  }
  return Object.assign(recorder({ timing, run: async () => void (await run?.(set)) }), { set, timing })
}

/** The job after a restart. */
function startAgain(t: Test, newScheduler: () => Scheduler) {
  const again = newScheduler()
  t.teardown(() => again.stop())
  const restarted = settable(() => again)
  again.setJobs([restarted])
  again.start()
  return { again, restarted }
}

t.test('a set time takes effect at once, and null removes the job from the plan', async (t) => {
  const { scheduler, time } = await setUp(t)
  const job = settable(() => scheduler)
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(DAY)
  t.same(job.ran, [], 'no time, no run')

  job.set({ at: START_MS + DAY + HOUR })
  await time.advance(HOUR)
  job.set({ every: '10m' })
  await time.advance(25 * MINUTE)
  job.set({ cron: '0 18 * * *', timeZone: 'UTC' })
  await time.advance(5 * HOUR)
  job.set(null)
  await time.advance(3 * DAY)
  t.same(
    job.ran.map((atMs) => (atMs - START_MS - DAY) / MINUTE),
    [60, 70, 80, 6 * 60],
  )
  t.match(scheduler.jobs('demo'), [{ nextAtMs: null }])
})

t.test('a job that sets its next time while it runs runs then, and a past time is due now', async (t) => {
  const { scheduler, time } = await setUp(t)
  const steps = [START_MS + 3 * HOUR, START_MS + 4 * HOUR, START_MS]
  const job = settable(
    () => scheduler,
    (set) => {
      const at = steps.shift()
      if (at !== undefined) set({ at })
    },
  )
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ at: START_MS + 2 * HOUR })
  await time.advance(DAY)
  t.same(job.ran, [START_MS + 2 * HOUR, START_MS + 3 * HOUR, START_MS + 4 * HOUR, START_MS])
  job.set({ at: START_MS })
  await time.advance(DAY)
  t.equal(job.ran.length, 4, 'the same moment never runs twice')
})

t.test('a wait that was set while the clock was ahead is over soon after the clock is right', async (t) => {
  const YEAR = 365 * DAY
  for (const restarts of [false, true]) {
    const { scheduler, newScheduler, time } = await setUp(t)
    const wakes: number[] = []
    // As a queue does: what is due in ten minutes by the clock of now.
    const retry = () =>
      settable(
        () => current,
        (set) => {
          wakes.push(time.clock.now())
          set({ at: time.clock.now() + 30 * MINUTE })
        },
      )
    let current = scheduler
    time.setClock(YEAR)
    let job = retry()
    scheduler.setJobs([job])
    scheduler.start()
    job.set({ at: time.clock.now() + 30 * MINUTE })
    await time.advance(MINUTE)
    time.setClock(-YEAR)
    if (restarts) {
      // Dormant until its job is due: it has set nothing since the start.
      scheduler.stop()
      current = newScheduler()
      job = retry()
      current.setJobs([job])
      current.start()
      t.teardown(() => current.stop())
    }
    await time.advance(MINUTE)
    t.equal(wakes.length, 1, `asked again${restarts ? ' after a restart' : ''}`)
    await time.advance(65 * MINUTE)
    t.equal(wakes.length, 3, 'and by the right clock from then on')
    t.ok(
      job.ran.every((dueAtMs) => dueAtMs < START_MS + DAY),
      'due times are those of the right clock',
    )
  }
})

t.test('a moment is kept when the clock is set back, and runs once at it', async (t) => {
  const { scheduler, time } = await setUp(t)
  const at = START_MS + 5 * HOUR
  let asked = 0
  const job = settable(
    () => scheduler,
    (set) => {
      asked += 1
      if (time.clock.now() < at) set({ at })
    },
  )
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ at })
  await time.advance(HOUR)
  time.setClock(-5 * MINUTE)
  await time.advance(MINUTE)
  t.equal(asked, 0, 'a small correction asks nothing')
  time.setClock(-2 * HOUR)
  await time.advance(MINUTE)
  t.equal(asked, 1)
  await time.advance(5 * HOUR)
  t.equal(asked, 1)
  await time.advance(3 * HOUR)
  t.equal(asked, 2)
  t.equal(job.ran.at(-1), at)

  const silent = settable(() => scheduler)
  scheduler.setJobs([silent])
  silent.set({ at: at + 10 * HOUR })
  await time.advance(HOUR)
  time.setClock(-5 * HOUR)
  await time.advance(MINUTE)
  time.setClock(-HOUR)
  await time.advance(DAY)
  t.equal(silent.ran.length, 1, 'one that sets no new time runs once')
})

t.test('the time that was set stays over a reload and a restart, and setting it again changes nothing', async (t) => {
  const { scheduler, newScheduler, time } = await setUp(t)
  const first = settable(() => scheduler)
  scheduler.setJobs([first])
  scheduler.start()
  first.set({ every: '6h' })
  const reloaded = settable(() => scheduler)
  // Before the timing was stored.
  scheduler.setJobs([reloaded])
  await time.advance(4 * HOUR)
  reloaded.set({ every: '6h' })
  first.set({ every: '1m' })
  await time.advance(MINUTE)
  scheduler.stop()

  const { restarted } = startAgain(t, newScheduler)
  await time.advance(3 * HOUR)
  t.same([first.ran, reloaded.ran, restarted.ran], [[], [], [START_MS + 6 * HOUR]])
})

t.test('of several times each runs at its own slots, and one run takes all that are due', async (t) => {
  const { scheduler, newScheduler, time } = await setUp(t)
  const times = {
    late: { cron: '0 14 * * *', timeZone: 'UTC' },
    early: { cron: '0 14 * * *', timeZone: 'UTC' },
    often: { every: '3h' },
    fixed: { every: '4h', from: START_MS - HOUR },
    halfDays: { every: '12h', from: 'midnight', timeZone: 'Asia/Tokyo' },
  } as const
  const job = settable(() => scheduler)
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ times })
  const names = async () =>
    (await scheduler.next(job, job.timing.latest, {})).map(
      ({ name, slotMs, dueAtMs }) => `${name} +${(slotMs - START_MS) / HOUR}h ${dueAtMs - slotMs}`,
    )
  const planned = ['late +2h 0', 'early +2h 0', 'often +3h 0', 'fixed +3h 0', 'halfDays +3h 0']
  t.same(await names(), planned, 'before it is stored')
  await time.advance(MINUTE)
  t.same(await names(), planned)
  await time.advance(8 * HOUR)
  t.same(job.due, ['late +2h, early +2h', 'often +3h, fixed +3h, halfDays +3h', 'often +6h', 'fixed +7h'])

  const { early: _, ...others } = times
  job.set({ times: { ...others, often: { every: '2h' } } })
  await time.advance(MINUTE)
  t.same(await names(), ['often +10.016666666666667h 0', 'fixed +11h 0', 'halfDays +15h 0', 'late +26h 0'])
  scheduler.stop()
  const { again, restarted } = startAgain(t, newScheduler)
  await time.advance(3 * HOUR)
  t.same(restarted.due, ['often +10.016666666666667h', 'fixed +11h'], 'the stored times')
  restarted.set(null)
  t.same(await again.next(restarted, restarted.timing.latest, {}), [])
  await time.advance(2 * DAY)
  t.equal(restarted.ran.length, 2)
})

t.test('of several times the missed ones run once or not at all, as each of them says', async (t) => {
  const { scheduler, newScheduler, time } = await setUp(t)
  const noon = { cron: '0 13 * * *', timeZone: 'UTC' } as const
  const job = settable(() => scheduler)
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ times: { once: noon, skipped: { ...noon, missed: 'skip' } } })
  await time.advance(MINUTE)
  scheduler.stop()
  await time.advance(3 * DAY)
  const { restarted } = startAgain(t, newScheduler)
  await time.advance(30 * MINUTE)
  t.same(restarted.due, ['once +1h'])
  await time.advance(12 * HOUR)
  t.same(restarted.due, ['once +1h', 'once +73h, skipped +73h'])
  restarted.set({ times: { since: { ...noon, from: START_MS } } })
  await time.advance(MINUTE)
  t.equal(restarted.due.at(-1), 'since +1h', 'a slot since then counts as missed')
})

t.test('of several times the slots of a run that a crash cuts off run again, and no others', async (t) => {
  const { scheduler, time, file, process } = await setUp(t)
  const times = { a: { cron: '0 13 * * *', timeZone: 'UTC' }, b: { every: '3h' } } as const
  const job = settable(
    () => scheduler,
    () => new Promise(() => {}),
  )
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ times })
  await time.advance(HOUR)
  t.same(job.due, ['a +1h'])
  process.kill()

  const hosts = []
  for (let n = 0; n < 2; n++) {
    const next = await setUp(t, { file, time })
    const again = settable(() => next.scheduler)
    next.scheduler.setJobs([again])
    next.scheduler.start()
    again.set({ times })
    await time.advance(2 * MINUTE)
    await next.scheduler.drain(0)
    hosts.push(again.due)
  }
  t.same(hosts, [['a +1h'], []])
})

t.test('jitter delays each slot by its own time, which stays', async (t) => {
  const { scheduler, time } = await setUp(t)
  const jitter = { maxMs: 30 * MINUTE, seed: 'a' }
  const job = settable(() => scheduler)
  scheduler.setJobs([job])
  scheduler.start()
  job.set({ times: { a: { cron: '0 * * * *', jitter }, b: { cron: '0 * * * *', jitter: { ...jitter, seed: 'b' } } } })
  const [first] = await scheduler.next(job, job.timing.latest, {})
  await time.advance(2 * DAY + 45 * MINUTE)
  t.equal(job.ran[0], first?.dueAtMs)
  t.equal(job.ran.length, 96)
  const delays = job.ran.map((atMs) => atMs % HOUR)
  t.ok(delays.every((ms) => ms <= 30 * MINUTE))
  t.ok(new Set(delays).size > 90)
})

t.test('a time that could not be stored is stored later', async (t) => {
  const { scheduler, time, db } = await setUp(t)
  const job = settable(() => scheduler)
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(MINUTE)
  await sql`alter table core__jobs rename to elsewhere`.execute(db)
  job.set({ at: START_MS + HOUR })
  await time.advance(MINUTE)
  await sql`alter table elsewhere rename to core__jobs`.execute(db)
  await time.advance(HOUR)
  t.same(job.ran, [START_MS + HOUR])
})

t.test('a job that cannot be scheduled is reported and stops no other', async (t) => {
  const { scheduler, time, lines } = await setUp(t)
  const good = recorder({ timing: { every: '1m' } })
  scheduler.setJobs([
    recorder({ name: 'bad', timing: { cron: 'nonsense' } }),
    good,
    recorder({ timing: { every: '5m' } }),
  ])
  scheduler.start()
  await time.advance(MINUTE)
  t.equal(good.ran.length, 1)
  t.match(lines, [
    ['error', 'a job cannot be scheduled', { job: 'bad' }],
    ['error', 'a job cannot be scheduled', { job: 'job' }],
  ])
})

t.test('a job can be run at once, which changes nothing in its plan', async (t) => {
  const { scheduler } = await setUp(t)
  const gate = createGate()
  const job = recorder({ timing: { every: '1h' }, run: gate.work })
  scheduler.setJobs([job])
  await t.rejects(scheduler.trigger('demo', 'job'), { code: 'PLH_ABORTED' }, 'not before the start')
  scheduler.start()
  t.equal(await scheduler.trigger('demo', 'job'), true)
  t.equal(await scheduler.trigger('demo', 'job'), false, 'it runs already')
  gate.open()
  await settle()
  t.match(scheduler.jobs('demo'), [{ nextAtMs: START_MS + HOUR, lastOutcome: 'done', running: false }])
  await t.rejects(scheduler.trigger('demo', 'unknown'), { code: 'PLH_NOT_FOUND' })
})

t.test('draining waits for work, then stops longer work, and counts work that does not end', async (t) => {
  const { scheduler, time } = await setUp(t)
  const quick = createGate()
  const aborted: string[] = []
  scheduler.setJobs([
    recorder({ name: 'quick', timing: { every: '1m' }, run: quick.work }),
    recorder({
      name: 'long',
      timing: { every: '1m' },
      run: (signal) =>
        createGate()
          .work(signal)
          .finally(() => aborted.push('long')),
    }),
    recorder({ name: 'stuck', timing: { every: '1m' }, run: () => new Promise(() => {}) }),
    recorder({ name: 'later', timing: { every: '2m' } }),
  ])
  scheduler.start()
  await time.advance(MINUTE)
  const drained = scheduler.drain(20 * SECOND)
  await time.advance(5 * SECOND)
  quick.open()
  await time.advance(9 * SECOND)
  t.same(aborted, [])
  await time.advance(2 * SECOND)
  t.same(aborted, ['long'])
  await time.advance(HOUR)
  t.equal(await drained, 1)
  t.match(scheduler.jobs('demo'), [
    { lastOutcome: 'done' },
    { lastOutcome: 'aborted' },
    { running: true },
    { lastStartedAtMs: null },
  ])
})

t.test('draining without work ends at once', async (t) => {
  const { scheduler } = await setUp(t)
  scheduler.start()
  t.equal(await scheduler.drain(MINUTE), 0)
})

t.test('a database that fails for a while delays jobs and loses none', async (t) => {
  const { scheduler, time, db, lines } = await setUp(t)
  const job = recorder({ timing: { every: '1h' } })
  scheduler.setJobs([job])
  scheduler.start()
  await time.advance(MINUTE)
  await db.schema.alterTable('core__job_leases').renameTo('core__gone').execute()
  await time.advance(HOUR)
  t.same(job.ran, [])
  t.match(lines.at(-1), ['error', /trying again soon/, { job: 'job' }])
  await db.schema.alterTable('core__gone').renameTo('core__job_leases').execute()
  await time.advance(10 * SECOND)
  t.same(job.ran, [START_MS + HOUR])
})

t.test('state of jobs that have been missing for over a year is deleted', async (t) => {
  const { scheduler, newScheduler, time, db } = await setUp(t)
  scheduler.setJobs([recorder({ timing: { every: '1h' } })])
  scheduler.start()
  await time.advance(MINUTE)
  scheduler.stop()
  time.setClock(401 * DAY)
  const again = newScheduler()
  again.start()
  await time.advance(MINUTE)
  again.stop()
  t.same(await db.selectFrom('core__jobs').selectAll().execute(), [])
})

t.test('despite restarts, a slot fires at most once and an interval is never shortened', async (t) => {
  const phase = fc.record({
    upMs: fc.integer({ min: SECOND, max: 3 * HOUR }),
    downMs: fc.integer({ min: 0, max: 3 * HOUR }),
  })
  let runs = 0
  const phasesOfLife = fc.array(phase, { minLength: 2, maxLength: 5 })
  const policies = fc.constantFrom<'once' | 'skip'>('once', 'skip')
  await fc.assert(
    fc.asyncProperty(phasesOfLife, policies, async (phases, policy) => {
      const time = createVirtualTime()
      const { scheduler, newScheduler } = await setUp(t, {
        time,
        file: `${t.testdir({ [String(++runs)]: {} })}/${runs}/jobs.sqlite`,
      })
      const startedMs: number[] = []
      const interval = recorder({
        name: 'interval',
        timing: { every: '50m' },
        options: { missed: policy },
        run: async () => void startedMs.push(time.clock.now()),
      })
      const cron = recorder({
        name: 'cron',
        timing: { cron: '*/35 * * * *', timeZone: 'UTC' },
        options: { missed: policy },
      })
      let current = scheduler
      for (const { upMs, downMs } of phases) {
        current.setJobs([interval, cron])
        current.start()
        await time.advance(upMs)
        current.stop()
        await time.advance(downMs)
        current = newScheduler()
      }
      const stepsOf = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] as number))
      return stepsOf(startedMs).every((ms) => ms >= 50 * MINUTE) && stepsOf(cron.ran).every((ms) => ms > 0)
    }),
    { numRuns: runsOf(15) },
  )
})
