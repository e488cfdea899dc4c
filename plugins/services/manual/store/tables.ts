// Tables: requests with an idempotency key and their answers, the plans of requests, and the plays in these plans.
import type { Migration } from '@playhead/sdk'

export const REQUESTS = 'manual__request'
export const PLANS = 'manual__plan'
export const PLAYS = 'manual__play'

export const migrations: readonly Migration[] = [
  {
    name: '001-requests',
    async up(db) {
      await db.schema
        .createTable(REQUESTS)
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        // Identifies the start of the service: another value means that the process ended before the response.
        .addColumn('process', 'text', (column) => column.notNull())
        .addColumn('answer', 'text')
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable(PLANS)
        .addColumn('plan_id', 'text', (column) => column.primaryKey())
        .addColumn('request', 'text', (column) => column.notNull())
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('action', 'text', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .addColumn('is_recorded', 'integer', (column) => column.notNull())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('manual__plan_of')
        .unique()
        .on(PLANS)
        .columns(['request', 'account', 'action'])
        .execute()
      await db.schema.createIndex('manual__plan_recorded').on(PLANS).columns(['is_recorded', 'at_ms']).execute()
      await db.schema
        .createTable(PLAYS)
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('watched_at_ms', 'bigint', (column) => column.notNull())
        .addColumn('plan_id', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('manual__play_token').on(PLAYS).columns(['account', 'token']).execute()
      await db.schema.createIndex('manual__play_age').on(PLAYS).column('at_ms').execute()
    },
  },
]
