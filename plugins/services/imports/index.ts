// Imports: reads files of trackers and list services, shows them, and writes them to an account. Formats are plugins.
import { ATTENTION, definePlugin, PROBLEMS } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { createProblems } from './problems.ts'
import { registerRoutes } from './routes/routes.ts'
import { migrations } from './tables.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 30

export default definePlugin({
  async setup(ctx) {
    const own = await ctx.openDatabase('imports', { migrations, onUnreadable: 'set_aside' })
    const parts = createParts(ctx)
    ctx.tap(ATTENTION, 'imports', () => parts.going.interrupted(parts.jobs.isActive))
    ctx.provide(PROBLEMS.of('imports'), createProblems({ own, work: parts.work, jobs: parts.jobs }))
    // Uploaded data are kept no longer than plans.
    ctx.every('1d', 'forget-old', async () => {
      const nowMs = Date.now()
      for (const id of await parts.work.olderThan(nowMs - KEPT_DAYS * DAY_MS, nowMs))
        if (!parts.jobs.isActive(id)) await parts.remove(id)
    })
    return parts
  },
  routes(app, parts) {
    registerRoutes(app, parts, app.playhead.log)
  },
})
