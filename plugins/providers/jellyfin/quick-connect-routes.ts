// Routes of Quick Connect. Failures have a `reason`; texts of the server are never passed on.
import type { FastifyReply } from 'fastify'
import { isPlayheadError, type PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import { PROFILE_ERRORS, signInAnswer } from '@playhead/sdk/provider'
import { findServer, type Kit, reasonOf } from '@playhead/media-browser'
import dialect from './dialect.ts'
import { isEnabled, quickConnect } from './quick-connect.ts'

const METHOD = 'quick_connect'

/** Status and text per reason. */
const REFUSALS: Readonly<Record<string, readonly [status: number, error: string]>> = {
  missing_server: [400, 'Enter the address of the server.'],
  invalid_server: [400, 'This is no address of a server.'],
  wrong_product: [400, 'There is no Jellyfin server at this address.'],
  version_too_old: [400, 'Quick Connect needs Jellyfin 10.9 or later.'],
  version_unknown: [400, 'The version of the server is not known.'],
  disabled: [409, 'Quick Connect is switched off at the server.'],
  not_authorized: [401, 'The server does not let this user sign in.'],
  unauthorized: [401, 'The server refused the sign-in.'],
  expired: [410, 'The code is no longer valid. Start again.'],
  unreachable: [502, 'The server cannot be reached.'],
  initiate_failed: [502, 'The server did not give a code.'],
  connect_failed: [502, 'The sign-in could not be finished.'],
}
const UNREACHED = new Set(['timeout', 'tls_error', 'unreachable', 'host_not_allowed'])

const InstanceQuery = Type.Object({ instance: Type.Optional(Type.String({ maxLength: 100 })) })
const Start = Type.Object({
  server: Type.Optional(Type.String({ maxLength: 500 })),
  verify_ssl: Type.Optional(Type.Boolean()),
})
const Availability = signInAnswer({
  supported: Type.Boolean({ description: 'The server can be asked for a code.' }),
  enabled: Type.Boolean(),
  server_version: Type.String(),
})
const Started = signInAnswer({
  code: Type.String({ description: 'The code to enter in Jellyfin.' }),
  method: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds.' }),
})
const Polled = signInAnswer({
  state: Type.String({ description: '`pending` or `authorized`.' }),
  auth_method: Type.String(),
  user_id: Type.String(),
  username: Type.String(),
  server: Type.String(),
  server_version: Type.String(),
})
const Cancelled = signInAnswer({ cancelled: Type.Boolean({ description: 'False if there was no code.' }) })
/** Reasons by HTTP status, returned as `reason`. */
const REFUSED: Record<number, Record<string, string>> = { ...PROFILE_ERRORS }
for (const [reason, [status, text]] of Object.entries(REFUSALS))
  REFUSED[status] = { ...REFUSED[status], [reason]: text }
const UNAVAILABLE = Object.fromEntries(
  [
    ...['missing_server', 'invalid_server', 'wrong_product', 'version_too_old', 'version_unknown'],
    ...['unauthorized', 'unreachable'],
  ].map((reason) => [reason, REFUSALS[reason]?.[1] ?? '']),
)

export function registerQuickConnectRoutes(app: PluginApp, kit: Kit): void {
  const schema = (summary: string, more: object = {}) => ({
    summary,
    querystring: InstanceQuery,
    errors: PROFILE_ERRORS,
    ...more,
  })

  function find(instance: string, server: string, verifySsl: boolean) {
    const settings = {
      verify_ssl: verifySsl,
      ...(server === '' ? {} : { server: /:\/\//.test(server) ? server : `http://${server}` }),
    }
    return findServer(kit.trial(instance, settings), dialect, server)
  }

  app.get(
    '/api/mediaB/quickconnect/available',
    {
      schema: schema('Whether the server offers Quick Connect', {
        response: { 200: Availability },
        errors: { ...PROFILE_ERRORS, 200: UNAVAILABLE },
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { server, verify_ssl: verifySsl } = kit.profile(instance)
      try {
        const found = await find(instance, server, verifySsl)
        return { ok: true, supported: true, enabled: await isEnabled(found), server_version: found.version, instance }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        const reason = refusalOf(error, 'unreachable')
        return { ok: false, supported: false, enabled: false, reason, error: REFUSALS[reason]?.[1], instance }
      }
    },
  )

  app.post<{ Body: typeof Start.static }>(
    '/api/mediaB/quickconnect/start',
    { schema: schema('Ask the server for a code', { body: Start, response: { 200: Started }, errors: REFUSED }) },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const stored = kit.profile(instance)
      const verifySsl = request.body.verify_ssl ?? stored.verify_ssl
      let otherwise = 'unreachable'
      try {
        const server = await find(instance, request.body.server?.trim() || stored.server, verifySsl)
        if (!(await isEnabled(server))) return refuse(reply, 'disabled', instance)
        otherwise = 'initiate_failed'
        const { shown, expiresAtMs } = await kit.flows.start(instance, quickConnect(kit, instance, server, verifySsl))
        const { deviceId, address } = server
        // A token in use stays with its server until it is replaced.
        if (stored.access_token === '' && stored.api_key === '') {
          await kit.account(instance).save({ server: address, verify_ssl: verifySsl, device_id: deviceId })
        }
        return {
          ok: true,
          code: shown['code'],
          method: METHOD,
          expires_in: Math.ceil((expiresAtMs - Date.now()) / 1_000),
          instance,
        }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        app.playhead.log.info({ instance, code: error.code }, 'Quick Connect could not be started')
        return refuse(reply, refusalOf(error, otherwise), instance)
      }
    },
  )

  app.get(
    '/api/mediaB/quickconnect/poll',
    { schema: schema('Whether the code was entered', { response: { 200: Polled }, errors: REFUSED }) },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow?.state === 'pending') return { ok: true, state: 'pending', instance }
      if (flow?.state === 'authorized')
        return { ok: true, state: 'authorized', ...flow.result, auth_method: METHOD, instance }
      if (flow === undefined || flow.state === 'expired')
        return refuse(reply, 'expired', instance, { state: 'expired' })
      const known = flow.reason !== undefined && Object.hasOwn(REFUSALS, flow.reason)
      return refuse(reply, known ? (flow.reason as string) : 'connect_failed', instance, { state: flow.state })
    },
  )

  app.post(
    '/api/mediaB/quickconnect/cancel',
    { schema: schema('Forget the code', { response: { 200: Cancelled } }) },
    (request) => {
      const instance = kit.instanceOf(request)
      return { ok: true, cancelled: kit.flows.cancel(instance, METHOD), instance }
    },
  )
}

function refuse(reply: FastifyReply, reason: string, instance: string, more: object = {}): FastifyReply {
  const [status, error] = REFUSALS[reason] ?? [502, 'The sign-in failed.']
  return reply.code(status).send({ ok: false, reason, error, ...more, instance })
}

function refusalOf(error: PlayheadError, otherwise: string): string {
  const reason = reasonOf(error)
  if (Object.hasOwn(REFUSALS, reason)) return reason
  return UNREACHED.has(reason) ? 'unreachable' : otherwise
}
