// Errors that cross a boundary (plugin to host, host to HTTP) are PlayheadErrors with a code from this registry. The
// code determines the HTTP status, the retry advice and the host's reaction.

export type RetryAdvice = 'never' | 'backoff' | 'after'

export interface ErrorDefinition {
  /** HTTP status of the response. */
  readonly status: number
  readonly retry: RetryAdvice
  /** The `error` field of the response. */
  readonly wire: string
  /** A bug in a plugin: counted against the plugin and answered as an internal error. */
  readonly fault?: boolean
}

/** All codes. A code is never reused; `docs/reference/errors.md` explains each. */
export const ERRORS = {
  // Reported by plugins about the outside world.
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
  // Reported by the host about plugins.
  PLH_CAPABILITY_GONE: { status: 503, retry: 'backoff', wire: 'capability_unavailable' },
  PLH_CAPABILITY_MISSING: { status: 409, retry: 'never', wire: 'capability_missing' },
  PLH_CAPABILITY_CONFLICT: { status: 409, retry: 'never', wire: 'capability_conflict' },
  PLH_CAPABILITY_CYCLE: { status: 409, retry: 'never', wire: 'capability_cycle' },
  PLH_PLUGIN_DISPOSED: { status: 503, retry: 'backoff', wire: 'plugin_disposed' },
  PLH_PLUGIN_UNKNOWN: { status: 404, retry: 'never', wire: 'plugin_unknown' },
  PLH_PLUGIN_MANIFEST: { status: 409, retry: 'never', wire: 'plugin_manifest_invalid' },
  PLH_PLUGIN_API_RANGE: { status: 409, retry: 'never', wire: 'plugin_api_range' },
  PLH_PLUGIN_INTEGRITY: { status: 409, retry: 'never', wire: 'plugin_integrity' },
  PLH_PLUGIN_REVIEW: { status: 409, retry: 'never', wire: 'plugin_review_needed' },
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

// Two copies of the SDK may coexist (the host's and a bundled one), so identity is this symbol, not the class.
const BRAND = Symbol.for('playhead.error')

export interface PlayheadErrorOptions {
  readonly cause?: unknown
  /** For `PLH_RATE_LIMITED` and `PLH_NOT_READY`: the wait in milliseconds. */
  readonly retryAfterMs?: number
  /** Context for the user, sent with the HTTP response. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Overrides the `error` field of the response. */
  readonly wire?: string
  /** Overrides the HTTP status. */
  readonly status?: number
}

/**
 * The error class. The message says what failed, on which subject, and what to do; it never contains a secret.
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

/** `disk_full`: no room, or a quota. `data_read_only`: of the file system, or by missing rights. */
export type StorageProblem = 'disk_full' | 'data_read_only'

const STORAGE_CODES: Readonly<Record<string, StorageProblem>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  EROFS: 'data_read_only',
}
const RIGHTS_CODES: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])
/** https://sqlite.org/rescode.html: SQLITE_FULL, SQLITE_READONLY */
const SQLITE_CODES: Readonly<Record<number, StorageProblem>> = { 13: 'disk_full', 8: 'data_read_only' }

/**
 * The storage problem in an error of the file system or of SQLite, or in one of its causes. The interrupted write
 * changed nothing: files are replaced as a whole, and statements rolled back.
 */
export function storageProblem(error: unknown): StorageProblem | undefined {
  for (
    let each = error, depth = 0;
    typeof each === 'object' && each !== null && depth < 5;
    each = (each as { cause?: unknown }).cause, depth += 1
  ) {
    const { code, errcode, syscall } = each as Readonly<Record<string, unknown>>
    const problem =
      (typeof code === 'string' ? STORAGE_CODES[code] : undefined) ??
      // Node's error for a recursive mkdir on a read-only file system.
      (code === 'ENOENT' && syscall === 'mkdir' ? 'data_read_only' : undefined) ??
      // Only errors with a path are about files.
      (typeof code === 'string' && RIGHTS_CODES.has(code) && 'path' in each ? 'data_read_only' : undefined) ??
      (typeof errcode === 'number' ? SQLITE_CODES[errcode & 255] : undefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The stable code of a failure, for jobs and events; never a message. */
export function failureCode(error: unknown): string {
  return storageProblem(error) ?? (isPlayheadError(error) ? error.wire : 'internal_error')
}

/** True for unexpected errors: anything but a PlayheadError, and codes that mark a plugin bug. */
export function isFault(value: unknown): boolean {
  return !isPlayheadError(value) || (ERRORS[value.code] as ErrorDefinition | undefined)?.fault === true
}

/** True for a PlayheadError of any SDK copy, optionally with this code. */
export function isPlayheadError(value: unknown, code?: PlayheadErrorCode): value is PlayheadError {
  return (
    typeof value === 'object' &&
    value !== null &&
    BRAND in value &&
    (code === undefined || (value as unknown as PlayheadError).code === code)
  )
}
