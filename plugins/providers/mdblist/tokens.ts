// Tokens: made by signing in, renewed with a refresh token that works once.
import { type AccountContext, isPlayheadError, PlayheadError } from '@playhead/sdk'
import { lineageOf, passOn } from './lineage.ts'
import type { Profile } from './settings.ts'
import { openOauth } from './upstream.ts'
import { Token } from './wire.ts'

type Credential = Pick<Profile, 'auth_method' | 'api_key' | 'access_token' | 'refresh_token' | 'expires_at' | 'scope' | 'token_type'>

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
 * Exchanges the refresh token and stores the new pair before anybody uses it. Throws `PLH_AUTH_FAILED` (`refresh_failed`, with the reason
 * and the status in the details) when the person has to sign in again.
 */
async function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  const used = account.current()
  if (used.refresh_token === '') throw signInAgain(account, 'missing_refresh')
  const lineage = await lineageOf(account)
  try {
    const answer = await openOauth(account).request({
      method: 'POST',
      path: '/oauth/token/',
      form: { grant_type: 'refresh_token', refresh_token: used.refresh_token, client_id: used.client_id },
      anonymous: true,
      signal,
    })
    const token = await answer.json(Token)
    await account.save({ ...credentialOf(token, Date.now()), refresh_token: token.refresh_token || used.refresh_token })
    await passOn(account, lineage)
  } catch (error) {
    // Signed in anew, or refreshed by somebody else, while this one was under way.
    if (account.current().refresh_token !== used.refresh_token) return
    const status = statusOf(error)
    throw status === 400 || status === 401 || status === 403 ? signInAgain(account, 'refresh_failed', status) : error
  }
}

function statusOf(error: unknown): number | undefined {
  if (isPlayheadError(error, 'PLH_AUTH_FAILED')) return Number(error.details?.['status'] ?? 401)
  const status = isPlayheadError(error, 'PLH_UPSTREAM') ? error.details?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

function signInAgain(account: AccountContext<Profile>, reason: string, status?: number): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', `${account.name}: MDBList does not renew the sign-in. Sign in again.`, {
    wire: 'refresh_failed', details: { account: account.name, reason, ...(status === undefined ? {} : { status }) },
  })
}
