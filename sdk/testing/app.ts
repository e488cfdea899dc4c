// The plugin's routes on a Fastify instance of their own, with the bodies and errors that the host's answers have.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import fastJsonStringify from 'fast-json-stringify'
import fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import type { Caller } from '../caller.ts'
import { connectClient } from '../client-signal.ts'
import type { PluginContext } from '../context.ts'
import type { DefinedPlugin } from '../define.ts'
import { PlayheadError, isFault, isPlayheadError } from '../errors.ts'
import type { PluginManifest } from '../manifest.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
const MAX_PARAM_LENGTH = 2_000
/** Carries the caller of an injected request; taken out before the plugin sees it. */
export const CALLER_HEADER = 'x-playhead-test-caller'

export const SIGNED_IN: Caller = {
  address: '127.0.0.1',
  secure: false,
  host: 'playhead.test',
  session: { id: 'test-session', username: 'tester' },
}

export interface AppOptions {
  readonly plugin: DefinedPlugin
  readonly ctx: PluginContext
  /** Null checks no declarations. */
  readonly manifest: PluginManifest | null
  readonly onUnexpected: (what: string, error: unknown) => void
}

/**
 * Throws `PLH_PLUGIN_ROUTE_UNDECLARED` for a route that plugin.json does not have, and `PLH_PLUGIN_MANIFEST` for one
 * that nothing registers.
 */
export async function createApp({ plugin, ctx, manifest, onUnexpected }: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
  })
  const registered = new Set<string>()
  const declared = (manifest?.routes ?? []).map(({ method, path }) => `${method} ${path}`)

  const takesTokens = (method: string, url: string | undefined) =>
    manifest?.routes?.some((route) => route.auth === 'T' && route.method === method && route.path === url) === true
  readBodies(app)
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? checkBody : checkText)(schema as object))
  app.setSerializerCompiler(({ schema }) => serialize(schema as object))
  app.decorate('playhead', ctx)
  app.decorateRequest('caller', null as never)
  app.addHook('onRequest', async (request, reply) => {
    connectClient(request, reply)
    const header = request.headers[CALLER_HEADER]
    delete request.headers[CALLER_HEADER]
    const caller = typeof header === 'string' ? (JSON.parse(header) as Caller) : SIGNED_IN
    Object.assign(request, { caller })
    if (caller.session !== null || !takesTokens(request.method, request.routeOptions.url)) return
    const token = /^Bearer +([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined || (await plugin.acceptsToken?.(ctx as never, token)) !== true)
      return reply.code(401).send({ ok: false, error: 'Unauthorized' })
  })
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) {
      if (manifest !== null && !declared.includes(`${name} ${url}`)) {
        throw new PlayheadError(
          'PLH_PLUGIN_ROUTE_UNDECLARED',
          `The plugin registers ${name} ${url}, which plugin.json does not declare. Add it to "routes".`,
        )
      }
      registered.add(`${name} ${url}`)
    }
  })
  app.addHook<unknown>('preSerialization', (_request, reply, payload, done) => {
    const seconds = (payload as { readonly retry_after?: unknown } | null)?.retry_after
    if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0)
      void reply.header('retry-after', String(Math.ceil(seconds)))
    done(null, payload)
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.validation !== undefined) {
      const detail = error.validation.map((problem) =>
        toDetail(error.validationContext ?? 'body', problem as ErrorObject),
      )
      return reply.code(422).send({ detail })
    }
    if (isPlayheadError(error) && !isFault(error)) {
      const retry = error.retryAfterMs === undefined ? {} : { retry_after: Math.ceil(error.retryAfterMs / 1_000) }
      return reply
        .code(error.status)
        .send({ ok: false, error: error.wire, detail: error.message, ...retry, ...error.details })
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return reply
        .code(error.statusCode)
        .send({ ok: false, error: 'bad_request', detail: 'The request cannot be read.' })
    }
    onUnexpected(`${request.method} ${request.routeOptions.url ?? request.url}`, error)
    return reply.code(500).send({ ok: false, error: 'internal', request_id: request.id })
  })

  try {
    if (plugin.routes !== undefined) await app.register(async (child) => void (await plugin.routes?.(child as never)))
    await app.ready()
    const missing = declared.filter((route) => !registered.has(route))
    if (missing.length > 0) {
      throw new PlayheadError(
        'PLH_PLUGIN_MANIFEST',
        `plugin.json declares ${missing.join(', ')}, but routes() does not register it.`,
      )
    }
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

// Queries, parameters and headers arrive as text and are converted; a JSON body means what it says.
const checkText = compilerOf(true)
const checkBody = compilerOf(false)

const serialize = onceForEach((schema) => fastJsonStringify(schema) as (data: unknown) => string)

function compilerOf(coerceTypes: boolean): (schema: object) => ValidateFunction {
  const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: true, strict: false })
  ajvFormats.default(ajv)
  return onceForEach((schema) => {
    const compiled = ajv.compile(schema)
    // Another plugin may have another schema of the same name.
    ajv.removeSchema(schema)
    return compiled
  })
}

/** Tests open many apps of the same plugin. */
function onceForEach<Compiled>(compile: (schema: object) => Compiled): (schema: object) => Compiled {
  const known = new Map<string, Compiled>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const compiled = known.get(text) ?? compile(schema)
    known.set(text, compiled)
    return compiled
  }
}

// An empty body is an absent one.
function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.trim() === '') done(null, undefined)
    else parse(request, text, done)
  })
}

const PARTS: Readonly<Record<string, string>> = { querystring: 'query', params: 'path', headers: 'header' }

function toDetail(part: string, { instancePath, keyword, message, params }: ErrorObject): object {
  const loc = [
    PARTS[part] ?? part,
    ...instancePath
      .split('/')
      .slice(1)
      .map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
  ]
  if (keyword === 'required')
    return { loc: [...loc, String(params['missingProperty'])], msg: 'Field required', type: 'missing' }
  return { loc, msg: `Input ${message ?? 'is invalid'}`, type: keyword }
}
