// Captures: files with the data of an account, their comparison, and restores from them.
import { accountLabel, ATTENTION, CAPTURES, definePlugin, type PluginApp, RUNNING_OPERATIONS } from '@playhead/sdk'
import type { Parts } from './parts.ts'
import { createParts } from './create-parts.ts'
import { runScheduled } from './run/scheduled.ts'
import { attentionOf, recover } from './run/recover.ts'
import { migrations } from './store/tables.ts'
import { registerDeleteRoutes } from './routes/delete.ts'
import { registerFileRoutes } from './routes/files.ts'
import { registerDiffRoutes } from './routes/diff.ts'
import { registerJobRoutes } from './routes/jobs.ts'
import { registerRestoreRoutes } from './routes/restore.ts'

export default definePlugin({
  migrations,
  setup(ctx) {
    const parts = createParts(ctx)
    ctx.provide(CAPTURES, { runScheduled: (job, signal) => runScheduled(parts, job, signal) })
    ctx.tap(RUNNING_OPERATIONS, 'captures', () =>
      parts.jobs
        .running()
        // A waiting job may wait for long, and is retried after a restart.
        .filter(({ on_hold: hold }) => hold == null)
        .map(({ id, operation, provider, instance }) => ({
          kind: operation,
          id,
          label: `a ${operation} of ${accountLabel(provider, instance)}`,
        })),
    )
    ctx.tap(ATTENTION, 'captures', () => attentionOf(parts))
    ctx.after(0, () => recover(parts))
    ctx.defer(() => parts.jobs.close())
    return parts
  },
  routes(app, parts) {
    registerRoutes(app, parts)
  },
})

/** The routes at /api/snapshots. */
function registerRoutes(app: PluginApp, parts: Parts): void {
  registerFileRoutes(app, parts)
  registerJobRoutes(app, parts)
  registerDiffRoutes(app, parts)
  registerRestoreRoutes(app, parts)
  registerDeleteRoutes(app, parts)
}
