// Sign-in routes: redirect and its return, PIN, and sign-out.
import { type PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import {
  BROWSER_REFUSALS,
  flowTimes,
  InstanceQuery,
  PROFILE_ERRORS,
  type ProviderKit,
  sendRefusal,
  SERVICE_ERRORS,
  SignInDone,
  signInAnswer,
  signOutRoute,
  START_REFUSALS,
  startCode,
} from '@playhead/sdk/provider'
import { METHOD, pinClientOf, pinFlow } from './pin-flow.ts'
import { registerRedirect } from './redirect.ts'
import type { Session } from '../session.ts'
import { authorizeUrlOf, type Profile } from '../settings.ts'
import { SCOPE } from './tokens.ts'

const Origin = Type.Object({ origin: Type.Optional(Type.String({ maxLength: 500 })) })
const Address = signInAnswer({ authorize_url: Type.String({ description: 'The page of SIMKL to open.' }) })
const Pin = signInAnswer({
  user_code: Type.String({ description: 'To be typed in at `verification_url`.' }),
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

export function registerRoutes(app: PluginApp, kit: ProviderKit<Profile, Session>): void {
  const begin = registerRedirect(app, kit)
  const problems = new Map<string, string>()
  const schema = (summary: string, more: object = {}) => ({
    summary,
    querystring: InstanceQuery,
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
          200: { ...BROWSER_REFUSALS, missing_client_id: 'The profile has no application yet.' },
        },
      }),
    },
    (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      const start = { url: authorizeUrlOf(profile), clientId: profile.client_id, scope: SCOPE }
      return begin(request.caller, instance, request.body.origin, start)
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
        const begun = await kit.flows.start(instance, flow)
        const { user_code, verification_url } = begun.shown
        const { interval, expires_in } = flowTimes(begun)
        return { ok: true, user_code, verification_url, interval, expires_in, instance }
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

  signOutRoute(app, kit, '/api/trackB/token/delete', 'Forget the tokens of a SIMKL profile and end them at SIMKL')
}

function codeOf(error: PlayheadError): string {
  return error.details?.['reason'] === 'client_id_failed' ? 'client_id_failed' : startCode(error).error
}
