// Types shared by the parts of the sync: settings, the order of a run, its reports, and the listener of the engine.
import type {
  ChangeOutcomeKind,
  Feature,
  FeatureReport,
  Item,
  Origin,
  PairReport,
  RunRequest,
  RunResult,
  Side,
} from '@playhead/sdk'
import type { EngineEvent } from './events.ts'
import type { Pair } from './pairs/pair.ts'
import type { SyncConfig } from './settings.ts'

export type { FeatureReport, FeatureStatus, PairReport } from '@playhead/sdk'

/** The section `sync` of the configuration. */
export type SyncSettings = Readonly<SyncConfig['sync']>

export interface RunOrder {
  readonly runId: string
  /** The pairs to run, in the order of the configuration: all enabled pairs, or the requested one. */
  readonly pairs: readonly Pair[]
  readonly request: RunRequest
  readonly settings: SyncSettings
  readonly startedAtMs: number
  /** The hold that covers the whole run. */
  readonly hold?: string
  /** A revision of the code of the features and providers. Absent if the code cannot change. */
  readonly code?: string
}

/** The cause of a run, in its request. */
export const TRIGGERS = ['scheduler_mode', 'job_id', 'workflow_id', 'workflow_step_id', 'trigger_event'] as const

export function isDryRun({ request, settings }: Pick<RunOrder, 'request' | 'settings'>): boolean {
  return request.dry_run === true || settings.dry_run
}

export type Counts = Pick<
  FeatureReport,
  'planned' | 'applied' | 'already' | 'held' | 'deferred' | 'errors' | 'added' | 'updated' | 'removed'
>

export interface RunReport {
  readonly run_id: string
  readonly result: RunResult
  readonly pairs: readonly PairReport[]
  /** Set for an undo: the run, or the plan of one account, that it undoes. */
  readonly undone_run_id?: string
  /** Set for an undo: operations that failed, or were skipped for a temporary reason. */
  readonly left_to_undo?: number
  /** Set for an undo: operations that stay applied, counted by reason. */
  readonly not_undone?: Readonly<Record<string, number>>
}

/** The outcome of one operation, reported once. */
export interface ItemOutcome {
  readonly pair_id: string
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly outcome: ChangeOutcomeKind
  readonly reason?: string
  /** The account that was written to, the `cause` of the operation, and the value of the row before and after. */
  readonly side?: Side
  readonly cause?: string
  readonly before?: string | null
  readonly value?: string
  readonly item: Pick<Item, 'type' | 'title' | 'year' | 'season' | 'episode' | 'series_title' | 'ids' | 'show_ids'>
  /** Who caused the operation; absent if unknown. */
  readonly origin?: Origin
}

/** A row became unresolved, changed its reason, was quarantined, or was resolved. Reported on a change only, not in each run. */
export interface UnresolvedChange
  extends Pick<ItemOutcome, 'pair_id' | 'feature' | 'provider' | 'instance' | 'key' | 'item'> {
  /** `match`: no write is planned; the item is listed because it is ambiguous or diverged. */
  readonly op: 'add' | 'update' | 'remove' | 'match' | 'read'
  readonly change: 'opened' | 'quarantined' | 'closed'
  readonly reason: string
  readonly attempts: number
  /** Who caused the waiting operation or the difference; absent if unknown. */
  readonly origin?: Origin
}

/** Reports of the engine about a run: events, which the stream sends too, and facts about single items. */
export type EngineFact =
  | EngineEvent
  | { readonly type: 'item'; readonly item: ItemOutcome }
  /** The feature skips an item for a reason. Reported in each run that is not dry. */
  | { readonly type: 'item:skipped'; readonly item: ItemOutcome }
  | { readonly type: 'item:unresolved'; readonly change: UnresolvedChange }
  /** A feature of a pair has ended. */
  | ({ readonly type: 'report'; readonly report: FeatureReport } & Pick<PairReport, 'pair_id' | 'mode'>)

/** Receives what happens in a run. It must not throw or block. */
export interface RunListener {
  event(fact: EngineFact): void
  /** Called where the run may wait, so that queued reports can be sent. */
  flush?(): Promise<void> | undefined
}
