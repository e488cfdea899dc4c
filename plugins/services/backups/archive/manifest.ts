// The manifest of a backup, `manifest.json`: its kind, and each file with size and hash.
import { DATA_GROUPS, type DataGroup, type Static, Type } from '@playhead/sdk'

export const MANIFEST = 'manifest.json'
/** Member of an encrypted backup: a backup in the age format. */
export const ENCRYPTED = 'backup.zip.age'
export const KIND = 'svc_backup'
export const ENCRYPTED_KIND = 'svc_backup_encrypted'
export const SCHEMA_VERSION = 1

export const SCOPES = ['config_only', 'app_state', 'full'] as const
export type Scope = (typeof SCOPES)[number]

/** A union of literals: unlike `oneOf` it can be validated without a compiler. */
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  Type.Union(names.map((name) => Type.Literal(name as Names[number])))

export const FileRow = Type.Object({
  path: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
  group: oneOf(DATA_GROUPS),
})
export type FileRow = Static<typeof FileRow>

/** Facts of a backup without its list of files. */
const HEADER = {
  schema_version: Type.Integer(),
  created_at: Type.String({ description: 'ISO time, UTC.' }),
  app_version: Type.String(),
  /** The oldest version that can restore the backup. */
  min_app_version: Type.String(),
  scope: oneOf(SCOPES),
  label: Type.String(),
  trigger: Type.String({ description: 'manual, scheduler, pre_restore, upgrade, maintenance_…' }),
  pinned: Type.Boolean({ description: 'Never deleted by retention.' }),
  file_count: Type.Integer(),
  total_size: Type.Integer(),
  config_encrypted: Type.Boolean(),
  master_key_included: Type.Boolean(),
  external_key_required: Type.Boolean({
    description: 'The settings have encrypted values whose key or passphrase is not inside.',
  }),
  env_key_configured: Type.Boolean(),
}

export const Manifest = Type.Object({
  kind: Type.Literal(KIND),
  ...HEADER,
  groups: Type.Array(oneOf(DATA_GROUPS), { description: 'The groups of data that a restore replaces.' }),
  files: Type.Array(FileRow),
  database_snapshots: Type.Array(Type.String(), { description: 'Databases, copied while they were in use.' }),
  db_schema_versions: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer()), {
    description: 'Number of migrations by database and owner.',
  }),
  plugins: Type.Array(Type.Object({ id: Type.String(), version: Type.String() })),
  warnings: Type.Array(Type.String()),
})
export type Manifest = Static<typeof Manifest>

/** The outer manifest of an encrypted backup; the inner archive has its own. */
export const EncryptedManifest = Type.Object({
  kind: Type.Literal(ENCRYPTED_KIND),
  ...HEADER,
  encryption: Type.Literal('age-passphrase'),
})
export type EncryptedManifest = Static<typeof EncryptedManifest>

export const Finding = Type.Object({
  code: Type.String(),
  path: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})
export type Finding = Static<typeof Finding>

const CheckState = oneOf(['ok', 'failed', 'warning', 'not_checked'])
export const Report = Type.Object(
  {
    ok: Type.Boolean(),
    path: Type.String(),
    encrypted: Type.Boolean(),
    manifest: Type.Unsafe<object | null>(Type.Union([Manifest, EncryptedManifest, Type.Null()])),
    errors: Type.Array(Finding),
    warnings: Type.Array(Finding),
    checks: Type.Object({
      archive: CheckState,
      members: CheckState,
      manifest: CheckState,
      hashes: CheckState,
      versions: CheckState,
      key: CheckState,
    }),
    restorable: Type.Boolean(),
  },
  { title: 'BackupCheck' },
)
export type Report = Static<typeof Report>
export type Check = keyof Report['checks']

const SCOPE_GROUPS: Readonly<Record<Scope, readonly DataGroup[]>> = {
  config_only: ['config', 'key'],
  app_state: ['config', 'key', 'tls', 'state', 'tracker'],
  full: ['config', 'key', 'tls', 'state', 'tracker', 'captures', 'reports', 'exports', 'imports', 'cache'],
}

export interface ScopeFlags {
  readonly include_snapshots?: boolean
  readonly include_reports?: boolean
  readonly include_cache?: boolean
  /** Default true. */
  readonly include_key?: boolean
}

/** Flags only add parts, and have no effect for a backup of the settings alone. */
export function groupsOf(scope: Scope, flags: ScopeFlags): readonly DataGroup[] {
  const groups = new Set(SCOPE_GROUPS[scope])
  if (scope !== 'config_only') {
    if (flags.include_snapshots === true) groups.add('captures')
    if (flags.include_reports === true) groups.add('reports')
    if (flags.include_cache === true) groups.add('cache')
  }
  if (flags.include_key === false) groups.delete('key')
  return [...groups]
}
