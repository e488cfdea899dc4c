// The access gate, which every request passes before any handler. Rules apply from top to bottom; an error is a
// refusal.
//
//   marked `always` (health)                 pass without any check
//   configuration unreadable                 503
//   foreign host name                        403   without a password, or if allowed hosts are configured
//   no account yet, not open during setup    403   pages: 302 to /
//   effects, not from our own pages          403   for a protected route only with a session
//   webhook, public, authentication off      pass
//   session                                  pass
//   bearer token that the route accepts      pass
//   anything else                            401   pages: 302 to /login
import type { Logger } from '@playhead/sdk'
import { readSessionToken } from '../../auth/cookie.ts'
import { perDocument, sectionOf } from '../../auth/per-document.ts'
import type { Session } from '../../auth/session-table.ts'
import type { AuthState } from '../../auth/stored-account.ts'
import type { ConfigDocument, ConfigService } from '../../config/contract.ts'
import type { Gate, GateDecision, GateRequest, RouteAccess } from './access.ts'
import { compileTrust, describeClient, type Client } from './client-address.ts'
import { isOwnHost, isSameOrigin, isSameOriginNavigation } from './origin.ts'

/** Account state for the gate, by a configuration document or the latest. Synchronous, without I/O. */
export interface GateAuth {
  state(document?: Readonly<ConfigDocument>): AuthState
  /** The valid session of a cookie's token; none unless authentication is enabled. */
  session(token: string, document?: Readonly<ConfigDocument>): Session | undefined
}

export interface GateDependencies {
  readonly auth: GateAuth
  readonly config: Pick<ConfigService, 'current'>
  readonly log: Logger
  /** More names of this service, beside `security.allowed_hosts`. They only widen access. */
  readonly allowedHosts?: readonly string[]
  /** Public origin of this service. */
  readonly publicOrigin?: string | null
}

const MAX_NEXT_LENGTH = 2_000
const LOG_EVERY_MS = 60_000
const MAX_LOGGED_PATH = 200

export function createGate({ auth, config, log, allowedHosts = [], publicOrigin = null }: GateDependencies): Gate {
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
  let lastRefusal = { text: '', atMs: 0 }

  // Rate limited, so that repeated attempts do not flood the log.
  function logOnce(client: Client, { method, path }: GateRequest, text: string): void {
    const about = `${text} ${client.address} ${client.host}`
    if (lastRefusal.text === about && Date.now() - lastRefusal.atMs < LOG_EVERY_MS) return
    lastRefusal = { text: about, atMs: Date.now() }
    log.warn({ address: client.address, host: client.host, method, path: path.slice(0, MAX_LOGGED_PATH) }, text)
  }

  return {
    decide(request, access) {
      if (access.always === true) return pass(peer(request), undefined, publicOrigin)
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

    const token = state === 'enabled' ? readSessionToken(request.headers.cookie) : undefined
    const session = token === undefined ? undefined : auth.session(token, document)
    const isStranger = session === undefined && state === 'enabled' && ASKS_WHO.has(access.auth)
    const bearer = isStranger ? bearerOf(request, access) : undefined
    if (isStranger && bearer === undefined) return refuseStranger(request, access)
    if (!webhook && !mayHaveEffects(request, access, client, strict)) {
      logOnce(client, request, 'a request was refused: it comes from a page of another site')
      return refuse(request, 403, 'Origin mismatch', access)
    }
    const admitted = pass(client, session, publicOrigin)
    return bearer === undefined ? admitted : admitBearer(bearer, request, access, admitted)
  }
}

const ASKS_WHO: ReadonlySet<RouteAccess['auth']> = new Set(['S', 'SS', 'T'])

/** The bearer token of a caller without a session, if the route accepts tokens. */
function bearerOf({ headers }: GateRequest, { auth, accepts }: RouteAccess): string | undefined {
  if (auth !== 'T' || accepts === undefined) return undefined
  return /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1]
}

async function admitBearer(
  token: string,
  request: GateRequest,
  access: RouteAccess,
  admitted: GateDecision,
): Promise<GateDecision> {
  return (await access.accepts?.(token)) === true ? admitted : refuseStranger(request, access)
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

function pass(client: Client, session: Session | undefined, publicOrigin: string | null): GateDecision {
  return {
    pass: true,
    caller: {
      address: client.address,
      secure: client.secure,
      host: client.host,
      publicOrigin,
      session: session ?? null,
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
