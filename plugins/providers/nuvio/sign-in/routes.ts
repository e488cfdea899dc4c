// Routes of Nuvio: sign-in by link, choice of a profile, and sign-out.
import type { FastifyReply } from 'fastify'
import { isPlayheadError, optionalBody, Type, usableLimit } from '@playhead/sdk'
import {
  type FlowState,
  providerRoutes,
  type Refusals,
  routeRow,
  type RowCall,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { loginPage } from './login-answers.ts'
import { listPeople, type Person, unavailable } from './people.ts'
import { reasonOf, refreshStatus } from './refusals.ts'
import { logOut } from './log-out.ts'
import { choose, peopleAfterSignIn, tvLogin } from './tv-login.ts'
import type { Session } from '../session.ts'
import type { Profile as Settings } from '../settings.ts'
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
const REFUSED: Refusals = {
  codes: {
    tvA_request_failed: 'Nuvio refused or failed; `reason` says more.',
    authentication_failed: 'As `reason`: the sign-in is missing or no longer valid.',
    token_refresh_failed: 'As `reason`: the sign-in could not be renewed. Sign in again.',
    profile_unavailable: 'As `reason`: the profile no longer exists at Nuvio.',
    invalid_response: 'As `reason`: Nuvio sent something that cannot be read.',
    service_unavailable: 'As `reason`: Nuvio failed or cannot be reached.',
    internal: 'As `reason`: something else; the log says more.',
  },
  limited: { tvA_request_failed: 'Nuvio asks to wait; see `retry_after`.' },
  of: (error) => ({ error: 'tvA_request_failed', reason: reasonOf(error) }),
}
const WITHOUT_PROFILES: Refusals = { ...REFUSED, of: (error) => ({ ...REFUSED.of(error), profiles: [] }) }
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

export const routes = providerRoutes<Settings, Session>({
  'POST device/start': routeRow({
    summary: 'Start signing in to Nuvio',
    body: Start,
    response: { 200: Started },
    refusals: REFUSED,
    errors: { 200: NO_KEY, 400: { invalid_redirect_base_url: 'People can only sign in on the page of Nuvio.' } },
    async run({ kit, instance, profile: { client_key: key, web_url: configured }, body, reply }) {
      const page = loginPage(body.redirect_base_url ?? '', configured)
      if (page === undefined) {
        const detail = 'People can only sign in on the page of Nuvio, or on the one in the settings.'
        return invalid(reply, 'invalid_redirect_base_url', detail)
      }
      if (key === '') return 'missing_public_client_key'
      const flow = await kit.flows.start(instance, tvLogin(kit, instance, page))
      return { ...flow.shown, ...timesOf(flow) }
    },
  }),

  'POST device/poll': routeRow({
    summary: 'Progress of a sign-in to Nuvio',
    body: Nothing,
    response: { 200: Poll, 410: Poll },
    errors: { 200: { ...NOT_STARTED, ...NOT_APPROVED }, 410: EXPIRED },
    async run({ kit, instance }) {
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow === undefined) return { ok: false, status: NO_LOGIN, error: NO_LOGIN }
      const status = statusOf(flow)
      return { ok: status === 'approved', status, ...timesOf(flow) }
    },
  }),

  'POST device/finish': routeRow({
    summary: 'Finish signing in to Nuvio',
    body: Nothing,
    response: { 200: Finished },
    refusals: WITHOUT_PROFILES,
    errors: { 200: NOT_APPROVED, 400: NOT_STARTED, 410: EXPIRED },
    async run({ kit, instance, reply }) {
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow === undefined) return invalid(reply, NO_LOGIN, NOT_STARTED[NO_LOGIN])
      const status = statusOf(flow)
      if (status === 'expired')
        return { ok: false, status, error: status, detail: 'The sign-in took too long. Start it again.' }
      if (status !== 'approved') return { ok: false, status, error: status, profiles: [] }
      const people = await peopleAfterSignIn(kit, instance)
      kit.flows.cancel(instance, METHOD)
      return { status: 'ok', expires_at: kit.profile(instance).expires_at, profiles: people.map(shown) }
    },
  }),

  'GET status': routeRow({
    summary: 'The stored sign-in to Nuvio, without asking the service',
    response: { 200: Stored },
    run({ profile }) {
      const authenticated = profile.access_token !== ''
      return {
        connected: authenticated && profile.profile_id !== '',
        authenticated,
        base_url_configured: profile.base_url !== '',
        client_key_configured: profile.client_key !== '',
        profile_id: profile.profile_id === '' ? null : profile.profile_id,
        profile_name: profile.profile_name,
        expires_at: profile.expires_at,
      }
    },
  }),

  'GET profiles': routeRow({
    summary: 'The profiles of the account at Nuvio',
    response: { 200: Profiles },
    refusals: WITHOUT_PROFILES,
    run: async ({ kit, instance }) => ({
      profiles: (await listPeople(openUpstream(kit.account(instance)))).map(shown),
    }),
  }),

  'POST profile/select': routeRow({
    summary: 'Choose a profile at Nuvio',
    body: Choice,
    response: { 200: Chosen },
    refusals: REFUSED,
    async run({ kit, instance, body: { profile_id: wanted } }) {
      const person = (await listPeople(openUpstream(kit.account(instance)))).find(({ index }) => index === wanted)
      if (person === undefined) throw unavailable()
      await choose(kit, instance, person)
      return { profile: shown(person), profile_id: person.index, profile_name: person.name }
    },
  }),

  'POST refresh': routeRow({
    summary: 'Renew the sign-in to Nuvio',
    response: { 200: Renewed },
    errors: { 200: REFRESH },
    async run({ kit, instance, profile: { client_key: key, refresh_token: token } }) {
      if (key === '') return { ok: false, status: 'missing_public_client_key' }
      if (token === '') return { ok: false, status: 'missing_refresh' }
      try {
        // Concurrent callers share one renewal.
        await listPeople(openUpstream(kit.account(instance), { expired: true }))
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        const wasRenewed = kit.profile(instance).refresh_token !== token
        if (!wasRenewed) return { ok: false, status: refreshStatus(error) }
      }
      return { status: 'ok', expires_at: kit.profile(instance).expires_at }
    },
  }),

  'POST disconnect': signOutRow('Sign out of Nuvio and forget the tokens', endUnfinished),
})

/** Without a chosen profile the account counts as not set up, so the kit does not sign it out. */
async function endUnfinished({ kit, instance }: RowCall<Settings, Session>): Promise<void> {
  kit.flows.cancel(instance, METHOD)
  if (kit.profile(instance).profile_id !== '') return
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

function invalid(reply: FastifyReply, error: string, detail: string): object {
  void reply.code(400)
  return { ok: false, error, detail }
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
