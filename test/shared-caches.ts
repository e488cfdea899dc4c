// Compiling the plugins that ship costs seconds in each new data directory. Services of tests share what it gives:
// entries are found by the hash of their sources, so that none of them is ever used for others.
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const SHARED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'playhead-tests')
// The caches of a data directory: compiled plugins, and the core as Node keeps it.
const CACHES = ['plugins', 'core']
// Plugins that tests wrote themselves leave entries that nobody asks for again.
const KEPT_MS = 24 * 3_600_000

/** Before a service starts with this data directory. One that was started before keeps what it has. */
export async function shareCaches(dataDirectory: string): Promise<void> {
  await mkdir(join(dataDirectory, 'cache'), { recursive: true, mode: 0o700 })
  for (const cache of CACHES) {
    await mkdir(join(SHARED, cache), { recursive: true })
    await symlink(join(SHARED, cache), join(dataDirectory, 'cache', cache)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Before tests run, for what is old may be read at any moment while they do. */
export async function sweepCaches(): Promise<void> {
  for (const folder of ['plugins', join('plugins', 'threads'), join('hosts', 'threads')]) {
    for (const entry of await readdir(join(SHARED, folder), { withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile()) continue
      const file = join(SHARED, folder, entry.name)
      // Another run of the tests may sweep as well.
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (Date.now() - mtimeMs > KEPT_MS) await rm(file, { force: true })
    }
  }
}
