// Started jobs and their times: one at a time, in order, after their dependencies, and never twice.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { PlayheadError, type RunResult } from '@playhead/sdk'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { createStateStore, emptyState, migrations } from '../../../plugins/services/scheduling/run/state.ts'
import { createScene, HOUR, MINUTE, silent, START, withJobs } from './support.ts'

const daily = (mode: object = {}) => ({ enabled: true, mode: 'daily_time', daily_time: '09:00', ...mode })

t.test('the standard schedule starts a run of all pairs, which is logged', async (t) => {
  const scene = createScene(daily())
  await scene.pass(3 * HOUR)
  t.same(scene.names(), ['scheduler all +59'])
  t.match(scene.started[0]?.request, { source: 'scheduler', scheduler_mode: 'standard' })
  t.same(scene.told, ['standard started', 'standard ok'])
  t.match(scene.store.current().last, { ok: true, error: '', job_id: '', pair_id: '' })
})

t.test('jobs due during a run wait for its end, however long that takes', async (t) => {
  const scene = createScene(daily())
  await scene.runByHand(3 * HOUR)
  await scene.pass(2 * HOUR)
  t.equal(scene.started.length, 1)
  await scene.pass(2 * HOUR)
  t.same(scene.names().slice(1), ['scheduler all +180'])
})

t.test(
  'jobs run one after the other in the order of their times and ids; then workflows, captures and backups',
  async (t) => {
    const scene = createScene({
      advanced: {
        enabled: true,
        jobs: [
          { id: 'b', pair_id: 'p2', at: '09:00' },
          { id: 'a', pair_id: 'p1', at: '09:00' },
          { id: 'c', pair_id: 'p3', at: '08:59' },
        ],
        workflows: [
          {
            id: 'w',
            mode: 'daily_time',
            daily_time: '09:00',
            steps: [
              { id: 's1', pair_id: 'p1' },
              { id: 's2', pair_id: 'p2' },
            ],
          },
        ],
        capture_jobs: [{ id: 'k', provider: 'MEDIAA', at: '09:00' }],
        backup_jobs: [{ id: 'l', at: '09:00' }],
      },
    })
    scene.next = () => ({ lastsMs: 5 * MINUTE })
    await scene.pass(3 * HOUR)
    t.same(
      scene.names().map((name) => name.split(' +')[0]),
      ['c p3', 'a p1', 'b p2', 's1 p1', 's2 p2'],
    )
    t.same(scene.told, [
      'job:c started',
      'job:c ok',
      'job:a started',
      'job:a ok',
      'job:b started',
      'job:b ok',
      'workflow:w/s1 started',
      'workflow:w/s1 ok',
      'workflow:w/s2 started',
      'workflow:w/s2 ok',
      'capture:k ok',
      'backup:l ok',
    ])
    t.same(scene.captured, ['k', 'l'])
    t.match(scene.started[3]?.request, {
      scheduler_mode: 'advanced_workflow',
      workflow_id: 'w',
      workflow_step_id: 's1',
      pair_id: 'p1',
    })
  },
)

t.test('a workflow stops at a failed step, unless it is set to continue', async (t) => {
  for (const [more, wanted] of [
    [{}, ['s1 p1']],
    [{ continue_on_error: true }, ['s1 p1', 's2 p2']],
  ] as const) {
    const scene = createScene({
      advanced: {
        enabled: true,
        workflows: [
          {
            id: 'w',
            mode: 'daily_time',
            daily_time: '09:00',
            steps: [
              { id: 's1', pair_id: 'p1' },
              { id: 's2', pair_id: 'p2' },
            ],
            ...more,
          },
        ],
      },
    })
    scene.next = ({ pair_id: pair }) => ({ result: pair === 'p1' ? 'failed' : 'ok' })
    await scene.pass(3 * HOUR)
    t.same(
      scene.names().map((name) => name.split(' +')[0]),
      wanted,
    )
  }
})

t.test('a run that a person stops cancels the rest of its batch', async (t) => {
  const scene = createScene(
    withJobs(
      { id: 'a', pair_id: 'p1', at: '09:00' },
      { id: 'b', pair_id: 'p2', at: '09:00' },
      { id: 'c', pair_id: 'p3', at: '10:00' },
    ),
  )
  scene.next = ({ job_id: job }) => ({ result: job === 'a' ? 'cancelled' : 'ok' })
  await scene.pass(3 * HOUR)
  t.same(
    scene.names().map((name) => name.split(' +')[0]),
    ['a p1', 'c p3'],
  )
})

