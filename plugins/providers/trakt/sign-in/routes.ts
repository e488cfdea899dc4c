// Sign-in routes: a new code, the browser and its return, and disconnect. Clients see in `GET /api/status` when a code was
// accepted.
import {
  optionalBody,
  ownOrigin,
  type PluginApp,
  type ProviderKit,
  sendRefusal,
  START_REFUSALS,
  startCode,
  PROFILE_ERRORS,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
  Type,
  enteredFields,
} from '@playhead/sdk'
import { applicantOf, deviceFlow } from './device-flow.ts'
import { begin, type Finished, finish, RETURN_PATH } from './redirect.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Instance = Type.Object({ instance: Type.Optional(Type.String()) })
const Entered = optionalBody(
  Type.Object({ client_id: Type.Optional(Type.String()), client_secret: Type.Optional(Type.String()) }),
)
const Code = signInAnswer({
  user_code: Type.String({ description: 'The code to enter at `verification_url`.' }),
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
const Return = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 2_048 })),
  state: Type.Optional(Type.String({ maxLength: 500 })),
  error: Type.Optional(Type.String({ maxLength: 500 })),
})
const Address = signInAnswer({ authorize_url: Type.String({ description: 'The page of Trakt to open.' }) })
const textPage = { description: 'A sentence for people.', content: { 'text/plain': { schema: Type.String() } } }
// Without authentication in Playhead there is only one user.
const NOBODY = 'no-session'

/** Fixed texts: nothing from the URL is shown. */
const PAGES: Readonly<Record<Finished | 'missing', readonly [status: number, text: string]>> = {
  done: [200, 'Trakt is connected. You can close this window.'],
  missing: [400, 'Missing code or state.'],
  state: [400, 'State mismatch. Start the sign-in again.'],
  denied: [400, 'You did not allow the sign-in. You can close this window.'],
  refused: [400, 'Trakt refused the sign-in. Start it again.'],
  exchange: [400, 'Trakt did not accept the sign-in. Start it again.'],
}

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
        const { shown, expiresAtMs, intervalMs } = await kit.flows.start(instance, deviceFlow(kit, instance, applicant))
        // Working tokens belong to their application, which stays until they are replaced.
        if (profile.access_token === '' && Object.keys(applicant.entered).length > 0)
          await kit.account(instance).save(applicant.entered)
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

  app.post<{ Body: typeof Origin.static }>(
    '/api/trackA/authorize',
    {
      schema: {
        summary: 'Start signing in to Trakt in the browser',
        querystring: Instance,
        body: Origin,
        response: { 200: Address },
        errors: {
          ...PROFILE_ERRORS,
          200: {
            origin_missing: 'The address of Playhead is missing.',
            invalid_origin: 'The address is not one at which the browser reaches Playhead.',
            https_required: 'Trakt sends the browser back to an https address only. Sign in with a code instead.',
            missing_client_id: 'There is no application of your own to sign in with.',
          },
        },
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const named = (request.body.origin ?? '').trim()
      if (named === '') return { ok: false, error: 'origin_missing', instance }
      const origin = ownOrigin(request.caller, named)
      if (origin === undefined) return { ok: false, error: 'invalid_origin', instance }
      if (!origin.startsWith('https:')) return { ok: false, error: 'https_required', instance }
      // This address is not registered for the shipped application.
      const clientId = enteredFields(request.body, ['client_id']).client_id ?? kit.profile(instance).client_id
      if (clientId === '') return { ok: false, error: 'missing_client_id', instance }
      const url = await begin(kit, request.caller.session?.id ?? NOBODY, { instance, origin, clientId })
      return { ok: true, authorize_url: url, instance }
    },
  )

  app.get<{ Querystring: typeof Return.static }>(
    RETURN_PATH,
    {
      schema: {
        summary: 'Where Trakt sends the browser back to',
        querystring: Return,
        response: { 200: textPage, 400: textPage },
      },
    },
    async (request, reply) => {
      const { code = '', state = '', error = '' } = request.query
      const session = request.caller.session?.id ?? NOBODY
      const ending =
        (code === '' && error === '') || state === '' ? 'missing' : await finish(kit, session, { code, state, error })
      const [status, text] = PAGES[ending]
      return reply
        .code(status as 200)
        .type('text/plain; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(text)
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
