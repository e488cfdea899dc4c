// Adds to an operation's description what its route does not declare: id, access, error responses.
import { STATUS_CODES } from '../node-http.ts'
import type { FastifySchema, RouteOptions } from 'fastify'
import { plainSchema } from './vocabulary.ts'
import type { RouteAccess } from '../access/access.ts'
import { scopeOfRoute, type RouteScope } from '../access/scopes.ts'
import { errorAnswers, withReasons } from './error-answers.ts'

export interface Operation {
  operationId?: string
  tags?: string[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: object; example?: unknown }> }
  parameters?: { name: string; in: string; required?: boolean; schema?: object; example?: unknown }[]
  responses: Record<
    string,
    { $ref?: string; description?: string; content?: Record<string, { schema?: object; example?: unknown }> }
  >
  [name: string]: unknown
}

type Route = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>

/**
 * `GET /api/run/plan/:plan_id` is `getRunPlanByPlanId`. A path without /api keeps its first word, so ids are unique
 * unless two paths differ in /api or punctuation alone.
 */
export function operationIdOf(method: string, url: string): string {
  const words = url
    .replace(/^\/api\//, '/')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(':') ? `By-${part.slice(1)}` : part.replaceAll(/\{(\w+)\}/g, 'By-$1')))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/).filter((word) => word !== ''))
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Security requirements of a route: an empty list is open to all, `{}` needs nothing. */
function securityOf({ auth }: RouteAccess, scope: RouteScope): Record<string, string[]>[] {
  const token = scope === 'session' ? [] : [{ token: [scope] }]
  if (auth === 'P') return []
  if (auth === 'W') return [{ webhook: [] }]
  return [...(auth === 'SS' ? [{}] : []), { session: [] }, ...token, ...(auth === 'T' ? [{ bearer: [] }] : [])]
}

export const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'cw_auth',
    description:
      'Set by `POST /api/app-auth/login`. Requests that change something must come from a page of this service, or from no page.',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token with at least the named scope: `read`, `run`, `write` or `admin`, each with what the ones before it may.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of the operation’s own, from the settings.' },
  webhook: {
    type: 'apiKey',
    in: 'query',
    name: 'profile',
    description: 'Part of the address that is entered at the media server. Also `token`.',
  },
} as const

/** Completes the description that the library generated from the route. */
export function completeOperation(operation: Operation, route: Route, method: string): void {
  const schema = route.schema ?? ({} as FastifySchema)
  const access: RouteAccess = route.config?.access ?? { auth: 'S' }
  const scope = scopeOfRoute(method, access)
  operation['security'] = securityOf(access, scope)
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (answer.description === 'Default Response') answer.description = STATUS_CODES[status] ?? 'Success'
  }
  const errors = errorAnswers({
    method,
    access,
    scope,
    hasParams: route.url.includes(':'),
    hasQuery: schema.querystring !== undefined,
    reasons: schema.errors ?? {},
  })
  for (const [status, answer] of Object.entries(errors)) {
    const declared = operation.responses[status]
    const own = schema.errors?.[Number(status)]
    if (declared === undefined) operation.responses[status] = answer
    else if (own !== undefined) operation.responses[status] = withReasons(declared, Number(status), own)
  }
  // The library marks every body as required. A nullable one may be omitted; see `optionalBody`.
  const { body, takes } = schema as { readonly body?: BodySchema; readonly takes?: Readonly<Record<string, object>> }
  const required = body !== undefined && !allowsNull(body)
  if (takes !== undefined) {
    const content = Object.entries(takes).map(([type, one]) => [type, { schema: plainSchema(one) as object }])
    operation.requestBody = { content: Object.fromEntries(content), required }
  } else if (operation.requestBody !== undefined) operation.requestBody.required = required
}

interface BodySchema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly BodySchema[]
}

function allowsNull(schema: BodySchema | undefined): boolean {
  if (schema?.anyOf !== undefined) return schema.anyOf.some(allowsNull)
  return schema?.type === undefined || [schema.type].flat().includes('null')
}
