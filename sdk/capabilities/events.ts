// The event archive as other plugins see it, as the capability `events`: what happened is recorded here, by whoever did
// it.
import { capability } from '../capability.ts'
import type { Feature } from '../provider/contract.ts'

export const EVENT_ARCHIVE = capability<EventArchive>('events')

/**
 * `sync`: runs and what they did to items. `scrobble`: watch events delivered. `audit`: what people and the service
 * did.
 */
export type EventDomain = 'sync' | 'scrobble' | 'audit'
export type EventSeverity = 'info' | 'warn' | 'error'

/** A provider profile. Provider tokens are upper case (`MEDIAB`), the profile is `default` or a profile's id. */
export interface EventParty {
  readonly provider: string
  readonly instance: string
}

/** The item of a fact, as far as it is known. Keys as `keyOf` makes them, with `@<epoch seconds>` for one play. */
export interface EventItem {
  readonly key: string
  /** Title of the series for seasons and episodes. */
  readonly title?: string | null
  readonly year?: number | null
  readonly season?: number | null
  readonly episode?: number | null
  readonly media_type?: string | null
}

/** One fact. Everything but `type` may be left out. Secrets in it are redacted before it is stored. */
export interface EventRecord {
  /** `write_succeeded`, `plan_created`, `audit_login`, or a plugin's own `<plugin>_<verb>`. */
  readonly type: string
  /** Default `sync`. */
  readonly domain?: EventDomain
  /** When it happened, epoch milliseconds. Default now. */
  readonly atMs?: number
  /** Default `info`. */
  readonly severity?: EventSeverity
  readonly run_id?: string
  readonly feature?: Feature | 'playlists' | 'scrobble' | 'security'
  /** `run`, `plan`, `add`, `remove`, `update`, `hold`, `quarantine`, `watch`, `rate`, or the slug of an audit event. */
  readonly operation?: string
  readonly pair_key?: string
  readonly direction?: 'a_to_b' | 'b_to_a'
  readonly source?: EventParty
  readonly destination?: EventParty
  /** Where the data appeared first, when that is not `source`. */
  readonly origin?: EventParty & { readonly confidence: 'exact' | 'inferred' | 'unknown' }
  readonly item?: EventItem
  readonly change?: { readonly old: string | null; readonly new: string | null; readonly kind: string }
  /** Neutral code, with detail after a colon: `not_in_library`, `target_not_found:episode`, `write_failed:503`. */
  readonly reason_code?: string
  /** What identified the item, for example `imdb:tt0113277`. */
  readonly match_basis?: string
  readonly source_kind?: string
  readonly session_key?: string
  /** Plain data for people and for explanations, at most 16 KiB as JSON; larger members are left out and named. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** A stored event as the HTTP interface shows it. */
export type EventRow = Readonly<Record<string, unknown>> & {
  readonly id: number
  readonly event_type: string
  readonly created_at: number
}

export interface EventArchive {
  /**
   * Records facts in their order. Resolves when they are queued; waits while the queue is full, so that a writer that
   * is faster than the disk is slowed instead of losing facts. Never fails because of a fact: what cannot be stored is
   * counted and logged.
   */
  record(records: readonly EventRecord[]): Promise<void>
  /** Resolves when everything recorded before is committed. */
  flushed(): Promise<void>
  /** What happened to one item, newest first, at most `limit` (500). */
  itemTrace(key: string, limit?: number): Promise<readonly EventRow[]>
  /**
   * Events in the order in which they were stored, those after `id` (0: from the beginning), at most `limit` (500).
   * What was recorded before the call is among them. Ids grow and are never used twice within one `archive`; another
   * `archive` is another file, to be read from 0.
   */
  since(id: number, limit?: number): Promise<{ readonly archive: string; readonly events: readonly EventRow[] }>
  /**
   * Numbers for gauges: stored events, groups with open problems, bytes on disk, facts that could not be stored since
   * the start.
   */
  facts(): Promise<{
    readonly events: number
    readonly open_problems: number
    readonly size_bytes: number
    readonly dropped: number
  }>
}
