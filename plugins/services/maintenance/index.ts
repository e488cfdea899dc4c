// Maintenance: clears and rebuilds what plugins keep, checks and repairs databases, resets and restarts the service.
import { ATTENTION, definePlugin, HEALTH_DETAIL, type TObject } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerActionRoutes } from './routes/action-routes.ts'
import { registerServiceRoutes } from './routes/service-routes.ts'
import { registerStatusRoutes } from './routes/status-routes.ts'
import { registerTrackerRoutes } from './routes/tracker-routes.ts'

/** After the start, when requests have been answered and plugins have read what they need. */
const CHECK_AFTER_MS = 20_000

export default definePlugin<TObject, { parts: Parts }>({
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup(ctx) {
    const { integrity } = ctx.services.parts
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
