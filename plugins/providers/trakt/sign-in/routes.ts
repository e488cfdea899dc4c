// Sign-in routes: a new code, the browser and its return, and disconnect. Clients see in `GET /api/status` when a code was
// accepted.
import { optionalBody, Type } from '@playhead/sdk'
import {
  applicationFor,
  BROWSER_REFUSALS,
  browserRow,
  enteredFields,
  flowTimes,
  providerRoutes,
  routeRow,
  signInAnswer,
  signOutRow,
  START_REFUSED,
} from '@playhead/sdk/provider'
import { applicantOf, deviceFlow } from './device-flow.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { saveCode } from './tokens.ts'

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

export const routes = providerRoutes<Profile, Session>({
  'POST pin/new': routeRow({
    summary: 'Start signing in to Trakt with a code',
    body: Entered,
    response: { 200: Code },
    refusals: START_REFUSED,
    errors: { 200: { missing_client_id: 'There is no application to sign in with.' } },
    async run({ kit, instance, profile, body }) {
      const applicant = applicantOf(kit, instance, enteredFields(body, ['client_id', 'client_secret']))
      if (applicant.clientId === '') return 'missing_client_id'
      const flow = await kit.flows.start(instance, deviceFlow(kit, instance, applicant))
      // Working tokens belong to their application, which stays until they are replaced.
      if (profile.access_token === '' && Object.keys(applicant.entered).length > 0)
        await kit.account(instance).save(applicant.entered)
      const { expires_in: expiresIn, ...times } = flowTimes(flow)
      return { ...flow.shown, verificationUrl: flow.shown['verification_url'], expiresIn, ...times }
    },
  }),

  'POST authorize': browserRow({
    summary: 'Start signing in to Trakt in the browser',
    path: '/callback/trackA',
    fields: { client_id: Type.Optional(Type.String({ maxLength: 512 })) },
    errors: {
      200: {
        ...BROWSER_REFUSALS,
        https_required: 'Trakt sends the browser back to an https address only. Sign in with a code instead.',
        missing_client_id: 'There is no application of your own to sign in with.',
      },
    },
    exchange: saveCode,
    run({ profile, body }, begin) {
      // The shipped application does not know this address.
      const { clientId, entered } = applicationFor(profile, enteredFields(body, ['client_id']), '')
      return begin({
        url: `${profile.oauth_url}/oauth/authorize`,
        clientId,
        // An application that is inherited stays inherited.
        entered: clientId === profile.client_id ? {} : entered,
        httpsOnly: true,
      })
    },
  }),

  'POST token/delete': signOutRow('Forget the tokens of a Trakt profile and end them at Trakt'),
})
