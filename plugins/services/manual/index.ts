// Manual actions: external plays, ratings and watchlist changes on chosen accounts.
import { definePlugin, type TObject } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { migrations } from './store/tables.ts'

export default definePlugin<TObject, { parts: Parts }>({
  migrations,
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup(ctx) {
    const { parts } = ctx.services
    // Continues the work of an earlier process.
    ctx.after(2_000, (signal) => parts.follow(signal))
    ctx.every('6h', 'prune', (signal) => parts.follow(signal))
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts)
  },
})
