// Settles runs that failed, and runs that were interrupted with their process.
import type { MappingOutcome, MappingPlan } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import type { RunningRun } from '../store/rows.ts'
import { outcomeOf } from './apply.ts'
import type { Planned } from './planner.ts'

/** The journal entry that settling needs. */
export interface Cause {
  readonly input: Planned['input']
  readonly plan: MappingPlan
}

interface Settling {
  /** Settles a run of a mapping that failed here. False if it cannot be settled yet. */
  own(mappingId: string): Promise<boolean>
  /** Settles and deletes an interrupted run. */
  left(row: RunningRun): Promise<void>
  /** As `left`, if the process of the run has ended. False if the run is still active. */
  cut(mappingId: string): Promise<boolean>
}

export function createSettling({ store, actions, policy, log }: Parts): Settling {
  /** Indexed by job. */
  const settling = new Map<string, Promise<void>>()

  /** Gets the outcomes of a run from the library. A plan without outcomes was not started, and never will be. */
  async function settleRun(row: RunningRun): Promise<void> {
    const { mappingId, journal } = row
    if (journal.plans.every(({ settled }) => settled)) return
    const { input, plan } = (await store.cause(row)) as Cause
    const outcomes: MappingOutcome[] = []
    for (const { list, planId } of journal.plans) {
      const known = await actions.outcomes(planId)
      if (!known.isWaiting) outcomes.push(outcomeOf({ list, outcomes: known.outcomes, leftOut: [] }))
    }
    const state = await policy.next(input, plan, outcomes, [])
    await store.settle(mappingId, journal.scope, state, journal)
  }

  function settleLeft(row: RunningRun): Promise<void> {
    const { mappingId, journal } = row
    const work = async () => {
      await settleRun(row)
      await store.end(mappingId, {})
      log.info({ mapping: mappingId }, 'an interrupted run is settled')
    }
    const known = settling.get(journal.jobId)
    if (known !== undefined) return known
    const settled = work()
    settling.set(journal.jobId, settled)
    // A failed run is retried; a completed one no longer exists.
    settled.catch(() => settling.delete(journal.jobId))
    return settled
  }

  const find = async (id: string) => (await store.running()).find(({ mappingId }) => mappingId === id)

  return {
    async own(mappingId) {
      try {
        const row = await find(mappingId)
        if (row !== undefined) await settleRun(row)
        return true
      } catch (error) {
        log.error({ err: error, mapping: mappingId }, 'the state of a mapping could not be settled yet')
        return false
      }
    },
    left: settleLeft,
    async cut(mappingId) {
      const row = await find(mappingId)
      if (row === undefined || row.isOfThisProcess) return row === undefined
      await settleLeft(row)
      return true
    },
  }
}
