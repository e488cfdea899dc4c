// Routes of the scheduled backup and of the retention.
import { BACKUP_SCHEDULE, oneOf, orNull, type PluginApp, type ScheduledBackup, Type } from '@playhead/sdk'
import { SCOPES } from '../archive/manifest.ts'
import { JOB_ID, jobFrom, ScheduleBody } from '../schedule.ts'
import type { Backups } from '../service.ts'
import { RetentionAnswer } from './answers.ts'

const Schedule = Type.Object({
  id: Type.String(),
  active: Type.Boolean(),
  scope: oneOf(SCOPES),
  at: orNull(Type.String()),
  days: Type.Array(Type.Integer()),
  label_template: Type.String(),
  retention_days: Type.Integer(),
  max_backups: Type.Integer(),
  auto_delete_old: Type.Boolean(),
  include_snapshots: Type.Boolean(),
  include_reports: Type.Boolean(),
  include_cache: Type.Boolean(),
  catch_up: Type.Boolean(),
})
const ScheduleAnswer = Type.Object({
  ok: Type.Literal(true),
  schedule: Type.Union([Schedule, Type.Object({}, { additionalProperties: false })], {
    description: 'Empty if nothing was scheduled yet.',
  }),
  advanced_enabled: Type.Boolean({ description: 'Syncs run by the advanced lists. Backups run either way.' }),
})
const RetentionBody = Type.Object({
  retention_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650, description: '0: no limit.' })),
  max_backups: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, description: '0: no limit.' })),
  all: Type.Optional(Type.Boolean({ description: 'Also backups that no schedule made. Default false.' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only report what would be deleted.' })),
})

export function registerScheduleRoutes(app: PluginApp, backups: Backups): void {
  const scheduling = app.playhead.use(BACKUP_SCHEDULE)
  const view = async () => {
    const { job, advanced } = await scheduling.read(JOB_ID)
    return { ok: true as const, schedule: job === undefined ? {} : shown(job), advanced_enabled: advanced }
  }

  app.get(
    '/api/backups/schedule',
    { schema: { summary: 'The scheduled backup', response: { 200: ScheduleAnswer } } },
    view,
  )

  app.post<{ Body: ScheduleBody }>(
    '/api/backups/schedule',
    {
      schema: {
        summary: 'Schedule a backup; the schedule of syncs stays unchanged',
        body: ScheduleBody,
        response: { 200: ScheduleAnswer },
      },
    },
    async ({ body }) => {
      await scheduling.save(jobFrom(body))
      return await view()
    },
  )

  app.post<{ Body: typeof RetentionBody.static }>(
    '/api/backups/retention',
    {
      schema: {
        summary: 'Delete old backups of the schedule, never the newest one',
        body: RetentionBody,
        response: { 200: RetentionAnswer },
      },
    },
    async ({ body }) => {
      const { retention_days = 0, max_backups = 0, all = false, dry_run = false } = body
      const rule = { retentionDays: retention_days, maxBackups: max_backups, all, dryRun: dry_run }
      const { deleted, retained, errors } = await backups.retain(rule)
      const ok = errors.length === 0
      return {
        ok,
        result: { ok, applied: !dry_run, deleted: [...deleted], retained: [...retained], errors: [...errors] },
      }
    },
  )
}

function shown({ id, active, scope, at, days, ...rest }: ScheduledBackup) {
  const { label_template, retention_days, max_backups, auto_delete_old } = rest
  const { include_snapshots, include_reports, include_cache, catch_up } = rest
  return {
    id,
    active,
    scope,
    at,
    days: [...days],
    label_template,
    retention_days,
    max_backups,
    auto_delete_old,
    include_snapshots,
    include_reports,
    include_cache,
    catch_up,
  }
}
