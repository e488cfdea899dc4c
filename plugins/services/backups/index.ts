// Backups of the data directory: creation, verification, restore, schedule and retention.
import { BACKUPS, CONFIG_BACKUP, definePlugin } from '@playhead/sdk'
import { recordLastRestore } from './last-restore.ts'
import { labelOf } from './names.ts'
import { registerArchiveRoutes } from './routes/archives.ts'
import { registerScheduleRoutes } from './routes/schedule.ts'
import { createBackups } from './service.ts'
import { BackupSettings } from './settings.ts'

const CONFIG_BACKUP_MS = 60_000

export default definePlugin({
  config: BackupSettings,
  setup(ctx) {
    const backups = createBackups(ctx)
    ctx.provide(BACKUPS, {
      runScheduled: (job, signal) => backups.runScheduled(job, signal),
      async create({ scope, label, trigger, within }, signal) {
        const { path, size } = await backups.create({ scope, label: labelOf(label), trigger, within }, signal)
        return { path, sizeBytes: size }
      },
    })
    ctx.tap(CONFIG_BACKUP, { name: 'backups', timeoutMs: CONFIG_BACKUP_MS }, async ({ label, scope }) => {
      const { path } = await backups.create({ scope, label: labelOf(label), trigger: 'maintenance_config' })
      return { path }
    })
    ctx.after(0, () => recordLastRestore(ctx))
    return backups
  },
  routes(app, backups) {
    registerArchiveRoutes(app, backups)
    registerScheduleRoutes(app, backups)
  },
})
