// Dashboard, statistics and insights about accounts and runs.
import { definePlugin, MAINTENANCE } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'
import { createParts } from './parts.ts'
import { registerDashboardRoutes } from './dashboard.ts'
import { registerInsightRoutes } from './insights.ts'
import { resetStatistics } from './maintain.ts'
import { registerOverviewRoute } from './overview.ts'
import { ShownSettings } from './settings.ts'
import { registerSnapshotRoute } from './snapshots.ts'
import { registerStatisticsRoutes } from './stats.ts'
import { migrations } from './tables.ts'
import { registerWallRoute } from './wall.ts'
import { registerWidgetRoute } from './widget.ts'

export default definePlugin({
  addsToSettings: { ui: ShownSettings },
  migrations,
  setup(ctx) {
    const parts = createParts(ctx)
    ctx.provide(MAINTENANCE.of('statistics'), resetStatistics(ctx.db, parts.statistics), { whileDormant: ['describe'] })
    followRuns(ctx, (run, sync, signal) => parts.statistics.take(run, sync, signal), { whenQuiet: true })
    return parts
  },
  routes(app, parts) {
    registerDashboardRoutes(app, parts)
    registerOverviewRoute(app, parts)
    registerStatisticsRoutes(app, parts)
    registerInsightRoutes(app, parts)
    registerSnapshotRoute(app, parts)
    registerWallRoute(app, parts)
    registerWidgetRoute(app, parts)
  },
})
