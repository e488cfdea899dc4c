// Logs, files and health of the service.
import { definePlugin, ATTENTION } from '@playhead/sdk'
import { accountsOf, registerAttentionRoute } from './attention.ts'
import { registerFileRoutes } from './file-routes.ts'
import { reportHealth } from './health-facts.ts'
import { registerHealthRoute } from './health-route.ts'
import { registerLogRoutes } from './log-routes.ts'

export default definePlugin({
  hooks: [ATTENTION],
  async setup(ctx) {
    await reportHealth(ctx)
    ctx.tap(ATTENTION, 'accounts', () => accountsOf(ctx))
  },
  routes(app) {
    registerLogRoutes(app)
    registerFileRoutes(app)
    registerHealthRoute(app)
    registerAttentionRoute(app)
  },
})
