// OAuth tokens, renewed with a refresh token that works once and revoked on disconnect.
import type { Static, UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  applicationOfToken,
  clientFields,
  type CodeGrant,
  createLineage,
  type Lineage,
  type ProviderKit,
  renewTokens,
  tokenOwner,
  withMeanings,
} from '@playhead/sdk/provider'
import { limitsOf } from '../limits.ts'
import { MEANINGS } from '../meanings.ts'
import type { Session } from '../session.ts'
import type { CREDENTIALS, Profile } from '../settings.ts'
import { Token } from '../wire.ts'

const OAUTH_TIMEOUT_MS = 30_000
/** Trakt's API description requires a redirect address for a refresh; it need not be that of the sign-in. */
const REDIRECT_URI = 'urn:ietf:wg:oauth:2.0:oob'

/** Identity of the sign-in. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, ({ access_token: token }) => token)
}

/** For the sign-in, without a credential. Shares the limits of the account. */
export function openOauth(account: AccountContext<Profile>): UpstreamAccount {
  const { oauth_url: baseUrl, rate_limit: rate } = account.current()
  return withMeanings(account.upstream({ baseUrl, timeoutMs: OAUTH_TIMEOUT_MS, limits: limitsOf(rate) }), MEANINGS)
}

/**
 * Credential fields of a token response, with the id of their application; empty if it is that of the settings. The lifetime
 * always comes from the response, because Trakt has changed it.
 */
export function credentialOf(
  token: Static<typeof Token>,
  clientId: string,
  nowMs: number,
): Pick<Profile, (typeof CREDENTIALS)[number]> {
  const createdAt = token.created_at ?? nowMs / 1_000
  return {
    access_token: token.access_token,
    refresh_token: token.refresh_token,
    expires_at: Math.floor(createdAt + token.expires_in),
    scope: token.scope ?? 'public',
    token_type: 'Bearer',
    ...tokenOwner(token.access_token, clientId),
  }
}

/** Exchanges the code of the browser: PKCE, without a client secret. https://developer.trakt.tv/docs/pkce */
export async function saveCode(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  { code, redirectUri, clientId, verifier, entered }: CodeGrant,
): Promise<undefined> {
  const account = kit.account(instance)
  const answer = await openOauth(account).request({
    method: 'POST',
    path: '/oauth/token',
    json: {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    },
    anonymous: true,
  })
  await account.save({ ...entered, ...credentialOf(await answer.json(Token), clientId, Date.now()) })
  await kit.forget(instance)
}

/** Throws `PLH_AUTH_FAILED` (`refresh_failed`) when a new sign-in is needed. */
export function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'Trakt',
    refusedBy: [400, 401],
    async exchange(used) {
      const application = applicationOfToken(used)
      const answer = await openOauth(account).request({
        method: 'POST',
        path: '/oauth/token',
        json: {
          refresh_token: used.refresh_token,
          ...clientFields(application),
          redirect_uri: REDIRECT_URI,
          grant_type: 'refresh_token',
        },
        anonymous: true,
        signal,
      })
      // A renewal keeps everything that identifies the account.
      return credentialOf(await answer.json(Token), used.token_client_id === '' ? '' : application.clientId, Date.now())
    },
  })
}

/** Revokes the tokens. */
export async function revokeTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const profile = account.current()
  if (profile.access_token === '') return
  const answer = await openOauth(account).request({
    method: 'POST',
    path: '/oauth/revoke',
    json: { token: profile.access_token, ...clientFields(applicationOfToken(profile)) },
    anonymous: true,
    idempotent: true,
    signal,
  })
  await answer.text()
}
