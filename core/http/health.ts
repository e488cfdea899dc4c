// Liveness: always answers, also during setup and with an unreadable configuration.
import { Type } from '@playhead/sdk'
import type { FastifyInstance } from 'fastify'
import type { RouteAccess } from './access.ts'

const access: RouteAccess = { auth: 'P', duringSetup: true, always: true }
const Health = Type.Object({ ok: Type.Boolean(), status: Type.String() })

export async function healthRoutes(app: FastifyInstance): Promise<void> {
  for (const [url, hide] of [
    ['/api/health', false],
    ['/healthz', true],
  ] as const) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access },
      schema: { summary: 'Is the service alive?', tags: ['Health'], hide, response: { 200: Health } },
      handler: () => ({ ok: true, status: 'ok' }),
    })
  }
}
