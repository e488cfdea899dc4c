// Converts errors of reading positions to codes.
import { defined, isPlayheadError, type PlayheadErrorCode } from '@playhead/sdk'

export interface ReadFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** HTTP status of the service, if it answered. */
  readonly remoteStatus: number | null
  /** Earliest retry, in milliseconds from now. */
  readonly retryAfterMs?: number
}

const CODES: { readonly [code in PlayheadErrorCode]?: string } = {
  PLH_NOT_READY: 'not_configured',
  PLH_AUTH_FAILED: 'auth_failed',
  PLH_FORBIDDEN: 'auth_failed',
  PLH_UNSUPPORTED: 'unsupported',
  PLH_UPSTREAM_TIMEOUT: 'provider_timeout',
  PLH_HOST_DENIED: 'provider_unavailable',
  PLH_CAPABILITY_GONE: 'provider_unavailable',
  PLH_PLUGIN_DISPOSED: 'provider_unavailable',
  PLH_PLUGIN_QUARANTINED: 'provider_unavailable',
}
const TEXTS: Readonly<Record<string, string>> = {
  not_configured: '{label} is not connected.',
  auth_failed: '{label} refuses the sign-in. Connect it again.',
  unsupported: '{label} does not offer positions for this account.',
  provider_timeout: '{label} did not answer in time.',
  provider_unavailable: '{label} cannot be reached.',
  provider_error: '{label} answered with an error.',
}
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const NEVER: ReadonlySet<string> = new Set(['not_configured', 'auth_failed', 'unsupported'])

/** The text of a service is never passed on. */
export function failureOf(error: unknown, label: string): ReadFailure {
  const details = isPlayheadError(error) ? (error.details ?? {}) : {}
  const status = typeof details['status'] === 'number' ? details['status'] : null
  const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
  const known = isPlayheadError(error) ? CODES[error.code] : undefined
  const code = known ?? (status !== null ? `http:${status}` : isUnreachable(error) ? 'provider_unavailable' : undefined)
  return {
    ...failure(code ?? 'provider_error', label),
    ...(known === undefined && status !== null ? { retryable: RETRYABLE_STATUS.has(status) } : {}),
    remoteStatus: status,
    ...defined({ retryAfterMs }),
  }
}

export function failure(code: string, label: string, message?: string): ReadFailure {
  const text = message ?? TEXTS[code] ?? (TEXTS['provider_error'] as string)
  return { code, message: text.replace('{label}', label), retryable: !NEVER.has(code), remoteStatus: null }
}

function isUnreachable(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_UPSTREAM') && typeof error.details?.['reason'] === 'string'
}
