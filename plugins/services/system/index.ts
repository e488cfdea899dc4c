// Logs, files and health of the service.
import { ATTENTION, ATTENTION_LIST, definePlugin, type PluginContext } from '@playhead/sdk'
import { accountsOf, createAttentionList, registerAttentionRoute } from './attention.ts'
import { registerFileRoutes } from './file-routes.ts'
import { reportHealth } from './health-facts.ts'
import { registerHealthRoute } from './health-route.ts'
import { registerLogRoutes } from './log-routes.ts'
import { createVendorWatch } from './vendors.ts'

export default definePlugin({
  hooks: [ATTENTION],
  async setup(ctx) {
    await reportHealth(ctx)
    ctx.tap(ATTENTION, 'accounts', () => accountsOf(ctx))
    const vendors = createVendorWatch(ctx as unknown as PluginContext)
    ctx.tap(ATTENTION, 'vendors', () => vendors.open())
    ctx.every('1h', 'vendors', (signal) => vendors.look(signal))
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
