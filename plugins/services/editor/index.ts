// The editor: the rows of every account and feature, the tracker, the manual policy, playlists, and live imports.
import { definePlugin } from '@playhead/sdk'
import { createSources, type Sources } from './sources.ts'
import { registerDatasetRoutes } from './routes/datasets.ts'
import { registerImportRoutes } from './routes/state-import.ts'
import { registerPlaylistRoutes } from './routes/playlists.ts'
import { registerPolicyRoutes } from './routes/policy.ts'
import { createImports, type Imports } from './state-import.ts'

export default definePlugin<never, { sources: Sources; imports: Imports }>({
  services: { sources: ({ ctx }) => createSources(ctx), imports: ({ ctx }) => createImports(ctx) },
  setup() {},
  routes(app) {
    const { sources, imports } = app.playhead.services
    registerDatasetRoutes(app, sources)
    registerPlaylistRoutes(app, sources)
    registerPolicyRoutes(app, sources)
    registerImportRoutes(app, { sources, imports })
  },
})
