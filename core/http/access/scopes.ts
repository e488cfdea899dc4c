// The scopes of API tokens. One rule for all routes: reads need `read`, any effect needs `write`, and with a provider
// `admin`, because its routes with effects handle credentials. A route that needs another scope declares it
// (`scope` in plugin.json, `access.scope` in the core).
import { TOKEN_SCOPES, type TokenScope } from '@playhead/sdk'

/** `session`: no token may call the route. */
export type RouteScope = TokenScope | 'session'

interface ScopedRoute {
  readonly scope?: RouteScope | undefined
  readonly effects?: boolean | undefined
}

export function scopeOfRoute(method: string, { scope, effects }: ScopedRoute, kind?: string): RouteScope {
  if (scope !== undefined) return scope
  if ((method === 'GET' || method === 'HEAD') && effects !== true) return 'read'
  return kind === 'provider' ? 'admin' : 'write'
}

/** True if a token with this scope may do what `needed` allows. */
export function includesScope(scope: TokenScope, needed: RouteScope): boolean {
  return needed !== 'session' && TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)
}
