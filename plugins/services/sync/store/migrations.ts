// Tables of the sync. Each row belongs either to a pair or to an account.
import { type Migration, PlayheadError, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { createLeftBehind, leaveBehind } from './left-behind.ts'

const LAST = 'Playhead 0.1.0'
const HOST = ['engine-1', 'runs', 'run-brief', 'inventory-digest']

const TABLES = [
  // State of a pair and feature. Without a row the next run is a first run.
  `create table sync__state (
    pair_id text not null, feature text not null, state text not null, last_run_id text,
    constraint sync__state_key primary key (pair_id, feature))`,
  // No longer used; databases of earlier versions have it.
  'create table sync__pair (pair_id text primary key, mirror_approved_at integer)',
  `create table sync__base (
    id integer primary key, pair_id text not null, feature text not null, key text not null, item text not null,
    state text not null)`,
  'create index sync__base_owner on sync__base (pair_id, feature, id)',
  'create index sync__base_key on sync__base (pair_id, feature, key)',

  // Inventories. A row is visible from generation `born` until generation `gone`. The digest shows whether the rows of a read
  // equal the stored ones.
  `create table sync__inventory (
    id integer primary key, uid text not null, provider text not null, instance text not null, feature text not null,
    variant text not null, account text not null, fingerprint text not null, checkpoint text,
    generation integer not null, row_count integer not null, read_at integer, digest text,
    constraint sync__inventory_of unique (uid, feature, variant))`,
  `create table sync__inventory_row (
    id integer primary key, inventory_id integer not null, key text not null, item text not null,
    born integer not null, gone integer)`,
  'create index sync__inventory_row_of on sync__inventory_row (inventory_id, id)',
  // Indexes for the clean-up.
  'create index sync__inventory_row_born on sync__inventory_row (inventory_id, born)',
  'create index sync__inventory_row_key on sync__inventory_row (inventory_id, key)',
  // Only gone rows are indexed, because there are few.
  'create index sync__inventory_row_left on sync__inventory_row (inventory_id, gone) where gone is not null',

  // Plans and their operations. Sent operations keep their outcome and form the journal. `queued`: position among the plans
  // that wait for an account; null: applied without waiting. `after`: base changes, stored in case the application is
  // interrupted.
  `create table sync__plan (
    id text primary key, run_id text not null, pair_id text not null, feature text not null,
    created_at integer not null, dry_run integer not null, state text not null, header text not null,
    queued integer, after text)`,
  'create index sync__plan_run on sync__plan (run_id)',
  'create index sync__plan_queued on sync__plan (queued) where queued is not null',
  `create table sync__plan_item (
    id integer primary key, plan_id text not null, n integer not null, side text not null, op text not null,
    key text not null, value text not null, cause text not null, state text not null, reason text,
    item text not null, current text, before text, sent_at integer, done_at integer,
    undone integer default 0 not null, note text, after text)`,
  'create index sync__plan_item_of on sync__plan_item (plan_id, n)',
  'create index sync__plan_item_state on sync__plan_item (state)',

  `create table sync__tombstone (
    uid text not null, feature text not null, token text not null, removed_at integer not null,
    proof_at integer not null, evidence_at integer, pair_id text, run_id text,
    constraint sync__tombstone_key primary key (uid, feature, token))`,

  // Unresolved operations with their retry counters.
  `create table sync__unresolved (
    pair_id text not null, feature text not null, uid text not null, op text not null, key text not null,
    provider text not null, instance text not null, reason text not null, item text not null, identity text not null,
    attempts integer not null, failures integer not null, skip_until_run integer not null, quarantined_at integer,
    first_at integer not null, last_at integer not null, run_id text not null,
    constraint sync__unresolved_key primary key (pair_id, feature, uid, op, key))`,
  'create index sync__unresolved_reason on sync__unresolved (pair_id, feature, reason)',

  // A large commit is staged, made valid in one step, and then applied.
  'create table sync__commit (id text primary key, state text not null, at integer not null)',
  'create table sync__stage (id integer primary key, commit_id text not null, changes text not null)',
  'create index sync__stage_of on sync__stage (commit_id, id)',

  `create table sync__run (
    run_id text primary key, started_at_ms bigint not null, finished_at_ms bigint, summary text not null, brief text)`,
  'create index sync__run_started on sync__run (started_at_ms)',

  // Unchanged proofs.
  `create table sync__rest (
    pair_id text not null, feature text not null, rest text not null,
    constraint sync__rest_key primary key (pair_id, feature))`,

  // `revision` grows with each change of any row. `expected_until` is set for a play that is expected at an account.
  `create table sync__recorded (
    id integer primary key, uid text not null, account text not null, item text not null, watched_at integer,
    started_at integer not null, ended_at integer not null, noted_at integer not null, by_run integer not null,
    revision integer not null, expected_until integer)`,
  'create index sync__recorded_of on sync__recorded (uid, ended_at, started_at, revision)',
  'create index sync__recorded_revision on sync__recorded (revision)',
  'create index sync__recorded_end on sync__recorded (ended_at)',
  'create index sync__recorded_expected on sync__recorded (expected_until) where expected_until is not null',

  // Complete reads of lists, and their entries in order.
  `create table sync__list_read (
    id text primary key, uid text not null, provider text not null, instance text not null, kind text not null,
    list_id text not null, list text not null, unreadable text not null, read_at integer not null,
    row_count integer not null, revision text not null)`,
  'create index sync__list_read_of on sync__list_read (uid, kind, list_id, read_at)',
  `create table sync__list_entry (
    read_id text not null, n integer not null, key text not null, item text not null,
    constraint sync__list_entry_key primary key (read_id, n))`,
  // The order of a list before a plan and the planned order, as keys.
  'create table sync__list_order (plan_id text primary key, before text not null, wanted text)',

  // An empty scope keeps its row, so that no revision is used twice.
  `create table sync__policy (
    provider text not null, instance text not null, feature text not null, revision integer not null,
    adds integer not null, blocks text not null,
    constraint sync__policy_key primary key (provider, instance, feature))`,
  'create index sync__policy_revision on sync__policy (revision)',
  `create table sync__policy_add (
    provider text not null, instance text not null, feature text not null, key text not null, item text not null,
    set_at integer not null,
    constraint sync__policy_add_key primary key (provider, instance, feature, key))`,
  // Copies of the policy from before an import.
  `create table sync__policy_copy (
    id integer primary key autoincrement, at integer not null, adds integer not null, blocks integer not null)`,
  `create table sync__policy_copy_part (
    copy_id integer not null, n integer not null, text text not null,
    constraint sync__policy_copy_part_key primary key (copy_id, n))`,

  // Ignored titles that a service lacks; an empty key ignores all titles of the pair.
  `create table sync__ignored (
    pair_id text not null, feature text not null, provider text not null, instance text not null, key text not null,
    at integer not null,
    constraint sync__ignored_key primary key (pair_id, feature, provider, instance, key))`,

  // One row: the epoch of the data that the states belong to.
  'create table sync__epoch (id integer primary key, epoch text not null)',
]

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
      for (const statement of TABLES) await sql.raw(statement).execute(db)
    },
  },
  {
    name: 'tombstones-of-accounts',
    async up(db) {
      // When the account last lacked the row; null if no read is known to lack it.
      await db.schema.alterTable('sync__inventory_row').addColumn('lacked_at', 'integer').execute()
      // The same time of the row that caused an add; the added row inherits it.
      await db.schema.alterTable('sync__plan_item').addColumn('lacked_at', 'integer').execute()
      await db.schema.alterTable('sync__tombstone').renameTo('sync__tombstone_of_profile').execute()
      // `account`: the provider and the account at the service; only the profile if the account was never read.
      // `play`: the mark of a play; empty for an item.
      await sql`create table sync__tombstone (
        id integer primary key, account text not null, uid text not null, feature text not null, token text not null,
        play text not null, removed_at integer not null, proof_at integer not null, evidence_at integer,
        pair_id text, run_id text,
        constraint sync__tombstone_of unique (account, feature, token, play))`.execute(db)
      await sql`
        insert or replace into sync__tombstone
          (account, uid, feature, token, play, removed_at, proof_at, evidence_at, pair_id, run_id)
        select ${ACCOUNT_OF_PROFILE}, uid, feature,
          substr(token, 1, instr(token || '@', '@') - 1), substr(token, instr(token || '@', '@')),
          removed_at, proof_at, evidence_at, pair_id, run_id
        from sync__tombstone_of_profile as old order by removed_at`.execute(db)
      await db.schema.dropTable('sync__tombstone_of_profile').execute()
      await leaveBehind(db, 'removals', sql`from sync__tombstone where account = uid`)
      await renameStaged(db)
    },
  },
  {
    name: 'shown',
    async up(db) {
      // The state that the accounts showed when an operation was planned; previously, the state of the base after it.
      await db.schema.alterTable('sync__plan_item').renameColumn('after', 'shown').execute()
      // The last sighting of the row at the account that a person removed it from; null if the removal has an exact time.
      await db.schema.alterTable('sync__tombstone').addColumn('lost_after', 'integer').execute()
      await leaveBehind(db, 'operations', sql`from sync__plan_item where shown is not null and not json_valid(shown)`)
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
      // Who caused an operation, or a row that stays unresolved, as JSON of `Origin`.
      await db.schema.alterTable('sync__plan_item').addColumn('origin', 'text').execute()
      await db.schema.alterTable('sync__unresolved').addColumn('origin', 'text').execute()
    },
  },
  { name: 'left-behind', up: createLeftBehind },
  {
    name: 'stopped-titles',
    async up(db) {
      // `stop`: JSON of `StopOrder`. No id is used twice, because runs recognize a change by it.
      await sql`create table sync__stopped (
        id integer primary key autoincrement, stop text not null, stopped_at integer not null)`.execute(db)
    },
  },
  {
    name: 'days-of-removals',
    async up(db) {
      // The day of a removed play of which the account knew no time.
      await db.schema.alterTable('sync__tombstone').addColumn('shown_day', 'integer').execute()
      // Until now it was the evidence time: midnight, where the play is not one of that second.
      await sql`update sync__tombstone set shown_day = evidence_at
        where feature = 'history' and play <> '' and evidence_at % 86400000 = 0
          and play <> '@' || (evidence_at / 1000)`.execute(db)
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