t.test('P84 a job starts only after the one it depends on ended with an allowed result', async () => {
  const outcome = fc.constantFrom('ok', 'partial', 'failed', 'cancelled', 'skipped', 'refused') as fc.Arbitrary<
    RunResult | 'refused'
  >
  const clock = fc.constantFrom('08:30', '09:00', '09:20', '11:00')
  await fc.assert(
    fc.asyncProperty(
      outcome,
      fc.integer({ min: 1, max: 200 }),
      clock,
      clock,
      fc.boolean(),
      fc.boolean(),
      async (result, minutes, first, second, goesOn, restarts) => {
        const scene = createScene(
          withJobs(
            { id: 'z', pair_id: 'p1', at: first },
            { id: 'a', pair_id: 'p2', at: second, after: 'z', continue_on_error: goesOn },
          ),
        )
        scene.next = ({ job_id: job }) =>
          job !== 'z'
            ? {}
            : result === 'refused'
              ? { refuse: new PlayheadError('PLH_CONFLICT', 'off', { wire: 'pair_disabled' }) }
              : { result, lastsMs: minutes * MINUTE }
        for (let n = 0; n < 12; n++) {
          await scene.pass(40 * MINUTE, MINUTE)
          if (restarts) await scene.restart()
        }
        const [before, after] = ['z', 'a'].map((job) => scene.started.find(({ request }) => request.job_id === job))
        const isAllowed = result === 'ok' || result === 'partial' || (result === 'failed' && goesOn)
        if (isAllowed !== (after !== undefined))
          throw new Error(`${scene.names().join(', ')}; ${scene.told.join(', ')}`)
        if (after !== undefined && (before === undefined || after.atMs < before.endsAtMs)) throw new Error('too early')
      },
    ),
    { numRuns: runsOf(60) },
  )
})

t.test('P84 a job waits for the one it depends on while that one itself has to wait', async (t) => {
  const scene = createScene(
    withJobs({ id: 'z', pair_id: 'p1', at: '09:00' }, { id: 'a', pair_id: 'p2', at: '09:00', after: 'z' }),
  )
  await scene.runByHand(2 * HOUR)
  await scene.pass(3 * HOUR)
  t.same(
    scene
      .names()
      .slice(1)
      .map((name) => name.split(' +')[0]),
    ['z p1', 'a p2'],
  )
})

t.test('P84 a job that depends on one that is never started, or on itself, is never started', async (t) => {
  for (const jobs of [
    [{ id: 'a', pair_id: 'p1', at: '09:00', after: 'gone' }],
    [
      { id: 'a', pair_id: 'p1', at: '09:00', after: 'b' },
      { id: 'b', pair_id: 'p2', at: '09:00', active: false },
    ],
    [
      { id: 'a', pair_id: 'p1', at: '09:00', after: 'b' },
      { id: 'b', pair_id: 'p2', at: '09:00', after: 'a' },
    ],
    [{ id: 'a', pair_id: 'p1', at: '09:00', after: 'a' }],
  ]) {
    const scene = createScene(withJobs(...jobs))
    await scene.pass(3 * HOUR, MINUTE)
    t.same(scene.names(), [])
    t.same(scene.store.current().queue, [])
  }
})

t.test('P83 the schedule starts nothing from a stop until it is resumed, even after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 1, max: 300 }),
      fc.boolean(),
      async (before, paused, crash) => {
        const scene = createScene({
          advanced: {
            enabled: true,
            jobs: [
              { id: 'a', pair_id: 'p1', at: '09:00' },
              { id: 'b', pair_id: 'p2', at: '11:00' },
            ],
            workflows: [{ mode: 'custom_interval', custom_interval_minutes: 20, steps: [{ pair_id: 'p3' }] }],
            event_rules: [{ event: 'stop', filters: { route_id: 'r' }, action: { pair_id: 'p1' } }],
          },
        })
        scene.next = () => ({ lastsMs: 7 * MINUTE })
        await scene.pass(before * MINUTE, MINUTE)
        await scene.scheduler().pause()
        const count = scene.started.length
        await scene.pass((paused / 2) * MINUTE, MINUTE)
        await scene.restart({ crash })
        const told = await scene.scheduler().played('stop', { source: 'watcher', route_id: 'r' })
        await scene.pass((paused / 2) * MINUTE, MINUTE)
        if (scene.started.length !== count || told.reason !== 'paused') throw new Error(scene.names().join(', '))
        await scene.scheduler().resume()
        if (scene.started.length !== count) throw new Error('caught up on what had passed')
        await scene.pass(30 * MINUTE, MINUTE)
        if (scene.started.length === count) throw new Error('nothing was started any more')
      },
    ),
    { numRuns: runsOf(40) },
  )
})

