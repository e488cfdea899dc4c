// Tables of the scrobbler's own database: viewings and deliveries.
import type { Migration } from '@playhead/sdk'

export const migrations: readonly Migration[] = [
  {
    name: 'viewings-and-deliveries',
    async up(db) {
      await db.schema
        .createTable('viewing')
        .addColumn('destination', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('at', 'integer', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('viewing_key', ['destination', 'key'])
        .execute()
      await db.schema.createIndex('viewing_at').on('viewing').column('at').execute()
      await db.schema
        .createTable('delivery')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('sink', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('at', 'integer', (column) => column.notNull())
        .addColumn('doc', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('delivery_state').on('delivery').columns(['state', 'at']).execute()
      await db.schema
        .createTable('lease')
        .addColumn('process', 'text', (column) => column.notNull())
        .addColumn('generation', 'integer', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('delivery_sink').on('delivery').columns(['sink', 'state', 'at']).execute()
    },
  },
]
