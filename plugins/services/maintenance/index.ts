// Maintenance: clears and rebuilds stored data of plugins, checks and repairs databases, resets and restarts the service.
import { ATTENTION, definePlugin, HEALTH_DETAIL } from '@playhead/sdk'
import { forgetAfterLoss } from './integrity/lost-rows.ts'
import { createParts, type Parts } from './parts.ts'
import { registerActionRoutes } from './routes/action-routes.ts'
import { registerServiceRoutes } from './routes/service-routes.ts'
import { registerStatusRoutes } from './routes/status-routes.ts'
import { registerTrackerRoutes } from './routes/tracker-routes.ts'
import { Settings } from './settings.ts'

/** Delay after the start, when first requests were served and plugins have loaded their data. */
const CHECK_AFTER_MS = 20_000

/** Time limit for large databases on a slow disk. */
const CHECK_LIMIT_MS = 6 * 3_600_000

export default definePlugin<typeof Settings, { parts: Parts }>({
  config: Settings,
  services: { parts: ({ ctx }) => createParts(ctx) },
  async setup(ctx) {
    const { integrity, weekly, setJob, performer } = ctx.services.parts
    forgetAfterLoss(ctx, performer)
    setJob(ctx.schedule('integrity', (signal) => weekly.run(signal), { timeoutMs: CHECK_LIMIT_MS }))
    ctx.onConfigChange(() => weekly.plan())
    await weekly.plan()
    ctx.after(CHECK_AFTER_MS, async () => void (await integrity.check({ quick: true }, ctx.signal)))
    ctx.tap(HEALTH_DETAIL, 'maintenance', () => integrity.health())
    ctx.tap(ATTENTION, 'maintenance', () => integrity.attention())
  },
  routes(app) {
    const { parts } = app.playhead.services
    registerActionRoutes(app, parts)
    registerStatusRoutes(app, parts)
    registerTrackerRoutes(app, parts)
    registerServiceRoutes(app, parts)
  },
})
