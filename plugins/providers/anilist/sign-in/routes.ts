// Sign-in routes: application, redirect and its return, a pasted token, and sign-out.
import {
  KEY_REFUSALS,
  keyCode,
  type PluginApp,
  type ProviderKit,
  PROFILE_ERRORS,
  sendRefusal,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
  type Static,
  Type,
  enteredFields,
} from '@playhead/sdk'
import { createRedirect } from './redirect.ts'
import { keepToken, tokenIn } from './tokens.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Instance = Type.Object({ instance: Type.Optional(Type.String({ maxLength: 100 })) })
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
const Return = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 8_192 })),
  state: Type.Optional(Type.String({ maxLength: 500 })),
  error: Type.Optional(Type.String({ maxLength: 500 })),
})
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
const textPage = { description: 'A sentence for people.', content: { 'text/plain': { schema: Type.String() } } }

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const redirect = createRedirect(kit)

  app.post(
    '/api/animeA/save',
    {
      schema: {
        summary: 'Save the application of an AniList profile, or a token that works',
        querystring: Instance,
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
        querystring: Instance,
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
        querystring: Instance,
        body: Origin,
        response: { 200: Address },
        errors: {
          ...PROFILE_ERRORS,
          200: {
            'origin missing': 'The address of Playhead is missing.',
            invalid_origin: 'The address is not one at which the browser reaches Playhead.',
            missing_client_id: 'There is no application to sign in with.',
          },
        },
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { origin = '' } = request.body as Static<typeof Origin>
      return { ...(await redirect.begin(instance, origin, request.caller)), instance }
    },
  )

  app.get(
    '/callback/animeA',
    {
      schema: {
        summary: 'Where AniList sends the browser back to',
        querystring: Return,
        response: { 200: textPage, 400: textPage },
      },
    },
    async (request, reply) => {
      const { code = '', state = '', error = '' } = request.query as Static<typeof Return>
      const { status, text } = await redirect.finish({ code, state, error }, request.caller.session?.id)
      return reply
        .code(status as 200)
        .type('text/plain; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(text)
    },
  )

  app.post(
    '/api/animeA/token/delete',
    {
      schema: {
        summary: 'Forget the token of an AniList profile',
        querystring: Instance,
        response: { 200: SignInDone },
        errors: SIGN_OUT_ERRORS,
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      await kit.assertUnused(instance)
      await kit.disconnect(instance)
      return { ok: true, instance }
    },
  )
}
