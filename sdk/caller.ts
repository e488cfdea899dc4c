// Who calls a route: `request.caller`, set before any handler runs. Behind trusted proxies it is the client's own
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
  /**
   * Origin of the address under which people reach this service, where one is configured:
   * `https://playhead.example.org`.
   */
  readonly publicOrigin?: string | null
  /** Null for a public route, during setup, and while authentication is switched off. */
  readonly session: CallerSession | null
}

/**
 * The origin of an address that a page of this service named as its own; undefined for an address anywhere else. What a
 * third party sends to a foreign origin, such as the code of a sign-in, belongs to somebody else there.
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
