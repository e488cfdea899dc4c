// Prevents two services in one data directory. The lock is SQLite's exclusive lock on an empty database: the kernel
// releases it with the process, even after kill -9, and it works across containers. A second file names the holder.
//
// Never open the lock file in another way: closing any descriptor releases all locks of the process on it.
import { hostname } from 'node:os'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PlayheadError } from '@playhead/sdk'

const SQLITE_BUSY = 5

const Holder = Type.Object({ pid: Type.Integer(), host: Type.String(), since: Type.String() })
type Holder = Static<typeof Holder>

export interface DirectoryLock {
  release(): void
}

/** Takes the lock or throws PLH_CONFLICT with the holder. */
export async function lockDirectory(folder: string): Promise<DirectoryLock> {
  const holderFile = join(folder, 'holder.json')
  const database = new DatabaseSync(join(folder, 'lock.sqlite'))
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error
    throw new PlayheadError(
      'PLH_CONFLICT',
      `Another Playhead uses this data directory (${await describeHolder(holderFile)}). ` +
        'Stop it, or choose another directory.',
    )
  }
  try {
    const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
    await writeFile(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  } catch (error) {
    database.close()
    throw error
  }
  return {
    release() {
      if (database.isOpen) database.close()
    },
  }
}

async function describeHolder(file: string): Promise<string> {
  try {
    const holder: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (Value.Check(Holder, holder)) return `process ${holder.pid} on ${holder.host}, since ${holder.since}`
  } catch {
    // The holder's name is only informative.
  }
  return 'which one is not recorded'
}
