// A relational database in memory, with the plugin's tables.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Migration, PluginContext } from '../context.ts'
import { PlayheadError } from '../errors.ts'
import { valuesOf } from '../own-database/statements.ts'

export interface TestDatabase {
  readonly db: PluginContext['db']
  /** Runs those that have not run, in order, each in a transaction. */
  migrate(migrations: readonly Migration[]): Promise<void>
  close(): Promise<void>
}

/** @param owner the plugin's id; its tables are named `<owner>__…`, with dashes as underscores */
export function createDatabase(owner: string): TestDatabase {
  const sqlite = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  const db: PluginContext['db'] = new Kysely({
    dialect: new SqliteDialect({ database: { close: () => sqlite.close(), prepare: (sql) => toStatement(sqlite.prepare(sql)) } }),
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

function toStatement(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...valuesOf(parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...valuesOf(parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...valuesOf(parameters)),
  }
}
