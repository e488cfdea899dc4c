// Opens the relational database: Kysely over Node's SQLite.
import { closeSync, openSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { Logger, Tables } from '@playhead/sdk'
import { asUnreadable, checkReadable } from '../own-database/readable.ts'
import { tablesOf } from '../own-database/tables.ts'
import { createLogMerge } from './merge-log.ts'

const BUSY_TIMEOUT_MS = 5_000

interface Database {
  readonly db: Tables
  close(): Promise<void>
}

/**
 * Opens or creates a database file (0600, write-ahead log, every commit flushed, foreign keys checked). Throws
 * PLH_NOT_READY for an unreadable file, without changing it.
 */
export async function openDatabase(file: string, { log }: { readonly log: Logger }): Promise<Database> {
  const database = await openSqlite(file, log)
  const merge = createLogMerge(database, file, log)
  const db = tablesOf(database, { begin: 'begin immediate', wrote: merge.wrote, flush: () => flushLog(file) })
  return {
    db,
    async close() {
      await merge.close()
      await db.destroy()
      // Kysely closes only databases it used.
      if (database.isOpen) database.close()
    },
  }
}

/** Flushes the log to the disk, on another thread. If that fails, the commit reports it. */
async function flushLog(file: string): Promise<void> {
  try {
    await using log = await open(`${file}-wal`)
    await log.datasync()
  } catch {
    // There is no log on this file system.
  }
}

/** As `openDatabase`, without Kysely. */
export async function openSqlite(file: string, log: Logger): Promise<DatabaseSync> {
  closeSync(openSync(file, 'a', 0o600))
  const { size } = await stat(file)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    checkReadable(database, size)
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
    if (mode !== 'wal')
      log.warn({ file, mode }, 'the file system does not support the write-ahead log; the database works without it')
    database.exec('PRAGMA synchronous = FULL')
    return database
  } catch (error) {
    database?.close()
    throw asUnreadable(file, error)
  }
}
