// Routes of Nuvio: sign-in by link, choice of a profile, and sign-out.
import type { FastifyReply } from 'fastify'
import { isPlayheadError, optionalBody, PlayheadError, type PluginApp, Type, usableLimit } from '@playhead/sdk'
import {
  flowExpired,
  type FlowState,
  InstanceQuery,
  PROFILE_ERRORS,
  sendRefusal,
  SERVICE_ERRORS,
  SIGN_OUT_ERRORS,
  SignInDone,
  signInAnswer,
} from '@playhead/sdk/provider'
import { loginPage } from './login-answers.ts'
import { listPeople, type Person, unavailable } from './people.ts'
import { reasonOf, refreshStatus } from './refusals.ts'
import { logOut } from './log-out.ts'
import { choose, type Kit, peopleAfterSignIn, tvLogin } from './tv-login.ts'
import { openUpstream } from '../as-person.ts'

const METHOD = 'tv_login'
const Start = Type.Object({
  redirect_base_url: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
})
const Nothing = optionalBody(Type.Object({}))
const Choice = Type.Object({
  profile_id: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Number of the profile at Nuvio.' }),
})
const NO_LOGIN = 'no_pending_login'
const LOG_OUT_LIMIT_MS = 10_000

const EpochSeconds = Type.Integer({ description: 'Epoch seconds; 0 if there is none.' })
const Interval = Type.Integer({ description: 'Seconds between two polls.' })
const Status = Type.String({ description: '`ok`, `pending`, `approved`, or why it failed.' })
const Profile = Type.Object({
  profile_id: Type.Integer(),
  profile_index: Type.Integer(),
  name: Type.String(),
  uses_primary_addons: Type.Boolean(),
  uses_primary_plugins: Type.Boolean(),
})
const Started = signInAnswer({
  code: Type.String(),
  login_url: Type.String({ description: 'The page of Nuvio to open.' }),
  expires_at: EpochSeconds,
  interval: Interval,
})
const Poll = signInAnswer({ status: Status, expires_at: EpochSeconds, interval: Interval })
const Profiles = signInAnswer({ profiles: Type.Array(Profile) })
const Finished = signInAnswer({ status: Status, expires_at: EpochSeconds, profiles: Type.Array(Profile) })
const Chosen = signInAnswer({ profile: Profile, profile_id: Type.Integer(), profile_name: Type.String() })
const Renewed = signInAnswer({ status: Status, expires_at: EpochSeconds })
const Stored = Type.Object({
  connected: Type.Boolean(),
  authenticated: Type.Boolean(),
  base_url_configured: Type.Boolean(),
  client_key_configured: Type.Boolean(),
  profile_id: Type.Union([Type.Integer(), Type.String(), Type.Null()]),
  profile_name: Type.String(),
  expires_at: EpochSeconds,
  instance: Type.String(),
})
const LIMITED = {
  ...SERVICE_ERRORS,
  200: {
    tvA_request_failed: 'Nuvio refused or failed; `reason` says more.',
    authentication_failed: 'As `reason`: the sign-in is missing or no longer valid.',
    token_refresh_failed: 'As `reason`: the sign-in could not be renewed. Sign in again.',
    profile_unavailable: 'As `reason`: the profile no longer exists at Nuvio.',
    invalid_response: 'As `reason`: Nuvio sent something that cannot be read.',
    service_unavailable: 'As `reason`: Nuvio failed or cannot be reached.',
    internal: 'As `reason`: something else; the log says more.',
  },
  429: { tvA_request_failed: 'Nuvio asks to wait; see `retry_after`.' },
}
const NOT_STARTED = { [NO_LOGIN]: 'No sign-in was started.' }
const NOT_APPROVED = {
  pending: 'It was not approved yet.',
  cancelled: 'The person refused.',
  used: 'The link was used already.',
  denied: 'The sign-in was refused.',
  failed: 'The sign-in failed; the log says more.',
}
const REFRESH = {
  missing_public_client_key: 'The public key of Nuvio is missing in the settings.',
  missing_refresh: 'There is nothing to renew with. Sign in again.',
  invalid_refresh: 'Nuvio refuses to renew. Sign in again.',
  refresh_failed: 'Nuvio failed.',
  invalid_response: 'Nuvio sent something that cannot be read.',
  network_error: 'Nuvio cannot be reached.',
}
const NO_KEY = { missing_public_client_key: 'The public key of Nuvio is missing in the settings.' }
const EXPIRED = { expired: 'The sign-in ran out of time. Start it again.' }

