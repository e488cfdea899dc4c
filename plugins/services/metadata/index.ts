// Metadata from TMDB: titles, ids, details and images.
import { definePlugin, MAINTENANCE, METADATA } from '@playhead/sdk'
import { registerArtRoutes } from './art/art-routes.ts'
import { registerBulkRoute } from './bulk.ts'
import { migrations } from './cache.ts'
import { createMetadata } from './capability.ts'
import { registerKeyRoutes } from './key-routes.ts'
import { clearCache } from './maintain.ts'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes.ts'
import { Settings } from './settings.ts'

export default definePlugin({
  config: Settings,
  migrations,
  setup(ctx) {
    const parts = createParts(ctx)
    ctx.provide(METADATA, createMetadata(parts))
    ctx.provide(MAINTENANCE.of('metadata-cache'), clearCache(parts.cache, ctx.files.shared('cache')), {
      whileDormant: ['describe'],
    })
    parts.settings.follow(() => ctx.config)
    // Settings are read at each use, so a change needs no reload.
    ctx.onConfigChange(() => {})
    ctx.every('6h', 'prune', () => parts.cache.prune())
    return parts
  },
  routes(app, parts) {
    registerKeyRoutes(app, parts)
    registerRoutes(app, parts)
    registerBulkRoute(app, parts)
    registerArtRoutes(app, parts)
  },
})
