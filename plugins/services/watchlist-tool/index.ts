// The watchlists of all accounts as one.
import {
  type Accounts,
  definePlugin,
  LIBRARY,
  type LibraryService,
  METADATA,
  type Metadata,
  type PluginContext,
  type SyncService,
  WATCHLIST,
} from '@playhead/sdk'
import { createWatchlist } from './capability.ts'
import { createDescriber } from './describe.ts'
import { createRemoval } from './removal.ts'
import { registerRoutes } from './routes.ts'

const has = (ctx: PluginContext, token: string) => ctx.capabilities(token).includes(token)

const sourcesOf = (ctx: PluginContext) => {
  const library = ctx.use<LibraryService>(LIBRARY)
  return { accounts: ctx.use<Accounts>('accounts'), library: () => (has(ctx, LIBRARY) ? library : undefined) }
}

export default definePlugin({
  setup(ctx: PluginContext) {
    ctx.provide(WATCHLIST, createWatchlist(sourcesOf(ctx)))
  },
  routes(app) {
    const ctx = app.playhead as PluginContext
    const { events, log } = ctx
    const sync = ctx.use<SyncService>('sync')
    const metadata = ctx.use<Metadata>(METADATA)
    registerRoutes(app, {
      ...sourcesOf(ctx),
      removal: createRemoval({ write: (request) => sync.write(request), events, log }),
      describer: (options) => createDescriber(has(ctx, METADATA) ? metadata : undefined, options, log),
    })
  },
})
