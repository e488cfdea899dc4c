// Entries that the settings start repeatedly, with the times that the host plans.
import type { JobTime, JobTimes } from '@playhead/sdk'
import type { SchedulingConfig } from '../settings.ts'

/** A slot that cannot start within this time is dropped. */
export const GRACE_MS = 10 * 60_000
const HOUR_MS = 3_600_000

export type EntryKind = 'standard' | 'job' | 'workflow' | 'capture' | 'backup'

/** Something that runs repeatedly. */
export interface Entry {
  /** `standard`, `job:<id>`, `workflow:<id>`, … */
  readonly key: string
  readonly kind: EntryKind
  /** Id in the settings. */
  readonly id: string
  readonly pairId: string | null
  /** Without zone and jitter. */
  readonly time: JobTime
  /** Key of the entry that must have succeeded before. */
  readonly after: string | null
  readonly continueOnError: boolean
  readonly steps: readonly { readonly id: string; readonly pairId: string }[]
}

interface Clocks {
  /** Used when the settings name no zone. */
  readonly hostZone: string
  /** Makes the jitter differ between installations. */
  readonly salt: string
  /** The last start of the standard schedule, whose intervals count from it. */
  readonly startedMs: number | null
}

/** The times of all entries; of those that are due together, the first one starts first. */
export function timesOf(config: SchedulingConfig, { hostZone, salt, startedMs }: Clocks): JobTimes {
  const common = {
    timeZone: zoneOf(config, hostZone),
    ...(config.jitter_seconds === 0 ? {} : { jitter: { maxMs: config.jitter_seconds * 1_000, seed: salt } }),
  }
  const times = entriesOf(config).map(({ key, kind, time }) => {
    const isCounted = kind === 'standard' && 'every' in time && startedMs !== null
    return [key, { ...time, ...common, ...(isCounted ? { from: startedMs } : {}) }] as const
  })
  return { times: Object.fromEntries(times) }
}

/** Time zone of the settings. */
export function zoneOf({ timezone }: SchedulingConfig, hostZone: string): string {
  return timezone === '' ? hostZone : timezone
}

/** All entries of the settings. Disabled ones and those without a time or a pair are left out. */
export function entriesOf(config: SchedulingConfig): readonly Entry[] {
  return [...syncEntries(config), ...keepingEntries(config)]
}

/** Captures and backups, in every sync mode. */
function keepingEntries({ advanced }: SchedulingConfig): readonly Entry[] {
  return [
    ...byId(advanced.capture_jobs).flatMap(({ id, active, at, days, provider, catch_up: catchUp }) =>
      active && at !== null && provider !== '' ? [entry('capture', id, daily(at, days, catchUp), {})] : [],
    ),
    ...byId(advanced.backup_jobs).flatMap(({ id, active, at, days, catch_up: catchUp }) =>
      active && at !== null ? [entry('backup', id, daily(at, days, catchUp), {})] : [],
    ),
  ]
}

function syncEntries(config: SchedulingConfig): readonly Entry[] {
  const { advanced, mode } = config
  if (!advanced.enabled)
    return config.enabled && mode !== 'disabled' ? [entry('standard', 'standard', timeOf({ ...config, mode }), {})] : []
  return [
    ...byId(advanced.jobs).flatMap(
      ({ id, active, pair_id: pairId, at, days, after, continue_on_error: continueOnError }) =>
        active && pairId !== null && at !== null
          ? [
              entry('job', id, daily(at, days), {
                pairId,
                after: after === null ? null : `job:${after}`,
                continueOnError,
              }),
            ]
          : [],
    ),
    ...byId(advanced.workflows).flatMap((flow) => {
      const steps = flow.steps.flatMap(({ id, pair_id: pairId, active }) =>
        active && pairId !== null ? [{ id, pairId }] : [],
      )
      const time = timeOf(flow)
      const spread: JobTime = 'every' in time ? { ...time, from: 'midnight' } : time
      return flow.active && steps.length > 0
        ? [entry('workflow', flow.id, spread, { steps, continueOnError: flow.continue_on_error })]
        : []
    }),
  ]
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function daily(at: string, days: readonly number[], catchUp = false): JobTime {
  const [hour, minute] = at.split(':').map(Number)
  const weekdays = days.length === 0 ? '*' : days.join(',')
  return { cron: `${minute} ${hour} * * ${weekdays}`, missed: catchUp ? 'once' : 'skip' }
}

type Timing = Pick<SchedulingConfig, 'every_n_hours' | 'custom_interval_minutes' | 'daily_time'> & {
  readonly mode: 'hourly' | 'every_n_hours' | 'daily_time' | 'custom_interval'
}

function timeOf({ mode, every_n_hours: hours, custom_interval_minutes: minutes, daily_time: at }: Timing): JobTime {
  if (mode === 'hourly') return { cron: '0 * * * *', missed: 'skip' }
  if (mode === 'daily_time') return daily(at, [])
  return { every: mode === 'every_n_hours' ? hours * HOUR_MS : minutes * 60_000 }
}

function entry(kind: EntryKind, id: string, time: JobTime, more: Partial<Entry>): Entry {
  const key = kind === 'standard' ? kind : `${kind}:${id}`
  return { key, kind, id, time, pairId: null, after: null, continueOnError: false, steps: [], ...more }
}
