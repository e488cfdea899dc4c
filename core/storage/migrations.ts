// Brings an owner's tables up to date: each migration once, in order, in a transaction of its own, and recorded.
import { PlayheadError, type Migration, type Tables } from '@playhead/sdk'
import { systemClock, type Clock } from '../clock.ts'

const RECORD = 'core__migrations'

/**
 * Runs the migrations that are not recorded yet and returns their names.
 * Throws PLH_CONFLICT when the recorded ones are not the first of the list, and PLH_FORBIDDEN when one touches a table of another owner.
 * @param owner a plugin id, or `core`; its tables are named `<owner>__…`, with dashes as underscores
 */
export async function migrate(
  db: Tables, owner: string, migrations: readonly Migration[], clock: Clock = systemClock,
): Promise<readonly string[]> {
  await db.schema.createTable(RECORD).ifNotExists()
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('core__migrations_key', ['owner', 'position'])
    .execute()

  const names = migrations.map((migration) => migration.name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new PlayheadError('PLH_CONFLICT', `${owner} has two migrations named "${repeated}".`)

  const rows = await db.selectFrom(RECORD).select('name').where('owner', '=', owner).orderBy('position').execute()
  const recorded = rows.map((row) => String(row['name']))
  const different = recorded.findIndex((name, index) => names[index] !== name)
  if (different !== -1) {
    const here = names[different] === undefined ? 'missing' : `"${names[different]}"`
    throw new PlayheadError('PLH_CONFLICT', `The tables of ${owner} were made by other code: migration ${different + 1} in the database is `
      + `"${recorded[different]}", here it is ${here}. Install the version that made them, or a later one.`)
  }

  const missing = migrations.slice(recorded.length)
  for (const [index, migration] of missing.entries()) {
    await applyOne(db, owner, migration, recorded.length + index, clock.now())
  }
  return missing.map((migration) => migration.name)
}

async function applyOne(db: Tables, owner: string, migration: Migration, position: number, nowMs: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const before = await foreignTables(transaction, owner)
    await migration.up(transaction)
    const after = await foreignTables(transaction, owner)
    const touched = [...new Set([...before.keys(), ...after.keys()])].find((table) => before.get(table) !== after.get(table))
    if (touched !== undefined) {
      throw new PlayheadError('PLH_FORBIDDEN', `Migration "${migration.name}" of ${owner} touches the table ${touched}. `
        + `Its tables must be named ${prefixOf(owner)}<name>.`)
    }
    await transaction.insertInto(RECORD).values({ owner, position, name: migration.name, applied_at_ms: nowMs }).execute()
  })
}

/** Name and shape of every table that is not the owner's. */
async function foreignTables(db: Tables, owner: string): Promise<ReadonlyMap<string, string>> {
  // No double underscore after the prefix: the tables of `a` and of `a--b` must not be confused.
  const own = new RegExp(`^${prefixOf(owner)}[a-z0-9]+(?:_[a-z0-9]+)*$`)
  const tables = await db.introspection.getTables()
  return new Map(tables.filter((table) => !own.test(table.name)).map((table) => [table.name, JSON.stringify(table.columns)]))
}

function prefixOf(owner: string): string {
  return `${owner.replaceAll('-', '_')}__`
}
