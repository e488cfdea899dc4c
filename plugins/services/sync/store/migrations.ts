// The tables of the sync engine. Each row belongs to a pair or to an account, never to both kinds of owner at once.
import type { Migration } from '@playhead/sdk'

export const migrations: readonly Migration[] = [
  {
    name: 'engine-1',
    async up(db) {
      // What is known of a pair and feature as a whole. Absent: nothing was ever committed, so the next run is a first
      // run.
      await db.schema
        .createTable('sync__state')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('last_run_id', 'text')
        .addPrimaryKeyConstraint('sync__state_key', ['pair_id', 'feature'])
        .execute()
      await db.schema
        .createTable('sync__pair')
        .addColumn('pair_id', 'text', (column) => column.primaryKey())
        .addColumn('mirror_approved_at', 'integer')
        .execute()
      await db.schema
        .createTable('sync__base')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('sync__base_owner').on('sync__base').columns(['pair_id', 'feature', 'id']).execute()
      await db.schema.createIndex('sync__base_key').on('sync__base').columns(['pair_id', 'feature', 'key']).execute()

      // What an account held, for people to look at and for reads that only tell changes. A row is there from one
      // generation to another.
      await db.schema
        .createTable('sync__inventory')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('variant', 'text', (column) => column.notNull())
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('fingerprint', 'text', (column) => column.notNull())
        .addColumn('checkpoint', 'text')
        .addColumn('generation', 'integer', (column) => column.notNull())
        .addColumn('row_count', 'integer', (column) => column.notNull())
        .addColumn('read_at', 'integer')
        .addUniqueConstraint('sync__inventory_of', ['uid', 'feature', 'variant'])
        .execute()
      await db.schema
        .createTable('sync__inventory_row')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('inventory_id', 'integer', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('born', 'integer', (column) => column.notNull())
        .addColumn('gone', 'integer')
        .execute()
      await db.schema
        .createIndex('sync__inventory_row_of')
        .on('sync__inventory_row')
        .columns(['inventory_id', 'id'])
        .execute()
      // Without these every clean-up looks at all rows of an account.
      for (const column of ['born', 'gone', 'key']) {
        await db.schema
          .createIndex(`sync__inventory_row_${column}`)
          .on('sync__inventory_row')
          .columns(['inventory_id', column])
          .execute()
      }

      // A plan and its operations; those that were sent keep their outcome, and are the journal.
      await db.schema
        .createTable('sync__plan')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('run_id', 'text', (column) => column.notNull())
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('created_at', 'integer', (column) => column.notNull())
        .addColumn('dry_run', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('header', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('sync__plan_run').on('sync__plan').columns(['run_id']).execute()
      await db.schema
        .createTable('sync__plan_item')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('plan_id', 'text', (column) => column.notNull())
        .addColumn('n', 'integer', (column) => column.notNull())
        .addColumn('side', 'text', (column) => column.notNull())
        .addColumn('op', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('cause', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('current', 'text')
        .addColumn('before', 'text')
        .addColumn('sent_at', 'integer')
        .addColumn('done_at', 'integer')
        .addColumn('undone', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema.createIndex('sync__plan_item_of').on('sync__plan_item').columns(['plan_id', 'n']).execute()
      await db.schema.createIndex('sync__plan_item_state').on('sync__plan_item').columns(['state']).execute()

      await db.schema
        .createTable('sync__tombstone')
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('removed_at', 'integer', (column) => column.notNull())
        .addColumn('proof_at', 'integer', (column) => column.notNull())
        .addColumn('evidence_at', 'integer')
        .addColumn('pair_id', 'text')
        .addColumn('run_id', 'text')
        .addPrimaryKeyConstraint('sync__tombstone_key', ['uid', 'feature', 'token'])
        .execute()

      // Everything that is open: failed, quarantined, held, diverged, ambiguous. With the counters that decide when it
      // is tried again.
      await db.schema
        .createTable('sync__unresolved')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('op', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('identity', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('failures', 'integer', (column) => column.notNull())
        .addColumn('skip_until_run', 'integer', (column) => column.notNull())
        .addColumn('quarantined_at', 'integer')
        .addColumn('first_at', 'integer', (column) => column.notNull())
        .addColumn('last_at', 'integer', (column) => column.notNull())
        .addColumn('run_id', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__unresolved_key', ['pair_id', 'feature', 'uid', 'op', 'key'])
        .execute()

      // A commit is staged in parts, becomes valid in one step, and is then carried over; a crash leaves either all of
      // it or nothing.
      await db.schema
        .createTable('sync__commit')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('at', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sync__stage')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('commit_id', 'text', (column) => column.notNull())
        .addColumn('changes', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('sync__stage_of').on('sync__stage').columns(['commit_id', 'id']).execute()
    },
  },
]

/** After those of the runs: the order of what was done is never changed. */
export const laterMigrations: readonly Migration[] = [
  {
    name: 'inventory-digest',
    async up(db) {
      // Says whether the rows of a read are the ones that are there, without a look at any of them.
      await db.schema.alterTable('sync__inventory').addColumn('digest', 'text').execute()
      // Nearly all rows are not gone, and need no place in this index.
      await db.schema.dropIndex('sync__inventory_row_gone').execute()
      await db.schema
        .createIndex('sync__inventory_row_left')
        .on('sync__inventory_row')
        .columns(['inventory_id', 'gone'])
        .where('gone', 'is not', null)
        .execute()
    },
  },
]

/** Of the plugin's own database, after those above. */
export const ownMigrations: readonly Migration[] = [
  {
    name: 'rest',
    async up(db) {
      // How the last run of a pair and feature ended, where the same rows and rules can only lead there again.
      await db.schema
        .createTable('sync__rest')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('rest', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__rest_key', ['pair_id', 'feature'])
        .execute()
    },
  },
]
