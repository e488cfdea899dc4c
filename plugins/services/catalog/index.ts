// The catalog: every title on any account, all plays of them, and statistics about the plays.
import { definePlugin, setupValue, type SetupValue } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { migrations } from './tables.ts'

export default definePlugin<never, { parts: SetupValue<Parts> }>({
  services: { parts: () => setupValue() },
  async setup(ctx) {
    const database = await ctx.openDatabase('catalog', { migrations, onUnreadable: 'set_aside' })
    const parts = createParts(ctx, database)
    ctx.services.parts.set(parts)
    ctx.events.on('run.finished', () => parts.keeper.look())
    ctx.events.on('play.recorded', () => parts.keeper.look())
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts.get())
  },
})
