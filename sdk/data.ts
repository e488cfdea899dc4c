// The whole data directory, for plugins that back it up, restore, check or repair it. Paths are relative to it, with
// forward slashes.

import type { FileArea } from './files.ts'

/**
 * What a part of the data directory is for.
 * - `config`: the settings, and which plugins are enabled
 * - `key`: the key of encrypted settings; `tls`: certificates and their keys
 * - `state`: what the service and its plugins know; `tracker`: the service's own tracker, where it has files of its own
 * - `captures`, `reports`, `exports`, `imports`: files that people made or gave
 * - `cache`: can be made again
 * - `backups`: archives, never part of a backup
 */
export const DATA_GROUPS = [
  'config',
  'key',
  'tls',
  'state',
  'tracker',
  'captures',
  'reports',
  'exports',
  'imports',
  'cache',
  'backups',
] as const
export type DataGroup = (typeof DATA_GROUPS)[number]

/** Where a path belongs. */
export interface DataPlace {
  /** A database is only read through `copyDatabases`, `check` and `optimise`: it may be open. */
  readonly kind: 'database' | 'file'
  readonly group: DataGroup
  /** Plugin id, `core`, or `shared` for a folder of several plugins. */
  readonly owner: string
}

export interface DataPart extends DataPlace {
  readonly path: string
  /** With a database's write-ahead log. */
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** Number of recorded migrations by owner. */
export type SchemaVersions = Readonly<Record<string, number>>

export interface DatabaseCheck {
  readonly healthy: boolean
  /** What SQLite found, at most 100 lines; empty if healthy. */
  readonly integrity: readonly string[]
  /** Rows that refer to missing rows. */
  readonly foreignKeyErrors: number
  readonly schemaVersions: SchemaVersions
  readonly sizeBytes: number
  /** Bytes that `optimise` would free. */
  readonly freeBytes: number
  /** As SQLite names it: `wal`; empty if the file cannot be read. */
  readonly journalMode: string
}

export interface DatabaseCopy {
  /** Path of the database in the data directory. */
  readonly path: string
  /** Absolute path of the new file; its folder exists, the file does not. */
  readonly to: string
}

export interface CopiedDatabase extends DatabaseCopy {
  readonly sizeBytes: number
  readonly schemaVersions: SchemaVersions
  /** What a quick check of the copy found; empty if healthy. */
  readonly integrity: readonly string[]
}

export interface RepairedDatabase {
  /** `indexes`: nothing is lost. `rows`: what could be read was copied. */
  readonly way: 'indexes' | 'rows'
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly complete: boolean }[]
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface SettingsFacts {
  /** Some values are encrypted. */
  readonly encrypted: boolean
  /** Some are encrypted with a key file. */
  readonly needsKey: boolean
  /** Some are encrypted with the passphrase of the environment. */
  readonly needsPassphrase: boolean
  /** The environment has a passphrase here. */
  readonly passphraseSet: boolean
  /**
   * Why they cannot be used here: `key_missing` and `key_wrong` (key file), `passphrase_missing` and `passphrase_wrong`
   * (environment), `damaged`, `unreadable`. Null if all is well.
   */
  readonly problem:
    | 'key_missing'
    | 'key_wrong'
    | 'passphrase_missing'
    | 'passphrase_wrong'
    | 'damaged'
    | 'unreadable'
    | null
}

export interface StagedFile {
  readonly path: string
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface RestorePlan {
  /** Every file of the folder. */
  readonly files: readonly StagedFile[]
  /** Everything of these groups that is not among the files is displaced. */
  readonly groups: readonly DataGroup[]
  /** For logs and people: which backup. */
  readonly label: string
  /** The files lack rows that no person removed, as after a repair. Told by `lastRestore` after the restart. */
  readonly lostRows?: boolean
}

export interface PendingRestore {
  readonly label: string
  readonly stagedAtMs: number
}

/** A restore that was applied, or given up, at a start. */
export interface RestoreOutcome extends PendingRestore {
  readonly outcome: 'restored' | 'rolled_back'
  readonly atMs: number
  /** Why it was given up. */
  readonly reason: string | null
  /** The files that were put in place lack rows that no person removed. */
  readonly lostRows?: boolean
}

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** By the data directory. */
  readonly usedBytes: number
}

/** A temporary file whose write did not end. */
export interface DataLeftover {
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** @see PluginContext.data */
export interface DataDirectory {
  /** Absolute path, for threads of the plugin. Never open a database below it: that releases the locks of its users. */
  readonly path: string
  /**
   * An absolute folder of the plugin's own that exists, on the same volume, and is emptied at each start: for copies and
   * unpacked archives.
   */
  scratch(): Promise<string>
  /** The same folder. */
  readonly scratchFiles: FileArea
  /** Every file and database that is worth keeping. Links, locks, temporary files and compiled code are left out. */
  parts(): Promise<readonly DataPart[]>
  /**
   * Temporary files of writes that were cut off: nothing was written to them for an hour. The next start removes them. At
   * most 100.
   */
  leftovers(): Promise<readonly DataLeftover[]>
  /** Where a path belongs; undefined for what is no part, whether or not the file exists. */
  placeOf(path: string): DataPlace | undefined
  /**
   * Copies databases while they are in use, all as of the same moment. Runs on a thread; `signal` stops between pages.
   * Throws `PLH_NOT_FOUND` for a missing one, and SQLite's errors; then no copy is left.
   */
  copyDatabases(copies: readonly DatabaseCopy[], signal?: AbortSignal): Promise<readonly CopiedDatabase[]>
  /**
   * Checks a database on a thread; writers are not held up.
   * @param options.quick leaves out the check of indexes against their tables
   */
  check(path: string, options?: { readonly quick?: boolean }): Promise<DatabaseCheck>
  /**
   * Makes a healthy database of a damaged copy, on a thread: by renewing its indexes, else with every row that can be read.
   * Throws SQLite's errors if nothing can be read.
   * @param copy absolute path of a copy, which is changed
   * @param target absolute path of the new file; its folder exists
   */
  repairCopy(copy: string, target: string): Promise<RepairedDatabase>
  /** Number of migrations, without a check of anything else. */
  schemaVersions(path: string): Promise<SchemaVersions>
  /** Frees unused space and renews the statistics of a database, on a thread. Writers wait meanwhile. */
  optimise(path: string): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>
  /** Whether settings could be used here. @param key text of the key file that comes with them; null for the local one */
  checkSettings(settings: string, key: string | null): Promise<SettingsFacts>
  /**
   * Makes an unpacked backup the data of the next start: checks each file on disk against the plan, opens the databases,
   * flushes all of it, and renames the folder as one step. The files that it replaces are kept until a later start went
   * well; if the start that applies it fails, they come back. From then on the settings and new work are refused with
   * `restart_required`. All sessions end with the restart.
   *
   * Throws `PLH_INVALID` (`restore_invalid`, with `details.problems`) for content that does not fit the plan, and
   * `PLH_CONFLICT` (`restart_required`) while another restore is pending. The folder is left alone then.
   * @param folder absolute, below `scratch`; moved
   */
  stageRestore(folder: string, plan: RestorePlan): Promise<void>
  /** A restore that waits for the restart. */
  pendingRestore(): PendingRestore | null
  /** What the last start did with a restore. */
  lastRestore(): RestoreOutcome | null
  disk(): Promise<DiskSpace>
  /** Ends the service in order, for its supervisor to start it again. */
  restart(reason: string): void
}
