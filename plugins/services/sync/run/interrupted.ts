// Ends plans whose application was interrupted: their writes are stored, so that the next run does not mistake them for
// actions of a person.
import type { Feature, Side } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { EngineParts, RunAccount } from '../feature-run.ts'
import { settlePlan, unfinishedPlans } from '../store/interrupted-plans.ts'
import { getPlan, NO_PAIR, type PlanHeader, type PlanSide } from '../store/plans.ts'
import { rememberWritten } from './remember-written.ts'
import { remember } from './remember-changes.ts'

/** After a crash or an error, operations that were or may have been sent count as applied. At worst an add is suppressed. */
const MAY_BE_APPLIED = ['sent', ...writeOutcomes('done', 'unknown')]

/** Called when the process starts. */
export async function rememberInterrupted(engine: EngineParts): Promise<void> {
  const plans = await unfinishedPlans(engine.db)
  const isOfPair = ({ pair_id: pairId }: PlanHeader) => pairId !== NO_PAIR
  for (const header of [...plans.filter((each) => !isOfPair(each)), ...plans.filter(isOfPair)])
    await rememberSent(engine, header, true)
}

/** Called after an error, possibly in the middle of the writes. */
export async function endPlan(engine: EngineParts, planId: string): Promise<void> {
  try {
    const header = await getPlan(engine.db, planId)
    if (header !== undefined) await end(engine, header, false)
  } catch (error) {
    // The disk may be full. The next run that holds the accounts, or the next start, ends the plan.
    engine.log.error({ error, plan: planId }, 'the written changes could not be stored')
  }
}

/** Ends the plan if the work fails: otherwise a run before the next start would revert the sent operations. */
export async function orEnd<Result>(engine: EngineParts, planId: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await endPlan(engine, planId)
    throw error
  }
}

/**
 * Ends plans that could not be ended when they failed, for all pairs with one of the accounts. The caller holds both
 * accounts, so no other run is applying the plans.
 */
export async function endEarlierPlans(
  engine: EngineParts,
  feature: Feature,
  { a, b }: Readonly<Record<Side, RunAccount>>,
): Promise<void> {
  const isHeld = ({ provider, instance }: PlanSide) =>
    [a, b].some(({ account }) => account.provider === provider && account.instance === instance)
  for (const header of await unfinishedPlans(engine.db, feature)) {
    if (!isHeld(header.sides.a) && !isHeld(header.sides.b)) continue
    // This comes first: without it, the next run would repeat the last one.
    await engine.unchangedProofs.clear()
    await end(engine, header, true)
  }
}

async function end(engine: EngineParts, header: PlanHeader, wasLeft: boolean): Promise<void> {
  await rememberSent(engine, header, wasLeft)
  await settlePlan(engine.db, header.id, engine.now())
}

async function rememberSent(engine: EngineParts, header: PlanHeader, wasLeft: boolean): Promise<void> {
  if (header.state !== 'applying') return
  if (header.pair_id === NO_PAIR) await remember(engine, header, MAY_BE_APPLIED)
  else await rememberWritten(engine.db, header, engine.now(), { wasLeft })
}
