// Sign-in routes: application, redirect and its return, and sign-out.
import {
  type PluginApp,
  type ProviderKit,
  PROFILE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
  type Static,
  Type,
  enteredFields,
} from '@playhead/sdk'
import { createRedirect } from './redirect.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Instance = Type.Object({ instance: Type.Optional(Type.String({ maxLength: 100 })) })
const Text = Type.Optional(Type.String({ maxLength: 512 }))
const APPLICATION = ['client_id', 'client_secret'] as const
const Application = Type.Object({ client_id: Text, client_secret: Text })
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
const Address = signInAnswer({ authorize_url: Type.String({ description: 'The page of AniList to open.' }) })
const textPage = { description: 'A sentence for people.', content: { 'text/plain': { schema: Type.String() } } }

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const redirect = createRedirect(kit)

  app.post(
    '/api/animeA/save',
    {
      schema: {
        summary: 'Save the application of an AniList profile',
        querystring: Instance,
        body: Application,
        response: { 200: SignInDone },
        errors: PROFILE_ERRORS,
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const entered = enteredFields(request.body, APPLICATION)
      if (Object.keys(entered).length > 0) await kit.account(instance).save(entered)
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
            missing_client_id: 'The profile has no application yet.',
            missing_client_secret: 'The secret of the application is missing.',
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
