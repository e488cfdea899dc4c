// Tokens: renewed with a refresh token that works once, given back when the profile is disconnected.
import { type AccountContext, PlayheadError, Type } from '@playhead/sdk'
import { lineageOf, passOn } from './lineage.ts'
import type { Profile } from './settings.ts'
import { openPublic, openUpstream } from './upstream.ts'
import { type Tokens, tokensOf } from './wire.ts'

/** The service does not take the token, whatever the number. */
const REFUSED = [400, 401, 403, 422] as const

export function credentialOf({ accessToken, refreshToken, expiresAt }: Tokens): Partial<Profile> {
  return { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt }
}

/**
 * Exchanges the refresh token and stores the new pair before anybody uses it. Throws `PLH_AUTH_FAILED` (reason `missing_refresh` or
 * `invalid_refresh`) when the person has to sign in again.
 */
export async function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const used = account.current()
  if (used.refresh_token === '') throw signInAgain(account, 'missing_refresh')
  const lineage = await lineageOf(account)
  try {
    const answer = await openPublic(account).request({
      method: 'POST',
      path: 'auth/v1/token',
      query: { grant_type: 'refresh_token' },
      json: { refresh_token: used.refresh_token },
      accept: REFUSED,
      signal,
    })
    if ((REFUSED as readonly number[]).includes(answer.status)) {
      await answer.text()
      throw signInAgain(account, 'invalid_refresh')
    }
    const tokens = tokensOf(await answer.json(Type.Unknown()), Date.now())
    if (tokens === undefined) throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Nuvio renewed the sign-in without giving tokens.')
    await account.save(credentialOf(tokens))
    await passOn(account, lineage)
  } catch (error) {
    // Signed in anew, or refreshed by somebody else, while this one was under way.
    if (account.current().refresh_token !== used.refresh_token) return
    throw error
  }
}

/** Ends the sign-in at the service. */
export async function logOut(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  if (account.current().access_token === '') return
  const answer = await openUpstream(account).request({
    // Without a scope every device of the person would be signed out.
    method: 'POST', path: 'auth/v1/logout', query: { scope: 'local' }, json: {}, accept: [403, 404], idempotent: true, signal,
  })
  await answer.text()
}

function signInAgain(account: AccountContext<Profile>, reason: string): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', `${account.name}: Nuvio does not renew the sign-in. Sign in again.`, {
    wire: 'refresh_failed', details: { account: account.name, reason },
  })
}
