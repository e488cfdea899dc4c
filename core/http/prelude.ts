// The common setup of every Fastify instance, the core's and the plugins': gate, headers, validation errors and error
// bodies. No route can bypass it.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isPlayheadError, PlayheadError, type Logger } from '@playhead/sdk'
import { connectClient } from '@playhead/sdk/host'
import type { Gate, GateDecision, RouteAccess } from './access/access.ts'
import { compressAnswers } from './compression.ts'
import { toErrorAnswer } from './errors.ts'
import { answerByRevision, type StoredAnswers } from './stored-answers.ts'
import { describable } from './openapi/openapi.ts'
import { guardAnswer } from './plugin-answers.ts'
import { hideSignIn } from './plugin-requests.ts'
import type { HeaderRequest } from './security-headers.ts'
import { flawIn, ValidationProblem, type Compilers } from './validation.ts'

const SESSION_ONLY: RouteAccess = { auth: 'S' }

export interface PreludeDependencies {
  readonly gate: Gate
  readonly compilers: Compilers
  readonly log: Logger
  readonly redact: (text: string) => string
  /** Response headers for a path. */
  readonly headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>
  /** Access rules from a plugin's manifest, for routes that do not declare their own. */
  readonly accessOf?: (route: { readonly method: string; readonly url: string }) => RouteAccess | undefined
  /** A handler threw an unexpected error. */
  readonly onUnexpected?: (error: unknown, request: FastifyRequest) => void
  /** The methods at this address, for 405 responses. */
  readonly methodsAt?: (url: string) => readonly string[]
  /** The 404 page for browsers. */
  readonly sendNotFoundPage?: (reply: FastifyReply) => Promise<FastifyReply>
  /** For the routes of a plugin: hides credentials from its handlers and restricts its responses. */
  readonly plugin?: {
    /** The plugin signs people in (`needs.signIn`): it gets and sets the session cookie. */
    readonly signsIn: boolean
  }
  /** Called for each registered route, in order. */
  readonly onRoute?: (route: RouteOptions) => void
  /** Called with each JSON answer before it is sent, for tests. */
  readonly onAnswer?: ((answer: Answer) => void) | undefined
  /** Where bodies of `config.revision` are stored; undefined for none. */
  readonly stored?: StoredAnswers
  /** Called before each response is sent. Returns the number of the change that the request made, for the response. */
  readonly onAnswered?: (request: FastifyRequest, status: number) => Promise<number | undefined>
}

export interface Answer {
  readonly request: FastifyRequest
  readonly status: number
  /** The body as JSON. */
  readonly body: string
}

