// Atomic, crash-safe file replacement.
import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'

type FileContent = string | Uint8Array | AsyncIterable<string | Uint8Array>

/** Identifies a version of a file without reading it. */
export type FileIdentity = string

const OWNER_ONLY = 0o600
const TEMPORARY = /^\.playhead-[0-9a-f]{16}\.tmp$/

/** Resolves after fsync. The temporary file is in the same folder, because a rename cannot cross volumes. */
export async function replaceFile(file: string, content: FileContent, mode = OWNER_ONLY): Promise<FileIdentity> {
  const folder = dirname(file)
  const temporary = join(folder, `.playhead-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const identity = await writeDurably(temporary, content, mode)
    await rename(temporary, file)
    await syncFolder(folder)
    return identity
  } catch (error) {
    // Leftovers are removed at the next start.
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

export function identityOf(stats: BigIntStats): FileIdentity {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

/** True for temporary file names. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name)
}

/**
 * Paths of temporary files, of active writes or of a killed process. Empty if a folder is missing or disappears. Linked
 * folders are left out: another service may be writing there.
 */
export async function temporaryFiles(root: string, { recursive = false } = {}): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(noneIfAbsent)
  const here = entries.filter((entry) => entry.isFile() && isTemporaryName(entry.name))
  // Not by the option of readdir, which follows links.
  const folders = recursive ? entries.filter((entry) => entry.isDirectory()) : []
  const below = await Promise.all(folders.map(({ name }) => temporaryFiles(join(root, name), { recursive })))
  return [...here.map(({ name }) => join(root, name)), ...below.flat()]
}

/** For listing a folder that may be missing. */
export function noneIfAbsent(error: NodeJS.ErrnoException): readonly never[] {
  if (error.code !== 'ENOENT') throw error
  return []
}

/** Removes temporary files of a killed process. Safe only without other writers. */
export async function sweepTemporaryFiles(root: string): Promise<void> {
  for (const file of await temporaryFiles(root)) await rm(file, { force: true })
}

async function writeDurably(file: string, content: FileContent, mode: number): Promise<FileIdentity> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
    return identityOf(await handle.stat({ bigint: true }))
  } finally {
    await handle.close()
  }
}

// Some file systems cannot fsync a folder.
const CANNOT_FLUSH_FOLDERS = new Set(['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'])

/** Flushes directory entries, where the file system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!CANNOT_FLUSH_FOLDERS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
