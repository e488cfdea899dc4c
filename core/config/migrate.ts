// Migrates the configuration to the running version: all owners in one change, after a backup.
import { isPlayheadError, PlayheadError, type RunningOperation } from '@playhead/sdk'
import { ValidationProblem } from '../http/validation.ts'
import type { ConfigChange, ConfigDocument } from './contract.ts'
import { changedPaths, copy, formatPath, valueAt, type Path } from './document/document.ts'
import { loadOwners, reshape } from './draft.ts'
import { applyInput, asValidationProblem, endUpgrade, readInput } from './routes/save.ts'
import type { RunningConfig } from './service.ts'

/** All owners together. */
const MIGRATION_MS = 30_000

interface MigrationDependencies {
  readonly config: RunningConfig
  readonly version: string
  readonly runningOperations: () => Promise<readonly RunningOperation[]>
  /** Path of the copy; null if there is nothing to copy. */
  readonly backup: (label: string) => Promise<string | null>
}

interface MigrationResult {
  readonly change: ConfigChange
  readonly backup: string | null
  readonly fromVersion: string | null
  readonly toVersion: string
  readonly paths: Readonly<Record<PathKind, readonly string[]>>
}

const PATH_KINDS = ['profile_cleanup_paths', 'obsolete_paths', 'resource_id_paths', 'forced_paths'] as const
type PathKind = (typeof PATH_KINDS)[number]

interface MigrationOrder {
  readonly by: string
  /** Settings merged after the migrations, validated as a save. */
  readonly overrides?: unknown
  readonly ifRevision?: string | undefined
}

/**
 * Idempotent. Throws PLH_CONFLICT while an operation is running and for a stale revision, and errors with status 500
 * whose `wire` names the failed step.
 */
export async function migrateConfig(
  deps: MigrationDependencies,
  { by, overrides, ifRevision }: MigrationOrder,
): Promise<MigrationResult> {
  const { config, version, runningOperations, backup } = deps
  const { input } = overrides === undefined || overrides === null ? { input: {} } : readInput(overrides)
  const operations = await runningOperations()
  if (operations.length > 0) {
    throw new PlayheadError(
      'PLH_CONFLICT',
      'Something is running that needs the configuration as it is. Wait for it or stop it first.',
      {
        wire: 'operation_running',
        details: { operations: operations.map(({ kind, id, label }) => ({ kind, id, label })) },
      },
    )
  }
  const fromVersion = versionOf(config.current())
  const backedUp = await step(
    'config_backup_failed',
    async () => await backup(`pre-upgrade version ${fromVersion ?? 'unknown'}`),
  )

  await loadOwners(config.contributions())
  let paths = kindsOf([], {})
  try {
    const change = await config.change(
      by,
      async (draft) => {
        const before = copy(draft)
        await step('resource_id_migration_failed', async () => {
          for (const { migrate, ...owner } of config.contributions()) {
            if (migrate !== undefined)
              await reshape(draft, owner, (section) => migrate(section, { version: fromVersion ?? '0.0.0' }))
          }
        })
        paths = kindsOf(changedPaths(before, draft), draft)
        stepNow('migration_overrides_failed', () => applyInput(config, draft, input))
        endUpgrade(draft, version)
      },
      { ifRevision, waitMs: MIGRATION_MS },
    )
    return { change, backup: backedUp, fromVersion, toVersion: version, paths }
  } catch (error) {
    throw asValidationProblem(error)
  }
}

/** The version of the stored settings: the one before an unconfirmed upgrade, else the one that wrote them. */
export function versionOf(document: Readonly<ConfigDocument>): string | null {
  const pending = valueAt(document, ['ui', '_pending_upgrade_from_version'])
  const version = typeof pending === 'string' && pending !== '' ? pending : document['version']
  return typeof version === 'string' && version !== '' ? version : null
}

function kindsOf(
  changed: readonly Path[],
  after: Readonly<ConfigDocument>,
): Readonly<Record<PathKind, readonly string[]>> {
  const of = (kind: PathKind): readonly string[] =>
    changed.filter((path) => kindOf(path, after) === kind).map(formatPath)
  return Object.fromEntries(PATH_KINDS.map((kind) => [kind, of(kind)])) as Record<PathKind, readonly string[]>
}

function kindOf(path: Path, after: Readonly<ConfigDocument>): PathKind {
  const isGone = valueAt(after, path) === undefined
  if (isGone)
    return path.includes('instances') || path.includes('provider_instance_ids')
      ? 'profile_cleanup_paths'
      : 'obsolete_paths'
  return /^(?:.+_)?ids?$/.test(String(path.findLast((part) => typeof part === 'string')))
    ? 'resource_id_paths'
    : 'forced_paths'
}

async function step<Result>(failure: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failed(failure, error)
  }
}

function stepNow(failure: string, work: () => unknown): void {
  try {
    work()
  } catch (error) {
    // Invalid client input is reported as such.
    if (error instanceof ValidationProblem || isPlayheadError(error, 'PLH_INVALID')) throw error
    throw failed(failure, error)
  }
}

function failed(wire: string, cause: unknown): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', 'The configuration was not migrated and is as it was before.', {
    status: 500,
    wire,
    cause,
  })
}
