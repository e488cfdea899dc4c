// Executes a request: accounts concurrently, each with its own time limit and results.
import { type Logger, orAfter } from '@playhead/sdk'
import type { Action, ActionResult, TargetResult } from '../request/body.ts'
import type { Target } from '../targets.ts'
import { isFine, PENDING, resultOfError, TIMEOUT } from './outcomes.ts'
import type { Phase, Task } from './write.ts'

export const LIMIT_MS = 30_000

interface RunOptions {
  readonly write: (task: Task, action: Action, phase: Phase) => Promise<ActionResult>
  readonly limitMs: () => number
  readonly now: () => number
  readonly log: Logger
}

/** Throws only for errors that concern all accounts. */
export function createRun({ write, limitMs, now, log }: RunOptions) {
  return async (task: Task): Promise<TargetResult> => {
    const { order, target } = task
    const limit = limitMs()
    const endsAtMs = now() + limit
    const results = await Promise.all(
      order.actions.map(async (action) => [action, await one(task, action, { endsAtMs, limit })] as const),
    )
    return {
      provider: target.provider,
      instance: target.instance,
      ok: results.every(([, result]) => isFine(result)),
      ...Object.fromEntries(results),
    }
  }

  async function one(
    task: Task,
    action: Action,
    { endsAtMs, limit }: { readonly endsAtMs: number; readonly limit: number },
  ): Promise<ActionResult> {
    const phase: Phase = { isPlanned: false, isOver: false, endsAtMs }
    const { provider, instance } = task.target
    const work = write(task, action, phase)
    try {
      const result = await orAfter(work, limit, null)
      if (result !== null) return named(result, phase)
    } catch (error) {
      log.warn({ err: error, provider, instance, action }, 'an account could not be changed')
      return resultOfError(error)
    }
    phase.isOver = true
    work.catch((late: unknown) => log.info({ err: late, provider, instance, action }, 'a late change failed'))
    return named(phase.isPlanned ? PENDING : TIMEOUT, phase)
  }
}

/** The plan of the action, for display and undo. */
function named(result: ActionResult, { planId }: Phase): ActionResult {
  return planId === undefined ? result : { ...result, plan_id: planId }
}

/** An account that cannot be written to: every action failed. */
export function refused(
  { provider, instance }: Pick<Target, 'provider' | 'instance'>,
  actions: readonly Action[],
  error: NonNullable<TargetResult['error']>,
): TargetResult {
  const result: ActionResult = { status: 'failed', reason: error }
  return { provider, instance, ok: false, error, ...Object.fromEntries(actions.map((action) => [action, result])) }
}
