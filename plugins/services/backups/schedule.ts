// The scheduled backup of the backups page: one job of the scheduling.
import { PlayheadError, type ScheduledBackup, Type } from '@playhead/sdk'
import { SCOPES } from './archive/manifest.ts'

export const JOB_ID = 'app-backup-default'

const Flag = Type.Optional(Type.Boolean())
export const ScheduleBody = Type.Object(
  {
    enabled: Flag,
    scope: Type.Optional(Type.String()),
    at: Type.Optional(Type.String({ description: 'HH:MM, in the zone of the scheduling.' })),
    days: Type.Optional(
      Type.Array(Type.Integer(), { maxItems: 100, description: '1 is Monday; empty: every day. Others are left out.' }),
    ),
    label_template: Type.Optional(Type.String({ maxLength: 200 })),
    retention_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650, description: '0: no limit.' })),
    max_backups: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, description: '0: no limit.' })),
    auto_delete_old: Flag,
    include_snapshots: Flag,
    include_reports: Flag,
    include_cache: Flag,
    catch_up: Type.Optional(
      Type.Boolean({ description: 'Run later if the service was off at the scheduled time. Default true.' }),
    ),
  },
  // The request replaces the schedule, so a misspelled name would remove the intended setting.
  { title: 'BackupScheduleRequest', additionalProperties: false },
)
export type ScheduleBody = typeof ScheduleBody.static

/** Absent fields get their defaults. Throws PLH_INVALID: `invalid_scope`, `invalid_time`. */
export function jobFrom(body: ScheduleBody): ScheduledBackup {
  const scope = SCOPES.find((one) => one === (body.scope ?? 'app_state'))
  if (scope === undefined)
    throw new PlayheadError('PLH_INVALID', `A backup has one of the scopes ${SCOPES.join(', ')}.`, {
      wire: 'invalid_scope',
    })
  const time = /^(\d{1,2}):(\d{2})$/.exec((body.at ?? '03:00').trim())
  if (time === null || Number(time[1]) > 23 || Number(time[2]) > 59)
    throw new PlayheadError('PLH_INVALID', 'Enter the time as HH:MM, for example 03:00.', { wire: 'invalid_time' })
  const days = new Set((body.days ?? []).filter((day) => day >= 1 && day <= 7))
  return {
    id: JOB_ID,
    active: body.enabled ?? false,
    scope,
    at: `${String(time[1]).padStart(2, '0')}:${time[2]}`,
    days: [...days].sort((a, b) => a - b),
    label_template: (body.label_template ?? '').trim() || 'scheduled-{scope}-{date}',
    retention_days: body.retention_days ?? 30,
    max_backups: body.max_backups ?? 10,
    auto_delete_old: body.auto_delete_old ?? true,
    include_snapshots: body.include_snapshots ?? false,
    include_reports: body.include_reports ?? false,
    include_cache: body.include_cache ?? false,
    catch_up: body.catch_up ?? true,
  }
}
