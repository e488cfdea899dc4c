// The connection to the service as the signed-in person.
import type { AccountContext, UpstreamAccount } from '@playhead/sdk'
import { endOfAccess } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { refreshTokens } from './sign-in/tokens.ts'
import { placed, shared } from './upstream.ts'

const REFRESH_SKEW_MS = 300_000

/** Connects as the signed-in person. `expired` forces one renewal before the first request. */
export function openUpstream(account: AccountContext<Profile>, { expired = false } = {}): UpstreamAccount {
  let isForced = expired
  return account.upstream({
    ...shared(account),
    credential: {
      secrets: () => ({ key: account.current().client_key, token: account.current().access_token }),
      place: placed('{token}'),
      expiresAtMs: () => (isForced ? 0 : endOfAccess(account.current())),
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: async (signal) => {
        await refreshTokens(account, signal)
        isForced = false
      },
    },
  })
}
