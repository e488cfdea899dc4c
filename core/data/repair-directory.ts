// Checks and repairs all databases of a directory that no service uses. The next start puts the new files in place, as
// after a restore, so that a crash leaves the old or the new ones.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PlayheadError, type RepairedDatabase, storageProblem } from '@playhead/sdk'
import { openDataDirectory } from '../storage/data-directory.ts'
import { storedFiles } from './places.ts'
import { findings, repair } from './repair.ts'
import { restorePaths, stageSwitch } from './switch.ts'

export interface RepairedDirectory {
  readonly checked: readonly string[]
  readonly repaired: readonly (Pick<RepairedDatabase, 'way' | 'tables'> & {
    readonly path: string
    /** The damaged file; a path in the data directory. */
    readonly kept: string
  })[]
  /** No row could be read. */
  readonly lost: readonly string[]
}

const SIDECARS = ['', '-wal', '-shm']
const KEPT = 'files/backups/damaged'

/** Throws `PLH_CONFLICT` while a service uses the directory, or a restore waits for its start. */
export async function repairDirectory(directory: string): Promise<RepairedDirectory> {
  if (!existsSync(directory))
    throw new PlayheadError('PLH_NOT_FOUND', `There is no data directory ${directory}. Name it with --data.`)
  if (existsSync(restorePaths(directory).pending) || existsSync(restorePaths(directory).journal))
    throw new PlayheadError('PLH_CONFLICT', 'A restore or repair is waiting for the next start. Start Playhead first.')
  const opened = await openDataDirectory(directory)
  const scratch = join(opened.run, 'scratch', 'repair')
  try {
    const staged = join(scratch, 'staged')
    await mkdir(staged, { recursive: true, mode: 0o700 })
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const checked: string[] = []
    const repaired: RepairedDirectory['repaired'][number][] = []
    const lost: string[] = []
    const files = await storedFiles(opened.path, () => 'state')
    for (const { path, part } of files.filter(({ kind, path: own, part: of }) => kind === 'database' && own === of)) {
      const copy = join(scratch, 'copy.sqlite')
      // With its write-ahead log, which has the last changes.
      for (const suffix of SIDECARS) {
        await rm(copy + suffix, { force: true })
        if (existsSync(join(opened.path, path) + suffix))
          await copyFile(join(opened.path, path) + suffix, copy + suffix)
      }
      if (isHealthy(copy)) {
        checked.push(part)
        continue
      }
      try {
        const target = join(staged, path)
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        const { way, tables } = await repair(copy, target)
        const kept = `${KEPT}/${path.replaceAll('/', '_').replace(/\.sqlite$/, '')}-${stamp}.sqlite`
        await mkdir(join(opened.path, KEPT), { recursive: true, mode: 0o700 })
        for (const suffix of SIDECARS)
          if (existsSync(join(opened.path, path) + suffix))
            await copyFile(join(opened.path, path) + suffix, join(opened.path, kept) + suffix)
        repaired.push({ path, way, tables, kept })
      } catch (error) {
        if (storageProblem(error) !== undefined) throw error
        await rm(join(staged, path), { force: true })
        lost.push(path)
      }
    }
    if (repaired.length > 0)
      await stageSwitch(opened.path, staged, {
        label: `Repair of ${repaired.map(({ path }) => path).join(', ')}`,
        stagedAtMs: Date.now(),
        groups: [],
        files: repaired.map(({ path }) => path),
        owners: {},
        lostRows: repaired.some(({ tables }) => tables.some(({ complete }) => !complete)),
      })
    return { checked, repaired, lost }
  } finally {
    await rm(scratch, { recursive: true, force: true })
    await opened.close()
  }
}

function isHealthy(file: string): boolean {
  try {
    using database = new DatabaseSync(file)
    return findings(database).length === 0
  } catch {
    return false
  }
}
