// Sign-in routes: API key, device code, and disconnect.
import { defined, optionalBody, type PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
  type FlowState,
  flowTimes,
  KEY_REFUSED,
  providerRoutes,
  routeRow,
  saveKey,
  signInAnswer,
  signOutRow,
  START_REFUSED,
} from '@playhead/sdk/provider'
import { codeClientOf, deviceFlow } from './device-flow.ts'
import { readFacts } from './facts.ts'
import type { Session } from '../session.ts'
import { isConfigured, methodNamed, methodOf, type Profile } from '../settings.ts'
import { createRenewal } from './tokens.ts'
import { openUpstream } from '../upstream.ts'

const METHOD = 'device_code'
const VALIDATION_MS = 12_000

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Entered = Type.Object({ auth_method: Text, api_key: Text })
const Polled = Type.Object({ device_code: Text })
const NO_TOKENS = { access_token: '', refresh_token: '', expires_at: 0 }

const EpochSeconds = Type.Integer({ description: 'Epoch seconds; 0 if there is none.' })
const PENDING = {
  user_code: Type.Optional(Type.String({ description: 'To be typed in at `verification_uri`.' })),
  verification_uri: Type.Optional(Type.String()),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
  expires_at: EpochSeconds,
}
const Saved = signInAnswer({ auth_method: Type.String() })
const Started = signInAnswer(
  { ...PENDING, device_code: Type.String() },
  { status: Type.Optional(Type.Integer({ description: 'With `ok: false`: the status that MDBList answered.' })) },
)
const Poll = signInAnswer({
  status: Type.String({ description: '`ok`, `authorization_pending`, or why it failed.' }),
  state: Type.String(),
  ...PENDING,
})
const Renewed = signInAnswer({
  status: Type.String({ description: '`ok`, or why it failed.' }),
  expires_at: EpochSeconds,
})
const Status = Type.Object({
  auth_method: Type.String({ description: 'Empty if there is none.' }),
  connected: Type.Boolean(),
  api_key_configured: Type.Boolean(),
  device_configured: Type.Boolean(),
  client_id_configured: Type.Boolean(),
  expires_at: EpochSeconds,
  username: Type.String(),
  pending: Type.Optional(Type.Object(PENDING)),
  instance: Type.String(),
})

