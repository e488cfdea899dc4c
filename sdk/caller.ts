// The caller of a route: `request.caller`, set before any handler runs. Behind trusted proxies: the client's own
// address, scheme and host.

export interface CallerSession {
  readonly id: string
  readonly username: string
}

export interface Caller {
  readonly address: string
  readonly secure: boolean
  /** The host that the client asked for, with its port. */
  readonly host: string
  /** Configured public origin of this service: `https://playhead.example.org`. */
  readonly publicOrigin?: string | null
  /** Null for a public route, during setup, and while authentication is switched off. */
  readonly session: CallerSession | null
}

/**
 * The origin of an address of this service; undefined for any other address. A sign-in code or token must never be sent
 * to a foreign origin.
 *
 * @example const origin = ownOrigin(request.caller, 'https://playhead.example.org/connections') //
 * https://playhead.example.org
 */
export function ownOrigin({ host, secure, publicOrigin }: Caller, address: string): string | undefined {
  const named = URL.parse(address.trim())
  if (named === null || (named.protocol !== 'http:' && named.protocol !== 'https:')) return undefined
  const own = [URL.parse(`${secure ? 'https' : 'http'}://${host}`)?.origin, publicOrigin]
  return own.includes(named.origin) ? named.origin : undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
