// The sign-in in the browser: the authorization code flow with PKCE, of which MyAnimeList knows the method `plain` only. Nothing is
// stored before the token named its owner.
import { Type } from '@playhead/sdk'
import {
  type Application,
  applicationFor,
  BROWSER_REFUSALS,
  browserRow,
  clientFields,
  type CodeGrant,
  enteredFields,
  type ProviderKit,
  providerRoutes,
  saveWhenValid,
  signOutRow,
} from '@playhead/sdk/provider'
import type { Session } from './session.ts'
import type { Profile } from './settings.ts'
import { credentialOf, openUpstream, readUser, requestTokens } from './upstream.ts'

const ENTERED = ['client_id', 'client_secret'] as const
const Text = Type.Optional(Type.String({ maxLength: 512 }))

export const routes = providerRoutes<Profile, Session>({
  'POST authorize': browserRow({
    summary: 'Start signing in to MyAnimeList in the browser',
    path: '/callback/myanimelist',
    pkce: 'plain',
    fields: { client_id: Text, client_secret: Text },
    errors: { 200: { ...BROWSER_REFUSALS, missing_client_id: 'There is no application to sign in with yet.' } },
    exchange: saveCode,
    run({ profile, body }, begin) {
      const { clientId, entered } = applicationFor(profile, enteredFields(body, ENTERED), '')
      return begin({ url: `${profile.oauth_url}/oauth2/authorize`, clientId, entered })
    },
  }),
  'POST token/delete': signOutRow('Forget the tokens of a MyAnimeList profile'),
})

async function saveCode(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  { code, redirectUri, clientId, verifier, entered }: CodeGrant,
): Promise<undefined> {
  const account = kit.account(instance)
  const { client_id: ownId, client_secret: ownSecret } = account.current()
  const clientSecret = entered['client_secret'] ?? (ownId === clientId ? ownSecret : '')
  const application: Application = { clientId, clientSecret }
  const token = await requestTokens(account, {
    ...clientFields(application),
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const credential = credentialOf(token, clientId)
  // Without the refresh token of an earlier sign-in, which may be of another person.
  const settings = { ...entered, ...credential, refresh_token: '', expires_at: 0 }
  await saveWhenValid(kit, instance, settings, async (trial) => {
    const { id, name } = await readUser(openUpstream(trial))
    return { save: { ...entered, ...credential, user: { id, name } }, result: undefined }
  })
}
