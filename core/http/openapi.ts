// The API description: the core's own and that of every live plugin, merged when somebody asks.
import type { FastifyInstance } from 'fastify'

interface Description {
  openapi: string
  info: object
  paths?: Record<string, Record<string, unknown>>
  components?: { schemas?: Record<string, unknown>; securitySchemes?: Record<string, unknown> }
  tags?: { name: string }[]
}

/** Merges descriptions; the first one gives the head. Paths never meet: the host refuses two owners of one route. */
export function mergeDescriptions(own: object, others: readonly object[]): Description {
  const merged = structuredClone(own) as Description
  const paths = merged.paths ?? {}
  for (const other of others as readonly Description[]) {
    for (const [path, operations] of Object.entries(other.paths ?? {})) paths[path] = { ...paths[path], ...operations }
    Object.assign((merged.components ??= {}).schemas ??= {}, other.components?.schemas)
  }
  merged.paths = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => a < b ? -1 : 1))
  merged.components = {
    ...merged.components,
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'cw_auth', description: 'Set by POST /api/app-auth/login.' } },
  }
  return merged
}

export async function descriptionRoutes(app: FastifyInstance, { describe }: { readonly describe: () => object }): Promise<void> {
  app.get('/openapi.json', { config: { access: { auth: 'S' } }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').serializer((value: unknown) => JSON.stringify(value)).send(describe()))
}
