// Sign-in routes: API key, device code, and disconnect.
import { defined, isMasked, optionalBody, type PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import {
  type FlowState,
  flowTimes,
  InstanceQuery,
  KEY_REFUSALS,
  keyCode,
  PROFILE_ERRORS,
  type ProviderKit,
  saveWhenValid,
  sendRefusal,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRoute,
  START_REFUSALS,
  startCode,
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

const POLL_REFUSALS = {
  200: {
    authorization_pending: 'The code was not typed in yet.',
    no_device_code: 'No sign-in was started.',
    missing_client_id: 'The profile has no application yet.',
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

type Kit = ProviderKit<Profile, Session>

export function registerRoutes(app: PluginApp, kit: Kit): void {
  const schema = (summary: string, more: object = {}) => ({
    summary,
    querystring: InstanceQuery,
    errors: SERVICE_ERRORS,
    ...more,
  })

  app.post<{ Body: typeof Entered.static }>(
    '/api/listA/save',
    {
      schema: schema('Save the API key of an MDBList profile, or choose the sign-in with a code', {
        body: Entered,
        response: { 200: Saved },
        errors: {
          ...SERVICE_ERRORS,
          200: {
            ...KEY_REFUSALS,
            invalid_auth_method: 'There is no such way to sign in.',
            api_key_required: 'The key is missing.',
            missing_client_id: 'The profile has no application yet.',
          },
        },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const method = methodNamed(request.body.auth_method ?? '')
      if (method === undefined) return { ok: false, error: 'invalid_auth_method', instance }
      try {
        const error = await (method === 'api_key'
          ? saveKey(kit, instance, request.body.api_key)
          : chooseCode(kit, instance))
        return error === undefined ? { ok: true, instance, auth_method: method } : { ok: false, error, instance }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: keyCode(refusal), instance }))
      }
    },
  )

  app.post(
    '/api/listA/device/start',
    {
      schema: schema('Start signing in to MDBList with a code', {
        body: optionalBody(Type.Object({})),
        response: { 200: Started },
        errors: {
          ...SERVICE_ERRORS,
          200: { ...START_REFUSALS, missing_client_id: 'The profile has no application yet.' },
        },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      if (codeClientOf(kit, instance) === '') return { ok: false, error: 'missing_client_id', instance }
      try {
        const flow = await kit.flows.start(instance, deviceFlow(kit, instance))
        return { ok: true, instance, ...pendingOf(flow), device_code: flow.shown['device_code'] }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ ...startCode(refusal), instance }))
      }
    },
  )

  app.post<{ Body: typeof Polled.static }>(
    '/api/listA/device/poll',
    {
      schema: schema('Whether the code was typed in', {
        body: Polled,
        response: { 200: Poll, 410: Poll },
        errors: { ...PROFILE_ERRORS, ...POLL_REFUSALS },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const { device_code: asked } = request.body
      const known = kit.flows.state(instance, METHOD)
      const isOther = asked != null && asked !== '' && known !== undefined && known.shown['device_code'] !== asked
      const flow = isOther ? undefined : await kit.flows.poll(instance, METHOD)
      if (flow === undefined) {
        const status = codeClientOf(kit, instance) === '' ? 'missing_client_id' : 'no_device_code'
        return { ok: false, status, instance }
      }
      return reply.code(flow.state === 'expired' ? 410 : 200).send({ ...polled(flow), instance })
    },
  )

  app.post(
    '/api/listA/refresh',
    {
      schema: schema('Renew the tokens of an MDBList profile', {
        response: { 200: Renewed },
        errors: { ...PROFILE_ERRORS, 200: REFRESH_REFUSALS, 429: { 'refresh_failed:…': 'MDBList asks to wait.' } },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      try {
        // Shared with automatic renewals, because a refresh token works once.
        const renew = isConfigured(profile) ? kit.session(instance).renew : createRenewal(kit.account(instance))
        await renew(AbortSignal.any([kit.ctx.signal]))
        await kit.forget(instance)
        return { ok: true, status: 'ok', instance, expires_at: kit.profile(instance).expires_at }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ status: refreshCode(refusal), instance }))
      }
    },
  )

  app.get(
    '/api/listA/status',
    { schema: schema('How an MDBList profile is signed in', { response: { 200: Status }, errors: PROFILE_ERRORS }) },
    async (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
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
        instance,
      }
    },
  )

  signOutRoute(app, kit, '/api/listA/disconnect', 'Forget key and tokens of an MDBList profile')
}

/** Tests a key and stores it in place of tokens. Returns an error code for an invalid key. */
async function saveKey(kit: Kit, instance: string, entered: string | null | undefined): Promise<string | undefined> {
  const stored = kit.profile(instance).api_key
  const key = isMasked(entered) ? '' : String(entered).trim()
  if (key === '' && stored === '') return 'api_key_required'
  const change = { auth_method: 'api_key', ...NO_TOKENS, ...(key === '' ? {} : { api_key: key }) }
  if (key === '') {
    await kit.account(instance).save(change)
    await kit.forget(instance)
  } else {
    await saveWhenValid(kit, instance, change, async (trial) => {
      const { name } = await readFacts(openUpstream(trial), undefined, VALIDATION_MS)
      return { save: { ...change, username: name }, result: undefined }
    })
  }
  kit.flows.cancel(instance, METHOD)
  return undefined
}

async function chooseCode(kit: Kit, instance: string): Promise<undefined> {
  await kit.account(instance).save({ auth_method: METHOD, api_key: '' })
  await kit.forget(instance)
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
