// The result of an applied plan, for responses.
import type { ChangeOutcome } from '@playhead/sdk'
import type { RowError } from './rows.ts'

interface Applied {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly rejected: readonly RowError[]
  readonly unresolved: readonly (Pick<ChangeOutcome, 'key' | 'op' | 'outcome'> & { readonly reason: string })[]
  readonly unresolved_count: number
}

/** @param rejected rows that were never sent */
export function appliedOf(rejected: readonly RowError[], outcomes: readonly ChangeOutcome[]): Applied {
  const isDone = ({ outcome }: ChangeOutcome) => outcome === 'applied' || outcome === 'already'
  const count = (op: ChangeOutcome['op']) => outcomes.filter((one) => one.op === op && isDone(one)).length
  const left = new Set(rejected.map(({ key }) => key))
  const unresolved = outcomes
    .filter((one) => !isDone(one) && !(one.outcome === 'filtered' && left.has(one.key)))
    .map(({ key, op, outcome, reason }) => ({ key, op, outcome, reason: reason ?? outcome }))
  return {
    added: count('add'),
    updated: count('update'),
    removed: count('remove'),
    rejected,
    unresolved,
    unresolved_count: unresolved.length,
  }
}
