// Operations of a plan counted by side, kind and state, in one pass: there may be tens of thousands.
import type { Side } from '@playhead/sdk'
import type { PlanOp } from './planning.ts'

/** How many there are of a side, a kind and a state. */
export type Tally = (side: Side, op: PlanOp['op'], state: PlanOp['state']) => number

export function tallyOf(ops: readonly PlanOp[]): Tally {
  const counts = new Map<string, number>()
  for (const { side, op, state } of ops) {
    const name = `${side} ${op} ${state}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return (side, op, state) => counts.get(`${side} ${op} ${state}`) ?? 0
}
