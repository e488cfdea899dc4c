import { orNull, Type } from '@playhead/sdk'
import { SchedulingConfig as Config } from '../settings.ts'

const Seconds = Type.Integer({ description: 'Epoch seconds; 0 is never.' })
const Text = Type.String()
const SchedulingConfig = Type.Object(Config.properties, { title: 'SchedulerSettings' })
const NEXT = { next_run_at: Seconds, next_run_iso: Text }

/** Why scheduled work is held, for example `disk_low`. It starts automatically when the cause is resolved. */
const OnHold = Type.Union([
  Type.Object({ reason: Text, detail: Text, since: Seconds, kinds: Type.Array(Text) }),
  Type.Null(),
])

export const ConfigAnswer = SchedulingConfig
export const SavedAnswer = Type.Object({
  ...SchedulingConfig.properties,
  ok: Type.Boolean(),
  next_run_at: Seconds,
  config: SchedulingConfig,
})
export const NextAnswer = Type.Object({
  ok: Type.Boolean(),
  ...NEXT,
  kind: Text,
  job_id: Text,
  pair_id: Text,
  on_hold: OnHold,
  config: SchedulingConfig,
  upcoming: Type.Array(
    Type.Object(
      {
        run_at: Type.Integer({ description: 'Epoch seconds.' }),
        run_iso: Text,
        kind: Text,
        job_id: Text,
        pair_id: Text,
        waiting: Type.Boolean({ description: 'Due, but waiting for something else to end.' }),
      },
      { title: 'UpcomingStart' },
    ),
  ),
})
const LAST = [
  ...['job_id', 'pair_id', 'capture_job_id', 'capture_provider', 'capture_feature', 'backup_job_id', 'backup_scope'],
  ...['rule_id', 'event_source', 'event_name'],
]
export const StatusAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    running: Type.Boolean(),
    paused: Type.Boolean(),
    last_tick: Seconds,
    last_run_at: Seconds,
    ...NEXT,
    last_run_ok: Type.Union([Type.Boolean(), Type.Null()]),
    last_error: Text,
    ...Object.fromEntries(LAST.map((name) => [`last_${name}`, Text])),
    stopped: Type.Optional(Type.Boolean({ description: 'Set in the response to a request to stop.' })),
    triggered: Type.Optional(Type.Boolean({ description: 'For a request to start: the work started or is waiting.' })),
    run_id: Type.Optional(orNull(Type.String({ description: 'For a request to start: the started run.' }))),
    active_run_id: Type.Union([Text, Type.Null()]),
    on_hold: OnHold,
    effective_mode: Text,
    effective: Type.Object({ enabled: Type.Boolean(), mode: Text }),
    config: SchedulingConfig,
    scheduling_warnings: Type.Array(Text),
    warning: Type.Boolean(),
  },
  { title: 'SchedulerStatus' },
)
