// Runs migrations once each, in order, each in a recorded transaction.
import type { Migration, Tables } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'

export interface MigrationOptions {
  readonly db: Tables
  /** Owner of the tables; each owner has separate records. */
  readonly owner: string
  readonly migrations: readonly Migration[]
  /** Table of the recorded migrations. */
  readonly record: string
  readonly now: () => number
  /** Called once before tables that exist are changed. Throwing leaves them as they are. */
  readonly before?: (() => Promise<void>) | undefined
  /** An earlier version was put back: what a later one added is accepted. */
  readonly allowsNewer?: boolean | undefined
  /** Runs one migration inside its transaction, with checks. */
  readonly guard?: (transaction: Tables, migration: Migration) => Promise<void>
}

/**
 * Returns the names of the migrations that ran. Throws `PLH_CONFLICT` if the recorded ones are not a prefix of the
 * list.
 */
export async function runMigrations({
  db,
  owner,
  migrations,
  record,
  now,
  before,
  allowsNewer = false,
  guard = apply,
}: MigrationOptions): Promise<readonly string[]> {
  await db.schema
    .createTable(record)
    .ifNotExists()
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${record}_key`, ['owner', 'position'])
    .execute()

  const names = migrations.map((migration) => migration.name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new PlayheadError('PLH_CONFLICT', `${owner} has two migrations named "${repeated}".`)

  const rows = await db.selectFrom(record).select('name').where('owner', '=', owner).orderBy('position').execute()
  const recorded = rows.map((row) => String(row['name']))
  const different = recorded.findIndex((name, index) => names[index] !== name)
  if (different !== -1 && !(allowsNewer && different === names.length)) {
    const here = names[different] === undefined ? 'missing' : `"${names[different]}"`
    throw new PlayheadError(
      'PLH_CONFLICT',
      `The tables of ${owner} were made by other code: migration ${different + 1} in the database is ` +
        `"${recorded[different]}", here it is ${here}. Install the version that made them, or a later one.`,
    )
  }

  if (recorded.length > 0 && recorded.length < migrations.length) await before?.()
  const ran: string[] = []
  for (const [position, migration] of migrations.entries()) {
    if (position < recorded.length) continue
    await db.transaction().execute(async (transaction) => {
      // Another version of the plugin may have opened the file meanwhile.
      const known = await transaction
        .selectFrom(record)
        .select('name')
        .where('owner', '=', owner)
        .where('position', '=', position)
        .executeTakeFirst()
      if (known?.['name'] === migration.name) return
      await guard(transaction, migration)
      await transaction
        .insertInto(record)
        .values({ owner, position, name: migration.name, applied_at_ms: now() })
        .execute()
      ran.push(migration.name)
    })
  }
  return ran
}

function apply(transaction: Tables, migration: Migration): Promise<void> {
  return migration.up(transaction)
}
