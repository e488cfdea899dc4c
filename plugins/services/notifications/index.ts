// Notifications: sends messages through notifiers according to rules. Notifiers are plugins.
import { definePlugin, NOTIFICATIONS } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { migrations } from './queue/schema.ts'
import { registerRoutes } from './routes/routes.ts'
import { NotificationSettings } from './settings.ts'

/** The plugin, with a clock that tests can set. */
export const notifications = (now: () => number) =>
  definePlugin({
    config: NotificationSettings,
    async setup(ctx) {
      const database = await ctx.openDatabase('queue', { migrations, onUnreadable: 'set_aside' })
      const parts = createParts(ctx, database, now)
      ctx.provide(NOTIFICATIONS, { tell: parts.tell, deliver: parts.deliver })
      await parts.start()
      return parts
    },
    routes: registerRoutes,
  })

export default notifications(Date.now)
