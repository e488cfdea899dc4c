// Playback positions on all accounts.
import { definePlugin } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerActionRoutes } from './routes/action-routes.ts'
import { registerListRoutes } from './routes/list-routes.ts'
import { registerSettingsRoutes } from './routes/settings-routes.ts'
import { PlaybackSettings } from './settings.ts'

export default definePlugin<typeof PlaybackSettings, { parts: Parts }>({
  config: PlaybackSettings,
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup(ctx) {
    // Settings are read on use.
    ctx.onConfigChange(() => {})
  },
  routes(app) {
    const { parts } = app.playhead.services
    registerListRoutes(app, parts)
    registerSettingsRoutes(app, parts)
    registerActionRoutes(app, parts)
  },
})
