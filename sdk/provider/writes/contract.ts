// Requests and outcomes of writes.
import type { Item } from '../../items/item.ts'
import type { Feature } from '../features.ts'

export interface WriteItem {
  /** Identifies the item in the outcome; unique within the request. */
  readonly key: string
  /**
   * Add: the item with shared ids. Update: the same with the new value. Remove: the account's own row. `native`
   * contains only values of this account.
   */
  readonly item: Item
  /** The account's own row before the write, if there is one. */
  readonly current?: Item
}

export interface WriteRequest {
  readonly feature: Feature
  readonly op: 'add' | 'update' | 'remove'
  /** History: the items are single plays. */
  readonly plays?: boolean
  /** At most `maxBatch`. */
  readonly items: readonly WriteItem[]
}

/**
 * - `applied`: the service confirmed it for this item.
 * - `already`: no change was needed; a success.
 * - `not_found`, `unsupported`, `rejected`: the service does not accept this item.
 * - `rate_limited`, `failed`: not done, for a temporary reason (limit, timeout before sending, 5xx that proves it).
 * - `unknown`: possibly done; the engine reads again.
 */
export type WriteOutcomeKind =
  | 'applied'
  | 'already'
  | 'not_found'
  | 'unsupported'
  | 'rejected'
  | 'rate_limited'
  | 'failed'
  | 'unknown'

/** The outcome of a planned change. `held`, `filtered` and `deferred` were not sent. */
export type ChangeOutcomeKind = WriteOutcomeKind | 'held' | 'filtered' | 'deferred'

export interface WriteOutcome {
  readonly key: string
  readonly outcome: WriteOutcomeKind
  /**
   * A reason code such as `not_in_library`, `episode_missing`, `provider_limit`, `missing_ids`, `exact_play_unknown`.
   */
  readonly reason?: string
  /** The account's ids of the row after the write. */
  readonly native?: Item['native']
}

export interface WriteResult {
  /** Exactly one per item of the request. */
  readonly outcomes: readonly WriteOutcome[]
  /** The service asked to pause writes for this long. */
  readonly retryAfterMs?: number
}
