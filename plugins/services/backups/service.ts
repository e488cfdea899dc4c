// Creates, verifies, restores and removes backups.
import { randomBytes } from 'node:crypto'
import { join, relative, sep } from 'node:path'
import {
  type BackupJob,
  createTurns,
  type DataDirectory,
  defined,
  failureCode,
  PlayheadError,
  type PluginContext,
  type Remote,
  type SchemaVersions,
  type WorkHold,
} from '@playhead/sdk'
import type { Limits } from './archive/limits.ts'
import { type Finding, groupsOf, type Manifest, type Report, type Scope, type ScopeFlags } from './archive/manifest.ts'
import type { Reading } from './archive/read.ts'
import { type ArchiveFacts, type ArchiveThread, PROGRESS } from './archive/contract.ts'
import { type BackupRequest, createBackup, type MadeBackup } from './create.ts'
import { createJobs, type Job, type JobHandle } from './jobs.ts'
import { importName, isImported, labelFrom, notFound } from './names.ts'
import { KEY_PROBLEMS, reportOf } from './report.ts'
import { type Kept, retentionOf, type RetentionRule } from './retention.ts'
import type { BackupSettings } from './settings.ts'

interface RestoreResult {
  readonly path: string
  readonly pre_restore_backup: string
  /** Paths in the data directory. */
  readonly restored: readonly string[]
  readonly warnings: readonly Finding[]
}

interface RetentionResult {
  readonly deleted: readonly string[]
  readonly retained: readonly string[]
  readonly errors: readonly { readonly path: string; readonly error: string }[]
}

export interface Backups {
  list(): Promise<readonly ArchiveFacts[]>
  /** The facts of one backup. Throws `backup_not_found`. */
  find(path: string): Promise<ArchiveFacts>
  create(request: BackupRequest, signal?: AbortSignal): Promise<MadeBackup>
  /** Bytes that a backup would pack. */
  estimate(scope: Scope, flags: ScopeFlags): Promise<number>
  job(): Job | null
  validate(path: string, passphrase: string | undefined): Promise<Report>
  /**
   * Resolves when everything is ready for the restart.
   * @throws `backup_validation_failed`, `external_config_key_required` (400, with `errors`), `busy`, `restart_required`
   */
  restore(path: string, passphrase: string | undefined): Promise<RestoreResult>
  remove(path: string): Promise<void>
  /** Imports a file from the scratch folder, if it is a backup. */
  takeIn(scratchPath: string): Promise<{ readonly path: string; readonly report: Report }>
  retain(rule: RetentionRule & { readonly dryRun?: boolean }): Promise<RetentionResult>
  runScheduled(job: BackupJob, signal?: AbortSignal): Promise<void>
  limits(): Limits
}

