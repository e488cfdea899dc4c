// Scheduling: syncs, captures and backups at set times and after playback.
import { BACKUP_SCHEDULE, definePlugin, NOTIFIERS, OVERVIEW, PAIR_USAGE, SETUP } from '@playhead/sdk'
import { createBackupSchedule } from './backup-schedule.ts'
import { readEvent } from './plan/event-rules.ts'
import { readPlayback } from './plan/forms.ts'
import { normalizeScheduling } from './plan/normalize.ts'
import { createParts, pairUsagesOf } from './parts.ts'
import { registerRoutes } from './routes/routes.ts'
import { SchedulingConfig } from './settings.ts'
import { createScheduleSetup } from './setup.ts'
import { migrations } from './run/state.ts'
import { WEBHOOK_NOTIFIER } from './run/webhook-notifier.ts'

export default definePlugin({
  config: SchedulingConfig,
  normalizeConfig: normalizeScheduling,
  migrations,
  setup(ctx) {
    const parts = createParts(ctx)
    const { scheduler } = parts
    ctx.provide(OVERVIEW.of('scheduling'), { overview: () => parts.overview() })
    ctx.provide(BACKUP_SCHEDULE, createBackupSchedule(ctx, scheduler))
    ctx.provide(
      SETUP.of('schedule'),
      createScheduleSetup({
        get config() {
          return ctx.config
        },
        updateConfig: ctx.updateConfig,
        resume: () => scheduler.resume(),
      }),
    )
    ctx.provide(NOTIFIERS.of(WEBHOOK_NOTIFIER), parts.webhookNotifier, { whileDormant: ['describe', 'targets'] })
    ctx.after(0, () => scheduler.tick())
    ctx.onConfigChange(() => scheduler.resume())
    ctx.tap(PAIR_USAGE, 'scheduling', ({ pair_id: pairId }) => pairUsagesOf(parts.config(), pairId))
    ctx.events.on('playback.*', async ({ name, data }) => {
      const event = readPlayback(name.split('.')[1])
      if (event === undefined) return
      // Players report every few seconds, so reports that start nothing are not recorded.
      const outcome = await scheduler.played(event, readEvent(data))
      if (outcome.triggered > 0) ctx.events.emit('scheduling.rules_applied', { event, ...outcome })
    })
    return parts
  },
  routes(app, parts) {
    registerRoutes(app, parts)
  },
})
