// The contract of the HTTP client that plugins use for third parties.
import type { Readable } from 'node:stream'
import type { Static, TSchema } from '@sinclair/typebox'

/** The entry of `needs.hosts` for addresses that a person just typed. It is no name; see `AccountOptions.entered`. */
export const ENTERED = 'entered'

/**
 * How the credential goes into a request. `{name}` in templates stands for the named secret. Values never leave the
 * client.
 */
export type CredentialPlacement =
  | { readonly in: 'header'; readonly name: string; readonly template: string }
  | { readonly in: 'query'; readonly name: string; readonly template: string }

export interface AccountLimits {
  /** Requests at the same time. Default 4. */
  readonly concurrency?: number
  /**
   * Sustained requests per second that the service allows for GET and HEAD; the client stays a twentieth below. Default
   * unlimited.
   */
  readonly readsPerSecond?: number
  /** Sustained requests per second for everything else. Default: as reads. */
  readonly writesPerSecond?: number
  /** Requests that may go at once before the rate applies. Default 1. */
  readonly burst?: number
  /**
   * As `burst`, for reads alone: for services that count reads over minutes and writes by the second. Default: `burst`.
   */
  readonly readBurst?: number
}

export interface AccountOptions {
  /**
   * Identifies the account across generations, for example `TRACKA@default`: limits and refresh are shared by this
   * name.
   */
  readonly account: string
  /** Scheme, host, port and base path. Must be one of the plugin's allowed hosts, or `entered`. */
  readonly baseUrl: string
  /**
   * The address was typed by the person for whom the request is made, or named by the service for this very account,
   * and is not in the settings (yet). Needs `entered` among `needs.hosts`. Without it such an address is refused with
   * `PLH_HOST_DENIED`.
   */
  readonly entered?: boolean
  readonly limits?: AccountLimits
  /** Sent with every request. Must not hold a secret. */
  readonly headers?: Readonly<Record<string, string>>
  readonly credential?: {
    /** The secrets by name, read anew for each request. A missing one fails the request with `PLH_AUTH_FAILED`. */
    readonly secrets: () => Readonly<Record<string, string | undefined>>
    readonly place: readonly CredentialPlacement[]
    /** Epoch milliseconds; `refresh` runs beforehand when less than `refreshSkewMs` is left. */
    readonly expiresAtMs?: () => number | undefined
    readonly refreshSkewMs?: number
    /**
     * Gets a new credential and stores it so that `secrets()` gives it. At most one runs per account at any time,
     * whatever the number of callers or generations; the others wait for it. Called before expiry and once after a 401.
     */
    readonly refresh?: (signal: AbortSignal) => Promise<void>
  }
  /**
   * Whole request, in milliseconds: all its tries, the waits between them, and the answer's body. It begins when the
   * request gets its turn under the limits; waiting for that has a limit of ten minutes of its own. Default 20 000.
   */
  readonly timeoutMs?: number
  /**
   * Until the service begins to answer a try. A service that says nothing for so long is not asked again in this
   * request. Default `timeoutMs`, which leaves time for tries and pauses.
   */
  readonly answerMs?: number
  /** Until connected. Default 5 000. */
  readonly connectTimeoutMs?: number
  /** Verify TLS certificates. Default true; false only where the user chose so. Never lowered silently. */
  readonly verifyTls?: boolean
  /** Largest answer in bytes for `json()` and `text()`. Default 16 MiB. */
  readonly maxBytes?: number
  /** Tries of a safe request (GET, HEAD, or `idempotent`). Default 4. */
  readonly tries?: number
}

export interface UpstreamRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the account's base address. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | readonly (string | number)[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** A write that may be repeated without harm; then it is retried like a read. */
  readonly idempotent?: boolean
  /** Statuses that are answers rather than errors, beside 2xx and 304. */
  readonly accept?: readonly number[]
  /** Sends the request without the credential. */
  readonly anonymous?: boolean
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** An answer whose text is at hand, and which is only parsed when somebody asks for its value. */
export interface UpstreamDocument<Value> {
  readonly text: string
  /** Parsed and checked at each call. Throws `PLH_UPSTREAM_INVALID` if it is not what it should be. */
  value(): Value
}

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The whole body as JSON, checked when a schema is given. `PLH_UPSTREAM_INVALID` if it is not what it should be. */
  json(): Promise<unknown>
  json<Schema extends TSchema>(schema: Schema): Promise<Static<Schema>>
  /** As `json`, not parsed yet: for answers that are often the same, to the letter, as the one before. */
  document<Schema extends TSchema>(schema: Schema): Promise<UpstreamDocument<Static<Schema>>>
  text(): Promise<string>
  /** The raw body. It must be read to the end or destroyed. */
  stream(): Readable
}

export interface AccountStats {
  readonly account: string
  readonly requests: number
  readonly retries: number
  readonly refreshes: number
  readonly inFlight: number
  /** Epoch milliseconds until which the service asked us to wait, or 0. */
  readonly pausedUntilMs: number
  /** The last rate-limit headers seen: limit, remaining, reset (epoch milliseconds), where given. */
  readonly quota: { readonly limit?: number; readonly remaining?: number; readonly resetAtMs?: number }
  readonly calls: CallSums
  /** Absent until there was one. */
  readonly lastCall?: UpstreamCall
}

/** One request and its answer, each try by itself. */
export interface UpstreamCall {
  /** When the head of the answer came, or the failure. */
  readonly atMs: number
  readonly account: string
  readonly method: string
  /** As it was sent, without the query. It may name people and items. */
  readonly path: string
  /** 0 when there was no answer. */
  readonly status: number
  /** The service did what was asked, or said something that the caller understands. */
  readonly ok: boolean
  readonly ms: number
  /** As they came over the wire; known when the answer has been read. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly remaining?: number
  readonly resetAtMs?: number
}

/** Of all exchanges of an account since the start. */
export interface CallSums {
  readonly count: number
  readonly failed: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly ms: number
}

export interface UpstreamAccount {
  /**
   * Sends a request under the account's limits. Failures that pass are tried again where that is safe: for GET, HEAD
   * and `idempotent` after connection failures, 408, 425, 429, 500, 502 to 504 and 520 to 524; for everything where no
   * connection was made, so that nothing was sent. A 401 is tried again once, with a new credential.
   *
   * Errors: `PLH_AUTH_FAILED` (401, and 403 after a refresh), `PLH_RATE_LIMITED` (429, and 420; with `retryAfterMs`
   * where the service says how long; the whole account waits that long), `PLH_NOT_FOUND` (404), `PLH_UPSTREAM` (other
   * statuses, in `details.status`, and failed connections, with `details.reason`), `PLH_UPSTREAM_TIMEOUT`,
   * `PLH_UPSTREAM_INVALID`, `PLH_HOST_DENIED` (also for redirects to another origin, in `details.redirect`),
   * `PLH_ABORTED`.
   */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** `request` and `json` in one; a body that breaks off is read anew where that is safe. */
  json<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<Static<Schema>>
  /** As `json`, not parsed yet. */
  document<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<UpstreamDocument<Static<Schema>>>
  stats(): AccountStats
}

export interface UpstreamFactory {
  /** Opens an account. It closes with the plugin. */
  account(options: AccountOptions): UpstreamAccount
}
