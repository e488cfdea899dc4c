// The activity log: plays, and the accounts that received them.
import { ACTIVITY, definePlugin, MAINTENANCE } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'
import { createLog } from './log.ts'
import { clearActivity } from './maintain.ts'
import { registerRoutes } from './routes.ts'
import { recordRun } from './runs.ts'
import { migrations } from './tables.ts'

export default definePlugin({
  migrations,
  setup(ctx) {
    const log = createLog(ctx.db, Date.now)
    ctx.provide(ACTIVITY, log.capability)
    ctx.provide(
      MAINTENANCE.of('activity-log'),
      clearActivity(
        log,
        'Clear the activity log',
        'Deletes all entries of the activity log. Nothing changes on your services.',
      ),
      { whileDormant: ['describe'] },
    )
    ctx.provide(
      MAINTENANCE.of('recent-scrobbles'),
      clearActivity(
        log,
        'Clear recent scrobbles',
        'Deletes the scrobbles from the activity log. Nothing changes on your services.',
        'scrobble',
      ),
      { whileDormant: ['describe'] },
    )
    followRuns(ctx, (run, sync, signal) => recordRun(run, sync, log.capability, signal), { whenQuiet: true })
    ctx.every('6h', 'prune', (signal) => log.prune(signal))
    return log
  },
  routes(app, { capability }) {
    registerRoutes(app, capability)
  },
})
