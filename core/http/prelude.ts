// What every Fastify instance of the host begins with, the core's own and each plugin's: the gate, the headers, the
// validation body, the error body. A plugin cannot register a route that escapes it.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { connectClient } from '@playhead/sdk/host'
import type { Gate, GateDecision, RouteAccess } from './access.ts'
import { compressAnswers } from './compression.ts'
import { toErrorAnswer } from './errors.ts'
import { describable, type OpenapiInfo } from './openapi.ts'
import type { HeaderRequest } from './security-headers.ts'
import { flawIn, ValidationProblem, type Compilers } from './validation.ts'

const SESSION_ONLY: RouteAccess = { auth: 'S' }

export interface PreludeDependencies {
  readonly gate: Gate
  readonly compilers: Compilers
  readonly log: Logger
  readonly redact: (text: string) => string
  /** Headers of every answer for this path. */
  readonly headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>
  /** The access of a route where that is not the route's own word: a plugin's manifest decides. */
  readonly accessOf?: (route: { readonly method: string; readonly url: string }) => RouteAccess | undefined
  /** Somebody's handler threw what nobody foresaw. */
  readonly onUnexpected?: (error: unknown, request: FastifyRequest) => void
  /** The methods that are answered at this address, for the answer to a wrong one. */
  readonly methodsAt?: (url: string) => readonly string[]
  /** For people who come to an address that there is not. */
  readonly sendNotFoundPage?: (reply: FastifyReply) => Promise<FastifyReply>
  /** Routes of the instance, in the order they are registered. */
  readonly onRoute?: (route: RouteOptions) => void
  readonly openapiInfo: OpenapiInfo
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
      deps.onRoute?.(route)
    })

    app.addHook('onRequest', (request, reply, done) => {
      connectClient(request, reply)
      const url = request.raw.url ?? '/'
      const query = url.indexOf('?')
      const path = query === -1 ? url : url.slice(0, query)
      // Set where also streams find them, which answer by themselves; what a handler sets wins.
      for (const [name, value] of Object.entries(deps.headersFor(path, request))) reply.raw.setHeader(name, value)

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

    // Wherever a body says how long to wait, its headers say so too.
    app.addHook<unknown>('preSerialization', (_request, reply, payload, done) => {
      const seconds = (payload as { readonly retry_after?: unknown } | null)?.retry_after
      if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0)
        void reply.header('retry-after', String(Math.ceil(seconds)))
      done(null, payload)
    })
    app.setErrorHandler((error, request, reply) => {
      const answer = toErrorAnswer(error, request.id, deps.redact)
      // What is thrown because the client went away is nobody's fault.
      if (answer.unexpected && !isGone(reply)) {
        deps.log.error(
          { err: error, method: request.method, route: request.routeOptions.url, request: request.id },
          'a request failed',
        )
        deps.onUnexpected?.(error, request)
      }
      // A client that still sends reads its answer only when what it sends is taken; to hang up would reset the
      // connection under it.
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

    compressAnswers(app)
    app.decorate('describe', describable(app, deps.openapiInfo))
  },
  { name: 'playhead-prelude' },
)

/** A browser that opens an address, and not a program or a part of a page. */
function wantsPage({ method, raw: { url = '/' }, headers: { accept = '' } }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && accept.includes('text/html') && !/^\/(?:api|assets)(?:[/?]|$)/.test(url)
  )
}

function isGone({ raw }: FastifyReply): boolean {
  return raw.destroyed || raw.socket?.destroyed === true
}

// JSON and nothing else, unless a route's plugin adds a parser. An empty body is an absent one.
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

// Where the JSON breaks; null when it is JSON and only its keys were refused.
function offsetOf(body: string): number | null {
  try {
    JSON.parse(body)
    return null
  } catch (error) {
    return Number(/position (\d+)/.exec(String(error))?.[1] ?? body.length)
  }
}
