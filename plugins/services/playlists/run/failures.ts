// Converts errors of reading or writing lists to codes of the interface.
import { defined, isPlayheadError, PlayheadError, type PlayheadErrorCode } from '@playhead/sdk'
import type { Endpoint } from '../settings.ts'

type Role = 'source' | 'target'
type Wires = Partial<Readonly<Record<PlayheadErrorCode, readonly [code: PlayheadErrorCode, wire: string]>>>

const KNOWN: Wires = {
  // A plain 404 comes from the service: its configured address is wrong.
  PLH_NOT_FOUND: ['PLH_UPSTREAM', 'provider_unreachable'],
  PLH_UNSUPPORTED: ['PLH_INVALID', 'provider_not_capable'],
  PLH_NOT_READY: ['PLH_INVALID', 'provider_not_configured'],
  PLH_AUTH_FAILED: ['PLH_UPSTREAM', 'provider_refused'],
  PLH_FORBIDDEN: ['PLH_UPSTREAM', 'provider_refused'],
  PLH_UPSTREAM: ['PLH_UPSTREAM', 'provider_unreachable'],
  PLH_UPSTREAM_INVALID: ['PLH_UPSTREAM', 'provider_unreachable'],
  PLH_HOST_DENIED: ['PLH_UPSTREAM', 'provider_unreachable'],
  PLH_UPSTREAM_TIMEOUT: ['PLH_UPSTREAM_TIMEOUT', 'provider_timeout'],
  PLH_RATE_LIMITED: ['PLH_RATE_LIMITED', 'rate_limited'],
}

/** The error with a code of the interface; other errors are returned unchanged. */
export function providerError(
  error: unknown,
  about: Pick<Endpoint, 'provider' | 'instance'> & { readonly id?: string },
  role?: Role,
): unknown {
  if (!isPlayheadError(error)) return error
  const { provider, instance, id } = about
  const details = { provider, instance, ...defined({ endpoint_id: id }) }
  const again = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  const make = (code: PlayheadErrorCode, wire: string) =>
    new PlayheadError(code, error.message, { wire, details, cause: error, ...again })
  if (error.wire === 'list_missing' || (error.wire === 'not_found' && id !== undefined))
    return make('PLH_NOT_FOUND', role === undefined ? 'playlist_not_found' : `${role}_not_found`)
  if (error.wire === 'list_read_not_found') return make('PLH_CONFLICT', 'changed_since_read')
  if (error.wire === 'incomplete_read') return make('PLH_UPSTREAM', 'incomplete_read')
  if (error.wire === 'unknown_instance') return make('PLH_NOT_FOUND', error.wire)
  const known = KNOWN[error.code]
  return known === undefined ? error : make(...known)
}

/** A code for results and logs. */
export function codeOf(error: unknown): string {
  return isPlayheadError(error) ? error.wire : 'internal_error'
}
