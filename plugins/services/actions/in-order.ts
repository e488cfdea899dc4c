// Applies plans of one account one after the other, and counts their outcomes.
import {
  type ActionProgress,
  type ActionSequence,
  type ActionTally,
  failureCode,
  pause,
  type PlanTally,
} from '@playhead/sdk'
import { meaningOf } from '@playhead/sdk/provider'
import { judged } from './outcomes.ts'

const WATCH_MS = 500
type Counts = PlanTally['counts']

/** @param apply applies one plan with many changes */
export async function* applyInOrder(
  apply: (planId: string) => Promise<unknown>,
  tally: (planId: string) => Promise<PlanTally>,
  planIds: readonly string[],
  { dependent }: Pick<ActionSequence, 'dependent'>,
): AsyncGenerator<ActionProgress> {
  const errors: string[] = []
  for (const [index, planId] of planIds.entries()) {
    const ended = new AbortController()
    const applied = apply(planId)
      .catch((error: unknown) => void errors.push(failureCode(error)))
      .finally(() => ended.abort())
    try {
      yield { type: 'progress', index, tried: 0, total: null }
      while (!ended.signal.aborted) {
        await pause(WATCH_MS, ended.signal)
        // The next poll makes up for a failed one.
        const known = ended.signal.aborted ? undefined : await tally(planId).catch(() => undefined)
        if (known !== undefined) yield { type: 'progress', index, ...progressOf(known.counts) }
      }
    } finally {
      await applied
    }
    if (errors.length > 0) break
    const { counts } = await tally(planId)
    if (dependent && countOf(counts, isUnsettled) > 0) break
  }
  yield { type: 'end', tally: { ...summaryOf(await Promise.all(planIds.map(tally))), errors } }
}

type Is = (outcome: Counts[number]) => boolean
const isDone: Is = ({ outcome }) => meaningOf(outcome) === 'done'
const isRefused: Is = ({ outcome }) => meaningOf(outcome) === 'refused'
const isUnsettled: Is = (one) => !isDone(one) && !isRefused(one)

function countOf(counts: Counts, is: Is): number {
  return counts.reduce((total, one) => total + (is(one) ? one.count : 0), 0)
}

function progressOf(counts: Counts) {
  return { tried: countOf(counts, ({ outcome }) => outcome !== 'deferred'), total: countOf(counts, () => true) }
}

function summaryOf(tallies: readonly PlanTally[]): Omit<ActionTally, 'errors'> {
  const counts = tallies.flatMap((tally) => tally.counts)
  const done = (op: string) => countOf(counts, (one) => one.op === op && isDone(one))
  return {
    done: { add: done('add'), update: done('update'), remove: done('remove') },
    refused: countOf(counts, isRefused),
    filtered: countOf(counts, ({ outcome }) => outcome === 'filtered'),
    unsettled: countOf(counts, isUnsettled),
    open: tallies.flatMap((tally) => tally.open).map(judged),
  }
}
