// Operations of a plan counted by side, kind and state, in one pass: there may be tens of thousands.
import type { Side } from '@playhead/sdk'
import type { PlanOp } from './planning.ts'

/** How many there are of a side, a kind and a state. */
export type Tally = (side: Side, op: PlanOp['op'], state: PlanOp['state']) => number

type States = { [State in PlanOp['state']]?: number }

export function tallyOf(ops: readonly PlanOp[]): Tally {
  const kinds = (): Record<PlanOp['op'], States> => ({ add: {}, update: {}, remove: {} })
  const counts: Record<Side, Record<PlanOp['op'], States>> = { a: kinds(), b: kinds() }
  for (const { side, op, state } of ops) counts[side][op][state] = (counts[side][op][state] ?? 0) + 1
  return (side, op, state) => counts[side][op][state] ?? 0
}
