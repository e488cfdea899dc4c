// Dashboard, statistics and insights about accounts and runs.
import { definePlugin, MAINTENANCE, type TObject } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'
import { createParts, type Parts } from './parts.ts'
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

export default definePlugin<TObject, { parts: Parts }>({
  addsToSettings: { ui: ShownSettings },
  migrations,
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup(ctx) {
    const { parts } = ctx.services
    ctx.provide(MAINTENANCE.of('statistics'), resetStatistics(ctx.db, parts.statistics), { whileDormant: ['describe'] })
    followRuns(ctx, (run, sync, signal) => parts.statistics.take(run, sync, signal), { whenQuiet: true })
  },
  routes(app) {
    const { parts } = app.playhead.services
    registerDashboardRoutes(app, parts)
    registerOverviewRoute(app, parts)
    registerStatisticsRoutes(app, parts)
    registerInsightRoutes(app, parts)
    registerSnapshotRoute(app, parts)
    registerWallRoute(app, parts)
    registerWidgetRoute(app, parts)
  },
})
