// The watchlists of all accounts as one.
import { definePlugin, type Accounts, type PluginContext, type SyncService } from '@playhead/sdk'
import { createHidden, type Hidden } from './hidden.ts'
import { createRemoval } from './removal.ts'
import { registerRoutes } from './routes.ts'
import { loadView } from './view.ts'

interface Services {
  readonly hidden: Hidden
}

export default definePlugin({
  services: { hidden: ({ store }): Hidden => createHidden(store, Date.now) },
  setup(ctx: PluginContext<unknown, Services>) {
    // What a run has read is how it is.
    ctx.events.on('run.finished', () => ctx.services.hidden.clear())
  },
  routes(app) {
    const ctx = app.playhead as PluginContext<unknown, Services>
    const { hidden } = ctx.services
    const sync = ctx.use<SyncService>('sync')
    const accounts = ctx.use<Accounts>('accounts')
    const isThere = () => ctx.capabilities('sync').includes('sync')
    const { events, log } = ctx
    const removal = createRemoval({ write: (request) => sync.write(request), hide: (rows) => hidden.add(rows), events, log })
    registerRoutes(app, { accounts, removal, isThere, view: () => loadView({ accounts, sync, hidden, isThere }) })
  },
})
