// The interactive description at /docs, from files of our own host, under the same access as everything else.
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

export interface DocumentationDependencies {
  /** The merged description of the moment. */
  readonly describe: () => object
  readonly logo: { readonly type: string; readonly body: Buffer }
}

export async function documentationRoutes(app: FastifyInstance, { describe, logo }: DocumentationDependencies): Promise<void> {
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true, tryItOutEnabled: true },
    theme: { title: 'Playhead API' },
    logo: { type: logo.type, content: logo.body, href: '/' },
    transformSpecification: () => describe() as never,
  })
}
