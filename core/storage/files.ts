// File access for plugins and people, confined to one folder of the data directory.
import { constants, mkdirSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { PlayheadError, type FileArea, type FileEntry } from '@playhead/sdk'
import { isTemporaryName, replaceFile } from './atomic-file.ts'
import { confinedPath, confinedTarget, notAllowed, pathParts } from './confined-path.ts'

const MAX_ENTRIES = 5_000
const STATS_AT_ONCE = 64
const OWNER_ONLY = 0o700
// Does not follow a link created after the check, and does not block on a pipe.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const WRITE = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
// A folder, a link, or a pipe without a reader.
const NOT_A_FILE = new Set(['EISDIR', 'ELOOP', 'ENXIO'])

/** @param root absolute path; created if missing */
export function createFileArea(root: string): FileArea {
  mkdirSync(root, { recursive: true, mode: OWNER_ONLY })

  return {
    async read(path) {
      const handle = await openFile(root, path)
      try {
        return await handle.readFile()
      } finally {
        await handle.close()
      }
    },

    async readStream(path, range = {}): Promise<Readable> {
      return (await openFile(root, path)).createReadStream({ autoClose: true, ...range })
    },

    write: (path, content) => put(root, path, content),
    writeStream: (path, source) => put(root, path, source),
    append: (path, content, at) => append(root, path, content, at),

    async list(path = '') {
      return await found(path, async () => await listFolder(await confinedTarget(root, path)))
    },

    async stat(path) {
      try {
        const stats = await lstat(await confinedTarget(root, path))
        return {
          isDir: stats.isDirectory(),
          size: stats.isFile() ? stats.size : 0,
          modifiedAtMs: Math.trunc(stats.mtimeMs),
        }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    async remove(path) {
      if (pathParts(path).length === 0) throw notAllowed()
      try {
        // Removes a link itself, not its target.
        await rm(await confinedPath(root, path), { recursive: true })
        return true
      } catch (error) {
        if (isMissing(error)) return false
        throw error
      }
    },
  }
}

async function openFile(root: string, path: string) {
  return await found(path, async () => {
    const handle = await open(await confinedTarget(root, path), READ)
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    throw new PlayheadError('PLH_INVALID', `"${path}" is not a file.`, { wire: 'not_a_file' })
  })
}

async function put(root: string, path: string, content: Parameters<typeof replaceFile>[1]): Promise<void> {
  if (pathParts(path).length === 0) throw notAllowed()
  const target = await confinedPath(root, path)
  await mkdir(dirname(target), { recursive: true, mode: OWNER_ONLY })
  try {
    await replaceFile(target, content)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    throw new PlayheadError('PLH_INVALID', `"${path}" is a folder.`, { wire: 'not_a_file', cause: error })
  }
}

async function append(root: string, path: string, content: string | Uint8Array, at?: number): Promise<number> {
  if (pathParts(path).length === 0) throw notAllowed()
  const target = await confinedPath(root, path)
  await mkdir(dirname(target), { recursive: true, mode: OWNER_ONLY })
  const handle = await open(target, WRITE, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (!NOT_A_FILE.has(error.code ?? '')) throw error
    throw new PlayheadError('PLH_INVALID', `"${path}" is not a file.`, { wire: 'not_a_file', cause: error })
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new PlayheadError('PLH_INVALID', `"${path}" is not a file.`, { wire: 'not_a_file' })
    const start = at ?? stats.size
    if (start > stats.size) throw new PlayheadError('PLH_CONFLICT', `"${path}" is shorter than ${start} bytes.`)
    if (start < stats.size) await handle.truncate(start)
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let done = 0; done < bytes.length; )
      done += (await handle.write(bytes, done, bytes.length - done, start + done)).bytesWritten
    await handle.sync()
    return start + bytes.length
  } finally {
    await handle.close()
  }
}

async function listFolder(folder: string): Promise<readonly FileEntry[]> {
  const names = (await readdir(folder))
    .filter((name) => !isTemporaryName(name))
    .sort()
    .slice(0, MAX_ENTRIES)
  const entries: FileEntry[] = []
  for (let start = 0; start < names.length; start += STATS_AT_ONCE) {
    const some = await Promise.all(names.slice(start, start + STATS_AT_ONCE).map((name) => describe(folder, name)))
    entries.push(...some.filter((entry) => entry !== undefined))
  }
  return entries
}

async function describe(folder: string, name: string): Promise<FileEntry | undefined> {
  try {
    const stats = await lstat(`${folder}/${name}`)
    return { name, isDir: stats.isDirectory(), ...(stats.isFile() ? { size: stats.size } : {}) }
  } catch (error) {
    // Deleted while listing.
    if (isMissing(error)) return undefined
    throw error
  }
}

async function found<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new PlayheadError('PLH_NOT_FOUND', `There is no "${path}".`, { cause: error })
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}
