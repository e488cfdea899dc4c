// Computes when entries are due, from settings, past starts and the clock. Everything that shows or starts a next run
// uses it.
import type { SchedulingConfig } from '../settings.ts'
import { DAY_MS, HOUR_MS, nextDaily, nextFullHour, nextSpread } from './wall-clock.ts'

/** A slot that cannot start within this time is dropped. */
export const GRACE_MS = 10 * 60_000

export type EntryKind = 'standard' | 'job' | 'workflow' | 'capture' | 'backup'

type Rule =
  | { readonly type: 'hourly' }
  /** This long after the last start. */
  | { readonly type: 'interval'; readonly ms: number }
  /** Whole intervals after local midnight. */
  | { readonly type: 'spread'; readonly ms: number }
  | { readonly type: 'daily'; readonly at: string; readonly days: readonly number[] }

/** Something that runs repeatedly. */
export interface Entry {
  /** `standard`, `job:<id>`, `workflow:<id>`, … */
  readonly key: string
  readonly kind: EntryKind
  /** Id in the settings. */
  readonly id: string
  readonly pairId: string | null
  readonly rule: Rule
  /** Key of the entry that must have succeeded before. */
  readonly after: string | null
  readonly continueOnError: boolean
  /** A slot that passed while the service was off is run later, once. */
  readonly catchUp: boolean
  readonly steps: readonly { readonly id: string; readonly pairId: string }[]
}

/** Memory of one entry. Slots are nominal times, before jitter. */
interface Known {
  readonly rule: string
  /** When the current schedule was set; earlier slots are not caught up. */
  readonly sinceMs: number
  /** The last slot that was queued. */
  readonly firedMs: number | null
  readonly startedMs: number | null
}
export type Memory = Readonly<Record<string, Known>>

interface Slot {
  readonly entry: Entry
  readonly slotMs: number
  /** The start time including jitter. */
  readonly dueMs: number
}

interface PlannerInput {
  readonly config: SchedulingConfig
  readonly memory: Memory
  readonly nowMs: number
  /** Used when the settings name no zone. */
  readonly hostZone: string
  /** Makes the jitter differ between installations. */
  readonly salt: string
}

const MAX_CATCH_UP_MS = 8 * 24 * HOUR_MS
const KIND_ORDER: readonly EntryKind[] = ['standard', 'job', 'workflow', 'capture', 'backup']

/** The next slot of every entry, earliest first. Includes a due slot within its grace period. */
export function plan(input: PlannerInput): readonly Slot[] {
  return entriesOf(input.config)
    .flatMap((entry) => nextSlot(entry, input) ?? [])
    .sort((a, b) => a.dueMs - b.dueMs || orderOfKind(a) - orderOfKind(b) || (a.entry.id < b.entry.id ? -1 : 1))
}

/** Updates the memory to these settings: new and changed entries start now, removed ones are deleted. */
export function remember(memory: Memory, config: SchedulingConfig, nowMs: number): Memory {
  return Object.fromEntries(entriesOf(config).map((one) => [one.key, knownOf(one, memory, config, nowMs)]))
}

/** All entries of the settings. Disabled ones and those without a time or a pair are left out. */
export function entriesOf(config: SchedulingConfig): readonly Entry[] {
  return [...syncEntries(config), ...keepingEntries(config)]
}

/** Captures and backups, in every sync mode. */
function keepingEntries({ advanced }: SchedulingConfig): readonly Entry[] {
  return [
    ...advanced.capture_jobs.flatMap(({ id, active, at, days, provider, catch_up: catchUp }) =>
      active && at !== null && provider !== '' ? [entry('capture', id, daily(at, days), { catchUp })] : [],
    ),
    ...advanced.backup_jobs.flatMap(({ id, active, at, days, catch_up: catchUp }) =>
      active && at !== null ? [entry('backup', id, daily(at, days), { catchUp })] : [],
    ),
  ]
}

function syncEntries(config: SchedulingConfig): readonly Entry[] {
  const { advanced } = config
  if (!advanced.enabled) {
    const rule = config.enabled && config.mode !== 'disabled' ? ruleOf(config, config.mode, 'interval') : null
    return rule === null ? [] : [entry('standard', 'standard', rule, {})]
  }
  return [
    ...advanced.jobs.flatMap((job) =>
      !job.active || job.pair_id === null || job.at === null
        ? []
        : [
            entry('job', job.id, daily(job.at, job.days), {
              pairId: job.pair_id,
              after: job.after === null ? null : `job:${job.after}`,
              continueOnError: job.continue_on_error,
            }),
          ],
    ),
    ...advanced.workflows.flatMap((flow) => {
      const steps = flow.steps.flatMap(({ id, pair_id: pairId, active }) =>
        active && pairId !== null ? [{ id, pairId }] : [],
      )
      const rule = ruleOf(flow, flow.mode, 'spread')
      return flow.active && steps.length > 0
        ? [entry('workflow', flow.id, rule, { steps, continueOnError: flow.continue_on_error })]
        : []
    }),
  ]
}

function daily(at: string, days: readonly number[]): Rule {
  return { type: 'daily', at, days }
}

