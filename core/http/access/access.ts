// The access rules of a route, and the gate's decision.
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@playhead/sdk'
import type { RouteScope } from './scopes.ts'

export interface RouteAccess {
  /**
   * P public, S session or API token, SS open during setup and session afterwards, W webhook with its own token, T as S,
   * or a bearer token of the plugin.
   */
  readonly auth: 'P' | 'S' | 'SS' | 'W' | 'T'
  /** For T: checks a token that Playhead did not issue. Without it only sessions and API tokens are accepted. */
  readonly accepts?: (token: string) => boolean | Promise<boolean>
  /** Answers although no account exists yet (SS and W always do). */
  readonly duringSetup?: boolean
  /** A GET with effects: the origin check applies. */
  readonly effects?: boolean
  /** The scope that an API token needs, see scopes.ts. Default: by the method. */
  readonly scope?: RouteScope
  /** Passes without any check, even if the configuration cannot be loaded. */
  readonly always?: boolean
}

export interface GateRequest {
  readonly method: string
  /** Path without query. */
  readonly path: string
  /** Path with query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly remoteAddress: string
  readonly encrypted: boolean
}

export type GateDecision =
  | { readonly pass: true; readonly caller: Caller }
  | {
      readonly pass: false
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
      readonly redirect?: string
    }

export interface Gate {
  /** Synchronous where possible, because every request passes here. An error means 503. */
  decide(request: GateRequest, access: RouteAccess): GateDecision | Promise<GateDecision>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess
  }
}
