// Routes of both products: password sign-in, sign-out, and a server check before setup. Texts of the server are never
// passed on.
import { defined, isPlayheadError, PlayheadError, withTimeLimit } from '@playhead/sdk'
import {
  isBlocked,
  PROFILE_ERRORS,
  type ProviderKit,
  routeRow,
  type RouteTable,
  type RowCall,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Dialect } from '../dialect.ts'
import { listPeople } from './people.ts'
import type { Session } from '../session.ts'
import { openSession } from '../open-session.ts'
import { type MediaBrowserProfile, missing } from '../settings.ts'
import { findServer, signInByPassword } from './sign-in.ts'
import { listViews } from '../library.ts'

export type Kit = ProviderKit<MediaBrowserProfile, Session>

const TRIAL_QUERY = {
  server: Type.Optional(
    Type.String({ maxLength: 500, description: 'Another address, to check it before it is saved.' }),
  ),
  verify_ssl: Type.Optional(Type.Boolean()),
}
type TrialQuery = Static<TObject<typeof TRIAL_QUERY>>
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
  504: { timeout: 'The server did not respond in time.' },
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
  timeout: 'The server did not respond in time.',
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

/** @param tellsVersion include the server version in responses */
export function commonRows(
  dialect: Dialect,
  { tellsVersion }: { readonly tellsVersion: boolean },
): RouteTable<MediaBrowserProfile, Session> {
  const versionOf = (version: string) => (tellsVersion ? { server_version: version || null } : {})

  return {
    'POST login': routeRow({
      summary: 'Sign in with name and password',
      body: Login,
      response: { 200: SignedIn },
      errors: LOGIN_ERRORS,
      async run({ kit, instance, profile: stored, body }) {
        const { password = '', verify_ssl: verify, timeout } = body
        const server = body.server?.trim() || stored.server
        const username = body.username?.trim() || stored.username
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
        return { user_id: userId, username: user || username, server: address, ...versionOf(version) }
      },
    }),

    'POST token/delete': signOutRow('Sign out and forget the token'),

    'GET status': routeRow({
      summary: 'Whether a sign-in is stored, without asking the server',
      response: { 200: Status },
      run: ({ profile }) => ({
        connected: missing(profile) === undefined,
        user: profile.user || profile.username || null,
        ...versionOf(profile.server_version),
      }),
    }),

    'GET inspect': routeRow({
      summary: 'Check who is signed in, and store it',
      response: { 200: Inspected },
      errors: { 200: SHOWN_REFUSALS },
      async run({ kit, instance, profile: stored }) {
        const shown = (connected: boolean, reason: object = {}) => {
          const { server, user, username, user_id: userId, server_version: version } = kit.profile(instance)
          const known = { server_url: server, username: user || username, user_id: userId, ...versionOf(version) }
          return { ok: connected, connected, ...known, ...reason }
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
    }),

    'GET libraries': routeRow({
      summary: 'The libraries that the user sees',
      query: TRIAL_QUERY,
      response: { 200: Libraries },
      errors: { ...TRIAL_ERRORS, 200: SHOWN_REFUSALS },
      async run(call) {
        const session = tried(call, dialect)
        if (session === undefined) return { ok: false, reason: 'not_configured', libraries: [] }
        try {
          return { libraries: await listViews(session) }
        } catch (error) {
          if (!isPlayheadError(error)) throw error
          return { ok: false, reason: reasonOf(error), libraries: [] }
        }
      },
    }),

    'GET users': routeRow({
      summary: 'The users of the server',
      query: TRIAL_QUERY,
      response: { 200: Users },
      errors: { ...SERVER_ERRORS, ...TRIAL_ERRORS },
      async run(call) {
        const session = tried(call, dialect)
        if (session === undefined)
          return call.reply
            .code(409)
            .send({ ok: false, error: 'not_configured', detail: `${dialect.product} is not connected.` })
        const { users, onlyOwn } = await mapErrors(call.instance, () => listPeople(session))
        const rows = users.map(({ Id, Name, Policy }) => ({
          id: Id,
          username: Name ?? '',
          IsAdministrator: Policy?.IsAdministrator === true,
          IsHidden: Policy?.IsHidden === true,
          IsDisabled: Policy?.IsDisabled === true,
        }))
        return { users: rows, count: rows.length, ...(onlyOwn ? { note: 'current user only' } : {}) }
      },
    }),
  }
}

/** The session of the profile, or one at the address in the query. Undefined when not connected. */
function tried(
  { kit, instance, profile: stored, query }: RowCall<MediaBrowserProfile, Session, unknown, TrialQuery>,
  dialect: Dialect,
): Session | undefined {
  const { server, verify_ssl: verify } = query
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
async function mapErrors<Result>(instance: string, work: () => Promise<Result>): Promise<Result> {
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

function statusOf(error: PlayheadError): number {
  const { status } = error.details ?? {}
  return typeof status === 'number' && status >= 400 && status < 500 ? status : error.status
}

function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const late = () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'The server did not respond in time.')
  return withTimeLimit(work, limitMs, late)
}