const MIB = 1024 * 1024
const UNLIMITED: Limits = { archiveBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
const FACTS = 'archives'

export function createBackups(ctx: PluginContext<BackupSettings>, now: () => number = Date.now): Backups {
  const data: DataDirectory = ctx.data()
  const folder = join(data.path, 'files', 'backups')
  const jobs = createJobs(now)
  let current: JobHandle | null = null
  const { work: thread } = ctx.startThread<ArchiveThread>('archive/thread.ts', {
    offers: { [PROGRESS.token]: { packed: async (bytes: number) => current?.done(bytes) } },
  }) as { readonly work: Remote<ArchiveThread> }
  /** Archives are created and unpacked one at a time, because each job occupies the disk and a processor. */
  const inTurn = createTurns()
  const limits = (): Limits => ({
    archiveBytes: ctx.config.max_archive_mib * MIB,
    totalBytes: ctx.config.max_unpacked_mib * MIB,
  })

  function tracked<Result extends { readonly path: string }>(
    kind: Job['kind'],
    label: string,
    run: (job: JobHandle) => Promise<Result>,
  ): Promise<Result> {
    return jobs.run(kind, label, (job) => followed(job, () => run(job)))
  }

  /** Passes the thread's reports to the progress of the job. */
  async function followed<Result>(job: JobHandle, run: () => Promise<Result>): Promise<Result> {
    const before = current
    current = job
    try {
      return await run()
    } finally {
      current = before
    }
  }

  function create(request: BackupRequest, signal: AbortSignal): Promise<MadeBackup> {
    return tracked('backup', request.label, (job) => make(request, job, signal))
  }

  async function make(request: BackupRequest, job: JobHandle, signal: AbortSignal): Promise<MadeBackup> {
    const parts = { ctx, data, thread, folder, now }
    const made = await createBackup(parts, request, job, signal).catch((error: unknown) => {
      // Stopped with the plugin or by the person, so there is no failure to report.
      if (!signal.aborted)
        ctx.events.emit('backup.failed', {
          label: request.label,
          scope: request.scope,
          trigger: request.trigger,
          reason: failureCode(error),
        })
      throw error
    })
    const { path, size, manifest } = made
    const facts = { path, scope: request.scope, trigger: request.trigger, files: manifest.file_count, bytes: size }
    ctx.log.info(facts, 'a backup was made')
    ctx.events.emit('backup.created', { ...facts, label: request.label })
    return made
  }

  async function list(): Promise<readonly ArchiveFacts[]> {
    const known = (await ctx.store.get<readonly ArchiveFacts[]>(FACTS)) ?? []
    const found = await thread.list(folder, known)
    if (JSON.stringify(found) !== JSON.stringify(known)) await ctx.store.set(FACTS, found)
    return found
  }

  async function find(path: string): Promise<ArchiveFacts> {
    const facts = await thread.facts(folder, path)
    if (facts === null) throw notFound()
    return facts
  }

  /** Reads an archive into its own folder and passes the result on. */
  async function reading<Result>(
    file: string,
    { passphrase, unpack }: { readonly passphrase: string | undefined; readonly unpack: boolean },
    use: (reading: Reading, files: string) => Promise<Result>,
  ): Promise<Result> {
    const own = join(await data.scratch(), `read-${randomBytes(6).toString('hex')}`)
    await thread.makeFolder(join(own, 'files'))
    try {
      const read = await thread.read(
        { file, limits: await limitsOf(file), passphrase: passphrase ?? null, folder: own, unpack },
        ctx.signal,
      )
      return await use(read, join(own, 'files'))
    } finally {
      await thread.clear(own)
    }
  }

  /** At most half of the free space, so that new archives still fit. */
  async function limitsOf(file: string): Promise<Limits> {
    const isOwn = file.startsWith(folder + sep) && !isImported(relative(folder, file))
    const { archiveBytes, totalBytes } = isOwn ? UNLIMITED : limits()
    const { freeBytes } = await data.disk()
    return { archiveBytes, totalBytes: Math.min(totalBytes, Math.floor(freeBytes / 2)) }
  }

  async function report(path: string, read: Reading): Promise<Report> {
    const schemas: Record<string, SchemaVersions> = {}
    const wanted = read.manifest !== null && 'files' in read.manifest ? read.manifest.db_schema_versions : {}
    const here = new Set((await data.parts()).filter(({ kind }) => kind === 'database').map((part) => part.path))
    for (const one of Object.keys(wanted)) if (here.has(one)) schemas[one] = await data.schemaVersions(one)
    return reportOf(path, read, {
      version: ctx.host.version,
      plugins: ctx.host.plugins(),
      schemas,
      placeOf: data.placeOf,
      settings: read.settings === null ? null : await data.checkSettings(read.settings, read.key),
    })
  }

  async function validate(path: string, passphrase: string | undefined): Promise<Report> {
    await find(path)
    return await inTurn(() => reading(join(folder, path), { passphrase, unpack: false }, (read) => report(path, read)))
  }

  async function restoreHeld(hold: WorkHold, path: string, passphrase: string | undefined): Promise<RestoreResult> {
    return await reading(join(folder, path), { passphrase, unpack: true }, async (read, files) => {
      const found = await report(path, read)
      if (!found.restorable) throw notRestorable(found)
      const manifest = read.manifest as Manifest
      const saved = await create(
        {
          scope: manifest.scope,
          // All files that the restore replaces.
          include_snapshots: manifest.groups.includes('captures'),
          include_reports: manifest.groups.includes('reports'),
          include_cache: manifest.groups.includes('cache'),
          label: 'pre-restore',
          trigger: 'pre_restore',
        },
        ctx.signal,
      )
      const hasKey = manifest.files.some((row) => row.path === 'secret.key')
      await data.stageRestore(files, {
        label: path,
        // If the archive has no key, the current key opens the settings.
        groups: manifest.groups.filter((group) => group !== 'key' || hasKey),
        files: manifest.files.map(({ path: file, size, sha256 }) => ({ path: file, size, sha256 })),
      })
      ctx.events.emit('backup.restore_staged', { path, pre_restore_backup: saved.path })
      ctx.log.warn({ path, pre_restore_backup: saved.path, hold: hold.id }, 'a backup takes effect with the restart')
      return {
        path,
        pre_restore_backup: saved.path,
        restored: manifest.files.map((row) => row.path),
        warnings: found.warnings,
      }
    })
  }

  async function retain({ dryRun = false, ...rule }: Parameters<Backups['retain']>[0]): Promise<RetentionResult> {
    const { deleted, retained } = retentionOf((await list()).map(keptOf), rule, now())
    const errors: { path: string; error: string }[] = []
    for (const { path } of dryRun ? [] : deleted) {
      try {
        await remove(path)
      } catch (error) {
        ctx.log.error({ err: error, path }, 'an old backup could not be removed')
        errors.push({ path, error: 'delete_failed' })
      }
    }
    const stays = new Set(errors.map(({ path }) => path))
    return {
      deleted: deleted.map(({ path }) => path).filter((path) => !stays.has(path)),
      retained: [...retained.map(({ path }) => path), ...stays],
      errors,
    }
  }

  async function remove(path: string): Promise<void> {
    await find(path)
    await thread.remove(join(folder, path))
    ctx.log.info({ path }, 'a backup was removed')
    ctx.events.emit('backup.deleted', { path })
  }

  return {
    list,
    find,
    limits,
    job: jobs.latest,
    validate,
    remove,
    retain,
    async estimate(scope, flags) {
      const groups = groupsOf(scope, flags)
      const parts = (await data.parts()).filter(({ group }) => groups.includes(group))
      return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    },
    async create(request, signal = ctx.signal) {
      const { label, within } = request
      // Checked before the job waits for its turn, so that a client learns about conflicts at once.
      using _hold = ctx.work.begin({ kind: 'backup', label: `Backup "${label}"`, ...defined({ within }) })
      return await inTurn(() => create(request, AbortSignal.any([signal, ctx.signal])))
    },
    async restore(path, passphrase) {
      if (data.pendingRestore() !== null)
        throw new PlayheadError('PLH_CONFLICT', 'A restore is waiting for a restart. Restart Playhead first.', {
          wire: 'restart_required',
        })
      await find(path)
      using hold = ctx.work.begin({ kind: 'maintenance', label: `Restore of the backup ${path}`, exclusive: true })
      return await inTurn(() => tracked('restore', path, () => restoreHeld(hold, path, passphrase)))
    },
    async takeIn(scratchPath) {
      const file = join(await data.scratch(), scratchPath)
      const path = importName(now())
      return await inTurn(() =>
        reading(file, { passphrase: undefined, unpack: false }, async (read) => {
          const found = await report(path, read)
          // An encrypted backup can be verified when its passphrase is given.
          const isWelcome = found.errors.every(({ code }) => code === 'passphrase_required' || KEY_PROBLEMS.has(code))
          if (!isWelcome)
            throw new PlayheadError('PLH_INVALID', 'The file is not a backup that can be used here.', {
              wire: 'invalid_backup',
              details: { errors: found.errors, validation: found },
            })
          await thread.move(file, join(folder, path))
          ctx.log.info({ path, bytes: (await find(path)).size }, 'a backup was uploaded')
          ctx.events.emit('backup.uploaded', { path })
          return { path, report: found }
        }),
      )
    },
    async runScheduled(job, signal = ctx.signal) {
      const { scope, include_snapshots, include_reports, include_cache } = job
      const label = labelFrom(job.label_template, scope, now())
      const request = { scope, include_snapshots, include_reports, include_cache, label, trigger: 'scheduler' }
      const ending = AbortSignal.any([signal, ctx.signal])
      await jobs.run('backup', label, async (own) => {
        const work = { kind: 'backup', label: `Backup "${job.id}"` } as const
        // Checked before the turn, because an exclusive restore needs a turn too.
        using _hold = await ctx.work.beginWhenFree(work, { signal: ending, onWait: own.waits })
        return await inTurn(() => {
          own.begins()
          return followed(own, () => make(request, own, ending))
        })
      })
      if (job.auto_delete_old) await retain({ retentionDays: job.retention_days, maxBackups: job.max_backups })
    },
  }
}

function keptOf({ path, manifest, modifiedAtMs }: ArchiveFacts): Kept {
  const createdAtMs = manifest === null ? Number.NaN : Date.parse(manifest.created_at)
  return {
    path,
    createdAtMs: Number.isNaN(createdAtMs) ? modifiedAtMs : createdAtMs,
    // An imported backup does not belong to this service's schedule.
    trigger: isImported(path) ? 'imported' : (manifest?.trigger ?? 'unknown'),
    valid: manifest !== null,
    pinned: manifest?.pinned === true,
  }
}

function notRestorable({ errors, warnings }: Report): PlayheadError {
  const isKeyOnly = errors.every(({ code }) => KEY_PROBLEMS.has(code))
  const message = errors.find(({ message: text }) => text !== undefined)?.message
  return new PlayheadError(
    'PLH_INVALID',
    isKeyOnly
      ? (message ?? 'The key of its settings is missing.')
      : 'The backup cannot be restored. Nothing was changed.',
    { wire: isKeyOnly ? 'external_config_key_required' : 'backup_validation_failed', details: { errors, warnings } },
  )
}