const NO_APPLICATION = { missing_client_id: 'The profile has no application yet.' }
const POLL_REFUSALS = {
  200: {
    authorization_pending: 'The code was not typed in yet.',
    no_device_code: 'No sign-in was started.',
    ...NO_APPLICATION,
    access_denied: 'The person refused.',
    bad_json: 'MDBList sent something that cannot be read.',
    'http:…': 'MDBList answered with this status.',
    internal: 'The sign-in failed; the log says more.',
  },
  410: { expired_token: 'The code is no longer valid. Start again.' },
}
const REFRESH_REFUSALS = {
  missing_refresh: 'There is nothing to renew with. Sign in again.',
  'refresh_failed:…': 'MDBList answered with this status.',
  bad_json: 'MDBList sent something that cannot be read.',
  network_error: 'MDBList cannot be reached.',
}

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Save the API key of an MDBList profile, or choose the sign-in with a code',
    body: Entered,
    response: { 200: Saved },
    refusals: KEY_REFUSED,
    errors: {
      200: {
        invalid_auth_method: 'This sign-in method does not exist.',
        api_key_required: 'The key is missing.',
        ...NO_APPLICATION,
      },
    },
    async run(call) {
      const { kit, instance, body } = call
      const method = methodNamed(body.auth_method ?? '')
      if (method === undefined) return 'invalid_auth_method'
      if (method === 'api_key') {
        const saved = await saveKey(call, nameOfKey, { auth_method: method, ...NO_TOKENS })
        if (typeof saved === 'string') return saved
        kit.flows.cancel(instance, METHOD)
      } else {
        await kit.account(instance).save({ auth_method: method, api_key: '' })
        await kit.forget(instance)
      }
      return { auth_method: method }
    },
  }),

  'POST device/start': routeRow({
    summary: 'Start signing in to MDBList with a code',
    body: optionalBody(Type.Object({})),
    response: { 200: Started },
    refusals: START_REFUSED,
    errors: { 200: NO_APPLICATION },
    async run({ kit, instance }) {
      if (codeClientOf(kit, instance) === '') return 'missing_client_id'
      const flow = await kit.flows.start(instance, deviceFlow(kit, instance))
      return { ...pendingOf(flow), device_code: flow.shown['device_code'] }
    },
  }),

  'POST device/poll': routeRow({
    summary: 'Whether the code was typed in',
    body: Polled,
    response: { 200: Poll, 410: Poll },
    errors: POLL_REFUSALS,
    async run({ kit, instance, body: { device_code: asked } }) {
      const known = kit.flows.state(instance, METHOD)
      const isOther = asked != null && asked !== '' && known !== undefined && known.shown['device_code'] !== asked
      const flow = isOther ? undefined : await kit.flows.poll(instance, METHOD)
      if (flow !== undefined) return polled(flow)
      return { ok: false, status: codeClientOf(kit, instance) === '' ? 'missing_client_id' : 'no_device_code' }
    },
  }),

  'POST refresh': routeRow({
    summary: 'Renew the tokens of an MDBList profile',
    response: { 200: Renewed },
    refusals: {
      codes: REFRESH_REFUSALS,
      limited: { 'refresh_failed:…': 'MDBList asks to wait.' },
      of: (error) => ({ status: refreshCode(error) }),
    },
    async run({ kit, instance, profile }) {
      // Shared with automatic renewals, because a refresh token works once.
      const renew = isConfigured(profile) ? kit.session(instance).renew : createRenewal(kit.account(instance))
      await renew(AbortSignal.any([kit.ctx.signal]))
      await kit.forget(instance)
      return { status: 'ok', expires_at: kit.profile(instance).expires_at }
    },
  }),

  'GET status': routeRow({
    summary: 'How an MDBList profile is signed in',
    response: { 200: Status },
    run({ kit, instance, profile }) {
      const flow = kit.flows.state(instance, METHOD)
      const pending = flow?.state === 'pending' ? pendingOf(flow) : undefined
      return {
        auth_method: methodOf(profile) ?? (pending === undefined ? '' : METHOD),
        connected: isConfigured(profile),
        api_key_configured: profile.api_key !== '',
        device_configured: profile.access_token !== '',
        client_id_configured: codeClientOf(kit, instance) !== '',
        expires_at: profile.expires_at,
        username: profile.username,
        ...defined({ pending }),
      }
    },
  }),

  'POST disconnect': signOutRow('Forget key and tokens of an MDBList profile'),
})

async function nameOfKey(trial: AccountContext<Profile>): Promise<Partial<Profile>> {
  return { username: (await readFacts(openUpstream(trial), undefined, VALIDATION_MS)).name }
}

function pendingOf(flow: FlowState) {
  const { user_code, verification_uri } = flow.shown
  const { interval, expires_at } = flowTimes(flow)
  return { user_code, verification_uri, interval, expires_at }
}

function polled(flow: FlowState): Readonly<Record<string, unknown>> {
  const { state, reason, result } = flow
  switch (state) {
    case 'authorized':
      return { ok: true, status: 'ok', state, expires_at: result?.['expires_at'] ?? 0 }
    case 'pending':
      return { ok: false, status: 'authorization_pending', state, ...pendingOf(flow) }
    case 'expired':
      return { ok: false, status: 'expired_token', state }
    case 'denied':
      return { ok: false, status: 'access_denied', state }
    case 'failed':
      return { ok: false, status: FAILED[reason ?? ''] ?? reason ?? 'internal', state }
  }
}

/** Error codes of the client, translated to those of the route. */
const FAILED: Readonly<Record<string, string>> = { invalid_response: 'bad_json', upstream_invalid: 'bad_json' }

// The code of a failed token refresh. Texts of the service are never passed on.
function refreshCode(error: PlayheadError): string {
  const { status, reason } = error.details ?? {}
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
      return reason === 'missing_refresh'
        ? 'missing_refresh'
        : `refresh_failed:${typeof status === 'number' ? status : 401}`
    case 'PLH_UPSTREAM_INVALID':
      return 'bad_json'
    case 'PLH_UPSTREAM_TIMEOUT':
    case 'PLH_HOST_DENIED':
      return 'network_error'
    case 'PLH_RATE_LIMITED':
      return 'refresh_failed:429'
    case 'PLH_NOT_FOUND':
      return 'refresh_failed:404'
    case 'PLH_UPSTREAM':
      return typeof status === 'number' ? `refresh_failed:${status}` : 'network_error'
    default:
      throw error
  }
}
