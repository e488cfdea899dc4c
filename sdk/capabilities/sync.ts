// The capability `sync`: pairs and their runs. To change a single account, use the capability `library`.
import { capability } from '../capability.ts'
import { hook } from '../hooks.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'
import type { FeatureOptions, PairMode, Side } from '../sync/contract.ts'

export const SYNC = capability<SyncService>('sync')

/** Collects the settings that refer to a pair. Called before the pair is removed. */
export const PAIR_USAGE = hook.collect<{ readonly pair_id: string }, readonly PairUsage[]>('pairUsage')

export interface RunRequest {
  readonly pair_id?: string
  /** Several pairs; absent without `pair_id` means all that are enabled. Not together with `pair_id` or `plan_id`. */
  readonly pair_ids?: readonly string[]
  readonly dry_run?: boolean
  readonly allow_mass_delete?: boolean
  /** Confirms the mirror takeover of the pair. Requires `pair_id`. */
  readonly confirm_mirror?: boolean
  readonly features?: readonly Feature[]
  /**
   * Applies only the operations of this plan that are still valid. Also for plans of `library.plan` and `lists.plan`:
   * then without `pair_id`, and `allow_mass_delete` approves the removals that are held.
   */
  readonly plan_id?: string
  /**
   * Applies only operations on these titles, for a show with its episodes; the rest is left to another run.
   * Names as `movie:tmdb:949` or `show:tvdb:81189`. Playlists are left out. Not together with `plan_id`.
   */
  readonly titles?: readonly string[]
  readonly source?: 'ui' | 'cli' | 'api' | 'scheduler' | 'scheduler_event' | 'undo' | RecordedSource
  readonly scheduler_mode?: string
  readonly job_id?: string
  readonly workflow_id?: string
  readonly workflow_step_id?: string
  readonly trigger_event?: string
}

/** Work of plugins that is listed among the runs; see `library.recordRun`. */
export type RecordedSource = 'restore' | 'clear' | 'backup'

export type RunResult = 'ok' | 'partial' | 'failed' | 'cancelled' | 'skipped'

export type FeatureStatus = 'ok' | 'nothing_to_do' | 'partial' | 'skipped' | 'failed' | 'cancelled'

/** The result of a feature of a pair. */
export interface FeatureReport {
  readonly feature: Feature
  readonly status: FeatureStatus
  /**
   * `not_configured`, `auth_failed`, `down`, `unsupported`, `account_changed`, `read_incomplete`, `state_unreadable`,
   * an error's code, …
   */
  readonly reason?: string
  /** The accounts that the reason concerns. Absent if it concerns no account, or if the account is unknown. */
  readonly about?: readonly AccountName[]
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
  /** How many unresolved items the target lacks. Absent in reports of older versions. */
  readonly not_in_library?: number
  readonly errors: number
  /** Applied operations by kind, summed over both accounts. */
  readonly added: number
  readonly updated: number
  readonly removed: number
}

/** The result of a pair, or of changes to one account. */
export interface PairReport {
  readonly pair_id: string
  /** Set for changes to one account, which have no pair. */
  readonly account?: AccountName
  readonly mode: PairMode
  readonly status: FeatureStatus
  readonly features: readonly FeatureReport[]
}

/** The summary as `GET /api/run/summary` shows it. */
export interface RunSummary {
  readonly run_id: string
  readonly running: boolean
  readonly result: RunResult | ''
  readonly exit_code: number | null
  readonly dry_run: boolean
  /** For an undo: operations that failed, or were not tried for a temporary reason. Another undo tries them again. */
  readonly left_to_undo?: number
  /** For an undo: operations that were not undone, by reason. Empty: all is undone. */
  readonly not_undone?: Readonly<Record<string, number>>
  /** The features that have ended, by pair. */
  readonly pairs?: readonly PairReport[]
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
  /** Enabled features. */
  readonly features?: readonly Feature[]
  /** The options of enabled features, as they are stored. */
  readonly options?: { readonly [feature in Feature]?: FeatureOptions }
  /** The plugin that manages the pair, see `OwnedPair`. */
  readonly owner?: string
  /** The option `mappings` of the feature `playlists`: ids of the mappings that run with the pair. */
  readonly mappings?: readonly string[]
}

/** A pair that a plugin manages for its own settings, such as a mapping of playlists. */
export interface OwnedPair {
  /** `pair_` and 1 to 59 letters, digits, `_` and `-`. */
  readonly id: string
  /** Id of the plugin. */
  readonly owner: string
  readonly name: string
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
  readonly mode: PairMode
  readonly enabled: boolean
  readonly features: { readonly [feature in Feature]?: FeatureOptions }
}

