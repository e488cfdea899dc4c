// Playback: sessions on a media server, and plays that a tracker records. A provider with `playback` also
// implements the operations that it declares; see `PlaybackProvider`.
import type { IdScheme } from '../../items/id-schemes.ts'
import type { Item } from '../../items/item.ts'
import type { ItemKind } from '../../items/kind.ts'
import type { WriteOutcomeKind } from '../writes/contract.ts'

/** A provider's support for playback. Absent members are not supported. */
export interface PlaybackSupport {
  /** Its sessions can be followed. `push`: the service reports changes. `poll`: sessions are requested regularly. */
  readonly watch?: 'push' | 'poll'
  /** It sends webhooks that `parseWebhook` understands. */
  readonly webhook?: WebhookSupport
  /** It records plays. */
  readonly scrobble?: ScrobbleSupport
}

export interface WebhookSupport {
  /** Names of the form fields or parts that may hold the JSON document. */
  readonly fields: readonly string[]
  /** It also reports ratings. */
  readonly ratings: boolean
  /** Where a person enters the address at the service, in one sentence. */
  readonly setup: string
}

export interface ScrobbleSupport {
  /** Kinds that can be scrobbled. */
  readonly kinds: readonly ItemKind[]
  /** As `FeatureSupport.needsAnyId`; an episode also counts with these ids of its show and its numbers. */
  readonly needsAnyId: readonly IdScheme[]
  /** From this percentage on, the service records a stop as a play. Absent: `completed` decides. */
  readonly playAtPercent?: number
  /** Positions that jump slightly backwards, or to the end, mislead the service; they are smoothed first. */
  readonly smooth?: true
}

/** A person at a media server, with the facts that the service reports. Every member may be missing. */
export interface PlaybackAccount {
  readonly id?: string
  readonly name?: string
  /** A second stable id, of an account at the vendor. */
  readonly uuid?: string
  /**
   * Relation to the profile's own user, decided by ids, never by names alone. `unknown`: the report has no such id, so
   * nothing is attributed to the profile's user.
   */
  readonly relation: 'own' | 'other' | 'unknown'
  /** The report comes from a server that is known not to be the profile's own. Its refusal reason is `other_server`. */
  readonly elsewhere?: true
}

/** A playback session as the service reports it. */
export interface PlaySession {
  /** Identifies the session at the service; unique within a response and stable while it lasts. The item may change. */
  readonly key: string
  /**
   * A movie or an episode, without user data. With all ids of the service and `native.item_id`; an episode with
   * `show_ids`, numbers and `series_title`. Ids of a show are never among those of its episode. Without ids if the
   * service has none; it is then shown but not recorded.
   */
  readonly item: Item
  /** `buffering`: the player is waiting for data. `stopped`: the session ended; only in reports of single sessions. */
  readonly state: 'playing' | 'paused' | 'buffering' | 'stopped'
  /** Position in milliseconds as last reported by the player. Absent if unknown; never estimated. */
  readonly positionMs?: number
  /** Length in milliseconds, at least 1 and not below the position. Absent if unknown. */
  readonly durationMs?: number
  /** 0 to 100, if the service reports a percentage and no position. */
  readonly percent?: number
  /** The service itself says that the item was watched to its end, or counts it as watched. */
  readonly completed?: true
  readonly account: PlaybackAccount
  /** Id of the player. Equal in webhooks and sessions of one service. */
  readonly deviceId?: string
  /** Display name of the player: `Living room`. */
  readonly device?: string
  /** The service's id of the server. */
  readonly server?: string
  /** A publicly loadable picture: http or https, without user info and query; never with a secret. */
  readonly cover?: string
  /** Live television or a recording of it. */
  readonly live?: true
  /** Libraries that contain the item, if `WatchOptions.libraries`. Absent: unknown. */
  readonly libraries?: readonly string[]
  /** Files and editions of the item, if `WatchOptions.files`. Absent: unknown. */
  readonly files?: PlayFiles
}

export interface PlayFiles {
  /** Paths as the server sees them. */
  readonly paths: readonly string[]
  /** Titles of editions and versions. */
  readonly editions: readonly string[]
  /** The server's API reported them, not the body of a webhook. */
  readonly trusted: boolean
}

/** Additional facts for the session; they may cost requests, which the provider caches. */
export interface WatchOptions {
  readonly libraries?: boolean
  readonly files?: boolean
  /** Webhooks: the position, if the body lacks it. */
  readonly position?: boolean
}

/**
 * A part of a stream of `watch`. The stream ends only with an error or with its signal.
 *
 * - `connected`: first, and after each change of the transport. `others` is false if the token only sees sessions of
 *   its own user.
 * - `sessions`: all current sessions. Sessions that are missing have ended.
 * - `session`: one session changed; with the state `stopped` it ended.
 */
export type WatchPart =
  | { readonly type: 'connected'; readonly by: 'push' | 'poll'; readonly others: boolean; readonly reason?: string }
  | { readonly type: 'sessions'; readonly sessions: readonly PlaySession[]; readonly atMs: number }
  | { readonly type: 'session'; readonly session: PlaySession; readonly atMs: number }

export interface WebhookRequest {
  /** The JSON document. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The bytes of the JSON document as they were received, without its multipart or form encoding; for signatures. */
  readonly body: Uint8Array
  /** Lower-case names. Without cookies and credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly needs: WatchOptions
  /** Default: playback. `ratings`: only ratings count. */
  readonly purpose?: 'ratings'
}

