// The OpenAPI description of one Fastify instance (the core's or a plugin's), generated on demand. Until then only the
// routes are recorded.
import { setImmediate as nextTurn } from 'node:timers/promises'
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { createOnce } from '@playhead/sdk/host'
import { completeOperation, operationIdOf, type Operation } from './operation.ts'
import { plainSchema, requestSchema } from './vocabulary.ts'

/** The parts of a description that are merged. */
export interface Description {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown> }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI description of this instance's routes, created on first use. */
    describe(): Promise<Description>
  }
}

/** Records the routes registered on this instance, or below, from now on. */
export function describable(app: FastifyInstance): () => Promise<Description> {
  const routes: RouteOptions[] = []
  const instances = [app]
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onRegister', (instance) => void instances.push(instance))
  return createOnce(() =>
    describeRoutes(routes, Object.assign({}, ...instances.map((instance) => instance.getSchemas()))),
  )
}

/** Routes that are described without a pause; requests are answered in between. */
const BATCH = 8

async function describeRoutes(
  routes: readonly RouteOptions[],
  schemas: Readonly<Record<string, unknown>>,
): Promise<Description> {
  const methods = routes.flatMap((route) => [route.method].flat().map((method) => ({ method, route })))
  const byId = new Map<string, RouteOptions>()
  const described: Required<Description> = { paths: {}, components: {} }
  for (let start = 0; start < methods.length; start += BATCH) {
    const { paths = {}, components = {} } = await describeBatch(methods.slice(start, start + BATCH), schemas, byId)
    for (const [path, operations] of Object.entries(paths)) Object.assign((described.paths[path] ??= {}), operations)
    Object.assign(described.components, components)
    await nextTurn()
  }
  return described
}

// On a separate instance, because the library describes the instance that it is registered on.
async function describeBatch(
  methods: readonly { readonly method: string; readonly route: RouteOptions }[],
  schemas: Readonly<Record<string, unknown>>,
  byId: Map<string, RouteOptions>,
): Promise<Description> {
  const { default: swagger } = await import('@fastify/swagger')
  const shadow = fastify({ exposeHeadRoutes: false })
  shadow.setValidatorCompiler(() => () => true)
  shadow.setSerializerCompiler(() => JSON.stringify)
  await shadow.register(swagger, { openapi: { openapi: '3.1.0' } })
  for (const schema of Object.values(schemas)) shadow.addSchema(schema)
  for (const { method, route } of methods) {
    const id = unusedId(operationIdOf(method, route.url), byId)
    byId.set(id, route)
    const schema = { ...route.schema, operationId: id }
    shadow.route({ method, url: route.url, schema, handler: () => null })
  }
  await shadow.ready()
  const { paths = {}, components = {} } = shadow.swagger() as unknown as Description
  for (const operations of Object.values(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      plainOperation(operation)
      const route = byId.get(operation.operationId ?? '')
      if (route !== undefined) completeOperation(operation, route, method.toUpperCase())
    }
  }
  const named = Object.entries(components.schemas ?? {}).map(([name, schema]) => [name, plainSchema(schema)] as const)
  return { paths, components: { schemas: Object.fromEntries(named) } }
}

export function unusedId(id: string, used: { has(id: string): boolean }): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? id : `${id}${count}`
    if (!used.has(candidate)) return candidate
  }
}

function plainOperation(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    plainPart(parameter)
    if (parameter.in === 'query' && (parameter.schema as { readonly default?: unknown })?.default !== undefined)
      parameter.required = false
  }
  for (const answer of [operation.requestBody, ...Object.values(operation.responses)])
    for (const media of Object.values(answer?.content ?? {})) plainPart(media)
  for (const media of Object.values(operation.requestBody?.content ?? {})) requestPart(media)
}

function requestPart(part: { schema?: object }): void {
  if (part.schema !== undefined) part.schema = requestSchema(part.schema) as object
}

function plainPart(part: { schema?: object }): void {
  if (part.schema !== undefined) part.schema = plainSchema(part.schema) as object
}
