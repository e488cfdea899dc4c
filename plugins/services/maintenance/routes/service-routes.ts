// Routes of the whole service: integrity, the event archive, restart, and the reset to defaults.
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DatabaseCheck,
  type DataGroup,
  defined,
  isPlayheadError,
  oneOf,
  optionalBody,
  orNull,
  pause,
  PlayheadError,
  type PluginApp,
  type Static,
  Type,
} from '@playhead/sdk'
import { assertDatabase, repairDatabase } from '../integrity/repair.ts'
import type { CheckedDatabase } from '../integrity/integrity.ts'
import type { Parts } from '../parts.ts'
import { confirmationRequired } from '../run/perform.ts'
import { DONE, isoOf, toDone } from './answers.ts'

const Flags = { dry_run: Type.Optional(Type.Boolean()), confirm: Type.Optional(Type.Boolean()) }
const RebuildBody = Type.Object(Flags, { additionalProperties: true })
const ConfirmBody = optionalBody(Type.Object(Flags, { additionalProperties: true }))
const RestartBody = optionalBody(
  Type.Object(
    { force: Type.Optional(Type.Boolean({ description: 'Restart even while work is running.' })) },
    { additionalProperties: true },
  ),
)
const ResetBody = optionalBody(
  Type.Object({ ...Flags, restart: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
)
const CheckBody = optionalBody(
  Type.Object(
    {
      path: Type.Optional(Type.String({ maxLength: 300 })),
      quick: Type.Optional(Type.Boolean({ description: 'Leaves out the check of indexes against their tables.' })),
    },
    { additionalProperties: true },
  ),
)
const RepairBody = Type.Object(
  {
    ...Flags,
    path: Type.String({ maxLength: 300 }),
    restart: Type.Optional(Type.Boolean({ description: 'Default true.' })),
  },
  { additionalProperties: true },
)
const Database = Type.Object({
  path: Type.String(),
  owner: Type.String(),
  healthy: Type.Boolean(),
  quick: Type.Boolean(),
  integrity: Type.Array(Type.String()),
  foreign_key_errors: Type.Integer(),
  size_bytes: Type.Integer(),
  checked_at: Type.Integer({ description: 'Epoch seconds.' }),
  error: orNull(Type.String({ description: 'Why it could not be checked.' })),
})
const Checked = Type.Object({
  ok: Type.Boolean(),
  healthy: Type.Boolean(),
  databases: Type.Array(Database),
  last_complete_at: orNull(Type.Integer({ description: 'Epoch seconds of the last complete check of all.' })),
  next_check_at: orNull(Type.Integer({ description: 'Epoch seconds of the next automatic check.' })),
})

const ARCHIVE = 'databases/events/archive.sqlite'
/** The data that a reset replaces. Captures, backups, exports, imports and the key of encrypted settings stay. */
const RESET: readonly DataGroup[] = ['config', 'tls', 'state', 'tracker', 'reports', 'cache']
const MISSING: DatabaseCheck = {
  ...{ healthy: false, integrity: ['This file does not exist.'], foreignKeyErrors: 0, schemaVersions: {} },
  ...{ sizeBytes: 0, freeBytes: 0, journalMode: '' },
}
const ANSWER_MS = 750
const DRAIN_MS = 20_000
const POLL_MS = 100

export function registerServiceRoutes(app: PluginApp, parts: Parts): void {
  const { ctx, data, states, performer, integrity, weekly, sync } = parts
  const schema = (summary: string, answer: object, body?: object) => ({
    schema: { summary, response: { 200: answer }, ...defined({ body }) },
  })

  async function checked(databases: readonly CheckedDatabase[]) {
    const { lastAtMs, nextAtMs } = await weekly.times()
    return {
      ok: true,
      healthy: databases.every(({ healthy }) => healthy),
      databases: [...databases] as never,
      last_complete_at: lastAtMs === null ? null : Math.floor(lastAtMs / 1_000),
      next_check_at: nextAtMs === null ? null : Math.floor(nextAtMs / 1_000),
    }
  }

  app.get('/api/maintenance/integrity', schema('The last check of each database', Checked), async () =>
    checked(integrity.last()),
  )
  app.post('/api/maintenance/integrity', schema('Check the databases', Checked, CheckBody), async ({ body }) => {
    const { path, quick = false } = (body ?? {}) as NonNullable<Static<typeof CheckBody>>
    return await states.follow(['integrity'], async () => {
      const databases = await integrity.check({ quick, ...defined({ path }) }, ctx.signal)
      if (!quick && path === undefined) await weekly.checked()
      return await checked(databases)
    })
  })

  app.post(
    '/api/maintenance/repair',
    schema(
      'Repair a database; it is used after the restart',
      Type.Object({
        ok: Type.Boolean(),
        dry_run: Type.Boolean(),
        path: Type.String(),
        database: Database,
        way: Type.Optional(oneOf(['indexes', 'rows'])),
        tables: Type.Optional(
          Type.Array(Type.Object({ table: Type.String(), rows: Type.Integer(), complete: Type.Boolean() })),
        ),
        kept: Type.Optional(Type.String({ description: 'The damaged file.' })),
        restart_required: Type.Boolean(),
        restart_scheduled: Type.Boolean(),
      }),
      RepairBody,
    ),
    async ({ body }) => {
      const { path, dry_run: dryRun = false, confirm = false, restart = true } = body as Static<typeof RepairBody>
      await assertDatabase(ctx, path)
      const [database] = await integrity.check({ quick: false, path }, ctx.signal)
      const common = { ok: true, path, database: database!, dry_run: dryRun }
      if (database?.error !== null || database.healthy || dryRun)
        return { ...common, restart_required: false, restart_scheduled: false }
      if (!confirm) throw confirmationRequired()
      const report = await states.follow(['repair'], () => repairDatabase({ ctx, integrity }, path))
      if (restart) restartSoon(`the repair of ${path}`)
      return { ...common, ...report, restart_required: true, restart_scheduled: restart }
    },
  )

  app.post(
    '/api/maintenance/events-health',
    schema(
      'The health of the event archive',
      Type.Object(
        {
          ok: Type.Boolean(),
          available: Type.Boolean(),
          healthy: Type.Boolean(),
          path: Type.String(),
          exists: Type.Boolean(),
          integrity: Type.String(),
          quick_check: Type.String(),
          foreign_key_errors: Type.Integer(),
          schema_version: orNull(Type.Integer()),
          expected_schema_version: orNull(Type.Integer()),
          journal_mode: Type.String(),
          events: Type.Integer(),
          acknowledged: Type.Integer(),
          runs: Type.Integer(),
          first_event: orNull(Type.Integer()),
          last_event: orNull(Type.Integer()),
          last_import: orNull(Type.Integer()),
          size_bytes: Type.Integer(),
          wal_size_bytes: Type.Integer(),
        },
        { additionalProperties: true },
      ),
    ),
    async () => archiveHealth(),
  )

  app.post(
    '/api/maintenance/events-optimize',
    schema(
      'Make the file of the event archive smaller',
      Type.Object({
        ok: Type.Boolean(),
        path: Type.String(),
        steps: Type.Array(Type.String()),
        before_bytes: Type.Integer(),
        after_bytes: Type.Integer(),
        reclaimed_bytes: Type.Integer(),
        duration_ms: Type.Integer(),
        dry_run: Type.Boolean(),
      }),
      ConfirmBody,
    ),
    async ({ body }) => {
      const dryRun = (body as Static<typeof ConfirmBody>)?.dry_run === true
      const { sizeBytes, freeBytes: unused } = await data.check(ARCHIVE, { quick: true })
      const { freeBytes } = await data.disk()
      // The file is written twice, so that the copy is complete.
      if (freeBytes < sizeBytes * 1.2)
        throw new PlayheadError(
          'PLH_INVALID',
          `This needs ${Math.ceil((sizeBytes * 1.2) / 1e6)} MB on the disk, and ${Math.floor(freeBytes / 1e6)} MB are free.`,
          { wire: 'insufficient_space' },
        )
      const plan = {
        ok: true,
        path: ARCHIVE,
        steps: ['checkpoint', 'vacuum', 'analyze', 'checkpoint'],
        dry_run: dryRun,
      }
      if (dryRun)
        return {
          ...plan,
          before_bytes: sizeBytes,
          after_bytes: sizeBytes - unused,
          reclaimed_bytes: unused,
          duration_ms: 0,
        }
      using _hold = ctx.work.begin({ kind: 'maintenance', label: 'The optimisation of the event archive' })
      return await states.follow(['events-optimize'], async () => {
        const startedMs = performance.now()
        const { beforeBytes, afterBytes } = await data.optimise(ARCHIVE)
        return {
          ...plan,
          before_bytes: beforeBytes,
          after_bytes: afterBytes,
          reclaimed_bytes: Math.max(0, beforeBytes - afterBytes),
          duration_ms: Math.round(performance.now() - startedMs),
        }
      })
    },
  )

  app.post(
    '/api/maintenance/events-rebuild',
    schema(
      'Replace the event archive by an empty one',
      Type.Object({
        ...DONE,
        path: Type.String(),
        removed: Type.Array(Type.String()),
        imported: Type.Integer(),
        events: Type.Integer({ description: 'Afterwards.' }),
      }),
      RebuildBody,
    ),
    async ({ body }) => {
      const flags = (body ?? {}) as NonNullable<Static<typeof ConfirmBody>>
      const done = await performer.perform({
        name: 'events-rebuild',
        steps: [{ id: 'events-rebuild' }],
        confirm: flags.confirm === true,
        dryRun: flags.dry_run === true,
      })
      if (!done.dry_run) integrity.forget(ARCHIVE)
      const events = Number((await archiveFacts())['events'] ?? 0)
      return { ...toDone(done), path: ARCHIVE, removed: done.dry_run ? [] : [ARCHIVE], imported: 0, events }
    },
  )

  app.post(
    '/api/maintenance/restart',
    schema('Restart the service', Type.Object({ ok: Type.Boolean(), message: Type.String() }), RestartBody),
    async ({ body }) => {
      const isForced = (body as Static<typeof RestartBody>)?.force === true
      const [current] = ctx.work.current()
      if (current !== undefined && !isForced)
        throw new PlayheadError(
          'PLH_CONFLICT',
          `${current.label} is going on. Wait for its end, or send "force": true.`,
          { wire: 'busy', details: { holder: current.kind, since: Math.floor(current.startedAtMs / 1_000) } },
        )
      ctx.work.block({ code: 'restarting', message: 'The service restarts.' })
      ctx.log.channel('MAINTENANCE').info({ forced: isForced }, 'a restart was asked for')
      if (current !== undefined) {
        // A run ends after its pending writes.
        await sync()?.cancel()
        for (let leftMs = DRAIN_MS; leftMs > 0 && ctx.work.current().length > 0; leftMs -= POLL_MS)
          await pause(POLL_MS, ctx.signal)
      }
      restartSoon('maintenance')
      return { ok: true, message: 'The service restarts.' }
    },
  )

  app.post(
    '/api/maintenance/reset-all-default',
    schema(
      'Reset to the defaults; takes effect at the restart',
      Type.Object({
        ok: Type.Boolean(),
        dry_run: Type.Boolean(),
        config_dir: Type.String(),
        backup: orNull(Type.String({ description: 'The former settings.' })),
        backup_path: orNull(Type.String({ description: 'A backup of everything.' })),
        removed_files: Type.Array(Type.String()),
        removed_dirs: Type.Array(Type.String()),
        removed_bytes: Type.Integer(),
        kept: Type.Array(Type.Object({ group: Type.String(), files: Type.Integer(), bytes: Type.Integer() })),
        errors: Type.Array(Type.String()),
        restart_required: Type.Boolean(),
        restart_scheduled: Type.Boolean(),
      }),
      ResetBody,
    ),
    async ({ body }) => {
      const {
        dry_run: dryRun = false,
        confirm = false,
        restart = false,
      } = (body ?? {}) as NonNullable<Static<typeof ResetBody>>
      const all = await data.parts()
      const going = all.filter(({ group }) => RESET.includes(group))
      const staying = all.filter(({ group }) => !RESET.includes(group))
      const report = {
        ok: true,
        config_dir: '',
        removed_files: going.map(({ path }) => path),
        removed_dirs: [...new Set(going.flatMap(({ path }) => foldersOf(path)))].filter(
          (folder) => !staying.some(({ path }) => path.startsWith(`${folder}/`)),
        ),
        removed_bytes: sum(going),
        kept: [...Map.groupBy(staying, ({ group }) => group)].map(([group, of]) => ({
          group,
          files: of.length,
          bytes: sum(of),
        })),
        errors: [],
      }
      if (dryRun)
        return {
          ...report,
          dry_run: true,
          backup: null,
          backup_path: null,
          restart_required: false,
          restart_scheduled: false,
        }
      if (!confirm) throw confirmationRequired()
      if (data.pendingRestore() !== null)
        throw new PlayheadError('PLH_CONFLICT', 'A restore is waiting for a restart. Restart Playhead first.', {
          wire: 'restart_required',
        })
      using hold = ctx.work.begin({ kind: 'maintenance', label: 'The reset to defaults', exclusive: true })
      return await states.follow(['reset-all-default', 'defaults'], async (step) => {
        step('Making a backup.')
        const backupPath = await performer.backup('full', 'reset', hold.id)
        const backup = await keepSettings()
        step('Preparing the reset.')
        const folder = join(await data.scratch(), `reset-${Date.now()}`)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await data.stageRestore(folder, { files: [], groups: RESET, label: 'Reset to defaults' })
        if (restart) restartSoon('the reset to defaults')
        return {
          ...report,
          dry_run: false,
          ...{ backup, backup_path: backupPath, restart_required: true, restart_scheduled: restart },
        }
      })
    },
  )

  /** The copy of the settings that a reset keeps. */
  async function keepSettings(): Promise<string | null> {
    const stamp = isoOf(Date.now())
      .replaceAll(/[-:]|Z$/g, '')
      .replace('T', '_')
    for (let n = 0; n < 100; n += 1) {
      const path = `files/backups/config.json.backup_${stamp}${n === 0 ? '' : `_${n}`}`
      try {
        // COPYFILE_EXCL
        await copyFile(join(data.path, 'config.json'), join(data.path, path), 1)
        return path
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') return null
        if (code !== 'EEXIST') throw error
      }
    }
    throw new PlayheadError('PLH_CONFLICT', 'The settings could not be saved. Try again in a moment.')
  }

  /** Runs after the response. */
  function restartSoon(reason: string): void {
    setTimeout(() => data.restart(reason), ANSWER_MS)
  }

  /** Empty while the archive plugin is not running. */
  async function archiveFacts(): Promise<Readonly<Record<string, unknown>>> {
    try {
      return (await (await performer.find('events-rebuild')).action.preview({})).details ?? {}
    } catch (error) {
      if (isPlayheadError(error, 'PLH_CAPABILITY_GONE')) return {}
      throw error
    }
  }

  async function archiveFile(): Promise<DatabaseCheck | undefined> {
    try {
      return await data.check(ARCHIVE)
    } catch (error) {
      if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
      throw error
    }
  }

  async function archiveHealth() {
    const facts = await archiveFacts()
    const check = (await archiveFile()) ?? MISSING
    const number = (name: string) => Number(facts[name] ?? 0)
    const time = (name: string) => (typeof facts[name] === 'number' ? (facts[name] as number) : null)
    const versions = Object.values(check.schemaVersions)
    const version = versions.length === 0 ? null : versions.reduce((total, one) => total + one, 0)
    const expected = time('expected_schema_version')
    const words = check.integrity.length === 0 ? 'ok' : check.integrity.slice(0, 5).join('; ')
    return {
      ok: true,
      available: facts['available'] === true,
      healthy: check.healthy && (expected === null || version === expected),
      path: ARCHIVE,
      exists: check !== MISSING,
      integrity: words,
      quick_check: words,
      foreign_key_errors: check.foreignKeyErrors,
      schema_version: version,
      expected_schema_version: expected,
      journal_mode: check.journalMode,
      events: number('events'),
      acknowledged: number('acknowledged'),
      runs: number('runs'),
      first_event: time('first_event'),
      last_event: time('last_event'),
      last_import: time('last_import'),
      size_bytes: check.sizeBytes,
      wal_size_bytes: Math.max(0, number('size_bytes') - check.sizeBytes),
    }
  }
}

/** Sorted, outermost folder first. */
function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function sum(parts: readonly { readonly sizeBytes: number }[]): number {
  return parts.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
}
