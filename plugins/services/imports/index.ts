// Imports: reads files of trackers and list services, shows them, and writes them to an account. Formats are plugins.
import { ATTENTION, definePlugin, setupValue, type SetupValue } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes/routes.ts'
import { migrations } from './tables.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 30

export default definePlugin<never, { parts: SetupValue<Parts> }>({
  services: { parts: () => setupValue() },
  async setup(ctx) {
    await ctx.openDatabase('imports', { migrations, onUnreadable: 'set_aside' })
    const parts = createParts(ctx)
    ctx.services.parts.set(parts)
    ctx.tap(ATTENTION, 'imports', () => parts.going.interrupted(parts.jobs.isActive))
    // Uploaded data are kept no longer than plans.
    ctx.every('1d', 'forget-old', async () => {
      const nowMs = Date.now()
      for (const id of await parts.work.olderThan(nowMs - KEPT_DAYS * DAY_MS, nowMs))
        if (!parts.jobs.isActive(id)) await parts.remove(id)
    })
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts.get(), app.playhead.log)
  },
})
