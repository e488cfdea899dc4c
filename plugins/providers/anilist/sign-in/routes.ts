// Sign-in routes: application, redirect and its return, a pasted token, and sign-out.
import { type PluginApp, type Static, Type } from '@playhead/sdk'
import {
  BROWSER_REFUSALS,
  enteredFields,
  InstanceQuery,
  KEY_REFUSALS,
  keyCode,
  PROFILE_ERRORS,
  type ProviderKit,
  sendRefusal,
  SERVICE_ERRORS,
  SignInDone,
  signInAnswer,
  signOutRoute,
} from '@playhead/sdk/provider'
import { registerRedirect } from './redirect.ts'
import { keepToken, tokenIn } from './tokens.ts'
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
const Origin = Type.Object({ origin: Type.Optional(Type.String({ maxLength: 500 })) })
const Status = Type.Object({
  connected: Type.Boolean(),
  user: Type.Union([Type.String(), Type.Null()]),
  instance: Type.String(),
})
const Address = signInAnswer({
  authorize_url: Type.String({ description: 'The page of AniList to open.' }),
  paste: Type.Boolean({ description: 'The page shows a token: save it as `access_token`.' }),
})
const { invalid_api_key: _, ...FAILURES } = KEY_REFUSALS
const { origin_missing, ...BEGIN_REFUSALS } = BROWSER_REFUSALS

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const begin = registerRedirect(app, kit)

  app.post(
    '/api/animeA/save',
    {
      schema: {
        summary: 'Save the application of an AniList profile, or a token that works',
        querystring: InstanceQuery,
        body: Entered,
        response: { 200: SignInDone },
        errors: { ...SERVICE_ERRORS, 200: { ...FAILURES, invalid_token: 'AniList does not accept the token.' } },
      },
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const { access_token: pasted, ...entered } = enteredFields(request.body, ENTERED)
      if (pasted === undefined) {
        if (Object.keys(entered).length > 0) await kit.account(instance).save(entered)
        return { ok: true, instance }
      }
      const token = tokenIn(pasted)
      if (token === undefined) return { ok: false, error: 'invalid_token', instance }
      try {
        await keepToken(kit, instance, token, entered)
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => {
          const code = keyCode(refusal)
          return { error: code === 'invalid_api_key' ? 'invalid_token' : code, instance }
        })
      }
      await kit.redirects.end(instance, { state: 'authorized' })
      return { ok: true, instance }
    },
  )

  app.get(
    '/api/animeA/status',
    {
      schema: {
        summary: 'Whether an AniList profile is signed in, and as whom',
        querystring: InstanceQuery,
        response: { 200: Status },
        errors: PROFILE_ERRORS,
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { access_token: token, user } = kit.profile(instance)
      return { connected: token !== '', user: token === '' || user.name === '' ? null : user.name, instance }
    },
  )

  app.post(
    '/api/animeA/authorize',
    {
      schema: {
        summary: 'Start signing in to AniList',
        querystring: InstanceQuery,
        body: Origin,
        response: { 200: Address },
        errors: { ...PROFILE_ERRORS, 200: { 'origin missing': origin_missing, ...BEGIN_REFUSALS } },
      },
    },
    (request) => {
      const { origin = '' } = request.body as Static<typeof Origin>
      return begin(request.caller, kit.instanceOf(request), origin)
    },
  )

  signOutRoute(app, kit, '/api/animeA/token/delete', 'Forget the token of an AniList profile')
}