/** Registers the prelude. Register routes after it, on the same instance or below. */
export const prelude = fp(
  async (app: FastifyInstance, deps: PreludeDependencies) => {
    app.decorateRequest('caller', null as never)
    app.setValidatorCompiler(deps.compilers.validator)
    app.setSerializerCompiler(deps.compilers.serializer)
    readBodies(app)

    app.addHook('onRoute', (route) => {
      const access =
        deps.accessOf?.({ method: String(route.method), url: route.url }) ?? route.config?.access ?? SESSION_ONLY
      route.config = { ...route.config, access }
      if (deps.plugin !== undefined) {
        route.handler = throwingErrors(route.handler)
        const hooks = route as unknown as Record<string, unknown>
        for (const name of REQUEST_HOOKS) {
          const given = hooks[name]
          if (given !== undefined) hooks[name] = [given].flat().map((hook) => hookOfErrors(hook as Hook))
        }
      }
      deps.onRoute?.(route)
    })

    app.addHook('onRequest', (request, reply, done) => {
      connectClient(request, reply)
      const url = request.raw.url ?? '/'
      const query = url.indexOf('?')
      const path = query === -1 ? url : url.slice(0, query)
      // Set on the raw response, so that streams have them too; handlers of the core may override them.
      const headers = deps.headersFor(path, request)
      for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
      if (deps.plugin !== undefined) guardAnswer(reply.raw, headers, deps.plugin.signsIn)

      let decision: GateDecision | Promise<GateDecision>
      try {
        const { socket } = request.raw
        decision = deps.gate.decide(
          {
            method: request.method,
            path,
            url,
            headers: request.raw.headers,
            remoteAddress: socket.remoteAddress ?? '',
            encrypted: (socket as { encrypted?: boolean }).encrypted === true,
          },
          request.routeOptions.config.access ?? SESSION_ONLY,
        )
      } catch (error) {
        return refuseClosed(error, path, reply)
      }
      if (!(decision instanceof Promise)) return admit(decision, request, reply, done)
      decision.then(
        (later) => admit(later, request, reply, done),
        (error: unknown) => refuseClosed(error, path, reply),
      )
    })

    function admit(answer: GateDecision, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      if (answer.pass) {
        request.caller = answer.caller
        if (deps.plugin !== undefined) {
          // A service worker may act for all pages of this origin.
          if (request.headers['service-worker'] !== undefined)
            return void reply
              .code(404)
              .send({ ok: false, error: 'not_found', detail: 'A plugin has no service workers.' })
          hideSignIn(request, !deps.plugin.signsIn)
        }
        return done()
      }
      if (answer.headers !== undefined) reply.headers(answer.headers)
      if (answer.redirect !== undefined) void reply.redirect(answer.redirect, answer.status)
      else void reply.code(answer.status).send(answer.body)
    }

    function refuseClosed(error: unknown, path: string, reply: FastifyReply): void {
      deps.log.error({ err: error, path }, 'the access gate failed; the request was refused')
      void reply.code(503).send({ ok: false, error: 'Service unavailable' })
    }

    // `retry_after` in the body also sets the header.
    app.addHook<unknown>('preSerialization', (_request, reply, payload, done) => {
      const seconds = (payload as { readonly retry_after?: unknown } | null)?.retry_after
      if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0)
        void reply.header('retry-after', String(Math.ceil(seconds)))
      done(null, payload)
    })
    app.setErrorHandler((error, request, reply) => {
      const { takes } = request.routeOptions.schema ?? {}
      const answer = toErrorAnswer(error, request.id, deps.redact, takes === undefined ? undefined : Object.keys(takes))
      // Errors caused by a disconnected client are not reported.
      if (answer.unexpected && !isGone(reply)) {
        deps.log.error(
          { err: error, method: request.method, route: request.routeOptions.url, request: request.id },
          'a request failed',
        )
        deps.onUnexpected?.(error, request)
      }
      // The rest of the body is read: closing the connection would reset it before the client reads the response.
      if (answer.status === 413) {
        void reply.removeHeader('connection')
        request.raw.resume()
      }
      return reply
        .code(answer.status)
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send(answer.body)
    })
    app.setNotFoundHandler((request, reply) => {
      const allowed = deps.methodsAt?.(request.raw.url ?? '/') ?? []
      if (allowed.length === 0 && deps.sendNotFoundPage !== undefined && wantsPage(request))
        return deps.sendNotFoundPage(reply.code(404))
      if (allowed.length === 0) return reply.code(404).send({ detail: 'Not Found' })
      return reply.code(405).header('allow', allowed.join(', ')).send({ detail: 'Method Not Allowed' })
    })

    const { onAnswer } = deps
    if (onAnswer !== undefined) {
      app.addHook('onSend', (request, reply, payload, done) => {
        const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json')
        if (isJson && typeof payload === 'string') onAnswer({ request, status: reply.statusCode, body: payload })
        done(null, payload)
      })
    }
    app.addHook('onSend', async (request, reply) => {
      const change = await deps.onAnswered?.(request, reply.statusCode)
      if (change !== undefined) void reply.header('x-change', String(change))
    })
    compressAnswers(app)
    answerByRevision(app, deps.stored)
    if (deps.plugin !== undefined) {
      // Inherited by the scopes that the plugin registers. The hooks before it are the host's.
      const addHook = app.addHook as (this: FastifyInstance, name: string, hook: Hook) => FastifyInstance
      app.addHook = function addGuarded(this: FastifyInstance, name: string, hook: Hook) {
        return addHook.call(this, name, REQUEST_HOOKS.includes(name) ? hookOfErrors(hook) : hook)
      } as typeof app.addHook
    }
    app.decorate('describe', describable(app))
  },
  { name: 'playhead-prelude' },
)

