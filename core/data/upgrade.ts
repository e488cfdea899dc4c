// Upgrades of the data: a directory of a newer version is refused, and a database is copied before its first migration.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { defined, PlayheadError, type Logger } from '@playhead/sdk'
import { replaceFile, syncFolder } from '../storage/atomic-file.ts'

const FILE = 'version.json'
const KEPT = 3
/** A folder of copies. */
const FOLDER = /^\d{8}T\d{6}Z-from-[\w.-]+$/

export interface DataVersion {
  /** Version of the service that last wrote the directory; null for an empty directory or one of the first version. */
  readonly before: string | null
  /** An interrupted upgrade: the name of its folder of copies, which has the state before it. */
  readonly unfinished: string | null
}

interface Upgrade {
  /**
   * Call it before the first migration of a database with tables. Copies the database once per upgrade and records the
   * version: an older service must not open the directory afterwards.
   */
  beforeMigration(file: string): Promise<void>
  /** Call it after a good start. */
  confirm(): Promise<void>
}

interface Noted {
  readonly version?: unknown
  /** Present until the upgrade has ended. */
  readonly upgrade?: { readonly from?: unknown; readonly copies?: unknown }
}

/** Throws PLH_CONFLICT (`newer_data`) for a directory that a newer version has written. Changes nothing. */
export async function readDataVersion(root: string, version: string): Promise<DataVersion> {
  let noted: Noted
  try {
    noted = JSON.parse(await readFile(join(root, FILE), 'utf8')) as Noted
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { before: null, unfinished: null }
    if (!(error instanceof SyntaxError)) throw error
    // The file is torn. Each database still refuses migrations of a newer version.
    return { before: null, unfinished: null }
  }
  const written = String(noted.version)
  if (isNewer(written, version)) {
    throw new PlayheadError(
      'PLH_CONFLICT',
      `The data directory was written by Playhead ${written}, and this is ${version}. Nothing was changed: start ` +
        `${written} or a later version.`,
      { wire: 'newer_data' },
    )
  }
  const { from, copies } = noted.upgrade ?? {}
  if (typeof copies !== 'string' || !FOLDER.test(copies)) return { before: written, unfinished: null }
  return { before: typeof from === 'string' ? from : null, unfinished: copies }
}

export function createUpgrade({
  root,
  version,
  before,
  unfinished,
  now,
  log,
}: DataVersion & {
  readonly root: string
  readonly version: string
  readonly now: () => number
  readonly log: Logger
}): Upgrade {
  const all = join(root, 'files', 'backups', 'upgrades')
  const stamp = new Date(now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const name = unfinished ?? `${stamp}Z-from-${before?.replaceAll(/[^\w.-]/g, '') ?? 'first'}`
  const folder = join(all, name)
  const copies = new Map<string, Promise<void>>()
  let begun: Promise<unknown> | undefined
  let noted: Promise<unknown> | undefined
  if (unfinished !== null)
    log.warn(
      { from: before, to: version, copies: relative(root, folder) },
      'an upgrade of the data was interrupted; it continues, and the copies have the state before it',
    )

  /** Plugins added later migrate in a directory of this version, so they need no copy. */
  let isConfirmed = false
  const write = (by: string | null) =>
    replaceFile(
      join(root, FILE),
      `${JSON.stringify({ ...defined({ version: by ?? undefined }), upgrade: { from: before, copies: name } })}\n`,
    )
  /** Recorded before the first copy, so that the next start reuses the folder. The old version: nothing changed yet. */
  async function begin(): Promise<void> {
    if (!isConfirmed && unfinished === null) await (begun ??= write(before))
  }
  async function note(): Promise<void> {
    if (!isConfirmed) await (noted ??= write(version))
  }

  async function copy(file: string): Promise<void> {
    const target = join(folder, relative(root, file))
    const partial = `${target}.unfinished`
    // The copy of the interrupted start has the tables as they were before its migrations.
    const isThere = existsSync(target)
    try {
      await begin()
      if (!isThere) await copyTo(file, target, partial)
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {})
      throw new PlayheadError(
        'PLH_NOT_READY',
        `${basename(file)} must be copied before its tables are changed, and that failed (${(error as Error).message}). ` +
          'Nothing was changed: free some space or repair the rights, and start again.',
        { cause: error, wire: 'upgrade_backup_failed' },
      )
    }
    if (!isThere)
      log.info(
        { database: relative(root, file), copy: relative(root, target) },
        'a database was copied before its upgrade',
      )
    await note()
  }

  async function copyTo(file: string, target: string, partial: string): Promise<void> {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    // Files beside the database that an older version needs.
    if (before !== null) await replaceFile(join(folder, FILE), `${JSON.stringify({ version: before })}\n`)
    // Left behind by a killed process.
    for (const suffix of ['', '-journal']) await rm(partial + suffix, { force: true })
    using source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    await backup(source, partial, { rate: 1_000 })
    await rename(partial, target)
    await syncFolder(dirname(target))
  }

  return {
    beforeMigration: (file) => copies.getOrInsertComputed(file, () => copy(file)),
    async confirm() {
      isConfirmed = true
      await Promise.allSettled([begun, noted])
      const isUpgraded = copies.size > 0 || unfinished !== null
      if (before !== version || isUpgraded) await replaceFile(join(root, FILE), `${JSON.stringify({ version })}\n`)
      if (isUpgraded) log.info({ from: before, to: version, copies: relative(root, folder) }, 'the data were upgraded')
      const folders = (await readdir(all).catch(() => [])).sort()
      for (const old of folders.slice(0, -KEPT)) await rm(join(all, old), { recursive: true, force: true })
    },
  }
}

/** A patch version never changes stored data. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => /^(\d+)\.(\d+)\./.exec(text)?.slice(1).map(Number) ?? [0, 0]) as [
    [number, number],
    [number, number],
  ]
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])
}
