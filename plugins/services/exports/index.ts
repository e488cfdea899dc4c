// Exports: lists available rows, previews the file of a format, and writes it. Formats are plugins.
import { definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { ExportSettings } from './settings.ts'

export default definePlugin({
  config: ExportSettings,
  setup(ctx) {
    // Read at each use, because it may change.
    ctx.onConfigChange(() => {})
    return createParts(ctx)
  },
  routes: registerRoutes,
})
