// The whole data directory, as plugins with `needs.data` use it.
import { readFileSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { PlayheadError, PluginRegistry } from '@playhead/sdk'
import type {
  DataDirectory,
  DataGroup,
  DataLeftover,
  DataPart,
  FileArea,
  Logger,
  PendingRestore,
  RestoreOutcome,
  RestorePlan,
  WorkRegistry,
} from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'
import type { Clock } from '../clock.ts'
import { threadModule } from '../installation.ts'
import { createOwnThread } from '../own-thread/start.ts'
import { replaceFile } from '../storage/atomic-file.ts'
import { temporaryFilesIn } from '../storage/data-directory.ts'
import { createFileArea } from '../storage/files.ts'
import { confinedTarget } from '../storage/confined-path.ts'
import { placeOf, storedFiles, type GroupOf } from './places.ts'
import { restorePaths, stageSwitch, type SwitchPlan } from './switch.ts'
import type { DataThread } from './thread.ts'
import { defined } from '@playhead/sdk/host'

const CUT_OFF_MS = 3_600_000
/** Longer than the pause between two databases of a check. */
const THREAD_IDLE_MS = 2_000
const MAX_LEFTOVERS = 100
const CATALOGUE = 'plugin-catalogue.json'

interface DataOptions {
  /** Absolute path of the data directory. */
  readonly root: string
  readonly clock: Clock
  readonly log: Logger
  /** The key of encrypted settings, unless there is a passphrase. */
  readonly keyFile: string
  readonly passphrase: string | null
  readonly lastRestore: RestoreOutcome | null
  readonly work: WorkRegistry
  /** Called when a restore is staged: the restart would undo later changes, so the service must refuse them. */
  readonly onStaged: (pending: PendingRestore) => void
}

export interface DataHost {
  /** The groups of all known plugins' data. */
  groups(): ReadonlyMap<string, DataGroup>
  restart(reason: string): void
}

export interface CoreData {
  /** The service for one plugin. */
  of(plugin: string, host: DataHost): DataDirectory
  close(): Promise<void>
}

export function createData({
  root,
  clock,
  log,
  keyFile,
  passphrase,
  lastRestore,
  work,
  onStaged,
}: DataOptions): CoreData {
  const thread = createOwnThread<DataThread>({
    module: async () => threadModule('data/thread.ts'),
    databases: join(root, 'databases'),
    log,
    registry: work,
    use: () => ({}),
    idleMs: THREAD_IDLE_MS,
  })
  const paths = restorePaths(root)
  let pending: PendingRestore | null = readPending(paths.plan)
  let isStaging = false

  async function databaseFile(path: string): Promise<string> {
    if (placeOf(path, () => 'state')?.kind !== 'database') throw noDatabase(path)
    const file = join(root, path)
    // Not opened: closing a descriptor would release the locks of the process.
    const stats = await lstat(file).catch(() => null)
    if (stats?.isFile() !== true) throw noDatabase(path)
    return file
  }

  async function parts(groupOf: GroupOf): Promise<readonly DataPart[]> {
    const byPath = new Map<string, DataPart>()
    for (const { part, path, kind, group, owner, sizeBytes, modifiedAtMs } of await storedFiles(root, groupOf)) {
      const known = byPath.get(part)
      // A log without its database is not listed.
      if (known === undefined && path !== part) continue
      byPath.set(part, {
        path: part,
        kind,
        group,
        owner,
        sizeBytes: sizeBytes + (known?.sizeBytes ?? 0),
        modifiedAtMs: Math.max(modifiedAtMs, known?.modifiedAtMs ?? 0),
      })
    }
    return [...byPath.values()]
  }

  async function stage(folder: string, plan: RestorePlan, groups: ReadonlyMap<string, DataGroup>): Promise<void> {
    if (pending !== null || isStaging)
      throw new PlayheadError('PLH_CONFLICT', 'A restore is waiting for a restart. Restart Playhead first.', {
        wire: 'restart_required',
      })
    isStaging = true
    try {
      const groupOf: GroupOf = (plugin) => groups.get(plugin) ?? 'state'
      const problems = plan.files.flatMap(({ path }) => {
        const place = placeOf(path, groupOf)
        return place === undefined || place.group === 'backups' ? [`not_restorable: ${path}`] : []
      })
      // Backups are never replaced, because the backup of the replaced data is among them.
      if (plan.groups.includes('backups')) problems.push('not_restorable: all backups')
      if (problems.length === 0)
        problems.push(...(await thread.work.verify(folder, plan.files, new AbortController().signal)))
      for (const { path } of problems.length > 0 ? [] : plan.files) {
        if (placeOf(path, groupOf)?.kind !== 'database') continue
        const { healthy, integrity } = await thread.work.check(join(folder, path), true)
        if (!healthy && integrity.length > 0) problems.push(`damaged_database: ${path}`)
        for (const suffix of ['-wal', '-shm']) await rm(join(folder, path) + suffix, { force: true })
      }
      if (problems.length > 0)
        throw new PlayheadError('PLH_INVALID', 'The unpacked backup does not match its list. Nothing was changed.', {
          wire: 'restore_invalid',
          details: { problems },
        })
      await keepInstalledPlugins(join(folder, 'plugin-registry.json'), join(root, 'plugin-registry.json'))
      const files = await keepCatalogue(folder, root, plan)

      const stagedAtMs = clock.now()
      const switchPlan: SwitchPlan = {
        label: plan.label,
        stagedAtMs,
        groups: [...plan.groups],
        files,
        owners: Object.fromEntries(groups),
        ...(plan.lostRows === true ? { lostRows: true } : {}),
      }
      await stageSwitch(root, folder, switchPlan)
      pending = { label: plan.label, stagedAtMs }
      onStaged(pending)
      log.info({ label: plan.label, files: plan.files.length }, 'a restore is ready; it takes effect with the restart')
    } finally {
      isStaging = false
    }
  }

  return {
    of: (plugin, host) => {
      let scratchFiles: FileArea | undefined
      const groupOf: GroupOf = (id) => host.groups().get(id) ?? 'state'
      return {
        path: root,
        async scratch() {
          const folder = join(root, 'run', 'scratch', plugin)
          await mkdir(folder, { recursive: true, mode: 0o700 })
          return folder
        },
        get scratchFiles() {
          return (scratchFiles ??= createFileArea(join(root, 'run', 'scratch', plugin)))
        },
        parts: () => parts(groupOf),
        leftovers: () => leftovers(root, clock.now() - CUT_OFF_MS),
        placeOf: (path) => placeOf(path, groupOf),
        async copyDatabases(copies, signal = new AbortController().signal) {
          const requests = await Promise.all(
            copies.map(async ({ path, to }) => ({ from: await databaseFile(path), to })),
          )
          const copied = await thread.work.copy(requests, signal)
          return copied.map((facts, index) => ({ ...(copies[index] as (typeof copies)[number]), ...facts }))
        },
        check: async (path, { quick = false } = {}) => await thread.work.check(await databaseFile(path), quick),
        repairCopy: (copy, target) => thread.work.repair(copy, target),
        schemaVersions: async (path) => await thread.work.schemaVersions(await databaseFile(path)),
        optimise: async (path) => await thread.work.optimise(await databaseFile(path)),
        checkSettings: (settings, key) => thread.work.checkSettings({ settings, key, keyFile, passphrase }),
        async stageRestore(folder, plan) {
          const own = join(root, 'run', 'scratch', plugin)
          if (!folder.startsWith(own + sep)) throw new TypeError('the folder of a restore is below scratch()')
          await stage(join(own, await relativeTo(own, folder)), plan, host.groups())
        },
        pendingRestore: () => pending,
        lastRestore: () => lastRestore,
        async disk() {
          const { bavail, blocks, bsize } = await statfs(root)
          return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, usedBytes: await bytesBelow(root) }
        },
        restart: (reason) => host.restart(reason),
      }
    },
    close: () => thread.close(),
  }
}

