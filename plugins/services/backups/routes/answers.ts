import { oneOf, orNull, Type } from '@playhead/sdk'
import { Finding, Report, SCOPES } from '../archive/manifest.ts'
import type { ArchiveFacts } from '../archive/contract.ts'
import type { MadeBackup } from '../create.ts'

const Ok = { ok: Type.Literal(true) }
const Optional = {
  created_at: Type.Optional(Type.String()),
  app_version: Type.Optional(Type.String()),
  scope: Type.Optional(oneOf(SCOPES)),
  label: Type.Optional(Type.String()),
  trigger: Type.Optional(Type.String()),
  pinned: Type.Optional(Type.Boolean()),
  file_count: Type.Optional(Type.Integer()),
  total_size: Type.Optional(Type.Integer({ description: 'Bytes, unpacked.' })),
  config_encrypted: Type.Optional(Type.Boolean()),
  master_key_included: Type.Optional(Type.Boolean()),
  external_key_required: Type.Optional(Type.Boolean()),
}

const Listed = Type.Object({
  path: Type.String(),
  size: Type.Integer(),
  mtime: Type.Integer({ description: 'Epoch seconds.' }),
  valid: Type.Boolean({ description: 'Its list can be read; validate checks everything.' }),
  encrypted: Type.Boolean({ description: 'Encrypted with a passphrase.' }),
  ...Optional,
})

const Job = Type.Object({
  id: Type.String(),
  kind: oneOf(['backup', 'restore']),
  label: Type.String(),
  state: oneOf(['waiting', 'running', 'done', 'failed']),
  on_hold: orNull(
    Type.Object(
      { reason: Type.String(), detail: Type.String(), since: Type.Integer({ description: 'Epoch seconds.' }) },
      { description: 'Why it has not started yet; `reason` is `busy` or `disk_low`.' },
    ),
  ),
  done_bytes: Type.Integer(),
  total_bytes: Type.Integer(),
  started_at: Type.String(),
  finished_at: orNull(Type.String()),
  path: orNull(Type.String()),
  error: orNull(Type.String()),
})

export const ListAnswer = Type.Object({ ...Ok, backups: Type.Array(Listed) })
export const CreateAnswer = Type.Object({
  ...Ok,
  backup: Type.Object({
    ...Ok,
    path: Type.String(),
    created_at: Type.String(),
    scope: oneOf(SCOPES),
    label: Type.String(),
    size: Type.Integer(),
    file_count: Type.Integer(),
    total_size: Type.Integer(),
    encrypted: Type.Boolean(),
    master_key_included: Type.Boolean(),
    external_key_required: Type.Boolean(),
    warnings: Type.Array(Type.String()),
  }),
})
export const StartedAnswer = Type.Object({ ...Ok, job: Job })
export const JobAnswer = Type.Object({ ...Ok, job: orNull(Job) })
export const ValidateAnswer = Type.Object({ ...Ok, validation: Report })
export const RestoreAnswer = Type.Object({
  ...Ok,
  result: Type.Object({
    ...Ok,
    path: Type.String(),
    pre_restore_backup: Type.String(),
    restored: Type.Array(Type.String()),
    errors: Type.Array(Finding),
    warnings: Type.Array(Finding),
    restart_required: Type.Literal(true),
    restart_scheduled: Type.Boolean(),
    login_required: Type.Literal(true),
  }),
})
export const DeleteAnswer = Type.Object({ ...Ok, result: Type.Object({ ...Ok, deleted: Type.Array(Type.String()) }) })
export const UploadAnswer = Type.Object({
  ...Ok,
  backup: Type.Object({ ...Ok, path: Type.String(), validation: Report }),
})
export const RetentionAnswer = Type.Object({
  ok: Type.Boolean(),
  result: Type.Object({
    ok: Type.Boolean(),
    applied: Type.Boolean(),
    deleted: Type.Array(Type.String()),
    retained: Type.Array(Type.String()),
    errors: Type.Array(Type.Object({ path: Type.String(), error: Type.String() })),
  }),
})

export function listed({ path, size, modifiedAtMs, manifest }: ArchiveFacts) {
  const {
    schema_version: _schema,
    min_app_version: _oldest,
    env_key_configured: _here,
    ...facts
  } = manifest ?? { encrypted: false }
  return { path, size, mtime: Math.floor(modifiedAtMs / 1_000), valid: manifest !== null, ...facts }
}

export function created({ path, size, manifest }: MadeBackup, encrypted: boolean) {
  const { created_at, scope, label, file_count, total_size } = manifest
  const { master_key_included, external_key_required, warnings } = manifest
  return {
    ok: true as const,
    path,
    created_at,
    scope,
    label,
    size,
    file_count,
    total_size,
    encrypted,
    master_key_included,
    external_key_required,
    warnings,
  }
}
