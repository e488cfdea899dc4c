// Whether an item that waits may start, as far as it depends on another job.
import { type Entry, GRACE_MS } from './planner.ts'
import type { EntryResult, Item, State } from '../run/state.ts'
import { slotOnDateOf } from './wall-clock.ts'

/** `drop` says why it never will. */
export type Readiness = { readonly is: 'ready' | 'waiting' } | { readonly is: 'drop'; readonly reason: string }

export interface ReadinessInput {
  readonly state: State
  readonly entries: readonly Entry[]
  readonly zone: string
  readonly nowMs: number
  /** Longest delay of a slot by jitter. */
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
  // On a day without it, how it ended the last time decides.
  if (slotMs === null || (result !== undefined && result.slotMs >= slotMs)) return judge(result?.result, one)
  const isGoingOn = state.running?.key === before.key || state.queue.some(({ key }) => key === before.key)
  const isToCome = slotMs + input.jitterMs + GRACE_MS > nowMs
  return isGoingOn || isToCome ? WAITING : { is: 'drop', reason: 'dependency_missed' }
}

/** Whether what comes next may start after this result. */
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
