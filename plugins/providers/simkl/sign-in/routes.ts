// Sign-in routes: redirect and its return, PIN, and sign-out.
import {
  ownOrigin,
  type PlayheadError,
  type PluginApp,
  type ProviderKit,
  sendRefusal,
  startCode,
  PROFILE_ERRORS,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  START_REFUSALS,
  SignInDone,
  signInAnswer,
  Type,
} from '@playhead/sdk'
import { METHOD, pinClientOf, pinFlow } from './pin-flow.ts'
import { begin, type Finished, finish } from './redirect.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'

const Instance = Type.Object({ instance: Type.Optional(Type.String({ maxLength: 100 })) })
const Origin = Type.Object({ origin: Type.Optional(Type.String({ maxLength: 500 })) })
const Return = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 2_048 })),
  state: Type.Optional(Type.String({ maxLength: 500 })),
  error: Type.Optional(Type.String({ maxLength: 500 })),
  iss: Type.Optional(Type.String({ maxLength: 500 })),
})

/** Fixed texts: nothing from the URL is shown. */
const PAGES: Readonly<Record<Finished | 'missing', readonly [status: number, text: string]>> = {
  done: [200, 'SIMKL is connected. You can close this window.'],
  missing: [400, 'Missing code or state.'],
  state: [400, 'State mismatch. Start the sign-in again.'],
  denied: [400, 'You did not allow the sign-in. You can close this window.'],
  refused: [400, 'SIMKL refused the sign-in. Start it again.'],
  credentials: [400, 'The client id is missing or has changed. Start the sign-in again.'],
  read_only: [400, 'SIMKL granted reading only. Start the sign-in again, and allow reading and writing.'],
  exchange: [400, 'SIMKL did not accept the sign-in. Start it again.'],
}
const Address = signInAnswer({ authorize_url: Type.String({ description: 'The page of SIMKL to open.' }) })
const Pin = signInAnswer({
  user_code: Type.String({ description: 'The code to enter at `verification_url`.' }),
  verification_url: Type.String(),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
})
const Polled = signInAnswer({
  status: Type.String({ description: '`pending`, `authorized`, `no_pin`, or why it failed.' }),
  auth_method: Type.String(),
})
const Cancelled = signInAnswer({ cancelled: Type.Boolean({ description: 'False if there was no PIN.' }) })
const POLL_ERRORS = {
  ...PROFILE_ERRORS,
  200: {
    no_pin: 'No sign-in was started.',
    network_error: 'SIMKL cannot be reached.',
    bad_json: 'SIMKL sent something that cannot be read.',
    'http:…': 'SIMKL answered with this status.',
    denied: 'The person refused.',
    invalid_client: 'SIMKL does not take the application.',
    invalid_code: 'SIMKL does not know the code any more.',
    read_only: 'SIMKL granted reading only. Sign in again, and allow reading and writing.',
    failed: 'The sign-in failed; the log says more.',
  },
  410: { expired: 'The PIN is no longer valid.' },
}
const textPage = { description: 'A sentence for people.', content: { 'text/plain': { schema: Type.String() } } }
// Without authentication in Playhead there is only one user.
const NOBODY = 'no-session'

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const problems = new Map<string, string>()
  const schema = (summary: string, more: object = {}) => ({
    summary,
    querystring: Instance,
    response: { 200: SignInDone },
    errors: PROFILE_ERRORS,
    ...more,
  })

  app.post<{ Body: typeof Origin.static }>(
    '/api/trackB/authorize',
    {
      schema: schema('Start signing in to SIMKL in the browser', {
        body: Origin,
        response: { 200: Address },
        errors: {
          ...PROFILE_ERRORS,
          200: {
            origin_missing: 'The address of Playhead is missing.',
            invalid_origin: 'The address is not one at which the browser reaches Playhead.',
            missing_client_id: 'The profile has no application yet.',
          },
        },
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const named = (request.body.origin ?? '').trim()
      const profile = kit.profile(instance)
      if (named === '') return { ok: false, error: 'origin_missing', instance }
      const origin = ownOrigin(request.caller, named)
      if (origin === undefined) return { ok: false, error: 'invalid_origin', instance }
      if (profile.client_id === '') return { ok: false, error: 'missing_client_id', instance }
      const url = await begin(kit, profile, request.caller.session?.id ?? NOBODY, { instance, origin })
      return { ok: true, authorize_url: url, instance }
    },
  )

  app.get<{ Querystring: typeof Return.static }>(
    '/callback',
    {
      schema: {
        summary: 'Where SIMKL sends the browser back to',
        querystring: Return,
        response: { 200: textPage, 400: textPage },
      },
    },
    async (request, reply) => {
      const { code = '', state = '', error = '', iss = '' } = request.query
      const session = request.caller.session?.id ?? NOBODY
      const ending =
        (code === '' && error === '') || state === ''
          ? 'missing'
          : await finish(kit, session, { code, state, error, iss })
      const [status, text] = PAGES[ending]
      return reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text)
    },
  )

  app.post(
    '/api/trackB/pin/start',
    {
      schema: schema('Start signing in to SIMKL with a PIN', {
        response: { 200: Pin },
        errors: {
          ...SERVICE_ERRORS,
          200: {
            ...START_REFUSALS,
            missing_client_id: 'The profile has no application yet.',
            client_id_failed: 'SIMKL does not know the application, or it is one of before September 18, 2026.',
          },
        },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      if (pinClientOf(kit, instance) === '') return { ok: false, error: 'missing_client_id', instance }
      try {
        const flow = pinFlow(kit, instance, (problem) => {
          if (problem === undefined) problems.delete(instance)
          else problems.set(instance, problem)
        })
        problems.delete(instance)
        const { shown, expiresAtMs, intervalMs } = await kit.flows.start(instance, flow)
        return {
          ok: true,
          user_code: shown['user_code'],
          verification_url: shown['verification_url'],
          interval: Math.ceil(intervalMs / 1_000),
          expires_in: Math.max(0, Math.round((expiresAtMs - Date.now()) / 1_000)),
          instance,
        }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: codeOf(refusal), instance }))
      }
    },
  )

  app.post(
    '/api/trackB/pin/poll',
    { schema: schema('Whether the PIN was entered', { response: { 200: Polled }, errors: POLL_ERRORS }) },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const flow = await kit.flows.poll(instance, METHOD)
      const problem = problems.get(instance)
      if (flow === undefined) return { ok: false, status: 'no_pin', error: 'no_pin', instance }
      if (flow.state === 'expired')
        return reply.code(410 as 200).send({ ok: false, status: 'expired', error: 'expired', instance })
      if (flow.state === 'authorized') return { ok: true, status: 'authorized', auth_method: 'pin', instance }
      if (flow.state !== 'pending')
        return { ok: false, status: flow.reason ?? flow.state, error: flow.reason ?? flow.state, instance }
      return problem === undefined
        ? { ok: true, status: 'pending', instance }
        : { ok: false, status: problem, error: problem, instance }
    },
  )

  app.post(
    '/api/trackB/pin/cancel',
    { schema: schema('Forget the PIN', { response: { 200: Cancelled } }) },
    (request) => {
      const instance = kit.instanceOf(request)
      problems.delete(instance)
      return { ok: true, cancelled: kit.flows.cancel(instance, METHOD), instance }
    },
  )

  app.post(
    '/api/trackB/token/delete',
    { schema: schema('Forget the tokens of a SIMKL profile and end them at SIMKL', { errors: SIGN_OUT_ERRORS }) },
    async (request) => {
      const instance = kit.instanceOf(request)
      await kit.assertUnused(instance)
      await kit.disconnect(instance)
      return { ok: true, instance }
    },
  )
}

function codeOf(error: PlayheadError): string {
  return error.details?.['reason'] === 'client_id_failed' ? 'client_id_failed' : startCode(error).error
}
