// Core and plugins share one database; an owner's migrations may only change its own tables.
import { PlayheadError, type Migration, type Tables } from '@playhead/sdk'
import { createConnection } from '../own-database/connection.ts'
import { type MigrationParts, type OnThread, runMigrations } from '../own-database/migrations.ts'
import type { Running } from '../own-database/running.ts'
import { systemClock, type Clock } from '../clock.ts'

const CLOSE_MS = 2_000

/**
 * Runs unrecorded migrations and returns their names. Throws PLH_CONFLICT if the recorded ones are not a prefix of the
 * list, and PLH_FORBIDDEN if one changes a table of another owner.
 * @param before called before existing tables of the owner are changed
 * @param file the database's file: existing tables are changed on a thread of its own
 * @param owner a plugin id, or `core`; its tables are named `<owner>__…`, with dashes as underscores
 */
export async function migrate(
  db: Tables,
  owner: string,
  migrations: readonly Migration[],
  clock: Clock = systemClock,
  before?: () => Promise<void>,
  { file, ...parts }: MigrationParts & { readonly file?: string } = {},
): Promise<readonly string[]> {
  return await runMigrations({
    db,
    owner,
    migrations,
    record: 'core__migrations',
    now: () => clock.now(),
    before,
    ...parts,
    ...(file === undefined ? {} : { onThread: () => onThread(file, parts.running) }),
    async guard(transaction, migration) {
      const before = await foreignTables(transaction, owner)
      await migration.up(transaction)
      const after = await foreignTables(transaction, owner)
      const touched = [...new Set([...before.keys(), ...after.keys()])].find(
        (table) => before.get(table) !== after.get(table),
      )
      if (touched !== undefined) {
        throw new PlayheadError(
          'PLH_FORBIDDEN',
          `Migration "${migration.name}" of ${owner} touches the table ${touched}. ` +
            `Its tables must be named ${prefixOf(owner)}<name>.`,
        )
      }
    },
  })
}

/** Name and schema of every other owner's table. */
async function foreignTables(db: Tables, owner: string): Promise<ReadonlyMap<string, string>> {
  // No double underscore after the prefix, so that owners `a` and `a--b` are distinct.
  const own = new RegExp(`^${prefixOf(owner)}[a-z0-9]+(?:_[a-z0-9]+)*$`)
  const tables = await db.introspection.getTables()
  return new Map(
    tables.filter((table) => !own.test(table.name)).map((table) => [table.name, JSON.stringify(table.columns)]),
  )
}

function prefixOf(owner: string): string {
  return `${owner.replaceAll('-', '_')}__`
}

function onThread(file: string, running: Running | undefined): OnThread {
  const connection = createConnection({ file, readOnly: false, beginStatement: () => running?.begin() })
  return { db: connection.db, [Symbol.asyncDispose]: () => connection.close(CLOSE_MS) }
}
