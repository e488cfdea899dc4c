// The connection of one profile to the API: credential, and the speed that AniList allows.
import type { AccountContext, AccountLimits, UpstreamAccount } from '@playhead/sdk'
import type { Profile } from './settings.ts'

/** AniList counts the requests of an address, whoever is signed in: all profiles wait in one line. */
const SHARED_ACCOUNT = 'ANIMEA'
/** With all waiting and tries: a limit that was reached ends within a minute. */
const TIMEOUT_MS = 75_000
const ANSWER_MS = 20_000
const CONCURRENCY = 2
/** Of the requests of a minute, so many may go at once, if the others are slower by as much. */
const AT_ONCE = 1 / 3

export function openUpstream({ ctx, profile, current }: AccountContext<Profile>): UpstreamAccount {
  return ctx.upstream.account({
    account: SHARED_ACCOUNT,
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

/** All requests are of one method, so that reads and writes share the rate. */
function limitsOf(perMinute: number): AccountLimits {
  if (perMinute === 0) return { concurrency: CONCURRENCY }
  const burst = Math.max(1, Math.floor(perMinute * AT_ONCE))
  const perSecond = Math.max(1, perMinute - burst) / 60
  return { concurrency: CONCURRENCY, readsPerSecond: perSecond, writesPerSecond: perSecond, burst }
}
