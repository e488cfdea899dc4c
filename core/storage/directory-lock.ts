// Makes sure that two services never work in one data directory. The lock is SQLite's exclusive lock on an empty
// database: the kernel holds it for the process, so it is gone the moment the process is, also after kill -9, and it
// works between containers that share a volume. A second file says who holds it.
//
// The lock file must never be opened in any other way: closing any descriptor of a file ends all of a process's locks
// on it.
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

/** Takes the lock or throws PLH_CONFLICT that names the holder. */
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
    // Who it is helps; that it is taken is what counts.
  }
  return 'which one is not recorded'
}