/** The path below a folder, with no link on the way out of it. */
async function relativeTo(own: string, folder: string): Promise<string> {
  const inside = folder.slice(own.length + 1)
  await confinedTarget(own, inside)
  return inside
}

/**
 * A backup decides which plugins are enabled, not where code is loaded from: entries with a source keep those of this
 * directory, and others are left out.
 */
async function keepInstalledPlugins(staged: string, current: string): Promise<void> {
  const wanted = await readRegistry(staged)
  if (wanted === null) return
  const here = (await readRegistry(current)) ?? { version: 1 as const, plugins: [] }
  const plugins = wanted.plugins.flatMap((entry) => {
    const own = here.plugins.find(({ id }) => id === entry.id)
    if (entry.source === undefined)
      return own?.source === undefined ? [entry] : [{ ...own, enabled: entry.enabled ?? true }]
    if (own?.source === undefined) return []
    return [{ ...own, ...defined({ enabled: entry.enabled }) }]
  })
  const missing = here.plugins.filter((own) => own.source !== undefined && !plugins.some(({ id }) => id === own.id))
  const next = { ...wanted, plugins: [...plugins, ...missing] }
  if (JSON.stringify(next) !== JSON.stringify(wanted)) await replaceFile(staged, `${JSON.stringify(next, null, 2)}\n`)
}

/**
 * The list of the directory that was seen here stays: an older one would lower the number below which lists are refused.
 * @returns the files to place
 */
async function keepCatalogue(folder: string, root: string, { groups, files }: RestorePlan): Promise<string[]> {
  const paths = files.map(({ path }) => path)
  // A reset keeps nothing.
  if (paths.length === 0 || !(groups.includes('state') || paths.includes(CATALOGUE))) return paths
  const current = await readFile(join(root, CATALOGUE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (current === null) return paths
  await replaceFile(join(folder, CATALOGUE), current)
  return [...new Set([...paths, CATALOGUE])]
}

async function readRegistry(file: string): Promise<PluginRegistry | null> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Value.Check(PluginRegistry, value) ? value : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

function readPending(file: string): PendingRestore | null {
  try {
    const { label, stagedAtMs } = JSON.parse(readFileSync(file, 'utf8')) as PendingRestore
    return { label, stagedAtMs }
  } catch {
    return null
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesBelow(path)
    else if (entry.isFile()) bytes += (await stat(path).catch(() => ({ size: 0 }))).size
  }
  return bytes
}

async function leftovers(root: string, beforeMs: number): Promise<readonly DataLeftover[]> {
  const found: DataLeftover[] = []
  for (const path of await temporaryFilesIn(root)) {
    const stats = await stat(path).catch(() => null)
    if (stats === null || stats.mtimeMs >= beforeMs) continue
    found.push({
      path: relative(root, path).replaceAll(sep, '/'),
      sizeBytes: stats.size,
      modifiedAtMs: Math.trunc(stats.mtimeMs),
    })
    if (found.length === MAX_LEFTOVERS) break
  }
  return found
}

function noDatabase(path: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', `There is no database "${path}".`, { wire: 'unknown_database' })
}
