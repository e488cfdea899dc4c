// Exports: which rows there are, what a file of a format would hold, and the file. Knows no format.
import { definePlugin, setupValue, type SetupValue } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { ExportSettings } from './settings.ts'
import { migrations } from './collection/tables.ts'

export default definePlugin<typeof ExportSettings, { parts: SetupValue<Parts> }>({
  config: ExportSettings,
  services: { parts: () => setupValue() },
  async setup(ctx) {
    // Only the thread uses it: what is in it can be collected again.
    await ctx.openDatabase('collections', { migrations, onUnreadable: 'set_aside' })
    ctx.services.parts.set(createParts(ctx))
    // Read at each use.
    ctx.onConfigChange(() => {})
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts.get())
  },
})
