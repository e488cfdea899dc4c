// Results of runs in the form of the interface, including runs that ended early.
import type { Mapping } from '../settings.ts'
import { countOf, planView, type Sent } from './plan-view.ts'
import type { PlanView } from '../contract.ts'
import type { Planned } from './planner.ts'
import type { Result } from '../contract.ts'
import { defined } from '@playhead/sdk'

/** The effects of a run so far. */
export interface Progress {
  /** Undefined if the lists were not read. */
  planned: Planned | undefined
  readonly sent: Sent[]
  /** Entries that were added through the creation of their list. */
  created: number
  /** Items that the mapping manages after the run. */
  managed: number | undefined
  readonly warnings: string[]
}

export interface Failure {
  readonly error: string
  readonly message: string
}

interface RunFacts {
  readonly jobId: string
  readonly runId?: string
  readonly dryRun: boolean
  readonly finishedAtMs: number
}

/** @param failure why the run ended early; its completed writes still count */
export function resultOf(mapping: Mapping, progress: Progress, facts: RunFacts, failure?: Failure): Result {
  const { planned, sent, created } = progress
  const view = planned === undefined ? undefined : viewOf(planned, progress)
  const warnings = [...new Set([...(view?.warnings ?? []), ...progress.warnings])]
  const isHeld = HELD.some((warning) => warnings.includes(warning)) || countOf(sent, 'remove', 'held') > 0
  const isPartial = (view?.unresolved_count ?? 0) > 0 || isHeld || progress.warnings.length > 0
  const error = failure?.error ?? view?.error
  return {
    ...view,
    ok: error === undefined && !isPartial,
    partial: error === undefined && isPartial,
    mapping_id: mapping.id,
    ruleset_id: mapping.ruleset_id,
    job_id: facts.jobId,
    dry_run: facts.dryRun,
    added: countOf(sent, 'add', 'applied') + created,
    removed: countOf(sent, 'remove', 'applied'),
    reordered: countOf(sent, 'update', 'applied'),
    already: countOf(sent, 'add', 'already') + countOf(sent, 'remove', 'already'),
    plan_ids: sent.map(({ planId }) => planId),
    warnings,
    ...failure,
    ...defined({ run_id: facts.runId }),
    ...(facts.dryRun ? {} : { finished_at: Math.floor(facts.finishedAtMs / 1_000) }),
  }
}

/** Warnings about removals that wait for a person. */
const HELD = ['mass_delete_blocked', 'confirmation_required']

function viewOf(planned: Planned, { sent, created, managed }: Progress): PlanView {
  const view = planView(planned, sent)
  return {
    ...view,
    planned_additions: view.planned_additions + created,
    blocked_removals: view.blocked_removals + countOf(sent, 'remove', 'held'),
    managed_count: managed ?? view.managed_count,
  }
}
