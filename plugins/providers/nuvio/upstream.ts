// Connections to the service without a person: the client key only, or an anonymous session of the sign-in.
import type { AccountContext, AccountOptions, UpstreamAccount } from '@playhead/sdk'
import { serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

const CONCURRENCY = 3
/** If unset, a different rate applies. */
const UNLIMITED = 1_000
/** All positions of a profile come in one response. */
const MAX_BYTES = 64 * 1_024 * 1_024

type Account = AccountContext<Profile>

/** A connection without a user, with the client key only. */
export function openPublic(account: Account): UpstreamAccount {
  return account.upstream({
    ...shared(account),
    credential: { secrets: () => ({ key: account.current().client_key }), place: placed('{key}') },
  })
}

/** A connection with the token of an anonymous session. */
export function openCaller(account: Account, token: string): UpstreamAccount {
  return account.upstream({
    ...shared(account),
    credential: { secrets: () => ({ key: account.current().client_key, token }), place: placed('{token}') },
  })
}

export function placed(bearer: string): NonNullable<AccountOptions['credential']>['place'] {
  return [
    { in: 'header', name: 'apikey', template: '{key}' },
    { in: 'header', name: 'authorization', template: `Bearer ${bearer}` },
  ]
}

/** All users of an account must declare the same limits. Functions are called with POST, reads too. */
export function shared(account: Account): Omit<AccountOptions, 'account' | 'credential'> {
  const { base_url: baseUrl, requests_per_sec: rate } = account.profile
  const perSecond = rate > 0 ? rate : UNLIMITED
  return {
    ...serviceOptions(account),
    baseUrl,
    maxBytes: MAX_BYTES,
    limits: {
      concurrency: CONCURRENCY,
      readsPerSecond: perSecond,
      writesPerSecond: perSecond,
      burst: Math.max(1, Math.ceil(perSecond)),
    },
  }
}
