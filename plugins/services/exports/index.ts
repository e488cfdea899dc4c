// Exports: lists available rows, previews the file of a format, and writes it. Formats are plugins.
import { definePlugin, setupValue, type SetupValue } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { ExportSettings } from './settings.ts'
import { migrations } from './collection/tables.ts'

export default definePlugin<typeof ExportSettings, { parts: SetupValue<Parts> }>({
  config: ExportSettings,
  services: { parts: () => setupValue() },
  async setup(ctx) {
    // Only the thread uses the file, and its content can be collected again.
    await ctx.openDatabase('collections', { migrations, onUnreadable: 'set_aside' })
    ctx.services.parts.set(createParts(ctx))
    // Read at each use, because it may change.
    ctx.onConfigChange(() => {})
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.parts.get())
  },
})
