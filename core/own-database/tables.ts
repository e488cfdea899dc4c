// Kysely over a database file opened on the same thread.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely'
import type { Tables } from '@playhead/sdk'
import { createTurns } from '@playhead/sdk/host'
import { whenFree } from './busy.ts'
import { createStatementCache, valuesOf } from './statements.ts'

const BUSY_TIMEOUT_MS = 5_000
const CACHE_KIB = 8_192
const MANY_CHANGES = 5_000

/** Opens an existing file; every commit is flushed. */
export function openTables(file: string): Tables {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  database.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`)
  // Other connections write too, so transactions take the write lock at the beginning.
  return tablesOf(database, { begin: 'begin immediate' })
}

export function tablesOf(
  database: DatabaseSync,
  {
    begin = 'begin',
    wrote = () => {},
    flush = async () => {},
  }: {
    readonly begin?: 'begin' | 'begin immediate'
    /** Called after each commit. */
    readonly wrote?: () => void
    /** Called before the commit of a large transaction: flushes the log to the disk. */
    readonly flush?: () => Promise<void>
  } = {},
): Tables {
  const prepare = createStatementCache(database, (statement, sql) =>
    toKyselyStatement(statement, () => database.prepare(sql)),
  )
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare(sql) {
      // A full disk already ended the transaction; another error would hide the cause.
      if (sql === 'rollback' && !database.isTransaction) return NOTHING
      return prepare(sql === 'begin' ? begin : sql)
    },
  }
  // With a write-ahead log only the first write of a transaction can be refused, and it waits without blocking.
  if (database.prepare('PRAGMA journal_mode').get()?.['journal_mode'] === 'wal')
    database.exec('PRAGMA busy_timeout = 0')
  const dialect = new SqliteDialect({ database: adapted })
  return new Kysely({
    dialect: {
      createAdapter: () => new TurnsAdapter(),
      createDriver: () => createDriver(new SqliteDriver({ database: adapted }), wrote, flush),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  })
}

/** The driver queues work itself, so that a statement that waits for another connection blocks no other statement. */
class TurnsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** One connection to one file: a transaction has it exclusively, and other statements are queued. */
function createDriver(driver: SqliteDriver, wrote: () => void, flush: () => Promise<void>): Driver {
  const inTurn = createTurns()

  /** Resolves when it is this caller's turn, with the function that ends the turn. */
  function turn(): Promise<() => void> {
    return new Promise((resolve) => {
      void inTurn(() => new Promise<void>((end) => resolve(end)))
    })
  }

  function createConnection(connection: DatabaseConnection): TurnsConnection {
    let endTurn: (() => void) | null = null
    let isReleased = false
    let changes = 0
    const begin = (query: CompiledQuery) =>
      whenFree(async () => {
        const end = await turn()
        try {
          await connection.executeQuery(query)
          endTurn = end
        } catch (error) {
          end()
          throw error
        }
      })
    return {
      begin: () => begin(CompiledQuery.raw('begin')),
      changes: () => changes,
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        if (isReleased) throw new Error('The transaction of this statement has ended.')
        if (endTurn !== null) {
          const result = await connection.executeQuery<Row>(query)
          changes += Number(result.numAffectedRows ?? 0)
          return result
        }
        return await whenFree(async () => {
          const end = await turn()
          try {
            const result = await connection.executeQuery<Row>(query)
            if (result.numAffectedRows !== undefined) wrote()
            return result
          } finally {
            end()
          }
        })
      },
      async *streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
        const end = endTurn === null ? await turn() : null
        try {
          yield* connection.streamQuery<Row>(query, chunkSize as number)
        } finally {
          end?.()
        }
      },
      release() {
        isReleased = true
        endTurn?.()
        endTurn = null
      },
    }
  }

  return {
    init: () => driver.init(),
    acquireConnection: async () => createConnection(await driver.acquireConnection()),
    beginTransaction: (connection) => (connection as TurnsConnection).begin(),
    async commitTransaction(connection) {
      // Flush first, so that the commit itself is short.
      if ((connection as TurnsConnection).changes() >= MANY_CHANGES) await flush()
      await whenFree(() => driver.commitTransaction(connection))
      wrote()
    },
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    savepoint: (connection, name, compile) => driver.savepoint(connection, name, compile),
    rollbackToSavepoint: (connection, name, compile) => driver.rollbackToSavepoint(connection, name, compile),
    releaseSavepoint: (connection, name, compile) => driver.releaseSavepoint(connection, name, compile),
    releaseConnection: async (connection) => (connection as TurnsConnection).release(),
    // Queued work is completed before the connection closes.
    destroy: () => inTurn(() => driver.destroy()),
  }
}

interface TurnsConnection extends DatabaseConnection {
  begin(): Promise<void>
  /** Rows that the transaction has changed. */
  changes(): number
  release(): void
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
