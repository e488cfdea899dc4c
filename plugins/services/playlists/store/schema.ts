// Tables of the plugin's own database. The managed items of mappings cannot be restored from elsewhere, so this is not a
// cache.
import type { Migration } from '@playhead/sdk'

export const migrations: readonly Migration[] = [
  {
    name: 'mappings',
    async up(db) {
      await db.schema
        .createTable('scope')
        .addColumn('scope', 'text', (column) => column.primaryKey())
        .addColumn('mapping_id', 'text', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('scope_mapping').on('scope').column('mapping_id').execute()
      // Long arrays in pages, by owner (`state:<scope>`, `run:<mapping>`).
      await db.schema
        .createTable('page')
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('part', 'text', (column) => column.notNull())
        .addColumn('n', 'integer', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('page_key', ['owner', 'part', 'n'])
        .execute()
      await db.schema
        .createTable('running')
        .addColumn('mapping_id', 'text', (column) => column.primaryKey())
        .addColumn('process', 'text', (column) => column.notNull())
        .addColumn('generation', 'integer', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('result')
        .addColumn('mapping_id', 'text', (column) => column.primaryKey())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('creating')
        .addColumn('endpoint_id', 'text', (column) => column.primaryKey())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('activity')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
    },
  },
]
