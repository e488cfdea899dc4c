// The people of a household: a name and a color each, the accounts that they own, and links with which they sign in themselves.
import { ACCOUNTS, definePlugin, PERSONS, providerCapability } from '@playhead/sdk'
import { registerGuestRoutes } from './guest-routes.ts'
import { createGuests } from './guests.ts'
import { createHousehold } from './household.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  async setup(ctx) {
    const household = await createHousehold(ctx)
    ctx.provide(PERSONS, { list: household.persons })
    // A link is removed when its time is over. Without links nothing loads the plugin.
    const sweeper = ctx.schedule('sweep-links', () => guests.sweep())
    const guests = createGuests({
      ...{ store: ctx.store, accounts: ctx.use(ACCOUNTS), household, log: ctx.log, now: Date.now },
      provider: (id) => ctx.use(providerCapability(id)),
      wake: (at) => sweeper.set({ at }),
    })
    return { household, guests }
  },
  routes(app, { household, guests }) {
    registerRoutes(app, household, guests)
    registerGuestRoutes(app, guests)
  },
})
