// The capability `scrobble`: interprets playback reports and delivers them to trackers.
import { capability } from '../capability.ts'
import { hook } from '../hooks.ts'
import type { Item } from '../items/item.ts'
import type { WatchOptions, WebhookReport } from '../provider/playback/playback.ts'

export const SCROBBLE = capability<ScrobbleService>('scrobble')

/**
 * An item was watched to its end on a media server, so it is a play. Called once for each route from the server to a
 * tracker, before the tracker gets the play.
 *
 * @example ctx.tap(PLAY_COMPLETED, 'lights', ({ item }) => item.type === 'movie' && lights.on())
 */
export const PLAY_COMPLETED = hook.notify<{
  /** Id of the route. */
  readonly route: string
  readonly method: 'watcher' | 'webhook'
  readonly source: { readonly provider: string; readonly instance: string }
  readonly tracker: { readonly provider: string; readonly instance: string }
  readonly item: Item
  /** 0 to 100. */
  readonly percent: number
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  readonly endedAtMs: number
}>('playCompleted')

/** The query of a webhook call, with unchanged values. */
export interface WebhookCall {
  /** Token of the provider in the path: `mediaA`. */
  readonly provider: string
  readonly purpose: 'playback' | 'ratings'
  /** Token of a webhook profile. */
  readonly profile?: string
  /** Token of an old address, or of the rating address. */
  readonly token?: string
  /** Id of a route's rating address. */
  readonly route?: string
}

/** The effect of a webhook call, or why it has none. Tokens are compared in constant time. */
export type WebhookAccess =
  | {
      readonly ok: true
      /** `MEDIAA` */
      readonly provider: string
      readonly instance: string
      /** Passed on with the reports of this call; selects the destinations and filters. */
      readonly scope: string
      /** Facts that its filters need. */
      readonly needs: WatchOptions
    }
  | {
      readonly ok: false
      readonly reason:
        | 'webhook_disabled'
        | 'invalid_profile'
        | 'invalid_webhook_token'
        | 'provider_not_connected'
        | 'profile_disabled'
        | 'no_destinations'
    }

/** A report for one webhook scope. */
export interface WebhookInput<Type extends WebhookReport['type']> {
  readonly provider: string
  readonly instance: string
  readonly scope: string
  readonly report: Extract<WebhookReport, { readonly type: Type }>
  /** When the webhook arrived, epoch milliseconds. */
  readonly receivedAtMs: number
}

/** The decision; the fields of a webhook's response. Absent flags are false. */
export interface PlaybackDecision {
  readonly action?: 'start' | 'pause' | 'stop' | 'rating'
  /** Nothing was sent; `reason` says why. */
  readonly ignored?: true
  /** The same event was reported before. */
  readonly dedup?: true
  /** A pause shortly after a pause. */
  readonly debounced?: true
  /** A start near the end, an instant stop, a repeated stop or completion. */
  readonly suppressed?: true
  /** `account_not_allowed`, `pause_debounce`, `late_start`, `duplicate_finish`, … */
  readonly reason?: string
  /** 0 to 100, two decimals: the position that counts. */
  readonly progress?: number
  /** It counts as a play. */
  readonly completed?: true
  readonly targets: readonly DecisionTarget[]
}

export interface DecisionTarget {
  /** `TRACKA` */
  readonly target: string
  readonly target_instance: string
  readonly ok: boolean
  /** It is stored and will be delivered. */
  readonly queued?: true
  readonly skipped?: true
  readonly ignored?: true
  readonly reason?: string
  readonly error?: string
}

/** A current session for display. */
export interface CurrentStream {
  /** `<source>:<instance>:<session>` */
  readonly _key: string
  readonly source: string
  readonly provider: string
  readonly provider_instance: string
  readonly media_type: 'movie' | 'episode'
  readonly title: string
  readonly season: number | null
  readonly episode: number | null
  readonly progress: number | null
  readonly state: 'playing' | 'paused' | 'buffering'
  /** Epoch seconds. */
  readonly started: number
  readonly updated: number
  /** Ids of the show have the suffix `_show`. */
  readonly ids: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export interface ScrobbleService {
  /** Checks the token of a webhook call. */
  access(call: WebhookCall): Promise<WebhookAccess>
  /** Decides and queues a playback report. Resolves when it is stored, before it is delivered. */
  play(input: WebhookInput<'playback'>): Promise<PlaybackDecision>
  /** Queues a rating. */
  rate(input: WebhookInput<'rating'>): Promise<PlaybackDecision>
  /** Current playbacks, the primary stream first. */
  streams(): Promise<readonly CurrentStream[]>
}
