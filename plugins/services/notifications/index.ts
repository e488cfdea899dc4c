// Notifications: sends messages through notifiers according to rules. Notifiers are plugins.
import { definePlugin, NOTIFICATIONS, setupValue, type SetupValue } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { migrations } from './queue/schema.ts'
import { registerRoutes } from './routes/routes.ts'
import { NotificationSettings } from './settings.ts'

/** The plugin, with a clock that tests can set. */
export const notifications = (now: () => number) =>
  definePlugin<typeof NotificationSettings, { parts: SetupValue<Parts> }>({
    config: NotificationSettings,
    services: { parts: () => setupValue() },
    async setup(ctx) {
      const database = await ctx.openDatabase('queue', { migrations, onUnreadable: 'set_aside' })
      const parts = createParts(ctx, database, now)
      ctx.services.parts.set(parts)
      ctx.provide(NOTIFICATIONS, { tell: parts.tell, deliver: parts.deliver })
      await parts.start()
    },
    routes(app) {
      registerRoutes(app, app.playhead.services.parts.get())
    },
  })

export default notifications(Date.now)
