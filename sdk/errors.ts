// Every error that crosses a boundary (plugin to host, host to HTTP) is a PlayheadError with a code from this registry.
// The code alone decides the reaction: the HTTP status, whether a retry makes sense, what the host does with the
// plugin.

export type RetryAdvice = 'never' | 'backoff' | 'after'

export interface ErrorDefinition {
  /** HTTP status of an answer that carries this error. */
  readonly status: number
  readonly retry: RetryAdvice
  /** What the `error` field of the answer says. */
  readonly wire: string
  /** A mistake in a plugin's code: counted against it, and answered as an internal error. */
  readonly fault?: boolean
}

/** All codes. A code is never reused for another meaning; `docs/reference/errors.md` explains each. */
export const ERRORS = {
  // What a plugin reports about the world.
  PLH_NOT_READY: { status: 503, retry: 'backoff', wire: 'not_ready' },
  PLH_AUTH_FAILED: { status: 401, retry: 'never', wire: 'unauthorized' },
  PLH_RATE_LIMITED: { status: 429, retry: 'after', wire: 'rate_limited' },
  PLH_UPSTREAM: { status: 502, retry: 'backoff', wire: 'upstream_error' },
  PLH_UPSTREAM_TIMEOUT: { status: 504, retry: 'backoff', wire: 'upstream_timeout' },
  PLH_UPSTREAM_INVALID: { status: 502, retry: 'never', wire: 'invalid_response' },
  PLH_HOST_DENIED: { status: 502, retry: 'never', wire: 'host_not_allowed' },
  PLH_UNSUPPORTED: { status: 400, retry: 'never', wire: 'unsupported' },
  PLH_INVALID: { status: 400, retry: 'never', wire: 'invalid' },
  PLH_NOT_FOUND: { status: 404, retry: 'never', wire: 'not_found' },
  PLH_FORBIDDEN: { status: 403, retry: 'never', wire: 'forbidden' },
  PLH_CONFLICT: { status: 409, retry: 'never', wire: 'conflict' },
  PLH_EXPIRED: { status: 410, retry: 'never', wire: 'expired' },
  PLH_TOO_MANY: { status: 429, retry: 'after', wire: 'too_many' },
  PLH_CONFIG_INVALID: { status: 422, retry: 'never', wire: 'config_invalid' },
  PLH_QUOTA: { status: 507, retry: 'never', wire: 'storage_quota_exceeded' },
  PLH_ABORTED: { status: 503, retry: 'backoff', wire: 'aborted' },
  // What the host reports about plugins.
  PLH_CAPABILITY_GONE: { status: 503, retry: 'backoff', wire: 'capability_unavailable' },
  PLH_CAPABILITY_MISSING: { status: 409, retry: 'never', wire: 'capability_missing' },
  PLH_CAPABILITY_CONFLICT: { status: 409, retry: 'never', wire: 'capability_conflict' },
  PLH_CAPABILITY_CYCLE: { status: 409, retry: 'never', wire: 'capability_cycle' },
  PLH_PLUGIN_DISPOSED: { status: 503, retry: 'backoff', wire: 'plugin_disposed' },
  PLH_PLUGIN_UNKNOWN: { status: 404, retry: 'never', wire: 'plugin_unknown' },
  PLH_PLUGIN_MANIFEST: { status: 409, retry: 'never', wire: 'plugin_manifest_invalid' },
  PLH_PLUGIN_API_RANGE: { status: 409, retry: 'never', wire: 'plugin_api_range' },
  PLH_PLUGIN_INTEGRITY: { status: 409, retry: 'never', wire: 'plugin_integrity' },
  PLH_PLUGIN_BUILD: { status: 409, retry: 'never', wire: 'plugin_build_failed' },
  PLH_PLUGIN_IMPORT_DENIED: { status: 409, retry: 'never', wire: 'plugin_import_denied' },
  PLH_PLUGIN_EXPORT: { status: 409, retry: 'never', wire: 'plugin_export_invalid' },
  PLH_PLUGIN_SETUP: { status: 409, retry: 'never', wire: 'plugin_setup_failed' },
  PLH_PLUGIN_SETUP_TIMEOUT: { status: 409, retry: 'never', wire: 'plugin_setup_timeout' },
  PLH_PLUGIN_SELF_CHECK: { status: 409, retry: 'never', wire: 'plugin_self_check_failed' },
  PLH_PLUGIN_ROUTE_UNDECLARED: { status: 409, retry: 'never', wire: 'plugin_route_undeclared' },
  PLH_PLUGIN_ROUTE_CONFLICT: { status: 409, retry: 'never', wire: 'plugin_route_conflict' },
  PLH_PLUGIN_FAULT: { status: 500, retry: 'never', wire: 'plugin_fault', fault: true },
  PLH_PLUGIN_UNDECLARED: { status: 500, retry: 'never', wire: 'plugin_undeclared', fault: true },
  PLH_PLUGIN_QUARANTINED: { status: 503, retry: 'backoff', wire: 'plugin_quarantined' },
  PLH_PLUGIN_EXIT: { status: 500, retry: 'never', wire: 'plugin_exit_denied', fault: true },
  PLH_HOOK_TIMEOUT: { status: 504, retry: 'backoff', wire: 'hook_timeout' },
  PLH_HOOK_UNKNOWN: { status: 500, retry: 'never', wire: 'hook_unknown', fault: true },
} as const satisfies Record<string, ErrorDefinition>

export type PlayheadErrorCode = keyof typeof ERRORS

// Two copies of the SDK may meet (the host's and one bundled by mistake): identity is this symbol, not the class.
const BRAND = Symbol.for('playhead.error')

export interface PlayheadErrorOptions {
  readonly cause?: unknown
  /** For `PLH_RATE_LIMITED` and `PLH_NOT_READY`: how long to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** Context that may be shown to the user and is sent with the HTTP answer. Never put a secret here. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Replaces the `error` string of the HTTP answer where an interface names its own. */
  readonly wire?: string
  /** Replaces the HTTP status where an interface names its own. */
  readonly status?: number
}

/**
 * The error of the house. The message says what failed, on which subject, and what to do; it never holds a secret.
 *
 * @example
 * throw new PlayheadError('PLH_RATE_LIMITED', 'Trakt asks to wait 7 s for profile default', { retryAfterMs: 7000 })
 */
export class PlayheadError extends Error {
  readonly code: PlayheadErrorCode
  readonly status: number
  readonly wire: string
  readonly retryAfterMs: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: PlayheadErrorCode, message: string, options: PlayheadErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PlayheadError'
    this.code = code
    this.status = options.status ?? ERRORS[code].status
    this.wire = options.wire ?? ERRORS[code].wire
    this.retryAfterMs = options.retryAfterMs
    this.details = options.details
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** True for what nobody foresaw: anything but a PlayheadError, and those that name a mistake in a plugin's code. */
export function isFault(value: unknown): boolean {
  return !isPlayheadError(value) || (ERRORS[value.code] as ErrorDefinition | undefined)?.fault === true
}

/** True for a PlayheadError of any copy of the SDK, optionally of one code. */
export function isPlayheadError(value: unknown, code?: PlayheadErrorCode): value is PlayheadError {
  return (
    typeof value === 'object' &&
    value !== null &&
    BRAND in value &&
    (code === undefined || (value as unknown as PlayheadError).code === code)
  )
}
