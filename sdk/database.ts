// A database file of a plugin's own, for rows that are many and that nothing else depends on. The tables of everyday
// use are in `ctx.db`; this is for archives: the file can be large, unreadable or taken away, and nobody else notices.
import type { Migration, Tables } from './context.ts'

export interface OwnDatabaseOptions<Work extends ThreadWork = NoWork> {
  /** Run when the file is opened, in order, each once. */
  readonly migrations: readonly Migration[]
  /**
   * What to do about a file whose content is damaged. `fail` (default): opening fails with `PLH_NOT_READY` and leaves
   * it as it is. `set_aside`: it is renamed to `<name>.bad-<time>`, an empty one takes its place, and `setAside` says
   * so. A file that is only locked, or not allowed to be read, fails in either case. Files up to 32 MiB are checked as
   * a whole, larger ones are found out at work.
   */
  readonly onUnreadable?: 'fail' | 'set_aside'
  /** Functions for the writing thread; `call` runs them. */
  readonly onThread?: ThreadModule<Work>
}

export type SqlValue = string | number | bigint | Uint8Array | null

/** The database as it is on its thread: statements answer at once, and are kept prepared. */
export interface ThreadDatabase {
  /** Runs a statement that gives no rows; answers how many it changed. */
  run(sql: string, ...values: readonly SqlValue[]): number
  /** Rows as their values, in the order of the columns. */
  all(sql: string, ...values: readonly SqlValue[]): readonly (readonly SqlValue[])[]
}

/**
 * Functions by name. What they are given and what they answer crosses between threads: plain data, and one long text
 * rather than many objects.
 */
export type ThreadWork = Readonly<Record<string, (database: ThreadDatabase, argument: never) => unknown>>
export type NoWork = Readonly<Record<never, never>>

/**
 * A module that runs on the writing thread, for what is too much to be prepared where everybody waits. It imports
 * nothing but types, the plugin's own files and Node's modules: the thread reads it as it is, as JavaScript, or as
 * TypeScript outside `node_modules`.
 */
export interface ThreadModule<Work extends ThreadWork> {
  /** Where it is. @example ctx.assets.path('thread.ts') */
  readonly file: string
  /** Its default export, imported here as well: so the host knows that the file belongs to the plugin. */
  readonly work: Work
}

export interface StatementsAround {
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

/**
 * Statements run on threads of their own, so that a long query or a large write delays nobody; what crosses is only
 * their values and rows, in pieces. Writers take turns; readers see what was committed. What was committed survives the
 * end of the process, also by `kill -9`; a power cut may take the newest commits with it, and leaves the file whole.
 *
 * Each thread that was used takes some 7 MB. Whole numbers come back as numbers where those are exact, and as bigints
 * beyond. A value or row is at most 16 MiB. Statements that fail throw an error with SQLite's `code`
 * (`ERR_SQLITE_ERROR`), `errcode` (the extended one) and message; a thread that ended over them `PLH_ABORTED`, and the
 * next statement starts another. `errcode & 255` of 11 or 26 means that the file is damaged: see `replace`. There is no
 * streaming (`PLH_UNSUPPORTED`): read page after page by a key. A query cannot be cancelled, so bound what it looks at.
 */
export interface OwnDatabase<Work extends ThreadWork = NoWork> {
  /** Reads and writes, one statement or transaction at a time. Keep transactions short: others wait for them. */
  readonly db: Tables
  /** A read-only connection on another thread, started when it is first used. */
  readonly reader: Tables
  /**
   * Runs one statement for each row of values in one transaction, all or none, and answers how many rows it changed:
   * the fast way in. Statements without values that belong to it run before and after, in the same transaction.
   * @example await archive.insertMany('insert into events (at, text) values (?, ?)', [[1, 'one'], [2, 'two']])
   */
  insertMany(sql: string, rows: readonly (readonly SqlValue[])[], around?: StatementsAround): Promise<number>
  /**
   * Runs a function of `onThread` in a transaction of its own, which is undone when the function throws.
   * @example await archive.call('store', JSON.stringify(entries))
   */
  call<Name extends keyof Work & string>(
    name: Name,
    argument: Parameters<Work[Name]>[1],
  ): Promise<ReturnType<Work[Name]>>
  /** Bytes of the file and of its write-ahead log. */
  size(): Promise<{ readonly file: number; readonly log: number }>
  /** Name of the file that was set aside when this one was opened. */
  readonly setAside: string | null
  /**
   * Puts an empty database, with its migrations run, in the place of this one; for everybody who opened it through this
   * object. The old one is kept as `<name>.bad-<time>` until the new one is in its place. When that fails, everything
   * is as before. Not to be called inside a transaction of `db`, which it would wait for.
   */
  replace(): Promise<void>
  /**
   * Waits a few seconds for what is under way; what takes longer is undone. The host closes what is left open when the
   * plugin ends.
   */
  close(): Promise<void>
}

/**
 * Opens or creates the file `<name>.sqlite` of the plugin. Names are lower-case words joined by `-`. While a plugin is
 * replaced, both versions may have the file open. Tables need no prefix. Throws `PLH_NOT_READY` for a file that cannot
 * be read, `PLH_CONFLICT` for one that was made by other migrations.
 */
export type OpenDatabase = <Work extends ThreadWork = NoWork>(
  name: string,
  options: OwnDatabaseOptions<Work>,
) => Promise<OwnDatabase<Work>>
