// Settles runs: those that failed, and those that were cut off with their process.
import type { MappingOutcome, MappingPlan } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import type { RunningRun } from '../store/rows.ts'
import { outcomeOf } from './apply.ts'
import type { Planned } from './planner.ts'

/** What a journal must hold to settle it. */
export interface Cause {
  readonly input: Planned['input']
  readonly plan: MappingPlan
}

interface Settling {
  /** The run of a mapping that failed here; false: it could not be settled yet. */
  own(mappingId: string): Promise<boolean>
  /** A run that was cut off: settles and forgets it. */
  left(row: RunningRun): Promise<void>
  /** As `left`, if the process of the run is gone. False: it goes on. */
  cut(mappingId: string): Promise<boolean>
}

export function createSettling({ store, library, policy, log }: Parts): Settling {
  /** By job. */
  const settling = new Map<string, Promise<void>>()

  /** Learns from the library what a run sent. A plan without outcomes was not begun, and never is. */
  async function settleRun(row: RunningRun): Promise<void> {
    const { mappingId, journal } = row
    if (journal.plans.every(({ settled }) => settled)) return
    const { input, plan } = (await store.cause(row)) as Cause
    const outcomes: MappingOutcome[] = []
    for (const { list, planId } of journal.plans) {
      const known = await library.outcomes(planId)
      if (known !== null) outcomes.push(outcomeOf({ list, outcomes: known, leftOut: [] }))
    }
    const state = await policy.next(input, plan, outcomes, [])
    await store.settle(mappingId, journal.scope, state, journal)
  }

  function settleLeft(row: RunningRun): Promise<void> {
    const { mappingId, journal } = row
    const work = async () => {
      await settleRun(row)
      await store.end(mappingId, {})
      log.info({ mapping: mappingId }, 'a run that was cut off is settled')
    }
    const known = settling.get(journal.jobId)
    if (known !== undefined) return known
    const settled = work()
    settling.set(journal.jobId, settled)
    // One that failed is tried again; one that is done is not there any more.
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
