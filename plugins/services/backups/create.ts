// Creates a backup: copies the databases at one moment, then packs everything on the thread.
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import {
  type DataDirectory,
  type DataPart,
  isPlayheadError,
  type PluginContext,
  PlayheadError,
  type Remote,
  type SchemaVersions,
} from '@playhead/sdk'
import { groupsOf, KIND, type Manifest, SCHEMA_VERSION, type Scope, type ScopeFlags } from './archive/manifest.ts'
import type { ArchiveThread } from './archive/contract.ts'
import type { Source } from './archive/write.ts'
import type { JobHandle } from './jobs.ts'
import { archiveName } from './names.ts'

export interface BackupRequest extends ScopeFlags {
  readonly scope: Scope
  readonly label: string
  readonly trigger: string
  readonly pinned?: boolean
  readonly passphrase?: string | undefined
  /** Id of the hold that contains the backup. */
  readonly within?: string | undefined
}

export interface MadeBackup {
  readonly path: string
  readonly size: number
  readonly manifest: Manifest
}

interface CreateParts {
  readonly ctx: Pick<PluginContext, 'host' | 'log' | 'signal'>
  readonly data: DataDirectory
  readonly thread: Remote<ArchiveThread>
  /** Absolute path of the folder of backups. */
  readonly folder: string
  readonly now: () => number
}

interface Gathered {
  readonly sources: readonly Source[]
  readonly databases: readonly string[]
  readonly versions: Readonly<Record<string, SchemaVersions>>
  readonly warnings: readonly string[]
}

const SPARE_BYTES = 64 * 1024 * 1024
const TRIES = 3

export async function createBackup(
  parts: CreateParts,
  request: BackupRequest,
  job: JobHandle,
  signal: AbortSignal,
): Promise<MadeBackup> {
  const { ctx, data, thread, folder, now } = parts
  const scratch = join(await data.scratch(), `backup-${randomBytes(6).toString('hex')}`)
  await thread.makeFolder(scratch)
  try {
    const groups = groupsOf(request.scope, request)
    const gathered = await gather(data, scratch, groups, job, signal)
    const atMs = now()
    const path = archiveName(atMs)
    const target = join(folder, path)
    await thread.makeFolder(dirname(target))
    const settings = await settingsFacts(data, thread)
    const hasKey = gathered.sources.some(({ group }) => group === 'key')
    const { manifest, size } = await thread.write(
      {
        sources: gathered.sources,
        target,
        // A file with such a name is deleted at the next start.
        temporary: join(dirname(target), `.playhead-${randomBytes(8).toString('hex')}.tmp`),
        passphrase: request.passphrase ?? null,
        manifest: {
          kind: KIND,
          schema_version: SCHEMA_VERSION,
          created_at: new Date(atMs).toISOString(),
          app_version: ctx.host.version,
          min_app_version: ctx.host.version.replace(/^(\d+\.\d+)\..*$/, '$1.0'),
          scope: request.scope,
          label: request.label,
          trigger: request.trigger,
          pinned: request.pinned === true,
          groups: [...groups],
          config_encrypted: settings.encrypted,
          master_key_included: hasKey,
          external_key_required: settings.needsPassphrase || (settings.needsKey && !hasKey),
          env_key_configured: settings.passphraseSet,
          database_snapshots: [...gathered.databases],
          db_schema_versions: gathered.versions,
          plugins: ctx.host.plugins().map(({ id, version }) => ({ id, version })),
          warnings: [...gathered.warnings],
        },
      },
      signal,
    )
    return { path, size, manifest }
  } finally {
    await thread.clear(scratch)
  }
}

async function gather(
  data: DataDirectory,
  scratch: string,
  groups: readonly string[],
  job: JobHandle,
  signal: AbortSignal,
): Promise<Gathered> {
  for (let tries = 1; ; tries += 1) {
    const parts = (await data.parts()).filter(({ group }) => groups.includes(group))
    const databases = parts.filter(({ kind }) => kind === 'database')
    await checkSpace(data, parts, databases)
    job.total(bytesOf(parts))
    const copyOf = new Map(databases.map(({ path }, index) => [path, join(scratch, `${tries}-${index}.sqlite`)]))
    try {
      const copied = await data.copyDatabases(
        databases.map(({ path }) => ({ path, to: copyOf.get(path) as string })),
        signal,
      )
      return {
        sources: parts.map(({ path, group }) => ({ path, group, file: copyOf.get(path) ?? join(data.path, path) })),
        databases: databases.map(({ path }) => path),
        versions: Object.fromEntries(copied.map(({ path, schemaVersions }) => [path, schemaVersions])),
        warnings: copied
          .filter(({ integrity }) => integrity.length > 0)
          .map(({ path }) => `The database ${path} is damaged.`),
      }
    } catch (error) {
      // A plugin replaced its database meanwhile.
      if (!isPlayheadError(error, 'PLH_NOT_FOUND') || tries === TRIES) throw error
    }
  }
}

/** Checked before the first write: space for copies of the databases, and for an archive that does not compress. */
async function checkSpace(
  data: DataDirectory,
  parts: readonly DataPart[],
  databases: readonly DataPart[],
): Promise<void> {
  const neededBytes = bytesOf(databases) + bytesOf(parts) + SPARE_BYTES
  const { freeBytes } = await data.disk()
  if (freeBytes >= neededBytes) return
  throw new PlayheadError(
    'PLH_QUOTA',
    `The backup may need ${neededBytes} bytes, and ${freeBytes} are free. Free some space and try again.`,
    { wire: 'disk_full', details: { needed_bytes: neededBytes, free_bytes: freeBytes } },
  )
}

function bytesOf(parts: readonly DataPart[]): number {
  return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

async function settingsFacts(data: DataDirectory, thread: Remote<ArchiveThread>) {
  const text = await thread.readText(join(data.path, 'config.json'))
  return await data.checkSettings(text ?? '{}', null)
}
