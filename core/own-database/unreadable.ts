// What is said about a file that should be a database and cannot be opened as one.
import { PlayheadError } from '@playhead/sdk/host'

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
