// A relational database with the plugin's tables, gone when it is closed.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Migration, PluginContext } from '../context.ts'
import { PlayheadError } from '../errors.ts'
import { keepStatements, valuesOf } from '../own-database/statements.ts'

export interface TestDatabase {
  readonly db: PluginContext['db']
  /** Runs those that have not run, in order, each in a transaction. */
  migrate(migrations: readonly Migration[]): Promise<void>
  close(): Promise<void>
}

/** @param owner the plugin's id; its tables are named `<owner>__…`, with dashes as underscores */
export function createDatabase(owner: string): TestDatabase {
  // Without a name it is a temporary file: what a test stores does not count as memory that the plugin takes.
  const sqlite = new DatabaseSync('', { enableForeignKeyConstraints: true })
  const prepare = keepStatements(sqlite)
  const db: PluginContext['db'] = new Kysely({
    dialect: new SqliteDialect({
      database: { close: () => sqlite.close(), prepare: (sql) => toStatement(prepare(sql), () => sqlite.prepare(sql)) },
    }),
  })
  const done: string[] = []
  const prefix = `${owner.replaceAll('-', '_')}__`

  return {
    db,
    async migrate(migrations) {
      const names = migrations.map(({ name }) => name)
      if (new Set(names).size < names.length || done.some((name, index) => names[index] !== name)) {
        throw new PlayheadError(
          'PLH_CONFLICT',
          `Migrations have unique names and are only added at the end. Ran: ${done.join(', ') || 'none'}; now: ${names.join(', ')}.`,
        )
      }
      for (const migration of migrations.slice(done.length)) {
        await db.transaction().execute(async (transaction) => {
          await migration.up(transaction)
          const foreign = (await transaction.introspection.getTables()).find(({ name }) => !name.startsWith(prefix))
          if (foreign !== undefined) {
            throw new PlayheadError(
              'PLH_FORBIDDEN',
              `Migration "${migration.name}" makes the table ${foreign.name}. Its tables must be named ${prefix}<name>.`,
            )
          }
        })
        done.push(migration.name)
      }
    },
    async close() {
      await db.destroy()
      if (sqlite.isOpen) sqlite.close()
    },
  }
}

/** @param another prepares the same statement anew: a cursor needs one of its own */
function toStatement(statement: StatementSync, another: () => StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...valuesOf(parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...valuesOf(parameters)),
    iterate: (parameters: readonly unknown[]) => another().iterate(...valuesOf(parameters)),
  }
}
