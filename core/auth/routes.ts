// HTTP routes of authentication: status, login, logout, credentials, restart, and the login page.
import { finished } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { optionalBody, PlayheadError, Type, type RunningOperation, type Static } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { isLocalCaller } from '../http/access/client-address.ts'
import { escapeHtml } from '../http/escape-html.ts'
import { SIGN_IN_METHOD } from '../wire-names.ts'
import type { Auth } from './account.ts'
import type { AuthClient, SignedIn } from './client.ts'
import { clearedSessionCookie, sessionCookie } from './cookie.ts'
import { nextPage } from './next-page.ts'
import { sessionEndsAtMs, type Sessions } from './sessions.ts'
import type { Session } from './session-table.ts'

interface AuthRouteDependencies {
  readonly auth: Auth
  readonly sessions: Sessions
  readonly clock: Clock
  /** Sends the login page; `fill` sets `data-next` in its HTML. */
  readonly sendLoginPage: (reply: FastifyReply, fill: (html: string) => string) => Promise<FastifyReply>
  readonly runningOperations: () => Promise<readonly RunningOperation[]>
  /** Drains the service and restarts it. */
  readonly restart: (reason: string) => void
}

const LoginBody = Type.Object({
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  remember_me: Type.Optional(Type.Boolean()),
})

const CredentialsBody = Type.Object(
  {
    enabled: Type.Boolean(),
    username: Type.Optional(Type.String()),
    password: Type.Optional(Type.String({ description: 'May be left out to keep the stored one.' })),
    current_password: Type.Optional(
      Type.String({ description: 'Needed to change name or password, and to switch off or on.' }),
    ),
    setup_token: Type.Optional(
      Type.String({ description: 'Needed for the first account unless the caller sits at the machine.' }),
    ),
    remember_session_enabled: Type.Optional(Type.Boolean()),
    remember_session_days: Type.Optional(Type.Integer({ description: 'Brought into the range of 1 to 365.' })),
  },
  { title: 'CredentialsRequest' },
)

const RestartBody = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Also while something is running.' })),
})

const SessionFacts = Type.Object({
  id: Type.String(),
  created_at: Type.Integer(),
  expires_at: Type.Integer(),
  ip: Type.String(),
  ua: Type.String(),
})

const Status = Type.Object({
  enabled: Type.Boolean(),
  configured: Type.Boolean(),
  setup_required: Type.Boolean(),
  authenticated: Type.Boolean(),
  username: Type.String(),
  session_expires_at: Type.Integer(),
  current_session: Type.Union([SessionFacts, Type.Null()]),
  other_sessions: Type.Array(SessionFacts),
  other_session_count: Type.Integer(),
  reset_required: Type.Boolean(),
  remember_session_enabled: Type.Optional(Type.Boolean({ description: 'Only for a signed-in caller.' })),
  remember_session_days: Type.Optional(Type.Integer({ description: 'Only for a signed-in caller.' })),
  [`${SIGN_IN_METHOD}_sso_enabled` as const]: Type.Boolean(),
  [`${SIGN_IN_METHOD}_sso_linked` as const]: Type.Boolean(),
})

const Ok = Type.Object({ ok: Type.Boolean() })
const LoginAnswer = Type.Object({ ok: Type.Boolean(), expires_at: Type.Integer() })
const CredentialsAnswer = Type.Object({
  ok: Type.Boolean(),
  enabled: Type.Boolean(),
  expires_at: Type.Optional(Type.Integer()),
})

const PUBLIC = { auth: 'P' } as const
const PUBLIC_DURING_SETUP = { auth: 'P', duringSetup: true } as const
const SESSION = { auth: 'S', scope: 'admin' } as const
/** These routes concern the session itself; an API token has none. */
const OWN_SESSION = { auth: 'S', scope: 'session' } as const

