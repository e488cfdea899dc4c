// The activity log: what was watched and where it was told.
import { ACTIVITY, definePlugin, followRuns, type PluginContext } from '@playhead/sdk'
import { createLog, type Log } from './log.ts'
import { registerRoutes } from './routes.ts'
import { recordRun } from './runs.ts'
import { migrations } from './tables.ts'

// setup() makes the log of a generation, routes() takes it.
const logs = new WeakMap<object, Log>()

export default definePlugin({
  migrations,
  setup(ctx: PluginContext) {
    const log = createLog(ctx.db, Date.now)
    logs.set(ctx, log)
    ctx.provide(ACTIVITY, log.capability)
    followRuns(ctx, (run, sync, signal) => recordRun(run, sync, log.capability, signal), { whenQuiet: true })
    ctx.every('6h', 'prune', (signal) => log.prune(signal))
  },
  routes(app) {
    registerRoutes(app, (logs.get(app.playhead) as Log).capability)
  },
})