const schema = (summary: string, more: object = {}) => ({
  schema: { summary, querystring: InstanceQuery, errors: PROFILE_ERRORS, ...more },
})

export function registerRoutes(app: PluginApp, kit: Kit): void {
  const starting = schema('Start signing in to Nuvio', {
    body: Start,
    response: { 200: Started },
    errors: {
      ...LIMITED,
      200: { ...LIMITED[200], ...NO_KEY },
      400: { ...PROFILE_ERRORS[400], invalid_redirect_base_url: 'People can only sign in on the page of Nuvio.' },
    },
  })
  app.post<{ Body: typeof Start.static }>('/api/tvA/device/start', starting, async (request, reply) => {
    const instance = kit.instanceOf(request)
    const { client_key: key, web_url: configured } = kit.profile(instance)
    const page = loginPage(request.body.redirect_base_url ?? '', configured)
    if (page === undefined) {
      throw new PlayheadError(
        'PLH_INVALID',
        'People can only sign in on the page of Nuvio, or on the one in the settings.',
        { wire: 'invalid_redirect_base_url', details: { instance } },
      )
    }
    if (key === '') return { ok: false, error: 'missing_public_client_key', instance }
    try {
      const flow = await kit.flows.start(instance, tvLogin(kit, instance, page))
      return { ok: true, instance, code: flow.shown['code'], login_url: flow.shown['login_url'], ...timesOf(flow) }
    } catch (error) {
      return refuse(reply, error, instance)
    }
  })

  app.post(
    '/api/tvA/device/poll',
    schema('Progress of a sign-in to Nuvio', {
      body: Nothing,
      response: { 200: Poll, 410: Poll },
      errors: { ...PROFILE_ERRORS, 200: { ...NOT_STARTED, ...NOT_APPROVED }, 410: EXPIRED },
    }),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow === undefined) return { ok: false, status: NO_LOGIN, error: NO_LOGIN, instance }
      const status = statusOf(flow)
      return reply
        .code(status === 'expired' ? 410 : 200)
        .send({ ok: status === 'approved', status, instance, ...timesOf(flow) })
    },
  )

  app.post(
    '/api/tvA/device/finish',
    schema('Finish signing in to Nuvio', {
      body: Nothing,
      response: { 200: Finished },
      errors: {
        ...LIMITED,
        200: { ...LIMITED[200], ...NOT_APPROVED },
        400: { ...PROFILE_ERRORS[400], ...NOT_STARTED },
        410: EXPIRED,
      },
    }),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow === undefined)
        throw new PlayheadError('PLH_INVALID', 'No sign-in was started.', { wire: NO_LOGIN, details: { instance } })
      const status = statusOf(flow)
      if (status === 'expired') throw flowExpired(instance)
      if (status !== 'approved') return { ok: false, status, error: status, instance, profiles: [] }
      try {
        const people = await peopleAfterSignIn(kit, instance)
        kit.flows.cancel(instance, METHOD)
        return {
          ok: true,
          status: 'ok',
          instance,
          expires_at: kit.profile(instance).expires_at,
          profiles: people.map(shown),
        }
      } catch (error) {
        return refuse(reply, error, instance, { profiles: [] })
      }
    },
  )

  app.get(
    '/api/tvA/status',
    schema('The stored sign-in to Nuvio, without asking the service', { response: { 200: Stored } }),
    (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      const authenticated = profile.access_token !== ''
      return {
        connected: authenticated && profile.profile_id !== '',
        authenticated,
        base_url_configured: profile.base_url !== '',
        client_key_configured: profile.client_key !== '',
        profile_id: profile.profile_id === '' ? null : profile.profile_id,
        profile_name: profile.profile_name,
        expires_at: profile.expires_at,
        instance,
      }
    },
  )

  app.get(
    '/api/tvA/profiles',
    schema('The profiles of the account at Nuvio', { response: { 200: Profiles }, errors: LIMITED }),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      try {
        const people = await listPeople(openUpstream(kit.account(instance)))
        return { ok: true, instance, profiles: people.map(shown) }
      } catch (error) {
        return refuse(reply, error, instance, { profiles: [] })
      }
    },
  )

  const choosing = schema('Choose a profile at Nuvio', { body: Choice, response: { 200: Chosen }, errors: LIMITED })
  app.post<{ Body: typeof Choice.static }>('/api/tvA/profile/select', choosing, async (request, reply) => {
    const instance = kit.instanceOf(request)
    const { profile_id: wanted } = request.body
    try {
      const person = (await listPeople(openUpstream(kit.account(instance)))).find(({ index }) => index === wanted)
      if (person === undefined) throw unavailable()
      await choose(kit, instance, person)
      return { ok: true, instance, profile: shown(person), profile_id: person.index, profile_name: person.name }
    } catch (error) {
      return refuse(reply, error, instance)
    }
  })

  app.post(
    '/api/tvA/refresh',
    schema('Renew the sign-in to Nuvio', { response: { 200: Renewed }, errors: { ...PROFILE_ERRORS, 200: REFRESH } }),
    async (request) => {
      const instance = kit.instanceOf(request)
      const { client_key: key, refresh_token: token } = kit.profile(instance)
      if (key === '') return { ok: false, status: 'missing_public_client_key', instance }
      if (token === '') return { ok: false, status: 'missing_refresh', instance }
      try {
        // Concurrent callers share one renewal.
        await listPeople(openUpstream(kit.account(instance), { expired: true }))
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        const wasRenewed = kit.profile(instance).refresh_token !== token
        if (!wasRenewed) return { ok: false, status: refreshStatus(error), instance }
      }
      return { ok: true, status: 'ok', instance, expires_at: kit.profile(instance).expires_at }
    },
  )

  app.post(
    '/api/tvA/disconnect',
    schema('Sign out of Nuvio and forget the tokens', { response: { 200: SignInDone }, errors: SIGN_OUT_ERRORS }),
    async (request) => {
      const instance = kit.instanceOf(request)
      await kit.assertUnused(instance)
      kit.flows.cancel(instance, METHOD)
      // Without a chosen profile the account counts as not set up, so the kit does not sign it out.
      if (kit.profile(instance).profile_id === '') await endUnfinished(kit, instance)
      await kit.disconnect(instance)
      return { ok: true, instance }
    },
  )
}

