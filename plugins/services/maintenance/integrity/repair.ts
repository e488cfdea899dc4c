// Repairs a database: builds a healthy file from a copy, which replaces the database at the next start. The damaged file is kept
// among the backups.
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  isPlayheadError,
  PlayheadError,
  type PluginContext,
  type RepairedDatabase,
  storageProblem,
} from '@playhead/sdk'
import type { Integrity } from './integrity.ts'

interface RepairReport extends Omit<RepairedDatabase, 'sha256'> {
  readonly path: string
  /** The damaged file, in the data directory. */
  readonly kept: string
}

interface RepairParts {
  readonly ctx: PluginContext
  readonly integrity: Integrity
}

const KEPT = 'files/backups/damaged'

export async function repairDatabase({ ctx, integrity }: RepairParts, path: string): Promise<RepairReport> {
  const data = ctx.data()
  using _hold = ctx.work.begin({ kind: 'maintenance', label: `The repair of ${path}`, exclusive: true })
  const folder = join(await data.scratch(), `repair-${Date.now()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const copy = join(folder, 'copy.sqlite')
    await orNotRepairable(ctx, path, () => data.copyDatabases([{ path, to: copy }], ctx.signal))
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const kept = `${KEPT}/${path.replaceAll('/', '_').replace(/\.sqlite$/, '')}-${stamp}.sqlite`
    await mkdir(join(data.path, KEPT), { recursive: true, mode: 0o700 })
    const original = join(folder, 'original.sqlite')
    await data.copyDatabases([{ path, to: original }], ctx.signal)
    const staged = join(folder, 'staged')
    const target = join(staged, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const { sha256, ...repaired } = await orNotRepairable(ctx, path, () => data.repairCopy(copy, target))
    await rename(original, join(data.path, kept))
    await data.stageRestore(staged, {
      files: [{ path, size: repaired.size, sha256 }],
      groups: [],
      label: `Repair of ${path}`,
      lostRows: repaired.tables.some(({ complete }) => !complete),
    })
    integrity.forget(path)
    ctx.log
      .channel('MAINTENANCE')
      .warn({ ...repaired, path, kept }, 'a database was repaired; it is used after the restart')
    return { path, kept, ...repaired }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Throws unless a database of this name exists. */
export async function assertDatabase(ctx: PluginContext, path: string): Promise<void> {
  const data = ctx.data()
  const isThere = await stat(join(data.path, data.placeOf(path)?.kind === 'database' ? path : '\0')).catch(() => null)
  if (isThere === null)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no database ${JSON.stringify(path.slice(0, 200))}.`, {
      wire: 'unknown_database',
    })
}

async function orNotRepairable<Result>(ctx: PluginContext, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // The cause is a full disk or the end of the plugin, not the file.
    if (isPlayheadError(error) || storageProblem(error) !== undefined) throw error
    ctx.log.channel('MAINTENANCE').error({ err: error, path }, 'a database cannot be repaired')
    throw new PlayheadError('PLH_CONFLICT', `Nothing can be read of ${path}. Restore a backup; nothing was changed.`, {
      wire: 'not_repairable',
      cause: error,
    })
  }
}
