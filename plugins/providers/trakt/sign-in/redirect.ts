// Browser sign-in: PKCE, without a client secret. Trakt returns only to https. https://developer.trakt.tv/docs/pkce
import type { PluginApp } from '@playhead/sdk'
import { type BeginInBrowser, browserSignIn, type ProviderKit } from '@playhead/sdk/provider'
import { ask } from '../requests.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { Token } from '../wire.ts'
import { credentialOf, openOauth } from './tokens.ts'

export function registerRedirect(app: PluginApp, kit: ProviderKit<Profile, Session>): BeginInBrowser {
  return browserSignIn(app, kit, {
    path: '/callback/trackA',
    async exchange(instance, { code, redirectUri, clientId, verifier, entered }) {
      const account = kit.account(instance)
      const answer = await ask(openOauth(account), {
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
      return undefined
    },
  })
}
