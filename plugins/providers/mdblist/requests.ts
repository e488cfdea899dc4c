// Sends writes. A 429 means too many requests, or a full account. Texts of the service are never passed on.
import { PlayheadError, type UpstreamAccount, type UpstreamAnswer, type UpstreamRequest } from '@playhead/sdk'

/** Messages of a full account. Other 429 responses are rate limits. */
const FULL_ACCOUNT =
  /(?:list|items?|account)[^.]{0,60}\b(?:limit|full|maximum|capacity)|\b(?:limit|maximum|capacity)[^.]{0,60}(?:lists?|items?)\b/i
const ABOUT_REQUESTS = /request|rate|too many|quota|throttl/i

/**
 * Throws the errors of `ctx.upstream`, and `PLH_CONFLICT` (`provider_limit`) for a full account, `PLH_RATE_LIMITED` with the requested
 * delay.
 */
export async function askWrite(upstream: UpstreamAccount, request: UpstreamRequest): Promise<UpstreamAnswer> {
  const answer = await upstream.request({ ...request, accept: [429, ...(request.accept ?? [])] })
  if (answer.status !== 429) return answer
  const text = await answer.text()
  if (FULL_ACCOUNT.test(text) && !ABOUT_REQUESTS.test(text)) {
    throw new PlayheadError('PLH_CONFLICT', 'The account at MDBList is full.', {
      wire: 'provider_limit',
      details: { status: 429, reason: 'provider_limit' },
    })
  }
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN)
  throw new PlayheadError('PLH_RATE_LIMITED', 'MDBList asks to wait.', {
    details: { status: 429 },
    ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: Math.ceil(seconds * 1_000) } : {}),
  })
}
