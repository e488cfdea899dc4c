// Kysely over a database file that is opened where the statements run.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { Tables } from '@playhead/sdk'
import { keepStatements, valuesOf } from './statements.ts'

const BUSY_TIMEOUT_MS = 5_000
const CACHE_KIB = 8_192

/** The tables of a file that is there; every commit is flushed. */
export function openTables(file: string): Tables {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  database.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
  // Others write to the file as well: who will write takes its turn at the beginning.
  return tablesOf(database, { begin: 'begin immediate' })
}

export function tablesOf(
  database: DatabaseSync,
  { begin = 'begin' }: { readonly begin?: 'begin' | 'begin immediate' } = {},
): Tables {
  const prepare = keepStatements(database)
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare(sql) {
      // A full disk ends the transaction by itself; an error about that must not take the place of what it was.
      if (sql === 'rollback' && !database.isTransaction) return NOTHING
      const text = sql === 'begin' ? begin : sql
      return toKyselyStatement(prepare(text), () => database.prepare(text))
    },
  }
  return new Kysely({ dialect: new SqliteDialect({ database: adapted }) })
}

const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

/** @param another prepares the same statement anew: a cursor needs one of its own */
function toKyselyStatement(statement: StatementSync, another: () => StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...valuesOf(parameters)),
    run: (parameters) => statement.run(...valuesOf(parameters)),
    iterate: (parameters) => another().iterate(...valuesOf(parameters)),
  }
}