/** A browser that navigates to an address. */
function wantsPage({ method, raw: { url = '/' }, headers: { accept = '' } }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && accept.includes('text/html') && !/^\/(?:api|assets)(?:[/?]|$)/.test(url)
  )
}

function isGone({ raw }: FastifyReply): boolean {
  return raw.destroyed || raw.socket?.destroyed === true
}

// JSON only, unless the route's plugin adds a parser. An empty body counts as absent.
function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') return done(null, undefined)
    parse(request, body, (error, value) => {
      const flaw = error === null ? flawIn(value) : undefined
      if (flaw !== undefined) return done(new ValidationProblem([{ loc: ['body'], msg: flaw, type: 'json_invalid' }]))
      if (error === null) return done(null, value)
      const offset = offsetOf(body)
      if (offset === null) {
        return done(
          new PlayheadError('PLH_INVALID', 'The keys __proto__ and constructor are not accepted.', {
            wire: 'invalid_key',
          }),
        )
      }
      done(new ValidationProblem([{ loc: ['body', offset], msg: 'JSON decode error', type: 'json_invalid' }]))
    })
  })
}

// Position of the JSON error; null if only keys were refused.
function offsetOf(body: string): number | null {
  try {
    JSON.parse(body)
    return null
  } catch (error) {
    return Number(/position (\d+)/.exec(String(error))?.[1] ?? body.length)
  }
}

type Handler = RouteOptions['handler']

/** Any value may be thrown. The framework reads its members before any error handler runs. */
function throwingErrors(handler: Handler): Handler {
  return function guarded(this: FastifyInstance, request, reply) {
    try {
      const answer: unknown = handler.call(this, request, reply)
      return (
        answer instanceof Promise
          ? answer.catch((thrown: unknown) => {
              throw readableError(thrown)
            })
          : answer
      ) as ReturnType<Handler>
    } catch (thrown) {
      throw readableError(thrown)
    }
  }
}

const REQUEST_HOOKS: readonly string[] = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onError',
  'onResponse',
]
type Hook = (...args: unknown[]) => unknown

/** Like a handler; a hook may also pass its error on. */
function hookOfErrors(hook: Hook): Hook {
  if (typeof hook !== 'function') return hook
  function guarded(this: unknown, ...given: unknown[]): unknown {
    const next = given.at(-1)
    if (typeof next === 'function')
      given[given.length - 1] = (error: unknown, ...more: unknown[]) =>
        (next as Hook)(error === null || error === undefined ? error : readableError(error), ...more)
    try {
      const answer = hook.apply(this, given)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((thrown: unknown) => {
        throw readableError(thrown)
      })
    } catch (thrown) {
      throw readableError(thrown)
    }
  }
  // Like the framework, refuse an asynchronous hook that takes a callback.
  const isAsync = hook.constructor.name === 'AsyncFunction'
  const shown = isAsync
    ? async function shown(this: unknown, ...given: unknown[]) {
        return guarded.apply(this, given)
      }
    : guarded
  return Object.defineProperty(shown, 'length', { value: hook.length })
}

/** The error itself if it is a readable error; otherwise a new one without any of its data. */
function readableError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) {
      const { name, message, stack, code, statusCode, headers } = thrown as Error & Record<string, unknown>
      void [name, message, stack, code, statusCode, headers, isPlayheadError(thrown)].map(String)
      if (!Object.isFrozen(thrown)) return thrown
      return isPlayheadError(thrown) ? thrown : new Error(String(message), { cause: stack })
    }
  } catch {
    // Even its members cannot be read.
  }
  return new Error(`A value that is no error was thrown (${thrown === null ? 'null' : typeof thrown}).`)
}
