// Sign-in in the browser: the exchange of the returned code. Without a client secret AniList's page shows the token
// instead, which the person pastes (implicit grant).
import type { Caller, PluginApp } from '@playhead/sdk'
import { applicationFor, browserSignIn, type ProviderKit, shippedClientId } from '@playhead/sdk/provider'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { exchange, keepToken } from './tokens.ts'

const OTHER_STATE = 'State mismatch.'
const NOT_ALLOWED = 'The sign-in was not allowed. You can close this window.'
const failed = (text: string) => ({ reason: 'exchange_failed', text })

type Begun =
  | { readonly ok: true; readonly authorize_url: string; readonly paste?: true; readonly instance: string }
  | { readonly ok: false; readonly error: string; readonly instance: string }

/**
 * @returns begins a sign-in; `address` is the URL of Playhead in the browser, `https://playhead.example`. Only `caller` can
 * finish it
 */
export function registerRedirect(
  app: PluginApp,
  kit: ProviderKit<Profile, Session>,
): (caller: Caller, instance: string, address: string) => Promise<Begun> {
  const begin = browserSignIn(app, kit, {
    path: '/callback/animeA',
    pkce: false,
    texts: {
      state: OTHER_STATE,
      denied: NOT_ALLOWED,
      refused: NOT_ALLOWED,
      exchange: 'Token exchange failed. Start the sign-in again.',
    },
    async exchange(instance, { code, redirectUri, clientId: requestedBy }) {
      const account = kit.account(instance)
      const { client_id: clientId, client_secret: clientSecret } = account.current()
      if (clientId === '' || clientSecret === '') return failed('Missing app credentials.')
      // A code belongs to the application that requested it.
      if (clientId !== requestedBy) return failed(OTHER_STATE)
      await keepToken(kit, instance, await exchange(account, { code, redirectUri, clientId, clientSecret }))
      return undefined
    },
  })

  return async (caller, instance, address) => {
    const profile = kit.profile(instance)
    const { clientId, clientSecret } = applicationFor(profile, {}, shippedClientId(kit.ctx))
    const url = `${profile.oauth_url}/oauth/authorize`
    if (clientId !== '' && clientSecret === '') {
      const query = new URLSearchParams({ client_id: clientId, response_type: 'token' })
      const shown = { authorize_url: `${url}?${query}`, paste: true } as const
      // No browser returns: only pages that poll need the state.
      await kit.redirects.issue('', instance, {}, shown)
      return { ok: true, ...shown, instance }
    }
    // Older clients know this code.
    if (address.trim() === '') return { ok: false, error: 'origin missing', instance }
    return begin(caller, instance, address, { url, clientId })
  }
}
