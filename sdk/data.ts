// The whole data directory, for plugins that back it up, restore, check or repair it. Paths are relative to it, with
// forward slashes.

import type { FileArea } from './files.ts'

/**
 * The purpose of a part of the data directory.
 * - `config`: the settings, and which plugins are enabled
 * - `key`: the key of encrypted settings; `tls`: certificates and their keys
 * - `state`: data of the service and its plugins; `tracker`: the service's own tracker, if it has files of its own
 * - `captures`, `reports`, `exports`, `imports`: files that people created or uploaded
 * - `cache`: can be created again
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

/** The classification of a path. */
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
  /** Problems that SQLite found, at most 100 lines; empty if healthy. */
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
  /** Problems that a quick check of the copy found; empty if healthy. */
  readonly integrity: readonly string[]
}

export interface RepairedDatabase {
  /** `indexes`: nothing is lost. `rows`: all readable rows were copied. */
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
  /** A passphrase is set in this environment. */
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
  /** All other files of these groups are displaced. */
  readonly groups: readonly DataGroup[]
  /** Describes the backup, for logs and people. */
  readonly label: string
  /** The files lack rows that no person removed, as after a repair. Reported by `lastRestore` after the restart. */
  readonly lostRows?: boolean
}

export interface PendingRestore {
  readonly label: string
  readonly stagedAtMs: number
}

/** A restore that was applied, or abandoned, at a start. */
export interface RestoreOutcome extends PendingRestore {
  readonly outcome: 'restored' | 'rolled_back'
  readonly atMs: number
  /** Why it was abandoned. */
  readonly reason: string | null
  /** The restored files lack rows that no person removed. */
  readonly lostRows?: boolean
}

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Bytes of the data directory. */
  readonly usedBytes: number
}

/** A temporary file of an interrupted write. */
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
  /** Every file and database to keep. Links, locks, temporary files and compiled code are left out. */
  parts(): Promise<readonly DataPart[]>
  /**
   * Temporary files of interrupted writes: unchanged for an hour. The next start removes them. At
   * most 100.
   */
  leftovers(): Promise<readonly DataLeftover[]>
  /** Classifies a path; undefined if it belongs to no part. The file need not exist. */
  placeOf(path: string): DataPlace | undefined
  /**
   * Copies databases while they are in use, all as of the same moment. Runs on a thread; `signal` stops between pages.
   * Throws `PLH_NOT_FOUND` for a missing one, and SQLite's errors; then no copy is left.
   */
  copyDatabases(copies: readonly DatabaseCopy[], signal?: AbortSignal): Promise<readonly CopiedDatabase[]>
  /**
   * Checks a database on a thread; writers are not blocked.
   * @param options.quick leaves out the check of indexes against their tables
   */
  check(path: string, options?: { readonly quick?: boolean }): Promise<DatabaseCheck>
  /**
   * Makes a healthy database of a damaged copy, on a thread: by renewing its indexes, else with every readable row.
   * Throws SQLite's errors if nothing can be read.
   * @param copy absolute path of a copy, which is changed
   * @param target absolute path of the new file; its folder exists
   */
  repairCopy(copy: string, target: string): Promise<RepairedDatabase>
  /** Number of migrations, without a check of anything else. */
  schemaVersions(path: string): Promise<SchemaVersions>
  /** Frees unused space and renews the statistics of a database, on a thread. Writers wait meanwhile. */
  optimise(path: string): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>
  /** Checks whether settings can be used here. @param key text of the key file beside them; null for the local one */
  checkSettings(settings: string, key: string | null): Promise<SettingsFacts>
  /**
   * Makes an unpacked backup the data of the next start: checks each file on disk against the plan, opens the databases,
   * flushes all of it, and renames the folder as one step. The replaced files are kept until a later start succeeds; if
   * the start that applies it fails, they return. From then on the settings and new work are refused with
   * `restart_required`. All sessions end with the restart.
   *
   * Throws `PLH_INVALID` (`restore_invalid`, with `details.problems`) for content that does not fit the plan, and
   * `PLH_CONFLICT` (`restart_required`) while another restore is pending. The folder is unchanged then.
   * @param folder absolute, below `scratch`; moved
   */
  stageRestore(folder: string, plan: RestorePlan): Promise<void>
  /** A restore that waits for the restart. */
  pendingRestore(): PendingRestore | null
  /** The last start's outcome of a restore. */
  lastRestore(): RestoreOutcome | null
  disk(): Promise<DiskSpace>
  /** Ends the service in order, so that its supervisor restarts it. */
  restart(reason: string): void
}
