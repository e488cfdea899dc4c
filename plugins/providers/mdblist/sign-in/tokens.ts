// OAuth tokens, renewed with a refresh token that works once.
import {
  type AccountContext,
  applicationOfToken,
  createLineage,
  type Lineage,
  renewTokens,
  tokenOwner,
} from '@playhead/sdk/provider'
import { type CREDENTIALS, methodOf, type Profile } from '../settings.ts'
import { openOauth } from '../upstream.ts'
import { Token } from '../wire.ts'

type Credential = Omit<Pick<Profile, (typeof CREDENTIALS)[number]>, 'username'>

/** Identity of the sign-in: another key may belong to another person. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, (profile) =>
    methodOf(profile) === 'api_key' ? `key ${profile.api_key}` : `token ${profile.access_token}`,
  )
}

/** Credential fields of a token response. Without a lifetime the token is used until it is refused. */
export function credentialOf(token: Token, clientId: string, nowMs: number): Credential {
  const lifetimeS = token.expires_in ?? 0
  return {
    auth_method: 'device_code',
    api_key: '',
    access_token: token.access_token,
    refresh_token: token.refresh_token ?? '',
    expires_at: lifetimeS > 0 ? Math.floor(nowMs / 1_000 + lifetimeS) : 0,
    scope: token.scope ?? 'write',
    token_type: 'Bearer',
    ...tokenOwner(token.access_token, clientId),
  }
}

/** Shared by concurrent callers, because a refresh token works once. */
export function createRenewal(account: AccountContext<Profile>): (signal: AbortSignal) => Promise<void> {
  let underWay: Promise<void> | undefined
  return (signal) => {
    underWay ??= refreshTokens(account, signal).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** Throws `PLH_AUTH_FAILED` (`refresh_failed`, with reason and status in the details) when a new sign-in is needed. */
function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'MDBList',
    refusedBy: [400, 401, 403],
    async exchange(profile) {
      const { clientId } = applicationOfToken(profile)
      const used = profile.refresh_token
      const form = { grant_type: 'refresh_token', refresh_token: used, client_id: clientId }
      const token = await openOauth(account).json(
        { method: 'POST', path: '/oauth/token/', form, anonymous: true, signal },
        Token,
      )
      // A renewal keeps everything that identifies the account.
      return {
        ...credentialOf(token, profile.token_client_id === '' ? '' : clientId, Date.now()),
        refresh_token: token.refresh_token || used,
      }
    },
  })
}