/** Time zone of the wall-clock rules. */
export function zoneOf({ config, hostZone }: Pick<PlannerInput, 'config' | 'hostZone'>): string {
  return config.timezone === '' ? hostZone : config.timezone
}

function nextSlot(one: Entry, input: PlannerInput): Slot | null {
  const { config, nowMs } = input
  const known = plausible(knownOf(one, input.memory, config, nowMs), one.rule, nowMs)
  const longestMs = nowMs - GRACE_MS - config.jitter_seconds * 1_000
  // A slot at exactly the current time counts.
  if (one.catchUp) {
    const missedMs = lastSlot(one.rule, known, zoneOf(input), Math.max(known.sinceMs - 1, known.firedMs ?? 0), nowMs)
    if (missedMs !== null) return { entry: one, slotMs: missedMs, dueMs: missedMs + jitterMs(input, one.key, missedMs) }
  }
  let slotMs = slotAfter(one.rule, known, zoneOf(input), Math.max(known.sinceMs - 1, known.firedMs ?? 0, longestMs - 1))
  while (slotMs !== null) {
    const dueMs = slotMs + jitterMs(input, one.key, slotMs)
    if (dueMs >= nowMs - GRACE_MS) return { entry: one, slotMs, dueMs }
    slotMs = slotAfter(one.rule, known, zoneOf(input), slotMs)
  }
  return null
}

/** The last slot within a time; null if there is none. */
function lastSlot(rule: Rule, known: Known, zone: string, afterMs: number, untilMs: number): number | null {
  // Slots may be a week apart; older ones are ignored.
  let last: number | null = null
  for (
    let atMs = slotAfter(rule, known, zone, Math.max(afterMs, untilMs - MAX_CATCH_UP_MS));
    atMs !== null && atMs <= untilMs;
  )
    atMs = slotAfter(rule, known, zone, (last = atMs))
  return last
}

function knownOf({ key, rule }: Entry, memory: Memory, { timezone }: SchedulingConfig, nowMs: number): Known {
  const known = memory[key]
  const text = JSON.stringify([rule, timezone])
  if (known?.rule === text) return known
  return { rule: text, sinceMs: nowMs, firedMs: known?.firedMs ?? null, startedMs: known?.startedMs ?? null }
}

/**
 * Times recorded while the clock was ahead would stop the entry until then. A queued slot may be slightly in the future after the
 * clock was set back, so that it does not run twice.
 */
function plausible(known: Known, rule: Rule, nowMs: number): Known {
  const periodMs = rule.type === 'daily' ? DAY_MS : rule.type === 'hourly' ? HOUR_MS : rule.ms
  // Whole periods, so that interval slots keep their phase; one more, so that the current slot counts.
  const past = (atMs: number) => (atMs <= nowMs ? atMs : atMs - (Math.ceil((atMs - nowMs) / periodMs) + 1) * periodMs)
  return {
    ...known,
    sinceMs: past(known.sinceMs),
    startedMs: known.startedMs === null ? null : past(known.startedMs),
    firedMs: known.firedMs === null || known.firedMs - nowMs > periodMs ? null : known.firedMs,
  }
}

function orderOfKind({ entry: { kind } }: Slot): number {
  return KIND_ORDER.indexOf(kind)
}

function slotAfter(rule: Rule, { startedMs, sinceMs }: Known, zone: string, afterMs: number): number | null {
  switch (rule.type) {
    case 'hourly':
      return nextFullHour(zone, afterMs)
    case 'spread':
      return nextSpread(rule.ms, zone, afterMs)
    case 'daily':
      return nextDaily(rule.at, rule.days, zone, afterMs)
    case 'interval': {
      const anchorMs = startedMs ?? sinceMs
      return anchorMs + Math.max(1, Math.floor((afterMs - anchorMs) / rule.ms) + 1) * rule.ms
    }
  }
}

type Timing = Pick<SchedulingConfig, 'every_n_hours' | 'custom_interval_minutes' | 'daily_time'>

function ruleOf(
  { every_n_hours: hours, custom_interval_minutes: minutes, daily_time: at }: Timing,
  mode: 'hourly' | 'every_n_hours' | 'daily_time' | 'custom_interval',
  type: 'interval' | 'spread',
): Rule {
  if (mode === 'hourly') return { type: 'hourly' }
  if (mode === 'daily_time') return { type: 'daily', at, days: [] }
  return { type, ms: mode === 'every_n_hours' ? hours * HOUR_MS : minutes * 60_000 }
}

function entry(kind: EntryKind, id: string, rule: Rule, more: Partial<Entry>): Entry {
  const key = kind === 'standard' ? kind : `${kind}:${id}`
  return { key, kind, id, rule, pairId: null, after: null, continueOnError: false, catchUp: false, steps: [], ...more }
}

// Derived from the slot, so that it is stable.
function jitterMs({ config, salt }: PlannerInput, key: string, slotMs: number): number {
  if (config.jitter_seconds === 0) return 0
  let hash = 0x811c9dc5
  for (const char of `${salt} ${key} ${slotMs}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  // The low bits of this hash are uneven.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return (((hash ^ (hash >>> 13)) >>> 0) % (config.jitter_seconds + 1)) * 1_000
}
