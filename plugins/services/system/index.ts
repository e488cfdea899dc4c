// Logs, files and health of the service.
import { ATTENTION, ATTENTION_LIST, definePlugin, type PluginContext } from '@playhead/sdk'
import { accountsOf, createAttentionList, registerAttentionRoute } from './attention.ts'
import { registerFileRoutes } from './file-routes.ts'
import { reportHealth } from './health-facts.ts'
import { registerHealthRoute } from './health-route.ts'
import { registerLogRoutes } from './log-routes.ts'

export default definePlugin({
  hooks: [ATTENTION],
  async setup(ctx) {
    await reportHealth(ctx)
    ctx.tap(ATTENTION, 'accounts', () => accountsOf(ctx))
    const list = createAttentionList(ctx as unknown as PluginContext)
    ctx.provide(ATTENTION_LIST, list)
    return list
  },
  routes(app, attention) {
    registerLogRoutes(app)
    registerFileRoutes(app)
    registerHealthRoute(app)
    registerAttentionRoute(app, attention)
  },
})
