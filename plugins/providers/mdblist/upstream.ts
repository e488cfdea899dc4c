// The API connection of a profile: key or token, and rate limits. A key goes into the query, a token into a header,
// never both.
import {
  type AccountContext,
  type AccountLimits,
  type AccountOptions,
  defined,
  type UpstreamAccount,
} from '@playhead/sdk'
import { methodOf, type Profile } from './settings.ts'

const CONCURRENCY = 4
const REFRESH_SKEW_MS = 300_000
const TRIES_IN_TIME = 3

export function openUpstream(
  account: AccountContext<Profile>,
  renew?: (signal: AbortSignal) => Promise<void>,
): UpstreamAccount {
  const { api_url: baseUrl, timeout, max_retries: retries, rate_limit: rate } = account.profile
  return account.upstream({
    baseUrl,
    // Time limit for all attempts of a request together.
    answerMs: timeout * 1_000,
    timeoutMs: timeout * 1_000 * TRIES_IN_TIME,
    tries: retries + 1,
    limits: limitsOf(rate),
    headers: { 'user-agent': `Playhead/${account.ctx.host.version}` },
    credential:
      methodOf(account.profile) === 'device_code'
        ? bearer(account, renew)
        : {
            secrets: () => ({ key: account.current().api_key }),
            place: [{ in: 'query', name: 'apikey', template: '{key}' }],
          },
  })
}

/** For the sign-in, without a credential. Shares the limits of the account. */
export function openOauth(account: AccountContext<Profile>): UpstreamAccount {
  const { api_url: baseUrl, rate_limit: rate } = account.current()
  return account.upstream({ baseUrl, timeoutMs: 20_000, limits: limitsOf(rate) })
}

function bearer(
  account: AccountContext<Profile>,
  renew?: (signal: AbortSignal) => Promise<void>,
): NonNullable<AccountOptions['credential']> {
  return {
    secrets: () => ({ token: account.current().access_token }),
    place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
    expiresAtMs: () => {
      const { expires_at: seconds, refresh_token: refresh } = account.current()
      return seconds > 0 && refresh !== '' ? seconds * 1_000 : undefined
    },
    refreshSkewMs: REFRESH_SKEW_MS,
    ...defined({ refresh: renew }),
  }
}

/** All users of an account must declare the same limits. */
function limitsOf({ get_per_sec: reads, post_per_sec: writes }: Profile['rate_limit']): AccountLimits {
  return {
    concurrency: CONCURRENCY,
    ...(reads > 0 ? { readsPerSecond: reads } : {}),
    // Unset, the rate of reads would apply.
    writesPerSecond: writes > 0 ? writes : 1_000,
  }
}
