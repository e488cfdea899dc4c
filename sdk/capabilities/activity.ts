// The capability `activity`: the log of watched items and of the accounts they were sent to.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'

export const ACTIVITY = capability<ActivityLog>('activity')

/** One delivery of a watch event to one account. */
export interface ActivityEntry {
  /** An entry with the same id replaces this one. Default: derived from the identifying fields, to the minute. */
  readonly id?: string
  /**
   * Shared by the deliveries of one watch event; they are shown as one row. Default: equal events within two minutes.
   */
  readonly fanout_id?: string
  /** Default `activity`. */
  readonly kind?: 'scrobble' | 'history_sync' | 'activity'
  /** `watcher`, `webhook`, or empty for a sync. */
  readonly method?: string
  /** `scrobble_stop`, `history_add`. */
  readonly event: string
  /** `ok` (default), `failed`, or another code. */
  readonly status?: string
  /** Ids of providers in any case; profiles default to `default`. */
  readonly source: string
  readonly source_instance?: string
  readonly target: string
  readonly target_instance?: string
  /** Entries of other types are not recorded. */
  readonly media_type: 'movie' | 'episode'
  /** Title of the series for an episode. */
  readonly title?: string | null
  readonly year?: number | null
  readonly season?: number
  readonly episode?: number
  /** 0 to 100. */
  readonly progress?: number
  /** Length in minutes, if the source reports it. */
  readonly runtime_minutes?: number
  readonly account?: string
  /** Epoch milliseconds. Default: the time of recording. */
  readonly watchedAtMs?: number
  /** The plain date that a person entered: in time zones from UTC+12 on, `watchedAtMs` is on the next day. */
  readonly watchedOn?: string
  readonly capturedAtMs?: number
  /** For an episode: ids of the show. */
  readonly ids?: Ids
}

export interface ActivityTarget {
  readonly target: string
  readonly target_instance: string
}

/** A row of the HTTP API: one watch event with all its targets. Empty members are omitted. */
export interface ActivityRow {
  readonly id: string
  readonly kind: string
  readonly method?: string
  readonly event: string
  readonly status: string
  readonly source: string
  readonly source_instance: string
  readonly target: string
  readonly target_instance: string
  readonly targets: readonly ActivityTarget[]
  readonly media_type: 'movie' | 'episode'
  readonly title: string
  readonly year?: number
  readonly season?: number
  readonly episode?: number
  readonly progress?: number
  readonly runtime_minutes?: number
  readonly account?: string
  /** Epoch seconds. */
  readonly watched_at: number
  readonly watched_on?: string
  readonly captured_at: number
  readonly ids?: Ids
}

export interface ActivityQuery {
  /** Default 100, at most 500. */
  readonly limit?: number
  readonly offset?: number
  readonly kinds?: readonly string[]
  readonly media_type?: 'movie' | 'episode'
  readonly status?: string
  /** Case-insensitive substring of a title, provider, profile, account, media type, event or method. */
  readonly q?: string
  /** Only entries recorded at or after this time, epoch seconds. */
  readonly since?: number
}

/** The capability `activity`. */
export interface ActivityLog {
  /**
   * Resolves when everything is stored. Entries of other media types and without a source are skipped. Returns the
   * number stored.
   */
  record(entries: readonly ActivityEntry[]): Promise<number>
  /** Newest first; `total` counts all matching rows. */
  list(query?: ActivityQuery): Promise<{ readonly items: readonly ActivityRow[]; readonly total: number }>
  /** Minutes watched over all matching rows. Items without a length count as 115 (movie) or 45 (episode). */
  minutes(query?: Omit<ActivityQuery, 'limit' | 'offset'>): Promise<number>
  /** Removes all entries, or those of one kind. */
  clear(kind?: string): Promise<{ readonly removed: number; readonly remaining: number }>
}
