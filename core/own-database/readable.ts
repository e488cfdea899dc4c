// Tells whether a file is a database that can be worked with. Used on the thread of a database too, so it imports next
// to nothing.
import { PlayheadError } from '@playhead/sdk/host'
import type { DatabaseSync } from 'node:sqlite'

// Checking reads the whole file; a larger one would take seconds.
const MAX_CHECKED_BYTES = 32 * 1024 * 1024
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** Throws what SQLite says when the file is no database, or when a small one is damaged. */
export function checkReadable(database: DatabaseSync, sizeBytes: number): void {
  database.prepare('SELECT count(*) FROM sqlite_schema').get()
  if (sizeBytes > MAX_CHECKED_BYTES) return
  const verdict = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
  if (verdict !== 'ok')
    throw Object.assign(new Error(String(verdict)), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_CORRUPT })
}

/**
 * True only for what proves that the content is damaged: a full disk, a lock or missing rights say nothing about it.
 */
export function isDamage(error: unknown): boolean {
  const errcode = (error as { errcode?: unknown } | null | undefined)?.errcode
  // The lower byte is the kind, what is above it the detail.
  return typeof errcode === 'number' && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)
}

/** The error for what SQLite said about a file while it was opened; anything else is passed on as it is. */
export function asUnreadable(file: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null | undefined)?.code !== 'ERR_SQLITE_ERROR') return error
  return new PlayheadError(
    'PLH_NOT_READY',
    `The database ${file} cannot be read (${(error as Error).message}). It was left as it is: ` +
      'restore it from a backup, or move it away to start with an empty one.',
    { cause: error, wire: 'database_unreadable' },
  )
}
