// Tokens: made by signing in, renewed with a refresh token that works once.
import { type AccountContext, createLineage, type Lineage, renewTokens } from '@playhead/sdk'
import { methodOf, type Profile } from '../settings.ts'
import { openOauth } from '../upstream.ts'
import { Token } from '../wire.ts'

type Credential = Pick<
  Profile,
  'auth_method' | 'api_key' | 'access_token' | 'refresh_token' | 'expires_at' | 'scope' | 'token_type'
>

/** Which sign-in the credential comes from: another key may be another person, too. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, (profile) =>
    methodOf(profile) === 'api_key' ? `key ${profile.api_key}` : `token ${profile.access_token}`,
  )
}

/** The settings that a token answer stands for. Without a lifetime the token counts until it is refused. */
export function credentialOf(token: Token, nowMs: number): Credential {
  const lifetimeS = token.expires_in ?? 0
  return {
    auth_method: 'device_code',
    api_key: '',
    access_token: token.access_token,
    refresh_token: token.refresh_token ?? '',
    expires_at: lifetimeS > 0 ? Math.floor(nowMs / 1_000 + lifetimeS) : 0,
    scope: token.scope ?? 'write',
    token_type: 'Bearer',
  }
}

/** A renewal that all who need one at the same time share: a refresh token works once. */
export function createRenewal(account: AccountContext<Profile>): (signal: AbortSignal) => Promise<void> {
  let underWay: Promise<void> | undefined
  return (signal) => {
    underWay ??= refreshTokens(account, signal).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/**
 * Throws `PLH_AUTH_FAILED` (`refresh_failed`, with the reason and the status in the details) when the person has to
 * sign in again.
 */
function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'MDBList',
    refusedBy: [400, 401, 403],
    async exchange({ refresh_token: used, client_id }) {
      const form = { grant_type: 'refresh_token', refresh_token: used, client_id }
      const token = await openOauth(account).json(
        { method: 'POST', path: '/oauth/token/', form, anonymous: true, signal },
        Token,
      )
      return { ...credentialOf(token, Date.now()), refresh_token: token.refresh_token || used }
    },
  })
}
