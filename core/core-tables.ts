// The tables of the core in the database that it shares with the plugins.
import type { Migration } from '@playhead/sdk'
import { createSessionTable } from './auth/session-table.ts'
import { createTokenTable } from './auth/token-table.ts'
import { createHistoryTable } from './config/history.ts'
import { createJobTables } from './scheduling/job-store.ts'

export const CORE_MIGRATIONS: readonly Migration[] = [
  {
    name: 'tables',
    replaces: ['sessions', 'scheduling-1-jobs-and-leases', 'config-history', 'api_tokens'],
    replacedAfter: 'Playhead 0.1.0',
    async up(db) {
      for (const create of [createSessionTable, createJobTables, createHistoryTable, createTokenTable]) await create(db)
    },
  },
]
