// A signal for client disconnects. Fastify's `request.signal` aborts as soon as the body was read.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

const responses = new WeakMap<IncomingMessage, ServerResponse>()
const signals = new WeakMap<IncomingMessage, AbortSignal>()

/** For the host: connects a request with its reply. */
export function connectClient(request: Pick<FastifyRequest, 'raw'>, reply: Pick<FastifyReply, 'raw'>): void {
  responses.set(request.raw, reply.raw)
}

/**
 * Aborts when the client disconnects before the response is sent. Use it instead of `request.signal`.
 *
 * @example app.get('/api/things', (request) => ctx.upstream.account(OPTIONS).json({ path: '/things', signal:
 * clientSignal(request) }, Things))
 */
export function clientSignal({ raw }: Pick<FastifyRequest, 'raw'>): AbortSignal {
  const known = signals.get(raw)
  if (known !== undefined) return known
  const controller = new AbortController()
  const response = responses.get(raw)
  const end = () => {
    if (response?.writableFinished !== true) controller.abort()
  }
  if (response?.destroyed === true) end()
  else response?.once('close', end)
  signals.set(raw, controller.signal)
  return controller.signal
}
