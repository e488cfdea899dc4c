// A route table: the first match answers. The table states the required access, so that no handler checks a token.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Account, PlexState, Token } from './state.ts'
import { type AccountCall, type Call, plexValue } from './wire.ts'

type Answer = UpstreamReply | Promise<UpstreamReply>

/** Method or methods, path with `:names`, handler. */
export type OpenRoute = readonly ['open', string, string, (call: Call) => Answer]
/** For any signed-in account. */
export type AccountRoute = readonly ['account', string, string, (call: AccountCall) => Answer]
/** For the owner of the media server. */
export type OwnerRoute = readonly ['owner', string, string, (call: AccountCall) => Answer]
export type Route = OpenRoute | AccountRoute | OwnerRoute

export interface Refusals {
  unauthorized(call: Call): UpstreamReply
  forbidden(call: Call): UpstreamReply
  notFound(call: Call): UpstreamReply
}

export interface RouterOptions {
  readonly state: PlexState
  readonly routes: readonly Route[]
  readonly refuse: Refusals
  /** Whether this token is valid for this host. */
  readonly accepts: (token: Token, account: Account) => boolean
}

export function createRouter({ state, routes, refuse, accepts }: RouterOptions): (request: UpstreamRequest) => Answer {
  const table = routes.map((route) => ({ route, methods: route[1].split('|'), pattern: compile(route[2]) }))

  function signedIn(request: UpstreamRequest): { account: Account; token: Token } | undefined {
    const token = state.tokens.get(plexValue(request, 'X-Plex-Token') ?? '')
    const account = state.accounts.find(({ id }) => id === token?.accountId)
    return token === undefined || account === undefined || token.expired || !accepts(token, account)
      ? undefined
      : { account, token }
  }

  return (request) => {
    const call: Call = { state, request, query: request.query, params: {}, nowMs: state.now() }
    for (const { route, methods, pattern } of table) {
      const match = methods.includes(request.method) ? pattern.exec(request.path) : null
      if (match === null) continue
      const params: Record<string, string> = { ...match.groups }
      if (route[0] === 'open') return route[3]({ ...call, params })
      const who = signedIn(request)
      if (who === undefined) return refuse.unauthorized(call)
      if (route[0] === 'owner' && who.account.role !== 'owner') return refuse.forbidden(call)
      return route[3]({ ...call, params, ...who })
    }
    return refuse.notFound(call)
  }
}

function compile(path: string): RegExp {
  // A name follows a slash; the colon of `/:/rate` is literal.
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`)
}
