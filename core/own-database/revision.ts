// The revision of a database file: SQLite's own counter of the commits of all other connections, read on a connection of
// this thread, which takes some microseconds.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { randomUUID } from 'node:crypto'

interface FileRevision {
  now(): string
  /** Closes the file; the next call opens it again, with other revisions. */
  close(): void
  /** Closes the file for good. */
  end(): void
}

export function createFileRevision(file: string): FileRevision {
  let hasEnded = false
  let open: { readonly database: DatabaseSync; readonly version: StatementSync; readonly name: string } | undefined

  function close(): void {
    open?.database.close()
    open = undefined
  }

  function current(): NonNullable<typeof open> {
    if (open !== undefined) return open
    const database = new DatabaseSync(file, { readOnly: true, timeout: 0 })
    try {
      // The counter needs no page of the file.
      database.exec('PRAGMA cache_size = 1; PRAGMA mmap_size = 0')
      // The counter belongs to the connection, so two connections never have the same revision.
      open = { database, version: database.prepare('PRAGMA data_version'), name: randomUUID() }
      return open
    } catch (error) {
      database.close()
      throw error
    }
  }

  return {
    now() {
      if (hasEnded) return randomUUID()
      try {
        const { version, name } = current()
        return `${name}.${version.get()?.['data_version']}`
      } catch {
        // Without a known revision nothing counts as unchanged.
        close()
        return randomUUID()
      }
    },
    close,
    end() {
      hasEnded = true
      close()
    },
  }
}
