// What is playing now, asked when somebody wants to know.
import { definePlugin } from '@playhead/sdk'
import { type Asking, createAsking, type Kept } from './ask.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin<never, { asking: Asking }>({
  services: { asking: ({ log, signal }): Asking => createAsking({ log, signal }) },
  routes: (app) => registerRoutes(app, app.playhead.services.asking),
  // Since when something plays stays known when the plugin is loaded anew.
  handover: {
    give: (ctx) => ctx.services.asking.give(),
    take: (ctx, kept) => ctx.services.asking.take(Array.isArray(kept) ? (kept as readonly Kept[]) : []),
  },
})
