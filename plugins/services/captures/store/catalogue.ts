// The catalogue of capture files: an index beside the files. The files are authoritative; the index follows changes of the folder
// and is rebuilt if it is missing.
import {
  createTurns,
  type FileArea,
  isPlayheadError,
  type Logger,
  PlayheadError,
  type Remote,
  type Tables,
} from '@playhead/sdk'
import type { CaptureEntry } from '../contract.ts'
import { isCaptureName, newPath, stampOf } from '../names.ts'
import type { Work } from '../work/thread.ts'
import { DELETING, FILES } from './tables.ts'

export interface Catalogue {
  /** All files, newest first. */
  list(): Promise<readonly CaptureEntry[]>
  /** Throws `PLH_NOT_FOUND` (`capture_not_found`). */
  get(path: string): Promise<CaptureEntry>
  /** Writes a file atomically. */
  write(of: Parameters<typeof newPath>[0], atMs: number, write: (path: string) => Promise<void>): Promise<CaptureEntry>
  /** Deletes files; once committed, the deletion completes even after a crash. Returns the files that could not be deleted. */
  remove(paths: readonly string[]): Promise<readonly string[]>
  /** After a start: completes interrupted deletions. */
  recover(): Promise<void>
}

interface CatalogueOptions {
  readonly db: Tables
  readonly files: FileArea
  readonly work: Remote<Work>
  readonly log: Logger
}

export function createCatalogue({ db, files, work, log }: CatalogueOptions): Catalogue {
  /** The folder is scanned, and empty folders are removed, only while no file is being created. */
  const turn = createTurns()
  const writing = new Map<string, number>()
  let scanning: Promise<readonly CaptureEntry[]> | undefined

  async function scan(): Promise<readonly CaptureEntry[]> {
    const [known, leaving] = [await indexed(), await deleting()]
    const entries: CaptureEntry[] = []
    for (const { path, size } of await filesIn('')) {
      if (leaving.has(path)) continue
      const own = known.get(path)
      known.delete(path)
      entries.push(own?.size === size ? own : await learn(path))
    }
    if (known.size > 0) await forget([...known.keys()])
    return entries.sort(
      (a, b) => b.mtime - a.mtime || (a.stamp === b.stamp ? (a.path < b.path ? 1 : -1) : a.stamp < b.stamp ? 1 : -1),
    )
  }

  async function indexed(): Promise<Map<string, CaptureEntry>> {
    const rows = await db.selectFrom(FILES).select(['path', 'entry']).execute()
    return new Map(rows.map(({ path, entry }) => [String(path), JSON.parse(String(entry)) as CaptureEntry]))
  }

  async function deleting(): Promise<ReadonlySet<string>> {
    return new Set((await db.selectFrom(DELETING).select('path').execute()).map(({ path }) => String(path)))
  }

  /** Captures in the folder and its subfolders. Links are not followed. */
  async function filesIn(folder: string): Promise<readonly { readonly path: string; readonly size: number }[]> {
    const found: { path: string; size: number }[] = []
    for (const { name, isDir, size } of await files.list(folder).catch(ifMissing)) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (isDir && folder === '') found.push(...(await filesIn(path)))
      else if (!isDir && size !== undefined && isCaptureName(name)) found.push({ path, size })
    }
    return found
  }

  async function learn(path: string): Promise<CaptureEntry> {
    const stat = await files.stat(path)
    const about = { path, size: stat?.size ?? 0, mtime: Math.floor((stat?.modifiedAtMs ?? 0) / 1_000) }
    let entry: CaptureEntry
    try {
      entry = { ...about, ...(await work.summary(path)) }
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_INVALID')) throw error
      log.warn({ path }, 'a file in the folder of captures is no capture, or damaged')
      entry = { ...about, ...broken(about.mtime) }
    }
    const row = { path, size: entry.size, mtime: entry.mtime, entry: JSON.stringify(entry) }
    await db
      .insertInto(FILES)
      .values(row)
      .onConflict((conflict) => conflict.column('path').doUpdateSet(row))
      .execute()
    return entry
  }

  async function forget(paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += 200)
      await db
        .deleteFrom(FILES)
        .where('path', 'in', paths.slice(start, start + 200))
        .execute()
  }

  async function finish(paths: readonly string[]): Promise<readonly string[]> {
    const left: string[] = []
    for (const path of paths) {
      try {
        await files.remove(path)
      } catch (error) {
        log.warn({ err: error, path }, 'a capture could not be deleted')
        left.push(path)
      }
    }
    for (let start = 0; start < paths.length; start += 200)
      await db
        .deleteFrom(DELETING)
        .where('path', 'in', paths.slice(start, start + 200))
        .execute()
    for (const folder of new Set(paths.map((path) => path.split('/').slice(0, -1).join('/')))) await tidy(folder)
    return left
  }

  /** Removes an empty folder. */
  async function tidy(folder: string): Promise<void> {
    if (folder === '' || writing.has(folder)) return
    if ((await files.list(folder).catch(ifMissing)).length === 0) await files.remove(folder).catch(() => {})
  }

  const list = () => (scanning ??= turn(scan).finally(() => (scanning = undefined)))

  return {
    list,
    async get(path) {
      const found = (await list()).find((one) => one.path === path)
      if (found !== undefined) return found
      throw new PlayheadError('PLH_NOT_FOUND', 'This capture does not exist.', { wire: 'capture_not_found' })
    },
    async write(of, atMs, write) {
      const path = newPath(of, atMs)
      const folder = path.split('/')[0]!
      await turn(async () => void writing.set(folder, (writing.get(folder) ?? 0) + 1))
      try {
        await write(path)
        return await turn(() => learn(path))
      } finally {
        await turn(async () => {
          const others = writing.get(folder)! - 1
          if (others > 0) writing.set(folder, others)
          else writing.delete(folder)
          await tidy(folder)
        })
      }
    },
    remove: (paths) =>
      turn(async () => {
        await db.transaction().execute(async (transaction) => {
          for (const path of paths) {
            await transaction
              .insertInto(DELETING)
              .values({ path })
              .onConflict((conflict) => conflict.doNothing())
              .execute()
            await transaction.deleteFrom(FILES).where('path', '=', path).execute()
          }
        })
        return finish(paths)
      }),
    recover: () =>
      turn(async () => {
        const cut = [...(await deleting())]
        if (cut.length > 0) await finish(cut)
      }),
  }
}

function broken(mtime: number): Omit<CaptureEntry, 'path' | 'size' | 'mtime'> {
  return {
    stamp: stampOf(mtime * 1_000),
    kind: 'broken',
    format: 2,
    header: {
      kind: 'snapshot',
      created_at: '',
      provider: '',
      instance: '',
      feature: 'all',
      label: '',
      trigger: 'manual',
    },
    count: 0,
    stats: { feature: 'all', count: 0 },
    complete: false,
    account: null,
    scope: null,
    doubt: null,
    unreadable: 0,
    children: [],
  }
}

function ifMissing(error: unknown): readonly never[] {
  if (isPlayheadError(error, 'PLH_NOT_FOUND')) return []
  throw error
}
