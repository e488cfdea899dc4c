// Several hosts on one database, and the death of one of them.
import t from 'tap'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { JobTiming } from '@playhead/sdk'
import { createScheduler, type OwnTime } from '../../../core/scheduling/scheduler.ts'
import { LEASE_MS } from '../../../core/scheduling/job-run.ts'
import {
  HOUR,
  MINUTE,
  SECOND,
  START_MS,
  createGate,
  createLog,
  createVirtualTime,
  openJobsDatabase,
  recorder,
  setUp,
} from './virtual-time.ts'

async function twoHosts(t: Parameters<typeof setUp>[0]) {
  const time = createVirtualTime()
  const file = `${t.testdir()}/jobs.sqlite`
  return { time, one: await setUp(t, { time, file }), two: await setUp(t, { time, file }) }
}

t.test('two hosts run every slot of every job once between them', async (t) => {
  const { time, one, two } = await twoHosts(t)
  const slots = new Map<string, string[]>()
  for (const [host, { scheduler }] of [
    ['one', one],
    ['two', two],
  ] as const) {
    scheduler.setJobs(
      Array.from({ length: 8 }, (_item, index) =>
        recorder({
          name: `job-${index}`,
          timing: index % 2 === 0 ? { every: `${5 + index}m` } : { cron: `*/${5 + index} * * * *`, timeZone: 'UTC' },
          run: async (_signal, { dueAtMs }) => {
            const key = `${index} ${dueAtMs}`
            slots.set(key, [...(slots.get(key) ?? []), host])
            await new Promise((resolve) => setImmediate(resolve))
          },
        }),
      ),
    )
    scheduler.start()
  }
  await time.advance(4 * HOUR)
  t.ok(slots.size > 150, `${slots.size} slots`)
  t.same(
    [...slots].filter(([, hosts]) => hosts.length !== 1),
    [],
  )
})

t.test('if two hosts set the time of a job, the last one counts for both', async (t) => {
  const { time, one, two } = await twoHosts(t)
  const ran: string[] = []
  const jobs = [one, two].map(({ scheduler }, host) => {
    const timing: OwnTime = { latest: undefined }
    scheduler.setJobs([recorder({ timing, run: async () => void ran.push(`${host} ${time.clock.now() - START_MS}`) })])
    scheduler.start()
    return (next: JobTiming) => {
      timing.latest = { timing: next }
      scheduler.retime('demo', 'job')
    }
  })
  jobs[0]?.({ every: '1h' })
  await time.advance(MINUTE)
  jobs[1]?.({ every: '3h' })
  await time.advance(7 * HOUR)
  t.same(
    ran.map((line) => Number(line.split(' ')[1]) / HOUR),
    [3 + 1 / 60, 6 + 1 / 60],
  )
})

t.test('a job that runs on one host does not start on another, however long it takes', async (t) => {
  const { time, one, two } = await twoHosts(t)
  const gate = createGate()
  const there = recorder({ timing: { every: '10m' }, options: { timeoutMs: 10 * HOUR }, run: gate.work })
  const here = recorder({ timing: { every: '10m' } })
  one.scheduler.setJobs([there])
  one.scheduler.start()
  await time.advance(MINUTE)
  two.scheduler.setJobs([here])
  two.scheduler.start()
  await time.advance(2 * HOUR)
  t.equal(there.ran.length, 1)
  t.same(here.ran, [])
  t.equal(await two.scheduler.trigger('demo', 'job'), false, 'nor by hand')

  gate.open()
  one.scheduler.stop()
  await time.advance(20 * MINUTE)
  t.ok(here.ran.length > 0, 'it goes on when the other is done')
})

t.test('the jobs of a dead host are taken over when its lease has expired', async (t) => {
  const { time, one, two } = await twoHosts(t)
  one.scheduler.setJobs([recorder({ timing: { every: '1m' }, run: () => new Promise(() => {}) })])
  one.scheduler.start()
  await time.advance(MINUTE + SECOND)
  t.equal(one.scheduler.jobs('demo')[0]?.running, true)
  one.process.kill()

  const heir = recorder({ timing: { every: '1m' } })
  two.scheduler.setJobs([heir])
  two.scheduler.start()
  await time.advance(LEASE_MS - 5 * SECOND)
  t.same(heir.ran, [], 'the lease still holds')
  await time.advance(MINUTE)
  t.same(heir.ran, [START_MS + 2 * MINUTE])
})

t.test('a host whose lease was taken stops its work', async (t) => {
  const { time, one } = await twoHosts(t)
  one.scheduler.setJobs([recorder({ timing: { every: '10m' }, run: createGate().work })])
  one.scheduler.start()
  await time.advance(10 * MINUTE)
  await one.db.updateTable('core__job_leases').set({ holder: 'somebody else' }).execute()
  await time.advance(LEASE_MS)
  t.match(one.scheduler.jobs('demo'), [{ running: false, lastOutcome: 'aborted' }])
  const leases = await one.db.selectFrom('core__job_leases').select('holder').execute()
  t.same(leases, [{ holder: 'somebody else' }], 'the lease of the other is left alone')
})

t.test('work is stopped when its lease cannot be renewed before it expires', async (t) => {
  const { time, one } = await twoHosts(t)
  one.scheduler.setJobs([recorder({ timing: { every: '10m' }, run: createGate().work })])
  one.scheduler.start()
  await time.advance(10 * MINUTE)
  await one.db.schema.alterTable('core__job_leases').renameTo('core__gone').execute()
  await time.advance(LEASE_MS / 2)
  t.equal(one.scheduler.jobs('demo')[0]?.running, true, 'one failure is not the end')
  await time.advance(LEASE_MS)
  t.match(one.scheduler.jobs('demo'), [{ running: false, lastOutcome: 'aborted' }])
})

t.test('a process that is killed during a run leaves nothing that a lease does not repair', async (t) => {
  const file = `${t.testdir()}/jobs.sqlite`
  const db = await openJobsDatabase(t, file)
  const child = fork(fileURLToPath(new URL('fixtures/dying-host.ts', import.meta.url)), [file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [dueAtMs] = (await once(child, 'message')) as [number]
  child.kill('SIGKILL')
  await once(child, 'exit')

  let laterMs = 0
  const heir = recorder({ timing: { every: '1s' }, options: { missed: 'once' } })
  const clock = { now: () => Date.now() + laterMs }
  const { timers } = createVirtualTime().process()
  const scheduler = createScheduler({ db, clock, log: createLog([]), hostId: 'heir', timers })
  scheduler.setJobs([heir])
  scheduler.start()
  t.teardown(() => scheduler.stop())
  t.equal(await scheduler.trigger('demo', 'job'), false, 'the lease of the dead still holds')
  laterMs = LEASE_MS + SECOND
  t.equal(await scheduler.trigger('demo', 'job'), true)
  t.ok((heir.ran[0] ?? 0) > dueAtMs)
})
