// Shared types of the scrobbler: the effective configuration, observations, and decisions.
import type { AccountName, Item, PlayFiles, PlaybackAccount } from '@playhead/sdk'

export type Method = 'watcher' | 'webhook'

/** Immutable; computed once per revision of the settings and accounts. */
export interface Effective {
  /** `scrobble.enabled`, the main switch. */
  readonly enabled: boolean
  /** The source is switched on and something is configured for it. */
  readonly sources: Readonly<Record<Method, boolean>>
  readonly autostart: boolean
  readonly heartbeatMs: number
  /** Enabled routes and webhook destinations whose accounts are configured. */
  readonly lanes: readonly Lane[]
  /** Media types that a completed play removes from watchlists. */
  readonly autoRemoveTypes: readonly ('movie' | 'show' | 'episode')[]
}

/** A path from a source account to a tracker account: a watcher route, or a destination of a webhook profile. */
export interface Lane {
  /** `R1`, or `MEDIAA:default:TRACKA:default` for a webhook destination. */
  readonly id: string
  readonly method: Method
  readonly source: AccountName
  readonly sink: AccountName
  readonly filters: Filters
  /** Library ids of the source profile; empty: all. */
  readonly libraries: readonly string[]
  readonly thresholds: Thresholds
  /** A completed play is removed from watchlists. */
  readonly autoRemove: boolean
}

/** Percentages are 0 to 100. */
export interface Thresholds {
  /** A play counts from this position. */
  readonly watchedAt: number
  /** A stop at or after this position is trusted. */
  readonly forceStopAt: number
  /** Smallest step between two sent position updates. */
  readonly progressStep: number
  /** A stop near the end after a shorter playback counts as an aborted play. */
  readonly stopPauseThreshold: number
  /** Smaller backward jumps count as jitter. */
  readonly regressTolerance: number
  /** A start at or after this position belongs to the credits. */
  readonly suppressStartAt: number
  readonly pauseDebounceMs: number
  /** A start within this time after a stop is suspicious while its position is below `startGuardMinProgress`. */
  readonly guardAutoplayMs: number
  readonly startGuardMinProgress: number
}

export interface Filters {
  /** Names, `id:<id>`, `uuid:<uuid>`, or `*` for all users. Empty: only the profile's own user. */
  readonly username_whitelist: readonly string[]
  readonly user_id: string
  readonly server_uuid: string
  readonly server_uuid_whitelist: readonly string[]
  readonly server_uuid_blacklist: readonly string[]
  readonly ignore_live_tv_dvr: boolean
  readonly ignore_placeholder_trailers: boolean
  readonly ignored_path_prefixes: readonly string[]
  readonly ignored_filename_patterns: readonly string[]
  readonly ignored_editions: readonly string[]
  readonly ignored_marker_files: readonly string[]
  /** 0 for no limit. */
  readonly min_duration_seconds: number
}

/** The report of a source about one playback at one moment. */
export interface Observation {
  readonly method: Method
  readonly source: AccountName
  /** `event`: a change that happened now, and that may be reported repeatedly. `level`: the current state, repeated while it lasts. */
  readonly kind: 'event' | 'level'
  readonly state: 'playing' | 'paused' | 'buffering' | 'stopped'
  /** Epoch milliseconds. */
  readonly atMs: number
  /** Session at the service. */
  readonly session: string
  readonly item: Item
  readonly account: PlaybackAccount
  readonly deviceId?: string
  readonly device?: string
  readonly server?: string
  readonly cover?: string
  readonly live?: true
  readonly libraries?: readonly string[]
  readonly files?: PlayFiles
  /** Names of marker files beside the item's files, as far as filters need them. */
  readonly markers?: readonly string[]
  readonly positionMs?: number
  readonly durationMs?: number
  /** 0 to 100, for sources without a position. */
  readonly percent?: number
  /** The service counts the item as watched. */
  readonly completed?: true
  /** The session is gone; the position is the last reported one. */
  readonly synthetic?: true
  /**
   * The end was not observed: the item played in this session since `sinceMs`, was last reported at `lastAtMs`, and the session
   * disappeared later. Epoch milliseconds.
   */
  readonly unseen?: { readonly sinceMs: number; readonly lastAtMs: number }
}

/** Why a lane ignores an observation; undefined if it passes. */
export type FilterReason = string | undefined

/** State of the watchers, for `GET /api/watch/status`. */
export interface GroupStatus {
  /** `mediaA:default` */
  readonly id: string
  readonly provider: string
  readonly instance: string
  readonly state: 'stopped' | 'connecting' | 'connected' | 'offline' | 'stopping' | 'failed'
  readonly by: 'push' | 'poll' | null
  /** False: only the sessions of the profile's own user are visible. */
  readonly others: boolean | null
  readonly lastEventAtMs: number | null
  /** Reason code of the last failure. */
  readonly lastError: string | null
  readonly retryAtMs: number | null
  readonly failures: number
  readonly routes: readonly string[]
}

/** The watchers in the form that the routes use. */
export interface Watchers {
  status(): readonly GroupStatus[]
  /** Starts all groups of the current configuration; running groups are restarted. */
  start(): Promise<void>
  stop(): Promise<void>
  /** As `start`, but keeps the current sessions. */
  refresh(): Promise<void>
}
