// Tables of the statistics: samples after each run, run results, and the latest writes.
import type { Migration } from '@playhead/sdk'

export const SAMPLES = 'insights__sample'
export const RUNS = 'insights__run'
export const TOTALS = 'insights__total'
export const COUNTERS = 'insights__counter'
export const EVENTS = 'insights__event'

export const migrations: readonly Migration[] = [
  {
    name: '001-statistics',
    async up(db) {
      await db.schema
        .createTable(SAMPLES)
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('ts', 'bigint', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('insights__sample_key', ['feature', 'ts'])
        .execute()
      await db.schema
        .createTable(RUNS)
        .addColumn('run_id', 'text', (column) => column.primaryKey())
        .addColumn('ts', 'bigint', (column) => column.notNull())
        .addColumn('posts', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable(TOTALS)
        .addColumn('run_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('ts', 'bigint', (column) => column.notNull())
        .addColumn('added', 'integer', (column) => column.notNull())
        .addColumn('removed', 'integer', (column) => column.notNull())
        .addColumn('updated', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('insights__total_key', ['run_id', 'feature'])
        .execute()
      await db.schema.createIndex('insights__total_ts').on(TOTALS).column('ts').execute()
      await db.schema
        .createTable(COUNTERS)
        .addColumn('feature', 'text', (column) => column.primaryKey())
        .addColumn('added', 'integer', (column) => column.notNull())
        .addColumn('removed', 'integer', (column) => column.notNull())
        .addColumn('updated', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable(EVENTS)
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('ts', 'bigint', (column) => column.notNull())
        .addColumn('event', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('insights__event_ts').on(EVENTS).columns(['ts', 'id']).execute()
    },
  },
]
