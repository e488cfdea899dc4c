// Plans and applies orders through the library, which alone writes to accounts.
import {
  accountName,
  type ActionApplyOptions,
  type ActionOrder,
  type ActionReport,
  type Actions,
  type ChangeOutcome,
  defined,
  isPlayheadError,
  type LibraryService,
  type Logger,
  type Remote,
} from '@playhead/sdk'
import { applyInOrder } from './in-order.ts'
import { judged, judgedError, WAITING } from './outcomes.ts'

interface ActionServiceOptions {
  readonly library: Pick<
    Remote<LibraryService>,
    'plan' | 'planTarget' | 'apply' | 'applyWhenFree' | 'outcomes' | 'tally'
  >
  readonly log: Pick<Logger, 'warn'>
}

export function createActionService({ library, log }: ActionServiceOptions): Actions {
  /** Plans that are being applied here. */
  const running = new Map<string, Promise<ActionReport>>()

  async function applied(
    planId: string,
    { waitMs, ...options }: ActionApplyOptions,
    signal: AbortSignal | undefined,
  ): Promise<ActionReport> {
    if (waitMs === undefined) return reportOf(planId, await library.apply(planId, options, signal))
    try {
      return reportOf(planId, await library.applyWhenFree(planId, { ...options, waitMs }))
    } catch (error) {
      const isKnown = isPlayheadError(error, 'PLH_CONFLICT') && /^plan_(?:applied|waiting)$/.test(error.wire)
      if (!isKnown) throw error
      return reportOf(planId, await library.outcomes(planId))
    }
  }

  function apply(planId: string, options: ActionApplyOptions = {}, signal?: AbortSignal): Promise<ActionReport> {
    const known = options.waitMs === undefined ? undefined : running.get(planId)
    if (known !== undefined) return known
    const work = applied(planId, options, signal).finally(() => running.delete(planId))
    running.set(planId, work)
    return work
  }

  async function carryOut({ approved = false, waitMs, ...request }: ActionOrder): Promise<ActionReport> {
    const { provider, instance, feature, cause, changes } = request
    let planId: string | null = null
    const all = (judgement: typeof WAITING) =>
      changes.map(({ key, op }) => ({ key, op, outcome: 'deferred' as const, ...judgement }))
    try {
      const plan = await library.plan(request)
      planId = plan.planId
      const isApproved = approved === true || (approved === 'mass_delete' && plan.held?.reason === approved)
      const report = await apply(planId, { approved: isApproved, ...defined({ waitMs }) })
      if (report.isWaiting) return { ...report, outcomes: all(WAITING) }
      const known = new Map(report.outcomes.map((one) => [`${one.op} ${one.key}`, one]))
      const outcomes = changes.map(
        ({ key, op }) => known.get(`${op} ${key}`) ?? judged({ key, op, outcome: 'unknown' }),
      )
      return { planId, isWaiting: false, outcomes }
    } catch (error) {
      log.warn({ err: error, provider, instance, feature, cause }, 'an account could not be changed')
      const { failure, ...judgement } = judgedError(error)
      const sent = planId !== null && judgement.sent
      return { planId, isWaiting: false, outcomes: all({ ...judgement, sent }), failure }
    }
  }

  return {
    async act(orders) {
      const reports: ActionReport[] = []
      const accounts = Map.groupBy(orders.keys(), (n) => accountName(orders[n]!.provider, orders[n]!.instance))
      await Promise.all(
        [...accounts.values()].map(async (own) => {
          for (const n of own) reports[n] = await carryOut(orders[n]!)
        }),
      )
      return reports
    },
    plan: (changes) => library.plan(changes),
    planTarget: (id, options, ...signal) => library.planTarget(id, options, ...signal),
    apply,
    applyInOrder: (planIds, { dependent, ...options }, signal) =>
      applyInOrder(
        (planId) => apply(planId, { ...options, long: true }, signal),
        (planId) => library.tally(planId),
        planIds,
        { dependent },
      ),
    outcomes: async (planId) => reportOf(planId, running.has(planId) ? null : await library.outcomes(planId)),
  }
}

function reportOf(planId: string, outcomes: readonly ChangeOutcome[] | null): ActionReport {
  return { planId, isWaiting: outcomes === null, outcomes: outcomes?.map(judged) ?? [] }
}
