// The short form of a run's summary, for lists.
import { defined, type RunSummary } from '@playhead/sdk'
import type { PairReport } from '../contract.ts'
import { NO_PAIR } from '../store/plans.ts'
import { totalsOf } from './outcome.ts'
import type { OnHold } from './summary.ts'

export type RunBrief = ReturnType<typeof briefOf>

/** @param pairIds pairs that the run was started for; the reports of a finished run name its pairs */
export function briefOf(summary: RunSummary, pairIds: readonly string[] = []) {
  const text = (name: string) => (typeof summary[name] === 'string' && summary[name] !== '' ? summary[name] : null)
  const reason = text('reason')
  const pairs = (Array.isArray(summary['pairs']) ? summary['pairs'] : []) as readonly PairReport[]
  return {
    run_id: summary.run_id,
    running: summary.running,
    result: summary.result,
    dry_run: summary.dry_run,
    source: text('source') ?? 'api',
    started_at: text('started_at'),
    finished_at: text('finished_at'),
    duration_sec: typeof summary['duration_sec'] === 'number' ? summary['duration_sec'] : null,
    ...totalsOf(summary),
    ...defined({ on_hold: summary['on_hold'] as OnHold | undefined }),
    reason,
    /** Empty for changes to one account. An active or interrupted run has not reached all pairs. */
    pair_ids:
      pairIds.length === 0 || (pairs.length > 0 && !summary.running && reason === null)
        ? pairs.flatMap(({ pair_id: id }) => (id === NO_PAIR ? [] : [id]))
        : pairIds,
    /** The plan that the run applied. */
    plan_id: text('plan_id'),
    /** For an undo: operations that stay applied, by reason; how many of them another undo may revert; what it undid. */
    ...defined({
      not_undone: summary.not_undone,
      left_to_undo: summary.not_undone === undefined ? undefined : Number(summary.left_to_undo ?? 0),
      undone_run_id: text('undone_run_id') ?? undefined,
    }),
    /** Reports of the features that have ended so far. */
    pairs,
  }
}
