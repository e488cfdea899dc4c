// Manual actions: what a person watched elsewhere, ratings, and watchlists, on chosen accounts.
import { definePlugin, type TObject } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { migrations } from './store/tables.ts'

export default definePlugin<TObject, { parts: Parts }>({
  migrations,
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup(ctx) {
    const { parts } = ctx.services
    // Goes on with what an earlier process began.
    ctx.after(2_000, (signal) => parts.follow(signal))
    ctx.every('6h', 'prune', (signal) => parts.follow(signal))
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts)
  },
})