async function endUnfinished(kit: Kit, instance: string): Promise<void> {
  try {
    using limit = usableLimit(LOG_OUT_LIMIT_MS, kit.ctx.signal)
    await logOut(kit.account(instance), limit.signal)
  } catch (error) {
    kit.ctx.log.warn(
      { instance, code: isPlayheadError(error) ? error.code : 'unexpected' },
      'Nuvio could not be notified of the sign-out',
    )
  }
}

function refuse(reply: FastifyReply, error: unknown, instance: string, more: object = {}) {
  return sendRefusal(reply, error, (refusal) => ({
    error: 'tvA_request_failed',
    reason: reasonOf(refusal),
    instance,
    ...more,
  }))
}

/** Status names of the service. */
function statusOf({ state, reason }: FlowState): string {
  if (state === 'authorized') return 'approved'
  return state === 'denied' || state === 'failed' ? (reason ?? state) : state
}

function timesOf({ expiresAtMs, intervalMs }: FlowState) {
  return { expires_at: Math.round(expiresAtMs / 1_000), interval: Math.ceil(intervalMs / 1_000) }
}

function shown({ index, name, usesPrimaryAddons, usesPrimaryPlugins }: Person) {
  return {
    profile_id: index,
    profile_index: index,
    name,
    uses_primary_addons: usesPrimaryAddons,
    uses_primary_plugins: usesPrimaryPlugins,
  }
}
