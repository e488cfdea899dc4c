// Dashboard, statistics and insights: what the accounts hold, and what runs did.
import { definePlugin, followRuns, type PluginContext } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerDashboardRoutes } from './dashboard.ts'
import { registerInsightRoutes } from './insights.ts'
import { registerOverviewRoute } from './overview.ts'
import { registerSnapshotRoute } from './snapshots.ts'
import { registerStatisticsRoutes } from './stats.ts'
import { migrations } from './tables.ts'
import { registerWallRoute } from './wall.ts'

// setup() makes the parts of a generation, routes() takes them.
const partsOf = new WeakMap<object, Parts>()

export default definePlugin({
  migrations,
  setup(ctx: PluginContext) {
    const parts = createParts(ctx)
    partsOf.set(ctx, parts)
    followRuns(ctx, (run, sync, signal) => parts.statistics.take(run, sync, signal), { whenQuiet: true })
  },
  routes(app) {
    const parts = partsOf.get(app.playhead) as Parts
    registerDashboardRoutes(app, parts)
    registerOverviewRoute(app, parts)
    registerStatisticsRoutes(app, parts)
    registerInsightRoutes(app, parts)
    registerSnapshotRoute(app, parts)
    registerWallRoute(app, parts)
  },
})
