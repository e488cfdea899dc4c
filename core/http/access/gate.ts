// The access gate, which every request passes before any handler. Rules apply from top to bottom; an error is a
// refusal.
//
//   marked `always` (health)                 pass without any check
//   configuration unreadable                 503
//   foreign host name                        403   without a password, or if allowed hosts are configured
//   no account yet, not open during setup    403   pages: 302 to /
//   API token, for a protected route         pass  401 or 429 if it is wrong, 403 if it may not do this
//   effects, not from our own pages          403   for a protected route only with a session
//   webhook, public, authentication off      pass
//   session                                  pass
//   bearer token that the plugin accepts     pass  429 after too many wrong ones
//   anything else                            401   pages: 302 to /login
//
// A request with an API token is judged by that alone: its cookies count for nothing, and its origin does not matter,
// because a foreign page cannot make a browser send this header.
import { msUntil } from '@playhead/sdk'
import type { Caller, CallerToken, Logger } from '@playhead/sdk'
import { sessionOfCookies } from '../../auth/cookie.ts'
import { perDocument, sectionOf } from '../../auth/per-document.ts'
import type { Session } from '../../auth/session-table.ts'
import type { AuthState } from '../../auth/stored-account.ts'
import type { ConfigDocument, ConfigService } from '../../config/contract.ts'
import type { Gate, GateDecision, GateRequest, RouteAccess } from './access.ts'
import { compileTrust, describeClient, type Client } from './client-address.ts'
import { isSameOrigin, isSameOriginNavigation } from './origin.ts'
import { isOwnHost } from './own-host.ts'
import { includesScope, scopeOfRoute } from './scopes.ts'

/** Account state for the gate, by a configuration document or the latest. Synchronous, without I/O. */
export interface GateAuth {
  state(document?: Readonly<ConfigDocument>): AuthState
  /** The valid session of a cookie's token; none unless authentication is enabled. */
  session(token: string, document?: Readonly<ConfigDocument>): Session | undefined
  /** The bearer token of a request, if it has the shape of an API token. */
  apiToken(text: string, address: string): TokenVerdict | null
  /** Counts a wrong bearer token of this client. `check` decides about tokens that Playhead did not issue. */
  wrongToken(address: string, check?: () => Promise<boolean>): Promise<WrongTokenVerdict>
}

type TokenVerdict =
  | { readonly kind: 'valid'; readonly token: CallerToken }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' }

type WrongTokenVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'blocked'; readonly retryAfterS: number }

interface GateDependencies {
  readonly auth: GateAuth
  readonly config: Pick<ConfigService, 'current'>
  readonly log: Logger
  /** More names of this service, beside `security.allowed_hosts`. They only widen access. */
  readonly allowedHosts?: readonly string[]
  /** Public origin of this service. */
  readonly publicOrigin?: string | null
  /** Path below which a proxy publishes the service. */
  readonly basePath?: string
}

const MAX_NEXT_LENGTH = 2_000
const LOG_EVERY_MS = 60_000
const MAX_LOGGED = 20
const MAX_LOGGED_PATH = 200

