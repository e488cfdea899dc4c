// Error codes of failures in route responses. Texts of the service are never passed on.
import type { PlayheadError } from '@playhead/sdk'

/** Code of a failed token refresh. */
export function refreshCode(error: PlayheadError): string {
  const { status, reason } = error.details ?? {}
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
      return reason === 'missing_refresh'
        ? 'missing_refresh'
        : `refresh_failed:${typeof status === 'number' ? status : 401}`
    case 'PLH_UPSTREAM_INVALID':
      return 'bad_json'
    case 'PLH_UPSTREAM_TIMEOUT':
    case 'PLH_HOST_DENIED':
      return 'network_error'
    case 'PLH_RATE_LIMITED':
      return 'refresh_failed:429'
    case 'PLH_NOT_FOUND':
      return 'refresh_failed:404'
    case 'PLH_UPSTREAM':
      return typeof status === 'number' ? `refresh_failed:${status}` : 'network_error'
    default:
      throw error
  }
}
