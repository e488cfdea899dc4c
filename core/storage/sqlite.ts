// Opens a relational database: Kysely over the SQLite that is built into Node. The statements a plugin writes stay plain
// Kysely, so that another dialect can take this file's place.
import { closeSync, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { Logger, Tables } from '@playhead/sdk'
import { asUnreadable, checkReadable, keepStatements, valuesOf } from '@playhead/sdk/host'

const BUSY_TIMEOUT_MS = 5_000

export interface Database {
  readonly db: Tables
  close(): Promise<void>
}

/**
 * Opens or creates a database file (0600, write-ahead log, every commit flushed, foreign keys checked).
 * Throws PLH_NOT_READY when the file is not a readable database; it is never changed or replaced then.
 */
export async function openDatabase(file: string, { log }: { readonly log: Logger }): Promise<Database> {
  const database = await openSqlite(file, log)
  const db: Tables = new Kysely({ dialect: new SqliteDialect({ database: adapt(database) }) })
  return {
    db,
    async close() {
      await db.destroy()
      // Kysely closes only what it used.
      if (database.isOpen) database.close()
    },
  }
}

/** The same without Kysely, for storage that brings its own statements. */
export async function openSqlite(file: string, log: Logger): Promise<DatabaseSync> {
  closeSync(openSync(file, 'a', 0o600))
  const { size } = await stat(file)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    checkReadable(database, size)
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
    if (mode !== 'wal') log.warn({ file, mode }, 'the file system does not support the write-ahead log; the database works without it')
    database.exec('PRAGMA synchronous = FULL')
    return database
  } catch (error) {
    database?.close()
    throw asUnreadable(file, error)
  }
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const prepare = keepStatements(database)
  return {
    close: () => database.close(),
    // A full disk ends the transaction by itself; an error about that must not take the place of what it was.
    prepare: (sql) => sql === 'rollback' && !database.isTransaction ? NOTHING : toKyselyStatement(prepare(sql), () => database.prepare(sql)),
  }
}

const NOTHING: SqliteStatement = { reader: false, all: () => [], run: () => ({ changes: 0, lastInsertRowid: 0 }), iterate: () => [].values() }

/** @param another prepares the same statement anew: a cursor needs one of its own */
function toKyselyStatement(statement: StatementSync, another: () => StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...valuesOf(parameters)),
    run: (parameters) => statement.run(...valuesOf(parameters)),
    iterate: (parameters) => another().iterate(...valuesOf(parameters)),
  }
}
