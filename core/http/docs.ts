// The interactive description at /docs, from files of our own host, under the same access as everything else.
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

export async function documentationRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    // The page's own initializer would ask for the core's description only; this is the merged one.
    uiConfig: { url: '/openapi.json', urls: undefined, deepLinking: true, tryItOutEnabled: true },
    theme: { title: 'Playhead API' },
  } as never)
}
