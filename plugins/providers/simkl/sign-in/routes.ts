// Sign-in routes: redirect and its return, PIN, and sign-out.
import { type PlayheadError, Type } from '@playhead/sdk'
import {
  BROWSER_REFUSALS,
  browserRow,
  cancelRow,
  type FlowState,
  flowTimes,
  providerRoutes,
  routeRow,
  signInAnswer,
  signOutRow,
  START_REFUSALS,
  startCode,
} from '@playhead/sdk/provider'
import { METHOD, pinClientOf, pinFlow, problemOf } from './pin-flow.ts'
import { issuersOf, saveCode } from './redirect.ts'
import type { Session } from '../session.ts'
import { authorizeUrlOf, type Profile } from '../settings.ts'
import { SCOPE } from './tokens.ts'

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
const NO_APPLICATION = { missing_client_id: 'The profile has no application yet.' }
const POLL_ERRORS = {
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

export const routes = providerRoutes<Profile, Session>({
  'POST authorize': browserRow({
    summary: 'Start signing in to SIMKL in the browser',
    path: '/callback',
    errors: { 200: { ...BROWSER_REFUSALS, ...NO_APPLICATION } },
    issuers: issuersOf,
    exchange: saveCode,
    run: ({ profile }, begin) => begin({ url: authorizeUrlOf(profile), clientId: profile.client_id, scope: SCOPE }),
  }),

  'POST pin/start': routeRow({
    summary: 'Start signing in to SIMKL with a PIN',
    response: { 200: Pin },
    refusals: {
      codes: {
        ...START_REFUSALS,
        ...NO_APPLICATION,
        client_id_failed: 'SIMKL does not know the application, or it is one of before September 18, 2026.',
      },
      of: (error) => (error.wire === 'client_id_failed' ? { error: error.wire } : startCode(error)),
    },
    async run({ kit, instance }) {
      if (pinClientOf(kit, instance) === '') return 'missing_client_id'
      const begun = await kit.flows.start(instance, pinFlow(kit, instance))
      return { ...begun.shown, ...flowTimes(begun) }
    },
  }),

  'POST pin/poll': routeRow({
    summary: 'Whether the PIN was entered',
    response: { 200: Polled },
    errors: POLL_ERRORS,
    async run({ kit, instance }) {
      const flow = await kit.flows.poll(instance, METHOD)
      const status = statusOf(flow, kit.flows.problem(instance, METHOD))
      const ok = status === 'pending' || status === 'authorized'
      return ok ? { status, ...flow?.result } : { ok, status, error: status }
    },
  }),
  'POST pin/cancel': cancelRow(METHOD, 'PIN'),

  'POST token/delete': signOutRow('Forget the tokens of a SIMKL profile and end them at SIMKL'),
})

function statusOf(flow: FlowState | undefined, problem: PlayheadError | undefined): string {
  if (flow === undefined) return 'no_pin'
  if (flow.state !== 'pending') return flow.reason ?? flow.state
  return problem === undefined ? 'pending' : problemOf(problem)
}