t.test('P80 P81 each slot is started once, even if the process ends midway', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ after: fc.integer({ min: 1, max: 120 }), crash: fc.boolean() }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom('ok', 'failed'),
      async (restarts, minutes, result) => {
        const scene = createScene({
          advanced: {
            enabled: true,
            jobs: [
              { id: 'a', pair_id: 'p1', at: '09:00' },
              { id: 'b', pair_id: 'p2', at: '10:00' },
            ],
            workflows: [{ id: 'w', mode: 'hourly', steps: [{ id: 's', pair_id: 'p3' }] }],
          },
        })
        scene.next = () => ({ lastsMs: minutes * MINUTE, result: result as RunResult })
        for (const { after, crash } of restarts) {
          await scene.pass(after * MINUTE, MINUTE)
          await scene.restart({ crash })
        }
        await scene.pass(Math.max(1, START + 14 * HOUR - scene.clock.nowMs), MINUTE)
        const times = (name: string) =>
          scene.started.filter(({ request }) => request.job_id === name || request.workflow_step_id === name).length
        if (times('a') !== 1 || times('b') !== 1 || times('s') !== 14) throw new Error(scene.names().join(', '))
      },
    ),
    { numRuns: runsOf(30) },
  )
})

t.test('P81 an interval counts from the last start, over restarts and saved settings', async (t) => {
  const raw = { enabled: true, mode: 'every_n_hours', every_n_hours: 4 }
  const scene = createScene(raw)
  await scene.pass(6 * HOUR, MINUTE)
  await scene.restart()
  await scene.save({ ...raw, webhooks: { timeout_seconds: 20 } })
  await scene.pass(7 * HOUR, MINUTE)
  t.same(
    scene.names().map((name) => Math.floor(Number(name.split('+')[1]) / 60)),
    [4, 8, 12],
  )
})

t.test('the clock is not checked while nothing is due', async (t) => {
  const scene = createScene(daily())
  await scene.pass(3 * 24 * HOUR)
  t.equal(scene.started.length, 3)
  t.ok(scene.wake.looks < 30, `${scene.wake.looks} looks in three days`)
  t.equal(scene.wake.timing, null)
  t.match(scene.plan.next(), [{ name: 'standard', dueAtMs: START + 3 * 24 * HOUR + HOUR - 30_000 }])

  await scene.scheduler().pause()
  t.same(scene.plan.next(), [])
  await scene.scheduler().resume()
  t.equal(scene.plan.next().length, 1)
  await scene.save({ enabled: false })
  t.same(scene.plan.next(), [])
  t.equal(scene.wake.timing, null)
})

t.test('after a failed check the next one follows soon', async (t) => {
  const scene = createScene(daily())
  await scene.pass(MINUTE)
  const { load } = scene.store
  scene.store.load = async () => {
    throw new Error('the database is locked')
  }
  await t.rejects(scene.scheduler().tick())
  scene.store.load = load
  t.same(scene.wake.timing, { every: '15s' })
  await scene.pass(HOUR)
  t.equal(scene.started.length, 1)
})

t.test('runs due while the service was down are skipped', async (t) => {
  const scene = createScene(daily())
  await scene.pass(30 * MINUTE)
  scene.clock.nowMs += 2 * HOUR
  await scene.restart()
  await scene.pass(HOUR)
  t.same(scene.names(), [])
})

const backups = (...jobs: readonly object[]) => ({ advanced: { enabled: true, backup_jobs: jobs } })

t.test('a backup due while the service was down is made up for once, if its job says so', async (t) => {
  const scene = createScene(backups({ id: 'made-up', at: '09:00', catch_up: true }, { id: 'let-go', at: '09:00' }))
  await scene.pass(30 * MINUTE)
  scene.clock.nowMs += 2 * 24 * HOUR + 2 * HOUR
  await scene.restart()
  await scene.pass(HOUR)
  t.same(scene.captured, ['made-up'], 'three times were missed')
  await scene.restart()
  await scene.pass(2 * HOUR)
  t.same(scene.captured, ['made-up'])
  await scene.pass(24 * HOUR)
  t.same(scene.captured.toSorted(), ['let-go', 'made-up', 'made-up'], 'the next day both are made')
})

