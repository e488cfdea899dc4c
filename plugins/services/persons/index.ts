// The people of a household: a name and a color each, and the accounts that they own.
import { definePlugin, PERSONS } from '@playhead/sdk'
import { createHousehold } from './household.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  async setup(ctx) {
    const household = await createHousehold(ctx)
    ctx.provide(PERSONS, { list: household.persons })
    return household
  },
  routes: registerRoutes,
})
