// Whether the client of a request still waits for its answer. Fastify's own `request.signal` is aborted as soon as a
// body was read.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

const responses = new WeakMap<IncomingMessage, ServerResponse>()
const signals = new WeakMap<IncomingMessage, AbortSignal>()

/** For the host: what the request will be answered with. */
export function connectClient(request: Pick<FastifyRequest, 'raw'>, reply: Pick<FastifyReply, 'raw'>): void {
  responses.set(request.raw, reply.raw)
}

/**
 * Aborts when the client is gone before it has its answer, for work that nobody would see the end of. Use it in place
 * of `request.signal`.
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
