// Kysely over a database file opened on the same thread.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { Tables } from '@playhead/sdk'
import { createStatementCache, valuesOf } from './statements.ts'

const BUSY_TIMEOUT_MS = 5_000
const CACHE_KIB = 8_192

/** Opens an existing file; every commit is flushed. */
export function openTables(file: string): Tables {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  database.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
  // Other connections write too, so transactions take the write lock at the beginning.
  return tablesOf(database, { begin: 'begin immediate' })
}

export function tablesOf(
  database: DatabaseSync,
  { begin = 'begin' }: { readonly begin?: 'begin' | 'begin immediate' } = {},
): Tables {
  const prepare = createStatementCache(database)
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare(sql) {
      // A full disk already ended the transaction; another error would hide the cause.
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

/** @param another prepares the statement again, for a cursor of its own */
function toKyselyStatement(statement: StatementSync, another: () => StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...valuesOf(parameters)),
    run: (parameters) => statement.run(...valuesOf(parameters)),
    iterate: (parameters) => another().iterate(...valuesOf(parameters)),
  }
}
