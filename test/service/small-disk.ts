// A separate file system for tests that can be full or read-only: a small one in memory, where the machine allows mounting.
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SmallDisk = NonNullable<Awaited<ReturnType<typeof mountSmallDisk>>>

/** null if mounting is not allowed. */
export async function mountSmallDisk(sizeMb: number) {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder]).status !== 0) {
    await rm(folder, { recursive: true })
    return null
  }
  const filler = join(folder, 'filler')
  const bound = new Set<string>()
  return {
    folder,
    /** Fills the disk except for this many bytes. */
    fill(leftBytes = 0) {
      const chunk = Buffer.alloc(1_024 * 1_024)
      // Write most of it at once.
      const most = freeBytes(folder) - leftBytes - 2 * chunk.length
      const from = String(existsSync(filler) ? statSync(filler).size : 0)
      if (most > 0) spawnSync('fallocate', ['-o', from, '-l', String(most), filler])
      const file = openSync(filler, 'a')
      try {
        for (let size = chunk.length; size >= 4_096; ) {
          if (freeBytes(folder) - leftBytes < size) size /= 2
          else if (writeSync(file, chunk, 0, size) < size) break
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    /** Makes a folder read-only while other files are still writable. */
    readOnly(path: string) {
      const at = join(folder, path)
      if (!bound.has(at)) spawnSync('mount', ['--bind', at, at])
      bound.add(at)
      return spawnSync('mount', ['-o', 'remount,bind,ro', at]).status === 0
    },
    writable(path: string) {
      const at = join(folder, path)
      spawnSync('umount', ['-l', at])
      bound.delete(at)
    },
    /** Remounts the whole disk; no file may be open. */
    remount: (mode: 'ro' | 'rw') => spawnSync('mount', ['-o', `remount,${mode}`, folder]).status === 0,
    async [Symbol.asyncDispose]() {
      for (const at of bound) spawnSync('umount', ['-l', at])
      spawnSync('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
