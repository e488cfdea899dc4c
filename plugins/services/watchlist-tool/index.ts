// The watchlists of all accounts as one.
import { ACCOUNTS, definePlugin, LIBRARY, METADATA, type PluginContext, SYNC, WATCHLIST } from '@playhead/sdk'
import { createWatchlist } from './capability.ts'
import { createDescriber } from './describe.ts'
import { createRemoval } from './removal.ts'
import { registerRoutes } from './routes.ts'

const sourcesOf = (ctx: PluginContext) => ({ accounts: ctx.use(ACCOUNTS), library: () => ctx.tryUse(LIBRARY) })

export default definePlugin({
  setup(ctx: PluginContext) {
    ctx.provide(WATCHLIST, createWatchlist(sourcesOf(ctx)))
  },
  routes(app) {
    const ctx = app.playhead as PluginContext
    const { events, log } = ctx
    const sync = ctx.use(SYNC)
    registerRoutes(app, {
      ...sourcesOf(ctx),
      removal: createRemoval({ write: (request) => sync.write(request), events, log }),
      describer: (options) => createDescriber(ctx.tryUse(METADATA), options, log),
    })
  },
})
