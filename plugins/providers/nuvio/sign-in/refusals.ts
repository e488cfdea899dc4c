// Error statuses and texts of the API. Texts of the service are never passed on.
import type { PlayheadError, PlayheadErrorCode } from '@playhead/sdk'

const REASONS: { readonly [code in PlayheadErrorCode]?: string } = {
  PLH_AUTH_FAILED: 'authentication_failed',
  PLH_FORBIDDEN: 'authentication_failed',
  PLH_UPSTREAM_INVALID: 'invalid_response',
  PLH_UNSUPPORTED: 'invalid_response',
  PLH_UPSTREAM: 'service_unavailable',
  PLH_UPSTREAM_TIMEOUT: 'service_unavailable',
  PLH_NOT_FOUND: 'service_unavailable',
  PLH_RATE_LIMITED: 'service_unavailable',
  PLH_HOST_DENIED: 'service_unavailable',
}
/** Why a token refresh failed. */
const REFRESH_REASONS: Readonly<Record<string, string>> = {
  refresh_failed: 'invalid_refresh',
  missing_refresh: 'missing_refresh',
}

export function reasonOf({ code, details }: PlayheadError): string {
  const detail = details?.['reason']
  if (REFRESH_REASONS[String(detail)] !== undefined) return 'token_refresh_failed'
  return detail === 'profile_unavailable' ? detail : (REASONS[code] ?? 'internal')
}

/** Status of a failed refresh. */
export function refreshStatus({ code, details }: PlayheadError): string {
  const reason = details?.['reason']
  if (code === 'PLH_AUTH_FAILED') return REFRESH_REASONS[String(reason)] ?? 'refresh_failed'
  if (code === 'PLH_UPSTREAM_INVALID') return 'invalid_response'
  if (code === 'PLH_UPSTREAM') return details?.['status'] === undefined ? 'network_error' : 'refresh_failed'
  return code === 'PLH_UPSTREAM_TIMEOUT' || code === 'PLH_HOST_DENIED' ? 'network_error' : 'refresh_failed'
}
