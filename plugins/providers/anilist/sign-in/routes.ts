// Sign-in routes: application, redirect and its return, a pasted token, and sign-out.
import { Type } from '@playhead/sdk'
import {
  applicationFor,
  BROWSER_REFUSALS,
  browserRow,
  enteredFields,
  KEY_REFUSALS,
  keyCode,
  providerRoutes,
  routeRow,
  shippedClientId,
  SignInDone,
  signOutRow,
} from '@playhead/sdk/provider'
import { keepToken, OTHER_STATE, saveCode, tokenIn } from './tokens.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Text = Type.Optional(Type.String({ maxLength: 512 }))
const ENTERED = ['client_id', 'client_secret', 'access_token'] as const
const Entered = Type.Object({
  client_id: Text,
  client_secret: Text,
  access_token: Type.Optional(
    Type.String({
      maxLength: 9_000,
      description: 'The token that the page of AniList shows, or the address of that page.',
    }),
  ),
})
const Status = Type.Object({
  connected: Type.Boolean(),
  user: Type.Union([Type.String(), Type.Null()]),
  instance: Type.String(),
})
const NOT_ALLOWED = 'The sign-in was not allowed. You can close this window.'
const { invalid_api_key: _, ...FAILURES } = KEY_REFUSALS
const { origin_missing, ...BEGIN_REFUSALS } = BROWSER_REFUSALS

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Save the application of an AniList profile, or a token that works',
    body: Entered,
    response: { 200: SignInDone },
    refusals: {
      codes: { ...FAILURES, invalid_token: 'AniList does not accept the token.' },
      of(error) {
        const code = keyCode(error)
        return { error: code === 'invalid_api_key' ? 'invalid_token' : code }
      },
    },
    async run({ kit, instance, body }) {
      const { access_token: pasted, ...entered } = enteredFields(body, ENTERED)
      if (pasted === undefined) {
        if (Object.keys(entered).length > 0) await kit.account(instance).save(entered)
        return {}
      }
      const token = tokenIn(pasted)
      if (token === undefined) return 'invalid_token'
      await keepToken(kit, instance, token, entered)
      await kit.redirects.end(instance, { state: 'authorized' })
      return {}
    },
  }),

  'GET status': routeRow({
    summary: 'Whether an AniList profile is signed in, and as whom',
    response: { 200: Status },
    run: ({ profile: { access_token: token, user } }) => ({
      connected: token !== '',
      user: token === '' || user.name === '' ? null : user.name,
    }),
  }),

  'POST authorize': browserRow({
    summary: 'Start signing in to AniList',
    path: '/callback/animeA',
    pkce: false,
    texts: {
      state: OTHER_STATE,
      denied: NOT_ALLOWED,
      refused: NOT_ALLOWED,
      exchange: 'Token exchange failed. Start the sign-in again.',
    },
    shows: { paste: Type.Boolean({ description: 'The page shows a token: save it as `access_token`.' }) },
    errors: { 200: { 'origin missing': origin_missing, ...BEGIN_REFUSALS } },
    exchange: saveCode,
    async run({ kit, instance, profile, body: { origin = '' } }, begin) {
      const { clientId, clientSecret } = applicationFor(profile, {}, shippedClientId(kit.ctx))
      const url = `${profile.oauth_url}/oauth/authorize`
      // Without a secret the page of AniList shows the token instead, which the person pastes (implicit grant).
      if (clientId !== '' && clientSecret === '') {
        const query = new URLSearchParams({ client_id: clientId, response_type: 'token' })
        const shown = { authorize_url: `${url}?${query}`, paste: true }
        // No browser returns: only pages that poll need the state.
        await kit.redirects.issue('', instance, {}, shown)
        return shown
      }
      // Older clients know this code.
      return origin.trim() === '' ? 'origin missing' : begin({ url, clientId })
    },
  }),

  'POST token/delete': signOutRow('Forget the token of an AniList profile'),
})
