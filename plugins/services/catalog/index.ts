// The catalog: every title on any account, all plays of them, and statistics about the plays.
import { CATALOG, definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { createWorks } from './read/works.ts'
import { registerRoutes } from './routes.ts'
import { migrations } from './tables.ts'

export default definePlugin({
  async setup(ctx) {
    const database = await ctx.openDatabase('titles', { migrations, onUnreadable: 'set_aside' })
    const parts = createParts(ctx, database)
    ctx.provide(CATALOG, createWorks(parts))
    ctx.events.on('run.finished', () => parts.keeper.look())
    ctx.events.on('play.recorded', () => parts.keeper.look())
    return parts
  },
  routes: registerRoutes,
})
