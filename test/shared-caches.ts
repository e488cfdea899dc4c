// Compiling the shipped plugins costs seconds in each new data directory. Test services share the results: entries are keyed by
// the hash of their sources, so a wrong entry is never used.
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const SHARED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'playhead-tests')
// The caches of a data directory: compiled plugins, and the core as Node caches it.
const CACHES = ['plugins', 'core']
// Plugins of tests leave entries that are not used again.
const KEPT_MS = 24 * 3_600_000

/** Called before a service starts with this data directory. A directory that was used before keeps its caches. */
export async function shareCaches(dataDirectory: string): Promise<void> {
  await mkdir(join(dataDirectory, 'cache'), { recursive: true, mode: 0o700 })
  for (const cache of CACHES) {
    await mkdir(join(SHARED, cache), { recursive: true })
    await symlink(join(SHARED, cache), join(dataDirectory, 'cache', cache)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Called before tests run, because old entries may be read at any time while they run. */
export async function sweepCaches(): Promise<void> {
  for (const folder of ['plugins', join('plugins', 'threads'), join('hosts', 'threads')]) {
    for (const entry of await readdir(join(SHARED, folder), { withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile()) continue
      const file = join(SHARED, folder, entry.name)
      // Another test run may delete entries at the same time.
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (Date.now() - mtimeMs > KEPT_MS) await rm(file, { force: true })
    }
  }
}
