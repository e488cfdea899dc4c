// Reads an account again after a restore.
import { type ActionTally, failureCode, pause, type TargetPlan } from '@playhead/sdk'
import { ofService } from '../account.ts'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'
import { type Prepared, type RestoreOrder, TARGET_MODES } from './restore-order.ts'
import { type Child, childOf, leftOutOf, type Verified } from './restore-result.ts'
import { addUp, applyPlans, isTaken, removalsOf } from './target.ts'

const VERIFY_TRIES = 3
const VERIFY_PAUSE_MS = 1_000

/**
 * Reads the account again. Missing rows whose add was applied are added again, because services remove watched items from the
 * watchlist and drop their position.
 */
export async function verifiedChild(
  parts: Parts,
  order: RestoreOrder,
  one: Prepared,
  { applied: first, isChanged }: { readonly applied: ActionTally; readonly isChanged: boolean },
  job: Job,
): Promise<Child> {
  if (!isChanged) return childOf(order, one, first, unchangedOf(one))
  const left = await verify(parts, order, one, first, job)
  if (left.verified || left.toAdd === 0 || !isTaken(first) || job.signal.aborted)
    return childOf(order, one, first, left)
  try {
    const plan = await parts.actions.planTarget(one.targetId, { mode: 'add' }, job.signal)
    const again = await applyPlans(
      parts,
      { planIds: plan.planIds, holdId: order.holdId, stageOf: () => 'verifying' },
      job,
    )
    const both = { ...one, plan: together(one.plan, plan) }
    const applied = addUp(first, again)
    return childOf(order, both, applied, await verify(parts, order, both, applied, job))
  } catch (error) {
    return childOf(order, one, first, { ...left, error: failureCode(ofService(error)) })
  }
}

function together(plan: TargetPlan, more: TargetPlan): TargetPlan {
  return {
    ...plan,
    planIds: [...plan.planIds, ...more.planIds],
    ready: { ...plan.ready, add: plan.ready.add + more.ready.add },
    // Rows that can never be sent were counted before.
    leftOut: plan.leftOut,
  }
}

const NOTHING = { toAdd: 0, missing: [], extra: [], different: [] }

function unchangedOf({ plan }: Prepared): Verified {
  return { verified: leftOutOf(plan) === 0, current: plan.current, ...NOTHING }
}

async function verify(
  { actions }: Parts,
  { mode }: RestoreOrder,
  { targetId }: Prepared,
  applied: ActionTally,
  job: Job,
): Promise<Verified> {
  // After a replacement the same rows are compared, not replaced again.
  const compareAs = mode === 'clear_restore' ? 'exact' : TARGET_MODES[mode]
  for (let tries = 1; ; tries += 1) {
    try {
      const left = await actions.planTarget(targetId, { mode: compareAs, keep: false })
      const of = (op: string) => left.changes.filter((change) => change.op === op).map(({ key }) => key)
      const isDone = left.ready.add + left.ready.update + removalsOf(left) === 0
      const result = {
        // Rows that can never be sent count as differences too.
        verified: isDone && leftOutOf(left) === 0,
        toAdd: left.ready.add,
        missing: of('add'),
        extra: of('remove'),
        different: of('update'),
        current: left.current,
      }
      // Some services show a write a little later.
      if (isDone || !isTaken(applied) || tries >= VERIFY_TRIES || job.signal.aborted) return result
      await pause(VERIFY_PAUSE_MS, job.signal)
    } catch (error) {
      return { verified: false, current: null, ...NOTHING, error: failureCode(ofService(error)) }
    }
  }
}
