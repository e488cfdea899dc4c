// The combined watchlist of all accounts.
import {
  ACCOUNTS,
  ACTIONS,
  definePlugin,
  householdOf,
  LIBRARY,
  METADATA,
  type PluginContext,
  WATCHLIST,
} from '@playhead/sdk'
import { createWatchlist } from './capability.ts'
import { createDescriber, isReady } from './describe.ts'
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
    registerRoutes(app, {
      ...sourcesOf(ctx),
      persons: () => householdOf(ctx),
      removal: createRemoval({ actions: ctx.use(ACTIONS), events }),
      isReady: () => isReady(ctx.tryUse(METADATA)),
      hostRevision: () => ctx.host.revision(),
      describer: (options) => createDescriber(ctx.tryUse(METADATA), options, log),
    })
  },
})
