// The contract of the HTTP client that plugins use for third parties.
import type { Readable } from 'node:stream'
import type { Static, TSchema } from '@sinclair/typebox'

/** The entry of `needs.hosts` for addresses that a person just entered; see `AccountOptions.entered`. */
export const ENTERED = 'entered'

/** How the credential is sent. `{name}` in templates stands for the named secret. Values never leave the client. */
export type CredentialPlacement =
  | { readonly in: 'header'; readonly name: string; readonly template: string }
  | { readonly in: 'query'; readonly name: string; readonly template: string }

export interface AccountLimits {
  /** Concurrent requests. Default 4. */
  readonly concurrency?: number
  /** Sustained requests per second for GET and HEAD; the client stays 5 % below. Default unlimited. */
  readonly readsPerSecond?: number
  /** Sustained requests per second for everything else. Default: as reads. */
  readonly writesPerSecond?: number
  /** Requests that may be sent at once before the rate applies. Default 1. */
  readonly burst?: number
  /** As `burst`, for reads only. Default: `burst`. */
  readonly readBurst?: number
}

export interface AccountOptions {
  /**
   * Identifies the account across generations, for example `TRACKA@default`; limits and token refresh are shared by
   * name.
   */
  readonly account: string
  /** Scheme, host, port and base path. Must be one of the plugin's allowed hosts, or `entered`. */
  readonly baseUrl: string
  /**
   * The address was entered by the person who makes the request, or named by the service for this account, and is not
   * in the settings (yet). Requires `entered` in `needs.hosts`; otherwise the address fails with `PLH_HOST_DENIED`.
   */
  readonly entered?: boolean
  readonly limits?: AccountLimits
  /** Sent with every request. Must not contain a secret. */
  readonly headers?: Readonly<Record<string, string>>
  readonly credential?: {
    /** The secrets by name, read for each request. A missing one fails the request with `PLH_AUTH_FAILED`. */
    readonly secrets: () => Readonly<Record<string, string | undefined>>
    readonly place: readonly CredentialPlacement[]
    /** Epoch milliseconds; `refresh` runs first when less than `refreshSkewMs` is left. */
    readonly expiresAtMs?: () => number | undefined
    readonly refreshSkewMs?: number
    /**
     * Gets and stores a new credential, so that `secrets()` returns it. At most one runs per account, across callers
     * and generations; others wait for it. Called before expiry and once after a 401.
     */
    readonly refresh?: (signal: AbortSignal) => Promise<void>
  }
  /**
   * Whole request in milliseconds: all tries, pauses and the body. Starts when the limits admit the request; that wait
   * is limited to ten minutes. Default 20 000.
   */
  readonly timeoutMs?: number
  /**
   * Time to the first byte of the response per try. After this timeout the request is not retried. Default `timeoutMs`.
   */
  readonly answerMs?: number
  /** Connect timeout. Default 5 000. */
  readonly connectTimeoutMs?: number
  /** Verify TLS certificates. Default true; false only if the user chose it. */
  readonly verifyTls?: boolean
  /**
   * Only addresses of the public internet, for example because a person entered an address that others may name. An
   * address of the private network fails with `PLH_HOST_DENIED` (`private_address`); so does a name that resolves to
   * one when a connection is opened. Default false.
   */
  readonly publicOnly?: boolean
  /** Largest body in bytes for `json()` and `text()`. Default 16 MiB. */
  readonly maxBytes?: number
  /**
   * Statuses (401, 403, 503) that the service itself answers with a web page, as some media servers do. Any other page
   * counts as blocking programs, see `UpstreamAccount.request`. Default none.
   */
  readonly ownPages?: readonly number[]
  /**
   * Maximum tries of a safe request (GET, HEAD, or `idempotent`). Default 4. An immediate repeat, because the service had
   * just closed an idle connection, does not count as a try.
   */
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
  /** A write that may safely be repeated; retried like a read. */
  readonly idempotent?: boolean
  /** Statuses to return instead of throwing, beside 2xx and 304. */
  readonly accept?: readonly number[]
  /** Sends the request without the credential. */
  readonly anonymous?: boolean
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface SocketRequest {
  /** Relative to the account's base address, whose scheme decides between `ws:` and `wss:`. */
  readonly path: string
  readonly query?: UpstreamRequest['query']
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the socket, also after it opened. */
  readonly signal?: AbortSignal
  /** Largest message in bytes; a larger one ends the socket with `PLH_UPSTREAM_INVALID`. Default 1 MiB. */
  readonly maxMessageBytes?: number
  /**
   * A connection without any frame for this long is lost, in milliseconds. The client pings the server after a quarter
   * of it, so that a quiet server is not mistaken for a lost one. Default 120 000.
   */
  readonly silenceMs?: number
}

/**
 * The text messages of a WebSocket, in order; read once. Leaving the loop closes the socket.
 *
 * The loop ends silently after `close()`. After the messages that arrived before, it throws `PLH_UPSTREAM` with
 * `details.reason` `connection_lost` when the server closes, the connection breaks or is silent, and
 * `PLH_UPSTREAM_INVALID` for binary, too large and broken messages. At once it throws `PLH_UPSTREAM` with `unread` if
 * messages wait unread beyond 4 MiB, and `PLH_ABORTED` if the signal or the plugin's generation ended.
 */
export interface UpstreamSocket extends AsyncIterable<string> {
  /** Throws the error of the loop once the socket ended, `PLH_ABORTED` after `close()`. */
  send(text: string): void
  close(): void
}

/** A JSON response that is parsed on demand. */
export interface UpstreamDocument<Value> {
  readonly text: string
  /** Parses and checks at each call. Throws `PLH_UPSTREAM_INVALID`. */
  value(): Value
}

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as JSON, checked against a schema if given. Throws `PLH_UPSTREAM_INVALID`. */
  json(): Promise<unknown>
  json<Schema extends TSchema>(schema: Schema): Promise<Static<Schema>>
  /** As `json`, parsed on demand: for responses that are often identical to the previous one. */
  document<Schema extends TSchema>(schema: Schema): Promise<UpstreamDocument<Static<Schema>>>
  text(): Promise<string>
  /** The raw body. Read it to the end or destroy it. */
  stream(): Readable
}

