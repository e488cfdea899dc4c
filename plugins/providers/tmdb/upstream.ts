// API connections of a profile: with its key, and with its session for account requests.
import type { AccountContext, AccountLimits, UpstreamAccount } from '@playhead/sdk'
import { serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

/** About forty requests per second are allowed, shared with the metadata service. */
const LIMITS: AccountLimits = { concurrency: 6, readsPerSecond: 25, writesPerSecond: 15, burst: 10 }

/** A connection with the key only, for the sign-in. */
export function openApi(account: AccountContext<Profile>, key = account.profile.api_key): UpstreamAccount {
  return account.upstream({
    ...common(account),
    credential: { secrets: () => ({ key }), place: [{ in: 'query', name: 'api_key', template: '{key}' }] },
  })
}

/** A connection as the signed-in person. */
export function openAccount(account: AccountContext<Profile>, session = account.profile.session_id): UpstreamAccount {
  const { api_key: key } = account.profile
  return account.upstream({
    ...common(account),
    credential: {
      secrets: () => ({ key, session }),
      place: [
        { in: 'query', name: 'api_key', template: '{key}' },
        { in: 'query', name: 'session_id', template: '{session}' },
      ],
    },
  })
}

function common(account: AccountContext<Profile>) {
  return { ...serviceOptions(account), baseUrl: account.profile.api_url, limits: LIMITS }
}
