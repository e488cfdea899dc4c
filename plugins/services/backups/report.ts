// Evaluates a backup for this service: the findings of its read, and its versions and key compared with this service.
import type { DataDirectory, DataGroup, SchemaVersions, SettingsFacts } from '@playhead/sdk'
import { type Check, type Finding, groupsOf, type Manifest, type Report } from './archive/manifest.ts'
import type { Reading } from './archive/read.ts'

interface HereFacts {
  readonly version: string
  readonly plugins: readonly { readonly id: string; readonly version: string }[]
  /** Number of migrations by database and owner, for existing databases. */
  readonly schemas: Readonly<Record<string, SchemaVersions>>
  readonly placeOf: DataDirectory['placeOf']
  /** Null if the archive has no settings. */
  readonly settings: SettingsFacts | null
}

export function reportOf(path: string, reading: Reading, here: HereFacts): Report {
  const { encrypted, manifest } = reading
  const errors: Finding[] = [...reading.errors]
  const warnings: Finding[] = []
  const isLocked = reading.errors.some(({ code }) => code === 'passphrase_required' || code === 'passphrase_wrong')
  const checks: Record<Check, Report['checks'][Check]> = {
    archive: reading.archive ? 'ok' : 'failed',
    members: reading.members ? 'ok' : reading.archive && !isLocked ? 'failed' : 'not_checked',
    manifest: reading.listed ? 'ok' : reading.members ? 'failed' : 'not_checked',
    hashes: reading.hashes ? 'ok' : reading.listed ? 'failed' : 'not_checked',
    versions: 'not_checked',
    key: 'not_checked',
  }
  if (reading.listed && manifest !== null && 'files' in manifest) {
    const found = {
      targets: targetErrors(manifest, here.placeOf),
      versions: versionErrors(manifest, here),
      key: keyErrors(here.settings, reading.key !== null),
    }
    errors.push(...found.targets, ...found.versions.errors, ...found.key)
    warnings.push(...found.versions.warnings, ...manifest.warnings.map((message) => ({ code: 'noted', message })))
    if (found.targets.length > 0) checks.manifest = 'failed'
    checks.versions =
      found.versions.errors.length > 0 ? 'failed' : found.versions.warnings.length > 0 ? 'warning' : 'ok'
    checks.key = reading.hashes ? (found.key.length > 0 ? 'failed' : 'ok') : 'not_checked'
  }
  const isFine = errors.length === 0
  return { ok: isFine, path, encrypted, manifest, errors, warnings, checks, restorable: isFine }
}

/** Every backup of these groups has these files. */
const NEVER_WITHOUT: readonly { readonly group: DataGroup; readonly path: string }[] = [
  { group: 'config', path: 'config.json' },
  // Another key would make the current settings unreadable.
  { group: 'key', path: 'config.json' },
  { group: 'state', path: 'database.sqlite' },
]

/** Files that a backup must not replace, or not with this content. */
function targetErrors({ scope, files, groups }: Manifest, placeOf: DataDirectory['placeOf']): readonly Finding[] {
  // A group is replaced as a whole, and the backup before a restore contains the groups of the scope.
  const most = groupsOf(scope, { include_snapshots: true, include_reports: true, include_cache: true })
  const beyond = groups.filter((group) => !most.includes(group))
  return [
    ...beyond.map((group) => ({ code: 'out_of_scope', message: `A backup of ${scope} does not replace "${group}".` })),
    ...files.flatMap(({ path, group }) => {
      const place = placeOf(path)
      if (place === undefined || place.group === 'backups') return [{ code: 'invalid_target', path }]
      return groups.includes(group) ? [] : [{ code: 'out_of_scope', path }]
    }),
    // A group that the backup lacks is deleted.
    ...NEVER_WITHOUT.filter(
      ({ group, path }) => groups.includes(group) && !files.some((file) => file.path === path),
    ).map(({ path }) => ({ code: 'missing_member', path })),
    ...(files.length === 0 ? [{ code: 'invalid_manifest', message: 'It lists no files.' }] : []),
  ]
}

function versionErrors(
  manifest: Manifest,
  here: HereFacts,
): { readonly errors: Finding[]; readonly warnings: Finding[] } {
  const errors: Finding[] = []
  const warnings: Finding[] = []
  const order = compareMinor(manifest.min_app_version, here.version)
  if (order === null) errors.push({ code: 'invalid_manifest', message: 'Its version is no version.' })
  else if (order > 0)
    errors.push({
      code: 'newer_version',
      message: `It was made by Playhead ${manifest.app_version}; this is ${here.version}. Update first.`,
    })
  else if (order < 0)
    warnings.push({
      code: 'older_version',
      message: `It was made by Playhead ${manifest.app_version} and is brought up to date at the restart.`,
    })
  for (const [path, owners] of Object.entries(manifest.db_schema_versions)) {
    for (const [owner, number] of Object.entries(owners)) {
      const known = here.schemas[path]?.[owner]
      if (known !== undefined && number > known)
        errors.push({ code: 'newer_version', path, message: `Its tables of "${owner}" are newer than this version.` })
    }
  }
  for (const { id, version } of manifest.plugins) {
    const own = here.plugins.find((plugin) => plugin.id === id)
    if (own === undefined)
      warnings.push({ code: 'plugin_missing', message: `The plugin "${id}" ${version} is not installed here.` })
    else if (own.version !== version && (compareMinor(version, own.version) ?? 0) > 0)
      warnings.push({ code: 'plugin_older', message: `The plugin "${id}" is ${own.version} here, and was ${version}.` })
  }
  return { errors, warnings }
}

const MISSING: Readonly<Record<NonNullable<SettingsFacts['problem']>, string>> = {
  key_missing:
    'Its settings are encrypted with a key file that is neither in the backup nor here. Copy secret.key from the other machine to the data directory first.',
  key_wrong:
    'The settings are encrypted with another key. Copy secret.key from the other machine to the data directory first.',
  passphrase_missing:
    'Its settings are encrypted with a passphrase. Start the service with the same PLAYHEAD_SECRET_KEY first.',
  passphrase_wrong: 'Its settings are encrypted with another passphrase than the PLAYHEAD_SECRET_KEY of this service.',
  damaged: 'An encrypted value of its settings is damaged.',
  unreadable: 'Its settings cannot be read.',
}

function keyErrors(settings: SettingsFacts | null, hasKey: boolean): readonly Finding[] {
  if (settings === null || settings.problem === null) return []
  // An external key does not help: the key of the backup would replace it.
  if (hasKey && (settings.problem === 'key_missing' || settings.problem === 'key_wrong'))
    return [
      {
        code: 'key_unusable',
        path: 'secret.key',
        message: 'The key file in the backup is damaged, or is not the one of its settings.',
      },
    ]
  return [{ code: settings.problem, path: 'config.json', message: MISSING[settings.problem] }]
}

export const KEY_PROBLEMS: ReadonlySet<string> = new Set([
  'key_missing',
  'key_wrong',
  'passphrase_missing',
  'passphrase_wrong',
])

/** Compares major and minor numbers; null for a text that is not a version. */
function compareMinor(one: string, other: string): number | null {
  const numbers = (text: string) => /^(\d{1,6})\.(\d{1,6})\./.exec(`${text}.`)?.slice(1).map(Number)
  const [a, b] = [numbers(one), numbers(other)]
  if (a === undefined || b === undefined) return null
  return (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number)
}
