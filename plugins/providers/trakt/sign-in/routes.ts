// Sign-in routes: a new code, the browser and its return, and disconnect. Clients see in `GET /api/status` when a code was
// accepted.
import { optionalBody, type PluginApp, Type } from '@playhead/sdk'
import {
  applicationFor,
  BROWSER_REFUSALS,
  enteredFields,
  flowTimes,
  InstanceQuery,
  PROFILE_ERRORS,
  type ProviderKit,
  sendRefusal,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRoute,
  START_REFUSALS,
  startCode,
} from '@playhead/sdk/provider'
import { applicantOf, deviceFlow } from './device-flow.ts'
import { registerRedirect } from './redirect.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

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

const Origin = Type.Object({
  origin: Type.Optional(Type.String({ maxLength: 500 })),
  client_id: Type.Optional(Type.String({ maxLength: 512 })),
})
const Address = signInAnswer({ authorize_url: Type.String({ description: 'The page of Trakt to open.' }) })

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const begin = registerRedirect(app, kit)
  app.post(
    '/api/trackA/pin/new',
    {
      schema: {
        summary: 'Start signing in to Trakt with a code',
        querystring: InstanceQuery,
        body: Entered,
        response: { 200: Code },
        errors: {
          ...SERVICE_ERRORS,
          200: { ...START_REFUSALS, missing_client_id: 'There is no application to sign in with.' },
        },
      },
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      const entered = enteredFields(request.body, ['client_id', 'client_secret'])
      const applicant = applicantOf(kit, instance, entered)
      if (applicant.clientId === '') return { ok: false, error: 'missing_client_id', instance }
      try {
        const flow = await kit.flows.start(instance, deviceFlow(kit, instance, applicant))
        const { user_code, verification_url } = flow.shown
        const { interval, expires_in: expiresIn, expires_at } = flowTimes(flow)
        // Working tokens belong to their application, which stays until they are replaced.
        if (profile.access_token === '' && Object.keys(applicant.entered).length > 0)
          await kit.account(instance).save(applicant.entered)
        return {
          ok: true,
          user_code,
          verification_url,
          verificationUrl: verification_url,
          expiresIn,
          expires_at,
          interval,
          instance,
        }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: startCode(refusal).error, instance }))
      }
    },
  )

  app.post<{ Body: typeof Origin.static }>(
    '/api/trackA/authorize',
    {
      schema: {
        summary: 'Start signing in to Trakt in the browser',
        querystring: InstanceQuery,
        body: Origin,
        response: { 200: Address },
        errors: {
          ...PROFILE_ERRORS,
          200: {
            ...BROWSER_REFUSALS,
            https_required: 'Trakt sends the browser back to an https address only. Sign in with a code instead.',
            missing_client_id: 'There is no application of your own to sign in with.',
          },
        },
      },
    },
    (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      // The shipped application does not know this address.
      const { clientId, entered } = applicationFor(profile, enteredFields(request.body, ['client_id']), '')
      return begin(request.caller, instance, request.body.origin, {
        url: `${profile.oauth_url}/oauth/authorize`,
        clientId,
        // An application that is inherited stays inherited.
        entered: clientId === profile.client_id ? {} : entered,
        httpsOnly: true,
      })
    },
  )

  signOutRoute(app, kit, '/api/trackA/token/delete', 'Forget the tokens of a Trakt profile and end them at Trakt')
}
