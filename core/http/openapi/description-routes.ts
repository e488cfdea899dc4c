// The OpenAPI description at /openapi.json.
import type { FastifyInstance } from 'fastify'
import { isNotModified } from '@playhead/sdk'
import type { OpenapiDocument } from './document.ts'

export async function descriptionRoutes(
  app: FastifyInstance,
  { document }: { readonly document: OpenapiDocument },
): Promise<void> {
  app.get('/openapi.json', { config: { access: { auth: 'S' } }, schema: { hide: true } }, async (request, reply) => {
    const { text, version } = await document.read()
    if (isNotModified(request, reply, version)) return reply.send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}
