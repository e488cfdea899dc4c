// Serves the documentation, which `ui/build.ts` builds into static files, at /guide. It has no personal data, so no
// sign-in is needed.
import type { FastifyInstance } from 'fastify'
import { isNotModified } from '@playhead/sdk'
import type { Pages } from './pages.ts'

export async function guideRoutes(app: FastifyInstance, { pages }: { readonly pages: Pages }): Promise<void> {
  for (const url of ['/guide', '/guide/*']) {
    app.get(
      url,
      { config: { access: { auth: 'P', duringSetup: true } }, schema: { hide: true } },
      async (request, reply) => {
        const address = (request.url.split('?', 1)[0] as string).replace(/\/+$/, '')
        const found = await pages.guide(address)
        if (found === null) return reply.code(404).type('text/plain; charset=utf-8').send('This page does not exist.')
        if (isNotModified(request, reply, found.version)) return reply.send()
        return reply.type(found.type).send(found.body)
      },
    )
  }
}
