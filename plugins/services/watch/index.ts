// What is playing now, polled on request.
import { definePlugin } from '@playhead/sdk'
import { type SessionPoller, createSessionPoller, type CachedSessions } from './poll.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin<never, { poller: SessionPoller }>({
  services: { poller: ({ log, signal }): SessionPoller => createSessionPoller({ log, signal }) },
  routes: (app) => registerRoutes(app, app.playhead.services.poller),
  // Session start times survive a reload of the plugin.
  handover: {
    give: (ctx) => ctx.services.poller.snapshot(),
    take: (ctx, cached) =>
      ctx.services.poller.restore(Array.isArray(cached) ? (cached as readonly CachedSessions[]) : []),
  },
})
