// Registers the routes of Plex.
import type { PluginApp } from '@playhead/sdk'
import { createLibraryCache } from './library-cache.ts'
import { registerDiscoveryRoutes } from './discovery-routes.ts'
import type { PlexKit } from './sign-in.ts'
import { registerSignIn } from './sign-in-routes.ts'

export function registerRoutes(app: PluginApp, kit: PlexKit): void {
  const libraries = createLibraryCache()
  registerSignIn(app, kit, libraries)
  registerDiscoveryRoutes(app, kit, libraries)
}
