// Sign-in routes: a new code, and disconnect. Clients see in `GET /api/status` when the code was accepted.
import {
  optionalBody,
  type PluginApp,
  type ProviderKit,
  sendRefusal,
  START_REFUSALS,
  startCode,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
  Type,
  enteredFields,
} from '@playhead/sdk'
import { applicationOf, deviceFlow } from './device-flow.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Instance = Type.Object({ instance: Type.Optional(Type.String()) })
const Entered = optionalBody(
  Type.Object({ client_id: Type.Optional(Type.String()), client_secret: Type.Optional(Type.String()) }),
)
const Code = signInAnswer({
  user_code: Type.String({ description: 'To be typed in at `verification_url`.' }),
  verification_url: Type.String(),
  verificationUrl: Type.String({ description: 'The same as `verification_url`.' }),
  expiresIn: Type.Integer({ description: 'Seconds.' }),
  expires_at: Type.Integer({ description: 'Epoch seconds.' }),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
})

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  app.post(
    '/api/trackA/pin/new',
    {
      schema: {
        summary: 'Start signing in to Trakt with a code',
        querystring: Instance,
        body: Entered,
        response: { 200: Code },
        errors: {
          ...SERVICE_ERRORS,
          200: {
            ...START_REFUSALS,
            missing_client_id: 'There is no application to sign in with.',
            missing_client_secret: 'The secret of the application is missing.',
          },
        },
      },
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      const entered = enteredFields(request.body, ['client_id', 'client_secret'])
      const { clientId, clientSecret } = applicationOf({ ...profile, ...entered })
      if (clientId === '') return { ok: false, error: 'missing_client_id', instance }
      if (clientSecret === '') return { ok: false, error: 'missing_client_secret', instance }
      try {
        const flow = deviceFlow(kit, instance, { clientId, clientSecret, entered })
        const { shown, expiresAtMs, intervalMs } = await kit.flows.start(instance, flow)
        // Working tokens belong to their application, which stays until they are replaced.
        if (profile.access_token === '' && Object.keys(entered).length > 0) await kit.account(instance).save(entered)
        return {
          ok: true,
          user_code: shown['user_code'],
          verification_url: shown['verification_url'],
          verificationUrl: shown['verification_url'],
          expiresIn: Math.max(0, Math.round((expiresAtMs - Date.now()) / 1_000)),
          expires_at: Math.round(expiresAtMs / 1_000),
          interval: Math.ceil(intervalMs / 1_000),
          instance,
        }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: startCode(refusal).error, instance }))
      }
    },
  )

  app.post(
    '/api/trackA/token/delete',
    {
      schema: {
        summary: 'Forget the tokens of a Trakt profile and end them at Trakt',
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
