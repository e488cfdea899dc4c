// The API connection of a profile: credential and rate limits.
import type { AccountContext, AccountLimits, UpstreamAccount } from '@playhead/sdk'
import type { Profile } from './settings.ts'

/** AniList limits requests per IP address, so all profiles share one limit. */
const RATE_LIMIT_ACCOUNT = 'ANIMEA'
/** Includes waiting and retries: a rate limit ends within a minute. */
const TIMEOUT_MS = 75_000
const ANSWER_MS = 20_000
const CONCURRENCY = 2
/** Fraction of the requests per minute that may be sent as a burst; the others are slowed down accordingly. */
const BURST_SHARE = 1 / 3

export function openUpstream({ ctx, profile, current }: AccountContext<Profile>): UpstreamAccount {
  return ctx.upstream.account({
    account: RATE_LIMIT_ACCOUNT,
    baseUrl: profile.api_url,
    answerMs: ANSWER_MS,
    timeoutMs: TIMEOUT_MS,
    limits: limitsOf(profile.requests_per_minute),
    headers: { 'user-agent': `Playhead/${ctx.host.version}` },
    credential: {
      secrets: () => ({ token: current().access_token }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
    },
  })
}

/** All requests are POST, so reads and writes share the limit. */
function limitsOf(perMinute: number): AccountLimits {
  if (perMinute === 0) return { concurrency: CONCURRENCY }
  const burst = Math.max(1, Math.floor(perMinute * BURST_SHARE))
  const perSecond = Math.max(1, perMinute - burst) / 60
  return { concurrency: CONCURRENCY, readsPerSecond: perSecond, writesPerSecond: perSecond, burst }
}
