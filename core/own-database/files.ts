// The files of a database, which belong together: main file, write-ahead log and its index.
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const BESIDE = ['-wal', '-shm']

/** Creates an empty, private file if missing. */
export async function makeFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // An existing file is not opened: closing any descriptor would release all SQLite locks of the process.
  if (await exists(file)) return
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    // A concurrent call created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Moves a database without writers. The main file first: SQLite deletes a log beside an empty one. */
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
