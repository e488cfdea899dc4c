// Maintenance: clears and rebuilds stored data of plugins, checks and repairs databases, resets and restarts the service.
import { ATTENTION, definePlugin, HEALTH_DETAIL, pause } from '@playhead/sdk'
import { forgetAfterLoss } from './integrity/lost-rows.ts'
import { createParts } from './parts.ts'
import { registerActionRoutes } from './routes/action-routes.ts'
import { registerServiceRoutes } from './routes/service-routes.ts'
import { registerStatusRoutes } from './routes/status-routes.ts'
import { registerTrackerRoutes } from './routes/tracker-routes.ts'
import { Settings } from './settings.ts'

/** After the start, when plugins have read what they need. */
const CHECK_AFTER_MS = 5 * 60_000
/** Delay while work is in progress, because a check reads whole files. */
const CHECK_PAUSE_MS = 60_000
const CHECK_TRIES = 60

/** Time limit for large databases on a slow disk. */
const CHECK_LIMIT_MS = 6 * 3_600_000

export default definePlugin({
  config: Settings,
  async setup(ctx) {
    const parts = createParts(ctx)
    const { integrity, weekly, setJob, performer } = parts
    forgetAfterLoss(ctx, performer)
    setJob(ctx.schedule('integrity', (signal) => weekly.run(signal), { timeoutMs: CHECK_LIMIT_MS }))
    ctx.onConfigChange(() => weekly.plan())
    await weekly.plan()
    ctx.after(CHECK_AFTER_MS, async () => {
      for (let left = CHECK_TRIES; left > 0 && ctx.work.current().length > 0; left -= 1)
        await pause(CHECK_PAUSE_MS, ctx.signal)
      if (ctx.signal.aborted) return
      await integrity.check({ quick: true }, ctx.signal)
    })
    ctx.tap(HEALTH_DETAIL, 'maintenance', () => integrity.health())
    ctx.tap(ATTENTION, 'maintenance', () => integrity.attention())
    return parts
  },
  routes(app, parts) {
    registerActionRoutes(app, parts)
    registerStatusRoutes(app, parts)
    registerTrackerRoutes(app, parts)
    registerServiceRoutes(app, parts)
  },
})
