// The editor: the rows of every account and feature, the tracker, the manual policy, playlists, and live imports.
import { definePlugin, type PluginContext } from '@playhead/sdk'
import { createSources } from './sources.ts'
import { registerDatasetRoutes } from './routes/datasets.ts'
import { registerImportRoutes } from './routes/state-import.ts'
import { registerPlaylistRoutes } from './routes/playlists.ts'
import { registerPolicyRoutes } from './routes/policy.ts'
import { createImports } from './state-import.ts'

export default definePlugin({
  setup: (ctx: PluginContext) => ({ sources: createSources(ctx), imports: createImports(ctx) }),
  routes(app, { sources, imports }) {
    registerDatasetRoutes(app, sources)
    registerPlaylistRoutes(app, sources)
    registerPolicyRoutes(app, sources)
    registerImportRoutes(app, { sources, imports })
  },
})
