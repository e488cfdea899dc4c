// Tokens: made by signing in, renewed with a refresh token that works once, given back when the profile is disconnected.
import { type AccountContext, isPlayheadError, PlayheadError, type Static, type UpstreamAccount } from '@playhead/sdk'
import { lineageOf, passOn } from './lineage.ts'
import { limitsOf } from './rate.ts'
import { ask } from './requests.ts'
import type { CREDENTIALS, Profile } from './settings.ts'
import { Token } from './wire.ts'

const OAUTH_TIMEOUT_MS = 30_000
const REDIRECT_URI = 'urn:ietf:wg:oauth:2.0:oob'

/** The sign-in service, without a credential. It shares the limits of the profile's account. */
export function openOauth(account: AccountContext<Profile>): UpstreamAccount {
  const { oauth_url: baseUrl, rate_limit: rate } = account.current()
  return account.upstream({ baseUrl, timeoutMs: OAUTH_TIMEOUT_MS, limits: limitsOf(rate) })
}

/** The settings that a token answer stands for. Lifetimes changed over the years, so only what the answer says counts. */
export function credentialOf(token: Static<typeof Token>, nowMs: number): Pick<Profile, typeof CREDENTIALS[number]> {
  const createdAt = token.created_at ?? nowMs / 1_000
  return {
    access_token: token.access_token,
    refresh_token: token.refresh_token,
    expires_at: Math.floor(createdAt + token.expires_in),
    scope: token.scope ?? 'public',
    token_type: 'Bearer',
  }
}

/**
 * Exchanges the refresh token and stores the new pair before anybody uses it. An answer that was lost may have burnt the old one: the
 * next try shows it. Throws `PLH_AUTH_FAILED` (`refresh_failed`) when the person has to sign in again.
 */
export async function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const used = account.current()
  if (used.refresh_token === '') throw signInAgain(account, 'missing_refresh')
  const lineage = await lineageOf(account)
  try {
    const answer = await ask(openOauth(account), {
      method: 'POST',
      path: '/oauth/token',
      json: {
        refresh_token: used.refresh_token,
        client_id: used.client_id,
        client_secret: used.client_secret,
        redirect_uri: REDIRECT_URI,
        grant_type: 'refresh_token',
      },
      anonymous: true,
      signal,
    })
    await account.save(credentialOf(await answer.json(Token), Date.now()))
    await passOn(account, lineage)
  } catch (error) {
    // Signed in anew, or refreshed by somebody else, while this one was under way.
    if (account.current().refresh_token !== used.refresh_token) return
    const isRefused = isPlayheadError(error, 'PLH_AUTH_FAILED')
      || (isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['status'] === 400)
    throw isRefused ? signInAgain(account, 'refresh_failed') : error
  }
}

/** Ends the tokens at the service. */
export async function revokeTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const { access_token: token, client_id, client_secret } = account.current()
  if (token === '') return
  const answer = await ask(openOauth(account), {
    method: 'POST', path: '/oauth/revoke', json: { token, client_id, client_secret }, anonymous: true, idempotent: true, signal,
  })
  await answer.text()
}

function signInAgain(account: AccountContext<Profile>, reason: string): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', `${account.name}: Trakt does not renew the sign-in. Sign in again.`, {
    wire: 'refresh_failed', details: { account: account.name, reason },
  })
}
