// Settings of the scheduling, as stored and as exchanged by the routes.
import { defined, oneOf, readAs, readProvider, type Static, type TSchema, Type } from '@playhead/sdk'
import * as forms from './plan/forms.ts'

const FLOW_MODES = ['hourly', 'every_n_hours', 'daily_time', 'custom_interval'] as const
const SOURCES = ['watcher', 'webhook'] as const
const CAPTURED = ['watchlist', 'ratings', 'history', 'progress', 'all'] as const
const BACKUP_SCOPES = ['config_only', 'app_state', 'full'] as const
export const URL_FIELDS = ['url', 'base_url', 'start_url', 'success_url', 'failure_url'] as const
const flag = (fallback: boolean, description?: string) =>
  Type.Boolean({ default: fallback, ...defined({ description }) })
const text = () => Type.String({ default: '' })
const name = readAs(text(), forms.readName)
const provider = readAs(text(), readProvider)
const id = Type.String({ minLength: 1, maxLength: 80 })
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()], { default: null })
const at = readAs(orNull(Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })), forms.readTime)
const dailyTime = readAs(Type.String({ default: '03:30' }), forms.readTime)
const mode = <const Name extends string>(names: readonly Name[], fallback: Name) =>
  readAs(oneOf(names, fallback), forms.readMode)
const days = readAs(
  Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    default: [],
    description: '1 is Monday. Leave empty for every day.',
  }),
  forms.readDays,
)
const rows = <Row extends TSchema>(row: Row, prefix: string) =>
  readAs(Type.Array(row, { default: [] }), (value) => forms.readRows(value, prefix))
const secretUrl = readAs(Type.String({ default: '', secret: true }), forms.readUrl)
const continueOnError = flag(false, 'Continues if the previous step failed.')

const Job = Type.Object({
  id,
  pair_id: orNull(Type.String()),
  at,
  days,
  active: flag(true),
  after: orNull(Type.String()),
  continue_on_error: continueOnError,
})
const Step = Type.Object({ id, pair_id: orNull(Type.String()), active: flag(true) })
const Workflow = Type.Object({
  id,
  name,
  mode: mode(FLOW_MODES, 'every_n_hours'),
  every_n_hours: Type.Integer({ default: 12, minimum: 1, maximum: 24 }),
  daily_time: dailyTime,
  custom_interval_minutes: Type.Integer({ default: 60, minimum: 15, maximum: 1_440 }),
  steps: rows(Step, 'step'),
  active: flag(true),
  continue_on_error: continueOnError,
})
const EventRule = Type.Object({
  id,
  active: flag(true),
  source: oneOf(SOURCES, 'watcher'),
  event: readAs(oneOf(['start', 'pause', 'stop'], 'stop'), forms.readPlayback),
  filters: Type.Object({
    route_id: text(),
    provider,
    provider_instance: text(),
    account: text(),
    media_type: Type.Unsafe<'' | 'movie' | 'episode'>({ type: 'string', enum: ['', 'movie', 'episode'], default: '' }),
    min_progress: Type.Number({ default: 0, minimum: 0, maximum: 100 }),
  }),
  action: Type.Object({ kind: oneOf(['sync_pair'] as const, 'sync_pair'), pair_id: text() }),
  guardrails: Type.Object({
    cooldown_minutes: Type.Integer({ default: 0, minimum: 0, maximum: 1_440 }),
    dedupe_window_seconds: Type.Integer({ default: 0, minimum: 0, maximum: 86_400 }),
    max_runs_per_hour: Type.Integer({ default: 0, minimum: 0, maximum: 500, description: '0 means no limit.' }),
  }),
})
const KEEPING = {
  label_template: name,
  retention_days: Type.Integer({ default: 0, minimum: 0, maximum: 36_500 }),
  auto_delete_old: flag(false),
  catch_up: flag(false, 'Runs later if Playhead was off at the scheduled time.'),
  at,
  days,
  active: flag(true),
}
const CaptureJob = Type.Object({
  id,
  provider,
  instance: Type.String({ default: 'default' }),
  feature: oneOf(CAPTURED, 'all'),
  ...KEEPING,
  max_captures: Type.Integer({ default: 0, minimum: 0, maximum: 100_000 }),
})
const BackupJob = Type.Object({
  id,
  scope: oneOf(BACKUP_SCOPES, 'config_only'),
  ...KEEPING,
  max_backups: Type.Integer({ default: 0, minimum: 0, maximum: 100_000 }),
  include_snapshots: flag(false),
  include_reports: flag(false),
  include_cache: flag(false),
})
const Webhooks = Type.Object({
  enabled: flag(false),
  url: secretUrl,
  base_url: secretUrl,
  start_url: secretUrl,
  success_url: secretUrl,
  failure_url: secretUrl,
  payload_format: oneOf(['plain', 'notifiarr'] as const, 'plain'),
  notifiarr_channel_id: readAs(text(), forms.readChannel),
  timeout_seconds: Type.Integer({ default: 10, minimum: 1, maximum: 60 }),
  alert_on_unresolved: {
    ...flag(false, 'Reports a run with errors, or with items that are not synced, as failed.'),
    title: 'Report items that are not synced',
  },
  allow_private: flag(false, 'Also sends to addresses in your local network.'),
})

export const SchedulingConfig = Type.Object({
  enabled: flag(false, 'Runs all pairs on the schedule below, unless advanced scheduling is on.'),
  mode: mode(['disabled', ...FLOW_MODES], 'every_n_hours'),
  every_n_hours: Type.Integer({ default: 12, minimum: 1, maximum: 8_760 }),
  daily_time: dailyTime,
  custom_interval_minutes: Type.Integer({ default: 60, minimum: 15, maximum: 525_600 }),
  timezone: readAs(
    Type.String({
      default: '',
      description: 'For example Europe/Paris. Leave empty to use the time zone of the server.',
    }),
    forms.readZone,
  ),
  jitter_seconds: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 86_400,
    description: 'Each run starts up to this much later.',
  }),
  webhooks: Webhooks,
  advanced: Type.Object({
    enabled: flag(false, 'Uses the jobs, workflows and event rules below. Captures and backups always run.'),
    jobs: rows(Job, 'job'),
    workflows: rows(Workflow, 'workflow'),
    event_rules: rows(EventRule, 'rule'),
    capture_jobs: rows(CaptureJob, 'capture'),
    backup_jobs: rows(BackupJob, 'backup'),
  }),
})
export type SchedulingConfig = Static<typeof SchedulingConfig>
export type EventRule = Static<typeof EventRule>
export type Webhooks = Static<typeof Webhooks>
