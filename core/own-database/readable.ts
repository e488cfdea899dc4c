// Checks whether a file is a usable database. Also loaded on database threads, so it has few imports.
import { PlayheadError } from '@playhead/sdk/host'
import type { DatabaseSync } from 'node:sqlite'

// The check reads the whole file.
const MAX_CHECKED_BYTES = 32 * 1024 * 1024
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** Throws SQLite's error if the file is not a database, or if a small one is corrupt. */
export function checkReadable(database: DatabaseSync, sizeBytes: number): void {
  database.prepare('SELECT count(*) FROM sqlite_schema').get()
  if (sizeBytes > MAX_CHECKED_BYTES) return
  const verdict = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
  if (verdict !== 'ok')
    throw Object.assign(new Error(String(verdict)), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_CORRUPT })
}

/** True only for proven corruption, not for a full disk, a lock or missing permissions. */
export function isDamage(error: unknown): boolean {
  const errcode = (error as { errcode?: unknown } | null | undefined)?.errcode
  // The low byte is the primary result code.
  return typeof errcode === 'number' && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)
}

/** Maps a SQLite error at opening; other errors are returned unchanged. */
export function asUnreadable(file: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null | undefined)?.code !== 'ERR_SQLITE_ERROR') return error
  return new PlayheadError(
    'PLH_NOT_READY',
    `The database ${file} cannot be read (${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}). It was left as it is: ` +
      `${isDamage(error) ? 'repair it with "npm run playhead -- repair", ' : ''}restore it from a backup, or move it away to ` +
      'start with an empty one.',
    { cause: error, wire: 'database_unreadable' },
  )
}
