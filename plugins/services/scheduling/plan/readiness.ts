// Whether a queued item may start, depending on the job before it.
import { type Entry, GRACE_MS, zoneOf } from './entries.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { EntryResult, Item, State } from '../run/state.ts'

/** `drop` has the reason why it will never start. */
type Readiness = { readonly is: 'ready' | 'waiting' } | { readonly is: 'drop'; readonly reason: string }

interface ReadinessInput {
  readonly state: State
  readonly config: SchedulingConfig
  readonly entries: readonly Entry[]
  readonly hostZone: string
  readonly nowMs: number
}

const READY: Readiness = { is: 'ready' }
const WAITING: Readiness = { is: 'waiting' }

export function readinessOf(item: Item, { entries, state, config, hostZone, nowMs }: ReadinessInput): Readiness {
  if (item.notBeforeMs !== undefined && item.notBeforeMs > nowMs) return WAITING
  const one = entries.find(({ key }) => key === item.key)
  if (one === undefined || one.after === null) return READY
  const before = entries.find(({ key }) => key === one.after)
  if (before === undefined) return { is: 'drop', reason: 'dependency_missing' }
  if (isCircular(one, entries)) return { is: 'drop', reason: 'dependency_circle' }
  const result = state.results[before.key]
  const timeZone = zoneOf(config, hostZone)
  const date = dateOf(item.slotMs, timeZone)
  const { at = null, days = [] } = config.advanced.jobs.find(({ id }) => id === before.id) ?? {}
  const isOnDate = days.length === 0 || days.includes(date.dayOfWeek)
  const hasResult = result !== undefined && Temporal.PlainDate.compare(dateOf(result.slotMs, timeZone), date) >= 0
  // If the other job has no slot today, its last result decides.
  if (!isOnDate || at === null || hasResult) return judge(result?.result, one)
  const isRunning = state.running?.key === before.key || state.queue.some(({ key }) => key === before.key)
  const slotMs = date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(at) }).epochMilliseconds
  const isToCome = slotMs + config.jitter_seconds * 1_000 + GRACE_MS > nowMs
  return isRunning || isToCome ? WAITING : { is: 'drop', reason: 'dependency_missed' }
}

function dateOf(atMs: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone).toPlainDate()
}

/** Whether the next step may start after this result. */
export function allows(result: EntryResult | undefined, continueOnError: boolean): boolean {
  if (result === 'ok' || result === 'partial') return true
  return continueOnError && result === 'failed'
}

function judge(result: EntryResult | undefined, { continueOnError }: Entry): Readiness {
  return allows(result, continueOnError) ? READY : { is: 'drop', reason: 'dependency_failed' }
}

function isCircular(start: Entry, entries: readonly Entry[]): boolean {
  const visited = new Set<string>()
  for (let one: Entry | undefined = start; one !== undefined; one = entries.find(({ key }) => key === one?.after)) {
    if (visited.has(one.key)) return true
    visited.add(one.key)
  }
  return false
}
