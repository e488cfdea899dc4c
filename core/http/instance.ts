// Creates the Fastify instances of the core and of plugins. Framework errors before routing have the same body and
// headers as other errors.
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { toErrorAnswer } from './errors.ts'
import type { PreludeDependencies } from './prelude.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

export function createInstance(
  { headersFor, redact }: Pick<PreludeDependencies, 'headersFor' | 'redact'>,
  { maxParamLength }: { readonly maxParamLength: number },
): FastifyInstance {
  return fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    requestTimeout: 0,
    routerOptions: { maxParamLength },
    // Fastify runs no hooks for these errors.
    frameworkErrors(error, request, reply: FastifyReply) {
      const { status, body } = toErrorAnswer(error, request.id, redact)
      void reply
        .code(status)
        .headers(headersFor((request.raw.url ?? '/').split('?', 1)[0] as string, request.raw))
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send(body)
    },
  })
}
