// The meanings of a 429 to a write at MDBList: too many requests, or a full account. Texts of the service are never
// passed on.
import { PlayheadError } from '@playhead/sdk'
import type { StatusMeaning } from '@playhead/sdk/provider'

/** Messages of a full account. Other 429 responses are rate limits. */
const FULL_ACCOUNT =
  /(?:list|items?|account)[^.]{0,60}\b(?:limit|full|maximum|capacity)|\b(?:limit|maximum|capacity)[^.]{0,60}(?:lists?|items?)\b/i
const ABOUT_REQUESTS = /request|rate|too many|quota|throttl/i

/** `PLH_CONFLICT` (`provider_limit`) for a full account, else `PLH_RATE_LIMITED` with the requested delay. */
export const MEANINGS_OF_WRITES: Readonly<Record<number, StatusMeaning>> = {
  429({ headers }, text) {
    if (FULL_ACCOUNT.test(text) && !ABOUT_REQUESTS.test(text)) {
      return new PlayheadError('PLH_CONFLICT', 'The account at MDBList is full.', {
        wire: 'provider_limit',
        details: { status: 429, reason: 'provider_limit' },
      })
    }
    const seconds = Number(headers['retry-after'] ?? Number.NaN)
    return new PlayheadError('PLH_RATE_LIMITED', 'MDBList asks to wait.', {
      details: { status: 429 },
      ...(Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: Math.ceil(seconds * 1_000) } : {}),
    })
  },
}
