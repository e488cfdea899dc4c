// Playback positions on all accounts.
import { definePlugin } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerActionRoutes } from './routes/action-routes.ts'
import { registerListRoutes } from './routes/list-routes.ts'
import { registerSettingsRoutes } from './routes/settings-routes.ts'
import { PlaybackSettings } from './settings.ts'

export default definePlugin({
  config: PlaybackSettings,
  setup(ctx) {
    // Settings are read on use.
    ctx.onConfigChange(() => {})
    return createParts(ctx)
  },
  routes(app, parts) {
    registerListRoutes(app, parts)
    registerSettingsRoutes(app, parts)
    registerActionRoutes(app, parts)
  },
})
