// Shared by restore and clear: applies plans to an account, and shows their progress.
import type { ActionOutcome, ActionTally, TargetPlan } from '@playhead/sdk'
import { meaningOf } from '@playhead/sdk/provider'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'

export interface Open extends Pick<ActionOutcome, 'key' | 'op'> {
  readonly reason: string
}

interface ApplyOrder {
  readonly planIds: readonly string[]
  readonly holdId: string
  readonly stageOf: (planIndex: number) => string
}

/** Applies plans in order. Items whose removal is uncertain are not added again. */
export async function applyPlans(
  { actions }: Parts,
  { planIds, holdId, stageOf }: ApplyOrder,
  job: Job,
): Promise<ActionTally> {
  const options = { approved: true, within: holdId, dependent: true }
  for await (const part of actions.applyInOrder(planIds, options, job.signal)) {
    if (part.type === 'end') return part.tally
    const { index, tried, total } = part
    if (total === null) job.update({ stage: stageOf(index), message: 'Writing' })
    else job.update({ stage: stageOf(index), items_done: tried, total_items: total, share: tried / Math.max(1, total) })
  }
  throw new Error('The plans have no end.')
}

/** The service rejects these items; another try changes nothing. */
export function unresolvedOf({ open }: ActionTally): readonly Open[] {
  return open.filter(isRefused).map(toOpen)
}

export function failedOf({ open }: ActionTally): readonly Open[] {
  return open.filter((one) => !isRefused(one)).map(toOpen)
}

const isRefused = ({ outcome }: ActionOutcome) => meaningOf(outcome) === 'refused'
const toOpen = ({ key, op, outcome, reason = outcome }: ActionOutcome): Open => ({ key, op, reason })

/** The service accepted everything that was sent. */
export function isTaken({ refused, filtered, unsettled, errors }: ActionTally): boolean {
  return refused === filtered && unsettled + errors.length === 0
}

export function isClean({ refused, unsettled, errors }: ActionTally): boolean {
  return refused + unsettled + errors.length === 0
}

/** Adds the results of two consecutive plans. Rows that are never sent are the same in both. */
export function addUp(a: ActionTally, b: ActionTally): ActionTally {
  const known = new Set(a.open.filter(isRefused).map(({ key }) => key))
  return {
    done: {
      add: a.done.add + b.done.add,
      update: a.done.update + b.done.update,
      remove: a.done.remove + b.done.remove,
    },
    refused: a.refused + b.refused - b.filtered,
    filtered: a.filtered,
    unsettled: a.unsettled + b.unsettled,
    open: [...a.open, ...b.open.filter((one) => !isRefused(one) || !known.has(one.key))],
    errors: [...a.errors, ...b.errors],
  }
}

/** Removals, including held ones. */
export function removalsOf({ ready, held }: Pick<TargetPlan, 'ready' | 'held'>): number {
  return ready.remove + (held?.count ?? 0)
}
