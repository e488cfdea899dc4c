// Error codes of failures at TMDB. Its texts are never passed on.
import { PlayheadError, type UpstreamAnswer } from '@playhead/sdk'
import { CODES, Status } from '../wire.ts'

const REFUSALS: Readonly<Record<number, string>> = {
  [CODES.sessionRefused]: 'invalid_session',
  [CODES.invalidKey]: 'invalid_api_key',
  [CODES.notApproved]: 'not_approved',
  [CODES.invalidToken]: 'invalid_request_token',
}

/** Throws `PLH_AUTH_FAILED` with a code for an accepted 401; returns other responses. */
export async function refused(answer: UpstreamAnswer): Promise<UpstreamAnswer> {
  if (answer.status !== 401) return answer
  const { status_code: code } = await answer.json(Status)
  throw new PlayheadError('PLH_AUTH_FAILED', 'TMDB rejected the sign-in.', { wire: REFUSALS[code] ?? 'unauthorized' })
}

/** The code of a failure; rethrows unexpected errors. */
export function codeOf(error: PlayheadError): string {
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
    case 'PLH_INVALID':
      return error.wire
    case 'PLH_RATE_LIMITED':
      return 'rate_limited'
    case 'PLH_UPSTREAM_TIMEOUT':
      return 'timeout'
    case 'PLH_UPSTREAM_INVALID':
      return 'bad_response'
    case 'PLH_HOST_DENIED':
      return 'unreachable'
    case 'PLH_UPSTREAM':
      return error.details?.['status'] === undefined ? 'unreachable' : 'upstream_error'
    case 'PLH_FORBIDDEN':
    case 'PLH_NOT_FOUND':
      return 'upstream_error'
    default:
      throw error
  }
}
