// Routes of both products: password sign-in, sign-out, and a server check before setup. Texts of the server are never
// passed on.
import { defined, isPlayheadError, PlayheadError, type PluginApp, withTimeLimit } from '@playhead/sdk'
import {
  InstanceQuery,
  isBlocked,
  PROFILE_ERRORS,
  type ProviderKit,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRoute,
} from '@playhead/sdk/provider'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Dialect } from '../dialect.ts'
import { listPeople } from './people.ts'
import type { Session } from '../session.ts'
import { openSession } from '../open-session.ts'
import { type MediaBrowserProfile, missing } from '../settings.ts'
import { findServer, signInByPassword } from './sign-in.ts'
import { listViews } from '../library.ts'

export type Kit = ProviderKit<MediaBrowserProfile, Session>

export interface RouteOptions {
  /** `mediaB` */
  readonly token: string
  readonly dialect: Dialect
  /** Include the server version in responses. */
  readonly tellsVersion: boolean
}

const TrialQuery = Type.Object({
  ...InstanceQuery.properties,
  server: Type.Optional(
    Type.String({ maxLength: 500, description: 'Another address, to check it before it is saved.' }),
  ),
  verify_ssl: Type.Optional(Type.Boolean()),
})
const Login = Type.Object({
  server: Type.Optional(Type.String({ maxLength: 500 })),
  username: Type.Optional(Type.String({ maxLength: 200 })),
  password: Type.Optional(Type.String({ maxLength: 1_000 })),
  verify_ssl: Type.Optional(Type.Boolean()),
  timeout: Type.Optional(Type.Integer({ description: 'Seconds for one request, 1 to 60.' })),
})
const INSPECT_MS = 8_000

const Version = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const SignedIn = signInAnswer(
  {
    user_id: Type.String(),
    username: Type.String(),
    server: Type.String({ description: 'The address that answered.' }),
  },
  { server_version: Version },
)
const Status = Type.Object({
  ok: Type.Boolean(),
  connected: Type.Boolean({ description: 'A sign-in is stored.' }),
  user: Type.Union([Type.String(), Type.Null()]),
  server_version: Version,
  instance: Type.String(),
})
const Inspected = Type.Object({
  ok: Type.Boolean(),
  connected: Type.Boolean(),
  server_url: Type.String(),
  username: Type.String(),
  user_id: Type.String(),
  server_version: Version,
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'Why it is not connected.' })),
})
const Libraries = Type.Object({
  ok: Type.Boolean(),
  libraries: Type.Array(Type.Object({ key: Type.String(), title: Type.String(), type: Type.String() })),
  instance: Type.String(),
  reason: Type.Optional(Type.String({ description: 'With `ok: false`: why there are none.' })),
})
const Users = Type.Object({
  users: Type.Array(
    Type.Object({
      id: Type.String(),
      username: Type.String(),
      IsAdministrator: Type.Boolean(),
      IsHidden: Type.Boolean(),
      IsDisabled: Type.Boolean(),
    }),
  ),
  count: Type.Integer(),
  instance: Type.String(),
  note: Type.Optional(Type.String({ description: 'The user may not see the others.' })),
})
const SERVER_ERRORS = {
  ...SERVICE_ERRORS,
  401: { unauthorized: 'The server refused the sign-in.' },
  409: { not_configured: 'The profile is not connected.' },
  403: { forbidden: 'The server does not let this user do that.' },
  502: {
    unreachable: 'The server cannot be reached.',
    blocked: 'The server returned a web page: something in front of it blocks programs.',
    tls_error: 'The certificate of the server is not trusted.',
    upstream_error: 'The server failed.',
    invalid_response: 'The server sent something that cannot be read.',
    host_not_allowed: 'The address is blocked.',
  },
  504: { timeout: 'The server did not answer in time.' },
}
const LOGIN_ERRORS = {
  ...SERVER_ERRORS,
  401: { ...SERVER_ERRORS[401], invalid_credentials: 'Name or password is wrong.' },
  400: {
    ...PROFILE_ERRORS[400],
    'Missing: server/username': 'Address or name is missing.',
    invalid_server: 'This is no address of a server.',
    wrong_product: 'Another product answers at this address.',
    version_too_old: 'The server is too old.',
    version_unknown: 'The version of the server cannot be read.',
  },
}
/** With `ok: false`, for routes that return partial data instead of an error. */
const SHOWN_REFUSALS = {
  not_configured: 'The profile is not connected.',
  not_found: 'The server does not have it.',
  unauthorized: 'The server refused the sign-in.',
  forbidden: 'The server does not let this user do that.',
  rate_limited: 'The server asks to wait.',
  unreachable: 'The server cannot be reached.',
  blocked: 'The server returned a web page: something in front of it blocks programs.',
  tls_error: 'The certificate of the server is not trusted.',
  timeout: 'The server did not answer in time.',
  upstream_error: 'The server failed.',
  invalid_response: 'The server sent something that cannot be read.',
  host_not_allowed: 'The address is blocked.',
}
const TRIAL_ERRORS = {
  ...PROFILE_ERRORS,
  400: {
    ...PROFILE_ERRORS[400],
    credentials_required: 'The stored sign-in belongs to another server. Sign in at this one first.',
  },
}

