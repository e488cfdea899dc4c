// The API connection of a profile: headers, credential and rate limits.
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, applicationOfToken } from '@playhead/sdk/provider'
import { limitsOf } from './limits.ts'
import type { Profile } from './settings.ts'
import { refreshTokens } from './sign-in/tokens.ts'

const REFRESH_SKEW_MS = 120_000
const TRIES_IN_TIME = 3

export function openUpstream(account: AccountContext<Profile>): UpstreamAccount {
  const { api_url: baseUrl, timeout, max_retries: retries, rate_limit: rate } = account.profile
  return account.upstream({
    baseUrl,
    // Time limit for all attempts of a request together.
    answerMs: timeout * 1_000,
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    limits: limitsOf(rate),
    headers: { 'trakt-api-version': '2', 'user-agent': `Playhead/${account.ctx.host.version}` },
    credential: {
      secrets: () => {
        const profile = account.current()
        return { token: profile.access_token, key: applicationOfToken(profile).clientId }
      },
      place: [
        { in: 'header', name: 'authorization', template: 'Bearer {token}' },
        { in: 'header', name: 'trakt-api-key', template: '{key}' },
      ],
      expiresAtMs: () => {
        const { expires_at: seconds, refresh_token: refresh } = account.current()
        return seconds > 0 && refresh !== '' ? seconds * 1_000 : undefined
      },
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: (signal) => refreshTokens(account, signal),
    },
  })
}
