// AUTH V2: a form-encoded token endpoint, access tokens of seven days, and a refresh token that stays the same. A refresh
// ends the access token before it. https://api.simkl.org/guides/migrating-v1-to-v2
import {
  defined,
  otherAccount,
  PlayheadError,
  type Static,
  type UpstreamAccount,
  type UpstreamAnswer,
} from '@playhead/sdk'
import {
  type AccountContext,
  type Application,
  applicationOfToken,
  clientFields,
  createLineage,
  missingScopes,
  renewTokens,
  tokenOwner,
} from '@playhead/sdk/provider'
import type { CREDENTIALS, Profile } from '../settings.ts'
import { Token } from '../wire.ts'

/** SIMKL grants reading only, without an error, where a scope is missing or misspelt. */
const SCOPES = ['media:read', 'media:write'] as const
export const SCOPE = SCOPES.join(' ')
export const REFUSED = [400, 401]

type Method = 'pin' | 'oauth'
type Credential = Pick<Profile, (typeof CREDENTIALS)[number]>

/** Requests of the sign-in are sent without a credential. */
export function askOauth(
  upstream: UpstreamAccount,
  path: string,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<UpstreamAnswer> {
  return upstream.request({
    method: 'POST',
    path: `/oauth2/${path}`,
    form,
    accept: REFUSED,
    anonymous: true,
    ...defined({ signal }),
  })
}

/** An application for the PIN is public; that of the browser may have a secret. */
function applicationOfSignIn(profile: Readonly<Profile>): Application {
  const application = applicationOfToken(profile)
  return profile.auth_method === 'oauth' ? application : { ...application, clientSecret: '' }
}

/** Credential fields of the response to a new sign-in. Throws `PLH_UPSTREAM_INVALID` without a refresh token. */
export function credentialOf(token: Static<typeof Token>, clientId: string, method: Method): Credential {
  if (!token.refresh_token) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL sent no refresh token.', {
      details: { path: '/oauth2/token' },
    })
  }
  return {
    ...renewedFields(token),
    ...tokenOwner(token.access_token, clientId),
    refresh_token: token.refresh_token,
    auth_method: method,
  }
}

export function mayWrite(scope: string | null | undefined): boolean {
  return missingScopes(scope, SCOPES).length === 0
}

/**
 * @param grant the refresh token of the sign-in that is renewed
 * @returns its refresh token from now on
 *
 * Throws `PLH_AUTH_FAILED` (`refresh_failed`) when a new sign-in is needed, `PLH_CONFLICT` (`account_changed`) when there
 * was one.
 */
export async function refreshTokens(
  account: AccountContext<Profile>,
  upstream: UpstreamAccount,
  grant: string,
  signal: AbortSignal,
): Promise<string> {
  if (account.current().refresh_token !== grant) throw otherAccount()
  let next = grant
  await renewTokens(account, {
    lineage: createLineage(account, ({ refresh_token: token }) => token),
    label: 'SIMKL',
    refusedBy: REFUSED,
    async exchange(used) {
      const answer = await askOauth(
        upstream,
        'token',
        { grant_type: 'refresh_token', refresh_token: used.refresh_token, ...clientFields(applicationOfSignIn(used)) },
        signal,
      )
      if (REFUSED.includes(answer.status)) {
        await answer.text()
        throw new PlayheadError('PLH_AUTH_FAILED', 'SIMKL did not renew the sign-in.', {
          details: { status: answer.status },
        })
      }
      const token = await answer.json(Token)
      next = token.refresh_token || used.refresh_token
      const { clientId } = applicationOfSignIn(used)
      return {
        ...renewedFields(token),
        ...(used.token_client_id === '' ? {} : tokenOwner(token.access_token, clientId)),
        scope: token.scope ?? used.scope,
        refresh_token: next,
      }
    },
  })
  return next
}

/** Ends the whole grant, with both tokens. */
export async function revokeTokens(
  upstream: UpstreamAccount,
  profile: Readonly<Profile>,
  signal: AbortSignal,
): Promise<void> {
  const form = { token: profile.refresh_token, ...clientFields(applicationOfSignIn(profile)) }
  await (await askOauth(upstream, 'revoke', form, signal)).text()
}

function renewedFields(token: Static<typeof Token>): Pick<Profile, 'access_token' | 'expires_at' | 'scope'> {
  return {
    access_token: token.access_token,
    expires_at: Math.floor(Date.now() / 1_000 + token.expires_in),
    scope: token.scope ?? SCOPE,
  }
}