t.test('and so is a capture', async (t) => {
  const capture = { provider: 'MEDIAA', feature: 'history', at: '09:00' }
  const jobs = [
    { ...capture, id: 'made-up', catch_up: true },
    { ...capture, id: 'let-go' },
  ]
  const scene = createScene({ advanced: { enabled: true, capture_jobs: jobs } })
  await scene.pass(30 * MINUTE)
  scene.clock.nowMs += 2 * 24 * HOUR + 2 * HOUR
  await scene.restart()
  await scene.pass(HOUR)
  t.same(scene.captured, ['made-up'])
})

t.test('a slot that the host reports again after a crash is started once', async (t) => {
  const scene = createScene(withJobs({ id: 'a', pair_id: 'p1', at: '09:00' }, { id: 'b', pair_id: 'p2', at: '09:00' }))
  scene.next = () => ({ lastsMs: 10 * MINUTE })
  scene.clock.nowMs += HOUR
  const due = scene.plan.take()
  t.equal(due.length, 0, 'nothing is planned before the first tick')
  await scene.restart()
  await scene.pass(24 * HOUR - MINUTE)
  const slots = ['job:a', 'job:b'].map((name) => {
    const slotMs = Date.UTC(2026, 2, 11, 9)
    return { name, slotMs, dueAtMs: slotMs }
  })
  await scene.pass(MINUTE)
  for (let n = 0; n < 3; n++) {
    await scene.restart()
    await scene.scheduler().tick([...slots, ...slots])
    await scene.pass(12 * MINUTE)
  }
  t.same(
    scene.names().map((name) => name.split(' +')[0]),
    ['a p1', 'b p2'],
  )
  const next = slots.map((slot) => ({ ...slot, slotMs: slot.slotMs + 24 * HOUR }))
  await scene.scheduler().tick([...next, ...next])
  await scene.pass(HOUR)
  t.equal(scene.started.length, 4)
})

t.test('the state of an earlier version, which planned itself, is moved once', async (t) => {
  const { db, close } = await openDatabase(`${t.testdir()}/state.sqlite`, { log: silent })
  t.teardown(close)
  await migrate(db, 'scheduling', migrations.slice(0, 1))
  const item = { key: 'backup:waits', kind: 'backup', id: 'waits', pairId: null, dueMs: START, batch: START, step: 0 }
  const known = (rule: unknown, startedMs: number | null = null) => ({
    rule: JSON.stringify(rule),
    sinceMs: START - 40 * HOUR,
    firedMs: START - 23 * HOUR,
    startedMs,
  })
  const { startedMs: _, ...empty } = emptyState('its-salt')
  const stored = {
    ...empty,
    lastTickMs: START - MINUTE,
    queue: [{ ...item, slotMs: START }],
    results: { 'backup:waits': { slotMs: START - 24 * HOUR, result: 'ok' } },
    memory: {
      standard: known([{ type: 'interval', ms: 6 * HOUR }, ''], START - 5 * HOUR),
      'backup:missed': known([{ type: 'daily', at: '07:30', days: [] }, '']),
      'backup:let-go': known([{ type: 'daily', at: '07:30', days: [] }, '']),
      'backup:to-come': known([{ type: 'daily', at: '08:45', days: [] }, '']),
    },
  }
  const row = { id: 1, revision: 7, state: JSON.stringify(stored) }
  await db.insertInto('scheduling__state').values(row).execute()
  for (let n = 0; n < 2; n++) await migrate(db, 'scheduling', migrations)
  const state = await createStateStore(db, () => 'new').load()
  const { memory: __, ...kept } = stored
  t.match(state, { ...kept, startedMs: START - 5 * HOUR })
  t.notOk('memory' in state)

  const scene = createScene(
    {
      enabled: true,
      mode: 'every_n_hours',
      every_n_hours: 6,
      advanced: {
        backup_jobs: [
          { id: 'waits', at: '08:00' },
          { id: 'missed', at: '07:30', catch_up: true },
          { id: 'let-go', at: '07:30' },
          { id: 'to-come', at: '08:45', catch_up: true },
        ],
      },
    },
    { state },
  )
  await scene.restart()
  await scene.pass(2 * MINUTE)
  t.same(scene.captured, ['waits', 'missed'])
  await scene.restart()
  await scene.pass(3 * HOUR)
  t.same(scene.captured, ['waits', 'missed', 'to-come'])
  t.same(scene.names(), ['scheduler all +60'], 'six hours after its last start')
})

