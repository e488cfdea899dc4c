// The caller of a route: `request.caller`, set before any handler runs. Behind trusted proxies: the client's own
// address, scheme and host.
import { PlayheadError } from './errors.ts'

export interface CallerSession {
  readonly id: string
  readonly username: string
}

/** Scopes of an API token; each includes the previous ones. */
export const TOKEN_SCOPES = ['read', 'run', 'write', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** The API token of the request, without its secret. */
export interface CallerToken {
  readonly id: string
  readonly name: string
  readonly scope: TokenScope
}

export interface Caller {
  readonly address: string
  readonly secure: boolean
  /** The host that the client asked for, with its port. */
  readonly host: string
  /** Configured public origin of this service: `https://playhead.example.org`. */
  readonly publicOrigin?: string | null
  /** Path below which a proxy publishes this service: `/playhead`; empty or missing for none. */
  readonly basePath?: string
  /** Null for a public route, for an API token, during setup, and while authentication is switched off. */
  readonly session: CallerSession | null
  /** The API token instead of a session. */
  readonly token?: CallerToken | null
}

/** The caller, for records of changes: the name of a person, or of an API token. */
export function callerName({ session, token }: Pick<Caller, 'session' | 'token'>): string | null {
  return session?.username ?? (token == null ? null : `token ${token.name}`)
}

/**
 * For a request whose body requires more permission than its route. Throws `PLH_FORBIDDEN`
 * (`insufficient_scope`) for an API token with a lower scope; a session and a caller without authentication pass.
 *
 * @param purpose begins the message: `To approve removals that were held`
 */
export function assertScope({ token }: Pick<Caller, 'token'>, needed: TokenScope, purpose: string): void {
  if (token == null || TOKEN_SCOPES.indexOf(token.scope) >= TOKEN_SCOPES.indexOf(needed)) return
  throw new PlayheadError(
    'PLH_FORBIDDEN',
    `${purpose}, an API token needs the scope "${needed}"; this one has "${token.scope}".`,
    { wire: 'insufficient_scope', details: { needed_scope: needed, scope: token.scope } },
  )
}

/**
 * The origin of an address of this service, with the base path if it has one; undefined for any other address. A sign-in
 * code or token must never be sent to a foreign origin.
 *
 * @example const origin = ownOrigin(request.caller, 'https://playhead.example.org/connections') //
 * https://playhead.example.org
 */
export function ownOrigin({ host, secure, publicOrigin, basePath = '' }: Caller, address: string): string | undefined {
  const named = URL.parse(address.trim())
  if (named === null || (named.protocol !== 'http:' && named.protocol !== 'https:')) return undefined
  const own = [URL.parse(`${secure ? 'https' : 'http'}://${host}`)?.origin, publicOrigin]
  return own.includes(named.origin) ? named.origin + basePath : undefined
}

/** The configured public origin with the base path, or else the one that the client used. For addresses to copy. */
export function ownBaseUrl(caller: Caller): string {
  const used = caller.publicOrigin ?? `${caller.secure ? 'https' : 'http'}://${caller.host}`
  return ownOrigin(caller, used) ?? ''
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
