// Routes of Quick Connect. Failures have a `reason`; texts of the server are never passed on.
import type { FastifyReply } from 'fastify'
import { isPlayheadError, type PlayheadError, Type } from '@playhead/sdk'
import { cancelRow, routeRow, type RouteTable, signInAnswer } from '@playhead/sdk/provider'
import {
  findServer,
  type Kit,
  type MediaBrowserProfile,
  reasonOf,
  type Server,
  type Session,
} from '@playhead/media-browser'
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
  disabled: [409, 'Quick Connect is turned off on the server.'],
  not_authorized: [401, 'The server does not let this user sign in.'],
  unauthorized: [401, 'The server refused the sign-in.'],
  expired: [410, 'The code is no longer valid. Start again.'],
  unreachable: [502, 'The server cannot be reached.'],
  initiate_failed: [502, 'The server did not give a code.'],
  connect_failed: [502, 'The sign-in could not be finished.'],
}
const UNREACHED = new Set(['timeout', 'tls_error', 'unreachable', 'host_not_allowed'])

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
/** Reasons by HTTP status, returned as `reason`. */
const REFUSED: Record<number, Record<string, string>> = {}
for (const [reason, [status, text]] of Object.entries(REFUSALS))
  REFUSED[status] = { ...REFUSED[status], [reason]: text }
const UNAVAILABLE = Object.fromEntries(
  [
    ...['missing_server', 'invalid_server', 'wrong_product', 'version_too_old', 'version_unknown'],
    ...['unauthorized', 'unreachable'],
  ].map((reason) => [reason, REFUSALS[reason]?.[1] ?? '']),
)

export const QUICK_CONNECT: RouteTable<MediaBrowserProfile, Session> = {
  'GET quickconnect/available': routeRow({
    summary: 'Whether the server offers Quick Connect',
    response: { 200: Availability },
    errors: { 200: UNAVAILABLE },
    async run({ kit, instance, profile: { server, verify_ssl: verifySsl } }) {
      try {
        const found = await find(kit, instance, server, verifySsl)
        return { supported: true, enabled: await isEnabled(found), server_version: found.version }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        const reason = refusalOf(error, 'unreachable')
        return { ok: false, supported: false, enabled: false, reason, error: REFUSALS[reason]?.[1] }
      }
    },
  }),

  'POST quickconnect/start': routeRow({
    summary: 'Ask the server for a code',
    body: Start,
    response: { 200: Started },
    errors: REFUSED,
    async run({ kit, instance, profile: stored, body, reply }) {
      const verifySsl = body.verify_ssl ?? stored.verify_ssl
      let otherwise = 'unreachable'
      try {
        const server = await find(kit, instance, body.server?.trim() || stored.server, verifySsl)
        if (!(await isEnabled(server))) return refuse(reply, 'disabled')
        otherwise = 'initiate_failed'
        const { shown, expiresAtMs } = await kit.flows.start(instance, quickConnect(kit, instance, server, verifySsl))
        const { deviceId, address } = server
        // A token in use stays with its server until it is replaced.
        if (stored.access_token === '' && stored.api_key === '') {
          await kit.account(instance).save({ server: address, verify_ssl: verifySsl, device_id: deviceId })
        }
        return { ...shown, method: METHOD, expires_in: Math.ceil((expiresAtMs - Date.now()) / 1_000) }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        kit.ctx.log.info({ instance, code: error.code }, 'Quick Connect could not be started')
        return refuse(reply, refusalOf(error, otherwise))
      }
    },
  }),

  'GET quickconnect/poll': routeRow({
    summary: 'Whether the code was entered',
    response: { 200: Polled },
    errors: REFUSED,
    async run({ kit, instance, reply }) {
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow?.state === 'pending') return { state: 'pending' }
      if (flow?.state === 'authorized') return { state: 'authorized', ...flow.result, auth_method: METHOD }
      if (flow === undefined || flow.state === 'expired') return refuse(reply, 'expired', { state: 'expired' })
      const known = flow.reason !== undefined && Object.hasOwn(REFUSALS, flow.reason)
      return refuse(reply, known ? (flow.reason as string) : 'connect_failed', { state: flow.state })
    },
  }),

  'POST quickconnect/cancel': cancelRow(METHOD, 'code'),
}

function find(kit: Kit, instance: string, server: string, verifySsl: boolean): Promise<Server> {
  const settings = {
    verify_ssl: verifySsl,
    ...(server === '' ? {} : { server: /:\/\//.test(server) ? server : `http://${server}` }),
  }
  return findServer(kit.trial(instance, settings), dialect, server)
}

function refuse(reply: FastifyReply, reason: string, more: object = {}): object {
  const [status, error] = REFUSALS[reason] ?? [502, 'The sign-in failed.']
  void reply.code(status)
  return { ok: false, reason, error, ...more }
}

function refusalOf(error: PlayheadError, otherwise: string): string {
  const reason = reasonOf(error)
  if (Object.hasOwn(REFUSALS, reason)) return reason
  return UNREACHED.has(reason) ? 'unreachable' : otherwise
}
