// The short form of a run's summary, for lists.
import { defined, type RunSummary } from '@playhead/sdk'
import type { PairReport } from '../contract.ts'
import { NO_PAIR } from '../store/plans.ts'
import type { OnHold } from './summary.ts'

export interface RunBrief {
  readonly run_id: string
  readonly running: boolean
  readonly result: string
  readonly dry_run: boolean
  readonly source: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly duration_sec: number | null
  readonly added: number
  readonly removed: number
  readonly updated: number
  readonly skipped: number
  readonly unresolved: number
  /** How many of the unresolved items the target lacks. */
  readonly not_in_library: number
  readonly errors: number
  readonly held: number
  /** Why the run has not started yet. */
  readonly on_hold?: OnHold
  readonly reason: string | null
  /** Empty for changes to one account. */
  readonly pair_ids: readonly string[]
  /** The plan that the run applied. */
  readonly plan_id?: string | null
  /** Set for an undo: operations that stay applied, by reason, and how many of them another undo may revert. */
  readonly not_undone?: Readonly<Record<string, number>>
  readonly left_to_undo?: number
  /** Set for an undo: the run, or the plan of one account, that it undid. */
  readonly undone_run_id?: string
  /** Summed over the features that have ended so far. */
  readonly pairs: readonly PairReport[]
}

/** @param pairIds pairs that the run was started for; the reports of a finished run name its pairs */
export function briefOf(summary: RunSummary, pairIds: readonly string[] = []): RunBrief {
  const count = (name: string) => Number(summary[name] ?? 0)
  const text = (name: string) => (typeof summary[name] === 'string' && summary[name] !== '' ? summary[name] : null)
  const reason = text('reason')
  const undid = text('undone_run_id')
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
    added: count('added_last'),
    removed: count('removed_last'),
    updated: count('updated_last'),
    skipped: count('skipped'),
    unresolved: count('unresolved'),
    not_in_library: count('not_in_library'),
    errors: count('errors'),
    held: count('held'),
    ...defined({ on_hold: summary['on_hold'] as OnHold | undefined }),
    reason,
    // An active or interrupted run has not reached all pairs.
    pair_ids:
      pairIds.length === 0 || (pairs.length > 0 && !summary.running && reason === null)
        ? pairs.flatMap(({ pair_id: id }) => (id === NO_PAIR ? [] : [id]))
        : pairIds,
    plan_id: text('plan_id'),
    ...(summary.not_undone === undefined
      ? {}
      : { not_undone: summary.not_undone, left_to_undo: count('left_to_undo') }),
    ...(undid === null ? {} : { undone_run_id: undid }),
    pairs,
  }
}
