// Pairs and their runs, as the capability `sync`. Whoever wants to change one account uses the capability `library`.
import { capability } from '../capability.ts'
import { hook } from '../hooks.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/contract.ts'
import type { PairMode } from '../sync/contract.ts'

export const SYNC = capability<SyncService>('sync')

/** Which settings name this pair? Asked before it is removed. */
export const PAIR_USAGE = hook.collect<{ readonly pair_id: string }, readonly PairUsage[]>('pairUsage')

export interface RunRequest {
  readonly pair_id?: string
  readonly dry_run?: boolean
  readonly allow_mass_delete?: boolean
  /** Confirms a mirror takeover of the pair: only with `pair_id`. */
  readonly confirm_mirror?: boolean
  readonly features?: readonly Feature[]
  /** Runs what this plan holds and is still right, and nothing else. */
  readonly plan_id?: string
  readonly source?: 'ui' | 'cli' | 'api' | 'scheduler' | 'scheduler_event' | 'undo'
  readonly scheduler_mode?: string
  readonly job_id?: string
  readonly workflow_id?: string
  readonly workflow_step_id?: string
  readonly trigger_event?: string
}

export type RunResult = 'ok' | 'partial' | 'failed' | 'cancelled' | 'skipped'

/** The summary as `GET /api/run/summary` shows it. */
export interface RunSummary {
  readonly run_id: string
  readonly running: boolean
  readonly result: RunResult | ''
  readonly exit_code: number | null
  readonly dry_run: boolean
  readonly [field: string]: unknown
}

export type RunStart =
  | { readonly status: 'accepted'; readonly run_id: string }
  | { readonly status: 'skipped'; readonly skipped: 'no_pairs_configured' }

export interface PairState {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly running: boolean
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
  readonly mode?: PairMode
  /** Features that are switched on. */
  readonly features?: readonly Feature[]
}

/** Something that is open: a write that failed or is held, an item that is ambiguous or left apart. */
export interface OpenItem {
  readonly pair_id: string
  readonly feature: Feature
  /** The account that something should be written to. */
  readonly provider: string
  readonly instance: string
  readonly op: 'add' | 'update' | 'remove' | 'match' | 'read'
  readonly key: string
  readonly item: Item
  readonly reason_code: string
  readonly attempts: number
  /** Failures in a row that count towards the quarantine. */
  readonly failures: number
  readonly quarantined: boolean
  readonly first_at_ms: number
  readonly last_at_ms: number
  readonly run_id: string
}

export interface OpenQuery {
  readonly provider?: string
  readonly instance?: string
  readonly feature?: Feature
  readonly key?: string
}

/** One operation of a run that a service took. */
export interface AppliedOperation {
  readonly run_id: string
  readonly pair_id: string
  readonly feature: Feature
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly item: Item
  readonly source: { readonly provider: string; readonly instance: string }
  readonly target: { readonly provider: string; readonly instance: string }
  /** Epoch milliseconds. */
  readonly atMs: number
}

/**
 * Errors are `PLH_CONFLICT` with the wire codes `already_running`, `pair_disabled`, `busy`, and `PLH_NOT_FOUND`
 * (`pair_not_found`, `plan_not_found`).
 */
export interface SyncService {
  pairs(): Promise<readonly PairState[]>
  /** Accepts a run and answers at once. */
  start(request: RunRequest): Promise<RunStart>
  /** Resolves when the run has ended. */
  finished(runId: string, signal?: AbortSignal): Promise<RunSummary>
  /** The run that is going on, or null. */
  active(): Promise<{ readonly run_id: string; readonly pair_ids: readonly string[] } | null>
  cancel(): Promise<{ readonly run_id: string } | null>
  /** What is open now, oldest first, in pages of at most 500. */
  open(query: OpenQuery): AsyncIterable<readonly OpenItem[]>
  /**
   * How many memories of removals keep the item of this key from coming back. A key that nobody understands has none.
   */
  tombstones(query: { readonly feature?: Feature; readonly key: string }): Promise<number>
  /** Summaries of runs that have ended, dry ones too, newest first. The last 200 runs are kept. */
  reports(limit: number): Promise<readonly RunSummary[]>
  /** How many items are open, held ones included; nothing for a pair and feature where none is. */
  openCounts(): Promise<readonly { readonly pair_id: string; readonly feature: Feature; readonly count: number }[]>
  /**
   * What the services took in a run, in the order in which it was sent, in pages; nothing for a run whose plans are
   * forgotten.
   */
  applied(runId: string): AsyncIterable<readonly AppliedOperation[]>
}

/** Something that names a pair and would be left hanging without it. */
export interface PairUsage {
  /** `schedule_job`, `workflow`, `event_rule`, … */
  readonly feature: string
  readonly id: string
  readonly label: string
}