export function createGate({
  auth,
  config,
  log,
  allowedHosts = [],
  publicOrigin = null,
  basePath = '',
}: GateDependencies): Gate {
  const place = { publicOrigin, basePath }
  const rules = perDocument(config, (document) => {
    const security = sectionOf(document, 'security')
    const configured = strings(security['allowed_hosts'])
    return {
      trust: compileTrust(security['trusted_proxies']),
      strict: security['strict_origin'] === true,
      allowedHosts: [...configured, ...allowedHosts].map((host) => host.toLowerCase()),
      hasAllowList: configured.length > 0,
    }
  })
  let lastFailure: unknown
  let logged = { untilMs: 0, about: new Set<string>() }

  // Each reason once a minute, up to a limit: attempts, also with ever new names, do not flood the log.
  function logOnce(client: Client, { method, path }: GateRequest, text: string): void {
    const about = `${text} ${client.address} ${client.host}`
    if (msUntil(logged.untilMs, Date.now(), LOG_EVERY_MS) === 0)
      logged = { untilMs: Date.now() + LOG_EVERY_MS, about: new Set() }
    if (logged.about.has(about) || logged.about.size >= MAX_LOGGED) return
    logged.about.add(about)
    const host = client.host.slice(0, MAX_LOGGED_PATH)
    log.warn({ address: client.address, host, method, path: path.slice(0, MAX_LOGGED_PATH) }, text)
  }

  return {
    decide(request, access) {
      if (access.always === true) return pass(peer(request), undefined, place)
      try {
        return decide(request, access)
      } catch (error) {
        // An unreadable configuration fails every request; it is logged once.
        if (String(error) !== String(lastFailure))
          log.error({ err: error }, 'requests are refused because their access cannot be decided')
        lastFailure = error
        return refuse(request, 503, 'Service unavailable', access)
      }
    },
  }

  function decide(request: GateRequest, access: RouteAccess): GateDecision | Promise<GateDecision> {
    const document = config.current()
    const { trust, strict, allowedHosts, hasAllowList } = rules(document)
    const client = describeClient(request, trust)
    const state = auth.state(document)
    const webhook = access.auth === 'W'

    if (!webhook && (state !== 'enabled' || hasAllowList) && !isOwnHost(client.host, allowedHosts)) {
      logOnce(client, request, 'a request was refused: its host is not one of this service')
      return refuse(request, 403, 'Host not allowed', access)
    }
    if (state === 'setup_required' && !webhook && access.auth !== 'SS' && access.duringSetup !== true) {
      return isApi(request, access)
        ? refuse(request, 403, 'Authentication setup required', access)
        : { pass: false, status: 302, redirect: '/' }
    }

    const asksWho = state === 'enabled' && ASKS_WHO.has(access.auth)
    const bearer = asksWho ? bearerOf(request) : undefined
    const verdict = bearer === undefined ? null : auth.apiToken(bearer, client.address)
    if (verdict !== null) return decideByToken(verdict, request, access, client)

    const session =
      state === 'enabled'
        ? sessionOfCookies(request.headers.cookie, (token) => auth.session(token, document))
        : undefined
    const isStranger = session === undefined && asksWho
    const mayAccept = isStranger && bearer !== undefined && access.auth === 'T' && access.accepts !== undefined
    if (isStranger && !mayAccept) return refuseStranger(request, access)
    if (!webhook && !mayAccept && !mayHaveEffects(request, access, client, strict)) {
      logOnce(client, request, 'a request was refused: it comes from a page of another site')
      return refuse(request, 403, 'Origin mismatch', access)
    }
    const admitted = pass(client, session, place)
    return mayAccept ? admitBearer(bearer, request, access, admitted, client) : admitted
  }

  function decideByToken(
    verdict: TokenVerdict,
    request: GateRequest,
    access: RouteAccess,
    client: Client,
  ): GateDecision | Promise<GateDecision> {
    if (verdict.kind === 'valid') {
      const { token } = verdict
      const needed = scopeOfRoute(request.method, access)
      if (includesScope(token.scope, needed)) return pass(client, undefined, place, token)
      return needed === 'session'
        ? tokenRefusal(403, 'session_required', 'Only a person who is signed in may do this, no API token.')
        : {
            ...tokenRefusal(
              403,
              'insufficient_scope',
              `This needs an API token with the scope "${needed}"; "${token.name}" has "${token.scope}".`,
              { needed_scope: needed, scope: token.scope },
            ),
            headers: { ...NO_STORE, 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
          }
    }
    const isExpired = verdict.kind === 'expired'
    return auth
      .wrongToken(client.address)
      .then((wrong) =>
        wrong.kind === 'blocked'
          ? tooManyTokens(wrong.retryAfterS)
          : isExpired
            ? invalidToken('token_expired', 'This API token has expired. Make a new one in the settings.')
            : invalidToken('invalid_token', 'This API token is unknown or was revoked.'),
      )
  }

  async function admitBearer(
    bearer: string,
    request: GateRequest,
    access: RouteAccess,
    admitted: GateDecision,
    client: Client,
  ): Promise<GateDecision> {
    const verdict = await auth.wrongToken(client.address, async () => (await access.accepts?.(bearer)) === true)
    if (verdict.kind === 'accepted') return admitted
    return verdict.kind === 'blocked' ? tooManyTokens(verdict.retryAfterS) : refuseStranger(request, access)
  }
}

const ASKS_WHO: ReadonlySet<RouteAccess['auth']> = new Set(['S', 'SS', 'T'])
const NO_STORE = { 'cache-control': 'no-store' }

function bearerOf({ headers }: GateRequest): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1]
}

function tokenRefusal(status: number, error: string, detail: string, more: object = {}) {
  return { pass: false, status, headers: NO_STORE, body: { ok: false, error, detail, ...more } } as const
}

function invalidToken(error: string, detail: string): GateDecision {
  const headers = { ...NO_STORE, 'x-auth-required': 'token', 'www-authenticate': 'Bearer error="invalid_token"' }
  return { ...tokenRefusal(401, error, detail), headers }
}

function tooManyTokens(retryAfterS: number): GateDecision {
  const detail = `Too many wrong tokens were sent from your address. Try again in ${retryAfterS} s.`
  return {
    ...tokenRefusal(429, 'too_many_wrong_tokens', detail, { retry_after: retryAfterS }),
    headers: { ...NO_STORE, 'retry-after': String(retryAfterS) },
  }
}

function mayHaveEffects(request: GateRequest, access: RouteAccess, client: Client, strict: boolean): boolean {
  if (UNSAFE.has(request.method)) return isSameOrigin(request.headers, client, { strict })
  return access.effects !== true || isSameOriginNavigation(request.headers, client, { strict })
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

function refuseStranger(request: GateRequest, access: RouteAccess): GateDecision {
  if (isApi(request, access))
    return {
      ...refuse(request, 401, 'Unauthorized', access),
      headers: { 'x-auth-required': 'session', 'cache-control': 'no-store' },
    }
  const next =
    request.url.length > 1 && request.url.length <= MAX_NEXT_LENGTH ? `?next=${encodeURIComponent(request.url)}` : ''
  return { pass: false, status: 302, redirect: `/login${next}` }
}

function refuse(
  request: GateRequest,
  status: number,
  error: string,
  access: RouteAccess,
): GateDecision & { readonly pass: false } {
  return { pass: false, status, body: isApi(request, access) ? { ok: false, error } : error }
}

function pass(
  client: Client,
  session: Session | undefined,
  place: Pick<Caller, 'publicOrigin' | 'basePath'>,
  token: CallerToken | null = null,
): GateDecision {
  return {
    pass: true,
    caller: {
      address: client.address,
      secure: client.secure,
      host: client.host,
      ...place,
      session: session ?? null,
      token,
    },
  }
}

function peer(request: GateRequest): Client {
  return { address: request.remoteAddress, secure: request.encrypted, host: request.headers.host ?? '', proxied: false }
}

/** True for API clients, which get an error instead of a redirect. */
function isApi(request: GateRequest, access: RouteAccess): boolean {
  return request.path.startsWith('/api/') || access.auth === 'T'
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
