// Logs, files and health of the service.
import {
  ATTENTION,
  ATTENTION_LIST,
  type AttentionList,
  definePlugin,
  type PluginContext,
  setupValue,
  type SetupValue,
} from '@playhead/sdk'
import { accountsOf, createAttentionList, registerAttentionRoute } from './attention.ts'
import { registerFileRoutes } from './file-routes.ts'
import { reportHealth } from './health-facts.ts'
import { registerHealthRoute } from './health-route.ts'
import { registerLogRoutes } from './log-routes.ts'

export default definePlugin<never, { attention: SetupValue<AttentionList> }>({
  services: { attention: () => setupValue() },
  hooks: [ATTENTION],
  async setup(ctx) {
    await reportHealth(ctx)
    ctx.tap(ATTENTION, 'accounts', () => accountsOf(ctx))
    const list = createAttentionList(ctx as unknown as PluginContext)
    ctx.services.attention.set(list)
    ctx.provide(ATTENTION_LIST, list)
  },
  routes(app) {
    registerLogRoutes(app)
    registerFileRoutes(app)
    registerHealthRoute(app)
    registerAttentionRoute(app, app.playhead.services.attention.get())
  },
})
