// Routes of an isolated plugin, in the host: access is decided here, everything else on the plugin's thread.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { clientSignal, defined, type OpenStreamOptions, PlayheadError, type Remote, type Streams } from '@playhead/sdk'
import type { PluginSide, RegisteredRoute } from './wire.ts'

/** Headers of one connection, and headers that the host sets itself. */
const NOT_FORWARDED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'accept-encoding', 'x-playhead-caller'])
const NOT_RETURNED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

interface ForwardOptions {
  readonly plugin: Remote<PluginSide>
  readonly streams: Pick<Streams, 'open'>
}

export interface RequestForwarder {
  /** Registers the routes on the host's router. */
  register(app: FastifyInstance, routes: readonly RegisteredRoute[]): void
  /** The body of a request that is being answered. */
  body(id: number): AsyncIterable<Uint8Array>
}

export function createRequestForwarder({ plugin, streams }: ForwardOptions): RequestForwarder {
  const bodies = new Map<number, Readable>()
  let lastId = 0

  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const source = request.body instanceof Readable ? request.body : null
    const body = source === null ? null : ++lastId
    if (source !== null && body !== null) bodies.set(body, source)
    try {
      const answer = await plugin.request(
        {
          method: request.method,
          url: request.raw.url ?? '/',
          headers: forwarded(request),
          caller: request.caller ?? null,
          address: request.raw.socket.remoteAddress ?? '',
          body,
        },
        clientSignal(request),
      )
      if (answer.stream !== null) return streams.open(request, reply, answer.stream as OpenStreamOptions)
      for (const [name, value] of Object.entries(answer.headers)) {
        if (!NOT_RETURNED.has(name)) void reply.header(name, value)
      }
      const { body: given } = answer
      return await reply
        .code(answer.status)
        .send(
          typeof given === 'number'
            ? Readable.from(plugin.responseBody(given), { objectMode: false })
            : Buffer.from(given.buffer, given.byteOffset, given.byteLength),
        )
    } catch (error) {
      throw reply.raw.destroyed ? new PlayheadError('PLH_ABORTED', 'The client left.') : error
    } finally {
      if (body !== null) bodies.delete(body)
      // Discard the unread rest, so that the connection can be reused.
      source?.resume()
    }
  }

  return {
    register(app, routes) {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
      for (const { method, url, schema, bodyLimit } of routes) {
        app.route({
          method: method as HTTPMethods,
          url,
          handler: forward,
          validatorCompiler: () => () => true,
          serializerCompiler: () => JSON.stringify,
          ...defined({ schema: (schema as object | null) ?? undefined, bodyLimit: bodyLimit ?? undefined }),
        })
      }
    },
    async *body(id) {
      const source = bodies.get(id)
      if (source !== undefined) yield* source as AsyncIterable<Uint8Array>
    },
  }
}

function forwarded({ raw }: FastifyRequest): Record<string, string | readonly string[]> {
  const kept: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(raw.headers)) {
    if (value !== undefined && !NOT_FORWARDED.has(name)) kept[name] = value
  }
  return kept
}
