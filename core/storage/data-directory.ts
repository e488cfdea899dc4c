import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { openEpoch, type DataEpoch } from '../data/epoch.ts'
import { PlayheadError } from '@playhead/sdk'
import { switchRestored, type RestoreSwitch } from '../data/switch.ts'
import { readDataVersion, type DataVersion } from '../data/upgrade.ts'
import { VERSION } from '../version.ts'
import { noneIfAbsent, temporaryFiles } from './atomic-file.ts'
import { type LockOptions, lockDirectory } from './directory-lock.ts'

/** Folders shared by all plugins and visible to people. */
export const SHARED_FOLDERS = ['captures', 'backups', 'reports', 'exports', 'cache', 'imports'] as const
export type SharedFolder = (typeof SHARED_FOLDERS)[number]

const OWNER_ONLY = 0o700
const PLUGIN_ID = /^[a-z][a-z0-9-]{1,39}$/

export interface DataDirectory {
  readonly path: string
  /** The settings. */
  readonly config: string
  readonly configLastGood: string
  /** Key of encrypted settings, unless a passphrase is used. */
  readonly secretKey: string
  /** SQLite database of the core and of the plugins' tables. */
  readonly database: string
  /** Key-value storage of plugins. */
  readonly keyValue: string
  /** Added plugins, and overrides of bundled ones. */
  readonly pluginRegistry: string
  /** The newest list of the directory of plugins that was fetched. */
  readonly pluginCatalogue: string
  readonly installedPlugins: string
  readonly compiledPlugins: string
  readonly tls: string
  readonly run: string
  shared(folder: SharedFolder): string
  /** Files of one plugin. */
  pluginFiles(pluginId: string): string
  /** Database folders of all plugins. */
  readonly databases: string
  /** Database files of one plugin. */
  pluginDatabases(pluginId: string): string
  /** The outcome of a restore at this start. */
  readonly restore: RestoreSwitch
  /** Changes when the data were replaced, see `HostFacts.dataEpoch`. */
  readonly epoch: string
  /** It had no database before. */
  readonly isNew: boolean
  /** The version of the service that last wrote the directory. */
  readonly version: DataVersion
  /** Announces the stop to a process that waits for the directory. */
  stopping(): void
  /** Releases the lock of the directory. */
  close(): Promise<void>
}

/** Creates missing folders and locks the directory. Throws PLH_CONFLICT, naming the other process, if it is locked, or if a newer version wrote it. */
export async function openDataDirectory(directory: string, options: LockOptions = {}): Promise<DataDirectory> {
  const path = isAbsolute(directory) ? directory : resolve(directory)
  const at = (...parts: string[]): string => join(path, ...parts)
  const checked = (pluginId: string): string => {
    if (!PLUGIN_ID.test(pluginId)) throw new TypeError(`"${pluginId}" is not a plugin id`)
    return pluginId
  }

  const lock = await (async () => {
    await mkdir(path, { recursive: true, mode: OWNER_ONLY })
    await mkdir(at('run'), { recursive: true, mode: OWNER_ONLY })
    return lockDirectory(at('run'), options)
  })().catch((error: unknown) => {
    throw asUnwritable(path, error)
  })
  let restore: RestoreSwitch
  let isNew: boolean
  let version: DataVersion
  let epoch: DataEpoch
  try {
    // A directory created by a container runtime or by hand is often world-readable.
    await chmod(path, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPERM') throw error
    })
    // Runs before any file is opened.
    restore = await switchRestored(path, Date.now)
    isNew = !existsSync(at('database.sqlite')) && !existsSync(at('databases'))
    version = await readDataVersion(path, VERSION)
    epoch = await openEpoch(path, restore.isNew)
    await rm(at('run', 'scratch'), { recursive: true, force: true })
    const folders = [
      ...SHARED_FOLDERS.map((folder) => at('files', folder)),
      at('plugins', 'installed'),
      at('cache', 'plugins'),
      at('tls'),
    ]
    await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: OWNER_ONLY })))
    for (const file of await temporaryFilesIn(path)) await rm(file, { force: true })
  } catch (error) {
    lock.release()
    throw error
  }

  return {
    path,
    config: at('config.json'),
    configLastGood: at('config.json.last-good'),
    secretKey: at('secret.key'),
    database: at('database.sqlite'),
    keyValue: at('store.sqlite'),
    pluginRegistry: at('plugin-registry.json'),
    pluginCatalogue: at('plugin-catalogue.json'),
    installedPlugins: at('plugins', 'installed'),
    compiledPlugins: at('cache', 'plugins'),
    tls: at('tls'),
    run: at('run'),
    restore,
    isNew,
    version,
    epoch: epoch.id,
    shared: (folder) => at('files', folder),
    pluginFiles: (pluginId) => at('plugins', checked(pluginId), 'files'),
    databases: at('databases'),
    pluginDatabases: (pluginId) => at('databases', checked(pluginId)),
    stopping: () => lock.stopping(),
    async close() {
      await epoch.close().finally(() => lock.release())
    },
  }
}

// SQLite's codes for a file that cannot be written, made or read.
const SQLITE_UNWRITABLE: readonly unknown[] = [8, 10, 14]

/** Explains the error with a remedy; other errors are returned unchanged. */
function asUnwritable(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number }
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || errcode === 13
  if (isFull)
    return new PlayheadError('PLH_NOT_READY', `The disk of the data directory ${path} is full. Free some space.`, {
      cause: error,
    })
  // A read-only parent of a missing folder is ENOENT for a recursive mkdir.
  const isRefused = ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EEXIST'].includes(code ?? '')
  if (!isRefused && !SQLITE_UNWRITABLE.includes(errcode)) return error
  const user = process.getuid === undefined ? '' : ` by the user of this process (uid ${process.getuid()})`
  return new PlayheadError(
    'PLH_NOT_READY',
    `The data directory ${path} cannot be written to (${code ?? message}). It must be a folder that can be written to${user}: ` +
      'change its owner, mount it writable, or choose another one with PLAYHEAD_DATA_DIR.',
    { cause: error },
  )
}

/** Temporary files of a data directory, except those of installed plugins, which may be large. */
export async function temporaryFilesIn(path: string): Promise<readonly string[]> {
  const plugins = await readdir(join(path, 'plugins'), { withFileTypes: true }).catch(noneIfAbsent)
  const own = plugins.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name, 'files'))
  const folders = [...['files', 'tls', 'cache', 'run'].map((folder) => join(path, folder)), ...own]
  const below = await Promise.all(folders.map((folder) => temporaryFiles(folder, { recursive: true })))
  return [...(await temporaryFiles(path)), ...below.flat()]
}