/**
 * The content of a webhook.
 *
 * - `playback`: `start` (also after a pause), `pause` and `stop` happened at this moment; `progress` is a report in
 *   between, whose state may have changed.
 * - `rating`: of a movie, show or episode; null removes it.
 * - `ignored`: `unsupported_event`, `unsupported_media_type`, `empty_payload`, `invalid_signature`, `parse_error`.
 */
export type WebhookReport =
  | {
      readonly type: 'playback'
      /** The service's name of the event. */
      readonly event: string
      readonly action: 'start' | 'pause' | 'stop' | 'progress'
      readonly session: PlaySession
      /** Further episodes of a file with several episodes: the event applies to each. */
      readonly also?: readonly PlaySession[]
    }
  | {
      readonly type: 'rating'
      readonly event: string
      readonly item: Item
      /** 1 to 10. */
      readonly rating: number | null
      readonly account: PlaybackAccount
      readonly server?: string
      readonly libraries?: readonly string[]
    }
  | { readonly type: 'ignored'; readonly event?: string; readonly reason: string }

export interface ScrobbleRequest {
  readonly action: 'start' | 'pause' | 'stop'
  /** A movie or an episode with shared ids only. */
  readonly item: Item
  /** 0 to 100, two decimals. */
  readonly percent: number
  readonly positionMs?: number
  readonly durationMs?: number
  /** With `stop`: it is a play. The service must record it once, regardless of the percentage. */
  readonly completed: boolean
  /** The time of the event, epoch milliseconds. Sent within minutes; later plays are added to the history instead. */
  readonly atMs: number
}

/**
 * - `applied`: the service confirmed it.
 * - `already`: the service already has this play; a success.
 * - `not_found`, `unsupported`, `rejected`: the service does not accept it; not retried.
 * - `rate_limited`, `failed`: not done, for a temporary reason.
 * - `unknown`: possibly done.
 */
export interface ScrobbleResult {
  readonly outcome: WriteOutcomeKind
  /** A reason code such as `missing_ids`, `http_503`, `not_configured`. */
  readonly reason?: string
  /** The play that the service recorded, with its stored time, epoch milliseconds; null if it reports none. */
  readonly play?: { readonly watchedAtMs: number | null; readonly eventId?: string }
  /** The service asked to wait for this long. */
  readonly retryAfterMs?: number
}

export interface PlaysRequest {
  /** A movie or an episode with shared ids. */
  readonly item: Item
  /** Epoch milliseconds, both included. */
  readonly fromMs: number
  readonly toMs: number
}

/** Part of `Provider`. Which operations exist is declared in `ProviderDescription.playback`. */
export interface PlaybackProvider {
  /**
   * All current sessions of all users that the account can see; empty if there are none. Asks the service at each call:
   * callers limit the rate. Inconsistent sessions (position beyond the end, neither movie nor episode) are dropped.
   *
   * Throws `PLH_UNSUPPORTED` if this account has no permission (wire `playing_owner_only` if only the server's owner
   * has it), `PLH_NOT_READY` (wire `not_configured`) without credentials, and errors of `ctx.upstream`. Never returns
   * an empty list instead of an error.
   *
   * @example const [session] = await provider.playing?.('default', {}, AbortSignal.timeout(4_000)) ?? []
   */
  playing(instance: string, options?: WatchOptions, signal?: AbortSignal): Promise<readonly PlaySession[]>
  /**
   * Follows the sessions until the signal aborts. Errors as in `playing`; the caller reconnects. Throws `PLH_UPSTREAM`
   * when a connection is lost. A lost connection says nothing about the sessions.
   */
  watch(instance: string, options?: WatchOptions, signal?: AbortSignal): AsyncIterable<WatchPart>
  /**
   * Parses a webhook of the service. Looks up missing facts (ids of the show, libraries) within the signal,
   * and answers without them when that fails. Never throws because of the body.
   */
  parseWebhook(instance: string, request: WebhookRequest, signal?: AbortSignal): Promise<WebhookReport>
  /** Sends one report to the service. Never throws for failures of the service. */
  scrobble(instance: string, request: ScrobbleRequest, signal?: AbortSignal): Promise<ScrobbleResult>
  /**
   * The account's plays of one item within a time span, to find out whether an unconfirmed one was recorded. Times have
   * the precision of the service. Errors as in `read`.
   */
  plays(instance: string, request: PlaysRequest, signal?: AbortSignal): Promise<readonly Item[]>
}

/** The playback part of a provider's declaration. */
export interface PlaybackDefinition<Session> {
  /** Inconsistent sessions are dropped by the kit. Errors as in `PlaybackProvider.playing`. */
  playing?(session: Session, options: WatchOptions, signal: AbortSignal): Promise<readonly PlaySession[]>
  /** Default: `playing` is polled. */
  watch?(session: Session, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchPart>
  readonly webhook?: WebhookSupport & {
    parse(session: Session, request: WebhookRequest, signal: AbortSignal): Promise<WebhookReport>
  }
  readonly scrobble?: ScrobbleSupport & {
    send(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult>
  }
  /** Default: the history is read. */
  plays?(session: Session, request: PlaysRequest, signal: AbortSignal): Promise<readonly Item[]>
}
