// The maintenance action of the statistics.
import { type MaintenanceAction, PlayheadError, type Tables } from '@playhead/sdk'
import type { Statistics } from './statistics.ts'
import { COUNTERS, EVENTS, RUNS, SAMPLES, TOTALS } from './tables.ts'

const PARTS = [
  [COUNTERS, 'counters'],
  [TOTALS, 'totals of runs'],
  [EVENTS, 'latest changes'],
  [SAMPLES, 'samples over time'],
  // Last, so that a run that is listed here is not counted again.
  [RUNS, 'counted runs'],
] as const

/** Earlier runs are not counted again, because the plugin stores which runs it has counted. */
export function resetStatistics(db: Tables, statistics: Pick<Statistics, 'sampleNow'>): MaintenanceAction {
  return {
    describe: () => ({
      title: 'Reset the statistics',
      note: 'Deletes counters, samples and the latest changes. With "recalculate", counting starts from the current state of the accounts.',
      group: 'statistics',
      losesData: true,
      backupFirst: false,
      alone: false,
      options: ['recalculate'],
    }),
    async preview(options) {
      recalculates(options['recalculate'])
      const touches = []
      for (const [table, label] of PARTS) {
        const row = await db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirst()
        const items = Number(row?.['count'] ?? 0)
        if (items > 0) touches.push({ path: 'database.sqlite', table, label, op: 'delete' as const, items })
      }
      return { touches }
    },
    async run(options, signal) {
      const isRecalculated = recalculates(options['recalculate'])
      const touches = await db.transaction().execute(async (trx) => {
        const done = []
        for (const [table, label] of PARTS) {
          const items = Number((await trx.deleteFrom(table).executeTakeFirst()).numDeletedRows)
          if (items > 0) done.push({ path: 'database.sqlite', table, label, op: 'delete' as const, items })
        }
        return done
      })
      if (isRecalculated) await statistics.sampleNow(signal)
      return { touches, details: { recalculated: isRecalculated } }
    },
  }
}

function recalculates(value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new PlayheadError('PLH_INVALID', 'recalculate is true or false.', { wire: 'invalid_recalculate' })
}
