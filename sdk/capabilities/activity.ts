// The activity log as other plugins see it, as the capability `activity`: what was watched and where it went, for
// people to look at.
import { capability } from '../capability.ts'
import type { Ids } from '../items/id-schemes.ts'

export const ACTIVITY = capability<ActivityLog>('activity')

/** One delivery: something that was watched, told to one account. */
export interface ActivityEntry {
  /** The same id again replaces the entry. Default: made of what identifies the delivery, to the minute. */
  readonly id?: string
  /**
   * Deliveries of one watch event to several accounts share it, and are shown as one row. Default: equal ones within
   * two minutes.
   */
  readonly fanout_id?: string
  /** Default `activity`. */
  readonly kind?: 'scrobble' | 'history_sync' | 'activity'
  /** `watcher`, `webhook`, or nothing for a sync. */
  readonly method?: string
  /** `scrobble_stop`, `history_add`. */
  readonly event: string
  /** `ok` (default), `failed`, or another word. */
  readonly status?: string
  /** Ids of providers in any case; profiles default to `default`. */
  readonly source: string
  readonly source_instance?: string
  readonly target: string
  readonly target_instance?: string
  /** Anything else is not recorded. */
  readonly media_type: 'movie' | 'episode'
  /** Title of the series for an episode. */
  readonly title?: string | null
  readonly year?: number | null
  readonly season?: number
  readonly episode?: number
  /** 0 to 100. */
  readonly progress?: number
  /** How long it is, in minutes, where the source said so. */
  readonly runtime_minutes?: number
  readonly account?: string
  /** Epoch milliseconds. Default: when it was recorded. */
  readonly watchedAtMs?: number
  readonly capturedAtMs?: number
  /** Of the show for an episode. */
  readonly ids?: Ids
}

export interface ActivityTarget {
  readonly target: string
  readonly target_instance: string
}

/** A row as the HTTP interface shows it: one watch event with all its targets. Empty members are left out. */
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
  /** Part of a title, provider, profile, account, media type, event or method, in any case. */
  readonly q?: string
  /** Only what was captured then or later, epoch seconds. */
  readonly since?: number
}

/** The capability `activity`. */
export interface ActivityLog {
  /**
   * Resolves when everything is stored; entries of other media types and without a source are left out. Gives how many
   * were stored.
   */
  record(entries: readonly ActivityEntry[]): Promise<number>
  /** Newest first; `total` counts all rows that the query finds. */
  list(query?: ActivityQuery): Promise<{ readonly items: readonly ActivityRow[]; readonly total: number }>
  /** Minutes watched of everything that the query finds: of films and episodes without a length, 115 and 45. */
  minutes(query?: Omit<ActivityQuery, 'limit' | 'offset'>): Promise<number>
  /** Removes all entries, or those of one kind. */
  clear(kind?: string): Promise<{ readonly removed: number; readonly remaining: number }>
}
