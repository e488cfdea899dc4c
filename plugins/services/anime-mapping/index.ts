// Translates between shows with seasons and the entries of anime services.
import { ANIME_MAPPING, definePlugin } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { Settings } from './settings.ts'

export default definePlugin<typeof Settings, { parts: Parts }>({
  config: Settings,
  services: { parts: ({ ctx }) => createParts(ctx) },
  async setup(ctx) {
    const { parts } = ctx.services
    parts.setJob(ctx.schedule('update', (signal) => parts.automatic.run(signal), { timeoutMs: 15 * 60_000 }))
    ctx.provide(ANIME_MAPPING, parts.mapping)
    // Settings are read on use; only the time of the job depends on them.
    ctx.onConfigChange(() => parts.automatic.plan())
    await parts.automatic.plan()
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts)
  },
})
