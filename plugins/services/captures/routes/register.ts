// Registers the routes at /api/snapshots.
import type { PluginApp } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import { registerDeleteRoutes } from './delete.ts'
import { registerFileRoutes } from './files.ts'
import { registerDiffRoutes } from './diff.ts'
import { registerJobRoutes } from './jobs.ts'
import { registerRestoreRoutes } from './restore.ts'

export function registerRoutes(app: PluginApp, parts: Parts): void {
  registerFileRoutes(app, parts)
  registerJobRoutes(app, parts)
  registerDiffRoutes(app, parts)
  registerRestoreRoutes(app, parts)
  registerDeleteRoutes(app, parts)
}
