// The API connection of a profile: key or token, and rate limits. A key goes into the query, a token into a header,
// never both.
import {
  type AccountContext,
  type AccountLimits,
  type AccountOptions,
  defined,
  type UpstreamAccount,
} from '@playhead/sdk'
import { endOfAccess, rateLimits, serviceOptions } from '@playhead/sdk/provider'
import { methodOf, type Profile } from './settings.ts'

const CONCURRENCY = 4
const REFRESH_SKEW_MS = 300_000

export function openUpstream(
  account: AccountContext<Profile>,
  renew?: (signal: AbortSignal) => Promise<void>,
): UpstreamAccount {
  const { api_url: baseUrl, rate_limit: rate } = account.profile
  return account.upstream({
    ...serviceOptions(account),
    baseUrl,
    limits: limitsOf(rate),
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
    expiresAtMs: () => endOfAccess(account.current()),
    refreshSkewMs: REFRESH_SKEW_MS,
    ...defined({ refresh: renew }),
  }
}

/** All users of an account must declare the same limits. */
function limitsOf(rate: Profile['rate_limit']): AccountLimits {
  return { concurrency: CONCURRENCY, ...rateLimits(rate) }
}
