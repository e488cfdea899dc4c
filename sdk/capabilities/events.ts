// The capability `events`: the archive of sync, scrobble and audit events.
import { capability } from '../capability.ts'
import type { Feature } from '../provider/features.ts'

export const EVENT_ARCHIVE = capability<EventArchive>('events')

/**
 * `sync`: runs and their operations. `scrobble`: delivered watch events. `audit`: actions of people and of the service,
 * which plugins read but cannot record.
 */
export type EventDomain = 'sync' | 'scrobble' | 'audit'
export type EventSeverity = 'info' | 'warn' | 'error'

/** A provider profile. Provider tokens are upper case (`MEDIAB`), the profile is `default` or a profile's id. */
export interface EventParty {
  readonly provider: string
  readonly instance: string
}

/** The item of an event, with its known fields. Keys as from `keyOf`, with `@<epoch seconds>` for one play. */
export interface EventItem {
  readonly key: string
  /** Title of the series for seasons and episodes. */
  readonly title?: string | null
  readonly year?: number | null
  readonly season?: number | null
  readonly episode?: number | null
  readonly media_type?: string | null
}

/** One event. Only `type` is required. Secrets are redacted before it is stored. */
export interface EventRecord {
  /** `write_succeeded`, `plan_created`, or a plugin's own `<plugin>_<verb>`. */
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
  /** Where the data first appeared, if not at `source`. */
  readonly origin?: EventParty & { readonly confidence: 'exact' | 'inferred' | 'unknown' }
  readonly item?: EventItem
  readonly change?: { readonly old: string | null; readonly new: string | null; readonly kind: string }
  /** Neutral code, with detail after a colon: `not_in_library`, `target_not_found:episode`, `write_failed:503`. */
  readonly reason_code?: string
  /** Identifier of the item, for example `imdb:tt0113277`. */
  readonly match_basis?: string
  readonly source_kind?: string
  readonly session_key?: string
  /** Plain data, at most 16 KiB as JSON; larger members are dropped and listed by name. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** A stored event as the HTTP API returns it. */
export type EventRow = Readonly<Record<string, unknown>> & {
  readonly id: number
  readonly event_type: string
  readonly created_at: number
}

export interface EventArchive {
  /**
   * Queues events in order. Waits while the queue is full (backpressure). Never rejects because of an event: one that
   * cannot be stored is counted and logged. Rejects with `PLH_FORBIDDEN`, and stores none, if one is of the domain `audit`
   * or has a type `audit_…`: these are recorded from the event bus, where the emitter is known.
   */
  record(records: readonly EventRecord[]): Promise<void>
  /** Resolves when all earlier events are committed. */
  flushed(): Promise<void>
  /** Events of one item, newest first, at most `limit` (500). */
  itemTrace(key: string, limit?: number): Promise<readonly EventRow[]>
  /**
   * Events stored after `id` (0: from the start), in storage order, at most `limit` (500). Includes everything recorded
   * before the call. Ids grow and are unique within one `archive`; a new `archive` value is a new file, to be read from
   * 0.
   */
  since(id: number, limit?: number): Promise<{ readonly archive: string; readonly events: readonly EventRow[] }>
  /** Metrics: stored events, groups with open problems, bytes on disk, and events lost since the start. */
  facts(): Promise<{
    readonly events: number
    readonly open_problems: number
    readonly size_bytes: number
    readonly dropped: number
  }>
}
