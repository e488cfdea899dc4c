// Routes of Tautulli: test and save address and key, show the state, and disconnect.
import { isMasked, isPlayheadError, PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import {
  type AccountContext,
  firstPlace,
  InstanceQuery,
  KEY_REFUSALS,
  type ProviderKit,
  saveWhenValid,
  sendRefusal,
  PROFILE_ERRORS,
  signInAnswer,
  signOutRoute,
} from '@playhead/sdk/provider'
import { openApi } from './api.ts'
import { serverOf, type Session } from './session.ts'
import { addressesOf, missing, type Profile } from './settings.ts'

type Kit = ProviderKit<Profile, Session>

const Text = Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()]))
const UserText = Type.String({ maxLength: 20, pattern: '^\\s*(\\d*|\\*)\\s*$' })
const UserId = Type.Optional(Type.Union([UserText, Type.Integer({ minimum: 0 }), Type.Null()]))
const Save = Type.Object({
  server_url: Text,
  server: Text,
  api_key: Text,
  key: Text,
  user_id: UserId,
  'history.user_id': UserId,
  history: Type.Optional(Type.Object({ user_id: UserId })),
  verify_ssl: Type.Optional(Type.Boolean()),
})

const StatusQuery = Type.Object({
  ...InstanceQuery.properties,
  verify: Type.Optional(Type.Integer({ default: 0, description: 'Not 0: asks the server.' })),
})
const Saved = signInAnswer({
  server_url: Type.String({ description: 'The address that answered.' }),
  has_key: Type.Boolean(),
})
const Status = Type.Object({
  connected: Type.Boolean(),
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it is not connected.' })),
})
const SAVE_ERRORS = {
  ...PROFILE_ERRORS,
  200: KEY_REFUSALS,
  429: { 'validation_http_…': 'The server asks to wait; see `retry_after`.' },
  400: {
    ...PROFILE_ERRORS[400],
    server_url_required: 'There is no address.',
    api_key_required: 'There is no key for this address.',
  },
}

export function registerRoutes(app: PluginApp, kit: Kit): void {
  app.post<{ Body: typeof Save.static }>(
    '/api/statsA/save',
    {
      schema: {
        summary: 'Connect Tautulli',
        querystring: InstanceQuery,
        body: Save,
        response: { 200: Saved },
        errors: SAVE_ERRORS,
      },
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const { body } = request
      const stored = kit.profile(instance)
      const entered = (body.server_url ?? body.server ?? '').trim() || stored.server_url
      if (entered === '')
        return reply.code(400).send({ ok: false, error: 'server_url_required', detail: 'server_url required' })
      const addresses = addressesOf(entered)
      if (addresses.length === 0) return { ok: false, error: 'validation_failed', instance }
      const key = (body.api_key ?? body.key ?? '').trim()
      const given = key === '' || isMasked(key) ? {} : { api_key: key }
      const userId = body.user_id ?? body['history.user_id'] ?? body.history?.user_id
      const verify = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const keyAt = (address: string) =>
        kit.trial(instance, { server_url: address, ...given, ...verify }).profile.api_key
      if (addresses.every((address) => keyAt(address) === ''))
        return reply.code(400).send({ ok: false, error: 'api_key_required', detail: 'api_key required' })
      try {
        const address = await firstToAnswer(kit, instance, addresses, verify)
        const settings = { server_url: address, ...given, ...verify }
        // Without a key in the request the stored key is used, but only for its own address.
        if (kit.trial(instance, settings).profile.api_key === '')
          return await reply.code(400).send({ ok: false, error: 'api_key_required', detail: 'api_key required' })
        await saveWhenValid(kit, instance, settings, async (trial) => {
          await serverOf({ account: trial, api: openApi(trial) })
          const user = userId === undefined || userId === null ? {} : { history: { user_id: String(userId).trim() } }
          return { save: { ...settings, api_key: trial.profile.api_key, ...user }, result: {} }
        })
        return { ok: true, server_url: address, has_key: true, instance }
      } catch (error) {
        return sendRefusal(reply, error, (refusal) => ({ error: codeOf(refusal), instance }))
      }
    },
  )

  app.get<{ Querystring: typeof StatusQuery.static }>(
    '/api/statsA/status',
    {
      schema: {
        summary: 'Whether Tautulli is connected',
        querystring: StatusQuery,
        response: { 200: Status },
        errors: PROFILE_ERRORS,
      },
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      if (missing(profile) !== undefined) {
        return {
          connected: false,
          instance,
          reason: profile.server_url === '' ? 'server_url_required' : 'api_key_required',
        }
      }
      if ((request.query.verify ?? 0) === 0) return { connected: true, instance }
      try {
        await serverOf(kit.session(instance))
        return { connected: true, instance }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return { connected: false, instance, reason: codeOf(error) }
      }
    },
  )

  signOutRoute(app, kit, '/api/statsA/disconnect', 'Forget the address and the key of Tautulli')
}

/** The first address where Tautulli responds, without the key, because people paste page addresses. */
async function firstToAnswer(
  kit: Kit,
  instance: string,
  addresses: readonly string[],
  verify: Partial<Profile>,
): Promise<string> {
  let failure: unknown
  for (const address of addresses) {
    try {
      return await firstPlace(
        address,
        async (place) => {
          await knock(kit.trial(instance, { server_url: place, ...verify }))
          return place.replace(/\/$/, '')
        },
        ['tautulli'],
      )
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      failure = error
    }
  }
  throw failure
}

const Said = Type.Object({ response: Type.Object({ result: Type.String() }) })

/** Without a key, Tautulli rejects requests in a recognizable form. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  const answer = await openApi(trial).request({ path: 'api/v2', accept: [400, 401, 403] })
  try {
    await answer.json(Said)
  } catch (error) {
    if (answer.status < 400) throw error
    const { status } = answer
    throw new PlayheadError(status === 401 ? 'PLH_AUTH_FAILED' : 'PLH_UPSTREAM', 'Tautulli does not answer there.', {
      details: { status },
    })
  }
}

function codeOf(error: PlayheadError): string {
  const { status } = error.details ?? {}
  if (status === 403) return 'invalid_api_key'
  switch (error.code) {
    case 'PLH_AUTH_FAILED':
      return 'invalid_api_key'
    case 'PLH_UPSTREAM_TIMEOUT':
      return 'validation_timeout'
    case 'PLH_UPSTREAM_INVALID':
      return 'validation_bad_response'
    case 'PLH_NOT_FOUND':
      return 'validation_http_404'
    case 'PLH_RATE_LIMITED':
      return 'validation_http_429'
    case 'PLH_UPSTREAM':
      return typeof status === 'number' ? `validation_http_${status}` : 'validation_failed'
    default:
      return 'validation_failed'
  }
}
