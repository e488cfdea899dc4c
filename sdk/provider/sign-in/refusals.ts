// Error codes of sign-in routes. Texts of the service are never passed on.
import type { FastifyReply } from 'fastify'
import { isPlayheadError, PlayheadError, type PlayheadErrorCode } from '../../errors.ts'

/**
 * Responds to a refusal or failure of the service: 200 with `ok: false`, or 429 for a rate limit, with `retry_after` in
 * seconds if known. Rethrows what is not a PlayheadError, and what `bodyOf` throws.
 *
 * @param bodyOf the other fields: codes of expected failures
 *
 * @example catch (error) {
 *   return sendRefusal(reply, error, (refusal) => ({ error: keyCode(refusal), instance }))
 * }
 */
export function sendRefusal(
  reply: FastifyReply,
  error: unknown,
  bodyOf: (error: PlayheadError) => object,
): FastifyReply {
  if (!isPlayheadError(error)) throw error
  const retryAfter = error.retryAfterMs === undefined ? {} : { retry_after: Math.ceil(error.retryAfterMs / 1_000) }
  return reply.code(error.code === 'PLH_RATE_LIMITED' ? 429 : 200).send({ ok: false, ...bodyOf(error), ...retryAfter })
}

/**
 * True for a web page that came as a refusal, with 401, 403 or 503: a page that blocks programs proves nothing about the
 * entered values. (A page with 200 is an invalid response like any other.)
 */
export function isBlocked(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['reason'] === 'blocked'
}

/**
 * The code for a rejected key: `invalid_api_key`, `blocked`, `rate_limited`, `validation_timeout`, `validation_bad_response`,
 * `validation_http_<status>`, `validation_failed`. Rethrows unexpected errors.
 */
export function keyCode(error: PlayheadError): string {
  if (isBlocked(error)) return 'blocked'
  const status = error.details?.['status']
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
    case 'PLH_FORBIDDEN':
      return 'invalid_api_key'
    case 'PLH_UPSTREAM_TIMEOUT':
      return 'validation_timeout'
    case 'PLH_UPSTREAM_INVALID':
      return 'validation_bad_response'
    case 'PLH_RATE_LIMITED':
      return 'rate_limited'
    case 'PLH_NOT_FOUND':
      return 'validation_http_404'
    case 'PLH_UPSTREAM':
      if (status === 403) return 'invalid_api_key'
      return typeof status === 'number' ? `validation_http_${status}` : 'validation_failed'
    case 'PLH_HOST_DENIED':
      return 'validation_failed'
    default:
      throw error
  }
}

/**
 * The code for a sign-in that could not start: `blocked`, `rate_limited`, `invalid_response`, `network_error`, or `http_error`
 * with the status. Rethrows unexpected errors.
 */
export function startCode(error: PlayheadError): { readonly error: string; readonly status?: number } {
  if (isBlocked(error)) return { error: 'blocked' }
  const status = error.details?.['status']
  switch (error.code) {
    case 'PLH_UPSTREAM_INVALID':
      return { error: 'invalid_response' }
    case 'PLH_UPSTREAM_TIMEOUT':
    case 'PLH_HOST_DENIED':
      return { error: 'network_error' }
    case 'PLH_RATE_LIMITED':
      return { error: 'rate_limited' }
    case 'PLH_UPSTREAM':
      return typeof status === 'number' ? { error: 'http_error', status } : { error: 'network_error' }
    case 'PLH_AUTH_FAILED':
      return { error: 'http_error', status: typeof status === 'number' ? status : 401 }
    case 'PLH_FORBIDDEN':
      return { error: 'http_error', status: 403 }
    case 'PLH_NOT_FOUND':
      return { error: 'http_error', status: 404 }
    default:
      throw error
  }
}

/** The error of a route for a refusal of the service. */
export interface RouteRefusal {
  readonly wire: string
  /** Default: that of the refusal. */
  readonly message?: string
  /** Default: that of the refusal. */
  readonly code?: PlayheadErrorCode
}

/**
 * Throws refusals of the service as errors of a sign-in route, by their code. Others are rethrown.
 *
 * @example
 * const refusals = { PLH_AUTH_FAILED: { wire: 'invalid_api_key', message: 'Acme does not accept the key.' } }
 * const me = await refusedAs(refusals, () => api.json({ path: 'me' }, Me))
 */
export async function refusedAs<Result>(
  refusals: Readonly<Partial<Record<PlayheadErrorCode, RouteRefusal>>>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    const refusal = refusals[error.code]
    if (refusal === undefined) throw error
    const { wire, message = error.message, code = error.code } = refusal
    throw new PlayheadError(code, message, { wire })
  }
}
