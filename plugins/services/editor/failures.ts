// Sanitizes failures of services for responses: their code, without the text of the exchange.
import { defined, isPlayheadError, PlayheadError } from '@playhead/sdk'

const OF_SERVICES = new Set([
  'PLH_UPSTREAM',
  'PLH_UPSTREAM_TIMEOUT',
  'PLH_UPSTREAM_INVALID',
  'PLH_HOST_DENIED',
  'PLH_AUTH_FAILED',
  'PLH_RATE_LIMITED',
  'PLH_NOT_READY',
])

/** Rethrows errors of the work; errors of a service are reduced to the parts that a client may see. */
export async function fromService<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error) || !OF_SERVICES.has(error.code)) throw error
    const { code, wire, retryAfterMs } = error
    throw new PlayheadError(code, 'Could not reach the service, or it rejected the request.', {
      cause: error,
      wire,
      // 401 would mean the session of the client.
      ...(code === 'PLH_AUTH_FAILED' ? { status: 502 } : {}),
      ...defined({ retryAfterMs }),
    })
  }
}