export interface AccountStats {
  readonly account: string
  readonly requests: number
  readonly retries: number
  readonly refreshes: number
  readonly inFlight: number
  /** Epoch milliseconds until which the service asked to pause, or 0. */
  readonly pausedUntilMs: number
  /** The last rate-limit headers: limit, remaining, reset (epoch milliseconds). */
  readonly quota: { readonly limit?: number; readonly remaining?: number; readonly resetAtMs?: number }
  readonly calls: CallSums
  /** Absent before the first call. */
  readonly lastCall?: UpstreamCall
}

/** One try of a request. */
export interface UpstreamCall {
  /** When the response headers, or the failure, arrived. */
  readonly atMs: number
  readonly account: string
  readonly method: string
  /** As sent, without the query. May identify people and items. */
  readonly path: string
  /** 0 without a response. */
  readonly status: number
  /** The status is 2xx, or one the caller accepts. */
  readonly ok: boolean
  readonly ms: number
  /** Bytes on the wire; known once the body was read. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly remaining?: number
  readonly resetAtMs?: number
}

/** Totals of an account since the start. */
export interface CallSums {
  readonly count: number
  readonly failed: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly ms: number
}

export interface UpstreamAccount {
  /**
   * Sends a request under the account's limits. Transient failures are retried when safe: GET, HEAD and `idempotent`
   * after connection failures, 408, 425, 429, 500, 502 to 504 and 520 to 524; any method if no connection was made. A
   * 401 is retried once with a refreshed credential.
   *
   * Errors: `PLH_AUTH_FAILED` (401, and 403 after a refresh), `PLH_RATE_LIMITED` (429 and 420; with `retryAfterMs` if
   * the service reports it; the whole account waits), `PLH_NOT_FOUND` (404), `PLH_UPSTREAM` (other statuses in
   * `details.status`, failed connections with `details.reason`), `PLH_UPSTREAM_TIMEOUT`, `PLH_UPSTREAM_INVALID`,
   * `PLH_HOST_DENIED` (also for redirects to another origin, in `details.redirect`), `PLH_ABORTED`.
   *
   * A web page (HTML) with the status 401, 403 or 503, accepted or not, in response to a request with JSON in its
   * Accept header (the default), is none of these: it proves nothing about the credential and refreshes nothing. It
   * throws `PLH_UPSTREAM` with the `details.reason` `blocked`, and without `details.status` unless it is 503. A request
   * for pages sets its own Accept header. A page with 2xx is detected by `json()` and `document()`, which throw
   * `PLH_UPSTREAM_INVALID` with the same reason.
   */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** `request` and `json`; a truncated body is retried when safe. */
  json<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<Static<Schema>>
  /** As `json`, parsed on demand. */
  document<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<UpstreamDocument<Static<Schema>>>
  /**
   * Opens a WebSocket under the account's limits, with its credential and headers. It counts as one request, takes up a
   * place of `concurrency` only until the server agreed, and closes with the plugin. Not retried, except once after a
   * 401 with a refreshed credential.
   *
   * Errors as for `request`, and `PLH_AUTH_FAILED` for 403, too. If a server answers without a WebSocket, the call
   * fails with its status.
   */
  socket(request: SocketRequest): Promise<UpstreamSocket>
  stats(): AccountStats
}

export interface UpstreamFactory {
  /** Opens an account. It closes with the plugin. */
  account(options: AccountOptions): UpstreamAccount
}
