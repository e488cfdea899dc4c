// Tokens, renewed with a refresh token that works once.
import { PlayheadError, Type } from '@playhead/sdk'
import { type AccountContext, createLineage, type Lineage, renewTokens } from '@playhead/sdk/provider'
import type { Profile } from '../settings.ts'
import { openPublic } from '../upstream.ts'
import { type Tokens, tokensOf } from '../wire.ts'

/** Identity of the sign-in. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, ({ access_token: token }) => token)
}

export function credentialOf({ accessToken, refreshToken, expiresAt }: Tokens): Partial<Profile> {
  return { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt }
}

/** Throws `PLH_AUTH_FAILED` (reason `missing_refresh` or `refresh_failed`) when a new sign-in is needed. */
export function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'Nuvio',
    refusedBy: [400, 401, 403, 422],
    async exchange({ refresh_token }) {
      const answer = await openPublic(account).json(
        {
          method: 'POST',
          path: 'auth/v1/token',
          query: { grant_type: 'refresh_token' },
          json: { refresh_token },
          signal,
        },
        Type.Unknown(),
      )
      const tokens = tokensOf(answer, Date.now())
      if (tokens === undefined)
        throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Nuvio renewed the sign-in without giving tokens.')
      return credentialOf(tokens)
    },
  })
}
