// Upgrades of the data: a directory of a newer version is refused, and a database is copied before its first migration.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { replaceFile } from '../storage/atomic-file.ts'

const FILE = 'version.json'
const KEPT = 3

export interface DataVersion {
  /** Of the service that wrote the directory last; null for an empty directory or one of the first version. */
  readonly before: string | null
}

export interface Upgrade {
  /**
   * To be called before the first migration of a database that has tables already. Copies it, once per start, and notes
   * the version: from then on an older one must not open the directory.
   */
  beforeMigration(file: string): Promise<void>
  /** After a good start. */
  confirm(): Promise<void>
}

/** Throws PLH_CONFLICT (`newer_data`) for a directory that a newer version has written. Changes nothing. */
export async function readDataVersion(root: string, version: string): Promise<DataVersion> {
  let before: string
  try {
    before = String((JSON.parse(await readFile(join(root, FILE), 'utf8')) as { version?: unknown }).version)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { before: null }
    if (!(error instanceof SyntaxError)) throw error
    // A torn file: the migrations of each database still refuse what is newer.
    return { before: null }
  }
  if (isNewer(before, version)) {
    throw new PlayheadError(
      'PLH_CONFLICT',
      `The data directory was written by Playhead ${before}, and this is ${version}. Nothing was changed: start ` +
        `${before} or a later version.`,
      { wire: 'newer_data' },
    )
  }
  return { before }
}

export function createUpgrade({
  root,
  version,
  before,
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
  const folder = join(all, `${stamp}Z-from-${before?.replaceAll(/[^\w.-]/g, '') ?? 'first'}`)
  const copies = new Map<string, Promise<void>>()
  let noting: Promise<unknown> | undefined

  const note = () => (noting ??= replaceFile(join(root, FILE), `${JSON.stringify({ version })}\n`))

  async function copy(file: string): Promise<void> {
    const target = join(folder, relative(root, file))
    const unfinished = `${target}.unfinished`
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      // What an older version needs to find beside it.
      if (before !== null) await replaceFile(join(folder, FILE), `${JSON.stringify({ version: before })}\n`)
      using source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
      source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
      await backup(source, unfinished, { rate: 1_000 })
      await rename(unfinished, target)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw new PlayheadError(
        'PLH_NOT_READY',
        `${basename(file)} must be copied before its tables are changed, and that failed (${(error as Error).message}). ` +
          'Nothing was changed: free some space or repair the rights, and start again.',
        { cause: error, wire: 'upgrade_backup_failed' },
      )
    }
    log.info(
      { database: relative(root, file), copy: relative(root, target) },
      'a database was copied before its upgrade',
    )
    await note()
  }

  return {
    beforeMigration: (file) => copies.getOrInsertComputed(file, () => copy(file)),
    async confirm() {
      if (before !== version) await note()
      const folders = (await readdir(all).catch(() => [])).sort()
      for (const name of folders.slice(0, -KEPT)) await rm(join(all, name), { recursive: true, force: true })
    },
  }
}

/** A patch never changes what is stored. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => /^(\d+)\.(\d+)\./.exec(text)?.slice(1).map(Number) ?? [0, 0]) as [
    [number, number],
    [number, number],
  ]
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])
}
