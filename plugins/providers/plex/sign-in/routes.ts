// Registers the routes of Plex.
import type { PluginApp } from '@playhead/sdk'
import { createLibraryLook } from './library-look.ts'
import { registerLooks } from './look-routes.ts'
import type { PlexKit } from './sign-in.ts'
import { registerSignIn } from './sign-in-routes.ts'

export function registerRoutes(app: PluginApp, kit: PlexKit): void {
  const look = createLibraryLook()
  registerSignIn(app, kit, look)
  registerLooks(app, kit, look)
}
