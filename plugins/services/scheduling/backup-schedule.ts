// The capability `backup-schedule`: one backup job in the settings of the scheduling.
import type { BackupSchedule, PluginContext, ScheduledBackup } from '@playhead/sdk'
import { normalizeScheduling } from './plan/normalize.ts'
import type { Scheduler } from './run/scheduler.ts'
import type { SchedulingConfig } from './settings.ts'

export function createBackupSchedule(
  ctx: Pick<PluginContext<SchedulingConfig>, 'config' | 'updateConfig'>,
  scheduler: Pick<Scheduler, 'tick'>,
): BackupSchedule {
  return {
    read(id) {
      const { backup_jobs: jobs, enabled } = ctx.config.advanced
      return { job: jobs.find((job) => job.id === id), advanced: enabled }
    },
    async save(job: ScheduledBackup) {
      await ctx.updateConfig((stored) => {
        const { backup_jobs: jobs } = normalizeScheduling(stored).advanced
        return { advanced: { backup_jobs: [job, ...jobs.filter(({ id }) => id !== job.id)] } }
      })
      await scheduler.tick()
    },
  }
}
