// The thread of a database: runs one statement at a time. Rows are sent in chunks on request, so that neither event
// loop is blocked.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { SqlValue, ThreadDatabase, ThreadWork } from '@playhead/sdk'
import { createChunk } from './chunks.ts'
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './protocol.ts'
import { checkReadable } from './readable.ts'
import { createStatementCache, valuesOf } from './statements.ts'

const BUSY_TIMEOUT_MS = 5_000
const PAGE_BYTES = 8_192
const CACHE_KIB = 4_096
const LOG_BYTES = 16 * 1024 * 1024
// A thread that runs out of memory inside SQLite crashes the process, so larger values are rejected.
const VALUE_BYTES = 16 * 1024 * 1024

const DONE: ThreadAnswer = { kind: 'done', changes: 0n, insertId: 0n }

const port = parentPort as MessagePort
const { file, readOnly, module, pragmas, isChecked } = workerData as ThreadSettings
let rest: Rest | null = null

try {
  const work =
    module === null ? {} : ((await import(pathToFileURL(module).href)) as { readonly default: ThreadWork }).default
  const database = open()
  const prepare = createStatementCache(database, (statement) => {
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return statement
  })
  const called = asCalled(prepare)
  port.on('message', (request: ThreadRequest) => {
    if (request.kind === 'call') call(work, called, request)
    else answer(database, prepare, request)
  })
  port.postMessage(DONE)
} catch (error) {
  port.postMessage(failed(error))
}

function open(): DatabaseSync {
  const database = new DatabaseSync(file, {
    readOnly,
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    limits: { length: VALUE_BYTES },
  })
  try {
    if (!readOnly) {
      // Only effective before the first page is written.
      database.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
      if (!isChecked) checkReadable(database, statSync(file).size)
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${LOG_BYTES}`)
    }
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA mmap_size = 0`)
    for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function asCalled(prepare: (sql: string) => StatementSync): ThreadDatabase {
  return {
    run: (sql, ...values) => Number(prepare(sql).run(...valuesOf(values)).changes),
    all: (sql, ...values) =>
      (prepare(sql).all(...valuesOf(values)) as unknown as SqlValue[][]).map((row) => row.map(asNumberWherePossible)),
  }
}

function call(
  work: ThreadWork,
  database: ThreadDatabase,
  { name, argument }: Extract<ThreadRequest, { kind: 'call' }>,
): void {
  try {
    const asked = Object.hasOwn(work, name) ? work[name] : undefined
    if (asked === undefined) throw new Error(`the module of the thread has no function "${name}"`)
    port.postMessage({ kind: 'value', value: asked(database, argument as never) } satisfies ThreadAnswer)
  } catch (error) {
    port.postMessage(failed(error))
  }
}

function answer(
  database: DatabaseSync,
  prepare: (sql: string) => StatementSync,
  request: Exclude<ThreadRequest, { kind: 'call' }>,
): void {
  try {
    if (request.kind === 'close') {
      rest = null
      database.close()
      port.close()
      return
    }
    if (request.kind === 'rollback') {
      if (database.isTransaction) database.exec('ROLLBACK')
      port.postMessage(DONE)
      return
    }
    port.postMessage(run(prepare, request))
  } catch (error) {
    rest = null
    port.postMessage(failed(error))
  }
}

function run(
  prepare: (sql: string) => StatementSync,
  request: Exclude<ThreadRequest, { kind: 'close' | 'rollback' | 'call' }>,
): ThreadAnswer {
  if (request.kind === 'more') return nextRows()
  if (request.kind === 'all') {
    for (const sql of request.statements) prepare(sql).run()
    return DONE
  }
  const statement = prepare(request.sql)
  if (request.kind === 'many') {
    let changes = 0n
    for (const row of request.rows) changes += BigInt(statement.run(...valuesOf(row)).changes)
    return { kind: 'done', changes, insertId: 0n }
  }
  if (statement.columns().length > 0) {
    rest = { statement, rows: statement.iterate(...valuesOf(request.values)) as unknown as Iterator<SqlValue[]> }
    return nextRows()
  }
  const { changes, lastInsertRowid } = statement.run(...valuesOf(request.values))
  return { kind: 'done', changes: BigInt(changes), insertId: BigInt(lastInsertRowid) }
}

interface Rest {
  readonly statement: StatementSync
  readonly rows: Iterator<SqlValue[]>
}

function nextRows(): ThreadAnswer {
  if (rest === null) throw new Error('there is nothing more to read')
  const rows: SqlValue[][] = []
  const size = createChunk()
  while (!size.isFull()) {
    const { done, value } = rest.rows.next()
    if (done === true) return chunk(rest, rows, false)
    const row = value.map(asNumberWherePossible)
    size.add(row)
    rows.push(row)
  }
  return chunk(rest, rows, true)
}

function chunk({ statement }: Rest, rows: SqlValue[][], more: boolean): ThreadAnswer {
  if (!more) rest = null
  // After the first step: a table may have changed since the statement was prepared.
  return { kind: 'rows', columns: statement.columns().map(({ name }) => name), rows, more }
}

/** Safe integers become numbers, others stay bigints. */
function asNumberWherePossible(cell: SqlValue): SqlValue {
  if (typeof cell !== 'bigint') return cell
  return cell >= Number.MIN_SAFE_INTEGER && cell <= Number.MAX_SAFE_INTEGER ? Number(cell) : cell
}

function failed(error: unknown): ThreadAnswer {
  const { message, code, errcode, errstr } = error as Error & { code?: unknown; errcode?: unknown; errstr?: unknown }
  return { kind: 'failed', failure: { message, code, errcode, errstr } }
}
