// Sends the plan of one list and evaluates the outcomes.
import {
  type ChangeOutcome,
  defined,
  isPlayheadError,
  type ListName,
  type ListPlan,
  type ListRead,
  type Loss,
  type MappingOutcome,
  pause,
  PlayheadError,
} from '@playhead/sdk'
import { isWriteOutcome, meaningOf } from '@playhead/sdk/provider'
import type { Parts } from '../parts.ts'
import { providerError } from './failures.ts'
import type { Planned } from './planner.ts'
import { isReplaced, type Side } from './read.ts'
import { mayBeDone, type Sent } from './plan-view.ts'

/** The cause in the journal of the library. */
export const CAUSE = 'playlists'

/** Maximum wait for a run that uses the account. */
const LONGEST_WAIT_MS = 15 * 60_000
const RETRY_MS = 1_000

interface Applying {
  readonly side: Side
  readonly list: ListPlan
  readonly planned: Planned
  readonly runId?: string
  readonly dryRun: boolean
  readonly signal: AbortSignal
  /** Called before the first write. */
  readonly begin: (planId: string) => Promise<void>
}

/** Throws if no write was sent; `PLH_CONFLICT` `busy` if a run holds the account for too long. */
export async function applyList(parts: Parts, applying: Applying): Promise<Sent> {
  const { list, planned, dryRun, signal, begin } = applying
  signal.throwIfAborted()
  const { planId, leftOut } = await planList(parts, applying)
  const sent = { list: list.list, plan: list, planId, leftOut }
  if (dryRun) return { ...sent, outcomes: [] }
  await begin(planId)
  return { ...sent, outcomes: await untilApplied(parts, planId, planned.approved, signal) }
}

/** If the list was read again meanwhile without changes, the plan refers to that read. */
async function planList(parts: Parts, { side, list, planned, runId, dryRun, signal }: Applying) {
  const { adds, removes, order } = list
  const planOf = ({ readId }: ListRead) =>
    parts.lists.plan({
      readId,
      changes: [
        ...removes.map(({ key }) => ({ op: 'remove' as const, key })),
        ...adds.map(({ key, item }) => ({ op: 'add' as const, key, item })),
      ],
      confirm: confirmable(side, planned),
      cause: CAUSE,
      ...defined({ order: order ?? undefined, runId }),
      ...(dryRun ? { dryRun } : {}),
    })
  if (side.read === null || side.list === null) throw new TypeError('a list that is not there is planned')
  try {
    return await planOf(side.read).catch(async (error: unknown) => {
      if (!isReplaced(error)) throw error
      const again = await parts.lists.read(side.list as ListName, signal)
      if (again.revision !== side.read?.revision) throw error
      return planOf(again)
    })
  } catch (error) {
    throw providerError(error, side.endpoint, side.role)
  }
}

// A plan in the library's queue would be applied after a restart even if the mapping had changed since.
async function untilApplied(
  { actions, now }: Parts,
  planId: string,
  approved: boolean,
  signal: AbortSignal,
): Promise<readonly ChangeOutcome[]> {
  const endMs = now() + LONGEST_WAIT_MS
  for (;;) {
    signal.throwIfAborted()
    try {
      return (await actions.apply(planId, { approved }, signal)).outcomes
    } catch (error) {
      const isBusy = isPlayheadError(error, 'PLH_CONFLICT') && error.wire === 'busy'
      if (!isBusy) {
        // The library knows the writes that were sent before the error.
        const known = await actions.outcomes(planId)
        if (known.isWaiting) throw error
        return known.outcomes
      }
      if (now() > endMs) throw new PlayheadError('PLH_CONFLICT', 'The account is in use.', { wire: 'busy' })
      await pause(RETRY_MS, signal)
    }
  }
}

/** Losses of the entry alone need no confirmation. Others were confirmed, or their removals are not in the plan. */
function confirmable({ support }: Side, { confirmed }: Planned): readonly Loss[] {
  const losses = [...(support?.losses?.remove ?? []), ...(support?.losses?.add ?? []), ...(support?.losses?.move ?? [])]
  const exclusive = confirmed ? (support?.exclusive ?? []) : []
  return [...new Set([...losses, ...exclusive])]
}

/** A plugin's verdict applies to one run only: the next run asks it again, without the delays for rejected items. */
export function isJudgement(reason: string): boolean {
  return reason === 'vetoed' || reason === 'veto_failed'
}

/** The outcomes that the policy records. */
export function outcomeOf({ list, outcomes, leftOut }: Pick<Sent, 'list' | 'outcomes' | 'leftOut'>): MappingOutcome {
  const added = outcomes.filter(({ op, outcome }) => op === 'add' && mayBeDone(outcome))
  const removed = outcomes.filter(({ op, outcome }) => op === 'remove' && meaningOf(outcome) === 'done')
  const refused = outcomes.filter(
    ({ op, outcome }) => op === 'add' && isWriteOutcome(outcome) && meaningOf(outcome) === 'refused',
  )
  const left = leftOut.filter(
    ({ op, key, reason }) => op === 'add' && !isJudgement(reason) && !refused.some((one) => one.key === key),
  )
  return {
    list,
    done: { adds: added.map(({ key }) => key), removes: removed.map(({ key }) => key) },
    unsure: added.flatMap(({ key, outcome }) => (outcome === 'unknown' ? [key] : [])),
    refused: [
      ...refused.map(({ key, outcome, reason = outcome }) => ({ key, reason })),
      ...left.map(({ key, reason }) => ({ key, reason })),
    ],
  }
}
