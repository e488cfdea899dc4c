// A Kysely dialect over a worker thread. Kysely serializes statements and transactions.
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import type { SqlValue } from '@playhead/sdk'
import { defined, PlayheadError } from '@playhead/sdk/host'
import { whenFree } from './busy.ts'
import type { DatabaseThread } from './worker.ts'

const BATCH = Symbol('rows of values')
const STATEMENTS = Symbol('statements')
const CALL = Symbol('call')

interface Batch {
  readonly [BATCH]: readonly (readonly SqlValue[])[]
}

/** Runs a statement once per row of values. */
export function batchQuery(statement: string, rows: readonly (readonly SqlValue[])[]): CompiledQuery {
  return CompiledQuery.raw(statement, [{ [BATCH]: rows } satisfies Batch])
}

/** Runs all statements in one round trip. */
export function statementsQuery(statements: readonly string[]): CompiledQuery {
  return CompiledQuery.raw('', [{ [STATEMENTS]: statements }])
}

interface Call {
  readonly [CALL]: { readonly name: string; readonly argument: unknown }
}

/** Calls a function of the thread's module; the result is the `value` of the only row. */
export function callQuery(name: string, argument: unknown): CompiledQuery<{ readonly value: unknown }> {
  return CompiledQuery.raw('', [{ [CALL]: { name, argument } } satisfies Call]) as CompiledQuery<{
    readonly value: unknown
  }>
}

/**
 * @param thread returns the current thread. Called once per statement or transaction: if the thread ends in the middle
 * of a transaction, the transaction fails instead of continuing on a new thread.
 * @param begin the statement that starts a transaction
 * @param beginStatement called before each statement; its result is called when the statement has ended
 */
export function createThreadDialect(
  thread: () => Promise<DatabaseThread>,
  begin: 'begin' | 'begin immediate',
  beginStatement?: () => (() => void) | undefined,
): Dialect {
  return {
    createDriver: () => createDriver(thread, begin, beginStatement),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

interface ThreadConnection extends DatabaseConnection {
  rollback(): Promise<void>
}

function createDriver(
  thread: () => Promise<DatabaseThread>,
  begin: string,
  beginStatement: (() => (() => void) | undefined) | undefined,
): Driver {
  // Savepoints are the same for every connection.
  const common = new SqliteDriver({ database: () => Promise.reject(new Error('never opened')) })
  return {
    async init() {},
    acquireConnection: async () => createConnection(thread, beginStatement),
    async beginTransaction(connection) {
      await whenFree(() => connection.executeQuery(CompiledQuery.raw(begin)))
    },
    commitTransaction: (connection) => common.commitTransaction(connection),
    rollbackTransaction: (connection) => (connection as ThreadConnection).rollback(),
    savepoint: (connection, name, compile) => common.savepoint(connection, name, compile),
    rollbackToSavepoint: (connection, name, compile) => common.rollbackToSavepoint(connection, name, compile),
    releaseSavepoint: (connection, name, compile) => common.releaseSavepoint(connection, name, compile),
    async releaseConnection() {},
    async destroy() {},
  }
}

function createConnection(
  thread: () => Promise<DatabaseThread>,
  beginStatement: (() => (() => void) | undefined) | undefined,
): ThreadConnection {
  let mine: DatabaseThread | null = null

  async function execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    mine ??= await thread()
    const rows = (parameters[0] as Partial<Batch> | null | undefined)?.[BATCH]
    const statements = (parameters[0] as { readonly [STATEMENTS]?: readonly string[] } | null | undefined)?.[STATEMENTS]
    const call = (parameters[0] as Partial<Call> | null | undefined)?.[CALL]
    if (call !== undefined) return { rows: [{ value: await mine.call(call.name, call.argument) } as Row] }
    if (statements !== undefined) {
      await mine.all(statements)
      return { rows: [] }
    }
    if (rows !== undefined) return { rows: [], numAffectedRows: await mine.many(sql, rows) }
    const result = await mine.run(sql, parameters)
    return {
      rows: result.rows as unknown as Row[],
      ...defined({ numAffectedRows: result.changes, insertId: result.insertId }),
    }
  }

  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const end = beginStatement?.()
      try {
        return await execute<Row>(query)
      } finally {
        end?.()
      }
    },
    async rollback() {
      await mine?.rollback()
    },
    // biome-ignore lint/correctness/useYield: there is nothing that it could yield
    async *streamQuery() {
      throw new PlayheadError(
        'PLH_UNSUPPORTED',
        "A database of a plugin's own is not streamed: an open cursor would keep its log growing. " +
          'Read page after page by a key.',
      )
    },
  }
}
