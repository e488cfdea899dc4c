// Tables: the index of the files (a cache, rebuilt from them), files that are being deleted, and jobs.
import type { Migration } from '@playhead/sdk'

export const FILES = 'captures__file'
export const DELETING = 'captures__deleting'
export const JOBS = 'captures__job'

export const migrations: readonly Migration[] = [
  {
    name: 'index',
    async up(db) {
      await db.schema
        .createTable(FILES)
        .addColumn('path', 'text', (column) => column.primaryKey())
        .addColumn('size', 'integer', (column) => column.notNull())
        .addColumn('mtime', 'integer', (column) => column.notNull())
        .addColumn('entry', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable(DELETING)
        .addColumn('path', 'text', (column) => column.primaryKey())
        .execute()
      await db.schema
        .createTable(JOBS)
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('at', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
    },
  },
]
