// The connections of a profile: the API, and the token endpoint. Facts about tokens are from MyAnimeList's documentation:
// https://myanimelist.net/apiconfig/references/authorization
import { PlayheadError, type Static, type UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  applicationOfToken,
  clientFields,
  createLineage,
  endOfAccess,
  type Lineage,
  rateLimits,
  renewTokens,
  serviceOptions,
  tokenOwner,
  withMeanings,
} from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { Token, User } from './wire.ts'

const CONCURRENCY = 2
const REFRESH_SKEW_MS = 120_000
const OAUTH_TIMEOUT_MS = 30_000
/** MyAnimeList names no time. */
const TOO_MANY_MS = 300_000

/** The documented meaning of 403 is "DoS detected"; a token that is not accepted is 401. */
const MEANINGS = {
  403: () =>
    new PlayheadError('PLH_RATE_LIMITED', 'MyAnimeList blocks requests for a while, because there were too many.', {
      retryAfterMs: TOO_MANY_MS,
    }),
}

export function openUpstream(account: AccountContext<Profile>): UpstreamAccount {
  const { api_url: baseUrl, rate_limit: rate } = account.profile
  const upstream = account.upstream({
    ...serviceOptions(account),
    baseUrl,
    limits: { ...rateLimits(rate), concurrency: CONCURRENCY },
    credential: {
      secrets: () => ({ token: account.current().access_token }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
      expiresAtMs: () => endOfAccess(account.current()),
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: (signal) => refreshTokens(account, signal),
    },
  })
  return withMeanings(upstream, MEANINGS)
}

/** The owner of the token. */
export function readUser(upstream: UpstreamAccount, signal?: AbortSignal): Promise<User> {
  return upstream.json({ path: 'users/@me', ...(signal === undefined ? {} : { signal }) }, User)
}

/** Identity of the sign-in. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, ({ access_token: token }) => token)
}

export async function requestTokens(
  account: AccountContext<Profile>,
  fields: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Static<typeof Token>> {
  const oauth = account.upstream({ baseUrl: account.current().oauth_url, timeoutMs: OAUTH_TIMEOUT_MS })
  const answer = await oauth.request({
    method: 'POST',
    path: 'oauth2/token',
    form: fields,
    anonymous: true,
    ...(signal === undefined ? {} : { signal }),
  })
  return answer.json(Token)
}

/** Settings of a token response. */
export function credentialOf(token: Static<typeof Token>, clientId: string) {
  return {
    access_token: token.access_token,
    refresh_token: token.refresh_token,
    expires_at: Math.floor(Date.now() / 1_000 + token.expires_in),
    ...tokenOwner(token.access_token, clientId),
  }
}

/** The old access token ends with the refresh. A refresh token is valid for a month. */
function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'MyAnimeList',
    refusedBy: [400, 401],
    async exchange(used) {
      const application = applicationOfToken(used)
      const fields = { ...clientFields(application), grant_type: 'refresh_token', refresh_token: used.refresh_token }
      return credentialOf(await requestTokens(account, fields, signal), application.clientId)
    },
  })
}
