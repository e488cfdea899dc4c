// Tables of a plugin, and database files of its own for large or expendable data. Everyday tables belong into `ctx.db`; a
// damaged or missing file of its own affects only its plugin.
import type { Kysely } from 'kysely'

// Tables depend on the plugins and their migrations; queries bring their own types.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Tables = Kysely<any>

/**
 * One migration of a plugin's tables. Names are unique within the plugin and never reused. Runs in a transaction, which is
 * rolled back when `up` fails or waits for ten seconds without a statement; statements take as long as they take.
 */
export interface Migration {
  readonly name: string
  /**
   * Names of all migrations before it that this one replaces, in their order; their code can be deleted. `up` makes the
   * tables that they made together, and runs in new databases only: one that has recorded all of them has its tables, and
   * only the new name is recorded. One with only some of them is refused with `PLH_CONFLICT` and is not changed.
   *
   * @example { name: 'tables', replaces: ['rows', 'rows-with-times'], replacedAfter: 'Quotes 1.4', up }
   */
  readonly replaces?: readonly string[]
  /** The last version that has the replaced ones, for the message of that error: name and version. */
  readonly replacedAfter?: string
  up(db: Tables): Promise<void>
}

export interface OwnDatabaseOptions<Work extends ThreadWork = NoWork> {
  /** Run in order when the file is opened, each once. */
  readonly migrations: readonly Migration[]
  /**
   * How to handle a corrupt file. `fail` (default): opening throws `PLH_NOT_READY` and leaves the file unchanged.
   * `set_aside`: the file is renamed to `<name>.bad-<time>`, a new one is created, and `setAside` names the old one.
   * Locked or unreadable files always fail. Files up to 32 MiB are checked completely at opening, larger ones as they
   * are used.
   */
  readonly onUnreadable?: 'fail' | 'set_aside'
  /**
   * When commits reach the disk. `at_checkpoints` (default): a power failure may lose the newest ones. `each_commit`: none
   * is lost, for what was acknowledged to someone else.
   */
  readonly flushes?: 'at_checkpoints' | 'each_commit'
  /**
   * Pages of the write-ahead log from which on it is merged into the file. Default: 1,000. More, if batches touch the same
   * pages again and again.
   */
  readonly checkpointPages?: number
  /** Functions for the writer thread, run by `call`. */
  readonly onThread?: ThreadModule<Work>
}

export type SqlValue = string | number | bigint | Uint8Array | null

/** The database on its thread: synchronous, with cached prepared statements. */
export interface ThreadDatabase {
  /** Runs a statement without rows; returns the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): number
  /** Rows as arrays of values, in column order. */
  all(sql: string, ...values: readonly SqlValue[]): readonly (readonly SqlValue[])[]
}

/** Functions by name. Arguments and results are structured clones; prefer one long string to many objects. */
export type ThreadWork = Readonly<Record<string, (database: ThreadDatabase, argument: never) => unknown>>
export type NoWork = Readonly<Record<never, never>>

/**
 * A module that runs on the writer thread, for work that would block the event loop. It may import the SDK, the plugin's
 * own files and Node modules: it is compiled into one file with the parts that it uses.
 */
export interface ThreadModule<Work extends ThreadWork> {
  /** Path of the module. @example ctx.assets.path('thread.ts') */
  readonly file: string
  /** The default export of the module. Importing it makes the file part of the plugin's build. */
  readonly work: Work
  /**
   * The module remembers something between calls that it cannot get back from the file: the thread stays, while others
   * end after half a minute without use.
   */
  readonly keepsState?: boolean
}

export interface StatementsAround {
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

/**
 * SQLite on worker threads: slow queries and large writes do not block the event loop. Values and rows cross in chunks.
 * Writes are serialized; readers see committed data. Commits survive `kill -9`; a power failure may lose the newest
 * commits but does not corrupt the file.
 *
 * Each used thread takes about 7 MB, and ends after half a minute without use; the next statement starts it again. So what a
 * connection remembers (a PRAGMA, a temporary table) does not last: see `flushes` and `checkpointPages`. Integers are numbers if safe, otherwise bigints. A value or row is at most 16 MiB.
 * Failing statements throw an error with SQLite's `code` (`ERR_SQLITE_ERROR`), extended `errcode` and message. A
 * crashed thread throws `PLH_ABORTED` and restarts with the next statement. `errcode & 255` of 11 or 26 means that the
 * file is corrupt: see `replace`. Streaming is unsupported (`PLH_UNSUPPORTED`): paginate by key. Queries cannot be
 * cancelled, so limit what they scan.
 */
export interface OwnDatabase<Work extends ThreadWork = NoWork> {
  /** Reads and writes, one statement or transaction at a time. Keep transactions short: others wait. */
  readonly db: Tables
  /** A read-only connection on another thread, started on first use. */
  readonly reader: Tables
  /**
   * Runs one statement for each row in one transaction; returns the number of changed rows. The fastest way to insert.
   * `around` runs statements without values before and after, in the same transaction.
   *
   * @example await archive.insertMany('insert into events (at, text) values (?, ?)', [[1, 'one'], [2, 'two']])
   */
  insertMany(sql: string, rows: readonly (readonly SqlValue[])[], around?: StatementsAround): Promise<number>
  /**
   * Runs a function of `onThread` in its own transaction, rolled back if the function throws.
   *
   * @example await archive.call('store', JSON.stringify(entries))
   */
  call<Name extends keyof Work & string>(
    name: Name,
    argument: Parameters<Work[Name]>[1],
  ): Promise<ReturnType<Work[Name]>>
  /**
   * A short text that changes with each commit to the file, by any connection or process; it is never used twice. Costs
   * some microseconds, and no thread. For the revision of an answer, see `FastifyContextConfig.revision`.
   */
  revision(): string
  /** Bytes of the file and of its write-ahead log. */
  size(): Promise<{ readonly file: number; readonly log: number }>
  /** Name of the corrupt file that was renamed at opening. */
  readonly setAside: string | null
  /**
   * Replaces the database with an empty, migrated one, for all users of this object. The old file is kept as
   * `<name>.bad-<time>` until the new one is ready; a failure changes nothing. Do not call it inside a transaction of
   * `db` (deadlock).
   */
  replace(): Promise<void>
  /** Waits a few seconds for current work, then rolls back. The host closes open databases when the plugin ends. */
  close(): Promise<void>
}

/**
 * Opens or creates the plugin's file `<name>.sqlite`. Names are lower-case words joined by `-`. During a reload both
 * versions may have the file open. Tables need no prefix. Throws `PLH_NOT_READY` for an unreadable file, `PLH_CONFLICT`
 * for unknown migrations.
 */
export type OpenDatabase = <Work extends ThreadWork = NoWork>(
  name: string,
  options: OwnDatabaseOptions<Work>,
) => Promise<OwnDatabase<Work>>
