// Classifies the files of the data directory, for everything that backs up, restores or moves data.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataGroup, DataPlace } from '@playhead/sdk'
import { isTemporaryName } from '../storage/atomic-file.ts'

/** The group of a plugin's data, from its plugin.json. */
export type GroupOf = (plugin: string) => DataGroup

interface PlacedFile extends DataPlace {
  readonly path: string
}

/** A file that belongs to a part: the file itself, or the log or index of a database. */
interface StoredFile extends PlacedFile {
  /** Path of the part. */
  readonly part: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

const PLUGIN_ID = /^[a-z][a-z0-9-]{1,39}$/
const DATABASE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.sqlite$/
const SIDECAR = /\.sqlite-(?:wal|shm|journal)$/
const SHARED: readonly DataGroup[] = ['captures', 'reports', 'exports', 'imports', 'cache', 'backups']
const TOP: Readonly<Record<string, DataPlace>> = {
  'config.json': { kind: 'file', group: 'config', owner: 'core' },
  'config.json.last-good': { kind: 'file', group: 'config', owner: 'core' },
  'plugin-registry.json': { kind: 'file', group: 'config', owner: 'core' },
  // Holds the number below which a list is refused.
  'plugin-catalogue.json': { kind: 'file', group: 'state', owner: 'core' },
  'secret.key': { kind: 'file', group: 'key', owner: 'core' },
  // The version that wrote the databases.
  'version.json': { kind: 'file', group: 'state', owner: 'core' },
  'database.sqlite': { kind: 'database', group: 'state', owner: 'core' },
  'store.sqlite': { kind: 'database', group: 'state', owner: 'core' },
}
/** All other parts are below these folders. */
const FOLDERS = ['tls', 'databases', 'plugins', 'files']

/** The place of a normalized relative path. */
export function placeOf(path: string, groupOf: GroupOf): DataPlace | undefined {
  if (Object.hasOwn(TOP, path)) return TOP[path]
  const segments = path.split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..' || isTemporaryName(segment)))
    return undefined
  const [folder, first = '', second = ''] = segments
  if (folder === 'tls' && segments.length > 1) return { kind: 'file', group: 'tls', owner: 'core' }
  if (folder === 'files' && segments.length > 2) {
    const group = SHARED.find((one) => one === first)
    return group === undefined ? undefined : { kind: 'file', group, owner: 'shared' }
  }
  if (!PLUGIN_ID.test(first) || segments.length < 3) return undefined
  if (folder === 'databases' && segments.length === 3 && DATABASE.test(second))
    return { kind: 'database', group: groupOf(first), owner: first }
  if (folder === 'plugins' && first !== 'installed' && second === 'files' && segments.length > 3)
    return { kind: 'file', group: groupOf(first), owner: first }
  return undefined
}

/** All files of all parts below the data directory, in order of their paths. Links are left out. */
export async function storedFiles(root: string, groupOf: GroupOf): Promise<readonly StoredFile[]> {
  const found: StoredFile[] = []
  const add = async (path: string) => {
    const part = SIDECAR.test(path) ? path.slice(0, path.lastIndexOf('-')) : path
    const place = placeOf(part, groupOf)
    if (place === undefined || (part !== path && place.kind !== 'database')) return
    const stats = await lstat(join(root, path)).catch(ifMissing)
    if (stats?.isFile() === true)
      found.push({ path, part, ...place, sizeBytes: stats.size, modifiedAtMs: Math.trunc(stats.mtimeMs) })
  }
  async function walk(folder: string): Promise<void> {
    // Depth first, one folder at a time, so that the names of a large directory are never all in memory.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
      throw error
    })
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (folder !== '' || FOLDERS.includes(entry.name)) await walk(path)
      } else if (entry.isFile()) await add(path)
    }
  }
  await walk('')
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