export function authRoutes(deps: AuthRouteDependencies): FastifyPluginAsync {
  const { auth, sessions, clock } = deps

  return async (app) => {
    app.get(
      '/api/app-auth/status',
      {
        config: { access: PUBLIC_DURING_SETUP },
        schema: schema('Who is signed in, and whether anybody has to', { response: { 200: Status } }),
      },
      (request) => describe(request),
    )

    app.post(
      '/api/app-auth/login',
      { config: { access: PUBLIC }, schema: schema('Sign in', { body: LoginBody, response: { 200: LoginAnswer } }) },
      async (request, reply) => {
        const body = request.body as Static<typeof LoginBody>
        const input = {
          username: body.username ?? '',
          password: body.password ?? '',
          remember: body.remember_me ?? false,
        }
        const signedIn = await auth.login(input, toClient(request))
        setCookie(request, reply, signedIn)
        return { ok: true, expires_at: seconds(sessionEndsAtMs(signedIn.session)) }
      },
    )

    app.post(
      '/api/app-auth/logout',
      { config: { access: PUBLIC }, schema: schema('Sign out', { response: { 200: Ok } }) },
      async (request, reply) => {
        const { session, address, secure } = request.caller
        // Also on failure, so that the browser always drops an invalid cookie.
        void reply.header('set-cookie', clearedSessionCookie(secure))
        if (session !== null) await auth.logout(session, address)
        else if (auth.state() === 'enabled') {
          return reply.code(401).header('x-auth-required', 'session').send({ ok: false, error: 'Unauthorized' })
        }
        return { ok: true }
      },
    )

    app.post(
      '/api/app-auth/logout-all',
      { config: { access: SESSION }, schema: schema('End all sessions', { response: { 200: Ok } }) },
      async (request, reply) => {
        await auth.logoutAll(request.caller.address)
        void reply.header('set-cookie', clearedSessionCookie(request.caller.secure))
        return { ok: true }
      },
    )

    app.post(
      '/api/app-auth/logout-others',
      { config: { access: OWN_SESSION }, schema: schema('End all sessions but this one', { response: { 200: Ok } }) },
      async (request) => {
        await auth.logoutOthers(request.caller.session, request.caller.address)
        return { ok: true }
      },
    )

    app.delete(
      '/api/app-auth/sessions/:id',
      {
        config: { access: SESSION },
        schema: schema('End one session', {
          params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
          response: { 200: Type.Object({ ok: Type.Boolean(), current: Type.Boolean() }) },
        }),
      },
      async (request, reply) => {
        const { id } = request.params as { id: string }
        const session = sessions.list().find((one) => one.id === id)
        if (session === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', 'This session does not exist. It may have ended.', {
            wire: 'session_not_found',
          })
        const current = session.id === request.caller.session?.id
        await auth.logout(session, request.caller.address)
        if (current) void reply.header('set-cookie', clearedSessionCookie(request.caller.secure))
        return { ok: true, current }
      },
    )

    app.post(
      '/api/app-auth/credentials',
      {
        config: { access: { auth: 'SS', scope: 'session' } },
        schema: schema('Create, change or switch off the account', {
          body: CredentialsBody,
          response: { 200: CredentialsAnswer },
        }),
      },
      async (request, reply) => {
        const body = request.body as Static<typeof CredentialsBody>
        const outcome = await auth.setCredentials(
          {
            enabled: body.enabled,
            username: body.username,
            password: body.password,
            currentPassword: body.current_password,
            setupToken: body.setup_token,
            rememberEnabled: body.remember_session_enabled,
            rememberDays: body.remember_session_days,
          },
          toClient(request),
        )
        if (outcome.signedIn !== undefined) setCookie(request, reply, outcome.signedIn)
        if (!outcome.enabled) void reply.header('set-cookie', clearedSessionCookie(request.caller.secure))
        const { enabled, expiresAtMs } = outcome
        return { ok: true, enabled, ...(expiresAtMs === undefined ? {} : { expires_at: seconds(expiresAtMs) }) }
      },
    )

    restartRoute(app)
    pageRoutes(app)
  }

  function restartRoute(app: FastifyInstance): void {
    app.post(
      '/api/app-auth/apply-now',
      {
        config: { access: SESSION },
        schema: schema('End all sessions and restart the service', {
          body: optionalBody(RestartBody),
          response: { 200: Ok },
        }),
      },
      async (request, reply) => {
        const operations = await deps.runningOperations()
        const body = request.body as Static<typeof RestartBody> | null
        if (operations.length > 0 && body?.force !== true) {
          throw new PlayheadError(
            'PLH_CONFLICT',
            'Something is still running. Wait for its end, or send force: true.',
            { wire: 'operation_running', details: { operations } },
          )
        }
        await auth.logoutAll(request.caller.address)
        // Also if the client disconnects before reading the response.
        finished(reply.raw, () => deps.restart('asked for by the user'))
        void reply.header('set-cookie', clearedSessionCookie(request.caller.secure)).header('connection', 'close')
        return { ok: true }
      },
    )
  }

  function pageRoutes(app: FastifyInstance): void {
    app.get('/login', { config: { access: PUBLIC_DURING_SETUP }, schema: { hide: true } }, (request, reply) => {
      void reply.header('cache-control', 'no-store')
      const next = nextPage((request.query as { next?: unknown }).next)
      if (auth.state() === 'disabled') return reply.redirect('/', 302)
      if (request.caller.session !== null) return reply.redirect(next, 302)
      return deps.sendLoginPage(reply, (html) => html.replace('data-next="/"', () => `data-next="${escapeHtml(next)}"`))
    })

    app.get('/logout', { config: { access: PUBLIC_DURING_SETUP }, schema: { hide: true } }, async (request, reply) => {
      const { session, address, secure } = request.caller
      void reply.header('cache-control', 'no-store')
      // Cross-site links must not sign the user out.
      if (request.headers['sec-fetch-site'] === 'cross-site') return reply.redirect('/', 303)
      if (session !== null) await auth.logout(session, address)
      void reply.header('set-cookie', clearedSessionCookie(secure))
      return reply.redirect(auth.state() === 'enabled' ? '/login' : '/', 303)
    })
  }

  function describe(request: FastifyRequest): Static<typeof Status> {
    const account = auth.account()
    const signedIn = request.caller.session !== null
    const all = signedIn ? sessions.list().filter(({ credentialsId }) => credentialsId === account.credentialsId) : []
    const current = all.find(({ id }) => id === request.caller.session?.id)
    const others = all.filter((session) => session !== current)
    return {
      enabled: account.state === 'enabled',
      configured: account.configured,
      setup_required: account.state === 'setup_required',
      authenticated: signedIn,
      username: signedIn ? account.username : '',
      session_expires_at: current === undefined ? 0 : seconds(sessionEndsAtMs(current)),
      current_session: current === undefined ? null : toFacts(current),
      other_sessions: others.map(toFacts),
      other_session_count: others.length,
      reset_required: account.resetRequired,
      ...(signedIn
        ? { remember_session_enabled: account.rememberEnabled, remember_session_days: account.rememberDays }
        : {}),
      [`${SIGN_IN_METHOD}_sso_enabled`]: account.link.enabled,
      [`${SIGN_IN_METHOD}_sso_linked`]: account.link.linked,
    }
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, { token, session }: SignedIn): void {
    const expiresAtMs = session.persistent ? { expiresAtMs: session.latestEndAtMs } : {}
    void reply.header(
      'set-cookie',
      sessionCookie({ token, secure: request.caller.secure, ...expiresAtMs }, clock.now()),
    )
  }
}

function toClient(request: FastifyRequest): AuthClient {
  const { address, session } = request.caller
  return {
    address,
    session,
    local: isLocalCaller(address, request.headers),
    userAgent: request.headers['user-agent'] ?? '',
  }
}

function toFacts(session: Session): Static<typeof SessionFacts> {
  return {
    id: session.id,
    created_at: seconds(session.createdAtMs),
    expires_at: seconds(sessionEndsAtMs(session)),
    ip: session.address,
    ua: session.userAgent,
  }
}

function schema(summary: string, parts: object): object {
  return { tags: ['Application authentication'], summary, ...parts }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
