// Translates between shows with seasons and the entries of anime services.
import { ANIME_MAPPING, definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { Settings } from './settings.ts'

export default definePlugin({
  config: Settings,
  async setup(ctx) {
    const parts = createParts(ctx)
    parts.setJob(ctx.schedule('update', (signal) => parts.automatic.run(signal), { timeoutMs: 15 * 60_000 }))
    ctx.provide(ANIME_MAPPING, parts.mapping)
    // Settings are read on use; only the time of the job depends on them.
    ctx.onConfigChange(() => parts.automatic.plan())
    await parts.automatic.plan()
    return parts
  },
  routes(app, parts) {
    registerRoutes(app, parts)
  },
})
