// The result of an applied plan, for responses.
import type { ActionOutcome } from '@playhead/sdk'
import type { RowError } from './rows.ts'

interface Applied {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly rejected: readonly RowError[]
  readonly unresolved: readonly Pick<ActionOutcome, 'key' | 'op' | 'outcome' | 'reason'>[]
  readonly unresolved_count: number
}

/** @param rejected rows that were never sent */
export function appliedOf(rejected: readonly RowError[], outcomes: readonly ActionOutcome[]): Applied {
  const count = (op: ActionOutcome['op']) => outcomes.filter((one) => one.op === op && one.ok).length
  const left = new Set(rejected.map(({ key }) => key))
  const unresolved = outcomes
    .filter((one) => !one.ok && !(one.outcome === 'filtered' && left.has(one.key)))
    .map(({ key, op, outcome, reason = outcome }) => ({ key, op, outcome, reason }))
  return {
    added: count('add'),
    updated: count('update'),
    removed: count('remove'),
    rejected,
    unresolved,
    unresolved_count: unresolved.length,
  }
}
