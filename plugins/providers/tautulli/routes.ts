// Routes of Tautulli: test and save address and key, show the state, and disconnect.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
  enteredFields,
  findServer,
  KEY_REFUSALS,
  providerRoutes,
  routeRow,
  saveWhenValid,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openApi } from './api.ts'
import { serverOf, type Session } from './session.ts'
import { missing, type Profile } from './settings.ts'

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

const Saved = signInAnswer({
  server_url: Type.String({ description: 'The address that answered.' }),
  has_key: Type.Boolean(),
})
const Status = Type.Object({
  connected: Type.Boolean(),
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it is not connected.' })),
})

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect Tautulli',
    body: Save,
    response: { 200: Saved },
    refusals: {
      codes: KEY_REFUSALS,
      limited: { 'validation_http_…': 'The server asks to wait; see `retry_after`.' },
      of: (error) => ({ error: codeOf(error) }),
    },
    errors: {
      400: { server_url_required: 'There is no address.', api_key_required: 'There is no key for this address.' },
    },
    async run({ kit, instance, profile, body, reply }) {
      const lacks = (what: string) =>
        reply.code(400).send({ ok: false, error: `${what}_required`, detail: `${what} required` })
      const entered = (body.server_url ?? body.server ?? '').trim() || profile.server_url
      if (entered === '') return lacks('server_url')
      const given = enteredFields({ api_key: body.api_key ?? body.key }, ['api_key'])
      const userId = body.user_id ?? body['history.user_id'] ?? body.history?.user_id
      const verify = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      // Without a key in the request the stored key is used, but only for its own address.
      const noKey = new PlayheadError('PLH_INVALID', 'There is no key for this address.', { wire: 'api_key_required' })
      const look = async (place: string) => {
        const trial = (key: object) => kit.trial(instance, { server_url: place, ...key, ...verify })
        if (trial(given).profile.api_key === '') throw noKey
        await knock(trial({}))
      }
      let address: string
      try {
        address = await findServer(entered, look, { below: ['tautulli'] })
      } catch (error) {
        if (error === noKey) return lacks('api_key')
        throw error
      }
      const settings = { server_url: address, ...given, ...verify }
      return saveWhenValid(kit, instance, settings, async (trial) => {
        await serverOf({ account: trial, api: openApi(trial) })
        const user = userId === undefined || userId === null ? {} : { history: { user_id: String(userId).trim() } }
        return {
          save: { ...settings, api_key: trial.profile.api_key, ...user },
          result: { server_url: address, has_key: true },
        }
      })
    },
  }),

  'GET status': routeRow({
    summary: 'Whether Tautulli is connected',
    query: { verify: Type.Optional(Type.Integer({ default: 0, description: 'Not 0: asks the server.' })) },
    response: { 200: Status },
    async run({ kit, instance, profile, query }) {
      if (missing(profile) !== undefined)
        return { connected: false, reason: profile.server_url === '' ? 'server_url_required' : 'api_key_required' }
      try {
        if ((query.verify ?? 0) !== 0) await serverOf(kit.session(instance))
        return { connected: true }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return { connected: false, reason: codeOf(error) }
      }
    },
  }),

  'POST disconnect': signOutRow('Forget the address and the key of Tautulli'),
})

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
