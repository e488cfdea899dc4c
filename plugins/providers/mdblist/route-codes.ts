// How failures of the service are told in the answers of routes: as codes, never as texts of the service.
import type { PlayheadError } from '@playhead/sdk'

/** A key that was tried. */
export function keyCode(error: PlayheadError): string {
  const status = error.details?.['status']
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
    case 'PLH_FORBIDDEN': return 'invalid_api_key'
    case 'PLH_UPSTREAM_TIMEOUT': return 'validation_timeout'
    case 'PLH_UPSTREAM_INVALID': return 'validation_bad_response'
    case 'PLH_RATE_LIMITED': return 'rate_limited'
    case 'PLH_NOT_FOUND': return 'validation_http_404'
    case 'PLH_UPSTREAM':
      if (status === 403) return 'invalid_api_key'
      return typeof status === 'number' ? `validation_http_${status}` : 'validation_failed'
    case 'PLH_HOST_DENIED': return 'validation_failed'
    default: throw error
  }
}

/** A code that was asked for. */
export function startCode(error: PlayheadError): { readonly error: string; readonly status?: number } {
  const status = error.details?.['status']
  switch (error.code) {
    case 'PLH_UPSTREAM_INVALID': return { error: 'invalid_response' }
    case 'PLH_UPSTREAM_TIMEOUT':
    case 'PLH_HOST_DENIED': return { error: 'network_error' }
    case 'PLH_RATE_LIMITED': return { error: 'rate_limited' }
    case 'PLH_UPSTREAM': return typeof status === 'number' ? { error: 'http_error', status } : { error: 'network_error' }
    case 'PLH_AUTH_FAILED': return { error: 'http_error', status: typeof status === 'number' ? status : 401 }
    case 'PLH_FORBIDDEN': return { error: 'http_error', status: 403 }
    case 'PLH_NOT_FOUND': return { error: 'http_error', status: 404 }
    default: throw error
  }
}

/** Tokens that were renewed. */
export function refreshCode(error: PlayheadError): string {
  const { status, reason } = error.details ?? {}
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
      return reason === 'missing_refresh' ? 'missing_refresh' : `refresh_failed:${typeof status === 'number' ? status : 401}`
    case 'PLH_UPSTREAM_INVALID': return 'bad_json'
    case 'PLH_UPSTREAM_TIMEOUT':
    case 'PLH_HOST_DENIED': return 'network_error'
    case 'PLH_RATE_LIMITED': return 'refresh_failed:429'
    case 'PLH_NOT_FOUND': return 'refresh_failed:404'
    case 'PLH_UPSTREAM': return typeof status === 'number' ? `refresh_failed:${status}` : 'network_error'
    default: throw error
  }
}
