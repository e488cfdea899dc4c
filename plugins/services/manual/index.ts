// Manual actions: external plays, ratings and watchlist changes on chosen accounts.
import { definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { migrations } from './store/tables.ts'

export default definePlugin({
  migrations,
  setup(ctx) {
    const parts = createParts(ctx)
    // Continues the work of an earlier process.
    ctx.after(2_000, (signal) => parts.follow(signal))
    ctx.every('6h', 'prune', (signal) => parts.follow(signal))
    return parts
  },
  routes(app, parts) {
    registerRoutes(app, parts)
  },
})
