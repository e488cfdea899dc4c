// Exports: lists available rows, previews the file of a format, and writes it. Formats are plugins.
import { definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { ExportSettings } from './settings.ts'
import { migrations } from './collection/tables.ts'

export default definePlugin({
  config: ExportSettings,
  async setup(ctx) {
    // Only the thread uses the file, and its content can be collected again.
    await ctx.openDatabase('collections', { migrations, onUnreadable: 'set_aside' })
    // Read at each use, because it may change.
    ctx.onConfigChange(() => {})
    return createParts(ctx)
  },
  routes: registerRoutes,
})
