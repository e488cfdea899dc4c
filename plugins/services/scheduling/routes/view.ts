// Views of plan, state and settings for the routes.
import { isSecretPath, type JobSlot, maskSecrets, type WorkBlock, type WorkKind } from '@playhead/sdk'
import { entriesOf, zoneOf } from '../plan/entries.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, State } from '../run/state.ts'

interface Upcoming {
  /** Epoch seconds. */
  readonly run_at: number
  readonly run_iso: string
  readonly kind: string
  readonly job_id: string
  readonly pair_id: string
  /** Due, but waiting for other work to end. */
  readonly waiting: boolean
}

export interface ViewInput {
  readonly config: SchedulingConfig
  readonly state: State
  /** The planned slots, earliest first. */
  readonly slots: readonly JobSlot[]
  readonly nowMs: number
  readonly hostZone: string
  /** Why work of the service is held. */
  readonly blocks: readonly WorkBlock[]
}

export type StatusView = Readonly<Record<string, unknown>>

const SHOWN = 10
/** The kinds of work that the scheduling starts. */
const STARTED: readonly WorkKind[] = ['sync', 'capture', 'backup']

/** Upcoming starts, earliest first; empty while paused. */
function upcomingOf({ config, state, slots, nowMs, hostZone }: ViewInput): readonly Upcoming[] {
  if (state.paused) return []
  const zone = zoneOf(config, hostZone)
  const entries = entriesOf(config)
  const show = (
    dueMs: number,
    { kind, id, pairId }: Pick<Item, 'kind' | 'id' | 'pairId'>,
    waiting: boolean,
  ): Upcoming => {
    // Due items that have not started yet start now.
    const at = Math.ceil(Math.max(dueMs, nowMs) / 1_000)
    const job_id = kind === 'standard' ? '' : id
    return { run_at: at, run_iso: formatLocal(at * 1_000, zone), kind, job_id, pair_id: pairId ?? '', waiting }
  }
  return [
    ...state.queue.map((item) => show(nowMs, item, true)),
    ...slots.flatMap(({ name, dueAtMs }) =>
      entries
        .filter(({ key }) => key === name)
        .map((one) => show(dueAtMs, { ...one, pairId: one.pairId ?? one.steps[0]?.pairId ?? null }, false)),
    ),
  ].slice(0, SHOWN)
}

export function nextOf(input: ViewInput): Readonly<Record<string, unknown>> {
  const upcoming = upcomingOf(input)
  const [first] = upcoming
  return {
    next_run_at: first?.run_at ?? 0,
    next_run_iso: first?.run_iso ?? '',
    kind: first?.kind ?? '',
    job_id: first?.job_id ?? '',
    pair_id: first?.pair_id ?? '',
    on_hold: onHoldOf(input.blocks),
    upcoming,
  }
}

export function statusOf(input: ViewInput, warnings: readonly string[]): StatusView {
  const { config, state } = input
  const { atMs, ok, error, ...last } = state.last
  const mode = modeOf(config)
  const [next] = upcomingOf(input)
  return {
    running: mode !== 'disabled' && !state.paused,
    paused: state.paused,
    last_tick: Math.floor(state.lastTickMs / 1_000),
    last_run_at: Math.floor(atMs / 1_000),
    next_run_at: next?.run_at ?? 0,
    next_run_iso: next?.run_iso ?? '',
    last_run_ok: ok,
    last_error: error,
    ...Object.fromEntries(Object.entries(last).map(([name, value]) => [`last_${name}`, value])),
    active_run_id: state.running?.runId ?? null,
    on_hold: onHoldOf(input.blocks),
    effective_mode: mode,
    effective: { enabled: mode !== 'disabled', mode },
    config: maskedConfig(config),
    scheduling_warnings: warnings,
    warning: warnings.length > 0,
  }
}

function onHoldOf(blocks: readonly WorkBlock[]) {
  for (const { code, message, kinds: blocked, sinceMs } of blocks) {
    const kinds = blocked === undefined ? STARTED : STARTED.filter((kind) => blocked.includes(kind))
    if (kinds.length > 0) return { reason: code, detail: message, since: Math.floor(sinceMs / 1_000), kinds }
  }
  return null
}

export function overviewOf(input: ViewInput): Readonly<Record<string, unknown>> {
  const { config, state } = input
  const mode = modeOf(config)
  const [next] = upcomingOf(input)
  const active = (rows: readonly { readonly active: boolean }[]) => rows.filter((row) => row.active).length
  return {
    enabled: mode !== 'disabled',
    advanced: config.advanced.enabled,
    running: mode !== 'disabled' && !state.paused,
    nextRun: next?.run_at ?? null,
    next_run_at: next?.run_at ?? 0,
    eventTriggers: config.advanced.enabled ? active(config.advanced.event_rules) : 0,
    captureSchedules: active(config.advanced.capture_jobs),
  }
}

/** The settings without webhook URLs. */
export function maskedConfig(config: SchedulingConfig): SchedulingConfig {
  return maskSecrets(config, (path) => isSecretPath(['scheduling', ...path]))
}

/** The active schedule: `advanced`, the mode of the standard one, or none. */
function modeOf(config: SchedulingConfig): string {
  if (config.advanced.enabled) return 'advanced'
  return entriesOf(config).length === 0 ? 'disabled' : config.mode
}

function formatLocal(atMs: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone)
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'short' }).formatToParts(atMs)
  const name = parts.find(({ type }) => type === 'timeZoneName')
  return `${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: 'second' })} ${name?.value ?? zone}`
}
