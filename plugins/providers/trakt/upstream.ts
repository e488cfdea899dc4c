// The API connection of a profile: headers, credential and rate limits.
import type { UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  applicationOfToken,
  endOfAccess,
  serviceOptions,
  withMeanings,
} from '@playhead/sdk/provider'
import { limitsOf } from './limits.ts'
import { MEANINGS } from './meanings.ts'
import type { Profile } from './settings.ts'
import { refreshTokens } from './sign-in/tokens.ts'

const REFRESH_SKEW_MS = 120_000

export function openUpstream(account: AccountContext<Profile>): UpstreamAccount {
  const { api_url: baseUrl, rate_limit: rate } = account.profile
  const options = serviceOptions(account)
  const upstream = account.upstream({
    ...options,
    baseUrl,
    limits: limitsOf(rate),
    headers: { ...options.headers, 'trakt-api-version': '2' },
    credential: {
      secrets: () => {
        const profile = account.current()
        return { token: profile.access_token, key: applicationOfToken(profile).clientId }
      },
      place: [
        { in: 'header', name: 'authorization', template: 'Bearer {token}' },
        { in: 'header', name: 'trakt-api-key', template: '{key}' },
      ],
      expiresAtMs: () => endOfAccess(account.current()),
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: (signal) => refreshTokens(account, signal),
    },
  })
  return withMeanings(upstream, MEANINGS)
}
