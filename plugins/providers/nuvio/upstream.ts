// Connections to the service with the credential of each request: the person's tokens, the client key only, or an
// anonymous session of the sign-in.
import type { AccountContext, AccountOptions, UpstreamAccount } from '@playhead/sdk'
import type { Profile } from './settings.ts'
import { refreshTokens } from './sign-in/tokens.ts'

const REFRESH_SKEW_MS = 300_000
const TRIES_IN_TIME = 3
const CONCURRENCY = 3
/** Unset, another rate would apply. */
const UNLIMITED = 1_000
/** All positions of a profile come in one response. */
const MAX_BYTES = 64 * 1_024 * 1_024

type Account = AccountContext<Profile>

/** As the signed-in person. `expired` forces one renewal before the first request. */
export function openUpstream(account: Account, { expired = false } = {}): UpstreamAccount {
  let isForced = expired
  return account.upstream({
    ...shared(account),
    credential: {
      secrets: () => ({ key: account.current().client_key, token: account.current().access_token }),
      place: placed('{token}'),
      expiresAtMs: () => {
        const { expires_at: seconds, refresh_token: refresh } = account.current()
        if (isForced) return 0
        return seconds > 0 && refresh !== '' ? seconds * 1_000 : undefined
      },
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: async (signal) => {
        await refreshTokens(account, signal)
        isForced = false
      },
    },
  })
}

/** Without a user: the client key only. */
export function openPublic(account: Account): UpstreamAccount {
  return account.upstream({
    ...shared(account),
    credential: { secrets: () => ({ key: account.current().client_key }), place: placed('{key}') },
  })
}

/** With the token of an anonymous session. */
export function openCaller(account: Account, token: string): UpstreamAccount {
  return account.upstream({
    ...shared(account),
    credential: { secrets: () => ({ key: account.current().client_key, token }), place: placed('{token}') },
  })
}

function placed(bearer: string): NonNullable<AccountOptions['credential']>['place'] {
  return [
    { in: 'header', name: 'apikey', template: '{key}' },
    { in: 'header', name: 'authorization', template: `Bearer ${bearer}` },
  ]
}

/** All users of an account must declare the same limits. Functions are called with POST, reads too. */
function shared(account: Account): Omit<AccountOptions, 'account' | 'credential'> {
  const { base_url: baseUrl, timeout, max_retries: retries, requests_per_sec: rate } = account.profile
  const perSecond = rate > 0 ? rate : UNLIMITED
  return {
    baseUrl,
    // For all attempts of a request together.
    answerMs: timeout * 1_000,
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    maxBytes: MAX_BYTES,
    limits: {
      concurrency: CONCURRENCY,
      readsPerSecond: perSecond,
      writesPerSecond: perSecond,
      burst: Math.max(1, Math.ceil(perSecond)),
    },
    headers: { 'user-agent': `Playhead/${account.ctx.host.version}` },
  }
}
