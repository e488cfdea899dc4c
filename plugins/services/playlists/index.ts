// Playlists: named lists, rules, and mappings that sync lists.
import {
  definePlugin,
  PAIR_LISTS,
  PAIR_USAGE,
  PLAYLISTS,
  PROFILE_USAGE,
  RUNNING_OPERATIONS,
  SETUP,
} from '@playhead/sdk'
import { listOf } from './config/lists.ts'
import { createPlaylistSetup } from './config/setup.ts'
import { createPairLists } from './pair-run.ts'
import { pairIdOf, repairPairs } from './pairs.ts'
import { createParts } from './parts.ts'
import { registerRoutes } from './routes/register.ts'
import { createRuns } from './run/runs.ts'
import { createService, usagesOf } from './service.ts'
import { PlaylistsConfig } from './settings.ts'

const SETTLE_MS = 60_000

export default definePlugin({
  config: PlaylistsConfig,
  setup(ctx) {
    const parts = createParts(ctx, () => settleLater())
    const runs = createRuns(parts)
    const service = createService(parts, runs)
    ctx.provide(PAIR_LISTS, createPairLists(parts, runs))
    ctx.provide(PLAYLISTS, {
      endpoints: async () =>
        parts.config().endpoints.map((endpoint) => {
          const { id, name, provider, instance, playlist_name: title } = endpoint
          const list = listOf(endpoint)
          return {
            ...{ id, name, provider, instance },
            list: list === null ? null : { kind: list.kind, id: list.id, title },
          }
        }),
    })
    ctx.provide(
      SETUP.of('playlists'),
      createPlaylistSetup({ parts, isRunning: runs.isRunning, follow: service.followed }),
    )
    ctx.tap(PROFILE_USAGE, 'playlists', ({ provider, instance }) => usagesOf(parts.config(), provider, instance))
    ctx.tap(PAIR_USAGE, 'playlists', ({ pair_id: pairId }) =>
      parts
        .config()
        .mappings.filter(({ id }) => pairIdOf(id) === pairId && !service.isRemoving(id))
        .map(({ id, name }) => ({ feature: 'playlist_mapping', id, label: name })),
    )
    ctx.tap(RUNNING_OPERATIONS, 'playlists', () =>
      runs.running().map((id) => ({ kind: 'playlists', id, label: `a run of the mapping ${id}` })),
    )
    // Interrupted runs are settled as long as there are mappings. Without one, nothing loads the plugin.
    const hasMappings = () => parts.config().mappings.length > 0
    const settling = ctx.schedule('settle', async () => {
      // Before anything can fail, so that it is tried again.
      settleLater()
      if (hasMappings()) await runs.recover()
    })
    const settleLater = () => {
      if (hasMappings()) settling.set({ at: Date.now() + SETTLE_MS })
    }
    // Requests and runs read the settings when they need them.
    ctx.onConfigChange(settleLater)
    ctx.after(0, async () => {
      if (!hasMappings()) return
      settleLater()
      await runs.recover()
      await repairPairs(parts)
    })
    ctx.defer(() => runs.close())
    return { parts, runs, service }
  },
  routes: registerRoutes,
})
