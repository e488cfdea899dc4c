// Compiling the plugins that ship costs seconds in each new data directory. Services of tests share what it gives:
// entries are found by the hash of their sources, so that none of them is ever used for others.
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const SHARED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'playhead-tests')
// The caches of a data directory: compiled plugins, and the core as Node keeps it.
const CACHES = ['plugins', 'core']
// Plugins that tests wrote themselves leave entries that nobody asks for again.
const KEPT_MS = 24 * 3_600_000

let swept: Promise<void> | undefined

/** Before a service starts with this data directory. One that was started before keeps what it has. */
export async function shareCaches(dataDirectory: string): Promise<void> {
  await (swept ??= sweep())
  await mkdir(join(dataDirectory, 'cache'), { recursive: true, mode: 0o700 })
  for (const cache of CACHES) {
    await symlink(join(SHARED, cache), join(dataDirectory, 'cache', cache)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function sweep(): Promise<void> {
  for (const cache of CACHES) await mkdir(join(SHARED, cache), { recursive: true })
  const plugins = join(SHARED, 'plugins')
  for (const name of await readdir(plugins)) {
    const file = join(plugins, name)
    // Another process may sweep as well.
    const mtimeMs = await stat(file).then(
      (found) => found.mtimeMs,
      () => Number.POSITIVE_INFINITY,
    )
    if (Date.now() - mtimeMs > KEPT_MS) await rm(file, { force: true })
  }
}
