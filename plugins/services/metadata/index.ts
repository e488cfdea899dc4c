// Metadata from TMDB: titles, ids, details and images.
import { definePlugin, MAINTENANCE, METADATA } from '@playhead/sdk'
import { registerArtRoutes } from './art/art-routes.ts'
import { registerBulkRoute } from './bulk.ts'
import { migrations } from './cache.ts'
import { createMetadata } from './capability.ts'
import { registerKeyRoutes } from './key-routes.ts'
import { clearCache } from './maintain.ts'
import { createParts, type Parts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { Settings } from './settings.ts'

export default definePlugin<typeof Settings, { parts: Parts }>({
  config: Settings,
  migrations,
  services: { parts: (inputs) => createParts(inputs) },
  setup(ctx) {
    const { parts } = ctx.services
    ctx.provide(METADATA, createMetadata(parts))
    ctx.provide(MAINTENANCE.of('metadata-cache'), clearCache(parts.cache, ctx.files.shared('cache')), {
      whileDormant: ['describe'],
    })
    parts.settings.follow(() => ctx.config)
    // Settings are read at each use, so a change needs no reload.
    ctx.onConfigChange(() => {})
    ctx.every('6h', 'prune', () => parts.cache.prune())
  },
  routes(app) {
    const { parts } = app.playhead.services
    registerKeyRoutes(app, parts)
    registerRoutes(app, parts)
    registerBulkRoute(app, parts)
    registerArtRoutes(app, parts)
  },
})
