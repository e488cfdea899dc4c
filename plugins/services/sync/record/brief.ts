// The part of a run's summary that lists, events and hooks use.
import { defined, type RunSummary } from '@playhead/sdk'
import type { EngineEvent } from '../events.ts'
import { NO_PAIR } from '../store/plans.ts'
import type { OnHold } from './run-record.ts'

export type RunBrief = ReturnType<typeof briefOf>

/**
 * The short form of a summary, for lists.
 *
 * @param pairIds pairs that the run was started for; the reports of a finished run name its pairs
 */
export function briefOf(summary: RunSummary, pairIds: readonly string[] = []) {
  const text = (name: string) => (typeof summary[name] === 'string' && summary[name] !== '' ? summary[name] : null)
  const reason = text('reason')
  const { pairs = [] } = summary
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

/** The results of a run, in numbers. Summaries of older versions lack some. */
export function totalsOf(summary: RunSummary) {
  const count = (name: string) => Number(summary[name] ?? 0)
  return {
    added: count('added_last'),
    removed: count('removed_last'),
    updated: count('updated_last'),
    skipped: count('skipped'),
    unresolved: count('unresolved'),
    /** How many of the unresolved items the target lacks. */
    not_in_library: count('not_in_library'),
    errors: count('errors'),
    held: count('held'),
  }
}

/** Events that end the stream of a run, before its summary. */
export function endEvents(summary: RunSummary, pairs: number): readonly EngineEvent[] {
  const { added, updated, removed, skipped, unresolved, errors } = totalsOf(summary)
  const counts = { added, updated, removed }
  const cancelled = summary.result === 'cancelled'
  const lanes = Object.entries(summary['features'] as Readonly<Record<string, typeof counts>>)
  const features = lanes.map(([feature, { added, updated, removed }]) => [feature, { added, updated, removed }])
  return [
    { type: 'stats:overview', features: Object.fromEntries(features), providers: summary['provider_counts'] },
    ...(cancelled ? [{ type: 'run:cancelled' as const, run_id: summary.run_id, pairs, ...counts }] : []),
    {
      type: 'run:done',
      run_id: summary.run_id,
      result: summary.result,
      ...counts,
      // Each item has its own outcome, so no outcome is inferred.
      added_provider_reported: added,
      skipped,
      skipped_exact: skipped,
      skipped_inferred: 0,
      attempted_add_duplicate_keys: 0,
      unresolved,
      errors,
      pairs,
      cancelled,
      dry_run: summary.dry_run,
      mode: summary['version'],
    },
  ]
}
