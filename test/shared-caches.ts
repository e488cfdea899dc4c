// Compiling the shipped plugins costs seconds in each new data directory. Test services share the results: entries are keyed by
// the hash of their sources, so a wrong entry is never used.
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashOf } from '../core/built.js'

const ROOT = join(import.meta.dirname, '..')
const SHARED = join(ROOT, 'node_modules', '.cache', 'playhead-tests')
// The caches of a data directory: compiled plugins, and the core as Node caches it.
const CACHES = ['plugins', 'core']
// Plugins of tests leave entries that are not used again.
const KEPT_MS = 24 * 3_600_000

/** Names the folder with the snapshots of the shipped plugins; set by the runner for its groups. */
const SNAPSHOTS = 'PLAYHEAD_TEST_SNAPSHOTS'

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

/**
 * Lets the shipped plugins stay dormant until they are used, as after an installation. Without the runner they all run,
 * which takes a start twice as long. A snapshot is valid only for the sources that it was made of.
 */
export async function lendSnapshots(dataDirectory: string): Promise<void> {
  const from = process.env[SNAPSHOTS]
  const to = join(dataDirectory, 'run', 'plugins')
  if (from === undefined || (await stat(to).catch(() => null)) !== null) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  // A service replaces its files, links included, and never writes into them.
  for (const name of await readdir(from)) await symlink(join(from, name), join(to, name))
}

/** Called once, by the runner: what its groups need in their environment. */
export async function makeSnapshots(): Promise<Readonly<Record<string, string>>> {
  const sources = globSync('{core,sdk,plugins}/**/*.{ts,js,json}', { cwd: ROOT, exclude: ['**/node_modules'] }).sort()
  const name = `snapshots-${hashOf(ROOT, sources)}`
  const folder = join(SHARED, name)
  if ((await stat(folder).catch(() => null)) === null) {
    await mkdir(SHARED, { recursive: true })
    const made = await mkdtemp(join(SHARED, 'new-'))
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run', 'snapshots.ts'), made])
    // Another run may have made the same ones.
    await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }))
  }
  return { [SNAPSHOTS]: folder }
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
  for (const entry of await readdir(SHARED).catch(() => [])) {
    const { mtimeMs } = await stat(join(SHARED, entry)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (/^(snapshots|new)-/.test(entry) && Date.now() - mtimeMs > KEPT_MS)
      await rm(join(SHARED, entry), { recursive: true, force: true })
  }
}
