// Sign-in routes: application, redirect and its return, and sign-out.
import { type PluginApp, type ProviderKit, type Static, Type, enteredFields } from '@playhead/sdk'
import { createRedirect } from './redirect.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const TAGS = ['Tracking services A and B, anime service']
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

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const redirect = createRedirect(kit)

  app.post(
    '/api/animeA/save',
    {
      schema: {
        tags: TAGS,
        summary: 'Save the application of an AniList profile',
        querystring: Instance,
        body: Application,
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
    { schema: { tags: TAGS, summary: 'Whether an AniList profile is signed in, and as whom', querystring: Instance } },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { access_token: token, user } = kit.profile(instance)
      return { connected: token !== '', user: token === '' || user.name === '' ? null : user.name, instance }
    },
  )

  app.post(
    '/api/animeA/authorize',
    { schema: { tags: TAGS, summary: 'Start signing in to AniList', querystring: Instance, body: Origin } },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { origin = '' } = request.body as Static<typeof Origin>
      return { ...(await redirect.begin(instance, origin, request.caller)), instance }
    },
  )

  app.get(
    '/callback/animeA',
    { schema: { tags: TAGS, summary: 'Where AniList sends the browser back to', querystring: Return } },
    async (request, reply) => {
      const { code = '', state = '', error = '' } = request.query as Static<typeof Return>
      const { status, text } = await redirect.finish({ code, state, error }, request.caller.session?.id)
      return reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text)
    },
  )

  app.post(
    '/api/animeA/token/delete',
    { schema: { tags: TAGS, summary: 'Forget the token of an AniList profile', querystring: Instance } },
    async (request) => {
      const instance = kit.instanceOf(request)
      await kit.assertUnused(instance)
      await kit.disconnect(instance)
      return { ok: true, instance }
    },
  )
}
