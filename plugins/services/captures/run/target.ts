// Shared by restore and clear: applies plans of the library to an account and watches their progress.
import { failureCode, pause, type PlanTally, type TargetPlan } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'

type Op = 'add' | 'update' | 'remove'
const DONE = ['applied', 'already']
/** The service rejects these items; a retry changes nothing. */
const UNRESOLVED = ['not_found', 'unsupported', 'rejected', 'filtered']
const WATCH_MS = 500

export interface Applied {
  readonly done: Readonly<Record<Op, number>>
  readonly unresolved: readonly Open[]
  readonly failed: readonly Open[]
  readonly unresolvedCount: number
  readonly failedCount: number
  /** The part of the unresolved rows that is never sent. */
  readonly filteredCount: number
  /** Why sending stopped. */
  readonly errors: readonly string[]
}

export interface Open {
  readonly key: string
  readonly op: Op
  readonly reason: string
}

interface ApplyOrder {
  readonly planIds: readonly string[]
  readonly holdId: string
  readonly stageOf: (planIndex: number) => string
}

/** Applies plans in order. Stops at a plan that could not be applied completely, because the next one depends on it. */
export async function applyPlans(
  { library }: Parts,
  { planIds, holdId, stageOf }: ApplyOrder,
  job: Job,
): Promise<Applied> {
  const errors: string[] = []
  for (const [index, planId] of planIds.entries()) {
    const stopWatching = watch(async () => {
      const { counts } = await library.tally(planId)
      const total = sum(counts.map(({ count }) => count))
      const done = sum(counts.filter(({ outcome }) => outcome !== 'deferred').map(({ count }) => count))
      job.update({ stage: stageOf(index), items_done: done, total_items: total, share: done / Math.max(1, total) })
    })
    try {
      job.update({ stage: stageOf(index), message: 'Writing' })
      await library.apply(planId, { approved: true, within: holdId, long: true }, job.signal)
    } catch (error) {
      errors.push(failureCode(error))
    } finally {
      await stopWatching()
    }
    const { counts } = await library.tally(planId)
    if (errors.length > 0 || counts.some(({ outcome }) => !DONE.includes(outcome) && !UNRESOLVED.includes(outcome)))
      break
  }
  const tallies = await Promise.all(planIds.map((planId) => library.tally(planId)))
  return { ...summaryOf(tallies), errors }
}

function summaryOf(tallies: readonly PlanTally[]): Omit<Applied, 'errors'> {
  const counts = tallies.flatMap((tally) => tally.counts)
  const open = tallies.flatMap((tally) => tally.open)
  const toOpen = ({ key, op, outcome, reason }: (typeof open)[number]): Open => ({ key, op, reason: reason ?? outcome })
  const isUnresolved = ({ outcome }: { readonly outcome: string }) => UNRESOLVED.includes(outcome)
  const isOpen = ({ outcome }: { readonly outcome: string }) => !DONE.includes(outcome)
  return {
    done: doneOf(counts),
    unresolved: open.filter(isUnresolved).map(toOpen),
    failed: open.filter((one) => !isUnresolved(one)).map(toOpen),
    unresolvedCount: sum(counts.filter(isUnresolved).map(({ count }) => count)),
    filteredCount: sum(counts.filter(({ outcome }) => outcome === 'filtered').map(({ count }) => count)),
    failedCount: sum(counts.filter((one) => isOpen(one) && !isUnresolved(one)).map(({ count }) => count)),
  }
}

function doneOf(counts: PlanTally['counts']): Record<Op, number> {
  const of = (op: Op) =>
    sum(counts.filter((one) => one.op === op && DONE.includes(one.outcome)).map(({ count }) => count))
  return { add: of('add'), update: of('update'), remove: of('remove') }
}

/** The service accepted everything that was sent. */
export function isTaken({ unresolvedCount, filteredCount, failedCount, errors }: Applied): boolean {
  return unresolvedCount === filteredCount && failedCount + errors.length === 0
}

export function isClean({ unresolvedCount, failedCount, errors }: Applied): boolean {
  return unresolvedCount + failedCount + errors.length === 0
}

/** Adds the results of two consecutive plans. Rows that are never sent are the same in both. */
export function addUp(a: Applied, b: Applied): Applied {
  return {
    done: {
      add: a.done.add + b.done.add,
      update: a.done.update + b.done.update,
      remove: a.done.remove + b.done.remove,
    },
    unresolved: [...a.unresolved, ...b.unresolved.filter(({ key }) => !a.unresolved.some((one) => one.key === key))],
    failed: [...a.failed, ...b.failed],
    unresolvedCount: a.unresolvedCount + b.unresolvedCount - b.filteredCount,
    failedCount: a.failedCount + b.failedCount,
    filteredCount: a.filteredCount,
    errors: [...a.errors, ...b.errors],
  }
}

/** Removals, including held ones. */
export function removalsOf({ ready, held }: Pick<TargetPlan, 'ready' | 'held'>): number {
  return ready.remove + (held?.count ?? 0)
}

/** Polls until it is stopped. */
function watch(look: () => Promise<void>): () => Promise<void> {
  const stop = new AbortController()
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await pause(WATCH_MS, stop.signal)
      // The next poll makes up for a failed one.
      if (!stop.signal.aborted) await look().catch(() => {})
    }
  })()
  return async () => {
    stop.abort()
    await watching
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
