// The status of the installed data, for display.
import { type Static, Type } from '@playhead/sdk'
import type { Settings } from './settings.ts'
import type { State } from './state.ts'
import { isReady } from './update/update.ts'

const Whole = Type.Integer()
const Seconds = Type.Integer({ description: 'Epoch seconds; 0: never.' })
const Bytes = Type.Integer({ description: 'Bytes.' })

export const AutoUpdateStatus = Type.Object({
  running: Type.Boolean(),
  enabled: Type.Boolean(),
  last_check_at: Seconds,
  last_update_at: Seconds,
  next_check_at: Seconds,
  last_error: Type.String({ description: 'Code and text of the last failure; empty since the last success.' }),
})

export const Status = Type.Object(
  {
    ok: Type.Literal(true),
    enabled: Type.Boolean(),
    auto_update: Type.Boolean(),
    provider: Type.String(),
    release_tag: Type.String(),
    installed: Type.Boolean({ description: 'Data set and index are there.' }),
    installed_tag: Type.String({ description: 'Release of the data that is in use; empty if there is none.' }),
    index_ready: Type.Boolean(),
    status: Type.Union(
      ['installed', 'missing', 'stale_schema', 'updating', 'error'].map((one) => Type.Literal(one)),
      { description: 'stale_schema: the index is built again soon. error: missing, and the last try failed.' },
    ),
    dataset_generated_on: Type.String({ description: 'ISO 8601; empty if there is none.' }),
    age_hours: Type.Union([Type.Number(), Type.Null()]),
    stale: Type.Boolean({ description: 'Older than stale_after_days.' }),
    stale_after_days: Whole,
    last_checked_at: Seconds,
    last_updated_at: Seconds,
    index_built_at: Seconds,
    source_count: Whole,
    edge_count: Whole,
    pair_count: Whole,
    identity_count: Whole,
    skipped_count: Type.Integer({ description: 'Rows of the data sets that are of no known form.' }),
    identity_installed: Type.Boolean(),
    identity_error: Type.String(),
    mappings_size: Bytes,
    identity_size: Bytes,
    db_size: Bytes,
    mappings_sha256: Type.String(),
    overrides: Type.Integer({ description: 'Number of rules.' }),
    stats: Type.Record(Type.String(), Type.Unknown(), { description: 'stats.json of the data set.' }),
    auto_update_status: AutoUpdateStatus,
  },
  { title: 'AnimeMappingStatus' },
)
export type Status = Static<typeof Status>

interface StatusFacts {
  readonly settings: Readonly<Settings>
  readonly state: State
  readonly isRunning: boolean
  readonly nextAtMs: number | null
  readonly overrides: number
  readonly nowMs: number
}

const HOUR_MS = 3_600_000
const DAY_HOURS = 24

export function statusOf({ settings, state, isRunning, nextAtMs, overrides, nowMs }: StatusFacts): Status {
  const { enabled, auto_update, provider, release_tag, stale_after_days } = settings
  const { installed, index, failure, identityError } = state
  const isInstalled = installed !== null && index !== null
  const ageHours = installed === null ? null : Math.max(0, (nowMs - Date.parse(installed.generatedOn)) / HOUR_MS)
  const checked = { last_check_at: seconds(state.checkedAtMs), last_update_at: seconds(state.updatedAtMs) }
  return {
    ok: true,
    enabled,
    auto_update,
    provider,
    release_tag,
    installed: isInstalled,
    installed_tag: index?.tag ?? '',
    index_ready: isReady(index),
    status: stateOf(state, isRunning),
    dataset_generated_on: installed?.generatedOn ?? '',
    age_hours: ageHours === null ? null : Math.round(ageHours * 10) / 10,
    stale: ageHours !== null && ageHours > stale_after_days * DAY_HOURS,
    stale_after_days,
    last_checked_at: checked.last_check_at,
    last_updated_at: checked.last_update_at,
    index_built_at: seconds(index?.builtAtMs ?? 0),
    source_count: index?.counts.source_count ?? 0,
    edge_count: index?.counts.edge_count ?? 0,
    pair_count: index?.counts.pair_count ?? 0,
    identity_count: index?.counts.identity_count ?? 0,
    skipped_count: index?.counts.skipped_count ?? 0,
    identity_installed: installed !== null && installed.identities !== null,
    identity_error: identityError,
    mappings_size: installed?.mappings.size ?? 0,
    identity_size: installed?.identities?.size ?? 0,
    db_size: index?.size ?? 0,
    mappings_sha256: installed?.mappings.sha256 ?? '',
    overrides,
    stats: installed?.stats ?? {},
    auto_update_status: {
      running: isRunning,
      enabled: enabled && auto_update,
      ...checked,
      next_check_at: seconds(nextAtMs ?? 0),
      last_error: failure === null ? '' : `${failure.code}: ${failure.message}`,
    },
  }
}

function stateOf({ installed, index, failure }: State, isRunning: boolean): Status['status'] {
  if (isRunning) return 'updating'
  if (installed === null || index === null) return failure === null ? 'missing' : 'error'
  return isReady(index) ? 'installed' : 'stale_schema'
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
