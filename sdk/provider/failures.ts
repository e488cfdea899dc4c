// Maps error codes to account health and write outcomes.
import { ERRORS, isPlayheadError, type PlayheadErrorCode } from '../errors.ts'
import type { AccountHealth, ReasonCode } from './contract.ts'
import type { WriteOutcomeKind } from './writes/contract.ts'
import { healthOfHeld } from './users/held.ts'
import { defined } from '../defined.ts'

type Status = AccountHealth['status']

const HEALTH: { readonly [code in PlayheadErrorCode]?: readonly [Status, ReasonCode] } = {
  PLH_NOT_READY: ['not_configured', 'not_configured'],
  PLH_AUTH_FAILED: ['auth_failed', 'unauthorized'],
  PLH_FORBIDDEN: ['auth_failed', 'forbidden'],
  PLH_RATE_LIMITED: ['degraded', 'rate_limited'],
  PLH_UPSTREAM_TIMEOUT: ['down', 'timeout'],
  PLH_UPSTREAM_INVALID: ['down', 'invalid_response'],
  PLH_NOT_FOUND: ['down', 'not_found'],
  PLH_HOST_DENIED: ['down', 'network'],
}
const STATUS: Readonly<Record<number, readonly [Status, ReasonCode]>> = {
  401: ['auth_failed', 'unauthorized'],
  403: ['auth_failed', 'forbidden'],
  404: ['down', 'not_found'],
  420: ['degraded', 'quota'],
}

/** Texts for people; texts of services are never shown. */
const REASONS: Readonly<Record<ReasonCode, string>> = {
  not_configured: 'not configured',
  missing_credentials: 'missing credentials',
  network: 'network error',
  timeout: 'no answer in time',
  tls: 'the certificate of the server is not trusted',
  unauthorized: 'unauthorized (token expired or revoked)',
  forbidden: 'forbidden (invalid client id or scope)',
  not_found: 'endpoint not found',
  rate_limited: 'too many requests',
  quota: 'the limit of the account is reached',
  upstream_error: 'service error',
  blocked: 'is blocking Playhead: a web page came instead of an answer. The sign-in is not the cause',
  invalid_response: 'the answer could not be understood',
  refresh_failed: 'token refresh failed',
  read_only: 'the sign-in is read only. Sign in again, and allow reading and writing',
  profile_unavailable: 'profile unavailable',
  disabled: 'disabled',
  version_too_old: 'the version of the server is too old',
  user_gone: 'the user is not on the server any more',
  user_changed: 'the user may be another person now',
  user_refused: 'the sign-in cannot act for the user',
}

/** @param label of the provider, for the text */
export function healthOfError(error: unknown, label: string): AccountHealth {
  const held = healthOfHeld(error)
  if (held !== undefined) return held
  const [status, reasonCode] = reasonOf(error)
  const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
  return { status, reasonCode, reason: reasonText(label, reasonCode), ...defined({ retryAfterMs }) }
}

export function reasonText(label: string, code: ReasonCode): string {
  if (code === 'not_configured') return REASONS[code]
  return code === 'blocked' ? `${label} ${REASONS[code]}` : `${label}: ${REASONS[code]}`
}

function reasonOf(error: unknown): readonly [Status, ReasonCode] {
  if (!isPlayheadError(error)) return ['unknown', 'upstream_error']
  const { status, reason } = error.details ?? {}
  if (reason === 'blocked') return ['down', 'blocked']
  // An error of `renewTokens`, which may also name the status of the refusal.
  if (error.code === 'PLH_AUTH_FAILED' && (reason === 'refresh_failed' || reason === 'missing_refresh'))
    return ['auth_failed', 'refresh_failed']
  const byStatus = typeof status === 'number' ? STATUS[status] : undefined
  if (byStatus !== undefined) return byStatus
  if (reason === 'tls_error') return ['down', 'tls']
  if (error.code === 'PLH_UPSTREAM') return ['down', typeof reason === 'string' ? 'network' : 'upstream_error']
  return HEALTH[error.code] ?? ['unknown', 'upstream_error']
}

/** Reasons are codes; any other text might come from a service. */
const CODE = /^[a-z0-9][a-z0-9_.:-]{0,79}$/

/** The reason if it is a code, otherwise the fallback. */
export function reasonCode(reason: string | undefined, other: string): string {
  return reason !== undefined && CODE.test(reason) ? reason : other
}

/** The reason code of a failure at an account; `failed` for a plugin bug. */
export function reasonOfError(error: unknown): string {
  return reasonCode(outcomeOfError(error)?.reason ?? (isPlayheadError(error) ? error.wire : undefined), 'failed')
}

/** The outcome of an item whose write failed with this error; undefined for a plugin bug. */
export function outcomeOfError(
  error: unknown,
): { readonly outcome: WriteOutcomeKind; readonly reason: string } | undefined {
  if (!isPlayheadError(error) || (ERRORS[error.code] as { fault?: boolean }).fault === true) return undefined
  const { status, reason } = error.details ?? {}
  if (status === 420) return { outcome: 'rejected', reason: 'provider_limit' }
  // The service never received the request.
  if (reason === 'blocked' && error.code === 'PLH_UPSTREAM') return { outcome: 'failed', reason }
  switch (error.code) {
    case 'PLH_RATE_LIMITED':
      return { outcome: 'rate_limited', reason: 'rate_limited' }
    case 'PLH_NOT_FOUND':
      return { outcome: 'not_found', reason: 'not_found' }
    case 'PLH_UNSUPPORTED':
      return { outcome: 'unsupported', reason: error.wire }
    case 'PLH_INVALID':
    case 'PLH_FORBIDDEN':
    case 'PLH_CONFLICT':
      return { outcome: 'rejected', reason: error.wire }
    case 'PLH_AUTH_FAILED':
    case 'PLH_NOT_READY':
    case 'PLH_HOST_DENIED':
      return { outcome: 'failed', reason: error.wire }
    // Without a connection nothing was sent; otherwise the request may have been processed before the response was
    // lost.
    case 'PLH_UPSTREAM_TIMEOUT':
      return reason === 'connect_timeout'
        ? { outcome: 'failed', reason: 'timeout' }
        : { outcome: 'unknown', reason: 'timeout' }
    case 'PLH_UPSTREAM':
      return outcomeOfUpstream(status, reason)
    default:
      return { outcome: 'unknown', reason: error.wire }
  }
}

function outcomeOfUpstream(
  status: unknown,
  reason: unknown,
): { readonly outcome: WriteOutcomeKind; readonly reason: string } {
  if (typeof status === 'number') {
    if (status >= 400 && status < 500)
      return { outcome: status === 423 || status === 408 ? 'failed' : 'rejected', reason: `http_${status}` }
    // A gateway error does not show the result of the server behind it.
    return { outcome: status === 500 || status === 503 ? 'failed' : 'unknown', reason: `http_${status}` }
  }
  return reason === 'connection_lost' || reason === undefined
    ? { outcome: 'unknown', reason: 'connection_lost' }
    : { outcome: 'failed', reason: String(reason) }
}