export function registerCommonRoutes(app: PluginApp, kit: Kit, { token, dialect, tellsVersion }: RouteOptions): void {
  const schema = (summary: string, more: object = {}) => ({
    summary,
    querystring: InstanceQuery,
    errors: PROFILE_ERRORS,
    ...more,
  })
  const versionOf = (version: string) => (tellsVersion ? { server_version: version || null } : {})

  app.post<{ Body: typeof Login.static }>(
    `/api/${token}/login`,
    {
      schema: schema('Sign in with name and password', {
        body: Login,
        response: { 200: SignedIn },
        errors: LOGIN_ERRORS,
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const { password = '', verify_ssl: verify, timeout } = request.body
      const stored = kit.profile(instance)
      const server = request.body.server?.trim() || stored.server
      const username = request.body.username?.trim() || stored.username
      if (server === '' || username === '') {
        throw new PlayheadError('PLH_INVALID', 'Enter the address of the server and your name there.', {
          wire: 'Missing: server/username',
          details: { instance },
        })
      }
      const verifySsl = verify ?? stored.verify_ssl
      const seconds = timeout === undefined ? {} : { timeout: Math.min(60, Math.max(1, timeout)) }
      const granted = await mapErrors(instance, async () => {
        const trial = kit.trial(instance, { verify_ssl: verifySsl, ...seconds, ...movedTo(server) })
        return signInByPassword(await findServer(trial, dialect, server), dialect, username, password, verifySsl)
      })
      kit.flows.cancel(instance, 'quick_connect')
      await kit.account(instance).save({ ...granted, username, api_key: '', password: '' })
      await kit.forget(instance)
      const { user_id: userId, user, server: address, server_version: version } = granted
      return { ok: true, user_id: userId, username: user || username, server: address, ...versionOf(version), instance }
    },
  )

  signOutRoute(app, kit, `/api/${token}/token/delete`, 'Sign out and forget the token')

  app.get(
    `/api/${token}/status`,
    { schema: schema('Whether a sign-in is stored, without asking the server', { response: { 200: Status } }) },
    (request) => {
      const instance = kit.instanceOf(request)
      const profile = kit.profile(instance)
      const connected = missing(profile) === undefined
      return {
        ok: true,
        connected,
        user: profile.user || profile.username || null,
        ...versionOf(profile.server_version),
        instance,
      }
    },
  )

  app.get(
    `/api/${token}/inspect`,
    {
      schema: schema('Check who is signed in, and store it', {
        response: { 200: Inspected },
        errors: { ...PROFILE_ERRORS, 200: SHOWN_REFUSALS },
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const stored = kit.profile(instance)
      const shown = (connected: boolean, reason: object = {}) => {
        const { server, user, username, user_id: userId, server_version: version } = kit.profile(instance)
        const known = { server_url: server, username: user || username, user_id: userId, ...versionOf(version) }
        return { ok: connected, connected, ...known, instance, ...reason }
      }
      if (missing(stored) !== undefined) return shown(false, { reason: 'not_configured' })
      try {
        const { userId, userName } = await within(kit.session(instance).identity(true), INSPECT_MS)
        if (userId !== stored.user_id || userName !== stored.user)
          await kit.account(instance).save({ user_id: userId, user: userName })
        return shown(true)
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return shown(false, { reason: reasonOf(error) })
      }
    },
  )

  app.get(
    `/api/${token}/libraries`,
    {
      schema: schema('The libraries that the user sees', {
        querystring: TrialQuery,
        response: { 200: Libraries },
        errors: { ...TRIAL_ERRORS, 200: SHOWN_REFUSALS },
      }),
    },
    async (request) => {
      const instance = kit.instanceOf(request)
      const session = tried(kit, dialect, instance, request)
      if (session === undefined) return { ok: false, reason: 'not_configured', libraries: [], instance }
      try {
        return { ok: true, libraries: await listViews(session), instance }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return { ok: false, reason: reasonOf(error), libraries: [], instance }
      }
    },
  )

  app.get(
    `/api/${token}/users`,
    {
      schema: schema('The users of the server', {
        querystring: TrialQuery,
        response: { 200: Users },
        errors: { ...SERVER_ERRORS, ...TRIAL_ERRORS },
      }),
    },
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const session = tried(kit, dialect, instance, request)
      if (session === undefined)
        return reply
          .code(409)
          .send({ ok: false, error: 'not_configured', detail: `${dialect.product} is not connected.` })
      const { users, onlyOwn } = await mapErrors(instance, () => listPeople(session))
      const rows = users.map(({ Id, Name, Policy }) => ({
        id: Id,
        username: Name ?? '',
        IsAdministrator: Policy?.IsAdministrator === true,
        IsHidden: Policy?.IsHidden === true,
        IsDisabled: Policy?.IsDisabled === true,
      }))
      return { users: rows, count: rows.length, instance, ...(onlyOwn ? { note: 'current user only' } : {}) }
    },
  )
}

/** The session of the profile, or one at the address in the query. Undefined when not connected. */
function tried(kit: Kit, dialect: Dialect, instance: string, request: FastifyRequest): Session | undefined {
  const { server, verify_ssl: verify } = request.query as typeof TrialQuery.static
  const stored = kit.profile(instance)
  if (server === undefined && verify === undefined)
    return missing(stored) === undefined ? kit.session(instance) : undefined
  const trial = kit.trial(instance, { ...movedTo(server ?? stored.server), ...defined({ verify_ssl: verify }) })
  if (missing(trial.profile) === undefined) return openSession(trial, dialect)
  if (missing(stored) !== undefined) return undefined
  throw new PlayheadError('PLH_INVALID', 'The stored sign-in belongs to another server. Sign in at this one first.', {
    wire: 'credentials_required',
    details: { instance },
  })
}

function movedTo(server: string): { server: string } {
  // The scheme does not matter for comparing servers.
  return { server: /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}` }
}

/** Maps errors to statuses and texts of the API. Request-related statuses of the server pass through. */
export async function mapErrors<Result>(instance: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    const status = statusOf(error)
    const retry = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
    // Names of connections are our own.
    throw new PlayheadError(error.code, error.message.replace(/^[A-Z]+@\S+: /, ''), {
      cause: error,
      status,
      wire: reasonOf(error),
      ...retry,
      details: { instance },
    })
  }
}

/** Reason code of an error. */
export function reasonOf(error: PlayheadError): string {
  if (error.code === 'PLH_UPSTREAM_TIMEOUT') return 'timeout'
  if (error.code !== 'PLH_UPSTREAM') return error.wire
  if (isBlocked(error)) return 'blocked'
  if (error.wire !== 'upstream_error') return error.wire
  const { status } = error.details ?? {}
  if (status === 403) return 'forbidden'
  return typeof status === 'number' ? 'upstream_error' : 'unreachable'
}

export function statusOf(error: PlayheadError): number {
  const { status } = error.details ?? {}
  return typeof status === 'number' && status >= 400 && status < 500 ? status : error.status
}

function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const late = () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'The server did not answer in time.')
  return withTimeLimit(work, limitMs, late)
}