t.test('a failing backup is retried after 15 minutes, three times at most', async (t) => {
  const full = () => Promise.reject(new PlayheadError('PLH_CONFLICT', 'full', { wire: 'disk_low' }))
  const better = createScene(backups({ id: 'b', at: '09:00' }))
  const tries: number[] = []
  better.work = async () => {
    tries.push(better.clock.nowMs)
    if (tries.length < 3) await full()
  }
  await better.pass(70 * MINUTE)
  t.match(better.store.current().last, { ok: false, error: 'disk_low' })
  await better.restart()
  await better.pass(2 * HOUR)
  t.equal(tries.length, 3)
  for (const [index, atMs] of tries.slice(1).entries()) t.ok(atMs - tries[index]! >= 15 * MINUTE)
  t.same(better.told, ['backup:b ok'])
  t.match(better.store.current().last, { ok: true, error: '' })

  const never = createScene(backups({ id: 'b', at: '09:00' }, { id: 'other', at: '09:20' }))
  never.work = (id) => (id === 'b' ? full() : Promise.resolve())
  await never.pass(12 * HOUR)
  t.same(
    never.captured.filter((id) => id === 'b'),
    ['b', 'b', 'b', 'b'],
  )
  t.same(never.told.toSorted(), ['backup:b failed', 'backup:other ok'], 'others do not wait for it')
  t.equal(never.told[0], 'backup:other ok')
})

t.test('a backup that was interrupted by a stop is retried after the start', async (t) => {
  const scene = createScene(backups({ id: 'b', at: '09:00' }))
  scene.work = () => new Promise(() => {})
  await scene.pass(30 * MINUTE)
  scene.clock.nowMs += 31 * MINUTE
  await scene.scheduler().tick(scene.plan.take())
  t.same(scene.captured, ['b'])
  scene.work = () => Promise.resolve()
  await scene.restart({ crash: true })
  await scene.pass(14 * MINUTE)
  t.same(scene.captured, ['b'])
  t.match(scene.store.current().last, { ok: false, error: 'interrupted' })
  await scene.pass(2 * HOUR)
  t.same(scene.captured, ['b', 'b'])
  t.same(scene.told, ['backup:b ok'])
})

t.test('a start that is temporarily refused is retried within the grace', async (t) => {
  const scene = createScene(daily())
  let tries = 0
  scene.next = () => (++tries < 4 ? { refuse: new PlayheadError('PLH_CAPABILITY_GONE', 'being loaded') } : {})
  await scene.pass(2 * HOUR)
  t.equal(scene.started.length, 1)
  t.match(scene.store.current().last, { ok: true })

  const gone = createScene(daily())
  gone.next = () => ({ refuse: new PlayheadError('PLH_CAPABILITY_GONE', 'gone') })
  await gone.pass(3 * HOUR)
  t.same(gone.told, ['standard refused'])
  t.match(gone.store.current().last, { ok: false, error: 'capability_unavailable' })

  const off = createScene(withJobs({ id: 'a', pair_id: 'p4', at: '09:00' }))
  off.next = () => ({ refuse: new PlayheadError('PLH_CONFLICT', 'off', { wire: 'pair_disabled' }) })
  await off.pass(2 * HOUR)
  t.same(off.told, ['job:a refused'])
  t.match(off.store.current().last, { ok: false, error: 'pair_disabled', job_id: 'a', pair_id: 'p4' })
})

t.test('captures without a capture plugin are reported as not started', async (t) => {
  const scene = createScene({
    advanced: { enabled: true, capture_jobs: [{ id: 'k', provider: 'mediaa', feature: 'history', at: '09:00' }] },
  })
  scene.captures = false
  await scene.pass(2 * HOUR)
  t.match(scene.store.current().last, {
    ok: false,
    error: 'captures_unavailable',
    capture_job_id: 'k',
    capture_provider: 'MEDIAA',
    capture_feature: 'history',
  })
})

t.test('a run without a record counts as interrupted, and the schedule continues', async (t) => {
  const scene = createScene(withJobs({ id: 'a', pair_id: 'p1', at: '09:00' }, { id: 'b', pair_id: 'p2', at: '10:00' }))
  scene.next = () => ({ lastsMs: 10 * MINUTE })
  await scene.pass(62 * MINUTE)
  t.equal(scene.started.length, 1)
  scene.started.length = 0
  await scene.restart()
  t.match(scene.store.current().results, { 'job:a': { result: 'interrupted' } })
  await scene.pass(HOUR)
  t.same(
    scene.names().map((name) => name.split(' +')[0]),
    ['b p2'],
  )
})
