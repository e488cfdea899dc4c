// The sync plugin: pairs, plans, runs, and the library of what accounts hold.
import {
  ATTENTION,
  definePlugin,
  LIBRARY,
  LISTS,
  MAINTENANCE,
  MANUAL_POLICY,
  PAIR_USAGE,
  PROBLEMS,
  PROFILE_USAGE,
  RUN_HOOKS,
  RUNNING_OPERATIONS,
  SETUP,
  skipSerializer,
  STATUS,
  SYNC,
} from '@playhead/sdk'
import { DATABASE } from './run/thread.ts'
import { registerFeatureRoutes } from './routes/features.ts'
import { registerHistoryRoutes } from './routes/history.ts'
import { registerPairRoutes } from './routes/pairs.ts'
import { createParts } from './parts.ts'
import { registerProviderRoutes } from './routes/providers.ts'
import { registerRunRoutes } from './routes/runs.ts'
import { registerStoppedRoutes } from './routes/stopped.ts'
import { SyncConfig } from './settings.ts'
import { hostMigrations, migrations } from './store/migrations.ts'

export default definePlugin({
  config: SyncConfig,
  hooks: [PAIR_USAGE, ...RUN_HOOKS],
  migrations: hostMigrations,
  async setup(ctx) {
    const library = await ctx.openDatabase(DATABASE, { migrations })
    const made = createParts(ctx, library)
    ctx.provide(SYNC, made.service)
    ctx.provide(SETUP.of('pairs'), made.setup)
    ctx.provide(STATUS, made.status)
    ctx.provide(PROBLEMS.of('sync'), made.problems)
    ctx.provide(LIBRARY, made.library)
    ctx.provide(LISTS, made.lists)
    ctx.provide(MANUAL_POLICY, made.policy)
    for (const [id, action] of Object.entries(made.maintenance))
      ctx.provide(MAINTENANCE.of(id), action, { whileDormant: ['describe'] })
    // A run keeps the settings of its start, so a change needs no reload.
    ctx.onConfigChange(() => {})
    ctx.tap(PROFILE_USAGE, 'sync', ({ provider, instance }) => made.usagesOf(provider, instance))
    ctx.tap(RUNNING_OPERATIONS, 'sync', () => made.running())
    ctx.tap(ATTENTION, 'sync', () => made.attention())
    ctx.after(0, () => made.ready())
    ctx.defer(() => made.stop())
    return made
  },
  routes(app, { pairRoutes, providerRoutes, runRoutes, stoppedRoutes, history, notInLibrary, overviewRevision }) {
    app.setSerializerCompiler(skipSerializer.serializerCompiler)
    registerPairRoutes(app, pairRoutes)
    registerProviderRoutes(app, providerRoutes)
    registerRunRoutes(app, runRoutes)
    registerHistoryRoutes(app, history, notInLibrary, overviewRevision)
    registerStoppedRoutes(app, stoppedRoutes)
    registerFeatureRoutes(app, app.playhead)
  },
  // A run of the replaced generation ends, or is stopped, before the new generation starts one.
  handover: { give: (_ctx, made) => made.give(), take: (_ctx, runId, made) => made.take(runId as string | null) },
})
