// The API description: the core's own and that of every live plugin, made and merged when somebody asks. Most starts of
// the service and most generations of a plugin are never asked, so nothing but the routes is kept until then.
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

/** Describes the routes that are registered on this instance or below from now on. */
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
      // The next one who asks has another try.
      description = undefined
      throw error
    }))
}

// On an instance that answers nobody: the library describes the instance that it is registered on.
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

// The library calls every body required. One that may be null may be left out; see `optionalBody`.
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

/** Merges descriptions; the first one gives the head. Paths never meet: the host refuses two owners of one route. */
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
