// Progress as a property: any reports of a job, in any order.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import t from 'tap'
import type { Logger, Tables } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import { createJobs, type Job, type JobResult } from '../../../plugins/services/captures/run/jobs.ts'
import { type Operation, percentOf, type Progress } from '../../../plugins/services/captures/run/progress.ts'
import { migrations } from '../../../plugins/services/captures/store/tables.ts'

const STAGES = ['reading', 'normalizing', 'writing', 'feature_done', 'planning', 'capturing', 'clearing', 'restoring']
const MORE = ['verifying', 'loading', 'removing', 'bundling', 'finalizing', 'no stage of ours']

async function open() {
  const sqlite = new DatabaseSync(':memory:')
  const db: Tables = new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => sqlite.close(),
        prepare: (sql) => {
          const statement = sqlite.prepare(sql)
          type Values = Parameters<typeof statement.all>
          return {
            reader: statement.columns().length > 0,
            all: (values) => statement.all(...(values as Values)) as never,
            run: (values) => statement.run(...(values as Values)) as never,
            iterate: (values) => statement.iterate(...(values as Values)) as never,
          }
        },
      },
    }),
  })
  for (const { up } of migrations) await up(db)
  const log = { error() {}, warn() {} } as unknown as Logger
  const jobs = createJobs({ db, log, now: () => 1_000, signal: new AbortController().signal })
  return { jobs, [Symbol.asyncDispose]: () => db.destroy() }
}

const report = fc.record({
  stage: fc.constantFrom(...STAGES, ...MORE),
  feature_index: fc.integer({ min: 0, max: 5 }),
  share: fc.double({ min: -1, max: 2, noNaN: true }),
})
const END = ['ok', 'not ok', 'throws', 'cancelled'] as const

t.test('property 44: progress only grows, its end is final, and exactly one of three', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Operation>('capture', 'restore', 'cleanup'),
      fc.array(fc.oneof(report, fc.constant(null)), { maxLength: 30 }),
      fc.constantFrom(...END),
      async (operation, reports, end) => {
        await using world = await open()
        const { jobs } = world
        const seen: Progress[] = []
        const job = Promise.withResolvers<Job>()
        let late: Promise<void> | undefined
        const go = Promise.withResolvers<void>()
        const order = { operation, provider: 'ANN', instance: 'default', feature: 'all', features: 4 }
        const { id, done } = await jobs.start(order, async (own): Promise<JobResult> => {
          job.resolve(own)
          await go.promise
          for (const one of reports) {
            if (one === null) own.waits({ code: 'busy', message: 'Something is going on.', sinceMs: 1_000 })
            else own.update(one)
            seen.push((await jobs.progress(id))!)
          }
          if (end === 'cancelled') await jobs.cancel(id)
          // Reports that are still in flight while the end is stored.
          late = (async () => {
            for (let n = 0; n < 60; n += 1) {
              await null
              if ((await jobs.progress(id))?.done === true) own.update({ stage: 'reading', items_done: 7 })
            }
          })()
          if (end === 'throws') throw new Error('for a test')
          return { ok: end === 'ok' }
        })
        seen.unshift((await jobs.progress(id))!)
        go.resolve()
        await done.catch(() => {})
        await late
        const last = (await jobs.progress(id))!
        for (const [index, { percent, done: isDone, state, on_hold: hold }] of seen.entries()) {
          assert.ok(percent >= (seen[index - 1]?.percent ?? 1) && percent < 100 && Number.isInteger(percent))
          assert.equal(isDone, false)
          assert.equal(hold != null, index > 0 && reports[index - 1] === null)
          assert.equal(state === 'queued', index > 0 ? reports[index - 1] === null : state === 'queued')
        }
        const wanted = { ok: 'succeeded', 'not ok': 'failed', throws: 'failed', cancelled: 'cancelled' }[end]
        assert.deepEqual(
          [last.state, last.done, last.ok, last.percent, last.on_hold],
          [wanted, true, end === 'ok', 100, null],
        )
        // Late reports change nothing.
        const own = await job.promise
        own.update({ stage: 'reading', items_done: 7 })
        own.waits({ code: 'busy', message: 'late', sinceMs: 0 })
        assert.deepEqual(await jobs.progress(id), last)
        assert.equal(await jobs.cancel(id), false)
        assert.deepEqual(jobs.running(), [])
      },
    ),
    { numRuns: runsOf(100) },
  ),
)

t.test('percent by operation, stage and feature', async (t) => {
  const at = (operation: Operation, stage: string, index = 1, total = 1, share = 0) =>
    percentOf(operation, stage, { index, total, share })
  t.same(
    ['queued', 'starting', 'bundling', 'finalizing', 'done', 'error'].map((stage) => at('capture', stage)),
    [1, 3, 96, 98, 100, 100],
  )
  t.same(
    ['reading', 'normalizing', 'writing', 'feature_done'].map((stage) => at('capture', stage)),
    [15, 61, 81, 92],
  )
  t.same(
    ['planning', 'clearing', 'restoring'].map((stage) => [at('restore', stage), at('restore', stage, 1, 1, 1)]),
    [
      [29, 29],
      [31, 57],
      [59, 86],
    ],
  )
  t.same(
    ['loading', 'removing', 'verifying'].map((stage) => at('cleanup', stage)),
    [15, 35, 79],
  )
  t.same([at('capture', 'reading', 3, 4), at('capture', 'feature_done', 4, 4)], [52, 95])
})
