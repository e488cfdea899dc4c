// Types that the rooms of the sync share: pairs, settings, the order of a run, its reports, and the listener of the
// engine.
import type { Feature, PairMode, RunRequest, RunResult, Side, WriteOutcomeKind } from '@playhead/sdk'
import type { EngineEvent } from './events.ts'
import type { Pair } from './pairs/pair.ts'

/** The section `sync` of the configuration. */
export interface SyncSettings {
  readonly enable_add: boolean
  readonly enable_remove: boolean
  readonly one_way_remove_mode: 'source_deletes' | 'mirror'
  readonly include_observed_deletes: boolean
  readonly allow_mass_delete: boolean
  readonly removal_min: number
  readonly removal_ratio: number
  readonly tombstone_ttl_days: number
  readonly verify_after_write: boolean
  readonly dry_run: boolean
  readonly bidirectional: { readonly source_of_truth: string }
  readonly blackbox: {
    readonly enabled: boolean
    readonly promote_after: number
    readonly cooldown_days: number
    readonly block_adds: boolean
    readonly block_removes: boolean
  }
}

export interface RunOrder {
  readonly runId: string
  /** In the order of the configuration; enabled ones only, or the one that was asked for. */
  readonly pairs: readonly Pair[]
  readonly request: RunRequest
  readonly settings: SyncSettings
  readonly startedAtMs: number
  /** The hold of the whole run. */
  readonly hold?: string
}

export type FeatureStatus = 'ok' | 'nothing_to_do' | 'partial' | 'skipped' | 'failed' | 'cancelled'

export interface ReportedAccount {
  readonly provider: string
  readonly instance: string
}

export interface FeatureReport {
  readonly feature: Feature
  readonly status: FeatureStatus
  /**
   * `not_configured`, `auth_failed`, `down`, `unsupported`, `account_changed`, `read_incomplete`, `state_unreadable`,
   * an error's code, …
   */
  readonly reason?: string
  /** The accounts that the reason is about; absent when it is about neither, or that is not known. */
  readonly about?: readonly ReportedAccount[]
  /** Null when nothing was planned. */
  readonly plan_id: string | null
  /** Rows read on each side; null when the side was not read. */
  readonly read: Readonly<Record<Side, number | null>>
  readonly planned: number
  readonly applied: number
  readonly already: number
  readonly held: number
  readonly deferred: number
  readonly unresolved: number
  /** Of the unresolved ones: the target lacks the title. Absent in reports of older versions. */
  readonly not_in_library?: number
  readonly errors: number
  /** Applied operations by kind, over both sides. */
  readonly added: number
  readonly updated: number
  readonly removed: number
}

export type Counts = Pick<
  FeatureReport,
  'planned' | 'applied' | 'already' | 'held' | 'deferred' | 'errors' | 'added' | 'updated' | 'removed'
>

export interface PairReport {
  readonly pair_id: string
  /** Of changes to one account, which have no pair. */
  readonly account?: ReportedAccount
  readonly mode: PairMode
  readonly status: FeatureStatus
  readonly features: readonly FeatureReport[]
}

export interface RunReport {
  readonly run_id: string
  readonly result: RunResult
  readonly pairs: readonly PairReport[]
  /** Of an undo: the run that it undoes, or the plan of one account. */
  readonly undone_run_id?: string
  /** Of an undo: operations that failed, or were not tried for a reason that may pass. */
  readonly left_to_undo?: number
  /** Of an undo: what is still as the run left it, by reason. */
  readonly not_undone?: Readonly<Record<string, number>>
}

/** The outcome of one operation, reported once. The summary and the event archive are made of these alone. */
export interface ItemOutcome {
  readonly pair_id: string
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  readonly outcome: WriteOutcomeKind | 'held' | 'deferred' | 'filtered'
  readonly reason?: string
  /** Where it was written, why (`cause` of the operation), and the value of the row before and after. */
  readonly side?: Side
  readonly cause?: string
  readonly before?: string | null
  readonly value?: string
  readonly item: {
    readonly type: string
    readonly title?: string | null
    readonly year?: number | null
    readonly season?: number
    readonly episode?: number
    readonly series_title?: string | null
    readonly ids: object
    readonly show_ids?: object
  }
}

/**
 * A row became unresolved, got another reason, was quarantined, or was resolved. Reported when it changes, not in each
 * run.
 */
export interface UnresolvedChange {
  readonly pair_id: string
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  /** `match`: nothing is to be written; the item is listed because it is ambiguous or diverged. */
  readonly op: 'add' | 'update' | 'remove' | 'match' | 'read'
  readonly key: string
  readonly change: 'opened' | 'quarantined' | 'closed'
  readonly reason: string
  readonly attempts: number
  readonly item: ItemOutcome['item']
}

/** Receives what happens in a run. Must neither throw nor wait. */
export interface RunListener {
  event(event: EngineEvent): void
  outcome(outcome: ItemOutcome): void
  unresolved?(change: UnresolvedChange): void
  /** The feature does not write an item, and says why. Reported in each run that is not dry. */
  skipped?(outcome: ItemOutcome): void
  /** A feature of a pair has ended, with its final report. */
  reported?(pair: Pair, report: FeatureReport): void
  /** Called where the run can wait: queued reports are sent on. */
  flush?(): Promise<void> | undefined
}

/** The engine: reads, matches, decides, guards, stores the plan, applies, verifies, commits. */
export interface Engine {
  /** Finishes what an interrupted process began to apply. Called once before the first run. */
  recover(): Promise<void>
  run(order: RunOrder, listener: RunListener, signal: AbortSignal): Promise<RunReport>
}
