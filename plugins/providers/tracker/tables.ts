// The tracker's tables. Rows are never updated: a change closes a version and inserts the next one. So the state at any retained
// change can be read, for snapshots, restores and incremental reads.
import type { Item, Migration, PluginContext } from '@playhead/sdk'

export type Db = PluginContext['db']

export const ROWS = 'tracker__rows'
export const TOKENS = 'tracker__tokens'
export const SPACES = 'tracker__spaces'
export const STATES = 'tracker__states'
export const SNAPSHOTS = 'tracker__snapshots'
export const LISTS = 'tracker__lists'

/** One version of a row. */
export interface StoredRow {
  readonly id: number
  readonly space: string
  readonly feature: string
  /** Stays the same over all versions of a row. */
  readonly row_key: string
  /** Shared by plays of one work or entries of one list; otherwise the key of the row. */
  readonly row_group: string
  readonly kind: string
  /** Watch time for history, position for entries of lists; otherwise 0. */
  readonly at_ms: number
  /** JSON of the item. */
  readonly item: string
  readonly added_change: number
  readonly removed_change: number | null
  readonly removed_at_ms: number | null
}

/** State of a feature of a workspace. */
export interface StoredState {
  readonly space: string
  readonly feature: string
  /** Increases with each effective write. */
  readonly change_no: number
  /** Versions closed up to this change have been pruned. */
  readonly floor_no: number
  /** The value of `restore_<feature>` that was last handled. */
  readonly restored: string
}

export interface StoredSnapshot {
  readonly space: string
  readonly feature: string
  readonly name: string
  readonly change_no: number
  readonly at_ms: number
  /** Set for an unfinished import, whose snapshot no limit deletes. */
  readonly kept_until_ms: number | null
}

/** A current row. */
export interface Row {
  readonly key: string
  readonly group: string
  readonly item: Item
  /** Position of a list entry, ascending in the order of the list. */
  readonly place?: number
}

export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    replaces: ['001-rows', '002-lists', '003-imported-snapshots'],
    replacedAfter: 'Playhead 0.1.0',
    async up(db) {
      await db.schema
        .createTable(SPACES)
        .addColumn('instance', 'text', (column) => column.primaryKey())
        .addColumn('space', 'text', (column) => column.notNull().unique())
        .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable(STATES)
        .addColumn('space', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('change_no', 'integer', (column) => column.notNull())
        .addColumn('floor_no', 'integer', (column) => column.notNull())
        .addColumn('restored', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('tracker__states_key', ['space', 'feature'])
        .execute()
      await db.schema
        .createTable(ROWS)
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('space', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('row_key', 'text', (column) => column.notNull())
        .addColumn('row_group', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('added_change', 'integer', (column) => column.notNull())
        .addColumn('removed_change', 'integer')
        .addColumn('removed_at_ms', 'bigint')
        .execute()
      await db.schema.createIndex('tracker__rows_in_order').on(ROWS).columns(['space', 'feature', 'id']).execute()
      await db.schema.createIndex('tracker__rows_by_key').on(ROWS).columns(['space', 'feature', 'row_key']).execute()
      await db.schema
        .createIndex('tracker__rows_by_group')
        .on(ROWS)
        .columns(['space', 'feature', 'row_group', 'at_ms', 'id'])
        .execute()
      await db.schema
        .createIndex('tracker__rows_by_begin')
        .on(ROWS)
        .columns(['space', 'feature', 'added_change'])
        .execute()
      await db.schema
        .createIndex('tracker__rows_by_end')
        .on(ROWS)
        .columns(['space', 'feature', 'removed_change'])
        .execute()
      await db.schema
        .createTable(TOKENS)
        .addColumn('space', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('row_key', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('tracker__tokens_key', ['space', 'feature', 'token', 'row_key'])
        .execute()
      await db.schema
        .createIndex('tracker__tokens_by_row')
        .on(TOKENS)
        .columns(['space', 'feature', 'row_key'])
        .execute()
      await db.schema
        .createTable(SNAPSHOTS)
        .addColumn('space', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('change_no', 'integer', (column) => column.notNull())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .addColumn('kept_until_ms', 'bigint')
        .addPrimaryKeyConstraint('tracker__snapshots_key', ['space', 'feature', 'name'])
        .execute()
      await db.schema
        .createTable(LISTS)
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('space', 'text', (column) => column.notNull())
        .addColumn('list_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('added_change', 'integer', (column) => column.notNull())
        .addColumn('removed_change', 'integer')
        .addColumn('removed_at_ms', 'bigint')
        .execute()
      await db.schema.createIndex('tracker__lists_by_id').on(LISTS).columns(['space', 'list_id']).execute()
    },
  },
]
