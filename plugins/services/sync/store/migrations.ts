// Tables of the sync. Each row belongs either to a pair or to an account.
import { type Migration, PlayheadError, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'

const LAST = 'Playhead 0.1.0'
const HOST = ['engine-1', 'runs', 'run-brief', 'inventory-digest']

/** Migrations of the plugin's own database. */
export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    replaces: [
      ...HOST,
      'rest',
      'recorded-plays',
      'waiting-plans',
      'expected-plays',
      'lists',
      'manual-policy',
      'notes-of-plugins',
      'ignored',
      'interrupted-plans',
      'epoch',
      'mirrors-in-states',
    ],
    replacedAfter: LAST,
    async up(db) {
      // State of a pair and feature. Without a row the next run is a first run.
      await db.schema
        .createTable('sync__state')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('last_run_id', 'text')
        .addPrimaryKeyConstraint('sync__state_key', ['pair_id', 'feature'])
        .execute()
      // Without use: databases of earlier versions have it.
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

      // Inventories. A row is visible from generation `born` until generation `gone`.
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
        // Shows whether the rows of a read equal the stored ones.
        .addColumn('digest', 'text')
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
      // Indexes for the clean-up.
      for (const column of ['born', 'key']) {
        await db.schema
          .createIndex(`sync__inventory_row_${column}`)
          .on('sync__inventory_row')
          .columns(['inventory_id', column])
          .execute()
      }
      // Only gone rows are indexed, because there are few.
      await db.schema
        .createIndex('sync__inventory_row_left')
        .on('sync__inventory_row')
        .columns(['inventory_id', 'gone'])
        .where('gone', 'is not', null)
        .execute()

      // Plans and their operations. Sent operations keep their outcome and form the journal.
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
        // Position among the plans that wait for an account; null: applied without waiting.
        .addColumn('queued', 'integer')
        // Base changes of a plan, stored in case its application is interrupted.
        .addColumn('after', 'text')
        .execute()
      await db.schema.createIndex('sync__plan_run').on('sync__plan').columns(['run_id']).execute()
      await db.schema
        .createIndex('sync__plan_queued')
        .on('sync__plan')
        .columns(['queued'])
        .where('queued', 'is not', null)
        .execute()
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
        .addColumn('note', 'text')
        .addColumn('after', 'text')
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

      // Unresolved operations with their retry counters.
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

      // A large commit is staged, made valid in one step, and then applied.
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

      await db.schema
        .createTable('sync__run')
        .addColumn('run_id', 'text', (column) => column.primaryKey())
        .addColumn('started_at_ms', 'bigint', (column) => column.notNull())
        .addColumn('finished_at_ms', 'bigint')
        .addColumn('summary', 'text', (column) => column.notNull())
        .addColumn('brief', 'text')
        .execute()
      await db.schema.createIndex('sync__run_started').on('sync__run').column('started_at_ms').execute()

      // Unchanged proofs.
      await db.schema
        .createTable('sync__rest')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('rest', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__rest_key', ['pair_id', 'feature'])
        .execute()

      await db.schema
        .createTable('sync__recorded')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('watched_at', 'integer')
        .addColumn('started_at', 'integer', (column) => column.notNull())
        .addColumn('ended_at', 'integer', (column) => column.notNull())
        .addColumn('noted_at', 'integer', (column) => column.notNull())
        .addColumn('by_run', 'integer', (column) => column.notNull())
        // Grows with each change of any row.
        .addColumn('revision', 'integer', (column) => column.notNull())
        // Set for a play that is expected at an account; null for a recorded play.
        .addColumn('expected_until', 'integer')
        .execute()
      await db.schema
        .createIndex('sync__recorded_of')
        .on('sync__recorded')
        .columns(['uid', 'ended_at', 'started_at', 'revision'])
        .execute()
      await db.schema.createIndex('sync__recorded_revision').on('sync__recorded').columns(['revision']).execute()
      await db.schema.createIndex('sync__recorded_end').on('sync__recorded').columns(['ended_at']).execute()
      await db.schema
        .createIndex('sync__recorded_expected')
        .on('sync__recorded')
        .columns(['expected_until'])
        .where('expected_until', 'is not', null)
        .execute()

      // Complete reads of lists, and their entries in order.
      await db.schema
        .createTable('sync__list_read')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('list_id', 'text', (column) => column.notNull())
        .addColumn('list', 'text', (column) => column.notNull())
        .addColumn('unreadable', 'text', (column) => column.notNull())
        .addColumn('read_at', 'integer', (column) => column.notNull())
        .addColumn('row_count', 'integer', (column) => column.notNull())
        .addColumn('revision', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('sync__list_read_of')
        .on('sync__list_read')
        .columns(['uid', 'kind', 'list_id', 'read_at'])
        .execute()
      await db.schema
        .createTable('sync__list_entry')
        .addColumn('read_id', 'text', (column) => column.notNull())
        .addColumn('n', 'integer', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__list_entry_key', ['read_id', 'n'])
        .execute()
      // The order of a list before a plan and the planned order, as keys.
      await db.schema
        .createTable('sync__list_order')
        .addColumn('plan_id', 'text', (column) => column.primaryKey())
        .addColumn('before', 'text', (column) => column.notNull())
        .addColumn('wanted', 'text')
        .execute()

      // An empty scope keeps its row, so that no revision is used twice.
      await db.schema
        .createTable('sync__policy')
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('revision', 'integer', (column) => column.notNull())
        .addColumn('adds', 'integer', (column) => column.notNull())
        .addColumn('blocks', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__policy_key', ['provider', 'instance', 'feature'])
        .execute()
      await db.schema.createIndex('sync__policy_revision').on('sync__policy').columns(['revision']).execute()
      await db.schema
        .createTable('sync__policy_add')
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('item', 'text', (column) => column.notNull())
        .addColumn('set_at', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__policy_add_key', ['provider', 'instance', 'feature', 'key'])
        .execute()
      // Copies of the policy from before an import.
      await db.schema
        .createTable('sync__policy_copy')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('at', 'integer', (column) => column.notNull())
        .addColumn('adds', 'integer', (column) => column.notNull())
        .addColumn('blocks', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sync__policy_copy_part')
        .addColumn('copy_id', 'integer', (column) => column.notNull())
        .addColumn('n', 'integer', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__policy_copy_part_key', ['copy_id', 'n'])
        .execute()

      // Ignored titles that a service lacks; an empty key ignores all titles of the pair.
      await db.schema
        .createTable('sync__ignored')
        .addColumn('pair_id', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('provider', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('at', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('sync__ignored_key', ['pair_id', 'feature', 'provider', 'instance', 'key'])
        .execute()
      await db.schema
        .createIndex('sync__unresolved_reason')
        .on('sync__unresolved')
        .columns(['pair_id', 'feature', 'reason'])
        .execute()

      // One row: the epoch of the data that the states belong to.
      await db.schema
        .createTable('sync__epoch')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('epoch', 'text', (column) => column.notNull())
        .execute()
    },
  },
  {
    name: 'tombstones-of-accounts',
    async up(db) {
      // When the account last lacked the row; null if no read is known to lack it.
      await db.schema.alterTable('sync__inventory_row').addColumn('lacked_at', 'integer').execute()
      // The same of the row that caused an add, which the added row inherits.
      await db.schema.alterTable('sync__plan_item').addColumn('lacked_at', 'integer').execute()
      await db.schema.alterTable('sync__tombstone').renameTo('sync__tombstone_of_profile').execute()
      await db.schema
        .createTable('sync__tombstone')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        // The provider and the account at the service; only the profile if the account was never read.
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('uid', 'text', (column) => column.notNull())
        .addColumn('feature', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        // The mark of a play; empty for an item.
        .addColumn('play', 'text', (column) => column.notNull())
        .addColumn('removed_at', 'integer', (column) => column.notNull())
        .addColumn('proof_at', 'integer', (column) => column.notNull())
        .addColumn('evidence_at', 'integer')
        .addColumn('pair_id', 'text')
        .addColumn('run_id', 'text')
        .addUniqueConstraint('sync__tombstone_of', ['account', 'feature', 'token', 'play'])
        .execute()
      await sql`
        insert or replace into sync__tombstone
          (account, uid, feature, token, play, removed_at, proof_at, evidence_at, pair_id, run_id)
        select ${ACCOUNT_OF_PROFILE}, uid, feature,
          substr(token, 1, instr(token || '@', '@') - 1), substr(token, instr(token || '@', '@')),
          removed_at, proof_at, evidence_at, pair_id, run_id
        from sync__tombstone_of_profile as old order by removed_at`.execute(db)
      await db.schema.dropTable('sync__tombstone_of_profile').execute()
      await renameStaged(db)
    },
  },
  {
    name: 'shown',
    async up(db) {
      // What the accounts showed when an operation was planned; before, the state of the base after it.
      await db.schema.alterTable('sync__plan_item').renameColumn('after', 'shown').execute()
      // The last sighting of the row at the account that a person removed it from; null if the removal has an exact time.
      await db.schema.alterTable('sync__tombstone').addColumn('lost_after', 'integer').execute()
      await sql`
        update sync__plan_item set shown = case when json_valid(shown) then json_patch('{}', json_object(
          'a', json(shown -> '$.state.a'), 'b', json(shown -> '$.state.b'), 'j', json(shown -> '$.state.j'),
          'item', json(shown -> '$.item'))) end
        where shown is not null`.execute(db)
    },
  },
  {
    name: 'origins',
    async up(db) {
      // Whose act an operation carries, and an unresolved row waits with, as JSON of `Origin`.
      await db.schema.alterTable('sync__plan_item').addColumn('origin', 'text').execute()
      await db.schema.alterTable('sync__unresolved').addColumn('origin', 'text').execute()
    },
  },
]

const ACCOUNT_OF_PROFILE = sql`coalesce((
  select provider || ' ' || account from sync__inventory
  where sync__inventory.uid = old.uid and account != '' and read_at is not null order by read_at desc limit 1), old.uid)`

/** Tombstones in commits and plans that the end of the process interrupted. */
async function renameStaged(db: Tables): Promise<void> {
  const known = new Map<string, string>()
  for (const row of await db
    .selectFrom('sync__inventory')
    .select(['uid', 'provider', 'account'])
    .orderBy('read_at')
    .execute())
    if (row['account'] !== '') known.set(String(row['uid']), `${String(row['provider'])} ${String(row['account'])}`)
  const renamed = (old: Readonly<Record<string, unknown>>) => {
    const token = String(old['token'])
    const at = `${token}@`.indexOf('@')
    const uid = String(old['uid'])
    return { ...old, account: known.get(uid) ?? uid, token: token.slice(0, at), play: token.slice(at) }
  }
  for (const row of await db.selectFrom('sync__stage').selectAll().execute()) {
    const changes = parsed<readonly Record<string, unknown>[]>(row['changes'])?.map((change) =>
      change['t'] === 'tomb'
        ? { ...change, row: renamed(change['row'] as Record<string, unknown>) }
        : change['t'] === 'tomb-'
          ? renamed(change)
          : change,
    )
    if (changes !== undefined)
      await db
        .updateTable('sync__stage')
        .set({ changes: JSON.stringify(changes) })
        .where('id', '=', row['id'])
        .execute()
  }
}

/** Undefined for a damaged text, which its reader refuses. */
function parsed<Value>(text: unknown): Value | undefined {
  try {
    return JSON.parse(String(text)) as Value
  } catch {
    return undefined
  }
}

/** Earlier versions had their tables in the host's database, and emptied them when the own database took their place. */
export const hostMigrations: readonly Migration[] = [
  { name: 'tables', replaces: HOST, replacedAfter: LAST, up: async () => {} },
  {
    name: 'own-database',
    async up(db) {
      const tables = (await db.introspection.getTables()).filter(({ name }) => name.startsWith('sync__'))
      for (const { name } of tables) {
        if (name !== 'sync__pair' && (await db.selectFrom(name).selectAll().limit(1).execute()).length > 0)
          throw new PlayheadError(
            'PLH_CONFLICT',
            `${name} has rows that are not moved yet: open them once with ${LAST}.`,
          )
        await db.schema.dropTable(name).execute()
      }
    },
  },
]
