// Whether a queued item may start, depending on the job before it.
import { type Entry, GRACE_MS } from './planner.ts'
import type { EntryResult, Item, State } from '../run/state.ts'
import { slotOnDateOf } from './wall-clock.ts'

/** `drop` has the reason why it will never start. */
type Readiness = { readonly is: 'ready' | 'waiting' } | { readonly is: 'drop'; readonly reason: string }

interface ReadinessInput {
  readonly state: State
  readonly entries: readonly Entry[]
  readonly zone: string
  readonly nowMs: number
  /** Maximum jitter of a slot. */
  readonly jitterMs: number
}

const READY: Readiness = { is: 'ready' }
const WAITING: Readiness = { is: 'waiting' }

export function readinessOf(item: Item, input: ReadinessInput): Readiness {
  const { entries, state, nowMs } = input
  if (item.notBeforeMs !== undefined && item.notBeforeMs > nowMs) return WAITING
  const one = entries.find(({ key }) => key === item.key)
  if (one === undefined || one.after === null) return READY
  const before = entries.find(({ key }) => key === one.after)
  if (before === undefined) return { is: 'drop', reason: 'dependency_missing' }
  if (isCircular(one, entries)) return { is: 'drop', reason: 'dependency_circle' }
  const result = state.results[before.key]
  const slotMs =
    before.rule.type === 'daily' ? slotOnDateOf(item.slotMs, before.rule.at, before.rule.days, input.zone) : null
  // If the other job has no slot today, its last result decides.
  if (slotMs === null || (result !== undefined && result.slotMs >= slotMs)) return judge(result?.result, one)
  const isRunning = state.running?.key === before.key || state.queue.some(({ key }) => key === before.key)
  const isToCome = slotMs + input.jitterMs + GRACE_MS > nowMs
  return isRunning || isToCome ? WAITING : { is: 'drop', reason: 'dependency_missed' }
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
