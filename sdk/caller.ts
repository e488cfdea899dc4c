// Who calls a route: `request.caller`, set before any handler runs. Behind trusted proxies it is the client's own address,
// scheme and host.

export interface CallerSession {
  readonly id: string
  readonly username: string
}

export interface Caller {
  readonly address: string
  readonly secure: boolean
  /** The host that the client asked for, with its port. */
  readonly host: string
  /** Null for a public route, during setup, and while authentication is switched off. */
  readonly session: CallerSession | null
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}