/** An open item: a failed or held write, an ambiguous or skipped item. */
export interface OpenItem {
  readonly pair_id: string
  readonly feature: Feature
  /** The target of the write. */
  readonly provider: string
  readonly instance: string
  readonly op: 'add' | 'update' | 'remove' | 'match' | 'read'
  readonly key: string
  readonly item: Item
  readonly reason_code: string
  readonly attempts: number
  /** Consecutive failures that count towards the quarantine. */
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

/** One operation of a run that a service confirmed. */
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

/** Counts of stored rows of one kind; times are epoch milliseconds. */
export interface StoredArtifact {
  /**
   * - `index`: the rows of an account as of the last read; `watermarks`: where its next read continues
   * - `unresolved`: open items that are retried; `flap`: of these, those with failures in a row; `blackbox`: those that
   *   are no longer tried
   * - `tombstones`: removals that are not added again; `shadow`: plays that were recorded outside of runs
   * - `policy`: manual adds and blocks; `pair_state`: the last synced state of a pair on both sides
   */
  readonly kind:
    | 'index'
    | 'watermarks'
    | 'unresolved'
    | 'flap'
    | 'blackbox'
    | 'tombstones'
    | 'shadow'
    | 'policy'
    | 'pair_state'
  readonly provider: string | null
  readonly instance: string | null
  readonly feature: Feature | null
  readonly pair_id: string | null
  readonly entries: number
  readonly oldestMs: number | null
  readonly newestMs: number | null
  /** `unresolved`: tried three times or more. `flap`: as many failures as the quarantine needs. */
  readonly hot?: number
}

/** The state of a pair and feature. */
export interface StoredPairState {
  readonly pair_id: string
  readonly feature: Feature
  /** `unreadable`: the pair has to be reset. */
  readonly problem: 'unreadable' | null
  readonly lastRunAtMs: number | null
  readonly runs: number
  readonly readAtMs: { readonly source: number | null; readonly target: number | null }
}

export interface StoredState {
  readonly artifacts: readonly StoredArtifact[]
  readonly pairs: readonly StoredPairState[]
  /** When items are quarantined, and for how long. */
  readonly blackbox: { readonly promoteAfter: number; readonly cooldownDays: number }
}

/**
 * Errors are `PLH_CONFLICT` with the wire codes `already_running`, `pair_disabled`, `busy`, and `PLH_NOT_FOUND`
 * (`pair_not_found`, `plan_not_found`), and `PLH_INVALID` (`pair_or_pairs`); for plans of one account also `PLH_CONFLICT`: `plan_applied`, `plan_waiting`,
 * `plan_outdated` (of a list that changed), `removals_held` (only an approval is left), `plan_not_runnable`, `dry_run`.
 */
export interface SyncService {
  pairs(): Promise<readonly PairState[]>
  /**
   * Creates a pair of a plugin, or replaces it. Other accounts or another direction reset its state. Mappings of
   * playlists that it names no longer run with other pairs.
   *
   * @throws `PLH_CONFIG_INVALID` (`invalid_pair`) as `POST /api/pairs`; `PLH_CONFLICT`: `pair_running`, `pair_exists`
   *   for the id of a pair without this owner
   */
  savePair(pair: OwnedPair): Promise<void>
  /**
   * Deletes a pair of a plugin with its state; false if it does not exist.
   *
   * @throws `PLH_CONFLICT`: `pair_running`, `pair_in_use`, `pair_exists` for a pair without this owner
   */
  deletePair(pair: Pick<OwnedPair, 'id' | 'owner'>): Promise<boolean>
  /** Queues a run and returns at once. */
  start(request: RunRequest): Promise<RunStart>
  /** Resolves when the run has ended. */
  finished(runId: string, signal?: AbortSignal): Promise<RunSummary>
  /** The current run, or null. */
  active(): Promise<{ readonly run_id: string; readonly pair_ids: readonly string[] } | null>
  cancel(): Promise<{ readonly run_id: string } | null>
  /** Open items, oldest first, in pages of at most 500. */
  open(query: OpenQuery): AsyncIterable<readonly OpenItem[]>
  /** Number of tombstones that block adds of this item. 0 for an invalid key. */
  tombstones(query: { readonly feature?: Feature; readonly key: string }): Promise<number>
  /** Summaries of runs that have ended, dry ones too, newest first. The last 200 runs are kept. */
  reports(limit: number): Promise<readonly RunSummary[]>
  /** Open items per pair and feature, held ones included; zero counts are omitted. */
  openCounts(): Promise<readonly { readonly pair_id: string; readonly feature: Feature; readonly count: number }[]>
  /** Numbers of stored rows of accounts and pairs. */
  stored(): Promise<StoredState>
  /** Confirmed operations of a run in the order they were sent, in pages; none if the run's plans have expired. */
  applied(runId: string): AsyncIterable<readonly AppliedOperation[]>
}

/** A setting that refers to a pair and breaks without it. */
export interface PairUsage {
  /** `schedule_job`, `workflow`, `event_rule`, … */
  readonly feature: string
  readonly id: string
  readonly label: string
}

/** Names the owner of an account: equal for accounts that certainly belong to one person, otherwise meaningless. */
export type OwnerOf = (account: AccountName) => string

/** Accounts that enabled pairs connect, directly or through others, belong to one person. */
export function ownersByPairs(
  pairs: readonly Pick<PairState, 'enabled' | 'source' | 'source_instance' | 'target' | 'target_instance'>[],
): OwnerOf {
  const parents = new Map<string, string>()
  const rootOf: OwnerOf = ({ provider, instance }) => {
    let root = `${provider}@${instance || 'default'}`.toLowerCase()
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    return root
  }
  for (const { enabled, source, source_instance, target, target_instance } of pairs) {
    if (!enabled) continue
    const a = rootOf({ provider: source, instance: source_instance })
    const b = rootOf({ provider: target, instance: target_instance })
    if (a !== b) parents.set(a, b)
  }
  return rootOf
}
