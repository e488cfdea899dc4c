// The watchlists of all accounts as one.
import {
  definePlugin,
  METADATA,
  WATCHLIST,
  type Accounts,
  type Metadata,
  type PluginContext,
  type SyncService,
} from '@playhead/sdk'
import { createWatchlist } from './capability.ts'
import { createDescriber } from './describe.ts'
import { createHidden, type Hidden } from './hidden.ts'
import { createRemoval } from './removal.ts'
import { registerRoutes } from './routes.ts'
import { loadView } from './view.ts'

interface Services {
  readonly hidden: Hidden
}
type Context = PluginContext<unknown, Services>

const sourcesOf = (ctx: Context) => ({
  accounts: ctx.use<Accounts>('accounts'),
  sync: ctx.use<SyncService>('sync'),
  hidden: ctx.services.hidden,
  isThere: () => ctx.capabilities('sync').includes('sync'),
})

export default definePlugin({
  services: { hidden: ({ store }): Hidden => createHidden(store, Date.now) },
  setup(ctx: Context) {
    ctx.provide(WATCHLIST, createWatchlist(sourcesOf(ctx)))
    // What a run has read is how it is.
    ctx.events.on('run.finished', () => ctx.services.hidden.clear())
  },
  routes(app) {
    const ctx = app.playhead as Context
    const sources = sourcesOf(ctx)
    const { accounts, sync, hidden, isThere } = sources
    const { events, log } = ctx
    const removal = createRemoval({
      write: (request) => sync.write(request),
      hide: (rows) => hidden.add(rows),
      events,
      log,
    })
    const metadata = ctx.use<Metadata>(METADATA)
    const hasMetadata = () => ctx.capabilities(METADATA).includes(METADATA)
    registerRoutes(app, {
      accounts,
      removal,
      isThere,
      view: () => loadView(sources),
      describer: (options) => createDescriber(hasMetadata() ? metadata : undefined, options, log),
    })
  },
})
