// The OpenAPI description of the core and all active plugins, generated and merged on demand. Until then only the
// routes are recorded.
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'

export interface OpenapiInfo {
  readonly title: string
  readonly version: string
}

interface Description {
  openapi: string
  info: object
  paths?: Record<string, Record<string, unknown>>
  components?: { schemas?: Record<string, unknown>; securitySchemes?: Record<string, unknown> }
  tags?: { name: string }[]
}

/** Records the routes registered on this instance, or below, from now on. */
export function describable(app: FastifyInstance, info: OpenapiInfo): () => Promise<object> {
  const routes: RouteOptions[] = []
  const instances = [app]
  let description: Promise<object> | undefined
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onRegister', (instance) => void instances.push(instance))
  return () =>
    (description ??= describeRoutes(
      routes,
      Object.assign({}, ...instances.map((instance) => instance.getSchemas())),
      info,
    ).catch((error: unknown) => {
      // The next call retries.
      description = undefined
      throw error
    }))
}

// On a separate instance, because the library describes the instance that it is registered on.
async function describeRoutes(
  routes: readonly RouteOptions[],
  schemas: Readonly<Record<string, unknown>>,
  info: OpenapiInfo,
): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const shadow = fastify({ exposeHeadRoutes: false })
  shadow.setValidatorCompiler(() => () => true)
  shadow.setSerializerCompiler(() => JSON.stringify)
  await shadow.register(swagger, { openapi: { openapi: '3.1.0', info } })
  for (const schema of Object.values(schemas)) shadow.addSchema(schema)
  for (const { method, url, schema, config } of routes) {
    shadow.route({
      method,
      url,
      ...(schema === undefined ? {} : { schema }),
      ...(config === undefined ? {} : { config }),
      handler: () => null,
    })
  }
  await shadow.ready()
  return withOptionalBodies(shadow.swagger() as Description)
}

interface BodySchema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly BodySchema[]
}

// The library marks every body as required. A nullable one may be omitted; see `optionalBody`.
function withOptionalBodies(description: Description): Description {
  for (const operations of Object.values(description.paths ?? {})) {
    for (const operation of Object.values(operations)) {
      const { requestBody } = operation as {
        requestBody?: {
          required?: boolean
          readonly content: Readonly<Record<string, { readonly schema?: BodySchema }>>
        }
      }
      if (requestBody !== undefined)
        requestBody.required = !Object.values(requestBody.content).every(({ schema }) => allowsNull(schema))
    }
  }
  return description
}

function allowsNull(schema: BodySchema | undefined): boolean {
  if (schema?.anyOf !== undefined) return schema.anyOf.some(allowsNull)
  return schema?.type === undefined || [schema.type].flat().includes('null')
}

/** Merges descriptions; the first one provides the head. Paths are unique, as the host ensures. */
export function mergeDescriptions(own: object, others: readonly object[]): Description {
  const merged = structuredClone(own) as Description
  const paths = merged.paths ?? {}
  for (const other of others as readonly Description[]) {
    for (const [path, operations] of Object.entries(other.paths ?? {})) paths[path] = { ...paths[path], ...operations }
    Object.assign(((merged.components ??= {}).schemas ??= {}), other.components?.schemas)
  }
  merged.paths = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)))
  merged.components = {
    ...merged.components,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'cw_auth', description: 'Set by POST /api/app-auth/login.' },
    },
  }
  return merged
}

export async function descriptionRoutes(
  app: FastifyInstance,
  { describe }: { readonly describe: () => Promise<object> },
): Promise<void> {
  app.get('/openapi.json', { config: { access: { auth: 'S' } }, schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .serializer((value: unknown) => JSON.stringify(value))
      .send(await describe()),
  )
}
