// Inputs of decisions and filters: rules, blocks, tombstones, namesakes, the reviewed plan.
import { type DecideRules, defined, type Side } from '@playhead/sdk'
import { anyContradict, sharesScheme, titleTokenOf } from '@playhead/sdk/items'
import { planPages } from '../store/plans.ts'
import { blocksOf } from '../policy/in-run.ts'
import { isOneOf, stoppedIn } from '../policy/stopped.ts'
import type { FilterInput } from './filters.ts'
import { removeModeOf } from './approval.ts'
import { other, reachOf, SIDES } from '../feature-run.ts'
import type { ViewInput } from './view.ts'

export function rulesOf({ run, checks }: ViewInput): DecideRules {
  const { settings } = run.order
  const truth = String(run.options['source_of_truth'] ?? settings.bidirectional.source_of_truth).toUpperCase()
  const sourceOfTruth: Side =
    truth === 'B' || (truth === run.pair.target.toUpperCase() && run.pair.target !== run.pair.source) ? 'b' : 'a'
  return {
    mode: run.pair.mode,
    options: run.options,
    removeMode: removeModeOf(run),
    mirrorApproved: run.mirror !== undefined,
    restoreDeleted: run.options['restore_deleted'] === true,
    sourceOfTruth,
    identity: run.comparing.identity,
    // A first run that could not read all rows is repeated.
    firstRun: SIDES.some((side) => (run.state?.readAtMs[side] ?? null) === null),
    ...defined({ startedAtMs: run.state?.startedAtMs }),
    lastRunStartedAtMs: run.state?.lastRunStartedAtMs ?? null,
    nowMs: run.nowMs,
    mayProveAbsence: { a: checks.a.mayProve, b: checks.b.mayProve },
    support: { a: run.sides.a.support, b: run.sides.b.support },
  }
}

/** The inputs of filters that are the same for all groups. */
export async function filterInput(input: ViewInput) {
  const { run, checks, reads } = input
  const { titles } = run.order.request
  return {
    ...{ run, checks, reads, namesakes: namesakesIn(input) },
    blocks: await blocksOf(run),
    isStopped: isOneOf((await stoppedIn(run)).names),
    reviewed: await reviewedOps(input),
    titles: titles === undefined ? null : new Set(titles),
  }
}

async function reviewedOps({ run }: ViewInput): Promise<ReadonlyMap<string, string> | null> {
  const id = run.order.request.plan_id
  if (id === undefined) return null
  const reviewed = new Map<string, string>()
  for await (const page of planPages(run.engine.db, id)) {
    for (const { side, op, key, value, state } of page) {
      if (state !== 'deferred' && state !== 'filtered') reviewed.set(`${side} ${op} ${key}`, value)
    }
  }
  return reviewed
}

/** Items with one title that share no id scheme to distinguish them. */
function namesakesIn({ groups, reads, run }: ViewInput): FilterInput['namesakes'] {
  const within = reachOf(run)
  return (side, view) => {
    const token = titleTokenOf(view.group[other(side)]?.item ?? view.item)
    if (token === undefined) return false
    const rows = groups.titled(side, token).map((index) => reads[side].rows.item(index))
    return rows.some((row) => !sharesScheme(view.item, row, { within }) && !anyContradict([view.item, row]))
  }
}
