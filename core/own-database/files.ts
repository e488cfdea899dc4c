// The files of a database: itself, its write-ahead log, and the index of the log, which only make sense together.
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const BESIDE = ['-wal', '-shm']

/** Makes an empty file that only its owner reads, unless there is one. */
export async function makeFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // One that exists is not opened: closing any descriptor of a file ends all the locks that the process has on it.
  if (await exists(file)) return
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    // Opened twice at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Moves a database that nobody writes to. The file goes first: SQLite removes a log that it finds beside an empty one.
 */
export async function moveFiles(from: string, to: string): Promise<void> {
  await rename(from, to)
  for (const suffix of BESIDE) {
    if (await exists(from + suffix)) await rename(from + suffix, to + suffix)
  }
}

export async function removeFiles(file: string): Promise<void> {
  for (const suffix of ['', ...BESIDE]) await rm(file + suffix, { force: true })
}

export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

export async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
