// Recipes: one plan of accounts, pairs, scrobbling, playlists and the schedule, applied and undone as a whole.
import { ACCOUNTS, definePlugin, householdOf, SETUP, tokenOf } from '@playhead/sdk'
import { followRuns } from '@playhead/sdk/sync'
import { createAppliedPlans } from './applied.ts'
import type { SetupParts } from './plan.ts'
import { registerRecipeRoutes } from './routes.ts'

/** Pairs come first, because other parts refer to them. Parts of other plugins follow by name. */
const ORDER = ['pairs', 'playlists', 'scrobble', 'schedule']
const RETRY_MS = 60_000
const LOOK_AGAIN_MS = 15 * 60_000

export default definePlugin({
  setup(ctx) {
    // Nothing else loads the plugin. When it is loaded, it also gets the runs that ended before.
    const retry = ctx.schedule('recover', async () => {
      await plans.recover()
      if (await plans.isCopying()) retry.set({ at: Date.now() + LOOK_AGAIN_MS })
    })
    const plans = createAppliedPlans({
      store: ctx.store,
      log: ctx.log,
      now: Date.now,
      retryLater: () => retry.set({ at: Date.now() + RETRY_MS }),
      parts,
    })

    function parts(): SetupParts {
      const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
      const found = ctx
        .capabilities(SETUP)
        .map((reference) => [tokenOf(reference).slice(SETUP.prefix.length), ctx.use(reference)] as const)
        .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      return new Map(found)
    }

    followRuns(ctx, (run) => plans.follow(run))
    ctx.after(0, () => plans.recover())
    return { plans, parts, accounts: ctx.use(ACCOUNTS), persons: () => householdOf(ctx) }
  },
  routes: registerRecipeRoutes,
})
